# ruff: noqa: E501 - one sentence, one line
"""Sentences about what an application tells a person: messages in other words, dialogs, and the page to sign in.

`she is told that the booking was cancelled`, `a dialog asks "Delete it?"`, `confirm the deletion`, `the user stays on the login page`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twindiff.browser.config import BrowserStep, Expect
from twindiff.browser.element_finder import DIALOG, LISTS, LOG_OUT, PASSWORD
from twindiff.browser.intent_finder import CONFIRM, NEW
from twindiff.browser.intents import create_steps, do_step
from twindiff.browser.message_finder import IN_DIALOG, MESSAGES, NEWS
from twindiff.browser.words import QUOTED

if TYPE_CHECKING:
    from twindiff.browser.clauses import ClauseSlots

LANDMARKS = {
    "navigation": "css=nav, [role=navigation]",
    "header": "css=header, [role=banner]",
    "footer": "css=footer, [role=contentinfo]",
    "sidebar": "css=aside, [role=complementary]",
}
_KIND_OF_MESSAGE = r"(?:(?:success|error|confirmation|warning|validation|info|little|short|friendly|clear) ){0,2}(?:message|toast|notification|banner|alert|notice|warning|error|confirmation|hint)"
_A_MESSAGE = rf"(?:(?:a|an|the) )?{_KIND_OF_MESSAGE}"
_TELLS = r"(?:says?|saying|confirms?|confirming|informs?|tells?|telling|warns?|warning|states?|stating|explains?|explaining|complains?|reads?|shows?)(?: (?:me|him|her|them|us|the user))?"
_CLAIM = r"(?P<claim>[^\x02-\x07,;:]{5,100}?)"
_HAS_JOIN = re.compile(
    r"[\s\x01](?:and|but|then|when|while|if|unless|before|after|until|because|whether)[\s\x01]", re.IGNORECASE
)
"""Words of a claim after which another clause may begin."""
_TOLD = r"(?:told|informed|notified|warned|reminded|advised)"
_DIALOG_NOUN = r"(?:(?:the|a|an|this) )?(?:(?:confirmation|modal|booking|delete|warning) )?(?:dialog|modal|pop-?up|dialogue)(?: (?:box|window))?"
_LOGIN_PLACE = r"(?:(?:the|a) )?(?:log-?in|log in|sign-?in|sign in) (?:page|form|screen|view)"
_DEED = r"(?:deletion|cancellation|removal|booking|reservation|order|payment|refund|approval|rejection|archiving|purchase|change|action|question)"
_WORD = r"(?<=\x20)(?-i:[a-z]+)"
_AT_PLACE = rf"(?P<place>(?:my|our|her|his) {_WORD}|(?<=\x20)(?-i:My|Our) {_WORD}|(?<=\x20)(?-i:[A-Z][a-z]+)(?: {_WORD})?)(?: page| list| table)?"


def _list_seen(names: dict[str, str]) -> str:
    return rf"(?:{names['is']} (?:shown|displayed|visible|there|open)|(?:{names['modal']} )?(?:appears?|opens?|shows up|comes up))(?: again)?"


def list_message_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about messages; `names` are parts that all patterns share."""
    sure, is_, modal, person, to_see = (names[each] for each in ("sure", "is", "modal", "person", "to_see"))
    seen = _list_seen(names)
    return (
        ("told_text", rf"{sure}{person} (?:{is_}|gets?) (?:{_TOLD}(?: that|:)?|(?:greeted|welcomed|met|presented) (?:with|by)) {{q1}}"),
        ("told_text", rf"{sure}{_A_MESSAGE} {_TELLS}(?: that)? {{q1}}(?: {seen})?"),
        ("told_text", rf"(?:{to_see}|{person} (?:{modal} )?gets?) {_A_MESSAGE}(?: that| which)?(?: {_TELLS})?(?: that)? {{q1}}"),
        ("told_text", rf"{sure}the (?:page|form|app|application|screen) (?:complains?|warns?|explains?|states?|informs? (?:me|us|the user)|says?|tells? (?:me|us|the user)) that {{q1}}"),
        ("told_text", rf"(?:an? )?(?:success |validation |error |confirmation )?(?:message|toast|error|warning) {{q1}}(?: {seen})?"),
        ("told_now", rf"{sure}{person} (?:{is_}|gets?) {_TOLD}(?: that)? {_CLAIM}"),
        ("told", rf"{sure}{_A_MESSAGE} {_TELLS} that {_CLAIM}"),
        ("told", rf"(?:{to_see}|{person} (?:{modal} )?gets?) {_A_MESSAGE}(?:(?: which)? {_TELLS}(?: that)?| that) {_CLAIM}"),
        ("told", rf"{sure}(?:the )?(?:page|form|app|application|screen|list|table) (?:says?|complains?|warns?|explains?|states?|informs? (?:me|us|the user)|tells? (?:me|us|the user)) that {_CLAIM}"),
    )  # fmt: skip


def list_popup_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about dialogs of the page, which no other rule may take for a name."""
    sure, is_, is_not, modal, any_more = (names[each] for each in ("sure", "is", "is_not", "modal", "any_more"))
    seen = _list_seen(names)
    return (
        ("popup_open", rf"{sure}{_DIALOG_NOUN} (?:(?:{modal} )?(?:stays?|remains?)|{is_}) (?:still )?(?:open|there)"),
        ("popup_open", rf"{sure}{_DIALOG_NOUN} {seen}"),
        ("popup_shut", rf"{sure}{_DIALOG_NOUN} (?:{is_} (?:closed|gone|hidden|dismissed)|(?:{modal} )?(?:closes|disappears)|{is_not} (?:open|shown|visible|there){any_more})"),
        ("popup_asks", rf"{sure}{_DIALOG_NOUN} (?:(?:{modal} )?(?:asks?|says?|shows?|reads?|warns?|contains?|appears? (?:asking|saying|with)|opens? (?:asking|saying|with))|asking|saying)(?: (?:me|him|her|us|the user))?(?: that)? {{q1}}(?: {seen})?"),
        ("popup_told", rf"{sure}{_DIALOG_NOUN} (?:says?|warns?|states?|explains?|tells? (?:me|us|the user)|warns? (?:me|us|the user)) that {_CLAIM}"),
    )  # fmt: skip


def list_login_rules(names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the kinds and patterns of sentences about where a person is, and about what she confirms or begins."""
    sure, is_, is_not, modal, person, to_see, any_more = (
        names[each] for each in ("sure", "is", "is_not", "modal", "person", "to_see", "any_more")
    )
    stays = rf"(?:(?:{modal} )?(?:stays?|remains?|lands?|ends? up)|{is_}|(?:am|is|are) (?:still|taken|sent|brought))(?: still)?(?: back)?"
    seen = _list_seen(names)
    return (
        ("confirm", rf"confirms?(?: (?:it|this|that|again))?|confirms? (?:the|this|my|her|his) {_DEED}|confirms? (?:in|with|using) {_DIALOG_NOUN}|(?:answers?|says?) (?:with )?yes"),
        ("mark_bare", r"marks? as (?P<state>(?<=\x20)(?-i:[a-z]+))"),
        ("at_login", rf"{sure}{person} {stays} (?:on|at|to) {_LOGIN_PLACE}"),
        ("at_login", rf"{sure}{_LOGIN_PLACE} {seen}|(?:{to_see}) {_LOGIN_PLACE}(?: again)?"),
        ("not_logged_in", rf"{sure}{person} (?:{is_not}|(?:am|is|are) not|{modal} not be) (?:logged|signed) in{any_more}|{sure}{person} (?:stays?|remains?) (?:logged|signed) out|{sure}(?:the )?(?:log-?in|login|sign-in) (?:fails|{modal} fail|{is_} refused)"),
        ("list_of", rf"{sure}{{q1}} {is_}(?: (?:listed|shown|found|included))? (?:in|on) the (?P<place>(?<=\x20)(?-i:[a-z]+)) (?:list|table)|{sure}{{q2}} (?:appears?|{modal} appear|shows up) (?:in|on) the (?P<place_2>(?<=\x20)(?-i:[a-z]+)) (?:list|table)"),
        ("listed_at", rf"{sure}{{q1}} (?:{is_}(?: (?:listed|shown|found|included|visible))?|(?:{modal} )?(?:appears?|shows? up)) (?:in|on) {_AT_PLACE}"),
        ("listed_not_at", rf"{sure}{{q1}} {is_not}(?: (?:listed|shown|found|included|visible))? (?:in|on) {_AT_PLACE}{any_more}"),
        ("landmark_lacks", rf"(?:{to_see}|{sure}there (?:is|are)) no (?P<x>{QUOTED}|(?<=\x20)(?-i:[A-Z][\w-]*)(?: [\w-]+)?) (?:link|button|entry|item|tab|option)s? in the (?P<region>navigation|header|footer|sidebar)"),
        ("begin_new", rf"(?:starts?|begins?|creates?|adds?|opens?) (?:an?|another|the) new (?P<noun>(?!(?:tab|window|page)\b){_WORD})(?: form)?"),
        ("create_without", rf"(?:creates?|adds?|registers?) (?:an?|the|another) (?:new )?(?P<noun>{_WORD}) (?:(?:called|named) )?(?P<x>{QUOTED}|(?<=\x20)(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*){{0,2}})) without (?:an?|any|the) (?P<f>{_WORD})(?: address| number)?"),
        ("back_at", rf"{sure}{person} {stays} (?:on|at|to|in) the (?P<x>{_WORD}) (?:list|overview)"),
        ("list_of_lacks", rf"{sure}{{q1}} (?:{is_not}|{is_not} (?:listed|shown|found|included|added)) (?:in|on|to) the (?:(?P<place>(?<=\x20)(?-i:[a-z]+)) )?(?:list|table){any_more}"),
    )  # fmt: skip


def is_one_claim(text: str) -> bool:
    """Return whether a claim in other words holds no second clause."""
    return not _HAS_JOIN.search(f" {text} ")


def _expect(kind: Any, selector: str | None, **fields: Any) -> BrowserStep:
    return BrowserStep("expect", selector=selector, expect=Expect(kind, selector=selector, **fields))


def _expect_told(said: ClauseSlots, *, which: str = "") -> list[BrowserStep]:
    return [_expect("text", MESSAGES + which, contains=" ".join(said.groups["claim"].split()))]


def _told_text(said: ClauseSlots, *, place: str | None = None) -> list[BrowserStep]:
    return [_expect("text", place, contains=said.value("q1"))]


def _list_of(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    place = said.value("place", "place_2") if said.first("place", "place_2") else ""
    return [_expect("text", LISTS + place, contains=said.value("q1", "q2"), negated=negated)]


def _listed_at(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    """`"Party" is listed in My bookings`: opens that page, whose lists must say it."""
    return [
        BrowserStep("click", selector=f"place={said.value('place').lower()}"),
        _expect("text", LISTS, contains=said.value("q1"), negated=negated),
    ]


def _create_without(said: ClauseSlots) -> list[BrowserStep]:
    """`add a customer named Ann without an email` leaves a field empty, which the form must have."""
    return create_steps(said.value("noun"), said.value("x"), [(said.value("f"), "")], "", "")


def _titled_list(noun: str) -> str:
    """The selector of the heading of a list: `Open invoices (3)`, not `Invoice INV-7` or `New invoice`."""
    one = noun.removesuffix("s")
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    title = rf"(^|\\W)({noun}|{one}|{many})\\W+(list|overview)\\W*$|(^|\\W){many}[\\W\\d]*$"
    return f"css=:is(h1, h2, h3, caption):text-matches('{title}', 'i')"


_IS_OPEN = _expect("visible", DIALOG)
_OTHER_FORM = (
    "css=input[autocomplete=new-password], "
    "form:has(input[type=password]) :is(h1, h2, h3, legend, button, [type=submit])"
    ":text-matches('^\\\\W*(sign ?up|register|create|join|change|reset|update|save|set|confirm)', 'i')"
)
"""What a form has that asks for a new password, to register or to change it."""
_AT_LOGIN = [
    _expect("visible", PASSWORD),
    _expect("visible", LOG_OUT, negated=True),
    _expect("visible", _OTHER_FORM, negated=True),
]
STEPS_OF_MESSAGES: dict[str, Callable[[ClauseSlots], list[BrowserStep]]] = {
    "told": _expect_told,
    "told_now": lambda said: _expect_told(said, which=NEWS),
    "told_text": _told_text,
    "popup_open": lambda said: [_IS_OPEN],
    "popup_shut": lambda said: [_expect("visible", DIALOG, negated=True)],
    "popup_asks": lambda said: [_IS_OPEN, *_told_text(said, place=DIALOG)],
    "popup_told": lambda said: [_IS_OPEN, *_expect_told(said, which=IN_DIALOG)],
    "confirm": lambda said: [BrowserStep("click", selector=CONFIRM)],
    "mark_bare": lambda said: [do_step(f"mark as {said.value('state')}", "", "")],
    "at_login": lambda said: _AT_LOGIN,
    "not_logged_in": lambda said: _AT_LOGIN,
    "list_of": _list_of,
    "listed_at": _listed_at,
    "listed_not_at": lambda said: _listed_at(said, negated=True),
    "landmark_lacks": lambda said: [
        _expect("text", LANDMARKS[said.groups["region"].lower()], contains=said.value("x"), negated=True)
    ],
    "start": lambda said: [BrowserStep("reload")],
    "begin_new": lambda said: [BrowserStep("click", selector=f"{NEW}{said.value('noun')}")],
    "create_without": _create_without,
    "back_at": lambda said: [_expect("visible", _titled_list(said.value("x")))],
    "list_of_lacks": lambda said: _list_of(said, negated=True),
}
"""The steps of each kind of rule about messages."""
