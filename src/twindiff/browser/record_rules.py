"""Sentences about the records that a page shows: their names, columns, values and dates, and what holds of each.

`open the ticket "Cannot log in"`, `the status of Ada is Active`, `tick every box in the table`, `the total is at least 30`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twindiff.browser.config import BrowserStep, Expect
from twindiff.browser.element_finder import ALL_BOXES, INSIDE, LISTS, LOG_OUT, ROW
from twindiff.browser.entry_finder import AT, EACH, ENTRY, VERB, describe_entries
from twindiff.browser.intent_finder import END_OF_FORM, LABEL
from twindiff.browser.intents import VERBS, do_step
from twindiff.browser.state_rules import FILTER
from twindiff.browser.twin_rules import parse_count
from twindiff.browser.words import BARE, PLAIN, QUOTED

if TYPE_CHECKING:
    from twindiff.browser.clauses import ClauseSlots

_NOUN = r"(?<=\x20)(?-i:[a-z][a-z-]*)"
_CAPITALS = r"(?<=\x20)(?-i:[A-Z][\w'&.-]*(?:\x20[A-Z][\w'&.-]*){0,3})"
_TITLED = r"(?<=\x20)(?-i:[A-Z][\w'&.-]*)(?:\x20[\w'&.-]+){0,3}?"
"""A name without quotation marks that begins with a capital letter."""
_NUMBERED = r"(?<=\x20)#\d{1,6}"
_NAMED = rf"(?:{QUOTED}|{_TITLED}|{_NUMBERED})"
_THING = r"(?:rows?|items?|entr(?:y|ies)|(?<=\x20)(?-i:[a-z][a-z-]*))"
_LISTED = r" (?:of|in|on) the (?:(?P<of_place>(?<=\x20)(?-i:[a-z]+)) )?(?:table|list|page)"
_EVERY = rf"(?:each|every|all)(?: of)?(?: the)? (?:(?P<filter>{FILTER}) )?(?P<entry>{_THING})(?: cards?)?(?:{_LISTED})?"
_VALUE = rf"(?:{QUOTED}|{PLAIN}|{_CAPITALS}|(?<=\x20)[$€£]?\d[\d.,:]*\d|(?<=\x20)\d)"
_COLUMN = r"(?<=\x20)(?-i:[a-z][\w-]*(?: (?:date|name|address|number|level))?)"
_BOXES = r"(?:check ?box(?:es)?|tick ?box(?:es)?|box(?:es)?)"
_ACTS = "|".join(VERBS)
_AMOUNT = r"(?<=\x20)[$€£]?(?P<§>\d{1,9})(?:\.00)?"
_UNIT = r"(?: (?:days?|hours?|minutes?|seconds?|percent|%|euros?|dollars?|points?|items?))?"
_BOUND = (
    rf"(?P<way>at least|at most|no more than|no less than|more than|greater than|higher than|above|over|less than|"
    rf"fewer than|lower than|below|under) {_AMOUNT.replace('§', 'low')}{_UNIT}"
    rf"|(?P<between>between) {_AMOUNT.replace('§', 'few')} and {_AMOUNT.replace('§', 'many')}{_UNIT}"
)
_EACH_OF = _EVERY.replace("each|every|all", "each|every")
_CLICKS = r"(?:clicks?|taps?|press(?:es)?|push(?:es)?|hits?)(?: on)?"
_TICKS = r"(?:ticks?|checks?|selects?|marks?)"
_UNTICKS = r"(?:unticks?|unchecks?|deselects?|clears?)"
_STATE = r"(?P<state>disabled|enabled|greyed out|clickable|checked|ticked|unchecked|unticked)"


def list_record_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about records; `names` are parts that all patterns share."""
    return (*_list_actions(names), *_list_each_rules(names), *_list_column_rules(names), *_list_page_rules(names))


def _list_actions(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    row, person = names["row"], names["person"]
    return (
        ("open_record", rf"(?:opens?|views?|goe?s? to|visits?|looks? at|(?:am|is|are) (?:viewing|looking at|on)) the (?!(?:page|tab|menu|section|link|view|button|file|url|address)(?!\w)){_NOUN} (?P<object>{_NAMED})(?: page)?"),
        ("open_record", rf"(?:opens?|views?) (?P<object>{_NUMBERED})"),
        ("open_place", r"(?:opens?|goe?s? to|visits?|(?:am|is|are) (?:on|at)) the (?P<x>(?:new|create|edit) (?-i:[a-z]+)) (?:page|form)"),
        ("place_open", rf"the (?P<x>{QUOTED}|{BARE}) page is open"),
        ("do_record", rf"(?P<act>{_ACTS})(?:e?s)? the {_NOUN} (?P<object>{QUOTED}|{_NUMBERED})"),
        ("set_field", rf"(?:changes?|updates?|sets?|switch(?:es)?) (?:the |its )?(?P<f>{BARE})(?: (?:in|on|under) (?:the )?(?P<place>{QUOTED}|{_CAPITALS})(?: page| section)?)? to (?P<v>{_VALUE})"),
        ("filter", rf"filters?(?: (?:the )?{_NOUN})? by (?:the )?(?P<f>{_COLUMN}) (?P<v>{_VALUE})"),
        ("invite", rf"invites? (?P<v>{PLAIN}|{QUOTED})(?: as (?:an? |the )?(?P<option>{QUOTED}|{_CAPITALS}))?"),
        ("standing_at", rf"(?:am|is|are) (?:on|at|in) the (?P<x>{_CAPITALS})"),
        ("place_named", rf"(?:the )?(?P<x>{_TITLED}) page"),
        ("click_link", r"follows? {x}"),
        ("logged_out", r"(?:am|is|are) (?:logged|signed) out"),
        ("each_click", rf"for {_EACH_OF}[,:]? (?:{person} )?{_CLICKS} {{x}}"),
        ("each_click", rf"{_CLICKS} {{x}} (?:in|on|for|of) {_EACH_OF}"),
        ("each_check", rf"for {_EACH_OF}[,:]? {_TICKS} (?:the|its) {_BOXES}"),
        ("each_do", rf"(?:for {_EACH_OF}[,:]? )(?P<act>{_ACTS})(?:e?s)? it"),
        ("each_box", rf"{_TICKS} (?:each|every|all)(?: of)?(?: the)? {_BOXES}(?P<listed>{_LISTED})?"),
        ("each_unbox", rf"{_UNTICKS} (?:each|every|all)(?: of)?(?: the)? {_BOXES}(?P<listed>{_LISTED})?"),
        ("each_check", rf"{_TICKS} {_EVERY}"),
        ("each_uncheck", rf"{_UNTICKS} {_EVERY}"),
        ("each_do", rf"(?P<act>{_ACTS})(?:e?s)? {_EVERY}"),
        ("row_check", rf"{_TICKS} {row}|ticks? (?P<rowb>{_NUMBERED})"),
    )  # fmt: skip


def _list_each_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    sure, is_, is_not, any_more = (names[name] for name in ("sure", "is", "is_not", "any_more"))
    has, is_now = _has(names), _is_now(names)
    return (
        ("each_column", rf"for {_EACH_OF}[,:]? {sure}the (?P<f>{_COLUMN}) {is_now} (?P<v>{_VALUE})"),
        ("each_column", rf"{sure}the (?P<f>{_COLUMN}) of {_EACH_OF} {is_now} (?P<v>{_VALUE})"),
        ("each_column", rf"{sure}{_EVERY} {has}(?: now)? (?:the |a )?(?P<f>{_COLUMN}) (?P<v>{_VALUE})"),
        ("each_is", rf"{sure}{_EVERY} {is_} (?P<q1>{QUOTED}|{_CAPITALS})"),
        ("each_bare", rf"all (?P<q1>{_CAPITALS})"),
        ("each_compare", rf"for {_EACH_OF}[,:]? {sure}the (?P<f>{_COLUMN}) {is_} (?:{_BOUND})"),
        ("each_compare", rf"{sure}the (?P<f>{_COLUMN}) of {_EACH_OF} {is_} (?:{_BOUND})"),
        ("each_has", rf"{sure}{_EACH_OF} {has} (?:a|an|the|its) (?P<x>{QUOTED}|(?<=\x20)(?=(?-i:[A-Z])){BARE}) (?P<noun>button|link|check ?box)(?: and (?:a|an|the) (?P<x2>{QUOTED}|(?<=\x20)(?=(?-i:[A-Z])){BARE}) (?P<noun2>button|link|check ?box))?"),
        ("each_state", rf"{sure}the {{x}} (?:in|on|of) {_EACH_OF} (?P<not>{is_not}|{is_}) {_STATE}{any_more}"),
    )  # fmt: skip


def _list_column_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    sure, row, is_, is_not, any_more = (names[name] for name in ("sure", "row", "is", "is_not", "any_more"))
    has, is_now = _has(names), _is_now(names)
    return (
        ("row_column", rf"{sure}(?:a |the )?row (?:of|for|with) (?P<row>{_NAMED}|{PLAIN}) (?:{has}|with) (?:the )?(?P<f>{_COLUMN}) (?P<v>{_VALUE})(?: and (?:the )?(?P<f2>{_COLUMN}) (?P<v2>{_VALUE}))?(?: (?:appears?|shows up|is shown|is listed|is displayed)(?: in the (?:table|list))?)?"),
        ("row_column", rf"{sure}(?:the )?(?:{_NOUN} )?(?P<row>{_NAMED}|{PLAIN}) {has}(?: now)? (?:the )?(?P<f>{_COLUMN}) (?P<v>{_VALUE})"),
        ("row_column", rf"{sure}the (?P<f>{_COLUMN}) (?:of|for) (?:the )?(?:{_NOUN} )?(?P<row>{_NAMED}|{PLAIN}) {is_now} (?P<v>{_VALUE})"),
        ("row_column", rf"{sure}(?P<row>{_NAMED})(?:'s| 's) (?P<f>{_COLUMN}) {is_now} (?P<v>{_VALUE})"),
        ("row_column", rf"{sure}{row} {has} (?P<v>{_VALUE}) (?:in|under) the (?P<f>{BARE}) column"),
        ("row_compare", rf"{sure}the (?P<f>{_COLUMN}) (?:of|for) (?:the )?(?:{_NOUN} )?(?P<row>{_NAMED}|{PLAIN}) {is_} (?:{_BOUND})"),
        ("count_of", rf"{sure}(?:there are )?{{n}} of (?:them|the (?P<things>{_THING})) {is_} (?P<q1>{QUOTED}|{_CAPITALS})"),
        ("row_is", rf"{sure}(?:(?:the )?{_NOUN} )?(?P<row>{_NUMBERED}) {is_} (?P<qs>{QUOTED}|{_CAPITALS})"),
        ("state_in", rf"{sure}{{x}} (?:in|of|on) {row} (?P<not>{is_not}|{is_}) {_STATE}{any_more}"),
        ("state_in", rf"(?:in {row},? )?{sure}{{x}} (?P<not>{is_not}|{is_}) {_STATE}(?: in {row.replace('(?P<row', '(?P<rowin')})?{any_more}"),
    )  # fmt: skip


def _list_page_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    sure, row, modal, person = (names[name] for name in ("sure", "row", "modal", "person"))
    is_, is_not, any_more = (names[name] for name in ("is", "is_not", "any_more"))
    return (
        ("compare", rf"{sure}(?:the )?(?P<f>{BARE}) {is_} (?:{_BOUND})"),
        ("labelled_long", rf"{sure}(?:the )?(?P<f>{BARE}) (?:{is_}|equals|reads) (?P<v>{_VALUE})"),
        ("page_shown", rf"{sure}(?:the )?(?P<x>{QUOTED}|{BARE}) page (?:(?:{is_} )?(?:opens|open|appears|loads|shown|displayed|visible)|{modal} (?:open|appear|load))"),
        ("page_shown", rf"{sure}{person} (?:{modal}(?: now| still)? be|lands?|ends? up|(?:am|is|are) (?:taken|redirected|sent)|{modal} (?:land|end up))(?: back)? (?:on|at|to) the (?P<x>{QUOTED}|{BARE}) page"),
        ("field_empty", rf"{sure}the (?P<x>{_COLUMN})(?: field)? (?P<not>{is_not}|{is_}) (?:empty|blank)"),
        ("none_is", rf"{sure}no {{k}} {is_} {_STATE}"),
        ("bare_count", r"{n} (?P<things>rows?|items?)"),
        ("brief", rf"{sure}(?P<q1>{QUOTED}) (?:appears|shows|shows up|is shown)(?: briefly| for a moment| for a short time)?,? and(?: then)? (?:disappears|goes away|vanishes|is gone|is hidden)(?: again)?"),
        ("noted", rf"(?:the |an? )?(?:success |error )?(?:banner|toast|message|notification|error|alert|notice)(?: is| reads| says)? (?P<q1>{QUOTED})"),
        ("state_bare", rf"(?:{{kc}}|(?P<x>{_TITLED})) (?P<state>disabled|enabled|greyed out|checked|ticked|unchecked|unticked)(?: in {row})?"),
        ("shows_dialog", rf"{sure}(?:a|the) (?:dialog|modal|pop-?up) (?:opens|{is_} (?:open|shown|visible|displayed)|appears)"),
        ("hides_dialog", rf"{sure}the (?:dialog|modal|pop-?up) (?:closes|{is_} (?:closed|gone|hidden)|disappears|{is_not} (?:open|shown|visible|displayed){any_more})"),
        ("kind_opens", rf"{sure}{{k}} (?:opens|{is_} open)"),
        ("kind_closes", rf"{sure}{{k}} (?:closes|{is_} closed)"),
        ("list_has", rf"{sure}(?P<q1>{QUOTED}) (?:{is_} (?:in|on|listed in)|appears (?:in|on)|shows up (?:in|on)|{modal} (?:appear|show up|be listed) (?:in|on)) the (?:list|table)"),
        ("list_lacks", rf"{sure}(?P<q1>{QUOTED}) (?:{is_not} (?:in|on|listed in)|disappears from|{modal} disappear from|{is_} (?:gone|removed|missing) from|does not appear in|has (?:disappeared|gone|been removed) from) the (?:list|table){any_more}"),
        ("page_lacks", rf"{sure}(?P<q1>{QUOTED}) (?:disappears|{is_} (?:gone|removed|missing)|has (?:disappeared|been removed)) from the (?:(?P<of_place>{_NOUN}) )?page"),
        ("text_still", rf"{sure}(?P<q1>{QUOTED})(?: and (?P<q2>{QUOTED}))? (?:is|are) (?:still )?(?:there|here|listed|visible|shown)(?: too| as well)?"),
    )  # fmt: skip


def _has(names: dict[str, str]) -> str:
    return rf"(?:has|have|shows?|(?:{names['modal']}) (?:have|show))"


def _is_now(names: dict[str, str]) -> str:
    """Return the pattern of a verb before a value, which may say that the value has changed."""
    return rf"(?:{names['is']}|equals|changes? to|{names['modal']} change to|has changed to)"


def _each(said: ClauseSlots, inner: str) -> str:
    noun = said.first("entry").lower().split(" ")[-1] or "row"
    place = f"{AT}{said.value('of_place')}" if said.has("of_place") else ""
    return f"{ENTRY}{EACH} {describe_entries(noun, said.value('filter'))}{place}{INSIDE}{inner}"


def _expect(kind: Any, selector: str | None, **fields: Any) -> BrowserStep:
    return BrowserStep("expect", selector=selector, expect=Expect(kind, selector=selector, **fields))


def _bounds(said: ClauseSlots) -> dict[str, int | None]:
    """Return the least and the greatest whole number that a comparison allows."""
    if said.has("between"):
        return {"min": int(said.groups["few"]), "max": int(said.groups["many"])}
    number, way = int(said.groups["low"]), said.groups["way"].lower()
    if way in ("at least", "no less than"):
        return {"min": number, "max": None}
    if way in ("at most", "no more than"):
        return {"min": None, "max": number}
    is_up = way in ("more than", "greater than", "higher than", "above", "over")
    return {"min": number + 1, "max": None} if is_up else {"min": None, "max": number - 1}


def _column(said: ClauseSlots) -> list[BrowserStep]:
    pairs = [("f", "v"), *([("f2", "v2")] if said.has("f2") else [])]
    return [
        _expect("labelled", f"{said.row()}{INSIDE}{said.value(name)}", equals=said.value(value))
        for name, value in pairs
    ]


def _set_field(said: ClauseSlots) -> list[BrowserStep]:
    opened = [BrowserStep("click", selector=f"place={said.value('place')}")] if said.has("place") else []
    return [*opened, BrowserStep("fill", selector=f"{LABEL}{said.value('f')}", value=said.value("v"))]


def _invite(said: ClauseSlots) -> list[BrowserStep]:
    steps = [do_step("invite", "", ""), BrowserStep("fill", selector=f"{LABEL}email", value=said.value("v"))]
    chosen = [BrowserStep("choose", selector=f"choice={said.value('option')}")] if said.has("option") else []
    return [*steps, *chosen, BrowserStep("click", selector=END_OF_FORM)]


def _boxes(action: Any) -> Callable[[ClauseSlots], list[BrowserStep]]:
    def to_steps(said: ClauseSlots) -> list[BrowserStep]:
        selector = _each(said, ANY_BOX) if said.has("listed") else ALL_BOXES
        return [BrowserStep(action, selector=selector)]

    return to_steps


def _has_each(said: ClauseSlots) -> list[BrowserStep]:
    kinds = {"button": "button", "link": "link"}
    pairs = [("x", "noun"), *([("x2", "noun2")] if said.has("x2") else [])]
    return [
        _expect("visible", _each(said, f"{kinds.get(said.groups[noun].lower(), 'checkbox')}={said.value(name)}"))
        for name, noun in pairs
    ]


def state_of(said: ClauseSlots) -> tuple[Any, bool]:
    """Return the state that a sentence names, and whether its opposite is expected."""
    word = said.groups["state"].lower()
    state, holds = {
        **dict.fromkeys(("disabled", "greyed out"), ("disabled", True)),
        **dict.fromkeys(("enabled", "clickable"), ("disabled", False)),
        **dict.fromkeys(("checked", "ticked"), ("checked", True)),
        **dict.fromkeys(("unchecked", "unticked"), ("checked", False)),
    }[word]
    is_so = not re.search(r"\b(?:not|no)\b", said.groups.get("not", ""), re.IGNORECASE)
    return state, holds != is_so


def _state_in(said: ClauseSlots) -> list[BrowserStep]:
    state, negated = state_of(said)
    row = said.row() or ROW + said.value("rowin", "rowin2", "rowin3", "rowin4")
    if row == ROW:
        return [_expect(state, said.select_named("x", kind="control"), negated=negated)]
    return [_expect(state, f"{row}{INSIDE}{said.select_named('x', kind='control')}", negated=negated)]


def _state_bare(said: ClauseSlots) -> list[BrowserStep]:
    state, negated = state_of(said)
    row = f"{said.row()}{INSIDE}" if said.row() else ""
    return [
        _expect(state, f"{row}{said.select_named('x' if said.has('x') else 'kc', kind='control')}", negated=negated)
    ]


def _state_each(said: ClauseSlots) -> list[BrowserStep]:
    state, negated = state_of(said)
    return [_expect(state, _each(said, said.select_named("x", kind="control")), negated=negated)]


def _none_is(said: ClauseSlots) -> list[BrowserStep]:
    state, negated = state_of(said)
    return [_expect(state, said.select_named("k"), negated=not negated)]


def _span(said: ClauseSlots) -> dict[str, int | None]:
    return dict(zip(("min", "max"), parse_count(said.groups["n"]), strict=True))


def _page_shown(said: ClauseSlots) -> list[BrowserStep]:
    return [_expect("visible", f"heading={said.value('x')}")]


def _open_place(said: ClauseSlots) -> list[BrowserStep]:
    return [BrowserStep("click", selector=f"place={said.value('x')}")]


def _place_open(said: ClauseSlots) -> list[BrowserStep]:
    """`The team page is open` opens the page at the start of a test, and expects its heading later."""
    return _open_place(said) if said.is_first else _page_shown(said)


ANY_BOX = "css=input[type=checkbox], [role=checkbox], [role=switch]"
_DIALOG = "css=dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]"
STEPS_OF_RECORDS: dict[str, Callable[[ClauseSlots], list[BrowserStep]]] = {
    "open_record": lambda said: [do_step("open", said.value("object"), "")],
    "open_place": _open_place,
    "place_open": _place_open,
    "do_record": lambda said: [do_step(said.value("act"), said.value("object"), "")],
    "set_field": _set_field,
    "filter": lambda said: [BrowserStep("fill", selector=f"{LABEL}{said.value('f')}", value=said.value("v"))],
    "invite": _invite,
    "standing_at": _place_open,
    "place_named": _place_open,
    "click_link": lambda said: [BrowserStep("click", selector=said.select_named("x", kind="link"))],
    "logged_out": lambda said: [BrowserStep("click", selector=LOG_OUT)] if said.is_first else [],
    "each_click": lambda said: [BrowserStep("click", selector=_each(said, said.select_named("x")))],
    "each_do": lambda said: [BrowserStep("click", selector=_each(said, f"{VERB}{said.value('act').lower()}"))],
    "each_box": _boxes("check"),
    "each_unbox": _boxes("uncheck"),
    "each_check": lambda said: [BrowserStep("check", selector=_each(said, ANY_BOX))],
    "each_uncheck": lambda said: [BrowserStep("uncheck", selector=_each(said, ANY_BOX))],
    "row_check": lambda said: [BrowserStep("check", selector=f"{said.row()}{INSIDE}{ANY_BOX}")],
    "each_column": lambda said: [_expect("labelled", _each(said, said.value("f")), equals=said.value("v"))],
    "each_is": lambda said: [
        _expect("text", _each(said, "").removesuffix(INSIDE), contains=text) for text in said.texts("q1")
    ],
    "each_bare": lambda said: [_expect("text", f"{ENTRY}{EACH} row", contains=said.value("q1"))],
    "each_compare": lambda said: [_expect("labelled", _each(said, said.value("f")), **_bounds(said))],
    "each_has": _has_each,
    "each_state": _state_each,
    "row_column": _column,
    "row_compare": lambda said: [_expect("labelled", f"{said.row()}{INSIDE}{said.value('f')}", **_bounds(said))],
    "count_of": lambda said: [_expect("count", f"datarow={said.value('q1')}", **_span(said))],
    "row_is": lambda said: [_expect("text", said.row(), contains=text) for text in said.texts("qs")],
    "state_in": _state_in,
    "compare": lambda said: [_expect("labelled", said.value("f"), **_bounds(said))],
    "labelled_long": lambda said: [_expect("labelled", said.value("f"), equals=said.value("v"))],
    "page_shown": _page_shown,
    "field_empty": lambda said: [
        _expect("value", f"field={said.value('x')}", equals="", negated=" no" in f" {said.groups['not'].lower()}")
    ],
    "none_is": _none_is,
    "bare_count": lambda said: [
        _expect("count", "datarow=" if "row" in said.groups["things"] else "listitem=", **_span(said))
    ],
    "brief": lambda said: [
        _expect("text", None, contains=said.value("q1")),
        _expect("text", None, contains=said.value("q1"), negated=True),
    ],
    "noted": lambda said: [_expect("text", None, contains=said.value("q1"))],
    "state_bare": _state_bare,
    "shows_dialog": lambda said: [_expect("visible", _DIALOG)],
    "hides_dialog": lambda said: [_expect("visible", _DIALOG, negated=True)],
    "kind_opens": lambda said: [_expect("visible", said.select_named("k"))],
    "kind_closes": lambda said: [_expect("visible", said.select_named("k"), negated=True)],
    "list_has": lambda said: [_expect("text", LISTS, contains=said.value("q1"))],
    "list_lacks": lambda said: [_expect("text", LISTS, contains=said.value("q1"), negated=True)],
    "page_lacks": lambda said: [
        *([_expect("visible", f"heading={said.value('of_place')}")] if said.has("of_place") else []),
        _expect("text", None, contains=said.value("q1"), negated=True),
    ],
    "text_still": lambda said: [
        _expect("text", None, contains=said.value(name)) for name in ("q1", "q2") if said.has(name)
    ],
}
"""The steps of each kind of rule about records."""
