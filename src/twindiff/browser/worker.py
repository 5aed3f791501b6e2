"""Executes one run, from the start of its browser to its last artifact."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.browser import chromium
from twindiff.browser import config as configs
from twindiff.browser.agent import Agent, AgentFailed, Finished
from twindiff.browser.artifact_masking import CannotMask, copy_masked, find_secrets
from twindiff.browser.config import REFERENCE, BrowserStep, ConfigError, fill_parameters
from twindiff.browser.expectations import StepFailed, WordsUnclear
from twindiff.browser.job import TYPED_SECRET, BrowserJob, RunEvent
from twindiff.browser.limits import MEGABYTE, watch_memory
from twindiff.browser.masking import MASK, TextMask, is_secret_name, mask_cards
from twindiff.browser.model_runs.pursuit import Pursuit, StepDesk
from twindiff.browser.model_runs.statement_accounts import StatementAccounts
from twindiff.browser.page_observer import Observer
from twindiff.browser.page_timers import RECORD_TIMERS
from twindiff.browser.proxy import BrowserAccessPolicy, Proxy
from twindiff.browser.steps import Interpreter

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

VIEWPORT: Any = {"width": 1280, "height": 800}
SHOT_SECONDS = 3.0
CLOSING_SECONDS = 8.0
HURRIED_SECONDS = 2.0
"""Seconds that a browser has to save its trace and HAR; fewer where it hangs or the run was ended."""
EFFECTIVE = ("click", "press", "select", "choose", "check", "uncheck", "upload")
"""Actions that may change something in an application or its twins."""
OBSERVING = ("expect", "wait")
"""Actions that only look at a page."""
MAX_EFFECTS = 5
TRACE = "trace.zip"
HAR = "network.har"


class RunStopped(Exception):
    """The run was ended from outside or by a limit; `category` says by which."""

    def __init__(self, category: str, said: str) -> None:
        super().__init__(said)
        self.category = category


class BrowserRun:
    """A run in progress; `emit` sends events to the server, `answers` receives the answers to its questions."""

    def __init__(self, job: BrowserJob, emit: Callable[[RunEvent], None], answers: asyncio.Queue[str]) -> None:
        self.job = job
        self.emit = emit
        self._answers = answers
        self._stopped: asyncio.Future[RunStopped] = asyncio.get_running_loop().create_future()
        self.folder = Path(job.folder)
        self._hidden = [*find_secrets(job.values, job.secrets), *job.hidden]
        self._mask = TextMask(self._hidden)
        self.passed = 0
        self.failed: dict[str, Any] | None = None
        self._effects: list[str] = []
        """The steps done that may have changed something."""
        self._trouble = ""
        self._last_failure: StepFailed | None = None
        self._last_milliseconds = 0.0
        self._end_by = math.inf
        self._hangs = False
        self._is_closing = False

    def stop(self, said: str, category: str = "limit") -> None:
        """End the run; its results so far are kept."""
        if not self._stopped.done():
            self._stopped.set_result(RunStopped(category, said))

    async def __call__(self) -> None:
        """Execute the run and report its end before the browser has closed, so that clients need not wait for that."""
        from playwright.async_api import async_playwright

        async with async_playwright() as playwright:
            await self._judge_steps(playwright)

    async def _judge_steps(self, playwright: Playwright) -> None:
        began = time.monotonic()
        self._end_by = began + self.job.limits.seconds
        try:
            async with asyncio.timeout(self.job.limits.seconds):
                await self._drive(playwright)
            end: dict[str, Any] = self.failed or {"status": "completed"}
        except TimeoutError:
            said = f"the run took longer than {self.job.limits.seconds:g} seconds"
            end = {"status": "failed", "failure_category": "timeout", "failure_detail": said}
        except RunStopped as stopped:
            status = "cancelled" if stopped.category == "cancelled" else "failed"
            end = {"status": status, "failure_category": stopped.category, "failure_detail": str(stopped)}
        seconds = round(time.monotonic() - began, 3)
        self.emit(RunEvent("end", str(end.get("failure_detail") or "all steps passed"), {**end, "seconds": seconds}))

    async def _drive(self, playwright: Playwright) -> None:
        """Run the steps until they are done or the run is stopped."""
        watch = asyncio.create_task(watch_memory(self.job.limits.memory_mb, self.stop))
        async with self._browser(playwright) as (context, observer):
            steps = asyncio.create_task(self._steps(context, observer))
            try:
                await asyncio.wait([steps, self._stopped], return_when=asyncio.FIRST_COMPLETED)
            finally:
                watch.cancel()
                steps.cancel()
                outcome = (await asyncio.gather(steps, watch, return_exceptions=True))[0]
        if self._stopped.done():
            raise self._stopped.result()
        if isinstance(outcome, BaseException):
            raise outcome

    @asynccontextmanager
    async def _browser(self, playwright: Playwright) -> AsyncGenerator[tuple[BrowserContext, Observer]]:
        """Start a browser that reaches only what the run may; on exit, save its trace and HAR."""
        job = self.job
        gate = BrowserAccessPolicy(job.start_url, job.hosts, job.twins, job.control)
        full = f"more than {job.limits.network_mb} MB came over the network"
        proxy = Proxy(gate, job.limits.network_mb * MEGABYTE, self._note_refusal, lambda: self.stop(full))
        port = await proxy.start()
        browser = await playwright.chromium.launch(
            executable_path=job.chromium, args=chromium.arguments(port), downloads_path=Path.cwd()
        )
        browser.on("disconnected", self._note_end)
        context = await browser.new_context(
            viewport=VIEWPORT, record_har_path=Path.cwd() / HAR, record_har_content="omit", service_workers="block"
        )
        await context.add_init_script(RECORD_TIMERS)
        await context.tracing.start(snapshots=True)
        observer = Observer(context, self.folder, self.stop, self._mask_text)
        try:
            await context.new_page()
            yield context, observer
        finally:
            self._is_closing = True
            with contextlib.suppress(Exception):  # a broken browser may not be able to save them
                async with asyncio.timeout(self._closing_seconds()):
                    await self._settle(observer)
                    await context.tracing.stop(path=Path.cwd() / TRACE)
                    await context.close()
            for problem in await asyncio.to_thread(self._keep_recordings):
                self.emit(RunEvent("log", problem))
            await proxy.stop()

    def _keep_recordings(self) -> list[str]:
        """Save the trace and the HAR without secrets; returns which of them are omitted and why."""
        problems: list[str] = []
        for source in (Path.cwd() / name for name in (TRACE, HAR)):
            if source.exists():
                try:
                    copy_masked(source, self.folder / source.name, self._hidden)
                except CannotMask as problem:
                    problems.append(f"{source.name} is left out: {problem}")
        return problems

    def _closing_seconds(self) -> float:
        is_ended = self._hangs or self._stopped.done() or time.monotonic() >= self._end_by
        return HURRIED_SECONDS if is_ended else CLOSING_SECONDS

    async def _settle(self, observer: Observer) -> None:
        """Wait for downloads, and report those still incomplete."""
        if unfinished := await observer.settle(self._closing_seconds() / 4):
            self.emit(RunEvent("log", f"not complete when the run ended: {', '.join(unfinished)}"))

    def _note_end(self, browser: Browser) -> None:
        if not self._is_closing:
            self.stop("the browser ended by itself", "browser")

    def _note_refusal(self, address: str, why: str) -> None:
        self.emit(RunEvent("refused", f"{address} was refused: {why}", {"url": address, "reason": why}))

    async def _steps(self, context: BrowserContext, observer: Observer) -> None:
        interpreter = Interpreter(
            lambda: observer.page,
            self.job.start_url,
            self.job.values,
            self._ask,
            lambda: observer.is_quiet,
            self.job.config.files,
            lambda: observer.downloads,
            observer,
            self._hide,
            self.job.limits.step_seconds,
        )
        opening = BrowserStep("goto", id="start", value=self.job.start_url)
        goes_on = bool(self.job.config.steps) and self.job.config.steps[0].action == "goto"
        if not goes_on and not await self._step(opening, interpreter, observer):
            return
        config = self.job.config
        agent = Agent(self.job.model, sorted(self.job.values), self._mask_page) if self.job.model else None
        repairer = agent if config.fallback == "agent" else None
        for number, step in enumerate(config.steps):
            following = config.steps[number + 1] if number + 1 < len(config.steps) else None
            if await self._step(step, interpreter, observer, following, is_last_try=repairer is None):
                continue
            if repairer is None:
                return
            config.steps[number] = await self._repair(repairer, step, interpreter, observer)
            self._tell_config("a step was repaired")
            if self.failed:
                return
        if agent and self.job.goal:
            await self._pursue(agent, interpreter, observer)
        elif self.job.goal:
            said = "no rule understands the whole prompt, and no model is configured (TWINDIFF_MODEL)"
            self.failed = {"status": "failed", "failure_category": "not_understood", "failure_detail": said}

    async def _repair(
        self, agent: Agent, step: BrowserStep, interpreter: Interpreter, observer: Observer
    ) -> BrowserStep:
        """Execute the model's replacement of a failed step, if it proposes one; returns the step executed last.

        Only an action that could not be done is replaced. What is expected of the page is the test itself: neither a
        step that only observes, nor one whose action was done, is replaced.
        """
        failure = self._last_failure
        if failure and (step.action in OBSERVING or failure.is_of_page):
            await self._report(step, failure, observer, self._last_milliseconds)  # done again, an action may pass
            return step
        task = f"Of a test the step '{self._title(step)}' cannot be done: {self._trouble}. Call the step that mends it."
        try:
            proposed = await agent.ask(observer.page, task, [])
        except AgentFailed as failed:
            proposed = Finished(passed=False, reason=str(failed))
        if not isinstance(proposed, Finished) and proposed.action in OBSERVING:
            proposed = Finished(passed=False, reason=f"'{proposed.action}' does not do what '{step.action}' does")
        if isinstance(proposed, Finished):
            self.emit(RunEvent("log", f"no repair: {proposed.reason}"))
            await self._step(step, interpreter, observer)
            return step
        mended = msgspec.structs.replace(
            proposed,
            id=step.id,
            ordinal=step.ordinal,
            expect=step.expect or proposed.expect,
            wait_for=step.wait_for or proposed.wait_for,
            dialog=step.dialog or proposed.dialog,
            statements=step.statements,
            repaired=True,
        )
        await self._step(mended, interpreter, observer)
        return mended

    async def _pursue(self, agent: Agent, interpreter: Interpreter, observer: Observer) -> None:
        """Execute the steps that a model proposes; they become the TestConfig if each statement is accounted for.

        Of a run that failed none do: a replay would pass without what was missing.
        """
        config = self.job.config
        accounts = StatementAccounts(self.job.prompt, self.job.values, [each.sentence for each in config.twin_checks])
        task = "\n".join(["the statements of a test:", *accounts.describe_statements()])
        shots: dict[str, tuple[str | None, float]] = {}

        async def propose(told: list[str]) -> BrowserStep | Finished:
            return await agent.ask(observer.page, task, told)

        async def try_step(step: BrowserStep, following: BrowserStep | None) -> StepFailed | None:
            return await self._try_step(step, following, interpreter, observer, shots)

        desk = StepDesk(propose, try_step, interpreter.read_text, self._title)
        end = await Pursuit(desk, accounts, config)()
        self.emit(RunEvent("log", f"the model says: {end.reason}"))
        if not end.category:
            self._tell_config("the steps that were done")
        elif end.failed:
            await self._fail_with(*end.failed, observer, shots.get(str(end.failed[0]), (None, 0.0)))
        else:
            detail = end.reason
            if end.missing:
                detail = f"nothing that was done accounts for these statements of the prompt: {'; '.join(end.missing)}"
            self.failed = {"status": "failed", "failure_category": end.category, "failure_detail": detail}
            if end.missing:
                self.failed["not_understood"] = [*end.missing]

    async def _try_step(
        self,
        step: BrowserStep,
        following: BrowserStep | None,
        interpreter: Interpreter,
        observer: Observer,
        shots: dict[str, tuple[str | None, float]],
    ) -> StepFailed | None:
        """Execute a step of a model; returns how it failed, which is only logged.

        `shots` get the screenshot of the page where an expectation failed, and the milliseconds that it took.
        """
        began = time.monotonic()
        if await self._step(step, interpreter, observer, following, is_last_try=False):
            return None
        if step.expect:
            took = round((time.monotonic() - began) * 1000, 1)
            shots[str(step)] = (await self._screenshot(step, observer, f"tried-{len(shots) + 1:02d}.png"), took)
        return self._last_failure

    async def _fail_with(
        self, step: BrowserStep, failure: StepFailed, observer: Observer, shot: tuple[str | None, float]
    ) -> None:
        """Report a step that failed before as the one that the run fails with."""
        failure.category = "step"
        number = len(self.job.config.steps) + 1
        last = msgspec.structs.replace(step, id=f"step_{number}", ordinal=number)
        await self._report(last, failure, observer, shot[1], shot[0])

    async def _report(
        self,
        step: BrowserStep,
        failure: StepFailed | None,
        observer: Observer,
        milliseconds: float,
        screenshot: str | None = None,
    ) -> None:
        said = await self._account(step, observer, failure, milliseconds, screenshot)
        self.emit(RunEvent("step", f"{self._title(step)}: {failure or 'passed'}", said))

    def _tell_config(self, said: str) -> None:
        self.emit(RunEvent("config", said, configs.to_json(self.job.config)))

    async def _step(
        self,
        step: BrowserStep,
        interpreter: Interpreter,
        observer: Observer,
        following: BrowserStep | None = None,
        *,
        is_last_try: bool = True,
    ) -> bool:
        """Execute a step and report the result; returns whether it passed.

        Unless `is_last_try`, a failure is only logged.
        """
        self.emit(RunEvent("step_started", self._title(step), {"id": step.id, "step": step.ordinal}))
        began = time.monotonic()
        failure: StepFailed | None = None
        try:
            await interpreter.do(step, following)
        except StepFailed as failed:
            failure = failed
        except ConfigError as error:
            failure = StepFailed(str(error))
        milliseconds = round((time.monotonic() - began) * 1000, 1)
        if failure and not is_last_try:
            self._trouble, self._last_failure = str(failure), failure
            self._last_milliseconds = milliseconds
            self.emit(RunEvent("log", f"tried {self._title(step)}: {failure}"))
            return False
        await self._report(step, failure, observer, milliseconds)
        return failure is None

    async def _account(
        self,
        step: BrowserStep,
        observer: Observer,
        failure: StepFailed | None,
        milliseconds: float,
        screenshot: str | None = None,
    ) -> dict[str, Any]:
        """Return the record of an executed step, with the given screenshot or one of the page as it is now."""
        said: dict[str, Any] = {
            "id": step.id,
            "step": step.ordinal,
            "action": step.action,
            "title": self._title(step),
            "status": "failed" if failure else "passed",
            "milliseconds": milliseconds,
            "url": observer.page.url,
            "screenshot": screenshot or await self._screenshot(step, observer),
            **({"repaired": True} if step.repaired else {}),
            **({"statements": step.statements} if step.statements else {}),
            **observer.take(),
        }
        if failure:
            why = {"detail": str(failure), "expected": failure.expected, "seen": failure.seen, "nearest": failure.near}
            said |= why
            self.failed = {
                "status": "failed",
                "failure_category": "navigation" if step.id == "start" else failure.category,
                "failure_detail": f"step {step.ordinal} ({self._title(step)}): {failure}"
                + self._describe_effects(failure),
            }
        elif step.action in EFFECTIVE:
            self._effects.append(self._title(step))
        return said

    def _describe_effects(self, failure: StepFailed) -> str:
        """Describe what had been done before a step was found unclear; empty for other failures."""
        if failure.category != WordsUnclear.category:
            return ""
        if not self._effects:
            return "; nothing that could have an effect had been done before it"
        done = ", ".join(self._effects[-MAX_EFFECTS:])
        more = f"{len(self._effects)} steps, at last " if len(self._effects) > MAX_EFFECTS else ""
        return f"; what had been done before it stays done: {more}{done}"

    def _title(self, step: BrowserStep) -> str:
        """Describe a step in one line, with names in place of secret values."""
        if step.id == "start":
            return f"open {self.job.start_url}"
        shown = {name: value for name, value in self.job.values.items() if name not in self.job.secrets}
        hidden = {name: f"<{name}>" for name in self.job.secrets}
        value = None if step.value is None else f"'{step.value}'"
        if value and step.action == "fill" and is_secret_name(step.selector or "") and not REFERENCE.search(value):
            value = f"'{MASK}'"
        parts = [step.action, step.selector, value]
        if step.expect:
            parts.append(str(step.expect))
        return mask_cards(fill_parameters(" ".join(str(part) for part in parts if part), {**shown, **hidden}))[:300]

    async def _screenshot(self, step: BrowserStep, observer: Observer, name: str = "") -> str | None:
        """Save a screenshot, if possible, and return its file name; Chromium sometimes refuses at first."""
        from playwright.async_api import Error

        name = name or ("start.png" if step.id == "start" else f"step-{step.ordinal:02d}.png")
        for _ in range(2):
            try:
                shot = observer.page.screenshot(path=self.folder / name, timeout=0, animations="disabled")
                await asyncio.wait_for(shot, SHOT_SECONDS)  # Playwright's own timeout waits for the page again
            except TimeoutError:
                observer.note(f"no screenshot: the page gave none within {SHOT_SECONDS:g} seconds")
                self._hangs = True
                break
            except (Error, OSError) as error:
                observer.note(f"no screenshot: {str(error).splitlines()[0]}")
            else:
                return name
        return None

    async def _ask(self, question: str) -> str:
        """Ask a question and wait for the answer, for as long as the run may last."""
        while not self._answers.empty():
            self._answers.get_nowait()
        self.emit(RunEvent("ask_user_question", question, {"question": question}))
        answer = await self._answers.get()
        if is_secret_name(question):
            self._hide(answer)
        self.emit(RunEvent("answer", self._mask.text(answer), {"question": question}))
        return answer

    def _mask_text(self, text: str) -> str:
        return self._mask.text(text)

    def _mask_page(self, text: str) -> str:
        """Mask the secrets known so far in what a model is told."""
        return self._mask.mask_known(text)

    def _hide(self, secret: str) -> None:
        """Mask a text that turned out to be secret in the rest of the run, and report it to the server."""
        if secret and secret not in self._hidden:
            self._hidden.append(secret)
            self._mask = TextMask(self._hidden)
            self.emit(RunEvent(TYPED_SECRET, secret))
