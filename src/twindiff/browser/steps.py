"""The interpreter: what each action does to a page, and what each expectation looks at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from twindiff.browser.config import ANSWER, Expect, Step, filled, joined
from twindiff.browser.locating import candidates, locators
from twindiff.browser.proxy import OURS

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

MUST_BE_THERE = "start"
"""The id of the step that opens the start URL, where an error is no page to be tested."""
SECONDS = 10.0
"""How long an element or an expectation is waited for, unless the step says otherwise."""
POLL_SECONDS = 0.05
ANSWER_SECONDS = 3.0
"""How long a page has for an answer even where the time of a step is shorter."""
LONGEST_SEEN = 600
T = TypeVar("T")


class StepFailed(Exception):
    """A step could not be done, or what it expects does not hold."""

    def __init__(self, said: str, expected: str = "", seen: str = "", near: list[dict[str, str]] | None = None) -> None:
        super().__init__(said)
        self.expected, self.seen, self.near = expected, seen, near or []


class Interpreter:
    """Does steps on whichever window is in front; `ask` puts a question to whoever watches the run."""

    def __init__(
        self,
        front: Callable[[], Page],
        start_url: str,
        values: Mapping[str, str],
        ask: Callable[[str], Awaitable[str]],
    ) -> None:
        self._front = front
        self._start_url = start_url
        self._values = dict(values)
        self._ask = ask
        self._actions: dict[str, Callable[[Step, float], Awaitable[None]]] = {
            "goto": self._goto,
            "fill": self._fill,
            "click": self._click,
            "press": self._press,
            "select": self._select,
            "hover": self._hover,
            "expect": _nothing,
            "wait": self._wait,
            "ask_user_question": self._question,
        }

    @property
    def page(self) -> Page:
        """The window in front."""
        return self._front()

    async def do(self, step: Step) -> None:
        """Do one step; raises StepFailed."""
        from playwright.async_api import Error

        seconds = step.timeout_ms / 1000 if step.timeout_ms else SECONDS
        try:
            await self._actions[step.action](step, seconds)
            if step.wait_for:
                await self._found(self._text(step.wait_for), "wait", seconds)
            if step.expect:
                await self._expect(_placed(step.expect, step), seconds)
        except Error as error:
            said = error.message.split("\nCall log")[0].strip()
            raise StepFailed(f"{step.action} {self._described(step)}: {said}"[:LONGEST_SEEN]) from None

    def _described(self, step: Step) -> str:
        """What a step is done to, without the values of its parameters."""
        return str(step.selector or step.value or "")

    def _text(self, given: object) -> str:
        return filled(str(given), self._values)

    async def _goto(self, step: Step, seconds: float) -> None:
        url = joined(self._start_url, self._text(step.value), "goto")
        await self.open(url, max(seconds, 20), must_be_there=step.id == MUST_BE_THERE)

    async def open(self, url: str, seconds: float = 20, *, must_be_there: bool = False) -> None:
        """Open an address; raises StepFailed where it does not answer, or with an error where a page must be there."""
        from playwright.async_api import Error

        try:
            answer = await self.page.goto(url, wait_until="load", timeout=seconds * 1000)
        except Error as error:
            said = str(error).split("\n")[0].removeprefix("Page.goto: ")
            raise StepFailed(f"{url} could not be opened: {said}", f"a page at {url}", said) from None
        if answer and OURS in answer.headers:
            said = await answer.text()
            raise StepFailed(f"{url} could not be opened: {said}", f"a page at {url}", said)
        if answer and answer.status >= 400 and must_be_there:
            said = f"{answer.status} {answer.status_text}".strip()
            raise StepFailed(f"{url} answered {said}", f"a page at {url}", said)

    async def _fill(self, step: Step, seconds: float) -> None:
        element = await self._found(self._text(step.selector), "fill", seconds)
        await element.fill(self._text(step.value), timeout=seconds * 1000)

    async def _click(self, step: Step, seconds: float) -> None:
        element = await self._found(self._text(step.selector), "click", seconds)
        await element.click(timeout=seconds * 1000)

    async def _hover(self, step: Step, seconds: float) -> None:
        element = await self._found(self._text(step.selector), "hover", seconds)
        await element.hover(timeout=seconds * 1000)

    async def _press(self, step: Step, seconds: float) -> None:
        key = self._text(step.value)
        if step.selector:
            element = await self._found(self._text(step.selector), "press", seconds)
            await element.press(key, timeout=seconds * 1000)
        else:
            await self.page.keyboard.press(key)

    async def _select(self, step: Step, seconds: float) -> None:
        element = await self._found(self._text(step.selector), "select", seconds)
        wanted = self._text(step.value)
        script = "each => [...(each.options || [])].map(option => [option.value, option.label.trim()])"
        options: list[list[str]] = await _answered(element.evaluate(script), seconds)
        if not any(wanted in option for option in options):
            have = [label or value for value, label in options]
            near = [{"selector": str(step.selector), "text": label} for label in have[:10]]
            said = f"there is no option '{wanted}' in {step.selector}"
            raise StepFailed(said, f"an option '{wanted}'", ", ".join(have), near)
        by_label = any(label == wanted for _, label in options)
        label = wanted if by_label else None
        await element.select_option(label=label, value=None if by_label else wanted, timeout=seconds * 1000)

    async def _wait(self, step: Step, seconds: float) -> None:
        if step.value is not None:
            await asyncio.sleep(float(self._text(step.value)) / 1000)
        if step.selector:
            await self._found(self._text(step.selector), "wait", seconds)

    async def _question(self, step: Step, seconds: float) -> None:
        answer = await self._ask(self._text(step.value))
        self._values.update(dict.fromkeys([*step.parameter_refs, ANSWER], answer))

    async def _found(self, selector: str, action: str, seconds: float) -> Locator:
        """The first element that is to be seen, as soon as there is one; raises StepFailed."""
        end = time.monotonic() + seconds
        page = self.page
        while True:
            for locator in locators(page, selector, action):
                seen = locator.filter(visible=True).first
                if await _answered(seen.count(), end - time.monotonic()):
                    return seen
            if time.monotonic() > end:
                break
            await asyncio.sleep(POLL_SECONDS)
            page = self.page
        near = await candidates(page, selector)
        shown = ", ".join(f"{each['selector']} ({each['text']})" for each in near) or "nothing like it"
        said = f"no visible element '{selector}' within {seconds:g} seconds"
        raise StepFailed(said, f"a visible element '{selector}'", shown, near)

    # Expectations

    async def _expect(self, expect: Expect, seconds: float) -> None:
        if expect.type == "visible":
            await self._found(self._text(expect.selector), "expect", seconds)
            return
        wanted = self._text(expect.contains)
        look = self._url if expect.type == "url" else self._page_text
        end = time.monotonic() + seconds
        seen = await _answered(look(expect), seconds)
        while wanted not in seen and _plain(wanted) not in _plain(seen):
            if time.monotonic() > end:
                where = f" in {expect.selector}" if expect.selector else ""
                expected = f"the {expect.type} contains '{wanted}'{where}"
                near = await self._near(expect, wanted)
                said = f"expected the {expect.type} to contain '{wanted}'{where}"
                raise StepFailed(said, expected, _around(seen, wanted), near)
            await asyncio.sleep(POLL_SECONDS)
            seen = await _answered(look(expect), seconds)

    async def _near(self, expect: Expect, wanted: str) -> list[dict[str, str]]:
        return [] if expect.type == "url" else await candidates(self.page, wanted)

    async def _url(self, expect: Expect) -> str:
        return self.page.url

    async def _page_text(self, expect: Expect) -> str:
        """The text of an element, or of all frames of the page, as it is shown; nothing while that is not there."""
        from playwright.async_api import Error

        page = self.page
        try:
            if expect.selector:
                for locator in locators(page, self._text(expect.selector), "expect"):
                    if await locator.count():
                        return "\n".join([await each.inner_text(timeout=1000) for each in await locator.all()])
                return ""
            texts = [await frame.inner_text("body", timeout=1000) for frame in page.frames[:10]]
        except Error:
            return ""
        return "\n".join(texts)


async def _nothing(step: Step, seconds: float) -> None:
    """A step that only expects has nothing to do before."""


async def _answered(asked: Awaitable[T], seconds: float) -> T:
    """What the page answers; raises StepFailed where nothing comes, since a script of its own keeps it busy."""
    seconds = max(seconds, ANSWER_SECONDS)
    try:
        return await asyncio.wait_for(asked, seconds)
    except TimeoutError:
        said = f"the page did not answer within {seconds:.3g} seconds; one of its scripts keeps it busy"
        raise StepFailed(said, "an answer of the page", "none") from None


def _placed(expect: Expect, step: Step) -> Expect:
    """An expectation with where to look: what a step that only expects selects, else all of the page."""
    if expect.selector or step.action != "expect" or expect.type != "text":
        return expect
    return Expect(expect.type, expect.contains, step.selector)


def _plain(text: str) -> str:
    """A text as one line, so that it does not matter how a page breaks it."""
    return " ".join(text.split())


def _around(seen: str, wanted: str) -> str:
    """What was seen, as much of it as helps: from where the first word that was wanted stands."""
    text = _plain(seen)
    words: list[Any] = wanted.split()
    at = text.lower().find(str(words[0]).lower()) if words else 0
    begin = max(0, at - 100)
    return text[begin : begin + LONGEST_SEEN] or "nothing"
