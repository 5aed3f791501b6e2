# ruff: noqa: E501 - one wording, one line
"""Wordings of a clause that mean the same wherever they stand, as a table: a pattern, and what it is replaced by.

None of them may drop a word that carries meaning: a rule must still account for every word of the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from twindiff.browser.words import PERSONS, PLAIN, QUOTED

_SURE = r"(?P<sure>(?:(?:i |we |you )?(?:expect|check|verify|make sure|assert|ensure|confirm)(?: that)? )?)"
_NAME = r"(?-i:[A-Z][\w'&-]*(?: [A-Z0-9][\w'&-]*){0,3})"
_NUMBER = r"(?:\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_RECORD = (
    r"(?:account|appointment|article|book|booking|contact|customer|event|guest|invoice|issue|item|meeting|member|order|"
    r"product|project|request|reservation|room|task|ticket|user)"
)


def _say_plural(said: re.Match[str]) -> str:
    """Return `no invoices are overdue` for `no invoice has status Overdue`."""
    return f"{said['sure']}no {said['things']}s are {said['state'].lower()}"


SAME_WORDINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        # Values
        (r"\b(?:drops?|goes down|falls?|decreases?|goes up|rises?|increases?|comes?|amounts?|adds up|updates?) to (?=[$€£]?\d|\x02)", "is "),
        (r"\b(should|must|will) is (?=[$€£]?\d|\x02)", r"\1 be "),
        (r"\b(is|are|equals|be) equal to ", r"\1 "),
        (r"\bis set to (?=[$€£]?\d|\x02|(?-i:[A-Z]))", "is "),
        # The beginning of a claim, which a note leaves out
        *((rf"^{_SURE}{noun} of ", rf"\g<sure>the {noun} of ") for noun in ("status", "state", "priority", "role", "owner")),
        (r"^(should|must) (?=(?:be|say|show|have|disappear|appear|not)\b)", r"it \1 "),
        (r"^(?:make sure|verify|ensure) (?=(?:the|no|all|only|there|it|\x02|(?-i:[A-Z])))", "expect "),
        (rf"^({_NAME}|{QUOTED}) (now|still|no longer) (?!be\b)(?=[a-z]|(?-i:[A-Z]))", r"\1 is \2 "),
        (r"^(?:the )?(?:customer|user|person|visitor) (?=(?:is|gets) (?:told|informed|notified|warned|reminded)\b)", "she "),
        (rf"^(?:the )?(?:{_RECORD} )?({_NAME}|{QUOTED}) has (?:already )?been (?=[a-z]+$)", r"\1 is "),
        (rf"^{_SURE}(?:the )?(?:{_RECORD} )?(?P<name>{_NAME}|{QUOTED}) (?:is|are|should be) (?:still )?(?:shown|listed|displayed|visible)(?: in the (?:list|table))? (?:with|as having) (?:the |a )?(?P<noun>[a-z]+) ", r"\g<sure>the \g<noun> of \g<name> is "),
        (rf"^{_SURE}no (?P<things>[a-z]+) (?:has|have) (?:the |a )?(?:status|state):? \x22?(?P<state>[A-Za-z]+)\x22?(?: any ?more)?$", _say_plural),
        (rf"^{_SURE}(?P<state>(?!many\b|few\b|several\b|more\b|enough\b)[a-z]+) (?P<things>[a-z]+s) (?:are hidden|are gone|are no longer (?:listed|shown|visible)|are not (?:listed|shown|visible))$", r"\g<sure>there are no \g<state> \g<things>"),
        (rf"({_NAME}|{QUOTED})['’]s {_RECORD}(?= )", r"\1"),  # noqa: RUF001
        # Where something is
        (rf"^{_SURE}(?:the )?{_RECORD} (?:for|of|from|by) (?P<name>{_NAME}|{QUOTED}) (?:is not|should not be|must not be|is no longer|should no longer be) (?:visible|shown|listed|displayed)$", r"\g<sure>the list does not show \g<name>"),
        (rf"^{_SURE}(?:to )?(?:find|see) (?P<name>{_NAME}|{QUOTED}) (?P<place>in the (?:[a-z]+ )?(?:list|table))$", r"\g<sure>\g<name> is \g<place>"),
        (r"^to (?:find|see) ", "expect to see "),
        (r"\bin list$", "in the list"),
        (r"\b(?:is|are) (?:listed|shown) again$", "is listed"),
        (r"\bunder (?=my |(?-i:[A-Z]))", "in "),
        (r"(?<! try) (?:again|as well|afterwards|too)$", ""),
        (r"\balong with\b", "and"),
        # Counts
        (rf"^{_SURE}all ({_NUMBER}) (\w+) (?:are|should be|must be) (?:listed|shown|visible|displayed|there)$", r"\g<sure>there are exactly \2 \3"),
        (rf"\bshould (only|just|exactly) (see|be) (?={_NUMBER})", r"should \2 \1 "),
        (r"^should only see ", "see only "),
        (rf"\b(?:I|we|you|he|she|they|(?:the |a )?{PERSONS}) should only see ", "expect only "),
        (rf"\b((?:only|just|exactly) (?:one|{_NUMBER}) \w+) should be (left|listed|shown|pending|remaining)", r"\1 is \2"),
        (rf"^{_SURE}(?P<n>(?:only |just |exactly |at least )?(?:one|{_NUMBER}) \w+) (?:is|are|was|were) found$", r"\g<sure>there are \g<n>"),
        # What a person does
        (r"^leaves? to ", "go to "),
        (r"^(?:try|tries) (?=[a-z]+ing )", ""),
        (rf"^((?:approve|reject|cancel|delete|accept|decline|open|archive|edit|close|send)s?) the {_RECORD} (?:from|of|by) ({_NAME}|{QUOTED})$", r"\1 \2"),
        (r"\bsearch(es)? (?:the )?[a-z]+ for ", r"search\1 for "),
        (rf"^search(es)? for ((?:{QUOTED}|{PLAIN}|\S+)) in the search(?: field| box| bar)?$", r"search\1 for \2"),
        (r"^(?:tries|try|attempts?) to ", ""),
        (r"^(?:gets?|get) rid of ", "delete "),
        (r"^heads? over to ", "go to "),
        (r"^(?:comes?|gets?|goes?|go|switch(?:es)?) (?:back )?to ", "go to "),
        (r"^starts? (?:a|an) new (?=[a-z]+$)", "click new "),
        (r"^(?:turns? down|denies|deny|refuses?) ", "reject "),
        (rf"^(delete|cancel|open|approve|reject|archive|edit|remove|send|book)(?:e?s)? (?:the )?{_RECORD} (?P<name>{_NAME}|{QUOTED})$", r"\1 \g<name>"),
        (r"^book(s)? room (?=\d)", r"book\1 Room "),
        (r"^(.+?) room (\d{1,4})(?= )", r"\1 Room \2"),
        (r"^room (\d{1,4})(?= )", r"Room \1"),
    )
)  # fmt: skip
"""`the total drops to 5` says what `the total is 5` says."""
_IRREGULAR = re.compile(r"\b(can|won|shan)['’]t\b", re.IGNORECASE)  # noqa: RUF001
_REGULAR = {"can": "can not", "won": "will not", "shan": "shall not"}
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)  # noqa: RUF001
_CONTRACTION = re.compile(r"\b(I|you|we|they|he|she|it|there|that)['’](m|re|ve|ll|d|s)\b", re.IGNORECASE)  # noqa: RUF001
_EXPANDED = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is"}
_HAS_BEEN = re.compile(r"\b(it|he|she|there|that) is (?=been\b)", re.IGNORECASE)


def expand_contractions(text: str) -> str:
    """Write `I am` for `I'm`, `it has been` for `it's been`, `will not` for `won't` and `is not` for `isn't`."""
    text = _CONTRACTION.sub(lambda said: f"{said[1]} {_EXPANDED[said[2].lower()]}", text)
    text = _HAS_BEEN.sub(r"\1 has ", text)
    text = _IRREGULAR.sub(lambda verb: _REGULAR[verb[1].lower()], text)
    return _NOT.sub(" not", text)
