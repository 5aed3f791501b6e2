"""Episodes: single attempts at a test, on which the integrations of all frameworks are built."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Self

import httpx

from twindiff.client import Client, Environment, Run, Suite, Test, Verdict
from twindiff.client.request_specs import Point
from twindiff.client.sync_client import Platform
from twindiff.client.transport import is_secured
from twindiff.client.trial_runner import Agent, judge_overreach, task_of
from twindiff.client.twin_tool import TwinResponse, send_call
from twindiff.local import Twindiff
from twindiff.suites.starter import STARTER, starter_files

Json = dict[str, Any]

SECONDS_OF_A_CALL = 60.0
SECONDS_TO_LIVE = 24 * 3600
"""An environment that is never closed is deleted after this time."""

_platforms: dict[tuple[int, str], Platform] = {}


class UnknownTask(ValueError):
    """There is no such suite or test; the message says which there are."""


def platform_at(base_url: str = "") -> Platform:
    """The platform of a server, with the key in `$TWINDIFF_API_KEY`; without a URL, a Twindiff in this process.

    There is one for each process and URL, which is closed when the process ends.
    """
    key = (os.getpid(), base_url)
    if key not in _platforms:
        api_key = os.environ.get("TWINDIFF_API_KEY")
        _platforms[key] = Client(base_url, api_key) if base_url else Twindiff()
        atexit.register(_platforms[key].close)
    return _platforms[key]


def suite_of(platform: Platform, name: str = STARTER) -> Suite:
    """A suite with its tests, by name or id; the starter suite is imported if it is missing. Raises UnknownTask."""
    known = platform.suites()
    if name == STARTER and STARTER not in {each.name for each in known}:
        platform.import_files(starter_files())
        known = platform.suites()
    for each in known:
        if name in (each.id, each.name):
            return platform.suite(each.id)
    raise UnknownTask(f"There is no suite {name!r}. There are: {', '.join(each.name for each in known) or 'none'}.")


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
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownTask(f"There is no agent at {path!r}, which is to be module:name. {error}") from None


class Episode:
    """An attempt at a test: an environment of its own, a run to evaluate it, and a client that acts as the agent."""

    def __init__(self, test: Test, environment: Environment, run: Run) -> None:
        self.test = test
        self.environment = environment
        self.run = run
        self.task = task_of(test, environment)
        headers = {"Authorization": f"Bearer {environment.token}"}
        verify = is_secured(*self.task.urls.values())
        self._http = httpx.Client(headers=headers, trust_env=False, verify=verify, timeout=SECONDS_OF_A_CALL)

    @classmethod
    def begin(cls, platform: Platform, test: Test, *, ttl_seconds: int = SECONDS_TO_LIVE) -> Self:
        """Create the environment of the test and start a run in it."""
        environment = platform.create(testId=test.id, ttl_seconds=ttl_seconds)
        return cls(test, environment, environment.run(test.id))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, arguments: Json) -> TwinResponse:
        """Send one request to a twin: `{"api": "slack", "method": "POST", "path": "chat.postMessage", "body": {…}}`."""
        return send_call(self._http, self.task, arguments)

    def verdict(self) -> Verdict:
        """Evaluate the test's checks on the changes so far; an agent that has called the control plane fails."""
        return judge_overreach(self.run.evaluate())

    def fork(self, at: Point | None = None) -> Self:
        """Fork the episode at a point, by default the current one.

        The fork is also evaluated from the beginning, so its run starts in the initial state.
        """
        fork = self.environment.fork(at)
        here = fork.seq()
        fork.rewind(0)
        run = fork.run(self.test.id)
        fork.rewind(here)
        return type(self)(self.test, fork, run)

    def close(self) -> None:
        """Delete the environment; the result of its run stays readable."""
        self._http.close()
        self.environment.delete()


def reward(verdict: Verdict) -> float:
    """1.0 for a test that passed, else 0.0."""
    return float(verdict.passed)


def share(verdict: Verdict) -> float:
    """The share of passed checks, from 0.0 to 1.0."""
    return float(verdict.score["percent"]) / 100


def reasons(verdict: Verdict) -> Sequence[str]:
    """Why it did not pass, in sentences; empty if it passed."""
    return [*(str(why["text"]) for why in verdict.explanations), *verdict.failures] if not verdict.passed else ()
