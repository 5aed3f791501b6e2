"""Finds elements by CSS, `text=`, `role=`, `testid=`, `xpath=`, or by the words that a person reads.

`button=Save`, `field=Email` and the other KINDS find elements of one kind by their name, or all of them without one.
`row=Ada >> button=Edit` looks in the one row of a table or list that contains `Ada`.
"""

from __future__ import annotations

import asyncio
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from twindiff.browser.card_finder import list_cards
from twindiff.browser.element_choice import ACTIONS
from twindiff.browser.entry_finder import AT, ENTRY, NTH, VERB, find_entry, find_nth, match_verb
from twindiff.browser.visible_text import IS_SEEN

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator, Page

    Scope = Page | Frame | Locator

NAMED = "named="
"""Prefix of words that are matched against labels, placeholders, accessible names and text, in this order."""
MAX_FRAMES = 10
"""Frames of a page that are searched."""
LISTING_SECONDS = 2.0
"""Seconds that a page has to list its elements."""
ENGINES = ("css=", "text=", "role=", "xpath=", "id=", "data-testid=", "//", "..")
TEST_IDS = ("testid=", "test-id=", "test_id=")
FIELDS = ("fill", "select")
ROLES = ("button", "link", "tab", "menuitem", "checkbox", "radio", "switch", "option", "textbox", "combobox", "heading")
LOG_OUT = "log-out="
"""Selector of the button or link that ends a session, whatever its text."""
EMAIL = (
    "input[type=email], input[autocomplete=username], input[name*=email i], input[id*=email i], "
    "input[name*=user i], input[id*=user i], input[name*=login i]"
)
PASSWORD = "input[type=password]"  # noqa: S105 - a selector
ENTERING = re.compile(r"^\W*(?:(?:log|sign)[ -]?in|anmelden|einloggen)\W*$", re.IGNORECASE)
"""The texts of a button or link that leads to a login form."""
EXACT = "exact="
"""Prefix of the whole text or name of an element that may lack a role."""
ROW = "row="
DIALOG = "css=dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]"
LISTS = "list="
"""Selector of the tables and lists of a page together."""
ALL_BOXES = "all=checkbox"
"""Selector of all tick boxes of a page."""
FRAME = "frame="
"""Prefix of the title or name of a frame; without one, any frame but the page itself is meant."""
PLACEHOLDER = "placeholder="
"""Prefix of the whole placeholder of a field."""
INSIDE = " >> "
"""Separator between a row or a frame and the selector within it."""
KINDS: dict[str, tuple[str, ...]] = {
    "button": ("button",),
    "link": ("link",),
    "checkbox": ("checkbox", "switch"),
    "radio": ("radio",),
    "tab": ("tab",),
    "menuitem": ("menuitem", "menuitemradio", "menuitemcheckbox"),
    "option": ("option",),
    "heading": ("heading",),
    "image": ("img",),
    "dialog": ("dialog", "alertdialog"),
    "field": ("textbox", "combobox", "spinbutton", "searchbox", "listbox", "slider"),
    "place": ("link", "menuitem", "tab", "button", "treeitem"),
    "choice": ("radio", "option", "menuitemradio", "checkbox", "switch"),
    "control": ("button", "link", "textbox", "combobox", "checkbox", "radio", "switch", "tab", "menuitem", "option"),
    "listitem": ("listitem",),
    "datarow": ("row",),
}
"""The kinds of elements with a prefix of their own, and their ARIA roles."""
LABELLED = ("field", "checkbox", "radio", "control", "choice")
"""Kinds whose elements are also found by a label or placeholder."""
TAGS = frozenset(
    word
    for line in (
        "a abbr article aside body button canvas dd details dialog div dl dt fieldset figure footer form",
        "h1 h2 h3 h4 h5 h6 header html iframe img input label legend li main nav ol option p pre section select",
        "small span strong summary svg table tbody td textarea tfoot th thead tr ul video",
    )
    for word in line.split()
)
_MARKS = re.compile(r"[#>:*=\[\]~^|]|(?:^|[\w\s])\.[a-zA-Z_-]")
_PLAIN_ROLE = re.compile(r"role=([\w-]+)\s*[:\s]\s*[\"']?([^\"'\[\]]+)[\"']?$")
_CANDIDATES = """() => {
  const found = [];
  const all = document.querySelectorAll(
    'a,button,input,select,textarea,label,summary,h1,h2,h3,h4,[role],[data-testid],[aria-label],[onclick],p,li,td,span');
  for (const each of all) {
    if (found.length >= 400) break;
    const box = each.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const label = each.labels && each.labels[0] ? each.labels[0].innerText : '';
    const text = (each.getAttribute('aria-label') || label || each.innerText || each.getAttribute('placeholder')
      || each.value || '').trim().slice(0, 80);
    found.push({tag: each.tagName.toLowerCase(), text, id: each.id || '', name: each.getAttribute('name') || '',
      testid: each.getAttribute('data-testid') || '', role: each.getAttribute('role') || ''});
  }
  return found;
}"""


class Candidate(NamedTuple):
    """An element of the page that might have been meant, and how similar it is, from 0 to about 1."""

    likeness: float
    selector: str
    text: str


def is_words(selector: str) -> bool:
    """Return whether a selector without an engine reads as words of the page rather than as CSS."""
    first = re.split(r"[\s,+]", selector, maxsplit=1)[0]
    return not _MARKS.search(selector) and first not in TAGS and "-" not in first


def is_by_words(selector: str) -> bool:
    """Return whether the element of a selector is found by its name, which others may have too."""
    inner = selector.rpartition(INSIDE)[2]
    if kind_of(inner) or inner.startswith((NAMED, PLACEHOLDER, LOG_OUT)):
        return True
    return is_words(inner) and not inner.startswith((*ENGINES, *TEST_IDS, NTH, ENTRY, EXACT, VERB))


class SeveralRows(Exception):
    """More than one row says the words by which a row is named."""


def kind_of(selector: str) -> tuple[str, str] | None:
    """Return the kind and the name of a selector such as `button=Save`; None for other selectors."""
    kind, is_kind, name = selector.partition("=")
    return (kind, name) if is_kind and kind in KINDS else None


async def frames_of(page: Page, selector: str) -> tuple[list[Frame], str]:
    """Return the frames that a selector is about, and the selector within them; all of them without `frame=`."""
    if selector.startswith((ENTRY, NTH)):
        return [page.main_frame], selector
    if not selector.startswith(FRAME):
        return await list_frames(page), selector
    name, _, inner = selector.removeprefix(FRAME).partition(INSIDE)
    children = (await list_frames(page))[1:]
    return [each for each in children if not name or name.casefold() in await _names_of(each)], inner


async def list_frames(page: Page) -> list[Frame]:
    """Return the page and the frames in it that a person sees."""
    from playwright.async_api import Error

    frames = [page.main_frame]
    for each in page.frames[1:MAX_FRAMES]:
        try:
            element = await each.frame_element()
            if each.parent_frame in frames and await element.is_visible() and await element.evaluate(IS_SEEN):
                frames.append(each)
        except Error:  # it has gone meanwhile
            continue
    return frames


async def _names_of(frame: Frame) -> list[str]:
    """Return what a frame may be called: its title, its attributes, and the title of its document."""
    element = await frame.frame_element()
    names = [await element.get_attribute(each) or "" for each in ("title", "name", "aria-label", "id")]
    return [each.strip().casefold() for each in (*names, await frame.title())]


async def _find_numbered(scope: Scope, selector: str) -> tuple[Scope, str] | None:
    """Return the element of an `nth=` selector; None while there is none."""
    position, _, kind = selector.removeprefix(NTH).partition(" ")
    kind, _, name = kind.partition("=")
    for elements in _of_kind(scope, kind, name):
        if element := await find_nth(elements, position):
            return element, ""
    return None


async def _find_place(scope: Scope, selector: str) -> tuple[Scope, str] | None:
    """Return the visible place of a selector such as `nav >> link=Orders` and the selector within it.

    Other selectors keep their scope; Playwright itself reads those whose parts are all of its engines.
    """
    outer, _, inner = selector.rpartition(INSIDE)
    if not outer or not (kind_of(inner) or inner.startswith((NAMED, EXACT, PLACEHOLDER, *TEST_IDS))):
        return scope, selector
    for each in locators(scope, outer, "click"):
        places = each.filter(visible=True)
        if await places.count():
            return places, inner
    return None


async def resolve_scope(scope: Scope, selector: str) -> tuple[Scope, str] | None:
    """Return the row or card of a `row=` selector and the selector within it; other selectors keep their scope.

    Returns None while there is no such row. The selector within a row is empty where the row itself is meant. Raises
    SeveralRows.
    """
    if selector.startswith(ENTRY):
        entry, _, inner = selector.partition(INSIDE)
        entries = await find_entry(cast("Frame", scope), entry)
        return (entries[0], inner) if entries else None
    if selector.startswith(DIALOG + INSIDE):
        dialogs = scope.locator(DIALOG).filter(visible=True)
        return (dialogs, selector.removeprefix(DIALOG + INSIDE)) if await dialogs.count() else None
    if selector.startswith(NTH):
        return await _find_numbered(scope, selector)
    if not selector.startswith(ROW):
        return await _find_place(scope, selector)
    words, _, inner = selector.removeprefix(ROW).partition(INSIDE)
    for rows in rows_of(scope, words):
        matches = rows.filter(visible=True)
        count = await matches.count()
        if count > 1:
            raise SeveralRows(f"{count} rows say '{words}'; name the row by a text that only one of them has")
        if count and (not inner or any([await each.count() for each in locators(matches, inner, "click")])):
            return matches, inner
    cards = await list_cards(cast("Frame", scope), words)
    if len(cards) > 1:
        raise SeveralRows(f"{len(cards)} cards say '{words}'; name the card by a text that only one of them has")
    return (cards[0], inner) if cards else None


def rows_of(scope: Scope, words: str) -> list[Locator]:
    """Return locators of rows: table rows by the whole text of a cell, then by part of their text; then list items."""
    rows = scope.get_by_role("row")
    of_cell = [rows.filter(has=scope.get_by_role(cell, name=words, exact=True)) for cell in ("cell", "rowheader")]
    return [
        of_cell[0].or_(of_cell[1]),
        rows.filter(has_text=words),
        scope.get_by_role("listitem").filter(has_text=words),
    ]


def locators(page: Scope, selector: str, action: str) -> list[Locator]:
    """Return where to look for an element, in order of preference."""
    kind = kind_of(selector)
    if kind:
        return _of_kind(page, *kind)
    for prefix in TEST_IDS:
        if selector.startswith(prefix):
            return [page.get_by_test_id(selector.removeprefix(prefix).strip("\"'"))]
    if selector.startswith(EXACT):
        return _exact(page, selector.removeprefix(EXACT))
    if (special := _special_locator(page, selector)) is not None:
        titles = [page.get_by_role("link")] if selector == f"{VERB}open" else []  # a title may be the only link
        return [special, *titles]
    if selector.startswith(NAMED):
        return _named_locators(page, selector.removeprefix(NAMED).strip("\"'"), action)
    plain = _PLAIN_ROLE.match(selector)
    if plain and "[" not in selector:
        role: Any = plain[1]
        return [page.get_by_role(role, name=plain[2].strip())]
    if selector.startswith(ENGINES) or not is_words(selector):
        return [page.locator(selector)]
    return _named_locators(page, selector, action)


def _special_locator(page: Scope, selector: str) -> Locator | None:
    """Return the elements of a selector by placeholder, by verb or for logging out; None for other selectors."""
    if selector.startswith(PLACEHOLDER):
        return page.get_by_placeholder(selector.removeprefix(PLACEHOLDER), exact=True)
    if selector.startswith(VERB):
        verb, _, place = selector.removeprefix(VERB).partition(AT)
        return _of_roles(page, ("button", "link", "menuitem"), name=match_verb(verb, place))
    return _of_roles(page, KINDS["place"], name=LEAVING) if selector == LOG_OUT else None


def _of_kind(page: Scope, kind: str, words: str) -> list[Locator]:
    """Return elements of a kind: by their whole name first, then by a part of it; all of them without a name."""
    if kind == "datarow":
        rows = page.locator("tr:has(td), [role=row]:has([role=cell], [role=gridcell])")
        return [rows.filter(has_text=words) if words else rows]
    if kind == "listitem" and words:
        return [page.get_by_role("listitem").filter(has_text=words)]
    if not words:
        return [_of_roles(page, KINDS[kind])]
    wanted: list[Locator] = []
    for exact in (True, False):
        roles = _of_roles(page, KINDS[kind], name=words, exact=exact)
        if kind in LABELLED:
            inputs = page.locator(_INPUTS[kind])
            roles = roles.or_(page.get_by_label(words, exact=exact).and_(inputs))
            roles = roles.or_(page.get_by_placeholder(words, exact=exact).and_(inputs))
        wanted.append(roles)
    if kind == "field":
        wanted.append(page.locator(_attributes(words)).and_(page.locator(_INPUTS[kind])))
    return wanted


_INPUTS = {
    "field": "input:not([type=checkbox], [type=radio], [type=submit], [type=button], [type=image]), textarea, select, "
    "[contenteditable]",
    "checkbox": "input[type=checkbox], [role=checkbox], [role=switch]",
    "radio": "input[type=radio], [role=radio]",
    "choice": "input[type=radio], input[type=checkbox], [role=radio], [role=option]",
    "control": "button, input, textarea, select",
}


def _of_roles(page: Scope, roles: tuple[Any, ...], **named: Any) -> Locator:
    either = page.get_by_role(roles[0], **named)
    for role in roles[1:]:
        either = either.or_(page.get_by_role(role, **named))
    return either


def _exact(page: Scope, words: str) -> list[Locator]:
    others = page.locator(":not(h1, h2, h3, h4, h5, h6, label, legend, option, th, a, a *, button, button *)")
    return [page.get_by_text(words, exact=True).and_(others)]


def _attributes(words: str) -> str:
    return f"[name={_quote(words)} i], [id={_quote(words)} i], [type={_quote(words)} i]"


LEAVING = re.compile(r"^\W*(?:(?:log|sign)[ -]?(?:out|off)|abmelden|ausloggen)\W*$", re.IGNORECASE)
"""The texts of a button or link that ends a session."""


def _named_locators(page: Scope, words: str, action: str) -> list[Locator]:
    """Match label, placeholder, role and text: as a whole first, then in part."""
    named: list[Locator] = []
    for exact in (True, False):
        labels = [page.get_by_label(words, exact=exact), page.get_by_placeholder(words, exact=exact)]
        roles: tuple[Any, ...] = ("textbox", "combobox", "spinbutton", "searchbox") if action in FIELDS else ROLES
        of_role = _of_roles(page, roles, name=words, exact=exact)
        # a button is not less meant because its name is a label that is read aloud
        named += [of_role.or_(labels[0]).or_(labels[1])] if action in ACTIONS else [*labels, of_role]
        if action not in FIELDS:
            named.append(page.get_by_text(words, exact=exact))
    if action in FIELDS:
        named.append(page.locator(_attributes(words)))
    return named


def _quote(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


async def candidates(page: Page, selector: str, most: int = 5) -> list[dict[str, str]]:
    """Return the elements of a page most similar to a selector, as `{"selector": …, "text": …}`, at most `most`."""
    from playwright.async_api import Error

    wanted = " ".join(re.findall(r"[\w-]+", selector.removeprefix(NAMED)))
    try:
        elements: list[dict[str, str]] = await asyncio.wait_for(page.evaluate(_CANDIDATES), LISTING_SECONDS)
    except (Error, TimeoutError):
        return []
    alike = sorted({_candidate(wanted, each) for each in elements}, reverse=True)
    best: dict[str, Candidate] = {}
    for each in alike:
        best.setdefault(each.selector, each)
    return [{"selector": each.selector, "text": each.text} for each in list(best.values())[:most] if each.text]


def _candidate(wanted: str, element: dict[str, str]) -> Candidate:
    names = [element[key] for key in ("text", "id", "testid", "name") if element[key]]
    likeness = max((SequenceMatcher(None, wanted.lower(), name.lower()).ratio() for name in names), default=0.0)
    is_active = element["tag"] in ("a", "button", "input", "select", "textarea") or bool(element["role"])
    return Candidate(round(likeness + 0.1 * is_active, 3), _selector(element), element["text"] or element["id"])


def _selector(element: dict[str, str]) -> str:
    """Return the simplest selector that finds an element."""
    if element["testid"]:
        return f"testid={element['testid']}"
    if element["id"]:
        return f"#{element['id']}"
    if element["name"]:
        return f"{element['tag']}[name={_quote(element['name'])}]"
    return f"{NAMED}{element['text']}"
