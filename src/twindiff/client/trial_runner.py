"""Runs an agent on the tests of a suite, each in an environment of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from inspect import isasyncgen, isawaitable, isgenerator
from queue import SimpleQueue
from threading import Thread
from threading import enumerate as threads_alive
from time import monotonic
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from .responses import Test, Verdict
from .sync_client import Environment, Platform
from .transport import RequestRefused, Unreachable
from .trial_log import NO_LOG, TrialLog, Usage

SECONDS = 600.0
SECONDS_TO_OPEN = 10.0
MAX_REASON_CHARACTERS = 2_000
"""The longest message of an agent's exception in a reason."""
TRIALS_THREAD = "twindiff trials"
AGENT_THREAD = "agent of "
MAX_NAME_CHARACTERS = 200
SECONDS_TO_JUDGE = 600
"""The life of an environment beyond the agent's time limit, for evaluating the run."""


class Task(NamedTuple):
    """A test as an agent receives it.

    `urls` maps the twins of its environment to their base URLs, and `url` is that of the first. `token` gives access to
    these twins and nothing else. `log` takes what the agent says and uses, see `TrialLog`.
    """

    test_id: str
    prompt: str
    url: str
    urls: dict[str, str]
    token: str
    environment_id: str
    log: TrialLog = NO_LOG


Status = Literal["passed", "failed", "error"]
"""`error` is a trial that says nothing about the agent's work: it could not start, end or be judged."""

Keep = Literal["none", "failed", "all"]
"""The trials whose environments are not deleted."""

KEPT_SECONDS = 24 * 3600
"""The minimum life of a kept environment."""

Opened = Future[Environment]
"""A future of a test's environment."""

Agent = Callable[[Task], object]
"""A function that does the task. Its return value is ignored, but awaited if it is awaitable."""


class OutOfTime(Exception):
    """The agent was not done in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The agent was not done after {seconds:g} s")


class Trial(NamedTuple):
    """The result of one trial: a verdict, and in `error` why the trial does not count; `seconds` is its duration.

    An agent that raises or runs out of time is judged all the same, so a trial may have both. Its environment is
    deleted unless it `is_kept`; `result(run_id)` still returns its diff. `messages` are what the agent logged.
    """

    test: Test
    environment_id: str = ""
    run_id: str = ""
    verdict: Verdict | None = None
    error: str = ""
    seconds: float = 0.0
    is_kept: bool = False
    messages: Sequence[dict[str, Any]] = ()
    usage: Usage = Usage()

    @property
    def status(self) -> Status:
        if self.error or self.verdict is None:
            return "error"
        return "passed" if self.verdict.passed else "failed"

    @property
    def passed(self) -> bool:
        """Whether the agent ended by itself and all checks passed."""
        return self.status == "passed"

    @property
    def reason(self) -> str:
        """Why it did not pass, in a sentence; empty if it passed."""
        if self.error or self.verdict is None:
            return self.error or "There is no verdict"
        said = [*(str(why["text"]) for why in self.verdict.explanations), *self.verdict.failures]
        return "" if self.passed else next(iter(said), "")


def trials(
    platform: Platform,
    tests: Sequence[Test],
    agent: Agent,
    *,
    parallel: int = 1,
    seconds: float = SECONDS,
    keep: Keep = "none",
) -> Generator[Trial]:
    """Run the agent on every test, up to `parallel` at once, and yield each result as soon as it is known.

    Environments are deleted after their trials, except that those selected by `keep` live for a day.

    An agent that is not done after `seconds` is abandoned: its environment is deleted, and an asynchronous one is
    cancelled. So are those that still run when the generator is closed or Ctrl-C ends it.
    """
    waiting = deque(tests)
    finished = SimpleQueue[Trial]()
    opened: list[Opened] = []

    def work() -> None:
        while waiting:
            mine = Opened()
            opened.append(mine)
            try:
                finished.put(_trial(platform, waiting.popleft(), agent, seconds, keep, mine))
            except IndexError:  # another thread took the last one
                mine.cancel()
            opened.remove(mine)

    try:
        for _ in range(min(parallel, len(tests))):
            Thread(target=work, name=TRIALS_THREAD, daemon=True).start()
        for _ in tests:
            yield finished.get()
    finally:
        waiting.clear()
        for each in opened.copy():
            _close(each)


def are_going_on() -> bool:
    """Whether an abandoned agent still runs; a thread can only be ended by ending the process."""
    return any(thread.name.startswith((TRIALS_THREAD, AGENT_THREAD)) for thread in threads_alive())


def _close(opened: Opened) -> None:
    """Delete an environment, even one that is being created at this moment."""
    with suppress(Exception):  # an error of its creation no longer matters, nor does a server that is gone
        opened.result(SECONDS_TO_OPEN).delete()


def _open_environment(platform: Platform, test: Test, seconds: float, keep: Keep, opened: Opened) -> Environment:
    lasts = int(seconds) + (SECONDS_TO_JUDGE if keep == "none" else KEPT_SECONDS)
    name = None if keep == "none" else f"Trial of {test.name}"[:MAX_NAME_CHARACTERS]
    try:
        environment = platform.create(testId=test.id, ttl_seconds=lasts, name=name)
    except BaseException as error:  # `_close` waits for the future
        opened.set_exception(error)
        raise
    opened.set_result(environment)
    return environment


def _trial(platform: Platform, test: Test, agent: Agent, seconds: float, keep: Keep, opened: Opened) -> Trial:
    begun = monotonic()
    trial = Trial(test)
    try:
        environment = _open_environment(platform, test, seconds, keep, opened)
        try:
            trial = _judge_trial(trial, environment, agent, seconds)
        finally:
            trial = trial._replace(environment_id=environment.id)
            is_kept = keep == "all" or (keep == "failed" and not trial.passed)
            trial = trial._replace(is_kept=is_kept)
            if not is_kept:
                environment.delete()
    except BaseException as error:  # noqa: BLE001 - whatever fails around an agent, there are other tests
        trial = trial._replace(error=trial.error or _describe_error(error))
    return trial._replace(seconds=monotonic() - begun)


def _judge_trial(trial: Trial, environment: Environment, agent: Agent, seconds: float) -> Trial:
    """Let the agent work and judge what it did, also if it raised."""
    run = environment.run(trial.test.id)
    log = TrialLog()
    trial = trial._replace(run_id=run.id)
    try:
        let_work(agent, task_of(trial.test, environment, log), seconds)
    except BaseException as error:  # noqa: BLE001 - an agent may raise anything
        trial = trial._replace(error=_describe_error(error))
    trial = trial._replace(messages=[*log.entries], usage=log.usage)
    try:
        trial = trial._replace(verdict=(verdict := judge_overreach(run.evaluate())))
        unsure = f"The checks cannot be judged: {verdict.undecided}" if verdict.undecided else ""
        return trial._replace(error=trial.error or unsure)
    except (RequestRefused, Unreachable) as error:
        with suppress(RequestRefused, Unreachable):
            run.diff()  # stores the diff so far in the run's result
        return trial._replace(error=trial.error or f"The run could not be judged: {error}")


def judge_overreach(verdict: Verdict) -> Verdict:
    """Return the verdict on a run: an agent that called the control plane has failed, whatever the checks say."""
    if not verdict.refused:
        return verdict
    why = [{"text": verdict.overreach}, *verdict.explanations]
    return replace(verdict, passed=False, score={**verdict.score, "percent": 0.0}, explanations=why)


def task_of(test: Test, environment: Environment, log: TrialLog = NO_LOG) -> Task:
    """The task of an agent for a test in an environment."""
    urls = {twin: environment.url(twin) for twin in environment.show().templates}
    return Task(test.id, test.prompt, urls[environment.service], urls, environment.token, environment.id, log)


def let_work(agent: Agent, task: Task, seconds: float) -> None:
    """Run an agent in a thread of its own, which can be abandoned; raises its exception, or OutOfTime."""
    done = Future[None]()
    Thread(target=_call, args=(agent, task, seconds, done), name=f"{AGENT_THREAD}{task.test_id}", daemon=True).start()
    if not wait([done], seconds).done:
        raise OutOfTime(seconds)
    done.result()


def _call(agent: Agent, task: Task, seconds: float, done: Future[None]) -> None:
    try:
        work = agent(task)
        if isawaitable(work):
            asyncio.run(_run_with_limit(work, seconds))
        if isgenerator(work) or isasyncgen(work):
            raise TypeError("an agent works when it is called; one that yields has done nothing so far")
        done.set_result(None)
    except BaseException as error:  # noqa: BLE001 - `let_work` raises it again
        done.set_exception(error)


async def _run_with_limit(work: Awaitable[Any], seconds: float) -> None:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            await work
    except TimeoutError:
        if limit.expired():
            raise OutOfTime(seconds) from None
        raise


def _describe_error(error: BaseException) -> str:
    """The reason why there is no verdict, truncated; even `str(error)` may raise."""
    try:
        said = str(error)
    except BaseException as other:  # noqa: BLE001 - the exception class is the agent's
        said = f"(no message: {type(other).__name__} while it was made)"
    if len(said) > MAX_REASON_CHARACTERS:
        said = f"{said[:MAX_REASON_CHARACTERS]}… ({len(said):,} letters)"
    if isinstance(error, (OutOfTime, RequestRefused, Unreachable)):
        return said
    return f"The agent raised {type(error).__name__}: {said}"
