"""Pull request runs: a branch is compared with its base, started, and judged by the tests that its change asks for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from twindiff.browser.config import check_url
from twindiff.catalog import SavedTestRecord, TestRunRecord
from twindiff.catalog.stamps import new_uuid
from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.server.pr_runs.choice import chosen
from twindiff.server.pr_runs.reports import TestResult, check_run, junit
from twindiff.server.sandbox_runs import checkouts
from twindiff.server.sandbox_runs.checkouts import Revision
from twindiff.server.sandbox_runs.runs import SandboxRuns, WantedSandbox
from twindiff.server.test_runs.ledger import ENDED
from twindiff.server.test_runs.runs import Wanted, or_invalid
from twindiff.server.test_runs.saved import SavedTests
from twindiff.server.test_runs.views import scenario_of

KIND = "pr"
OPENS = "the application opens"
"""What is tested of a change that no saved test is for."""


class NothingChanged(ApiError):
    """The branch has no difference from its base."""

    status = 422


class WantedPr(NamedTuple):
    """What is to be tested."""

    repo: str
    branch: str | None = None
    pr_url: str | None = None
    base: str | None = None
    frontend_url: str | None = None
    twins: Sequence[str] | None = None
    scenario_id: str | None = None
    scenario_prompt: str | None = None
    about: Mapping[str, Any] = {}
    """What is only kept: context_notes, session_id, run_type."""


class Plan(NamedTuple):
    """What a change asks for."""

    wanted: WantedPr
    revision: Revision
    base: str
    changed: list[str]
    tests: list[SavedTestRecord]
    address: str


class Stopped(Exception):
    """The run was cancelled."""


class PrRuns:
    """The pull request runs of a server."""

    def __init__(self, saved: SavedTests, sandboxes: SandboxRuns) -> None:
        self._tests = saved.runs
        self._saved = saved
        self._sandboxes = sandboxes
        self._ledger = saved.runs.ledger
        self._runtime = sandboxes.service.runtime

    async def create(self, wanted: WantedPr, address: str) -> TestRunRecord:
        """Queue a run; raises UnknownRepository, UnknownBranch, NothingChanged."""
        self._tests.queue.check()
        if not wanted.branch and not wanted.pr_url:
            raise InvalidParameter("branch", "give the branch, or the pr_url of its pull request")
        if url := wanted.frontend_url:
            or_invalid(lambda: check_url(url, "frontend_url"))
        plan = await self._runtime.run_in_thread(partial(self._compared, wanted, address))
        plan = plan._replace(tests=chosen(self._saved.list(wanted.repo), plan.changed))
        run = self._record(plan)
        await self._tests.queue.put(run.run_id, partial(self._perform, run.run_id, plan), seated=False)
        return run

    def _compared(self, wanted: WantedPr, address: str) -> Plan:
        revision = self._sandboxes.repositories.revision(wanted.repo, wanted.branch, wanted.pr_url)
        base = checkouts.base_of(revision.repository, wanted.base)
        changed = checkouts.changed_files(revision, base)
        if not changed:
            raise NothingChanged(f"branch '{revision.name}' has no difference from '{base}'")
        return Plan(wanted, revision, base, changed, [], address)

    def _record(self, plan: Plan) -> TestRunRecord:
        wanted, revision = plan.wanted, plan.revision
        names = [test.name for test in plan.tests]
        asked = {
            **wanted.about,
            "branch": revision.name,
            "base": plan.base,
            "pr_url": wanted.pr_url,
            "commit_sha": revision.commit,
            "changed_files": plan.changed,
            "chosen_tests": [{"id": test.test_id, "name": test.name} for test in plan.tests],
            "twins": [*(wanted.twins or ())],
        }
        session_id = wanted.about.get("session_id") or new_uuid()
        run = self._ledger.add(KIND, asked, repo=wanted.repo, session_id=session_id)
        tell = partial(self._ledger.tell, run.run_id)
        tell("status", "queued", {"status": "queued"})
        tell("log", f"{len(plan.changed)} files differ from {plan.base}: {', '.join(plan.changed)}")
        tell("log", f"saved tests that were chosen: {', '.join(names) or 'none; ' + OPENS}")
        return run

    # From the start of the application to the verdict

    async def _perform(self, run_id: str, plan: Plan) -> None:
        stop = asyncio.Event()
        self._tests.queue.listens(run_id, lambda message: None if message else stop.set())
        await self._ledger.do(partial(self._ledger.begin, run_id))
        sandbox: TestRunRecord | None = None
        results: list[TestResult] = []
        try:
            if not plan.wanted.frontend_url:
                sandbox = await self._started(run_id, plan, stop)
            if sandbox is None or sandbox.status == "ready":
                for test in plan.tests or [None]:
                    results.append(await self._tested(run_id, plan, test, sandbox, len(results) + 1, stop))
        except Stopped:
            return
        finally:
            self._tests.queue.deaf(run_id)
            if sandbox:
                sandbox_id = sandbox.run_id
                await self._runtime.run_request(lambda: self._sandboxes.delete(sandbox_id))
        await self._ledger.do(partial(self._conclude, run_id, plan, sandbox, results))

    async def _started(self, run_id: str, plan: Plan, stop: asyncio.Event) -> TestRunRecord:
        """The sandbox run of the branch when it is ready, or has failed; raises Stopped, and what refuses it."""
        wanted = plan.wanted
        named = [twin for test in plan.tests for twin in test.twins]
        asked = WantedSandbox(
            wanted.repo,
            None if wanted.branch is None else plan.revision.name,
            wanted.pr_url,
            twins=wanted.twins if wanted.twins is not None else list(dict.fromkeys(named)) or None,
            scenario_id=wanted.scenario_id,
            scenario_prompt=wanted.scenario_prompt,
        )
        sandbox = await self._runtime.run_request(lambda: self._sandboxes.create(asked, plan.address))
        started = sandbox.asked["app_command"] or sandbox.asked["dockerfile_path"]
        await self._tell(run_id, "log", f"sandbox run {sandbox.run_id}: {started}")
        await self._ledger.do(partial(self._note_scenario, run_id, sandbox))
        try:
            return await self._until(sandbox.run_id, lambda run: run.status in ("ready", *ENDED), stop)
        except Stopped:
            await self._runtime.run_request(lambda: self._sandboxes.delete(sandbox.run_id))
            raise

    def _note_scenario(self, run_id: str, part: TestRunRecord) -> None:
        """Keep what of the scenario_prompt the twins of the sandbox or the first test show; say what they do not."""
        run, said = self._ledger.find(run_id), scenario_of(part)
        self._ledger.change(run, asked={**run.asked, **said})
        for warning in said["scenario_warnings"]:
            self._ledger.tell(run_id, "log", f"scenario_prompt: {warning}")

    async def _tested(
        self,
        run_id: str,
        plan: Plan,
        test: SavedTestRecord | None,
        sandbox: TestRunRecord | None,
        number: int,
        stop: asyncio.Event,
    ) -> TestResult:
        """Run a saved test, or see whether the application opens; raises Stopped."""
        name, begun, child_id = (test.name if test else OPENS), time.monotonic(), ""
        wanted = self._wanted(run_id, plan, test, sandbox)
        try:
            child = await self._runtime.run_request(lambda: self._tests.create(wanted, plan.address))
            child_id = child.run_id
            if sandbox is None and number == 1:
                await self._ledger.do(partial(self._note_scenario, run_id, child))
            child = await self._until(child_id, lambda run: run.status in ENDED, stop)
            passed, detail = child.status == "completed", str(child.outcome.get("failure_detail") or "")
        except ApiError as error:
            passed, detail = False, str(error)
        except Stopped:
            await self._ledger.do(partial(self._tests.cancel, child_id))
            raise
        told = {"id": child_id or name, "step": number, "title": name, "status": "passed" if passed else "failed"}
        told |= {"run_id": child_id, **({"detail": detail} if detail else {})}
        await self._tell(run_id, "step", name, told)
        return TestResult(name, child_id, passed, detail, time.monotonic() - begun)

    def _wanted(self, run_id: str, plan: Plan, test: SavedTestRecord | None, sandbox: TestRunRecord | None) -> Wanted:
        wanted = plan.wanted
        about = {"repo": wanted.repo, "branch": plan.revision.name, "source_run_id": run_id, "trigger_source": "pr"}
        twin_run_id = sandbox.twin_run_id if sandbox else None
        twins = [] if sandbox else [*(wanted.twins or (test.twins if test else []))]
        asked = Wanted(
            start_url=wanted.frontend_url,
            scenario_id=None if sandbox else wanted.scenario_id,
            scenario_prompt=None if sandbox else wanted.scenario_prompt,
            sandbox_id=sandbox.run_id if sandbox else None,
            twins=twins,
            provision_id=twin_run_id,
            about=about,
        )
        if test is None:
            return asked
        return asked._replace(
            prompt=test.prompt,
            test_config=test.test_config,
            checks=test.checks,
            about={**about, "test_id": test.test_id},
        )

    async def _until(
        self, run_id: str, is_there: Callable[[TestRunRecord], bool], stop: asyncio.Event
    ) -> TestRunRecord:
        """A run as soon as something holds of it; raises Stopped."""
        while True:
            run = await self._ledger.do(partial(self._ledger.find, run_id))
            if is_there(run):
                return run
            if stop.is_set():
                raise Stopped
            await self._ledger.news(run_id)

    async def _tell(self, run_id: str, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:
        await self._ledger.do(partial(self._ledger.tell, run_id, type, message, data))

    def _conclude(self, run_id: str, plan: Plan, sandbox: TestRunRecord | None, results: list[TestResult]) -> None:
        """Write the reports, and end the run by what its tests came to."""
        failed = [each for each in results if not each.passed]
        said = "; ".join(f"{each.name}: {each.detail}" for each in failed)
        if not results and sandbox:
            said = f"the application did not start: {sandbox.outcome.get('failure_detail') or sandbox.status}"
        summary = said or f"{len(results)} of {len(results)} tests passed"
        folder = self._tests.artifacts.open(run_id)
        details_url = f"{plan.address}/runs/{run_id}"
        (folder / "junit.xml").write_bytes(junit(results))
        verdict = check_run(plan.revision.commit, results, summary, details_url)
        if said and not results:
            verdict["conclusion"] = "failure"
        (folder / "check_run.json").write_bytes(msgspec.json.encode(verdict))
        counts = {"passed": len(results) - len(failed), "failed": len(failed), "total": len(results)}
        detail = {"failure_category": "tests" if failed else "application", "failure_detail": said} if said else {}
        self._ledger.end(run_id, "failed" if said else "completed", **counts, **detail, summary=summary)
