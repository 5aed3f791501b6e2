"""Sentences about things that a page counts and orders: `3 dishes`, `the second row`, `for each row`.

A noun is one word of the prompt; whether the page has such things is seen there, see `entry_finder`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from twindiff.browser.config import BrowserStep, Expect
from twindiff.browser.element_finder import INSIDE
from twindiff.browser.entry_finder import AT, EACH, ENTRY, LAST, NTH, THINGS, VERB, describe_entries
from twindiff.browser.intents import VERBS
from twindiff.browser.state_rules import FILTER
from twindiff.browser.words import QUOTED

if TYPE_CHECKING:
    from twindiff.browser.clauses import ClauseSlots

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_UNCOUNTED = (
    *(
        "ms",
        "milliseconds?",
        "seconds?",
        "secs?",
        "minutes?",
        "hours?",
        "days?",
        "weeks?",
        "months?",
        "years?",
        "times",
    ),
    *("errors?", "warnings?", "problems?", "failures?", "changes?", "dollars?", "euros?", "cents?", "percent", "usd"),
    *("eur", "gbp", "pixels?", "px", "characters?", "words?", "clicks?", "attempts?", "more", "less", "longer"),
)
"""Nouns that are no entries of a table or list."""
_GENERIC = r"(?:(?:table )?rows?|(?:list )?items?)"
_NOUN = rf"(?:{_GENERIC}|(?<=\x20)(?!(?:{'|'.join(_UNCOUNTED)})(?![\w-]))(?-i:[a-z][a-z-]*))"
_POSITION = rf"(?:{'|'.join(ORDINALS)}|{LAST}|(?<=[\x20\x01])\d{{1,2}}(?:st|nd|rd|th))"
_OF_LIST = r"(?: (?:of|in)(?: the)? (?:table|list))?"
_ONE = rf"(?:the )?(?P<position>{_POSITION}) (?:(?P<filter>{FILTER}) )?(?P<entry>{_NOUN}){_OF_LIST}"
_EVERY = rf"(?P<position>each|every) (?:(?P<filter>{FILTER}) )?(?P<entry>{_NOUN}){_OF_LIST}"
_KINDS = r"radio ?buttons?|buttons?|links?|check ?box(?:es)?|(?:text )?fields?|tabs?|headings?"
_NTH = (
    rf"(?:the )?(?P<position>{_POSITION}) (?:(?P<of_kind>{_KINDS})(?: (?:(?:named|called|labell?ed|with the label) )?"
    rf"(?P<named>{QUOTED}))?|(?P<named2>{QUOTED})(?: (?P<of_kind2>{_KINDS}))?)"
)
_ACTS = "|".join(VERBS)
_TO = r"(?: (?:to|into|from) (?:the|my|your|our|his|her|their) (?P<place>(?<=\x20)(?-i:[a-z][\w-]*)))?"
_IS_VISIBLE = r"(?: (?:is|are|should be|must be) (?:left|remaining|shown|visible|displayed|listed|present|there))?"


def list_placeholder_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about placeholders; `names` are parts that all patterns share."""
    sure, modal, does_not, quoted = (names[each] for each in ("sure", "modal", "does_not", "quoted"))
    return (
        ("placeholder_fill", rf"(?:fills?|completes?)(?: in| out)? (?:the )?(?:text )?field (?:with )?(?:the )?placeholder (?P<f>{quoted}) (?:with|using|as) {{v}}"),
        ("placeholder_fill", rf"(?:enters?|types?|inputs?|writes?|puts?) {{v}} (?:into|in) (?:the )?(?:text )?field (?:with )?(?:the )?placeholder (?P<f>{quoted})"),
        ("placeholder", rf"{sure}{{f}} (?:has|shows|(?:{modal}) (?:have|show)) (?:the |a )?placeholder (?P<q1>{quoted})"),
        ("placeholder", rf"{sure}the placeholder of {{f}} (?:is|reads|equals|(?:{modal}) be) (?P<q1>{quoted})"),
        ("placeholder_not", rf"{sure}{{f}} (?:{does_not}) (?:have|show) (?:the |a )?placeholder (?P<q1>{quoted})"),
    )  # fmt: skip


def list_entry_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about entries; `names` are parts that all patterns share."""
    sure, modal, says, does_not, say = (names[each] for each in ("sure", "modal", "says", "does_not", "say"))
    quoted, spoken, to_see, page, any_more = (
        names[each] for each in ("quoted", "spoken", "to_see", "page", "any_more")
    )
    clicks = r"(?:clicks?|taps?|press(?:es)?|push(?:es)?|hits?)(?: on)?"
    person = r"(?:(?:i|we|you|he|she|the user) )?"
    has = rf"(?:(?:{modal})(?: now| also| then)? (?:have|list|show|contain)|has|lists|shows|contains)"
    place = rf"the (?P<place>(?<=\x20)(?-i:[a-z]+)) {has} "
    there_are = rf"{sure}(?:there (?:is|are|(?:{modal})(?: now| also| then)? be|to be) )?"
    each_it = rf"for {_EVERY}[,:]? {sure}it"
    any_entry = rf"(?:{_ONE}|{re.sub('position|entry|filter', lambda slot: f'{slot[0]}2', _EVERY)})"
    texts = rf"(?P<qs>{quoted}(?: and {quoted})*|{spoken})"
    number = rf"(?:(?:{to_see}) |{there_are}|{sure}(?:the )?(?P<place_2>(?<=\x20)(?-i:[A-Za-z]+)) (?:table|list) {says} |{sure}(?:{page}|the table|the list) {says} |{sure}{place})"
    return (
        ("entry_click", rf"{clicks} {{x}} in {_ONE}"),
        ("entry_click", rf"in {_ONE},? {person}{clicks} {{x}}"),
        ("entry_do", rf"(?P<act>{_ACTS}|open)(?:e?s)? {_ONE}{_TO}"),
        ("nth_click", rf"(?:{clicks}|chooses?|selects?|picks?) {_NTH}"),
        ("nth_check", rf"(?:checks?|ticks?) {_NTH}"),
        ("nth_uncheck", rf"(?:unchecks?|unticks?) {_NTH}"),
        ("nth_fill", rf"(?:fills?|completes?)(?: in| out)? {_NTH} (?:with|using|as) {{v}}"),
        ("nth_fill", rf"(?:enters?|types?|inputs?|writes?|puts?) {{v}} (?:into|in) {_NTH}"),
        ("heading_says", rf"{sure}the (?P<position>{_POSITION}) heading {says} (?P<q1>{quoted})"),
        ("entry_says", rf"{sure}{any_entry} {says} {texts}"),
        ("entry_says", rf"{each_it} {says} {texts}"),
        ("entry_says_not", rf"{sure}{any_entry} {does_not} {say} (?P<q1>{quoted}){any_more}"),
        ("entry_says_not", rf"{each_it} {does_not} {say} (?P<q1>{quoted}){any_more}"),
        ("entry_says_not", rf"{sure}no (?P<entry>row|item) {says} (?P<q1>{quoted}|{spoken}){any_more}"),
        ("entry_is", rf"{sure}{_ONE} (?:is|reads|(?:{modal})(?: now| also| then)? (?:be|read)) (?P<q1>{quoted}|(?<=\x20)#\d{{1,6}}|(?<=\x20)(?-i:[A-Z][\w'-]*(?:\x20[A-Z][\w'-]*){{0,3}}))"),
        ("things", rf"{number}{{n}} (?:(?P<filter>{FILTER}) )?(?P<things>{_NOUN}){_OF_LIST}{_IS_VISIBLE}{any_more}"),
    )  # fmt: skip


def _position(text: str) -> str:
    word = text.lower()
    return str(ORDINALS.index(word) + 1) if word in ORDINALS else LAST if word == LAST else re.sub(r"\D", "", word)


def _entry(said: ClauseSlots) -> str:
    position = said.first("position", "position2")
    noun = said.first("entry", "entry2").lower().split(" ")[-1]
    is_each = not position or position.lower() in ("each", "every")
    meant = describe_entries(noun, said.value("filter", "filter2"))
    return f"{ENTRY}{EACH if is_each else _position(position)} {meant}"


def expect_entry(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    """Return the expectations that an entry, or each, contains texts or does not."""
    texts = said.texts("q1") if negated else said.texts("qs")
    return [_expect("text", _entry(said), contains=text, negated=negated) for text in texts]


def expect_entry_is(said: ClauseSlots) -> list[BrowserStep]:
    """Return the expectation that an entry is called so."""
    return [_expect("text", _entry(said), equals=said.value("q1"))]


def expect_things(said: ClauseSlots, few: int, many: int | None) -> list[BrowserStep]:
    """Return the expectation that a page has so many entries."""
    noun = said.first("things").lower().split(" ")[-1]
    named = said.value("place", "place_2").lower() if said.first("place", "place_2") else ""
    place = f"{AT}{named}" if named else ""
    return [_expect("count", f"{THINGS}{describe_entries(noun, said.value('filter'))}{place}", min=few, max=many)]


def click_in_entry(said: ClauseSlots) -> list[BrowserStep]:
    """Return the click on an element of an entry."""
    return [BrowserStep("click", selector=f"{_entry(said)}{INSIDE}{said.select_named('x')}")]


def do_to_entry(said: ClauseSlots) -> list[BrowserStep]:
    """Return the click on the control that does something to an entry."""
    place = f"{AT}{said.value('place')}" if said.has("place") else ""
    return [BrowserStep("click", selector=f"{_entry(said)}{INSIDE}{VERB}{said.value('act').lower()}{place}")]


def select_nth(said: ClauseSlots, kind: str) -> str:
    """Return the selector of an element by its position among those of its kind, and of its name if there is one."""
    named = f"={said.value('named', 'named2')}" if said.first("named", "named2") else ""
    return f"{NTH}{_position(said.first('position'))} {kind}{named}"


def _expect(kind: Any, selector: str, **fields: Any) -> BrowserStep:
    return BrowserStep("expect", selector=selector, expect=Expect(kind, selector=selector, **fields))
