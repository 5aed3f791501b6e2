"""Episodes: single attempts at a test, on which the integrations of all frameworks are built."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, Self, cast

from twindiff.client import Client, Environment, Run, Suite, Test, Verdict
from twindiff.client.mcp_tools import McpTools
from twindiff.client.request_specs import Point
from twindiff.client.sync_client import Platform
from twindiff.client.trial_log import TrialLog
from twindiff.client.trial_runner import Agent, Task, judge_overreach, task_of
from twindiff.client.twin_tool import TwinResponse
from twindiff.frameworks.twin_connections import connection_of
from twindiff.local import Twindiff
from twindiff.suites.starter import STARTER, starter_files
from twindiff.suites.suite_folder import read_folder

Json = dict[str, Any]

SECONDS_OF_A_CALL = 60.0
LEASE_SECONDS = 3600
"""The life of a trainer's environment after its last call."""
A_DAY_SECONDS = 24 * 3600
"""The life of other environments after the last call; one that is never closed is deleted then."""
FORKS_AT_ONCE = 1_000
"""Forks that one request may make."""

_platforms: dict[tuple[int, str], Platform] = {}


class EpisodeLost(RuntimeError):
    """The process of an episode has ended; its pool has started another one, and the episode is over."""


class EpisodeSource(Protocol):
    """A pool of processes, as `twindiff.pool` has."""

    @property
    def platform(self) -> Platform:
        """The platform API over all processes."""
        ...


class UnknownTask(ValueError):
    """There is no such suite or test; the message says which there are."""


def platform_at(base_url: str = "", pool: str = "") -> Platform:
    """The platform of a server, with the key in `$TWINDIFF_API_KEY`; without a URL, a Twindiff in this process.

    There is one for each process and URL, which is closed when the process ends. `pool` is a pool, or a function that
    returns one, as `module:name`; raises UnknownTask.
    """
    if pool:
        return platform_of(pool, base_url)
    key = (os.getpid(), base_url)
    if key not in _platforms:
        api_key = os.environ.get("TWINDIFF_API_KEY")
        _platforms[key] = Client(base_url, api_key) if base_url else Twindiff()
        atexit.register(_platforms[key].close)
    return _platforms[key]


def platform_of(pool: EpisodeSource | str, base_url: str = "") -> Platform:
    """The platform of a pool, or of the one at `module:name`. Raises ValueError if there is a server too."""
    if base_url:
        raise ValueError("Give a pool or the URL of a server: the environments of a pool are its own.")
    return (_import_pool(pool) if isinstance(pool, str) else pool).platform


@cache
def _import_pool(path: str) -> EpisodeSource:
    pool: Any = _import_named(path, "pool")
    return cast(EpisodeSource, pool() if callable(pool) else pool)


def platform_with(files: str, base_url: str = "") -> Platform:
    """The platform of `platform_at`; with a folder of files, that of this process after their import.

    Raises NoSuiteFolder, and RequestRefused for files that cannot be imported.
    """
    if files and base_url:
        raise ValueError("Give a folder of files or the URL of a server: files are imported into this process.")
    platform = platform_at(base_url)
    if files:
        platform.import_files(read_folder(Path(files)))
    return platform


def suite_of(platform: Platform, name: str = STARTER) -> Suite:
    """A suite with its tests, by name or id; the starter suite is imported if it is missing. Raises UnknownTask."""
    known = platform.suites()
    if name == STARTER and STARTER not in {each.name for each in known}:
        platform.import_files(starter_files())
        known = platform.suites()
    for each in known:
        if name in (each.id, each.name):
            return platform.suite(each.id)
    names = dict.fromkeys([STARTER, *(each.name for each in known)])
    raise UnknownTask(f"There is no suite {name!r}. There are: {', '.join(names)}.")


def chosen_tests(platform: Platform, suite: str = STARTER, tests: str = "") -> list[Test]:
    """The tests of a suite whose name contains `tests` in any case, or whose id it is; raises UnknownTask for none."""
    known = suite_of(platform, suite).tests
    chosen = [each for each in known if tests.lower() in each.name.lower() or tests == each.id]
    if not chosen:
        raise UnknownTask(
            f"No test of {suite!r} has {tests!r} in its name. There are: {', '.join(each.name for each in known)}."
        )
    return chosen


def apis_of(platform: Platform, test: Test) -> list[str]:
    """The names of the twins in a test's environments, in the order of its templates."""
    twins = {name: each.service for each in platform.templates() for name in (each.id, each.name)}
    return [twins[name] for name in test.starts_from if name in twins]


def agent_at(path: str) -> Agent:
    """Import the agent `module:name`; raises UnknownTask."""
    return _import_named(path, "agent")


def _import_named(path: str, what: str) -> Any:
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownTask(f"There is no {what} at {path!r}, which is to be module:name. {error}") from None


class Episode:
    """An attempt at a test: an environment of its own, a run to evaluate it, and calls that act as the agent.

    In process, calls need no port and no connection. On a server, the environment ends `lease_seconds` after the last
    call, so those of a process that died do not stay.
    """

    def __init__(
        self, test: Test, environment: Environment, run: Run | None = None, lease_seconds: int = A_DAY_SECONDS
    ) -> None:
        self.test = test
        self.environment = environment
        self.log = TrialLog()
        """What the agent says and uses."""
        self._run = run
        self._begun = monotonic()
        self._calls = connection_of(environment.client)
        self._lease_seconds = lease_seconds
        self._renewed = monotonic()

    @classmethod
    def begin(
        cls, platform: Platform, test: Test, *, lease_seconds: int = A_DAY_SECONDS, clock: Json | None = None
    ) -> Self:
        """Create the environment of the test; `clock` replaces that of the test."""
        environment = platform.create(testId=test.id, ttl_seconds=lease_seconds, clock=clock)
        return cls(test, environment, lease_seconds=lease_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def task(self) -> Task:
        """The task of an agent; in process, its URLs are loopback ports, which are opened now."""
        return task_of(self.test, self.environment, self.log)

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return monotonic() - self._begun

    @property
    def run(self) -> Run:
        """The run that evaluates the environment from its initial state, in a fork with what it has from its parent."""
        if self._run is None:
            self._run = self.environment.run(self.test.id, from_start=True)
        return self._run

    def call(self, arguments: Json) -> TwinResponse:
        """Send one request to a twin: `{"api": "slack", "method": "POST", "path": "chat.postMessage", "body": {…}}`.

        Or call one of its tools: `{"tool": "slack_post_message", "arguments": {…}}`.
        """
        self._renew()
        if not isinstance(arguments, dict):  # pyright: ignore[reportUnnecessaryIsInstance] - a model may say anything
            return TwinResponse(0, 'A call is an object such as {"api": "slack", "path": "conversations.list"}.')
        if (tool := arguments.get("tool")) is None:
            return self._calls.send(self.environment, self.test, arguments)
        given: Any = arguments.get("arguments") or {}
        if not isinstance(given, dict):
            return TwinResponse(0, "The arguments of a tool are an object.")
        return self.tools.call(str(tool), cast(Json, given))

    @cached_property
    def tools(self) -> McpTools:
        """The tools that the twins offer by MCP; in process they need no port."""
        return self._calls.tools(self.environment, self.test)

    def verdict(self) -> Verdict:
        """Evaluate the test's checks on the changes so far; an agent that has called the control plane fails."""
        return judge_overreach(self.run.evaluate())

    def fork(self, at: Point | None = None) -> Self:
        """Fork the episode at a point, by default the current one."""
        return self.forks(1, at)[0]

    def forks(self, count: int, at: Point | None = None) -> list[Self]:
        """Fork the episode `count` times at one point, all or none."""
        made: list[Environment] = []
        while len(made) < count:
            made += self.environment.forks(min(FORKS_AT_ONCE, count - len(made)), at)
        return [type(self)(self.test, each, lease_seconds=self._lease_seconds) for each in made]

    def close(self) -> None:
        """Delete the environment; the result of its run stays readable."""
        self.environment.delete()

    def _renew(self) -> None:
        """Extend the lease of the environment when a part of it has passed."""
        now = monotonic()
        if now - self._renewed > self._lease_seconds / 4:
            self.environment.extend(self._lease_seconds)
            self._renewed = now


def reward(verdict: Verdict) -> float:
    """1.0 for a test that passed, else 0.0."""
    return float(verdict.passed)


def share(verdict: Verdict) -> float:
    """The share of passed checks, from 0.0 to 1.0."""
    return float(verdict.score["percent"]) / 100


def reasons(verdict: Verdict) -> Sequence[str]:
    """Why it did not pass, in sentences; empty if it passed."""
    return [*(str(why["text"]) for why in verdict.explanations), *verdict.failures] if not verdict.passed else ()
