"""The client for programs without `async`."""

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
    """The platform API, however it is reached. Raises `Refused` with the server's own words."""

    base_url: str

    def send(self, spec: RequestSpec[T]) -> T:
        """Send one request and give its answer."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what it holds."""

    def create(
        self,
        *templates: str,
        user: str | None = None,
        ttl_seconds: int | None = None,
        clock: Json | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Environment:
        """Make an environment: `create("slack:slack_default", user="U01AGENBOT9")`.

        `user` is whom its agent acts as, by id or email address; `clock` is such as `{"mode": "steps"}`; `options` are
        further fields of initEnv by their wire names.
        """
        made = self.send(request_specs.create(templates, user, ttl_seconds, clock, name, options))
        return Environment(self, made.environment_id, made.service, made.agent_token)

    def import_environment(
        self, file: bytes, *, name: str | None = None, ttl_seconds: int | None = None
    ) -> Environment:
        """Make an environment of what `export` gave, here or elsewhere; without more it lasts as long as that did."""
        made = self.send(request_specs.import_environment(file, name, ttl_seconds))
        return Environment(self, made.environment_id, made.service, made.agent_token)

    def environment(self, id: str) -> Environment:
        """An environment that exists, by its id; its token is known to who made it only."""
        return Environment(self, id, self.send(request_specs.show(id)).service)

    def environments(self, status: str | None = None, limit: int = 100) -> list[EnvironmentInfo]:
        """Environments, newest first; `status` is ready, expired or deleted."""
        return self.send(request_specs.environments(status, limit)).environments

    def templates(self) -> list[Template]:
        """The newest template of every twin and name."""
        return self.send(request_specs.templates()).templates

    def suites(self, name: str = "") -> list[Suite]:
        """Suites whose name has this in it in any case, newest first and without their tests."""
        return self.send(request_specs.suites(name)).test_suites

    def suite(self, id: str) -> Suite:
        """A suite with its tests."""
        return self.send(request_specs.suite(id))

    def import_files(self, files: Json) -> ImportResult:
        """Import public seeds and suites, all or nothing: what each file's JSON holds, by its name."""
        return self.send(request_specs.import_files(files))

    def result(self, run_id: str, *, calls: bool = False) -> RunResult:
        """A run's latest diff and verdict, readable after its environment is gone; with its calls if asked for."""
        return self.send(request_specs.result(run_id, calls=calls))

    def url(self, environment: Environment, twin: str = "") -> str:
        """The base URL of an environment's twin, of its first one unless told which."""
        return f"{self.base_url}/api/env/{environment.id}/services/{twin or environment.service}"

    def port(self, environment: Environment, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of one."""
        return self.send(request_specs.open_port(environment.id, twin or environment.service)).url


class Environment:
    """An environment; as a context manager it is deleted at the end of the block."""

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
        """The base URL of a twin on a loopback port of its own, for SDKs that drop the path of one."""
        return self.client.port(self, twin)

    def show(self) -> EnvironmentInfo:
        """What the server knows of it."""
        return self.client.send(request_specs.show(self.id))

    def delete(self) -> None:
        """Delete it; doing so again is no error."""
        self.client.send(request_specs.delete(self.id))

    def seq(self) -> int:
        """The present point."""
        return self.show().seq

    def checkpoint(self, name: str, at: Point | None = None) -> Checkpoint:
        """Give a point a name, the present one unless told otherwise."""
        return self.client.send(request_specs.checkpoint(self.id, name, at))

    def checkpoints(self) -> list[Checkpoint]:
        """The names that points have, in the order they were given."""
        return self.client.send(request_specs.checkpoints(self.id)).checkpoints

    def delete_checkpoint(self, name: str) -> Checkpoint:
        """Forget a name; its point stays a point."""
        return self.client.send(request_specs.delete_checkpoint(self.id, name))

    def fork(self, at: Point | None = None, name: str | None = None) -> Environment:
        """An environment that goes on from a point by itself, from the present one unless told otherwise."""
        return self.forks(1, at, name)[0]

    def forks(self, count: int, at: Point | None = None, name: str | None = None) -> list[Environment]:
        """Up to 1,000 forks of one point, all or none."""
        made = self.client.send(request_specs.fork(self.id, at, count, name)).environments
        return [
            Environment(self.client, each.environment_id, self.service, each.agent_token, each.parent, each.at)
            for each in made
        ]

    def rewind(self, to: Point) -> int:
        """Return to a point; gives the seq of the rewind, which is a point too."""
        return self.client.send(request_specs.rewind(self.id, to)).seq

    def clock(self) -> ClockState:
        """Its time, and what falls due next."""
        return self.client.send(request_specs.clock(self.id))

    def advance(
        self, seconds: float | None = None, *, to: str | float | None = None, until: Until | None = None
    ) -> Advanced:
        """Set its clock forward: by seconds, `to` an instant, or `until` work falls due ("next") or none does ("idle").

        Whatever falls due on the way is done. An instant is ISO 8601, or seconds since 1970.
        """
        return self.client.send(request_specs.advance(self.id, seconds, to, until))

    def reset(self) -> int:
        """Return to the state of the templates; gives the seq of that."""
        return self.client.send(request_specs.reset(self.id)).seq

    def diff(
        self, since: Point = 0, until: Point | None = None, *, include: Include = "plain", rows: Rows = "full"
    ) -> Diff:
        """What differs between two points, between the templates' state and the present unless told otherwise."""
        return self.client.send(request_specs.diff(self.id, since, until, include, rows)).diff

    def export(self) -> bytes:
        """All of it as a file: JSON lines in gzip, with its journal, checkpoints and calls, and without tokens."""
        return self.client.send(request_specs.export(self.id))

    def journal(self, after: int = 0, limit: int = PAGE) -> list[Record]:
        """What each operation wrote, in order."""
        return self.client.send(request_specs.journal(self.id, after, limit)).records

    def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """Every call that reached its twins, in order, reads and refusals included.

        With `transcripts` each says what it asked and what it was answered; then there are 100 at most.
        """
        return self.client.send(request_specs.calls(self.id, after, limit, transcripts=transcripts)).calls

    def add_webhook(self, twin: str, url: str, *events: str, secret: str | None = None) -> Webhook:
        """Tell an address of a twin's events, all of them if none is named; a secret is made unless one is given."""
        return self.client.send(request_specs.add_webhook(self.id, twin, url, events, secret))

    def webhooks(self) -> list[Webhook]:
        """The webhooks of its settings, in the order they were made."""
        return self.client.send(request_specs.webhooks(self.id)).webhooks

    def remove_webhook(self, webhook_id: str) -> Webhook:
        """Tell an address no more; what was not sent yet is not sent."""
        return self.client.send(request_specs.remove_webhook(self.id, webhook_id))

    def set_faults(self, *faults: Json) -> list[Fault]:
        """Let these go wrong from now on, and nothing else; without any nothing does.

        For example `{"kind": "rate_limit", "operation": "chat.*", "calls": 3, "seconds": 10}`.
        """
        return self.client.send(request_specs.set_faults(self.id, faults)).faults

    def faults(self) -> list[Fault]:
        """What goes wrong on purpose, and how often it has."""
        return self.client.send(request_specs.faults(self.id)).faults

    def deliveries(self, after: int = 0, limit: int = PAGE) -> list[Delivery]:
        """What subscribers were told and are to be told, in order, with every attempt."""
        return self.client.send(request_specs.deliveries(self.id, after, limit)).deliveries

    def redeliver(self, number: int) -> Delivery:
        """Send a delivery once more, whatever became of it."""
        return self.client.send(request_specs.redeliver(self.id, number))

    def run(self, test_id: str | None = None, *, once: bool | None = None) -> Run:
        """Begin a run: what changes from now on belongs to it."""
        started = self.client.send(request_specs.start_run(self.id, test_id, once=once))
        return Run(self.client, started.run_id, once=bool(once))


class Run:
    """An interval of an environment that is judged."""

    def __init__(self, client: Platform, id: str, *, once: bool) -> None:
        self.client = client
        self.id = id
        self._once = once

    def diff(self, *, include: Include = "plain", rows: Rows = "full") -> Diff:
        """What has changed in it so far."""
        return self.client.send(request_specs.diff_run(self.id, include, rows, once=self._once)).diff

    def evaluate(self, checks: Json | Sequence[Json] | None = None, *, include: Include = "plain") -> Verdict:
        """Judge it by checks (a spec, or a list of assertions), or without any by those of its test."""
        return self.client.send(
            request_specs.evaluate_run(self.id, request_specs.spec(checks), include, once=self._once)
        )

    def calls(self, after: int = 0, limit: int = PAGE, *, transcripts: bool = False) -> list[LoggedCall]:
        """Its calls, as an environment has them; once it has a result, those that led to it."""
        return self.client.send(request_specs.run_calls(self.id, after, limit, transcripts=transcripts)).calls

    def result(self, *, calls: bool = False) -> responses.RunResult:
        """Its latest diff and verdict, with its first 1,000 calls and their transcripts if they are asked for."""
        return self.client.result(self.id, calls=calls)


class Client(Platform):
    """A server's platform API. Requests that do no harm twice are tried again when the way there fails.

    Raises `Unreachable` besides.
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
        """Send one request and give its answer."""
        number = 0
        while True:
            attempt = self._attempt(spec)
            seconds = sending.pause(spec, attempt, number, self._retries)
            if seconds is None:
                return sending.decode_response(spec, attempt, self.base_url)
            self._sleep(seconds)
            number += 1

    def pause(self, seconds: float) -> None:
        """Wait."""
        self._sleep(seconds)

    def listen(self, path: str) -> Iterator[sending.ServerSentEvent]:
        """What a stream tells, until it ends."""
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
