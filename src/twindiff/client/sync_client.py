"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from . import request_specs, responses
from . import transport as sending
from .namespaces import Scenarios, TwinRuns, Twins
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
from .testing import Runs, SandboxRuns, SavedTests, TestRuns
from .trial_sets import TrialSets

T = TypeVar("T")

PAGE = 1000


class Platform:
    """The platform API, over HTTP or in process. Methods raise `RequestRefused` with the server's message."""

    base_url: str

    def send(self, spec: RequestSpec[T]) -> T:
        """Send a request and return its decoded response."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""

    def create(
        self,
        *templates: str,
        user: str | None = None,
        ttl_seconds: int | None = None,
        clock: Json | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Environment:
        """Create an environment: `create("slack:slack_default", user="U01AGENBOT9")`.

        `user` is the user that its agent acts as, by id or email address. `clock` sets its clock, such as
        `{"mode": "steps"}`. `options` are further fields of initEnv by their wire names; raises TypeError for others.
        """
        made = self.send(request_specs.create(templates, user, ttl_seconds, clock, name, options))
        return Environment(self, made.environment_id, made.service, made.agent_token)

    def import_environment(
        self, file: bytes, *, name: str | None = None, ttl_seconds: int | None = None
    ) -> Environment:
        """Create an environment from an `export` of this or another server; its TTL is the original's by default."""
        made = self.send(request_specs.import_environment(file, name, ttl_seconds))
        return Environment(self, made.environment_id, made.service, made.agent_token)

    def environment(self, id: str) -> Environment:
        """An existing environment by its id; its `token` is empty, since only its creation returns it."""
        return Environment(self, id, self.send(request_specs.show(id)).service)

    def environments(self, status: str | None = None, limit: int = 100) -> list[EnvironmentInfo]:
        """List environments, newest first; `status` is ready, expired or deleted."""
        return self.send(request_specs.environments(status, limit)).environments

    def templates(self) -> list[Template]:
        """List the newest template of every twin and name."""
        return self.send(request_specs.templates()).templates

    def suites(self, name: str = "") -> list[Suite]:
        """List the suites whose name contains `name` in any case, newest first and without their tests."""
        return self.send(request_specs.suites(name)).test_suites

    def suite(self, id: str) -> Suite:
        """Read a suite with its tests."""
        return self.send(request_specs.suite(id))

    def import_files(self, files: Json) -> ImportResult:
        """Import public seeds and suites, all or nothing; `files` maps the name of each file to its decoded JSON."""
        return self.send(request_specs.import_files(files))

    def result(self, run_id: str, *, calls: bool = False) -> RunResult:
        """Read a run's latest diff and verdict, also after its environment is gone; with `calls`, also its calls."""
        return self.send(request_specs.result(run_id, calls=calls))

    def url(self, environment: Environment, twin: str = "") -> str:
        """The base URL of an environment's twin, by default its first one."""
        return f"{self.base_url}/api/env/{environment.id}/services/{twin or environment.service}"

    def port(self, environment: Environment, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of a base URL."""
        return self.send(request_specs.open_port(environment.id, twin or environment.service)).url


class Environment:
    """An environment; as a context manager, it deletes itself at the end of the block.

    `token` gives access to its twins; a fork also has its `parent` and the point `at` which it was forked.
    """

    def __init__(
        self, client: Platform, id: str, service: str, token: str = "", parent: str | None = None, at: int | None = None
    ) -> None:
        self.client = client
        self.id = id
        self.service = service
        self.token = token
        self.parent = parent
        self.at = at

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.delete()

    def __repr__(self) -> str:
        return f"<Environment {self.id}>"

    def url(self, twin: str = "") -> str:
        """The base URL of a twin, for a vendor's SDK."""
        return self.client.url(self, twin)

    def port(self, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of a base URL."""
        return self.client.port(self, twin)

    def show(self) -> EnvironmentInfo:
        """Read its status, templates and current point."""
        return self.client.send(request_specs.show(self.id))

    def delete(self) -> None:
        """Delete it; deleting it again is not an error."""
        self.client.send(request_specs.delete(self.id))

    def seq(self) -> int:
        """The current point."""
        return self.show().seq

    def extend(self, ttl_seconds: int) -> str:
        """Let it live for so many seconds from now on, if it would end sooner; returns when it ends (ISO 8601)."""
        return (self.client.send(request_specs.extend(self.id, ttl_seconds))).expires_at

    def checkpoint(self, name: str, at: Point | None = None) -> Checkpoint:
        """Name a point, by default the current one."""
        return self.client.send(request_specs.checkpoint(self.id, name, at))

    def checkpoints(self) -> list[Checkpoint]:
        """List the named points in the order in which they were named."""
        return self.client.send(request_specs.checkpoints(self.id)).checkpoints

    def delete_checkpoint(self, name: str) -> Checkpoint:
        """Delete the name of a point; the point stays."""
        return self.client.send(request_specs.delete_checkpoint(self.id, name))

    def fork(self, at: Point | None = None, name: str | None = None) -> Environment:
        """Create an independent environment that continues from a point, by default the current one."""
        return self.forks(1, at, name)[0]

    def forks(self, count: int, at: Point | None = None, name: str | None = None) -> list[Environment]:
        """Create up to 1,000 forks of one point, all or none."""
        made = self.client.send(request_specs.fork(self.id, at, count, name)).environments
        return [
            Environment(self.client, each.environment_id, self.service, each.agent_token, each.parent, each.at)
            for each in made
        ]

    def rewind(self, to: Point) -> int:
        """Rewind to a point; returns the seq of the rewind, which is a point itself."""
        return self.client.send(request_specs.rewind(self.id, to)).seq

    def clock(self) -> ClockState:
        """Read its clock: the time, and the next due job."""
        return self.client.send(request_specs.clock(self.id))

    def advance(
        self, seconds: float | None = None, *, to: str | float | None = None, until: Until | None = None
    ) -> Advanced:
        """Advance its clock by `seconds`, `to` an instant, or `until` the "next" due job or all of them ("idle").

        Jobs that become due on the way run in order. An instant is ISO 8601, or seconds since 1970.
        """
        return self.client.send(request_specs.advance(self.id, seconds, to, until))

    def reset(self) -> int:
        """Return to the initial state; returns the seq of the reset, which is a point itself."""
        return self.client.send(request_specs.reset(self.id)).seq

    def diff(
        self, since: Point = 0, until: Point | None = None, *, include: Include = "plain", rows: Rows = "full"
    ) -> Diff:
        """The net changes between two points, by default from the initial state to the current one.

        `include="derived"` adds derived tables and updates of derived columns only; "all" also adds bookkeeping tables.
        With `rows="changed"`, updates have only their key and the changed columns.
        """
        return self.client.send(request_specs.diff(self.id, since, until, include, rows)).diff

    def export(self) -> bytes:
        """Export it as gzipped JSON lines, with its journal, checkpoints and calls, but without tokens."""
        return self.client.send(request_specs.export(self.id))

    def journal(self, after: int = 0, limit: int = PAGE) -> list[Record]:
        """List up to `limit` journal records with a seq above `after`, in order."""
        return self.client.send(request_specs.journal(self.id, after, limit)).records

    def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """List up to `limit` calls to its twins with a number above `after`, in order, including reads and errors.

        With `transcripts`, each has its request and its response, and there are at most 100.
        """
        return self.client.send(request_specs.calls(self.id, after, limit, transcripts=transcripts)).calls

    def add_webhook(self, twin: str, url: str, *events: str, secret: str | None = None) -> Webhook:
        """Add a webhook for a twin's events, by default all; without a `secret`, the server makes one."""
        return self.client.send(request_specs.add_webhook(self.id, twin, url, events, secret))

    def webhooks(self) -> list[Webhook]:
        """List the webhooks that `add_webhook` added, in order."""
        return self.client.send(request_specs.webhooks(self.id)).webhooks

    def remove_webhook(self, webhook_id: str) -> Webhook:
        """Remove a webhook; its pending deliveries are cancelled."""
        return self.client.send(request_specs.remove_webhook(self.id, webhook_id))

    def set_faults(self, *faults: Json) -> list[Fault]:
        """Inject these faults from now on in place of all earlier ones; without any, none are injected.

        For example `{"kind": "rate_limit", "operation": "chat.*", "calls": 3, "seconds": 10}`.
        """
        return self.client.send(request_specs.set_faults(self.id, faults)).faults

    def faults(self) -> list[Fault]:
        """List the injected faults and the number of calls that each has met."""
        return self.client.send(request_specs.faults(self.id)).faults

    def deliveries(self, after: int = 0, limit: int = PAGE) -> list[Delivery]:
        """List up to `limit` webhook deliveries with a number above `after`, in order, with every attempt."""
        return self.client.send(request_specs.deliveries(self.id, after, limit)).deliveries

    def redeliver(self, number: int) -> Delivery:
        """Send a delivery again, whatever its status."""
        return self.client.send(request_specs.redeliver(self.id, number))

    def run(self, test_id: str | None = None, *, once: bool | None = None, from_start: bool = False) -> Run:
        """Start a run, to which all changes from now on belong; with `once`, its first diff or verdict closes it.

        With `from_start`, all changes since the initial state belong to it, in a fork also those of its parent.
        """
        started = self.client.send(request_specs.start_run(self.id, test_id, once=once, from_start=from_start))
        return Run(self.client, started.run_id, once=bool(once))


class Run:
    """A run: an interval in an environment's history that checks evaluate."""

    def __init__(self, client: Platform, id: str, *, once: bool) -> None:
        self.client = client
        self.id = id
        self._once = once

    def diff(self, *, include: Include = "plain", rows: Rows = "full") -> Diff:
        """The net changes so far; see `diff` of an environment."""
        return self.client.send(request_specs.diff_run(self.id, include, rows, once=self._once)).diff

    def evaluate(self, checks: Json | Sequence[Json] | None = None, *, include: Include = "plain") -> Verdict:
        """Evaluate it by checks (a spec, or a list of assertions), by default those of its test."""
        return self.client.send(
            request_specs.evaluate_run(self.id, request_specs.spec(checks), include, once=self._once)
        )

    def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """List its calls, as `calls` of an environment does; once it has a result, those up to the result."""
        return self.client.send(request_specs.run_calls(self.id, after, limit, transcripts=transcripts)).calls

    def result(self, *, calls: bool = False) -> responses.RunResult:
        """Read its latest diff and verdict; with `calls`, also its first 1,000 calls and their transcripts."""
        return self.client.result(self.id, calls=calls)


class Client(Platform):
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
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._http = httpx.Client(transport=transport, **sending.options(self.base_url, api_key, seconds))
        self._retries = retries
        self._sleep = sleep
        self._seconds = seconds
        self.test_runs = TestRuns(self)
        self.tests = SavedTests(self)
        self.sandbox_runs = SandboxRuns(self)
        self.runs = Runs(self)
        self.twin_runs = TwinRuns(self)
        self.scenarios = Scenarios(self)
        self.twins = Twins(self)
        self.trial_sets = TrialSets(self)

    def close(self) -> None:
        self._http.close()

    def send(self, spec: RequestSpec[T]) -> T:
        """Send a request and return its decoded response."""
        number = 0
        while True:
            attempt = self._attempt(spec)
            seconds = sending.pause(spec, attempt, number, self._retries)
            if seconds is None:
                return sending.decode_response(spec, attempt, self.base_url)
            self._sleep(seconds)
            number += 1

    def pause(self, seconds: float) -> None:
        """Sleep for some seconds."""
        self._sleep(seconds)

    def listen(self, path: str) -> Iterator[sending.ServerSentEvent]:
        """Yield the events of a stream of server-sent events until it ends; raises RequestRefused."""
        reader = sending.EventReader()
        with self._http.stream(**sending.listening(path, self._seconds)) as answer:
            if not answer.is_success:
                sending.read(look(path), answer.status_code, answer.read())
            yield from filter(None, map(reader.read, answer.iter_lines()))

    def _attempt(self, spec: RequestSpec[Any]) -> sending.SendAttempt:
        try:
            return sending.SendAttempt(self._http.request(**sending.request(spec)), None)
        except httpx.TransportError as error:
            return sending.SendAttempt(None, error)
