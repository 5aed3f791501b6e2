"""The asynchronous client; it has the methods of `sync_client`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from . import request_specs, responses
from . import transport as sending
from .namespaces import AsyncScenarios, AsyncTwinRuns, AsyncTwins
from .request_specs import Include, Json, Point, RequestSpec, Rows, Until
from .responses import (
    Advanced,
    Checkpoint,
    ClockState,
    Delivery,
    Diff,
    EnvironmentInfo,
    Fault,
    ImportResult,
    LoggedCall,
    Record,
    RunResult,
    Suite,
    Template,
    Verdict,
    Webhook,
)
from .run_specs import look
from .testing import AsyncRuns, AsyncSandboxRuns, AsyncSavedTests, AsyncTestRuns
from .trial_sets import AsyncTrialSets

T = TypeVar("T")

PAGE = 1000


class AsyncClient:
    """The platform API of a server. Requests that may arrive twice are retried after errors of the connection.

    `seconds` is the timeout of a request. Methods raise `RequestRefused` with the server's message, and `Unreachable`.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        api_key: str | None = None,
        *,
        seconds: float = 30,
        retries: int = 3,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._http = httpx.AsyncClient(transport=transport, **sending.options(self.base_url, api_key, seconds))
        self._retries = retries
        self._sleep = sleep
        self._seconds = seconds
        self.test_runs = AsyncTestRuns(self)
        self.tests = AsyncSavedTests(self)
        self.sandbox_runs = AsyncSandboxRuns(self)
        self.runs = AsyncRuns(self)
        self.twin_runs = AsyncTwinRuns(self)
        self.scenarios = AsyncScenarios(self)
        self.twins = AsyncTwins(self)
        self.trial_sets = AsyncTrialSets(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, spec: RequestSpec[T]) -> T:
        """Send a request and return its decoded response."""
        number = 0
        while True:
            attempt = await self._attempt(spec)
            seconds = sending.pause(spec, attempt, number, self._retries)
            if seconds is None:
                return sending.decode_response(spec, attempt, self.base_url)
            await self._sleep(seconds)
            number += 1

    async def pause(self, seconds: float) -> None:
        """Sleep for some seconds."""
        await self._sleep(seconds)

    async def listen(self, path: str) -> AsyncIterator[sending.ServerSentEvent]:
        """Yield the events of a stream of server-sent events until it ends; raises RequestRefused."""
        reader = sending.EventReader()
        async with self._http.stream(**sending.listening(path, self._seconds)) as answer:
            if not answer.is_success:
                sending.read(look(path), answer.status_code, await answer.aread())
            async for line in answer.aiter_lines():
                if event := reader.read(line):
                    yield event

    async def _attempt(self, spec: RequestSpec[Any]) -> sending.SendAttempt:
        try:
            return sending.SendAttempt(await self._http.request(**sending.request(spec)), None)
        except httpx.TransportError as error:
            return sending.SendAttempt(None, error)

    async def create(
        self,
        *templates: str,
        user: str | None = None,
        ttl_seconds: int | None = None,
        clock: Json | None = None,
        name: str | None = None,
        **options: Any,
    ) -> AsyncEnvironment:
        """Create an environment: `create("slack:slack_default", user="U01AGENBOT9")`.

        `user` is the user that its agent acts as, by id or email address. `clock` sets its clock, such as
        `{"mode": "steps"}`. `options` are further fields of initEnv by their wire names; raises TypeError for others.
        """
        made = await self.send(request_specs.create(templates, user, ttl_seconds, clock, name, options))
        return AsyncEnvironment(self, made.environment_id, made.service, made.agent_token)

    async def import_environment(
        self, file: bytes, *, name: str | None = None, ttl_seconds: int | None = None
    ) -> AsyncEnvironment:
        """Create an environment from an `export` of this or another server; its TTL is the original's by default."""
        made = await self.send(request_specs.import_environment(file, name, ttl_seconds))
        return AsyncEnvironment(self, made.environment_id, made.service, made.agent_token)

    async def environment(self, id: str) -> AsyncEnvironment:
        """An existing environment by its id; its `token` is empty, since only its creation returns it."""
        return AsyncEnvironment(self, id, (await self.send(request_specs.show(id))).service)

    async def environments(self, status: str | None = None, limit: int = 100) -> list[EnvironmentInfo]:
        """List environments, newest first; `status` is ready, expired or deleted."""
        return (await self.send(request_specs.environments(status, limit))).environments

    async def templates(self) -> list[Template]:
        """List the newest template of every twin and name."""
        return (await self.send(request_specs.templates())).templates

    async def suites(self, name: str = "") -> list[Suite]:
        """List the suites whose name contains `name` in any case, newest first and without their tests."""
        return (await self.send(request_specs.suites(name))).test_suites

    async def suite(self, id: str) -> Suite:
        """Read a suite with its tests."""
        return await self.send(request_specs.suite(id))

    async def import_files(self, files: Json) -> ImportResult:
        """Import public seeds and suites, all or nothing; `files` maps the name of each file to its decoded JSON."""
        return await self.send(request_specs.import_files(files))

    async def result(self, run_id: str, *, calls: bool = False) -> RunResult:
        """Read a run's latest diff and verdict, also after its environment is gone; with `calls`, also its calls."""
        return await self.send(request_specs.result(run_id, calls=calls))

    def url(self, environment: AsyncEnvironment, twin: str = "") -> str:
        """The base URL of an environment's twin, by default its first one."""
        return f"{self.base_url}/api/env/{environment.id}/services/{twin or environment.service}"

    async def port(self, environment: AsyncEnvironment, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of a base URL."""
        return (await self.send(request_specs.open_port(environment.id, twin or environment.service))).url


class AsyncEnvironment:
    """An environment; as a context manager, it deletes itself at the end of the block.

    `token` gives access to its twins; a fork also has its `parent` and the point `at` which it was forked.
    """

    def __init__(
        self,
        client: AsyncClient,
        id: str,
        service: str,
        token: str = "",
        parent: str | None = None,
        at: int | None = None,
    ) -> None:
        self.client = client
        self.id = id
        self.service = service
        self.token = token
        self.parent = parent
        self.at = at

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.delete()

    def __repr__(self) -> str:
        return f"<AsyncEnvironment {self.id}>"

    def url(self, twin: str = "") -> str:
        """The base URL of a twin, for a vendor's SDK."""
        return self.client.url(self, twin)

    async def port(self, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of a base URL."""
        return await self.client.port(self, twin)

    async def show(self) -> EnvironmentInfo:
        """Read its status, templates and current point."""
        return await self.client.send(request_specs.show(self.id))

    async def delete(self) -> None:
        """Delete it; deleting it again is not an error."""
        await self.client.send(request_specs.delete(self.id))

    async def seq(self) -> int:
        """The current point."""
        return (await self.show()).seq

    async def extend(self, ttl_seconds: int) -> str:
        """Let it live for so many seconds from now on, if it would end sooner; returns when it ends (ISO 8601)."""
        return (await self.client.send(request_specs.extend(self.id, ttl_seconds))).expires_at

    async def checkpoint(self, name: str, at: Point | None = None) -> Checkpoint:
        """Name a point, by default the current one."""
        return await self.client.send(request_specs.checkpoint(self.id, name, at))

    async def checkpoints(self) -> list[Checkpoint]:
        """List the named points in the order in which they were named."""
        return (await self.client.send(request_specs.checkpoints(self.id))).checkpoints

    async def delete_checkpoint(self, name: str) -> Checkpoint:
        """Delete the name of a point; the point stays."""
        return await self.client.send(request_specs.delete_checkpoint(self.id, name))

    async def fork(self, at: Point | None = None, name: str | None = None) -> AsyncEnvironment:
        """Create an independent environment that continues from a point, by default the current one."""
        return (await self.forks(1, at, name))[0]

    async def forks(self, count: int, at: Point | None = None, name: str | None = None) -> list[AsyncEnvironment]:
        """Create up to 1,000 forks of one point, all or none."""
        made = (await self.client.send(request_specs.fork(self.id, at, count, name))).environments
        return [
            AsyncEnvironment(self.client, each.environment_id, self.service, each.agent_token, each.parent, each.at)
            for each in made
        ]

    async def rewind(self, to: Point) -> int:
        """Rewind to a point; returns the seq of the rewind, which is a point itself."""
        return (await self.client.send(request_specs.rewind(self.id, to))).seq

    async def clock(self) -> ClockState:
        """Read its clock: the time, and the next due job."""
        return await self.client.send(request_specs.clock(self.id))

    async def advance(
        self, seconds: float | None = None, *, to: str | float | None = None, until: Until | None = None
    ) -> Advanced:
        """Advance its clock by `seconds`, `to` an instant, or `until` the "next" due job or all of them ("idle").

        Jobs that become due on the way run in order. An instant is ISO 8601, or seconds since 1970.
        """
        return await self.client.send(request_specs.advance(self.id, seconds, to, until))

    async def reset(self) -> int:
        """Return to the initial state; returns the seq of the reset, which is a point itself."""
        return (await self.client.send(request_specs.reset(self.id))).seq

    async def diff(
        self, since: Point = 0, until: Point | None = None, *, include: Include = "plain", rows: Rows = "full"
    ) -> Diff:
        """The net changes between two points, by default from the initial state to the current one.

        `include="derived"` adds derived tables and updates of derived columns only; "all" also adds bookkeeping tables.
        With `rows="changed"`, updates have only their key and the changed columns.
        """
        return (await self.client.send(request_specs.diff(self.id, since, until, include, rows))).diff

    async def export(self) -> bytes:
        """Export it as gzipped JSON lines, with its journal, checkpoints and calls, but without tokens."""
        return await self.client.send(request_specs.export(self.id))

    async def journal(self, after: int = 0, limit: int = PAGE) -> list[Record]:
        """List up to `limit` journal records with a seq above `after`, in order."""
        return (await self.client.send(request_specs.journal(self.id, after, limit))).records

    async def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """List up to `limit` calls to its twins with a number above `after`, in order, including reads and errors.

        With `transcripts`, each has its request and its response, and there are at most 100.
        """
        return (await self.client.send(request_specs.calls(self.id, after, limit, transcripts=transcripts))).calls

    async def add_webhook(self, twin: str, url: str, *events: str, secret: str | None = None) -> Webhook:
        """Add a webhook for a twin's events, by default all; without a `secret`, the server makes one."""
        return await self.client.send(request_specs.add_webhook(self.id, twin, url, events, secret))

    async def webhooks(self) -> list[Webhook]:
        """List the webhooks that `add_webhook` added, in order."""
        return (await self.client.send(request_specs.webhooks(self.id))).webhooks

    async def remove_webhook(self, webhook_id: str) -> Webhook:
        """Remove a webhook; its pending deliveries are cancelled."""
        return await self.client.send(request_specs.remove_webhook(self.id, webhook_id))

    async def set_faults(self, *faults: Json) -> list[Fault]:
        """Inject these faults from now on in place of all earlier ones; without any, none are injected.

        For example `{"kind": "rate_limit", "operation": "chat.*", "calls": 3, "seconds": 10}`.
        """
        return (await self.client.send(request_specs.set_faults(self.id, faults))).faults

    async def faults(self) -> list[Fault]:
        """List the injected faults and the number of calls that each has met."""
        return (await self.client.send(request_specs.faults(self.id))).faults

    async def deliveries(self, after: int = 0, limit: int = PAGE) -> list[Delivery]:
        """List up to `limit` webhook deliveries with a number above `after`, in order, with every attempt."""
        return (await self.client.send(request_specs.deliveries(self.id, after, limit))).deliveries

    async def redeliver(self, number: int) -> Delivery:
        """Send a delivery again, whatever its status."""
        return await self.client.send(request_specs.redeliver(self.id, number))

    async def run(self, test_id: str | None = None, *, once: bool | None = None, from_start: bool = False) -> AsyncRun:
        """Start a run, to which all changes from now on belong; with `once`, its first diff or verdict closes it.

        With `from_start`, all changes since the initial state belong to it, in a fork also those of its parent.
        """
        started = await self.client.send(request_specs.start_run(self.id, test_id, once=once, from_start=from_start))
        return AsyncRun(self.client, started.run_id, once=bool(once))


class AsyncRun:
    """A run: an interval in an environment's history that checks evaluate."""

    def __init__(self, client: AsyncClient, id: str, *, once: bool) -> None:
        self.client = client
        self.id = id
        self._once = once

    async def diff(self, *, include: Include = "plain", rows: Rows = "full") -> Diff:
        """The net changes so far; see `diff` of an environment."""
        return (await self.client.send(request_specs.diff_run(self.id, include, rows, once=self._once))).diff

    async def evaluate(self, checks: Json | Sequence[Json] | None = None, *, include: Include = "plain") -> Verdict:
        """Evaluate it by checks (a spec, or a list of assertions), by default those of its test."""
        return await self.client.send(
            request_specs.evaluate_run(self.id, request_specs.spec(checks), include, once=self._once)
        )

    async def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """List its calls, as `calls` of an environment does; once it has a result, those up to the result."""
        return (await self.client.send(request_specs.run_calls(self.id, after, limit, transcripts=transcripts))).calls

    async def result(self, *, calls: bool = False) -> responses.RunResult:
        """Read its latest diff and verdict; with `calls`, also its first 1,000 calls and their transcripts."""
        return await self.client.result(self.id, calls=calls)
