"""Evaluates expectations on a page, and how long one must hold before it counts."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

import msgspec

from twindiff.browser.config import REFERENCE, Expect
from twindiff.browser.each_entry import is_of_each, look_in_entries
from twindiff.browser.element_choice import ACTIONS, choose_element
from twindiff.browser.element_finder import (
    ENTERING,
    EXACT,
    INSIDE,
    LISTS,
    MAX_FRAMES,
    NAMED,
    PASSWORD,
    ROW,
    SeveralRows,
    candidates,
    frames_of,
    is_by_words,
    kind_of,
    locators,
    resolve_scope,
)
from twindiff.browser.entry_finder import EACH, ENTRY, NTH, THINGS, EntriesUnclear, find_entries, find_entry
from twindiff.browser.entry_states import STATUS_COLUMNS, StatesUnclear, is_called, read_states
from twindiff.browser.intent_finder import LABEL, SeveralControls, find_intended, is_intent
from twindiff.browser.message_finder import FIND_MESSAGES, IN_DIALOG, MESSAGES, NEWS, is_said
from twindiff.browser.page_text import count_words, cut_around, normalize_blanks
from twindiff.browser.page_timers import MAX_DELAY_SECONDS, OVERDUE_SECONDS, PENDING_SECONDS
from twindiff.browser.run_dates import forms_of, is_date
from twindiff.browser.visible_text import IS_SEEN, TEXT_OF, list_texts

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator, Page

POLL_SECONDS = 0.05
ANSWER_SECONDS = 3.0
"""Seconds that a page has to respond even where the time of a step is shorter."""
QUIET_SECONDS = 0.5
"""Seconds that an absence or a maximum count must hold while no request is open."""
MAX_UNQUIET_SECONDS = 2.0
"""The same where requests stay open."""
MAX_REQUEST_LOOKS = round(MAX_UNQUIET_SECONDS / POLL_SECONDS)
MAX_REST_SECONDS = 1.0
"""Seconds that timers of a page may take before it is left."""
MAX_TIMER_ROUNDS = 2
"""Timers that are waited for one after the other: one may set another, and one that polls does so for ever."""
ROWS_OF = {"datarow": "table, [role=table], [role=grid]", "listitem": "ul, ol, [role=list]"}
"""Containers of rows and items; without one, a count of 0 is not conclusive."""
MAX_ALIKE = 20
"""Elements of one selector whose states are compared."""
SEEING = "see"
"""What is done to an element that a person must see, beyond what a browser calls visible."""
T = TypeVar("T")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_AMOUNT = re.compile(r"(?<![\w.])[$€£]?\s?-?(\d[\d,]*(?:\.\d+)?)(?!\w)")
_BELOW = rf"""label => {{
  const isSeen = {IS_SEEN}, textOf = {TEXT_OF};
  return [...document.querySelectorAll('table')].filter(table => isSeen(table) && table.rows.length).flatMap(table => {{
    const heads = [...table.rows[0].cells].filter(each => each.tagName === 'TH');
    const at = heads.findIndex(each => textOf(each).trim().toLowerCase() === label);
    const rows = [...table.rows].filter(row => at >= 0 && row.querySelector('td') && isSeen(row));
    return rows.map(row => [textOf(row), row.cells[at] ? textOf(row.cells[at]) : '']);
  }});
}}"""
"""Pairs of the text of a row and of its cell below the header of a column."""
_CELLS_OF_ROW = rf"""label => {{
  const isSeen = {IS_SEEN}, textOf = {TEXT_OF}, plain = text => text.replace(/\s+/g, ' ').trim();
  return [...document.querySelectorAll('tr')].filter(row => row.querySelector('td') && isSeen(row))
    .map(row => [...row.cells].map(cell => plain(textOf(cell))))
    .filter(cells => cells.length > 1 && cells.some(cell => cell.toLowerCase() === label))
    .map(cells => cells.filter(cell => cell.toLowerCase() !== label));
}}"""
"""The other cells of each row that has a cell of this text."""
_LISTED = rf"""() => {{
  const textOf = {TEXT_OF};
  const LISTS = 'table, [role=table], [role=grid], ul, ol, [role=list]';
  const lists = [...document.querySelectorAll(LISTS)]
    .filter(each => textOf(each).trim() && !each.parentElement.closest(`nav, header, footer, ${{LISTS}}`));
  const isEmpty = /\b(no|0) [\w -]{{1,40}}|\bempty\b|\bnothing\b/i.test(textOf(document.body));
  return lists.length ? lists.map(textOf) : isEmpty ? [''] : null;
}}"""
"""The texts of all tables and lists; an empty one where the page says that there is nothing to list."""
_IS_TITLED = rf"""place => {{
  const isSeen = {IS_SEEN}, textOf = {TEXT_OF};
  const titles = [...document.querySelectorAll('h1, h2, h3, h4, caption, legend')].filter(isSeen).map(textOf);
  const labels = [...document.querySelectorAll('table, ul, ol, section, [role=table], [role=list]')].filter(isSeen);
  const names = [...titles, ...labels.map(each => each.getAttribute('aria-label') || '')];
  return names.some(name => name.toLowerCase().split(/[^\p{{L}}\p{{N}}]+/u)
    .some(word => word === place || word === `${{place}}s` || `${{word}}s` === place));
}}"""
"""Returns whether a title of the page, or the name of a list, says a word."""
_VALUES = rf"""each => each.tagName === 'SELECT'
  ? [...each.selectedOptions].flatMap(option => [option.label.trim(), option.value])
  : [each.value ?? ({TEXT_OF})(each)]"""


class StepFailed(Exception):
    """A step could not be done, or what it expects does not hold."""

    category = "step"
    is_of_page = False
    """Whether the action was done, and the page did not answer it as expected."""

    def __init__(self, said: str, expected: str = "", seen: str = "", near: list[dict[str, str]] | None = None) -> None:
        super().__init__(said)
        self.expected, self.seen, self.near = expected, seen, near or []


class WordsUnclear(StepFailed):
    """The page has no single element, or no column, that the words of a step mean."""

    category = "not_understood"


class Observation(NamedTuple):
    """What the page shows, and whether the expectation holds; None where the page cannot be read yet."""

    holds: bool | None
    seen: str
    unclear: str = ""
    """Why the page has nothing of the kind that is spoken of, or several."""


class Expectations:
    """Waits until the front page meets an expectation; raises StepFailed if it does not in time."""

    def __init__(
        self,
        front: Callable[[], Page],
        text: Callable[[object], str],
        is_quiet: Callable[[], bool],
        downloads: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._front = front
        self._text = text
        self._is_quiet = is_quiet
        self._downloads = downloads
        self._told_before: list[tuple[bool, str]] = []
        """What the page told before the last action."""
        self._provisional: list[Expect] = []
        """Expectations of this page that something late may break, until the next action."""

    async def wait(self, expect: Expect, seconds: float) -> None:
        """Wait until an expectation holds; raises StepFailed with what was seen instead."""
        end = time.monotonic() + seconds
        since: float | None = None
        while True:
            look = await await_page(self._look(expect), end - time.monotonic())
            now = time.monotonic()
            since = (since or now) if look.holds else None
            if since is not None and self._has_held(expect, now - since):
                self._note(expect)
                return
            if now > end and since is None and look.unclear:
                raise WordsUnclear(look.unclear, "one element", look.seen)
            if now > end and since is None:
                await self._refuse(expect, look)
            await asyncio.sleep(POLL_SECONDS)

    def _has_held(self, expect: Expect, seconds: float) -> bool:
        """Return whether a condition that an incomplete page may still break has held for long enough.

        What is loaded late can break an absence (`negated`), a maximum, and which entry or element has a position
        (`ENTRY`, `NTH`). All else counts as soon as it holds.
        """
        return not _can_break(expect) or seconds >= (QUIET_SECONDS if self._is_quiet() else MAX_UNQUIET_SECONDS)

    def _note(self, expect: Expect) -> None:
        """Keep what something late may break; a later sentence that says the opposite replaces it."""
        opposite = msgspec.structs.replace(expect, negated=not expect.negated)
        self._provisional = [each for each in self._provisional if each not in (expect, opposite)]
        if _can_break(expect):
            self._provisional.append(expect)

    async def confirm(self, *, with_timers: bool = True) -> None:
        """Look again at what something late may break, after all short timers; raises StepFailed where it is broken."""
        provisional, self._provisional = self._provisional, []
        if not provisional:
            return
        needed = QUIET_SECONDS if with_timers and await self._let_timers_run() else 0.0
        end = time.monotonic() + MAX_UNQUIET_SECONDS
        before: Expect | None = None
        since = time.monotonic()
        while True:
            broken, seen = await self._find_broken(provisional)
            now = time.monotonic()
            is_unquiet = not self._is_quiet() and now < end
            if is_unquiet or broken != before:
                before, since, needed = broken, now, QUIET_SECONDS
            if now - since >= needed and not is_unquiet:
                break
            await asyncio.sleep(POLL_SECONDS)
        if broken:
            said = f"'{broken}' held at first, but not after all that the page had scheduled"
            raise StepFailed(said, str(broken), cut_around(seen, self._expected_text(broken)))

    async def _find_broken(self, provisional: Sequence[Expect]) -> tuple[Expect | None, str]:
        """Return the first of these that does not hold, and what is seen instead."""
        for expect in provisional:
            look = await await_page(self._look(expect), ANSWER_SECONDS)
            if look.holds is False:
                return expect, look.seen
        return None, ""

    async def let_requests_end(self) -> None:
        """Wait until no request is open, but not longer than for an absence."""
        await asyncio.sleep(POLL_SECONDS)
        for _ in range(MAX_REQUEST_LOOKS):
            if self._is_quiet():
                return
            await asyncio.sleep(POLL_SECONDS)

    async def let_page_rest(self) -> None:
        """Wait for requests and short timers before a page is left, since what it saves would be lost."""
        await self._let_timers_run(MAX_REST_SECONDS)
        await self.let_requests_end()

    async def _let_timers_run(self, limit: float = MAX_DELAY_SECONDS) -> bool:
        """Wait for the short timers of the page; returns whether there were any."""
        begin = time.monotonic()
        rounds, has_timers = 0, False
        known: list[int] = []
        while True:
            pending = [await self._find_pending(frame, limit) for frame in self._front().frames[:MAX_FRAMES]]
            seconds = min(max(seconds for seconds, _ in pending), begin + limit - time.monotonic())
            newest = [timer for _, timer in pending]
            is_late = seconds <= OVERDUE_SECONDS and newest == known  # a page on a busy machine runs its timers late
            rounds, known = rounds + (not is_late), newest
            has_timers = has_timers or seconds > 0
            if seconds <= 0 or rounds > MAX_TIMER_ROUNDS:
                return has_timers
            await asyncio.sleep(seconds + POLL_SECONDS)

    async def _find_pending(self, frame: Frame, limit: float) -> tuple[float, int]:
        from playwright.async_api import Error

        try:
            seconds, newest = await await_page(frame.evaluate(PENDING_SECONDS, limit), ANSWER_SECONDS)
            return seconds, newest
        except Error:  # the frame has gone, and its timers with it
            return 0.0, 0

    async def _refuse(self, expect: Expect, look: Observation) -> None:
        wanted = self._expected_text(expect)
        where = f" in {expect.selector}" if expect.selector else ""
        near = (
            []
            if expect.type in ("url", "title", "download", "new_tab")
            else await candidates(self._front(), wanted or expect.selector or "")
        )
        expected, said = self._describe(expect, wanted, where)
        if expect.type == "count":
            said = f"{said}, but the page has {look.seen}"
        raise StepFailed(said, expected, cut_around(look.seen, wanted), near)

    def _describe(self, expect: Expect, wanted: str, where: str) -> tuple[str, str]:
        """Return the expectation as a noun phrase, and as the sentence of a failure."""
        kind, selector = expect.type, expect.selector
        if kind == "count":
            few, many = expect.min, expect.max
            span = str(few) if few == many else f"at least {few}" if many is None else f"{few or 0} to {many}"
            what = f"'{wanted}'{where}" if wanted else f"'{selector}'"
            return f"{span} of {what}", f"expected {span} of {what}"
        if kind == "labelled" and expect.equals is None:
            return f"'{selector}' {expect}", f"expected '{selector}': {expect}"
        if not wanted and expect.equals is None:
            state = f"not {kind}" if expect.negated else kind
            said = "a" if kind == "visible" and not expect.negated else state
            if said == "a":
                return f"a visible element '{selector}'", f"no visible element '{selector}'"
            return f"'{selector}' {state}", f"expected '{selector}' to be {state}"
        kind = "value" if kind == "labelled" else kind
        verb, infinitive = ("is", "be") if expect.equals is not None else ("contains", "contain")
        if expect.negated:
            return f"the {kind} without '{wanted}'{where}", f"expected the {kind} not to {infinitive} '{wanted}'{where}"
        return f"the {kind} {verb} '{wanted}'{where}", f"expected the {kind} to {infinitive} '{wanted}'{where}"

    def _expected_text(self, expect: Expect) -> str:
        wanted = expect.contains if expect.equals is None else expect.equals
        return "" if wanted is None else self._text(wanted)

    async def _look(self, expect: Expect) -> Observation:
        from playwright.async_api import Error

        try:
            of_element = ("visible", "disabled", "checked")
            is_each = is_of_each(expect.selector) and expect.type in of_element
            look = await (self._look_in_each(expect) if is_each else self._look_by_type(expect))
        except Error:
            return Observation(None, "a page that is being loaded")
        except SeveralControls as error:  # the page may not be complete yet
            return Observation(None, "", str(error))
        return look._replace(holds=not look.holds) if expect.negated and look.holds is not None else look

    async def _look_by_type(self, expect: Expect) -> Observation:  # noqa: C901 - one case per type
        match expect.type:
            case "text":
                return await self._look_at_text(expect)
            case "url":
                return await self._look_at_url(expect)
            case "title":
                return await self._look_at_title(expect)
            case "visible":
                return await self._look_for_element(expect)
            case "count":
                return await self._count(expect)
            case "download":
                return await self._look_at_downloads(expect)
            case "new_tab":
                return await self._look_for_tab(expect)
            case "labelled":
                return await self._look_beside_label(expect)
            case "signed_in":
                return await self._look_who_is_signed_in(expect)
            case "state":
                return await self._look_at_state(expect)
            case "value" | "placeholder" | "disabled" | "checked" | "focused":
                return await self._look_at_element(expect, expect.type)

    async def _look_at_url(self, expect: Expect) -> Observation:
        url, wanted = self._front().url, self._expected_text(expect)
        parts = urlsplit(url)
        forms = (url, url.rstrip("/"), parts.path, f"{parts.path}?{parts.query}", f"{parts.path}#{parts.fragment}")
        return Observation(wanted in forms if expect.equals is not None else wanted in url, url)

    async def _look_at_title(self, expect: Expect) -> Observation:
        title = await self._front().title()
        return Observation(self._is_in(expect, title), title)

    async def _look_at_downloads(self, expect: Expect) -> Observation:
        names = [*self._downloads()]
        return Observation(any(self._is_in(expect, name) for name in names), ", ".join(names) or "no download")

    async def _look_for_tab(self, expect: Expect) -> Observation:
        count = len(self._front().context.pages)
        return Observation(count > 1, f"{count} tabs" if count > 1 else "one tab")

    async def _look_beside_label(self, expect: Expect) -> Observation:
        """Compare the value of a field, or what follows its label on the page."""
        label = normalize_blanks(self._text(expect.selector))
        if label.startswith(ENTRY):
            return await self._look_in_column_of_entries(expect, label)
        if label.startswith(ROW):
            return await self._look_in_column(expect, label)
        field = await self.find(f"field={label}", SEEING)
        if field is not None:
            values: list[str] = await field.evaluate(_VALUES)
            return self._compare(expect, values)
        in_table = await self._look_in_tables(expect, label)
        if in_table:
            return in_table
        seen = await self.page_text()
        if seen is None:
            return Observation(None, "")
        text = normalize_blanks(seen)
        label_pattern = rf"(?<!\w){re.escape(label)}[\s:=]*"
        beside = re.search(label_pattern, text, re.IGNORECASE)
        if beside is None:
            return Observation(None, f"no '{label}'")
        near = text[beside.start() : beside.start() + 200]
        if expect.equals is None:
            return self._compare(expect, [" ".join(text[beside.end() :].split(" ")[:1])])
        forms = "|".join(map(re.escape, map(normalize_blanks, self._expected_forms(expect))))
        whole = rf"{label_pattern}(?:{forms})(?![\w.,]*\d)(?!\w)"
        return Observation(bool(re.search(whole, text, re.IGNORECASE)), near)

    async def _look_in_tables(self, expect: Expect, label: str) -> Observation | None:
        """Compare the cell below a header, or the other cells of a row that has the label; None without either."""
        below: list[tuple[str, str]] = await self._front().evaluate(_BELOW, label.casefold())
        if len(below) > 1:
            return Observation(None, below[0][1], f"{len(below)} rows have a '{label}'; name the row")
        if below:
            return self._compare(expect, [below[0][1]])
        rows: list[list[str]] = await self._front().evaluate(_CELLS_OF_ROW, label.casefold())
        if not rows:
            return None
        seen = " ".join(rows[0])
        if len(rows) > 1:
            return Observation(None, seen, f"{len(rows)} rows say '{label}'")
        if expect.equals is None and len(rows[0]) > 1:
            return Observation(None, seen, f"the row '{label}' has several values; name the column")
        looks = [self._compare(expect, [each]) for each in rows[0]]
        return Observation(any(look.holds for look in looks), seen, looks[0].unclear)

    def _compare(self, expect: Expect, values: Sequence[str]) -> Observation:
        """Compare values with the expected text, or the number in the first with a minimum and maximum."""
        seen = values[0] if values else ""
        if expect.equals is not None:
            forms = [normalize_blanks(each) for each in self._expected_forms(expect)]
            return Observation(any(normalize_blanks(each) in forms for each in values), seen)
        numbers = _AMOUNT.findall(seen)
        if len(numbers) != 1:
            return Observation(None, seen, f"'{expect.selector}' is '{seen}', which is no single number")
        number = float(numbers[0].replace(",", ""))
        few, many = expect.min, expect.max
        if not number.is_integer() and any(each is not None and abs(number - each) < 1 for each in (few, many)):
            return Observation(None, seen, f"'{seen}' is no whole number, so that the comparison is not clear")
        return Observation((few is None or number >= few) and (many is None or number <= many), seen)

    async def _look_in_column_of_entries(self, expect: Expect, label: str) -> Observation:
        """Compare what each of some entries says in a column, or beside a label."""
        entry, _, column = label.partition(INSIDE)
        try:
            cells = await look_in_entries(self._front(), entry, column)
        except EntriesUnclear as error:
            return Observation(None, "", str(error))
        looks = [self._compare(expect, [each]) for each in cells if each is not None]
        if not looks or len(looks) < len(cells):
            return Observation(None, "no such entry", f"there is no column '{column}'" if cells else "")
        unclear = next((look.unclear for look in looks if look.unclear), "")
        verdicts = [bool(look.holds) for look in looks]
        holds = any(verdicts) if expect.negated else all(verdicts)
        return Observation(None if unclear else holds, ", ".join(look.seen for look in looks), unclear)

    async def _look_in_each(self, expect: Expect) -> Observation:
        """Look for an element, or its state, in each entry."""
        entry, _, inner = self._text(expect.selector).partition(INSIDE)
        try:
            entries = await find_entry(self._front().main_frame, entry)
            verdicts = [await self._is_in_entry(each, inner, expect) for each in entries]
        except EntriesUnclear as error:
            return Observation(None, "", str(error))
        seen = f"{verdicts.count(True)} of {len(verdicts)} entries"
        if not verdicts:
            return Observation(None, seen, "the table or list has no entries")
        return Observation(any(verdicts) if expect.negated else all(verdicts), seen)

    async def _is_in_entry(self, entry: Locator, inner: str, expect: Expect) -> bool:
        """Return whether an entry shows an element; for a state, whether all of that name have it."""
        for locator in locators(entry, inner, "expect"):
            seen = [each for each in await locator.filter(visible=True).all() if await each.evaluate(IS_SEEN)]
            if seen and expect.type == "visible":
                return True
            if seen:
                kind: Any = expect.type
                return all([await _has_state(each, kind) for each in seen])
        return False

    async def _look_in_column(self, expect: Expect, selector: str) -> Observation:
        """Compare the cell of a row below the header of a column; raises WordsUnclear if the table lacks the column."""
        row, _, column = selector.removeprefix(ROW).rpartition(INSIDE)
        cells = await self._list_cells(column)
        meant = [cell for text, cell in cells if row.casefold() in normalize_blanks(text).casefold()]
        if len(meant) > 1:
            return Observation(None, "several rows", f"{len(meant)} rows say '{row}'")
        if meant:
            return self._compare(expect, [meant[0]])
        shown = await self.page_text()
        if shown is None:
            return Observation(None, "a page that is being loaded")
        is_elsewhere = not cells and row.casefold() in normalize_blanks(shown).casefold()
        return Observation(None, f"no row '{row}'", f"there is no column '{column}'" if is_elsewhere else "")

    async def _look_at_state(self, expect: Expect) -> Observation:
        """Look whether an entry shows a state: anywhere, or below the header of a column."""
        selector, wanted = self._text(expect.selector), normalize_blanks(self._expected_text(expect))
        row, _, column = selector.partition(INSIDE)
        if column and (column not in STATUS_COLUMNS or await self._list_cells(column)):
            cell = await self._look_in_column(msgspec.structs.replace(expect, contains=wanted), selector)
            is_read = cell.holds is not None
            seen = normalize_blanks(cell.seen)
            # *Approved* may be said of *Approved (2 of 3)* or not; a number is that of the cell, or another one
            if is_read and re.search(r"\d", seen) and not re.search(r"\d", wanted):
                return Observation(None, seen, f"'{column}' is '{seen}', of which '{wanted}' may be said or not")
            return cell._replace(holds=seen.casefold() == wanted.casefold()) if is_read else cell
        frame = self._front().main_frame
        try:
            entries = await find_entry(frame, row) if row.startswith(ENTRY) else await self._find_called(row)
            if entries and row.startswith(ROW) and not await is_called(entries[0], row.removeprefix(ROW)):
                raise StatesUnclear("the entry only mentions the name")
            shown = await read_states(frame, entries, wanted)
            texts = [normalize_blanks(await each.evaluate(TEXT_OF)) for each in entries[:MAX_ALIKE]]
        except (SeveralRows, StatesUnclear, EntriesUnclear) as error:
            return Observation(None, "", str(error))
        if not shown:
            return Observation(None, "no such entry", f"the page lists no entry '{row.removeprefix(ROW)}'")
        return Observation(any(shown) if expect.negated else all(shown), "; ".join(texts))

    async def _find_called(self, row: str) -> list[Locator]:
        """Return the row or card of a name, or the page of which the heading is the name; raises SeveralRows."""
        place = await resolve_scope(self._front().main_frame, row)
        if place:
            return [cast("Locator", place[0])]
        heading = self._front().get_by_role("heading", level=1, name=row.removeprefix(ROW), exact=True)
        is_page = await heading.filter(visible=True).count() == 1
        return [self._front().locator("main, body").first] if is_page else []

    async def _list_cells(self, column: str) -> list[tuple[str, str]]:
        """Return the text of each row with its cell below a header; a state may be called a status."""
        names = STATUS_COLUMNS if column.casefold() in STATUS_COLUMNS else (column,)
        for name in (column, *names):
            cells: list[tuple[str, str]] = await self._front().evaluate(_BELOW, name.casefold())
            if cells:
                return cells
        return []

    async def _look_at_text(self, expect: Expect) -> Observation:
        if (expect.selector or "").startswith(LISTS):
            return await self._look_in_lists(expect)
        if (expect.selector or "").startswith(MESSAGES):
            return await self._look_at_messages(expect)
        if (expect.selector or "").startswith(ENTRY):
            return await self._look_in_entries(expect)
        seen = await self.page_text(expect.selector)
        return Observation(self._is_in(expect, seen) if seen is not None else None, seen or "")

    async def _look_in_entries(self, expect: Expect) -> Observation:
        """Look in one entry of a table or list, or in each of them, of which there must be one."""
        try:
            entries = await find_entry(self._front().main_frame, self._text(expect.selector))
        except EntriesUnclear as error:
            return Observation(None, "", str(error))
        if not entries and f"{ENTRY}{EACH} " in str(expect.selector):
            return Observation(None, "", "the table or list has no entries")
        texts = [text for each in entries for text in await list_texts(each)]
        if len(texts) < len(entries):
            return Observation(None, "a page that is being loaded")
        verdicts = [self._is_in(expect, each) for each in texts]
        if expect.equals is not None:
            verdicts = [await self._is_called(each, expect) for each in entries]
            wanted = normalize_blanks(self._expected_text(expect))
            if any(not same and wanted in normalize_blanks(text) for same, text in zip(verdicts, texts, strict=True)):
                return Observation(None, "\n".join(texts), f"'{wanted}' is only a part of what the entry says")
        if expect.negated and entries:  # the caller negates, and none of them may say it
            return Observation(any(verdicts), "\n".join(texts))
        return Observation(bool(entries) and all(verdicts) if entries else None, "\n".join(texts) or "no such entry")

    async def _is_called(self, entry: Locator, expect: Expect) -> bool:
        """Return whether an entry, or one element of it, says exactly the expected text."""
        wanted = normalize_blanks(self._expected_text(expect))
        script = f"each => [each, ...each.querySelectorAll('*')].map({TEXT_OF})"
        texts: list[str] = await entry.evaluate(script)
        return any(normalize_blanks(each or "") == wanted for each in texts)

    async def _look_who_is_signed_in(self, expect: Expect) -> Observation:
        """Look for a name on a page that asks nobody to sign in; a page that says no name is unclear."""
        is_asking = await self.find(PASSWORD) or await self._count_entering()
        seen = normalize_blanks(await self.page_text() or "")
        if is_asking:
            return Observation(False, "a link or form to sign in")
        name = normalize_blanks(self._expected_text(expect))
        is_named = bool(count_words(seen, name))
        return Observation(is_named or None, seen, "" if is_named else f"the page does not say '{name}'")

    async def _count_entering(self) -> int:
        page = self._front()
        places = page.get_by_role("link", name=ENTERING).or_(page.get_by_role("button", name=ENTERING))
        return await places.filter(visible=True).count()

    async def _look_in_lists(self, expect: Expect) -> Observation:
        """Look in the tables and lists of the page, which must agree; one that is empty may not be shown at all."""
        place = str(expect.selector).removeprefix(LISTS)
        if place and not await self._front().evaluate(_IS_TITLED, place.casefold()):
            return Observation(None, "", f"no heading or caption of the page says '{place}'")
        lists: list[str] | None = await self._front().evaluate(_LISTED)
        if lists is None:
            return Observation(None, "no table or list")
        verdicts = {self._is_in(expect, each) for each in lists}
        several = "several lists, of which only some say it" if len(verdicts) > 1 else ""
        return Observation(None if several else verdicts.pop(), "\n".join(lists), several)

    async def _look_at_messages(self, expect: Expect) -> Observation:
        """Look for a message that says the expected in other words; that none does is unclear, not false."""
        texts = await self._read_messages(is_in_dialog=expect.selector == MESSAGES + IN_DIALOG)
        said = self._expected_text(expect)
        if is_said(said, texts):
            if expect.selector == MESSAGES + NEWS and is_said(said, self._told_before):
                return Observation(None, said, f"the page said '{said}' before the last action already")
            return Observation(True, said)
        told = "; ".join(normalize_blanks(text) for is_message, text in texts if is_message)
        return Observation(None, told, f"no message of the page says '{said}'; quote what it is to say")

    async def note_messages(self) -> None:
        """Remember what the page tells before an action, which is no news after it."""
        from playwright.async_api import Error

        try:
            self._told_before = await self._read_messages()
        except Error:
            self._told_before = []

    async def _read_messages(self, *, is_in_dialog: bool = False) -> list[tuple[bool, str]]:
        texts: list[tuple[bool, str]] = []
        for frame in (await frames_of(self._front(), ""))[0]:
            texts += await frame.evaluate(FIND_MESSAGES, is_in_dialog)
        return texts

    def _is_in(self, expect: Expect, seen: str) -> bool:
        """Return whether a text meets the expectation; negated ones ignore case."""
        seen = normalize_blanks(seen)
        for wanted in map(normalize_blanks, self._expected_forms(expect)):
            said, there = (wanted.casefold(), seen.casefold()) if expect.negated else (wanted, seen)
            if said == there if expect.equals is not None else said in there:
                return True
        return False

    def _expected_forms(self, expect: Expect) -> list[str]:
        """Return the expected text, or all the forms of a date."""
        raw, text = expect.contains if expect.equals is None else expect.equals, self._expected_text(expect)
        named = REFERENCE.fullmatch(raw or "")
        is_of_run = named is not None and is_date(named[1]) and _ISO.fullmatch(text)
        return forms_of(date.fromisoformat(text)) if is_of_run else [text]

    async def _look_for_element(self, expect: Expect) -> Observation:
        selector = self._text(expect.selector)
        element = await self.find(selector, SEEING)
        kind = kind_of(selector)
        if element is None and expect.negated and kind and kind[1]:  # what looks like a button may lack the role
            element = await self.find(f"{EXACT}{kind[1]}", SEEING)
        return Observation(element is not None, "a visible one" if element else "none that is visible")

    async def _count(self, expect: Expect) -> Observation:
        wanted = normalize_blanks(self._expected_text(expect))
        if (expect.selector or "").startswith(THINGS):
            try:
                count = (await find_entries(self._front().main_frame, str(expect.selector).removeprefix(THINGS))).number
            except EntriesUnclear as error:
                return Observation(None, "", str(error))
        elif wanted:
            seen = await self.page_text(expect.selector)
            count = None if seen is None else count_words(normalize_blanks(seen), wanted)
        else:
            count = await self._count_elements(self._text(expect.selector))
            if count == 0 and not await self._has_rows(self._text(expect.selector)):
                said = "the page has no table or list that could have any"
                return Observation(None, said, said)
        if count is None:
            return Observation(None, "a page that is being loaded")
        is_so = (expect.min or 0) <= count and (expect.max is None or count <= expect.max)
        return Observation(is_so, str(count))

    async def _has_rows(self, selector: str) -> bool:
        """Return whether there is a table or list to count rows or items in; true for other selectors."""
        kind = kind_of(selector)
        if kind is None or kind[0] not in ROWS_OF:
            return True
        return any([await frame.locator(ROWS_OF[kind[0]]).count() for frame in self._front().frames[:MAX_FRAMES]])

    async def _count_elements(self, selector: str) -> int:
        count, kind = 0, kind_of(selector)
        words = normalize_blanks(kind[1]).casefold() if kind and kind[0] in ROWS_OF else ""
        frames, selector = await frames_of(self._front(), selector)
        for frame in frames:
            place = await resolve_scope(frame, selector)
            for locator in locators(*place, "expect") if place else ():
                elements = locator.filter(visible=True)
                texts: list[str] = await elements.evaluate_all(f"all => all.filter({IS_SEEN}).map({TEXT_OF})")
                seen = len(
                    [text for text in texts if not words or count_words(normalize_blanks(text).casefold(), words)]
                )
                count += seen
                if seen:
                    break
        return count

    async def _look_at_element(
        self, expect: Expect, kind: Literal["value", "placeholder", "disabled", "checked", "focused"]
    ) -> Observation:
        element = await self.find(self._text(expect.selector))
        if element is None:
            return Observation(None, "no such element")
        match kind:
            case "value":
                return await self._look_at_values(expect)
            case "placeholder":
                text = await element.get_attribute("placeholder") or ""
                return Observation(self._is_in(expect, text), text or "no placeholder")
            case "disabled" | "checked":
                states = {await _has_state(each, kind) for each in await self._find_alike(expect)}
                if len(states) != 1:
                    said = f"several elements are '{expect.selector}', of which only some are {kind}; name the one"
                    return Observation(None, "several elements", said if states else "")
                state = states.pop()
            case "focused":
                state = await element.evaluate("each => each === each.ownerDocument.activeElement")
        return Observation(state, kind if state else f"not {kind}")

    async def _look_at_values(self, expect: Expect) -> Observation:
        """Compare the values of the fields of one name, which must agree."""
        values: list[list[str]] = [await each.evaluate(_VALUES) for each in await self._find_alike(expect)]
        verdicts = {any(self._is_in(expect, value) for value in each) for each in values}
        seen = ", ".join(each[0] for each in values if each)
        if len(verdicts) > 1:
            return Observation(None, seen, f"several fields are '{expect.selector}', with {seen}; name the one")
        return Observation(verdicts.pop() if verdicts else None, seen)

    async def _find_alike(self, expect: Expect) -> list[Locator]:
        """Return all visible elements that a selector means equally, of the first frame that has any."""
        frames, selector = await frames_of(self._front(), self._text(expect.selector))
        for frame in frames:
            place = await resolve_scope(frame, selector)
            for locator in _within(place, "expect") if place else ():
                alike = (await locator.filter(visible=True).all())[:MAX_ALIKE]
                if seen := [each for each in alike if await each.evaluate(IS_SEEN)]:
                    return seen
        return []

    async def find(self, selector: str, action: str = "expect") -> Locator | None:
        """Return the first visible element of a selector, in any frame of the page; raises SeveralRows."""
        from playwright.async_api import Error

        page = self._front()
        frames, selector = await frames_of(page, selector)
        for frame in frames:
            try:
                if element := await _find_in(frame, selector, action):
                    return element
            except Error:
                if frame == page.main_frame:
                    raise
        return None

    async def page_text(self, selector: str | None = None) -> str | None:
        """Return the visible text of an element, or of all frames of the page; None while it cannot be read."""
        from playwright.async_api import Error

        page = self._front()
        try:
            frames, selector = await frames_of(page, self._text(selector or ""))
            if not selector:
                texts = [text for each in frames for text in await list_texts(each.locator("body"))]
                return "\n".join(texts) if texts else None
            place = await resolve_scope(frames[0] if len(frames) == 1 else page, selector)
            for locator in _within(place, "expect") if place else ():
                texts = await list_texts(locator)
                if texts:
                    return "\n".join(texts)
        except Error:
            pass
        return None


def _can_break(expect: Expect) -> bool:
    """Return whether what a page shows late can break an expectation that holds."""
    return expect.negated or expect.max is not None or (expect.selector or "").startswith((ENTRY, NTH))


async def _has_state(element: Locator, kind: Literal["disabled", "checked"]) -> bool:
    return await element.is_disabled() if kind == "disabled" else await _is_checked(element)


async def _is_checked(element: Locator) -> bool:
    is_selected = await element.get_attribute("aria-selected") or await element.get_attribute("aria-pressed")
    return is_selected == "true" if is_selected else await element.is_checked()


async def _find_in(frame: Frame, selector: str, action: str) -> Locator | None:
    if is_intent(selector):
        intended = await find_intended(frame, selector)
        if intended or not selector.startswith(LABEL):
            return intended
        selector = NAMED + selector.removeprefix(LABEL)
    place = await resolve_scope(frame, selector)
    for locator in _within(place, action) if place else ():
        seen = locator.filter(visible=True)
        count = await seen.count()
        if action == SEEING:
            are_seen: list[bool] = await seen.evaluate_all(f"all => all.map({IS_SEEN})")
            if True in are_seen:
                return seen.nth(are_seen.index(True))
            continue
        if count > 1 and selector.startswith(ENTRY):
            raise SeveralControls(f"{count} elements may be '{selector}'; name the one in quotation marks")
        if count > 1 and action in ACTIONS and is_by_words(selector):
            return await choose_element(seen, selector)
        if count:
            return seen.first
    return None


def _within(place: tuple[Frame | Page | Locator, str], action: str) -> list[Any]:
    """Return the locators of a selector in its scope; the scope itself if the selector is empty."""
    scope, selector = place
    return locators(scope, selector, action) if selector else [scope]


async def await_page(asked: Awaitable[T], seconds: float) -> T:
    """Await a response of the page; raises StepFailed on timeout, since then one of its scripts keeps it busy."""
    seconds = max(seconds, ANSWER_SECONDS)
    try:
        return await asyncio.wait_for(asked, seconds)
    except TimeoutError:
        said = f"the page did not answer within {seconds:.3g} seconds; one of its scripts keeps it busy"
        raise StepFailed(said, "an answer of the page", "none") from None
