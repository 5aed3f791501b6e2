"""Lets a model propose steps until each statement of a prompt is accounted for, and says how the run ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import msgspec

from twindiff.browser.agent import MAX_TURNS, AgentFailed, Finished
from twindiff.browser.config import BrowserStep, Expect, TestConfig
from twindiff.browser.expectations import StepFailed
from twindiff.browser.model_runs.statement_accounts import StatementAccounts
from twindiff.browser.model_runs.step_evidence import LOOKING, list_places
from twindiff.browser.page_text import cut_around

MAX_REFUSALS = 3
"""Times that a model may say that the test passed while something is missing."""
MAX_LINES = 12
"""Statements of which the model is told after each step what they lack."""


class StepDesk(NamedTuple):
    """What asks the model, and executes the steps of a run."""

    propose: Callable[[list[str]], Awaitable[BrowserStep | Finished]]
    """Asks for the next step; raises AgentFailed."""
    try_step: Callable[[BrowserStep, BrowserStep | None], Awaitable[StepFailed | None]]
    """Executes a step before another one; returns how it failed."""
    read_text: Callable[[str], Awaitable[str]]
    """Returns the text of an element, or of the page."""
    describe_step: Callable[[BrowserStep], str]
    """Describes a step in one line, without secrets."""


class PursuitEnd(NamedTuple):
    """How the pursuit ended: `category` is empty if it passed; `failed` is the step that the run fails with."""

    category: str
    reason: str
    missing: Sequence[str] = ()
    failed: tuple[BrowserStep, StepFailed] | None = None


class Pursuit:
    """The steps that a model proposes for the statements of a prompt."""

    def __init__(self, desk: StepDesk, accounts: StatementAccounts, config: TestConfig) -> None:
        self._desk = desk
        self._accounts = accounts
        self._config = config
        self._done: list[str] = []
        self._page_before = ""
        self._warned: set[str] = set()
        self._refusals = 0

    async def __call__(self) -> PursuitEnd:
        """Execute steps until the model ends the test, or may not go on; the steps that passed are in the config."""
        try:
            for _ in range(MAX_TURNS):
                proposed = await self._desk.propose(self._tell())
                end = self._finish(proposed) if isinstance(proposed, Finished) else await self._do(proposed)
                if end:
                    return end
        except AgentFailed as failed:
            return self._fail("agent", str(failed))
        unfinished = f"the model did not finish within {MAX_TURNS} turns"
        return self._fail("not_understood" if self._accounts.list_missing() else "agent", unfinished)

    def _tell(self) -> list[str]:
        missing = self._accounts.describe_missing()
        more = [f"and {len(missing) - MAX_LINES} more statements"] if len(missing) > MAX_LINES else []
        return [*(self._done or ["nothing"]), "Still missing:", *(missing[:MAX_LINES] or ["nothing"]), *more]

    async def _do(self, proposed: BrowserStep) -> PursuitEnd | None:
        """Execute a step, and what it expects as a step of its own, since an action stays done where that fails."""
        said = self._desk.describe_step(proposed)
        if refused := self._accounts.check_numbers(proposed.statements) or self._find_too_early(proposed):
            self._done.append(f"{said}: not done; {refused}")
            return None
        action, expecting = _split_step(proposed)
        is_done = action is None or await self._try(action, expecting)
        if is_done and expecting:
            await self._try(expecting, None)
        return None

    async def _try(self, proposed: BrowserStep, following: BrowserStep | None) -> bool:
        number = len(self._config.steps) + 1
        step = msgspec.structs.replace(proposed, id=f"step_{number}", ordinal=number)
        said = self._desk.describe_step(step)
        before = await self._desk.read_text("") if step.action not in LOOKING else self._page_before
        failure = await self._desk.try_step(step, following)
        if failure:
            seen = f"; there is: {cut_around(failure.seen, failure.expected)}" if failure.seen else ""
            self._done.append(f"{said}: {failure}{seen}")
            if step.expect:
                self._accounts.record_failed(step, failure)
            return False
        seen = "\n".join([await self._desk.read_text(each) for each in list_places(step)]) if step.expect else ""
        self._page_before = before
        self._config.steps.append(step)
        void = self._accounts.record_passed(step, seen, before)
        self._done.append(f"{said}: done{f', but it proves nothing: {void}' if void else ''}")
        return True

    def _find_too_early(self, step: BrowserStep) -> str:
        """Return what earlier statements lack that cannot be proven after an action; each is said once."""
        if step.action in LOOKING:
            return ""
        unproven = [each for each in self._accounts.list_unproven(step.statements) if each not in self._warned]
        self._warned.update(unproven)
        return f"it can only be proven before this: {'; '.join(unproven)}" if unproven else ""

    def _finish(self, end: Finished) -> PursuitEnd | None:
        if not end.passed:
            return self._fail("agent", end.reason)
        self._accounts.add_background(end.background)
        missing, dropped = self._accounts.describe_missing(), self._accounts.find_dropped()
        if not missing and not dropped:
            return PursuitEnd("", end.reason)
        self._refusals += 1
        if self._refusals == MAX_REFUSALS:
            return self._fail("not_understood", end.reason)
        if dropped:
            said = self._desk.describe_step(dropped.step)
            missing = [*missing, f"'{said}' failed and has not held since; it must hold, or the test has failed"]
        self._done.append(f"finish: not accepted. Missing: {'; '.join(missing)}"[:4000])
        return None

    def _fail(self, category: str, reason: str) -> PursuitEnd:
        """Return how the run failed; what was expected and not seen comes before what nothing accounts for."""
        if dropped := self._accounts.find_dropped():
            return PursuitEnd("step", reason, failed=(dropped.step, dropped.failure))
        if category == "agent":
            return PursuitEnd(category, reason)
        if contradicted := self._accounts.find_contradicted():
            number, fact, look = contradicted
            wanted = fact.forms[0]
            expect = Expect("text", contains=wanted, selector=look.scope or None)
            step = BrowserStep("expect", expect=expect, selector=look.scope or None, statements=[number])
            said = (
                f"statement {number} says {fact.text} of it, but the page does not, where a step looked for other words"
            )
            return PursuitEnd("step", reason, failed=(step, StepFailed(said, wanted, cut_around(look.seen, wanted))))
        return PursuitEnd(category, reason, self._accounts.describe_missing())


def _split_step(step: BrowserStep) -> tuple[BrowserStep | None, BrowserStep | None]:
    """Return what a step does, and what it expects as a step of its own; None for what it does not."""
    expect = step.expect
    if expect is None or step.action == "expect":
        return step, None
    is_placed = bool(expect.selector) or expect.type in ("url", "title")
    # What is waited for is looked at there; what an action brings about may be anywhere on the page.
    selector = step.selector if step.action == "wait" and not is_placed else None
    expecting = BrowserStep(
        "expect", selector=selector, expect=expect, statements=step.statements, timeout_ms=step.timeout_ms
    )
    only_expects = step.action == "wait" and not (step.value or step.selector or step.wait_for)
    return None if only_expects else msgspec.structs.replace(step, expect=None), expecting
