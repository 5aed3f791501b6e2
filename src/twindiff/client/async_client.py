"""The client for programs with `async`: the same requests as `blocking`, awaited."""

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
    """A server's platform API. Requests that do no harm twice are tried again when the way there fails.

    Raises `Refused` with the server's own words, and `Unreachable`.
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
        """Send one request and give its answer."""
        number = 0
        while True:
            attempt = await self._attempt(spec)
            seconds = sending.pause(spec, attempt, number, self._retries)
            if seconds is None:
                return sending.decode_response(spec, attempt, self.base_url)
            await self._sleep(seconds)
            number += 1

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await self._sleep(seconds)

    async def listen(self, path: str) -> AsyncIterator[sending.ServerSentEvent]:
        """What a stream tells, until it ends."""
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
        """Make an environment: `create("slack:slack_default", user="U01AGENBOT9")`.

        `user` is whom its agent acts as, by id or email address; `clock` is such as `{"mode": "steps"}`; `options` are
        further fields of initEnv by their wire names.
        """
        made = await self.send(request_specs.create(templates, user, ttl_seconds, clock, name, options))
        return AsyncEnvironment(self, made.environment_id, made.service, made.agent_token)

    async def import_environment(
        self, file: bytes, *, name: str | None = None, ttl_seconds: int | None = None
    ) -> AsyncEnvironment:
        """Make an environment of what `export` gave, here or elsewhere; without more it lasts as long as that did."""
        made = await self.send(request_specs.import_environment(file, name, ttl_seconds))
        return AsyncEnvironment(self, made.environment_id, made.service, made.agent_token)

    async def environment(self, id: str) -> AsyncEnvironment:
        """An environment that exists, by its id; its token is known to who made it only."""
        return AsyncEnvironment(self, id, (await self.send(request_specs.show(id))).service)

    async def environments(self, status: str | None = None, limit: int = 100) -> list[EnvironmentInfo]:
        """Environments, newest first; `status` is ready, expired or deleted."""
        return (await self.send(request_specs.environments(status, limit))).environments

    async def templates(self) -> list[Template]:
        """The newest template of every twin and name."""
        return (await self.send(request_specs.templates())).templates

    async def suites(self, name: str = "") -> list[Suite]:
        """Suites whose name has this in it in any case, newest first and without their tests."""
        return (await self.send(request_specs.suites(name))).test_suites

    async def suite(self, id: str) -> Suite:
        """A suite with its tests."""
        return await self.send(request_specs.suite(id))

    async def import_files(self, files: Json) -> ImportResult:
        """Import public seeds and suites, all or nothing: what each file's JSON holds, by its name."""
        return await self.send(request_specs.import_files(files))

    async def result(self, run_id: str, *, calls: bool = False) -> RunResult:
        """A run's latest diff and verdict, readable after its environment is gone; with its calls if asked for."""
        return await self.send(request_specs.result(run_id, calls=calls))

    def url(self, environment: AsyncEnvironment, twin: str = "") -> str:
        """The base URL of an environment's twin, of its first one unless told which."""
        return f"{self.base_url}/api/env/{environment.id}/services/{twin or environment.service}"

    async def port(self, environment: AsyncEnvironment, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of one."""
        return (await self.send(request_specs.open_port(environment.id, twin or environment.service))).url


class AsyncEnvironment:
    """An environment; as a context manager it is deleted at the end of the block."""

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
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of one."""
        return await self.client.port(self, twin)

    async def show(self) -> EnvironmentInfo:
        """What the server knows of it."""
        return await self.client.send(request_specs.show(self.id))

    async def delete(self) -> None:
        """Delete it; doing so again is no error."""
        await self.client.send(request_specs.delete(self.id))

    async def seq(self) -> int:
        """The present point."""
        return (await self.show()).seq

    async def checkpoint(self, name: str, at: Point | None = None) -> Checkpoint:
        """Give a point a name, the present one unless told otherwise."""
        return await self.client.send(request_specs.checkpoint(self.id, name, at))

    async def checkpoints(self) -> list[Checkpoint]:
        """The names that points have, in the order they were given."""
        return (await self.client.send(request_specs.checkpoints(self.id))).checkpoints

    async def delete_checkpoint(self, name: str) -> Checkpoint:
        """Forget a name; its point stays a point."""
        return await self.client.send(request_specs.delete_checkpoint(self.id, name))

    async def fork(self, at: Point | None = None, name: str | None = None) -> AsyncEnvironment:
        """An environment that goes on from a point by itself, from the present one unless told otherwise."""
        return (await self.forks(1, at, name))[0]

    async def forks(self, count: int, at: Point | None = None, name: str | None = None) -> list[AsyncEnvironment]:
        """Up to 1,000 forks of one point, all or none."""
        made = (await self.client.send(request_specs.fork(self.id, at, count, name))).environments
        return [
            AsyncEnvironment(self.client, each.environment_id, self.service, each.agent_token, each.parent, each.at)
            for each in made
        ]

    async def rewind(self, to: Point) -> int:
        """Return to a point; gives the seq of the rewind, which is a point too."""
        return (await self.client.send(request_specs.rewind(self.id, to))).seq

    async def clock(self) -> ClockState:
        """Its time, and what falls due next."""
        return await self.client.send(request_specs.clock(self.id))

    async def advance(
        self, seconds: float | None = None, *, to: str | float | None = None, until: Until | None = None
    ) -> Advanced:
        """Set its clock forward: by seconds, `to` an instant, or `until` work falls due ("next") or none does ("idle").

        Whatever falls due on the way is done. An instant is ISO 8601, or seconds since 1970.
        """
        return await self.client.send(request_specs.advance(self.id, seconds, to, until))

    async def reset(self) -> int:
        """Return to the state of the templates; gives the seq of that."""
        return (await self.client.send(request_specs.reset(self.id))).seq

    async def diff(
        self, since: Point = 0, until: Point | None = None, *, include: Include = "plain", rows: Rows = "full"
    ) -> Diff:
        """What differs between two points, between the templates' state and the present unless told otherwise."""
        return (await self.client.send(request_specs.diff(self.id, since, until, include, rows))).diff

    async def export(self) -> bytes:
        """All of it as a file: JSON lines in gzip, with its journal, checkpoints and calls, and without tokens."""
        return await self.client.send(request_specs.export(self.id))

    async def journal(self, after: int = 0, limit: int = PAGE) -> list[Record]:
        """What each operation wrote, in order."""
        return (await self.client.send(request_specs.journal(self.id, after, limit))).records

    async def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """Every call that reached its twins, in order, reads and refusals included.

        With `transcripts` each says what it asked and what it was answered; then there are 100 at most.
        """
        return (await self.client.send(request_specs.calls(self.id, after, limit, transcripts=transcripts))).calls

    async def add_webhook(self, twin: str, url: str, *events: str, secret: str | None = None) -> Webhook:
        """Tell an address of a twin's events, all of them if none is named; a secret is made unless one is given."""
        return await self.client.send(request_specs.add_webhook(self.id, twin, url, events, secret))

    async def webhooks(self) -> list[Webhook]:
        """The webhooks of its settings, in the order they were made."""
        return (await self.client.send(request_specs.webhooks(self.id))).webhooks

    async def remove_webhook(self, webhook_id: str) -> Webhook:
        """Tell an address no more; what was not sent yet is not sent."""
        return await self.client.send(request_specs.remove_webhook(self.id, webhook_id))

    async def set_faults(self, *faults: Json) -> list[Fault]:
        """Let these go wrong from now on, and nothing else; without any nothing does.

        For example `{"kind": "rate_limit", "operation": "chat.*", "calls": 3, "seconds": 10}`.
        """
        return (await self.client.send(request_specs.set_faults(self.id, faults))).faults

    async def faults(self) -> list[Fault]:
        """What goes wrong on purpose, and how often it has."""
        return (await self.client.send(request_specs.faults(self.id))).faults

    async def deliveries(self, after: int = 0, limit: int = PAGE) -> list[Delivery]:
        """What subscribers were told and are to be told, in order, with every attempt."""
        return (await self.client.send(request_specs.deliveries(self.id, after, limit))).deliveries

    async def redeliver(self, number: int) -> Delivery:
        """Send a delivery once more, whatever became of it."""
        return await self.client.send(request_specs.redeliver(self.id, number))

    async def run(self, test_id: str | None = None, *, once: bool | None = None) -> AsyncRun:
        """Begin a run: what changes from now on belongs to it."""
        started = await self.client.send(request_specs.start_run(self.id, test_id, once=once))
        return AsyncRun(self.client, started.run_id, once=bool(once))


class AsyncRun:
    """An interval of an environment that is judged."""

    def __init__(self, client: AsyncClient, id: str, *, once: bool) -> None:
        self.client = client
        self.id = id
        self._once = once

    async def diff(self, *, include: Include = "plain", rows: Rows = "full") -> Diff:
        """What has changed in it so far."""
        return (await self.client.send(request_specs.diff_run(self.id, include, rows, once=self._once))).diff

    async def evaluate(self, checks: Json | Sequence[Json] | None = None, *, include: Include = "plain") -> Verdict:
        """Judge it by checks (a spec, or a list of assertions), or without any by those of its test."""
        return await self.client.send(
            request_specs.evaluate_run(self.id, request_specs.spec(checks), include, once=self._once)
        )

    async def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """Its calls, as an environment has them; once it has a result, those that led to it."""
        return (await self.client.send(request_specs.run_calls(self.id, after, limit, transcripts=transcripts))).calls

    async def result(self, *, calls: bool = False) -> responses.RunResult:
        """Its latest diff and verdict, with its first 1,000 calls and their transcripts if they are asked for."""
        return await self.client.result(self.id, calls=calls)
