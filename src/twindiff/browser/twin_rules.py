"""Parses sentences about new rows in a twin, such as `one new message in the Slack channel #general`.

Each becomes a check of the rows that were added while the test ran, provided that every word of it maps to a condition
of the assertion language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from twindiff.browser.config import REFERENCE, TwinCheck
from twindiff.browser.words import NUMBERS, PERSONS, PLAIN, QUOTED, SPOKEN

CENTS = {"$": "usd", "usd": "usd", "dollars": "usd", "€": "eur", "eur": "eur", "euros": "eur", "£": "gbp", "gbp": "gbp"}
"""Currencies whose amounts Stripe stores in hundredths."""


class Thing(NamedTuple):
    """What a sentence may count: rows of a twin's table, with the column of their name."""

    twin: str
    noun: str
    entity: str
    name: str = ""
    where: Mapping[str, Any] = {}
    more: str = ""
    """Further conditions, as a regular expression."""


_TEXT = rf"(?P<text>{QUOTED}(?: and {QUOTED})*|(?<=\x20)(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*){{0,3}}))"
_AMOUNT = r"(?: of (?:(?P<sign>[$€£])(?P<sum>\d{1,7}(?:\.\d\d)?)|(?P<sum2>\d{1,7}(?:\.\d\d)?) (?P<unit>usd|eur|gbp|dollars|euros)))?"
_SAYING = rf"(?: (?:(?:that|which) (?:contains?|says?|includes?|mentions?|reads?)|containing|saying|mentioning|reading|with the text) {_TEXT}|:? (?P<quoted>{QUOTED}))?"
_CHANNEL = rf"(?:#(?P<channel>[\w-]+)|(?P<channel_q>{QUOTED}))"
_CHANNEL2 = _CHANNEL.replace("channel", "channel2")
_HASHED = r"(?:the )?(?:channel )?#(?P<channel>[\w-]+)"
_IN_CHANNEL = rf"(?: (?:in|to) (?:the )?channel {_CHANNEL2}| (?:in|to) #(?P<channel3>[\w-]+))?"
_NAMED = rf"(?:(?: (?:titled|called|named|(?:with|that has) the (?:title|name)))? (?P<name>{QUOTED}|(?-i:(?=[A-Z])){SPOKEN}))?"
_EMAIL = rf"(?: (?:with|that has) the e-?mail(?: address)? (?P<email>{QUOTED}|{PLAIN}))?"
COUNTED_TABLES = (
    Thing("slack", "messages?", "messages", more=_SAYING),
    Thing("slack", "channels?", "channels", "channel_name", more=_NAMED),
    Thing("linear", "issues?", "issues", "title", more=rf"{_NAMED}(?: in the team (?P<team>{QUOTED}))?"),
    Thing("stripe", "payments?", "charges", where={"paid": True, "captured": True}, more=_AMOUNT),
    Thing("stripe", "payment intents?", "payment_intents", more=_AMOUNT),
    Thing("stripe", "customers?", "customers", "name", more=_NAMED + _EMAIL),
    Thing("stripe", "subscriptions?", "subscriptions"),
    Thing("stripe", "refunds?", "refunds", more=_AMOUNT),
    Thing("calendar", "(?:calendar )?(?:events?|meetings?)", "calendar_events", "summary", more=_NAMED),
    Thing("box", "files?", "box_files", "name", more=_NAMED),
    Thing("box", "folders?", "box_folders", "name", more=_NAMED),
)
PLACES = {"slack": "slack", "linear": "linear", "stripe": "stripe", "calendar": "(?:google )?calendar", "box": "box"}
_ONE = rf"(?P<n>(?:exactly |only |just |at least |at most |no more than |more than |(?:fewer|less) than (?!0\b|zero))?(?:\d{{1,4}}|{'|'.join(NUMBERS)})|no|an?)"
_SURE = (
    r"(?:(?:(?:i |we |you )?(?:expects?|verif(?:y|ies)|checks?|asserts?|ensures?|confirms?|makes? sure)(?:,? that| to see| for)?|"
    r"(?:i |we |you |the user )?should see) )?(?:there (?:is|are|should be|must be|has been|have been) )?"
)
_MADE = r"(?: (?:is|are|was|were|has been|have been|should be|should have been|must be|to be)(?: (?:posted|sent|created|made|added|opened|there))?| (?:should |must )?exists?)?"


def _pattern(thing: Thing) -> str:
    """Return the pattern of sentences about a thing: the twin is named before it, or before or after the conditions."""
    is_message = thing.noun == "messages?"
    own = PLACES[thing.twin]
    place = rf" (?:in|to|on|into) (?:the )?{own}" + (rf"(?: (?:channel )?{_CHANNEL})?" if is_message else "")
    before, behind = (_IN_CHANNEL, thing.more) if is_message else ("", thing.more)
    ways = (f"{behind}{_MADE.replace('|there', '')}{place}",) if behind else ()
    ways += (f"{place}{_MADE}{behind}", f"{behind}{before}{place}{_MADE}", f"{before}{place}{behind}")
    if is_message:  # a name that begins with # is that of a channel
        ways += (f"{behind}{_MADE} (?:in|to) {_HASHED}", f"{_MADE} (?:in|to) {_HASHED}{behind}")
    placed = "|".join(way.replace("(?P<", f"(?P<z{number}_") for number, way in enumerate(ways))
    owned = "|".join(
        f"{way}".replace("(?P<", f"(?P<z{number}_")
        for number, way in enumerate((f"{before}{_MADE}{behind}", f"{before}{behind}{_MADE}"), 8)
    )
    head = rf"{_SURE}{_ONE}(?: (?:new|more|additional))? (?P<own>{own} )?(?:{thing.noun}){_MADE}"
    return rf"{head}(?(own)(?:{owned})|(?:{placed}))"


def _owner_pattern(thing: Thing) -> str:
    """Return the pattern of sentences whose subject is the twin or a channel: `Stripe has a customer with …`."""
    own = PLACES[thing.twin]
    place = rf"{_THE_CHANNEL}(?: (?:in|on|of) {own})?|{own}" if thing.noun == "messages?" else own
    return rf"{_SURE}(?:{place}) {_HAS} {_ONE}(?: (?:new|more|additional))? (?:{thing.noun}){thing.more}"


def _channel_pattern(thing: Thing) -> str:
    """Return the pattern of sentences about what a channel says: `#general contains "Paid"`, `#general: "Paid", once`."""
    if thing.noun != "messages?":
        return r"(?!)"
    where = rf"(?: (?:in|on|of) {PLACES[thing.twin]})?"
    return rf"{_SURE}{_THE_CHANNEL}{where}(?: (?:{_HAS}|(?:(?:should|must) )?says?)|:) (?P<text>{QUOTED})(?:,? (?P<n>(?:exactly )?once))?"


def _told_pattern(thing: Thing) -> str:
    """Return the pattern of sentences about who gets a message: `the team gets a Slack message in #general saying …`."""
    if thing.noun != "messages?":
        return r"(?!)"
    gets = r"(?:(?:should|must) )?(?:gets?|receives?)"
    return rf"{_SURE}(?:the )?{PERSONS} {gets} {_ONE}(?: new)? {PLACES[thing.twin]} messages?{_IN_CHANNEL}{_SAYING}"


def _trait_pattern(thing: Thing) -> str:
    """Return the pattern of sentences about the one thing of a twin: `the Stripe customer must have the e-mail …`."""
    traits = [rf"(?:name|title) (?P<name>{QUOTED})"] if thing.name else []
    traits += [rf"e-?mail(?: address)? (?P<email>{QUOTED}|{PLAIN})"] if thing.noun == "customers?" else []
    return rf"{_SURE}the {PLACES[thing.twin]} (?:{thing.noun}) {_HAS} the (?:{'|'.join(traits) or '(?!)'})"


_HAS = r"(?:(?:should|must|now|to) )*(?:have|has|contains?|holds?|shows?|gets?|receives?)"
_THE_CHANNEL = rf"(?:the )?(?:slack )?(?:channel {_CHANNEL}|#(?P<channel3>[\w-]+))"
TWIN_RULES = tuple(
    (f"twin:{number}", pattern(thing))
    for number, thing in enumerate(COUNTED_TABLES)
    for pattern in (_pattern, _owner_pattern, _channel_pattern, _told_pattern, _trait_pattern)
)


def twin_check(number: int, said: Mapping[str, str], held: list[str], sentence: str) -> TwinCheck | None:
    """Return the check of a sentence about a thing; None where its words cannot be one."""
    thing = COUNTED_TABLES[number]
    words = {re.sub(r"^z\d_", "", name): text for name, text in said.items()}
    few, many = parse_count(words.get("n", "a"))
    where: dict[str, Any] = dict(thing.where)
    named: dict[str, str] = {}
    said_text = words.get("text") or words.get("quoted", "")
    texts = [held[int(mark)] for mark in re.findall(r"\x02(\d+)\x03", said_text)] or [said_text][: bool(said_text)]
    if texts:
        where["message_text"] = {"i_contains": texts[0]} if len(texts) == 1 else {"has_all": texts}
        if len(texts) > 1 and many == 0:
            return None
    if "name" in words:
        where[thing.name] = {"eq": _restore_mark(words["name"], held)}
    if "email" in words:
        where["email"] = {"eq": _restore_mark(words["email"], held)}
    if "team" in words:
        named["teamId"] = _restore_mark(words["team"], held)
    if amount := words.get("sum") or words.get("sum2"):
        where["amount"] = {"eq": int(Decimal(amount) * 100)}
        where["currency"] = {"eq": CENTS[(words.get("sign") or words["unit"]).lower()]}
    channels = {words[name] for name in ("channel", "channel2", "channel3", "channel_q", "channel2_q") if name in words}
    opened = [_restore_mark(mark, held) for mark in _MARK.findall(" ".join(words.values()))]
    if len(channels) > 1 or any(REFERENCE.search(text) or not text for text in opened):
        return None  # checks do not know the values of parameters
    for channel in channels:
        named["channel_id"] = _restore_mark(channel, held).removeprefix("#")
    return TwinCheck(sentence, thing.twin, thing.entity, where, named, few, many)


_MARK = re.compile("[\x02\x04\x06]\\d+[\x03\x05\x07]")


def _restore_mark(mark: str, held: list[str]) -> str:
    return held[int(mark[1:-1])] if mark[0] in "\x02\x04\x06" else mark


def parse_count(text: str) -> tuple[int, int | None]:
    """Return the minimum and maximum of a number in words: `exactly 3`, `at least two`, `more than 2`, `no`, `a`."""
    text = text.lower()
    if text in ("a", "an"):
        return 1, None
    word = text.rsplit(" ", 1)[-1].replace("once", "one")
    number = 0 if word == "no" else NUMBERS.index(word) if word in NUMBERS else int(word)
    if text.startswith(("at least", "more than")):
        return number + text.startswith("more than"), None
    if text.startswith(("fewer than", "less than")):
        return 0, number - 1
    return (0 if text.startswith(("at most", "no more than")) else number), number
