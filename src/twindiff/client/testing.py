"""The namespaces for test runs, saved tests, sandbox runs and legacy runs, as in Arga's documentation."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

from . import testing_specs
from .fields import Fields
from .namespaces import AsyncNamespace, Awaited, Namespace, Sent
from .run_specs import part
from .transport import ServerSentEvent

SECONDS = 600.0
POLL_SECONDS = 1.0


def _late(run_id: str, status: str, seconds: float) -> TimeoutError:
    return TimeoutError(f"The run {run_id} is still {status} after {seconds:g} s")


class Runs(Namespace):
    """Runs of any kind, with the method names of Arga's SDK."""

    create_url_run = Sent(testing_specs.create_url_run)
    create_pr_run = Sent(testing_specs.create_pr_run)
    get = Sent(testing_specs.run)
    cancel = Sent(testing_specs.cancel_run)

    def wait(self, run_id: str, *, timeout: float = SECONDS, poll_interval: float = POLL_SECONDS) -> Fields:
        """Wait until a run has ended, and return it; raises TimeoutError after `timeout` seconds."""
        end = time.monotonic() + timeout
        while (run := self.get(run_id)).status not in testing_specs.ENDED:
            if time.monotonic() >= end:
                raise _late(run_id, run.status, timeout)
            self.client.pause(poll_interval)
        return run

    def stream_results(self, run_id: str) -> Iterator[ServerSentEvent]:
        """Yield the events of a run as they happen, until it ends."""
        return self.client.listen(f"/validate/{part(run_id)}/results")


class AsyncRuns(AsyncNamespace):
    """Runs of any kind, with the method names of Arga's SDK."""

    create_url_run = Awaited(testing_specs.create_url_run)
    create_pr_run = Awaited(testing_specs.create_pr_run)
    get = Awaited(testing_specs.run)
    cancel = Awaited(testing_specs.cancel_run)

    async def wait(
        self,
        run_id: str,
        *,
        timeout: float = SECONDS,  # noqa: ASYNC109 - the name that the documentation prints
        poll_interval: float = POLL_SECONDS,
    ) -> Fields:
        """Wait until a run has ended, and return it; raises TimeoutError after `timeout` seconds."""
        end = time.monotonic() + timeout
        while (run := await self.get(run_id)).status not in testing_specs.ENDED:
            if time.monotonic() >= end:
                raise _late(run_id, run.status, timeout)
            await self.client.pause(poll_interval)
        return run

    def stream_results(self, run_id: str) -> AsyncIterator[ServerSentEvent]:
        """Yield the events of a run as they happen, until it ends."""
        return self.client.listen(f"/validate/{part(run_id)}/results")


class TestRuns(Runs):
    """Browser tests."""

    __test__ = False

    create = Sent(testing_specs.create_test_run)
    list = Sent(testing_specs.list_test_runs)
    get = Sent(testing_specs.get_test_run)
    rerun = Sent(testing_specs.rerun)
    configure = Sent(testing_specs.configure)
    cancel = Sent(testing_specs.cancel_test_run)
    message = Sent(testing_specs.message)
    artifact = Sent(testing_specs.artifact)


class AsyncTestRuns(AsyncRuns):
    """Browser tests."""

    create = Awaited(testing_specs.create_test_run)
    list = Awaited(testing_specs.list_test_runs)
    get = Awaited(testing_specs.get_test_run)
    rerun = Awaited(testing_specs.rerun)
    configure = Awaited(testing_specs.configure)
    cancel = Awaited(testing_specs.cancel_test_run)
    message = Awaited(testing_specs.message)
    artifact = Awaited(testing_specs.artifact)


class SavedTests(Namespace):
    """Saved tests."""

    list = Sent(testing_specs.saved_tests)
    get = Sent(testing_specs.saved_test)
    create = Sent(testing_specs.create_test)
    update = Sent(testing_specs.update_test)
    run = Sent(testing_specs.run_test)
    delete = Sent(testing_specs.delete_test)


class AsyncSavedTests(AsyncNamespace):
    """Saved tests."""

    list = Awaited(testing_specs.saved_tests)
    get = Awaited(testing_specs.saved_test)
    create = Awaited(testing_specs.create_test)
    update = Awaited(testing_specs.update_test)
    run = Awaited(testing_specs.run_test)
    delete = Awaited(testing_specs.delete_test)


class SandboxRuns(Namespace):
    """Applications of branches, which run together with their twins."""

    create = Sent(testing_specs.create_sandbox_run)
    list = Sent(testing_specs.sandbox_runs)
    get = Sent(testing_specs.sandbox_run)
    logs = Sent(testing_specs.sandbox_logs)
    delete = Sent(testing_specs.delete_sandbox_run)

    def wait(self, sandbox_id: str, *, timeout: float = SECONDS, poll_interval: float = 0.2) -> Fields:
        """Wait until the application responds or has failed, and return the run; raises TimeoutError."""
        end = time.monotonic() + timeout
        while (run := self.get(sandbox_id)).status in testing_specs.STARTING:
            if time.monotonic() >= end:
                raise _late(sandbox_id, run.status, timeout)
            self.client.pause(poll_interval)
        return run


class AsyncSandboxRuns(AsyncNamespace):
    """Applications of branches, which run together with their twins."""

    create = Awaited(testing_specs.create_sandbox_run)
    list = Awaited(testing_specs.sandbox_runs)
    get = Awaited(testing_specs.sandbox_run)
    logs = Awaited(testing_specs.sandbox_logs)
    delete = Awaited(testing_specs.delete_sandbox_run)

    async def wait(
        self,
        sandbox_id: str,
        *,
        timeout: float = SECONDS,  # noqa: ASYNC109 - the name that the documentation prints
        poll_interval: float = 0.2,
    ) -> Fields:
        """Wait until the application responds or has failed, and return the run; raises TimeoutError."""
        end = time.monotonic() + timeout
        while (run := await self.get(sandbox_id)).status in testing_specs.STARTING:
            if time.monotonic() >= end:
                raise _late(sandbox_id, run.status, timeout)
            await self.client.pause(poll_interval)
        return run
