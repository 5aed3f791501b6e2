"""Tests of a suite, each tried by an agent in an environment of its own."""

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

from .responses import Test, Verdict
from .sync_client import Environment, Platform
from .transport import RequestRefused, Unreachable

SECONDS = 600.0
SECONDS_TO_OPEN = 10.0
MAX_REASON_CHARACTERS = 2_000
"""Letters of what an agent raised that are told."""
TRIALS_THREAD = "twindiff trials"
AGENT_THREAD = "agent of "
SECONDS_TO_JUDGE = 600
"""How much longer than its agent may work an environment lives."""


class Task(NamedTuple):
    """What an agent gets of a test.

    `urls` are the base URLs of its environment's twins by name, `url` is the first one's; `token` opens these twins
    and nothing else.
    """

    test_id: str
    prompt: str
    url: str
    urls: dict[str, str]
    token: str
    environment_id: str


Keep = Literal["none", "failed", "all"]
"""Whose environments are not deleted after a trial."""

KEPT_SECONDS = 24 * 3600
"""How long such an environment lives, at least."""

Opened = Future[Environment]
"""The environment of a test, once it is made."""

Agent = Callable[[Task], object]
"""Does what the prompt asks for; what it returns is ignored, but awaited if it can be."""


class OutOfTime(Exception):
    """The agent was not done in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The agent was not done after {seconds:g} s")


class Trial(NamedTuple):
    """What came of one test: a verdict, or in `error` why there is none.

    Its environment is deleted unless it `is_kept`; `result(run_id)` still reads what changed in it.
    """

    test: Test
    environment_id: str = ""
    run_id: str = ""
    verdict: Verdict | None = None
    error: str = ""
    seconds: float = 0.0
    is_kept: bool = False

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.passed

    @property
    def reason(self) -> str:
        """Why it did not pass, in a sentence; empty when it did."""
        if self.verdict is None:
            return self.error
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
    """Try every test, up to `parallel` at once, and give what came of each as soon as it is known.

    Environments are deleted at once, but those that are to be kept live for a day.

    An agent that is not done after `seconds` is left to itself: its environment is deleted, one with `async` cancelled.
    So are those that still work when the trials are closed, or Ctrl-C ends them.
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
    """Whether an agent that was left to itself works still, which nothing can end but the end of the process."""
    return any(thread.name.startswith((TRIALS_THREAD, AGENT_THREAD)) for thread in threads_alive())


def _close(opened: Opened) -> None:
    """Delete an environment, even one that is being made at this moment."""
    with suppress(Exception):  # whatever was raised where it was made is of no interest any more, nor is a server gone
        opened.result(SECONDS_TO_OPEN).delete()


def _open_environment(platform: Platform, test: Test, seconds: float, keep: Keep, opened: Opened) -> Environment:
    lasts = int(seconds) + (SECONDS_TO_JUDGE if keep == "none" else KEPT_SECONDS)
    try:
        environment = platform.create(testId=test.id, ttl_seconds=lasts)
    except BaseException as error:  # who closes the trials waits for one or the other
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
    except BaseException as error:  # noqa: BLE001 - an agent may raise anything, and there are other tests
        trial = trial._replace(verdict=None, error=_describe_error(error))
    return trial._replace(seconds=monotonic() - begun)


def _judge_trial(trial: Trial, environment: Environment, agent: Agent, seconds: float) -> Trial:
    run = environment.run(trial.test.id)
    trial = trial._replace(run_id=run.id)
    try:
        let_work(agent, task_of(trial.test, environment), seconds)
        verdict = run.evaluate()
        # An agent that tries to judge itself has failed, whatever else it has done.
        return trial._replace(error=verdict.overreach) if verdict.refused else trial._replace(verdict=verdict)
    except BaseException as error:  # noqa: BLE001 - an agent may raise anything
        with suppress(RequestRefused, Unreachable):  # what the agent raised is what counts
            run.diff()  # what was done so far is kept in the run's result
        return trial._replace(error=_describe_error(error))


def task_of(test: Test, environment: Environment) -> Task:
    """What an agent gets of a test in an environment of it."""
    urls = {twin: environment.url(twin) for twin in environment.show().templates}
    return Task(test.id, test.prompt, urls[environment.service], urls, environment.token, environment.id)


def let_work(agent: Agent, task: Task, seconds: float) -> None:
    """Let an agent work in a thread of its own, for nothing can end a thread; raises what it raises, and OutOfTime."""
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
    except BaseException as error:  # noqa: BLE001 - it is raised again by who waits
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
    """Why there is no verdict, in a bounded text; an error may fail even at saying what it is."""
    try:
        said = str(error)
    except BaseException as other:  # noqa: BLE001 - it is of the agent's making
        said = f"(no message: {type(other).__name__} while it was made)"
    if len(said) > MAX_REASON_CHARACTERS:
        said = f"{said[:MAX_REASON_CHARACTERS]}… ({len(said):,} letters)"
    if isinstance(error, (OutOfTime, RequestRefused, Unreachable)):
        return said
    return f"The agent raised {type(error).__name__}: {said}"
