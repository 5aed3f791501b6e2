# ruff: noqa: E501 - one sentence, one line
"""Sentences about the states that entries show.

`Ulysses is on loan`, `4 open tasks are listed`, `mark every open order as paid`.

A state is a phrase in small letters. Whether the page shows it, and where, is seen there, see `entry_states`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twindiff.browser.config import BrowserStep, Expect
from twindiff.browser.element_finder import INSIDE, LISTS, ROW
from twindiff.browser.entry_finder import AT, EACH, ENTRY, THINGS, VERB, describe_entries
from twindiff.browser.intent_finder import DO, END_OF_FORM, LABEL, NEW, OFFERING, PART
from twindiff.browser.intents import VERBS, do_step
from twindiff.browser.twin_rules import parse_count
from twindiff.browser.words import NUMBERS, PLAIN, QUOTED, UNNAMED

if TYPE_CHECKING:
    from twindiff.browser.clauses import ClauseSlots

LOWER = r"(?<=\x20)(?-i:[a-z][a-z-]*)"
_ADJECTIVES = r"(?<=\x01)(?-i:available|absent|present|hidden|empty|online|offline|new|invalid|valid|open)"
_LOOKS = (
    "bold|italic|underlined|highlighted|centered|centred|aligned|readable|legible|fast|slow|pretty|nice|good|bad|great|fine|"
    "listed|removed|deleted|created|added|beautiful|ugly|easy|hard|clear|obvious|broken|responsive|sorted|filtered|coloured|colored|purple|orange|pink"
)
"""Words about how something looks or feels, which no page says of an entry, or about whether there is one."""
_PLACED = rf"(?:in|on|out of|past|under|at) {LOWER}|(?:sold|checked|signed|logged|timed) (?:out|in|off)"
STATE = rf"(?:{_PLACED}|(?:(?!(?:{_LOOKS})\b){LOWER}|{_ADJECTIVES})(?: {LOWER})?)"
FILTER = rf"(?:(?!(?:{_LOOKS})\b){LOWER}|{_ADJECTIVES})"
"""The one word of a state before a noun: `every open ticket`."""
_CAPITALS = r"(?<=\x20)(?-i:[A-Z][\w'&.-]*(?:\x20[A-Z0-9][\w'&.-]*){0,3})"
_NUMBERED = r"(?<=\x20)#\d{1,6}"
NAME = rf"(?:{QUOTED}|{_CAPITALS}|{_NUMBERED})"
SUBJECT = rf"(?:{QUOTED}|(?<=\x20)(?!(?:{'|'.join(sorted(UNNAMED))})\b)(?-i:[A-Z][\w'&.-]*)(?:\x20[\w'&.-]+){{0,3}}?|{_NUMBERED})"
"""A name that something ends, such as *is*, so that words in small letters may be a part of it."""
_NAMES = rf"(?:{NAME}(?:(?:,? and |, | \+ | & ){NAME})*)"
_NOUN = LOWER
_STATUS = r"(?:status|state|stage|availability|priority|role|condition|level|plan)"
_CAPITAL = r"(?<=\x20)(?-i:[A-Z][a-z]+)"
_TRAILING = r"(?<=\x20)(?-i:[A-Z][\w'&.-]*)(?:\x20[\w'&.-]+){1,3}"
"""A name at the end of a clause, of which only the first word needs a capital letter."""
_COUNT = rf"(?:(?:exactly |only |just |at least |at most |no more than |more than )?(?:\d{{1,4}}|{'|'.join(NUMBERS)})|no|none)"
_AGAIN = r"(?: (?:again|now|too|as well))?"
_LISTED = r"(?:listed|shown|displayed|visible|left|in the (?:list|table)|on the list|there)"


_DATA = rf"(?:{QUOTED}|{PLAIN}|{_CAPITALS}|(?<=\x20)[$€£]?\d[\d.,]*)"
_OFTEN_CHOSEN = (
    r"(?:priority|status|state|type|category|severity|role|plan|size|genre|level|color|colour|stage|currency|language)"
)
_PHRASE = (
    rf",?(?: (?:and|with))*(?: (?:the|an|a|her|his|its))? (?:{_OFTEN_CHOSEN}:? (?:{_DATA}|{LOWER})|(?!{_OFTEN_CHOSEN}\b){LOWER} {_OFTEN_CHOSEN}"
    rf"|{LOWER}(?: (?:address|number|date|name))?:? {_DATA}|due(?: on)? {_DATA})|,?(?: (?:and|with))* (?:assigned to|for) {_DATA}"
)
"""What a new record is to have: `with urgent priority`, `priority High`, `for Globex`, `due tomorrow`, `assigned to Bob`."""


def list_state_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about states; `names` are parts that all patterns share."""
    sure, any_more, modal = (names[each] for each in ("sure", "any_more", "modal"))
    is_ = rf"(?:{names['is']}|(?:stays?|remains?)(?: still)?|{modal} (?:stay|remain))"
    not_or_is = rf"(?P<not>{names['is_not']}|{is_})"
    has = rf"(?:has|have|shows?|{modal}(?: now| still)? (?:have|show))"
    says = rf"(?:{is_}|says|reads|shows|(?:{modal}) (?:say|read|show))"
    the_noun = rf"(?:(?:the )?(?:{_NOUN} )?)"
    things = rf"(?:(?P<filter>{FILTER}) )?(?P<things>{_NOUN})"
    return (
        ("entry_state", rf"{sure}{the_noun}(?P<row>{SUBJECT}) {not_or_is} (?:(?:again|now|still) )?(?P<state>{STATE}){_AGAIN}{any_more}"),
        ("entry_state", rf"{sure}{the_noun}(?P<row>{NAME}) {names['is_not']} (?:{names['shown']} )?as (?P<state>{STATE})(?P<not>){any_more}"),
        ("entry_state", rf"{sure}{the_noun}(?P<row>{NAME}) (?:{is_} (?:{names['shown']}|marked) as|{has} (?:the )?{_STATUS}|appears as) (?P<state>{STATE}){_AGAIN}"),
        ("entry_state", rf"{sure}{the_noun}(?P<row>{SUBJECT}) (?P<not>{names['is_not']}|{is_}) (?:(?:now|then) )?(?:marked|listed|shown) as (?P<state>{_CAPITAL}){_AGAIN}"),
        ("entry_state", rf"{sure}{the_noun}(?P<row>{QUOTED}) {not_or_is} (?:(?:again|now|still) )?(?P<state>{_CAPITAL}){_AGAIN}{any_more}"),
        ("entries_state", rf"{sure}{the_noun}(?P<names>{NAME}(?:(?:,? and |, ){NAME})+) (?:are|should be|must be)(?: both| all)?(?: (?:now|still))? (?P<state>{STATE}){_AGAIN}"),
        ("column_state", rf"{sure}the (?P<f>{_NOUN}) (?:of|for|from) {the_noun}(?P<row>{SUBJECT}) {says} (?P<state>{STATE}){_AGAIN}"),
        ("column_state", rf"{sure}(?P<row>{NAME})(?:'s| 's) (?P<f>{_NOUN}) {says} (?P<state>{STATE}){_AGAIN}"),
        ("entry_number", rf"{sure}{the_noun}(?P<row>{NAME}) (?:(?:now|still) )?{has}(?: (?:now|still|exactly|only))? (?P<n>\d{{1,4}}|{'|'.join(NUMBERS[1:])}) (?P<state>{LOWER}(?: (?:left|remaining|{LOWER}))?){_AGAIN}"),
        ("all_state", rf"{sure}(?:each|every|all)(?: of)?(?: the)? {things} {is_} (?P<state>{STATE}){_AGAIN}"),
        ("count_state", rf"{sure}(?:there (?:is|are|must be|should be) )?(?P<n>{_COUNT}) (?P<things>{_NOUN})(?: (?:that|which))? {is_} (?:still )?(?P<state>{STATE}){any_more}"),
        ("only_state", rf"{sure}only (?P<row>{NAME}) {is_} (?P<state>{STATE})"),
        ("only_listed", rf"{sure}(?:only (?P<names>{_NAMES})|(?P<names2>{_NAMES}) only) (?:{is_} {_LISTED}|remains?)"),
        ("only_listed", rf"(?:{names['to_see']}) only (?P<names>{_NAMES})(?: in the (?:list|table))?"),
        ("note_only", rf"only (?P<names>{_NAMES})"),
        ("note_absent", rf"no (?P<row>{_CAPITALS})"),
        ("catalogue_of", rf"(?:{names['to_see']}) (?:a|an|the) (?P<place>{_NOUN}) (?:of|with) (?P<n>{_COUNT}) {things}"),
        ("all_listed", rf"{sure}(?P<names>{NAME}(?:, {NAME})*,? and {NAME}) are {_LISTED}"),
        ("place_lists", rf"{sure}(?:the )?(?P<x>{_CAPITALS})(?: page)? (?:shows|lists|has|{modal} (?:show|list))(?P<only> only)? (?P<names>{_NAMES})"),
        ("mark", rf"marks? {the_noun}(?P<row>{NAME}) as (?P<state>{STATE})"),
        ("mark", rf"marks? {the_noun}(?P<row>{NAME}) (?P<state>{LOWER})"),
        ("mark_each", rf"marks? (?:each|every|all)(?: of)?(?: the)? {things} as (?P<state>{STATE})"),
        ("click_at", rf"(?:clicks?|taps?|press(?:es)?)(?: on)? (?:the )?button (?P<act>{QUOTED}|(?<=\x20)(?-i:[A-Z][\w-]*)(?: (?:{LOWER}|as {LOWER}|in|out)){{0,2}}) (?:of|for|on) {the_noun}(?P<row>{NAME})"),
        ("click_at", rf"in the {_NOUN} (?P<row>{NAME}),? (?:clicks?|taps?|press(?:es)?)(?: on)? (?P<act>{QUOTED}|(?<=\x20)(?-i:[A-Z][\w-]*)(?: {LOWER}){{0,2}})"),
        ("create_free", rf"(?:creates?|adds?|registers?|opens?|files?|books?) (?:(?:the|a|an|another|one) )?(?:new )?(?P<noun>{_NOUN})(?: (?:called|named|titled))?(?: (?P<name>{NAME}))?(?P<phrases>(?:{_PHRASE}){{1,6}})"),
        ("do_for", rf"(?P<act>{'|'.join(VERBS)})(?:e?s)? {the_noun}(?P<object>{NAME}) (?:for|to) {the_noun}(?P<option>{NAME})"),
        ("click_at", rf"(?:clicks?|taps?|press(?:es)?|push(?:es)?|hits?)(?: on)?(?: the)? (?P<act>{QUOTED}|(?<=\x20)(?-i:[A-Z][\w-]*)(?: (?:as )?{LOWER}){{0,2}}) (?:on|for|next to|beside|at) {the_noun}(?P<row>{NAME}|{_TRAILING})"),
    )  # fmt: skip


def _expect(kind: Any, selector: str, **fields: Any) -> BrowserStep:
    return BrowserStep("expect", selector=selector, expect=Expect(kind, selector=selector, **fields))


def _is_negated(said: ClauseSlots) -> bool:
    return said.has("not") and bool(re.search(r"\b(?:not|no)\b|^$", said.groups["not"], re.IGNORECASE))


def _entry_state(said: ClauseSlots) -> list[BrowserStep]:
    return [_expect("state", said.row(), equals=said.value("state"), negated=_is_negated(said))]


def _column_state(said: ClauseSlots) -> list[BrowserStep]:
    return [_expect("state", f"{said.row()}{INSIDE}{said.value('f')}", equals=said.value("state"))]


def _entry_number(said: ClauseSlots) -> list[BrowserStep]:
    number = parse_count(said.groups["n"])[0]
    return [_expect("state", said.row(), equals=f"{number} {said.value('state')}")]


def _count(things: str, few: int, many: int | None) -> BrowserStep:
    return _expect("count", f"{THINGS}{things}", min=few, max=many)


def _count_state(said: ClauseSlots) -> list[BrowserStep]:
    few, many = (0, 0) if said.groups["n"].lower() == "none" else parse_count(said.groups["n"])
    return [_count(describe_entries(said.value("things").lower(), said.value("state")), few, many)]


def _only_state(said: ClauseSlots) -> list[BrowserStep]:
    """`only Spin is full`: it is, and one entry is."""
    return [*_entry_state(said), _count(describe_entries("entry", said.value("state")), 1, 1)]


def _names(said: ClauseSlots) -> list[str]:
    text = said.first("names", "names2")
    return [said.unquote(each) for each in re.split(r",? and |, | \+ | & ", text, flags=re.IGNORECASE)]


def _only_listed(said: ClauseSlots) -> list[BrowserStep]:
    """`only Emma and Persuasion are listed`: each is one entry, and there is no other."""
    names = _names(said)
    each = [_count(describe_entries("entry", name), 1, 1) for name in names]
    return [*each, _count("entry", len(names), len(names))]


def _place_lists(said: ClauseSlots) -> list[BrowserStep]:
    """`Catalogue shows A, B and C`: on the page of this heading the lists say each of them."""
    heading = _expect("visible", f"heading={said.value('x')}")
    listed = [_expect("text", LISTS, contains=name) for name in _names(said)]
    return [heading, *(_only_listed(said) if said.has("only") else listed)]


def _each(said: ClauseSlots) -> str:
    state = said.value("filter") if said.has("filter") else ""
    return f"{ENTRY}{EACH} {describe_entries(said.value('things').lower(), state)}"


def _do_for(said: ClauseSlots) -> list[BrowserStep]:
    """`lend Emma to Ann`: opens the form of the object, chooses who it is for, and ends the form."""
    name = said.value("option")
    return [
        do_step(said.value("act"), said.value("object"), ""),
        BrowserStep("fill", selector=f"{OFFERING}{name}", value=name),
        BrowserStep("click", selector=END_OF_FORM),
    ]


def _click_at(said: ClauseSlots) -> list[BrowserStep]:
    """`click Return on Ulysses`: the only such control in the entry, which the page must have."""
    name = said.row().removeprefix(ROW)
    return [BrowserStep("click", selector=DO + PART.join([said.value("act").lower(), name]))]


def _create_free(said: ClauseSlots) -> list[BrowserStep]:
    """`create a ticket for Globex with urgent priority`: each phrase is a field by its label, or the list that offers it."""
    named = [BrowserStep("fill", selector=f"{LABEL}name", value=said.value("name"))] if said.has("name") else []
    fields = [_place_phrase(said, each[0].strip(" ,")) for each in re.finditer(_PHRASE, said.phrases(), re.IGNORECASE)]
    return [
        BrowserStep("click", selector=f"{NEW}{said.value('noun')}"),
        *named,
        *fields,
        BrowserStep("click", selector=END_OF_FORM),
    ]


def _place_phrase(said: ClauseSlots, phrase: str) -> BrowserStep:
    words = re.sub(r"^(?:(?:and|with|the|an|a|her|his|its) )+", "", phrase, flags=re.IGNORECASE)
    if offered := re.fullmatch(r"for (.+)", words, re.IGNORECASE):
        return BrowserStep("fill", selector=f"{OFFERING}{said.unquote(offered[1])}", value=said.unquote(offered[1]))
    words = re.sub(r"^assigned to ", "assignee ", words, flags=re.IGNORECASE)
    words = re.sub(r"^due on ", "due ", words, flags=re.IGNORECASE)
    adjective = re.fullmatch(rf"([a-z-]+) ({_OFTEN_CHOSEN})", words)
    label, value = (adjective[2], adjective[1]) if adjective else _split_label(words)
    return BrowserStep("fill", selector=f"{LABEL}{label}", value=said.unquote(value))


def _split_label(words: str) -> tuple[str, str]:
    """Return the label and the value of `phone number "12"` or `priority high`."""
    said = re.fullmatch(r"([a-z-]+(?: (?:address|number|date|name))?):? (.+)", words)
    return (said[1], said[2]) if said else ("", words)


def _mark(said: ClauseSlots) -> list[BrowserStep]:
    name = said.row().removeprefix(ROW)
    return [BrowserStep("click", selector=DO + PART.join([f"mark as {said.value('state')}", name]))]


STEPS_OF_STATES: dict[str, Callable[[ClauseSlots], list[BrowserStep]]] = {
    "entry_state": _entry_state,
    "column_state": _column_state,
    "entries_state": lambda said: [
        _expect("state", f"{ROW}{name}", equals=said.value("state")) for name in _names(said)
    ],
    "entry_number": _entry_number,
    "all_state": lambda said: [_expect("state", _each(said), equals=said.value("state"))],
    "count_state": _count_state,
    "only_state": _only_state,
    "catalogue_of": lambda said: [
        _count(
            f"{describe_entries(said.value('things'), said.value('filter'))}{AT}{said.value('place')}",
            *parse_count(said.groups["n"]),
        )
    ],
    "only_listed": _only_listed,
    "note_only": _only_listed,
    "note_absent": lambda said: [
        BrowserStep("expect", expect=Expect("text", contains=said.row().removeprefix(ROW), negated=True))
    ],
    "all_listed": lambda said: [_expect("text", LISTS, contains=name) for name in _names(said)],
    "place_lists": _place_lists,
    "mark": _mark,
    "mark_each": lambda said: [
        BrowserStep("click", selector=f"{_each(said)}{INSIDE}{VERB}mark as {said.value('state')}")
    ],
    "create_free": _create_free,
    "do_for": _do_for,
    "click_at": _click_at,
}
"""The steps of each kind of rule about states."""
