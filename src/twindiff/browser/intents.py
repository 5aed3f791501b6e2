"""Sentences that say what is to be done, not where to click: `add the lentil soup`, `create a customer named Ada`.

They become steps whose selectors are intents, see `intent_finder`. A verb and its object must account for every word.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from twindiff.browser.config import BrowserStep
from twindiff.browser.intent_finder import DO, END_OF_FORM, LABEL, NEW, PART
from twindiff.browser.words import BARE, NUMBERS, PLAIN, QUOTED

MAX_TIMES = 20
"""Repetitions that a sentence may ask for."""
VERBS = (
    *("add", "approve", "archive", "assign", "book", "cancel", "complete", "create", "delete", "duplicate", "edit"),
    *("file", "finish", "invite", "merge", "place", "publish", "register", "reject", "remove", "rename", "reopen"),
    *("resolve", "restore", "resume", "save", "send", "start", "stop", "submit", "update", "view"),
    *("activate", "block", "buy", "close", "deactivate", "export", "pay", "pin", "print", "refund", "renew", "rent"),
    *(
        "reserve",
        "share",
        "star",
        "suspend",
        "unblock",
        "upgrade",
        "ship",
        "pack",
        "dispatch",
        "restock",
        "lock",
        "unlock",
    ),
    *("hide", "mute", "unmute", "unpublish", "schedule", "escalate", "snooze", "promote", "demote", "copy", "clone"),
    *("import", "connect", "disconnect", "flag", "follow", "unfollow", "subscribe", "unsubscribe", "join", "leave"),
    *("lend", "borrow", "give", "freeze", "unfreeze", "reactivate", "enroll", "enrol", "admit", "discharge", "extend"),
    *("assign", "unassign", "void", "waive", "settle", "claim", "release", "postpone", "reschedule", "pause", "launch"),
    *(
        "deploy",
        "retry",
        "rerun",
        "transfer",
        "move",
        "swap",
        "reorder",
        "ban",
        "unban",
        "bookmark",
        "watch",
        "feature",
    ),
    *("check in", "check out", "pick up", "clock in", "clock out", "sign up", "hand over", "set up"),
    *("clean", "repair", "serve", "deliver", "collect", "water", "feed", "expel", "hire", "charge", "bill", "adopt"),
    *("withdraw", "redeem", "vote", "reply", "return", "discard", "undo", "revoke", "accept", "decline"),
)
"""Verbs that are asked of a page, which must have a control that says the verb."""
_OTHERS = (
    *("click", "choose", "enter", "fill", "go", "log", "open", "press", "put", "reload", "search", "select", "set"),
    *("sign", "tick", "type", "untick"),
)
_IRREGULAR = {
    "pay": "paid",
    "lend": "lent",
    "freeze": "frozen",
    "give": "given",
    "feed": "fed",
    "buy": "bought",
    "put": "put",
    "send": "sent",
    "go": "gone",
    "choose": "chosen",
    "set": "set",
}


_DOUBLED = ("ship", "pin", "star", "log", "put", "set", "stop", "submit")


def _inflect(verb: str, ending: str) -> str:
    """Return a verb with `ed` or `ing`: submit, submitted; place, placing."""
    if " " in verb:
        first, _, rest = verb.partition(" ")
        return f"{_inflect(first, ending)} {rest}"
    if verb.endswith("e"):
        return f"{verb[:-1]}{ending}"
    return f"{verb}{verb[-1] if verb in _DOUBLED else ''}{ending}"


PARTICIPLES = {_IRREGULAR.get(verb) or _inflect(verb, "ed"): verb for verb in (*VERBS, *_OTHERS)} | {
    "cancelled": "cancel",
    "marked": "mark",
}
GERUNDS = {_inflect(verb, "ing"): verb for verb in (*VERBS, *_OTHERS)} | {
    "cancelling": "cancel",
    "confirming": "confirm",
}

_VERB = "|".join(VERBS)
_THE = r"(?:(?:the|a|an|my|your|our|this) )?"
_CAPITALS = r"(?<=\x20)(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,3})"
_WORD = r"(?<=\x20)(?-i:[a-z][\w-]*)"
_ATTRIBUTE = (
    rf"(?:,| with| and| using)?(?: (?:the|an|a|her|his|their|its))? ?"
    rf"(?:(?P<label>{_WORD}(?: address| number| date| name)?) )?"
    rf"\(?(?P<said>{QUOTED}|{PLAIN}|{_CAPITALS})\)?"
)
_ATTRIBUTES = re.sub(r"\?P<\w+>", "?:", _ATTRIBUTE)
_LABELLED = (
    rf"(?:,? and|,| with)(?: (?:the|an|a|her|his|their|its))? (?:{_WORD}(?: address| number| date| name)?) "
    rf"(?:{QUOTED}|{PLAIN}|{_CAPITALS})"
)
_MANY = rf"(?:\d{{1,2}}|{'|'.join(NUMBERS[1:])})"
_NAME = rf"(?:{QUOTED}|{_CAPITALS})"
_CALLED = r"(?:(?:called|named) )?"
_FORM = (
    rf"(?P<attributes>(?:{_ATTRIBUTES}){{0,3}})(?: on the (?P<option>{_NAME}) (?:plan|tier))?"
    rf"(?:,? and marks? (?:her|him|it|them) as (?P<mark>{_NAME}))?"
)
_EACH = rf"(?:{QUOTED}|{_CAPITALS}) \({PLAIN}\)"
_OBJECT = rf"(?:{QUOTED}|{BARE})(?<!\))"
_PLACE = rf" (?:to|into|from) (?:the|my|your|our|his|her|their) (?P<place>{_WORD})"
TIMES = rf"(?P<times>twice|thrice|(?:\d{{1,3}}|{'|'.join(NUMBERS)}) times|[x×] ?\d{{1,3}})"  # noqa: RUF001
_NEW_ONES = r"(?:creates?|adds?|registers?)"
_DOES = rf"(?P<act>{_VERB})(?:e?s)?"
_INTO = r"(?:in|into) (?:the|my|your|our|his|her|their)"
_SEVERAL = rf"{_EACH}(?:(?:,? and|,) {_EACH})+"
_RECORD = (
    "account|appointment|article|book|booking|category|colleague|comment|company|contact|customer|deal|employee|event|"
    "file|guest|invoice|issue|item|lead|member|message|order|post|product|project|subscription|supplier|task|team|"
    "ticket|user"
)
"""Nouns before a name that only say what it is the name of."""
INTENT_RULES = (
    ("do_record", rf"{_DOES} the (?:{_RECORD}) (?P<object>{QUOTED}|{_CAPITALS}|(?<=\x20)#\d{{1,6}})"),
    ("create", rf"{_NEW_ONES} {_THE}(?:another )?(?:new )?(?P<noun>{_WORD}) {_CALLED}(?P<name>{_NAME}){_FORM}"),
    ("create_all", rf"{_NEW_ONES} (?P<n>{_MANY}) (?:new )?(?P<noun>{_WORD}):? (?P<all>{_SEVERAL})"),
    ("create", rf"{_NEW_ONES} {_THE}(?:new )?(?P<noun>{_WORD})(?P<attributes>(?:{_LABELLED}){{1,6}})"),
    ("do", rf"{_DOES} {_THE}(?P<object>{_OBJECT})(?P<attributes>(?:{_LABELLED}){{1,3}})"),
    ("do", rf"{_DOES} {_THE}(?P<object>{_OBJECT}) and {_THE}(?P<object2>{_OBJECT}){_PLACE}"),
    ("do", r"(?P<act>save|submit)s?(?: it| them| the form| (?:the|my) changes)?"),
    ("do", rf"{_DOES} {_THE}(?:(?P<n>{_MANY}) )?(?P<object>{_OBJECT})(?:{_PLACE})?"),
    ("do", rf"(?P<act>put)s? {_THE}(?:(?P<n>{_MANY}) )?(?P<object>{_OBJECT}) {_INTO} (?P<place>basket|cart|bag)"),
    ("do", rf"(?P<act>open)s? the page of (?P<object>{_OBJECT})"),
    ("refrain", rf"do not (?:{_VERB})(?: (?:it|them|anything|the form|(?:the |any )?changes))?"),
)  # fmt: skip


CONTROL = "control"
"""The noun of an element that an action was done to."""


LISTED = "listed"
"""The noun of entries that later sentences may call `them`."""


class Referent(NamedTuple):
    """What later sentences may call `she`, `her row` or `the customer`; placeholders or words of the prompt."""

    noun: str
    name: str
    email: str = ""


def attributes_of(text: str) -> list[tuple[str, str]]:
    """Return the labels and values of `with the phone "12" (a@b.c)`; an address without a label is the e-mail."""
    return [(each["label"] or "email", each["said"]) for each in re.finditer(_ATTRIBUTE, text, re.IGNORECASE)]


def is_labelled(text: str) -> bool:
    """Return whether each value has a label, or is an e-mail address."""
    return all(each["label"] or each["said"][0] == "\x04" for each in re.finditer(_ATTRIBUTE, text, re.IGNORECASE))


def create_steps(noun: str, name: str, attributes: list[tuple[str, str]], option: str, mark: str) -> list[BrowserStep]:
    """Return the steps that open the form of a new one, fill it in and end it."""
    named = [("name", name)] if name else []
    steps = [BrowserStep("click", selector=f"{NEW}{noun}"), *fill_steps([*named, *attributes])]
    steps += [BrowserStep("choose", selector=f"choice={option}")] if option else []
    steps += [BrowserStep("check", selector=f"checkbox={mark}")] if mark else []
    return [*steps, BrowserStep("click", selector=END_OF_FORM)]


def fill_steps(attributes: list[tuple[str, str]]) -> list[BrowserStep]:
    """Return the steps that fill in fields by a part of their labels."""
    return [BrowserStep("fill", selector=f"{LABEL}{label}", value=value) for label, value in attributes]


def split_named(text: str) -> list[tuple[str, str]]:
    """Return the names and e-mail addresses of `Ann Bell (a@b.c) and Cy Dunn (c@d.e)`."""
    return [(each[1], each[2]) for each in re.finditer(rf"({QUOTED}|[A-Z][\w' -]*?) \(({PLAIN})\)", text)]


def do_step(verb: str, thing: str, place: str) -> BrowserStep:
    """Return the step that does something to a thing."""
    return BrowserStep("click", selector=DO + PART.join([verb.lower(), thing, *([place] if place else [])]))


def count_of(text: str) -> int:
    """Return how often `twice`, `x 3` or `four times` is."""
    word = re.sub(r"^[x×] ?| times$", "", text.lower())  # noqa: RUF001
    return {"twice": 2, "thrice": 3}.get(word) or (NUMBERS.index(word) if word in NUMBERS else int(word))
