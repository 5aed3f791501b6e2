"""The interpreter of steps: what each action does to a page."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Protocol

import msgspec

from twindiff.browser.config import (
    ANSWER,
    REFERENCE,
    BrowserStep,
    ConfigError,
    DialogAnswer,
    Expect,
    UploadFile,
    fill_parameters,
    join_url,
)
from twindiff.browser.each_entry import MAX_ENTRIES, find_in_entry, is_of_each, list_entry_keys
from twindiff.browser.element_finder import (
    ALL_BOXES,
    EMAIL,
    ENTERING,
    INSIDE,
    MAX_FRAMES,
    NAMED,
    PASSWORD,
    SeveralRows,
    candidates,
    is_by_words,
    kind_of,
)
from twindiff.browser.entry_finder import VERB
from twindiff.browser.expectations import (
    POLL_SECONDS,
    Expectations,
    StepFailed,
    WordsUnclear,
    await_page,
)
from twindiff.browser.intent_finder import DO, PART, SeveralControls, is_intent
from twindiff.browser.job import DEFAULT_STEP_SECONDS
from twindiff.browser.page_text import MAX_SEEN_CHARACTERS
from twindiff.browser.proxy import OURS
from twindiff.browser.run_dates import PAGE_DATE, date_of, is_date
from twindiff.browser.uploads import file_named

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

MUST_BE_THERE = "start"
"""The id of the step that opens the start URL, where an error status fails the step."""
PLACE = "place="
"""Prefix of what a sentence opens; in small letters it may be a description, such as `the customer desk`."""
DESCRIBED = ("check", "uncheck", "fill", "select")
"""Actions on elements that people describe rather than name."""
LEAVING = (PLACE, f"{DO}open")
"""Beginnings of selectors of what leads to another page."""
FILE_FIELD = "input[type=file]"
LEFT_BEFORE_LOOKING = ("number", "search")
"""Types of fields that people leave before they look at a total or a list; some pages follow a field only then."""
CHOICE_SECONDS = 2.0
"""Seconds to wait for a radio button or an option before another element of that name is clicked."""
MUST_MATCH = ("date", "datetime-local", "month", "week", "time", "number", "range", "color")
"""Types of fields that discard or change an invalid value."""

SECRET_PURPOSES = ("password", "cc-number", "cc-csc", "one-time-code")
"""Parts of `autocomplete` values whose fields hold secrets. https://html.spec.whatwg.org/#autofill"""


class DialogDesk(Protocol):
    """What answers the dialogs of a page."""

    answer: DialogAnswer | None
    dialogs: list[str]


class Interpreter:
    """Executes steps in the front window; `ask` sends a question to the person or program watching the run, and `hide`
    reports a secret that was typed.
    """

    _is_looking = False
    """Whether the next step looks at the page."""

    def __init__(
        self,
        front: Callable[[], Page],
        start_url: str,
        values: Mapping[str, str],
        ask: Callable[[str], Awaitable[str]],
        is_quiet: Callable[[], bool] = lambda: True,
        files: Sequence[UploadFile] = (),
        downloads: Callable[[], Sequence[str]] = tuple,
        dialogs: DialogDesk | None = None,
        hide: Callable[[str], None] = lambda secret: None,
        step_seconds: float = DEFAULT_STEP_SECONDS,
    ) -> None:
        self._dialogs = dialogs
        self._step_seconds = step_seconds
        self._hide = hide
        self._front = front
        self._start_url = start_url
        self._given, self._values = values, dict(values)
        self._ask = ask
        self._expectations = Expectations(front, self._text, is_quiet, downloads)
        self._files = files
        self._actions: dict[str, Callable[[BrowserStep, float], Awaitable[None]]] = {
            "goto": self._goto,
            "fill": self._fill,
            "click": self._click,
            "press": self._press,
            "select": self._select,
            "choose": self._choose,
            **dict.fromkeys(("check", "uncheck"), self._tick),
            "hover": self._hover,
            "scroll": self._scroll,
            "back": self._back,
            "reload": self._reload,
            "expect": _nothing,
            "wait": self._wait,
            "upload": self._upload,
            "close_tab": self._close_tab,
            "ask_user_question": self._question,
        }

    @property
    def page(self) -> Page:
        """The front window."""
        return self._front()

    async def do(self, step: BrowserStep, following: BrowserStep | None = None) -> None:
        """Execute one step; raises StepFailed.

        Before a `following` step acts, or at the end, what was absent must be absent still.
        """
        from playwright.async_api import Error

        seconds = step.timeout_ms / 1000 if step.timeout_ms else self._step_seconds
        try:
            await self._set_dates(step)
            if step.action in ("goto", "reload", "back") or str(step.selector).startswith(LEAVING):
                await self._expectations.let_page_rest()
            self._is_looking = following is not None and following.action == "expect"
            if step.action not in ("expect", "wait") and self._is_looking:
                await self._expectations.note_messages()
            self._expect_dialog(step.dialog)
            await self._actions[step.action](step, seconds)
            await self._look_after(step, following, seconds)
        except SeveralRows as error:
            raise StepFailed(str(error), "one row", "several") from None
        except SeveralControls as error:
            raise WordsUnclear(str(error), "one element", "several") from None
        except Error as error:
            said = error.message.split("\nCall log")[0].strip()
            raise StepFailed(f"{step.action} {self._describe_step(step)}: {said}"[:MAX_SEEN_CHARACTERS]) from None

    async def _look_after(self, step: BrowserStep, following: BrowserStep | None, seconds: float) -> None:
        """Wait for what a step expects after its action; raises StepFailed."""
        try:
            if step.dialog:
                await self._check_dialog(step.dialog, seconds)
            if step.wait_for:
                await self._find_element(self._text(step.wait_for), "wait", seconds)
            if step.expect:
                await self._expectations.wait(_with_scope(step.expect, step), seconds)
            if following is None or following.action != "expect":
                is_waiting = following is not None and following.action == "wait"  # the prompt says for how long
                await self._expectations.confirm(with_timers=not is_waiting)
        except StepFailed as failed:
            failed.is_of_page = True
            raise

    async def read_text(self, selector: str = "") -> str:
        """Return the visible text of the page, or of an element; empty if it cannot be read."""
        from playwright.async_api import Error

        try:
            return await self._expectations.page_text(selector) or ""
        except (Error, SeveralRows, SeveralControls, StepFailed):
            return ""

    async def _set_dates(self, step: BrowserStep) -> None:
        """Give the dates of a step their values, by the clock and zone of the page."""
        names = {name for name in REFERENCE.findall(str(step)) if is_date(name)} - self._given.keys()
        if names:
            today = date(*await await_page(self.page.evaluate(PAGE_DATE), self._step_seconds))
            self._values.update({name: date_of(name, today).isoformat() for name in names})

    def _expect_dialog(self, answer: DialogAnswer | None) -> None:
        """Decide how the dialog of a step is answered, before the step opens it and waits for that."""
        if self._dialogs is not None:
            text = None if answer is None or answer.text is None else self._text(answer.text)
            self._dialogs.answer = answer and DialogAnswer(answer.accept, text)
            self._dialogs.dialogs.clear()

    async def _check_dialog(self, answer: DialogAnswer, seconds: float) -> None:
        """Wait for the dialog of a step; raises StepFailed where none appears, or one that says something else."""
        end = time.monotonic() + seconds
        messages = self._dialogs.dialogs if self._dialogs else []
        while True:
            if messages:
                break
            if time.monotonic() > end:
                raise StepFailed("the browser showed no dialog (alert, confirm or prompt)", "a dialog", "none")
            await asyncio.sleep(POLL_SECONDS)
        says = self._text(answer.says or "")
        if says not in " ".join(messages[0].split()):
            raise StepFailed(f"the dialog says '{messages[0]}', not '{says}'", f"a dialog with '{says}'", messages[0])

    async def _close_tab(self, step: BrowserStep, seconds: float) -> None:
        if len(self.page.context.pages) < 2:
            raise StepFailed("there is only one tab", "another tab", "one tab")
        await self.page.close()

    def _describe_step(self, step: BrowserStep) -> str:
        """Return the target of a step, without the values of its parameters."""
        return str(step.selector or step.value or "")

    def _text(self, given: object) -> str:
        return fill_parameters(str(given), self._values)

    async def _goto(self, step: BrowserStep, seconds: float) -> None:
        url = join_url(self._start_url, self._text(step.value), "goto")
        await self.open(url, max(seconds, 20), must_be_there=step.id == MUST_BE_THERE)

    async def open(self, url: str, seconds: float = 20, *, must_be_there: bool = False) -> None:
        """Open an address; raises StepFailed where it does not respond, or with an error status if `must_be_there`."""
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

    async def _fill(self, step: BrowserStep, seconds: float) -> None:
        if step.selector == EMAIL:
            await self._open_login(seconds)
        element = await self._find_element(self._text(step.selector), "fill", seconds)
        tag = await await_page(element.evaluate("each => each.getAttribute('role') || each.tagName"), seconds)
        if tag == "SELECT":
            await self._select_in(element, step, seconds)
            return
        if tag in ("FIELDSET", "radiogroup"):
            option = element.get_by_role("radio", name=self._text(step.value), exact=True)
            await option.check(timeout=seconds * 1000)
            return
        wanted = self._text(step.value)
        script = "each => [each.type || '', each.value ?? each.innerText, each.autocomplete || '']"
        await element.fill(wanted, timeout=seconds * 1000)
        kind, kept, purpose = await await_page(element.evaluate(script), seconds)
        if kind in LEFT_BEFORE_LOOKING and self._is_looking:
            await await_page(element.evaluate("each => { each.blur(); each.focus(); }"), seconds)
        if kind == "password" or any(word in purpose for word in SECRET_PURPOSES):
            self._hide(wanted)
        if (wanted and not kept) or (kind in MUST_MATCH and not _is_same(kept, wanted)):
            said = f"the field {step.selector} of type '{kind}' did not take the value; it has '{kept}'"
            raise StepFailed(said, "the value that was filled in", kept or "nothing")

    async def _open_login(self, seconds: float) -> None:
        """Follow the only link or button to the login form, where the page has no password field itself."""
        if await self._expectations.find(PASSWORD):
            return
        links = self.page.get_by_role("link", name=ENTERING).or_(self.page.get_by_role("button", name=ENTERING))
        visible = links.filter(visible=True)
        if await await_page(visible.count(), seconds) == 1:
            await visible.click(timeout=seconds * 1000)

    async def _click(self, step: BrowserStep, seconds: float) -> None:
        if is_of_each(step.selector):
            await self._do_to_each(self._text(step.selector), "click", seconds)
            return
        selector = self._text(step.selector)
        is_entering = selector.startswith(PLACE) and ENTERING.match(selector.removeprefix(PLACE))
        if is_entering and await self._expectations.find(PASSWORD):
            return  # the form to log in is there
        also = self._find_title if selector.startswith(PLACE) else None
        await self._open_record_of(selector, seconds)
        element = await self._find_element(selector, "click", seconds, also=also)
        if also and await await_page(element.evaluate("each => each.matches('h1:not([role])')"), seconds):
            return  # nothing leads to the page, since it is open
        await element.click(timeout=seconds * 1000)

    async def _open_record_of(self, selector: str, seconds: float) -> None:
        """Open the record that something is to be done to, if only its own page may have the control for that."""
        verb, _, name = selector.removeprefix(DO).partition(PART)
        if not selector.startswith(DO) or not name or PART in name or verb in ("open", "view"):
            return
        try:
            await self._find_element(selector, "click", min(seconds, CHOICE_SECONDS))
        except StepFailed:
            links = self.page.get_by_role("link", name=name, exact=True).filter(visible=True)
            if await links.count() == 1:
                await links.click(timeout=seconds * 1000)
                await self._expectations.let_requests_end()

    async def _find_title(self, selector: str) -> Locator | None:
        """Return the first-level heading of a page that nothing leads to."""
        words = selector.removeprefix(PLACE)
        titles = self.page.locator("h1:not([role])").filter(visible=True)
        for each in await titles.all():
            if (await each.inner_text()).strip().lower() == words.lower():
                return each
        return None

    async def _choose(self, step: BrowserStep, seconds: float) -> None:
        """Choose a radio button or an option, also of a closed list, else click the element of that name."""
        selector = self._text(step.selector)
        words = selector.partition("=")[2]
        try:
            element = await self._find_element(selector, "choose", min(seconds, CHOICE_SECONDS), also=self._option)
        except StepFailed:
            # words in small letters may describe a choice, such as `role Clerk`, rather than be its label
            failure = WordsUnclear if words[:1].islower() else StepFailed
            element = await self._find_element(f"{NAMED}{words}", "choose", seconds, failure=failure)
        if await await_page(element.evaluate("each => each.tagName"), seconds) == "OPTION":
            options = element.locator("xpath=ancestor::select")
            await options.select_option(label=words, timeout=seconds * 1000)
        else:
            await element.click(timeout=seconds * 1000)

    async def _option(self, selector: str) -> Locator | None:
        """Return an option of a closed list, which browsers do not report as visible."""
        words = selector.partition("=")[2]
        for frame in self.page.frames[:MAX_FRAMES]:
            lists = frame.locator("select").filter(visible=True)
            for each in await lists.locator("option").filter(has_text=words).all():
                if (await each.inner_text()).strip() == words:
                    return each
        return None

    async def _do_to_each(self, selector: str, action: str, seconds: float) -> None:
        """Do an action to an element of each entry that a table or list had at first; raises StepFailed."""
        entry, _, inner = selector.partition(INSIDE)
        await self._find_element(f"{entry}{INSIDE}{inner}", action, seconds)  # the page may not be complete yet
        keys = await list_entry_keys(self.page, entry)
        if len(keys) > MAX_ENTRIES:
            raise StepFailed(f"{len(keys)} entries are '{entry}'; at most {MAX_ENTRIES} are done one by one")
        for key in keys:
            element = await find_in_entry(self.page, entry, key, inner, action)
            if element is None:
                raise StepFailed(f"the entry '{key}' has no element '{inner}'", f"'{inner}' in each entry", "none")
            if action == "click":
                await element.click(timeout=seconds * 1000)
            else:
                await element.set_checked(action == "check", timeout=seconds * 1000)
            await self._expectations.let_requests_end()

    async def _tick(self, step: BrowserStep, seconds: float) -> None:
        is_on = step.action == "check"
        if is_of_each(step.selector):
            await self._do_to_each(self._text(step.selector), step.action, seconds)
            return
        if step.selector == ALL_BOXES:
            await self._find_element("checkbox=", "wait", seconds)
            for each in await self.page.get_by_role("checkbox").filter(visible=True).all():
                await each.set_checked(is_on, timeout=seconds * 1000)
            return
        element = await self._find_element(self._text(step.selector), "check", seconds)
        await element.set_checked(is_on, timeout=seconds * 1000)

    async def _scroll(self, step: BrowserStep, seconds: float) -> None:
        if step.selector:
            element = await self._find_element(self._text(step.selector), "scroll", seconds)
            await element.scroll_into_view_if_needed(timeout=seconds * 1000)
        else:
            to = "0" if step.value == "top" else "document.documentElement.scrollHeight"
            await await_page(self.page.evaluate(f"window.scrollTo(0, {to})"), seconds)

    async def _back(self, step: BrowserStep, seconds: float) -> None:
        if await self.page.go_back(timeout=max(seconds, 20) * 1000) is None and self.page.url == "about:blank":
            raise StepFailed("there is no page to go back to", "a page before this one", "none")

    async def _reload(self, step: BrowserStep, seconds: float) -> None:
        await self.page.reload(timeout=max(seconds, 20) * 1000)

    async def _hover(self, step: BrowserStep, seconds: float) -> None:
        element = await self._find_element(self._text(step.selector), "hover", seconds)
        await element.hover(timeout=seconds * 1000)

    async def _press(self, step: BrowserStep, seconds: float) -> None:
        key = self._text(step.value)
        if step.selector:
            element = await self._find_element(self._text(step.selector), "press", seconds)
            await element.press(key, timeout=seconds * 1000)
        else:
            await self.page.keyboard.press(key)

    async def _select(self, step: BrowserStep, seconds: float) -> None:
        await self._select_in(await self._find_element(self._text(step.selector), "select", seconds), step, seconds)

    async def _select_in(self, element: Locator, step: BrowserStep, seconds: float) -> None:
        wanted = self._text(step.value)
        script = "each => [...(each.options || [])].map(option => [option.value, option.label.trim()])"
        options: list[list[str]] = await await_page(element.evaluate(script), seconds)
        of_any_case = {label for _, label in options if label.casefold() == wanted.casefold()}
        if len(of_any_case) == 1 and not any(wanted in option for option in options):
            wanted = of_any_case.pop()
        if not any(wanted in option for option in options):
            have = [label or value for value, label in options]
            near = [{"selector": str(step.selector), "text": label} for label in have[:10]]
            said = f"there is no option '{wanted}' in {step.selector}"
            raise StepFailed(said, f"an option '{wanted}'", ", ".join(have), near)
        by_label = any(label == wanted for _, label in options)
        label = wanted if by_label else None
        await element.select_option(label=label, value=None if by_label else wanted, timeout=seconds * 1000)

    async def _wait(self, step: BrowserStep, seconds: float) -> None:
        if step.value is not None:
            await asyncio.sleep(float(self._text(step.value)) / 1000)
        if step.selector:
            await self._find_element(self._text(step.selector), "wait", seconds)

    async def _upload(self, step: BrowserStep, seconds: float) -> None:
        """Put a file into a file field, even a hidden one, or into the chooser that a button opens."""
        try:
            file = file_named(self._text(step.value), self._files)
        except ConfigError as error:
            raise StepFailed(str(error)) from None
        selector = self._text(step.selector or "")
        if field := await self._file_field(selector):
            if await field.is_disabled():
                raise StepFailed(f"the file field {selector} is disabled", "an enabled file field", "a disabled one")
            await field.set_input_files([file], timeout=seconds * 1000)
            return
        button = await self._find_element(selector or FILE_FIELD, "click", seconds)
        async with self.page.expect_file_chooser(timeout=seconds * 1000) as opened:
            await button.click(timeout=seconds * 1000)
        await (await opened.value).set_files([file], timeout=seconds * 1000)

    async def _file_field(self, selector: str) -> Locator | None:
        """Return the file field of a label or of CSS, or the only one; None if there is none."""
        kind, words = kind_of(selector) or ("field", selector.removeprefix(NAMED))
        if kind != "field":
            return None
        for frame in self.page.frames[:MAX_FRAMES]:
            fields = frame.locator(FILE_FIELD)
            if selector:
                is_css = re.search(r"[#.\[>]|^input", selector)
                fields = fields.and_(frame.locator(selector) if is_css else frame.get_by_label(words))
            count = await fields.count()
            if count > 1:
                raise StepFailed(f"{count} file fields match '{selector}'", "one file field", f"{count} of them")
            if count:
                return fields.first
        return None

    async def _question(self, step: BrowserStep, seconds: float) -> None:
        answer = await self._ask(self._text(step.value))
        self._values.update(dict.fromkeys([*step.parameter_refs, ANSWER], answer))

    async def _find_element(
        self,
        selector: str,
        action: str,
        seconds: float,
        also: Callable[[str], Awaitable[Locator | None]] | None = None,
        failure: type[StepFailed] = StepFailed,
    ) -> Locator:
        """Wait for the first visible element of a selector, or for what `also` returns; raises StepFailed."""
        end = time.monotonic() + seconds
        while True:
            several: SeveralControls | None = None
            element: Locator | None = None
            try:
                element = await await_page(self._expectations.find(selector, action), end - time.monotonic())
            except SeveralControls as error:  # the page may not be complete yet
                several = error
            if element is None and also:
                element = await await_page(also(selector), end - time.monotonic())
            if element:
                return element
            if time.monotonic() > end:
                break
            await asyncio.sleep(POLL_SECONDS)
        if several:
            raise several
        near = await candidates(self.page, selector)
        shown = ", ".join(f"{each['selector']} ({each['text']})" for each in near) or "nothing like it"
        said = f"no visible element '{selector}' within {seconds:g} seconds"
        kind, _, words = selector.partition("=")
        # words in small letters may describe an element, such as `the reminder box`, rather than be its label
        is_described = words.islower() and (f"{kind}=" == PLACE or (action in DESCRIBED and is_by_words(selector)))
        if is_intent(selector) or VERB in selector or is_described:
            failure = WordsUnclear
        raise failure(said, f"a visible element '{selector}'", shown, near)


async def _nothing(step: BrowserStep, seconds: float) -> None:
    """Do nothing: a step that only expects has no action."""


def _with_scope(expect: Expect, step: BrowserStep) -> Expect:
    """Restrict an expectation to the selector of a step that only expects; otherwise it covers the whole page."""
    if expect.selector or step.action != "expect" or expect.type in ("url", "title"):
        return expect
    return msgspec.structs.replace(expect, selector=step.selector)


def _is_same(kept: str, wanted: str) -> bool:
    """Return whether a field has kept a value, perhaps with the number in another notation."""
    try:
        return kept == wanted or float(kept) == float(wanted)
    except ValueError:
        return kept.lower() == wanted.strip().lower()
