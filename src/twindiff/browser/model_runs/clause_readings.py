"""Reads whether a clause of a prompt asks for something to be done, or says what must be seen afterwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from twindiff.browser.prompt_facts import Fact, PromptClause, PromptStatement

_VERB_LIST = """
click press hit tap open go navigate fill enter type select choose pick check uncheck tick untick toggle search sort
filter submit save confirm set cancel delete remove add create edit change upload switch follow scroll hover drag sign
log login reload refresh send invite book close dismiss accept decline enable disable expand collapse return visit
mark complete move rename assign approve reject pay buy order publish archive restore reply write post clear empty
answer start finish leave repeat copy paste reschedule record
"""
"""What a person does in an application."""
_VERBS = _VERB_LIST.split()
_IRREGULAR = r"went|chose|(?:come|came) back|left|sent|began|paid|bought|wrote|submitted|tapped|logged|dragged"
_DOING = re.compile(
    rf"\b(?:(?:{'|'.join(_VERBS)})(?:s|es|d|ed)?|{_IRREGULAR}|(?:click|tick|press|mark|select|add|remov|sav|sign|logg|open|enter|typ|choos|submitt|delet|us|search)ing)\b",
    re.IGNORECASE,
)
_HAVING_DONE = re.compile(
    rf"\b(?:have|has|had)\s+(?:\w+ly\s+)?(?=(?:(?:{'|'.join(_VERBS)})(?:d|ed)\b|{_IRREGULAR}|gone|chosen|written))",
    re.IGNORECASE,
)
_ASSERTING = re.compile(
    r"=>|\b(?:should|must|supposed|expect(?:ed|s)?|verify|verifies|check that|checks that|ensure|make sure|assert|"
    r"confirm that|sees?|shows?|shown|displays?|displayed|visible|appears?|listed|lists|reads?|says?|said|contains?|"
    r"mentions?|remains?|remaining|stays?|still|becomes?|is|are|has|have|label|heading|told|"
    r"gets? (?:an?|the|no)|receives?|"
    r"(?:comes?|brings?|turns?|pops?) (?:it )?up|"
    r"soll(?:te)?|muss|zeigt|erwartet)\b",
    re.IGNORECASE,
)
_DEMANDING = re.compile(r"\b(?:should|must|supposed|expect(?:ed|s)?)\b|=>", re.IGNORECASE)
_SETTING = re.compile(r"\W*(?:and\s+)?(?:given|when|if|after|once|having|while|as soon as|before)\b", re.IGNORECASE)
_LETTING = re.compile(r"^\W*(?:and\s+)?(?:have|let)\s+(?=\w+\s)", re.IGNORECASE)
"""*Have Ada sign in* asks for something."""
_THEN_SOMEBODY = re.compile(
    r"^\W*(?:and\s+)?[Tt]hen\s+(?:(?i:i|we|he|she|they|you)|(?:[A-Z][\w.]*\s+){1,3}(?:the\s+\w+)?)\s*"
    r"(?:sign|log|open|click|go(?:es)?|press|typ|enter|choos|select|pick|fill|tick|navigat|visit)"
)
"""*Then Ada signs out* asks for something, *Then 3 rows* does not."""
_THEN_DOING = re.compile(rf"(?:\band|,)\s+then\s+(?:back|again|{'|'.join(_VERBS)})\b", re.IGNORECASE)
_REASON = re.compile(r"\W*(?:and\s+|but\s+)?(?:since|because|as\s+long\s+as)\b", re.IGNORECASE)
"""The beginning of a reason or a condition, whose facts may be done or seen."""
_ARROW = re.compile(r"(?:->|→|=>)\s*")
_LISTING = re.compile(
    r"\b(?:errors?|complains?|messages?|warnings?|hints?|columns?|fields?|shows?|shown|lists?|listed|offers?|contains?)\b",
    re.IGNORECASE,
)
_NAMED_MESSAGE = re.compile(
    r"\W*(?:error|toast|message|warning|alert|notification|dialog)s?\s*(?::|(?:for|about|at|on)\b)", re.IGNORECASE
)
_ABILITY = re.compile(
    r"\W*(?:\w+\s+){1,3}(?:can|could|(?-i:may)|(?:is|are) (?:able|allowed) to)\s+(?!not\b)\w", re.IGNORECASE
)
"""*A practice can change its name*, but not *click the button, so that she can leave*, nor *3 May 2027*."""
_REPORTER = (
    r"(?:(?:customer|client|user|member|clinic|colleague|team)s?|people|somebody|someone|he|she|they|we|i|"
    r"(?-i:[A-Z]\w+))"
)
_REPORT = re.compile(
    rf"\b{_REPORTER}\s+(?:\w+\s+)?(?:report(?:s|ed)|complain(?:s|ed)|called\s+because|wrote|noticed|claimed|"
    r"asks?\s+\"|asked\s+(?:us|me|why|where|whether|how|\")|told\s+(?:us|me)|got\s+in\s+touch)\b|"
    r"\b(?:we|i)\s+(?:got|received|had|have)\s+(?:an?|another|several|many)\s+(?:bug\s+)?"
    r"(?:tickets?|complaints?|reports?|calls?|e-?mails?)\b|"
    r"^\W*(?:reported\s+by|(?:ticket|complaint|report)\s+(?:from|by|of)\s+(?:an?|the|our))\b",
    re.IGNORECASE,
)
"""What opens a story of support: *A customer reported that …*, *Reported by the clinic in Leeds: …*."""
_TITLE = re.compile(r"\s*([^\n]+)\n\s*(?:1[.):]|step 1\b|given\b)", re.IGNORECASE)
_EXPECTING = re.compile(r"\W*(?:expect|expected|what should happen|verify|ensure|make sure|assert)\b", re.IGNORECASE)
_WISH = re.compile(r"\W*as an? [\w' -]+,?\s+(?:i|we)\s+(?:want|need|would like|expect)\b", re.IGNORECASE)
"""The beginning of a user story: *As a manager I want to approve leave*."""
_NEED = re.compile(
    r"\W*(?:\w+\s+){1,4}(?:needs?|wants?)\s+to\s+(?:know|understand)\b(?!.*\b(?:should|must)\b)",
    re.IGNORECASE,
)
"""*Employees need to know why something was not accepted* is a motive."""
_GIVEN = re.compile(r"\W*given\b", re.IGNORECASE)
_MESSAGE = re.compile(
    r"\b(?:messages?|toasts?|notifications?|dialogs?|alerts?|errors?|warnings?|confirmations?|told|notes?)\b",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"\bpassword\b(?:\s+(?:is|was))?[\s:]+\S+$", re.IGNORECASE)
"""*My password is s3cret* says with what somebody signs in."""
_ACTOR_AFTER = rf"(?:\s+[\w'.]+){{0,3}}?\s+(?:(?:{'|'.join(_VERBS)})(?:s|es|d|ed)|{_IRREGULAR})\b"
_ACTOR_BEFORE = re.compile(
    r"\W*(?:(?:and|then|when|after|once|so|if|as soon as|also|later|now|the|dr|mr|mrs|ms)\b\W*)*", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"\(([^\s()@]+@[^\s(),:;/]+\s*[,:;/]\s*(?=\S*[\d!#$%&*?])[^\s()]+)\)")
"""An e-mail address and a password, by its digit or sign."""
_BEFORE_NOUN = re.compile(
    r"\b(?!(?:and|or|but|then|so|to|i|we|you|they|who|please|also|now|first|next|again|just|must|should|can|could|will|"
    r"would|may|might|shall|not|never|let|lets|when|if|after|once|before|while|users?|\w+ly)\b)\w+\s+$",
    re.IGNORECASE,
)
_AFTER_NOUN = re.compile(
    r"\W*$|\s+(?:back|is|are|was|has|have|must|should|shows?|says?|reads?|to|from|at|for|in|of|on|with|stays?)\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\W*(?:without|ohne)\b(?!.*\b(?:errors?|warnings?|messages?|problems?|failures?|complaints?)\b)", re.IGNORECASE
)
"""*Click Save without a name* says how something is done, and denies nothing; *it is saved without an error* does."""
_SUBJECT = re.compile(r"\W*(?:(?:and|but|so|then)\s+)*(?!(?:no|any|some|every)thing\b)[a-z]+ing\b", re.IGNORECASE)
_STATES = (
    ("disabled", True, re.compile(r"\b(?:disabled|grey(?:ed)? out|deaktiviert)\b", re.IGNORECASE)),
    ("disabled", False, re.compile(r"\b(?:enabled|clickable)\b", re.IGNORECASE)),
    ("checked", True, re.compile(r"\b(?:ticked|checked(?! (?:in|out)\b)|switched on)\b", re.IGNORECASE)),
    ("checked", False, re.compile(r"\b(?:unticked|unchecked|switched off)\b", re.IGNORECASE)),
    ("focused", True, re.compile(r"\b(?:focused|has (?:the )?focus)\b", re.IGNORECASE)),
)
"""Types of expectations of states, whether the word says that the state holds, and the word."""
_WORD = re.compile(r"[a-zäöüß]{4,}")
_EMPTY_WORD_LIST = """
that this with from there their should must expect expected shown appears visible still again message messages toast
notification dialog alert error warning confirmation told note notes displayed says being were have cannot
without nothing
"""
_EMPTY_WORDS = frozenset(_EMPTY_WORD_LIST.split())
STEM_CHARACTERS = 5
MAX_ITEM_WORDS = 3
"""Words of an item of an enumeration."""


class ClauseReading(NamedTuple):
    """A clause, and what would account for it.

    `is_done` clauses need steps that act; of `is_asserted` ones the facts must be expected; others need either.
    """

    clause: PromptClause
    is_done: bool
    is_asserted: bool

    @property
    def is_about_message(self) -> bool:
        """Return whether the clause says that a message appears, and does not quote it."""
        return self.is_asserted and bool(_MESSAGE.search(self.clause.text)) and '"' not in self.clause.text

    @property
    def describes_message(self) -> bool:
        """Return whether a clause about a message has words about what it says: not *she gets a confirmation*."""
        *_, last = [None, *_MESSAGE.finditer(self.clause.text)]
        return bool(last and list_stems(self.clause.text[last.end() :]))

    @property
    def states(self) -> list[tuple[str, bool]]:
        """Return the types of the expected states, each with whether it must hold."""
        if not self.is_asserted:
            return []
        bare = re.sub(r'"[^"]*"', "", self.clause.text)
        return [(kind, is_on != self.clause.is_denied) for kind, is_on, word in _STATES if word.search(bare)]


def read_clauses(statement: PromptStatement) -> list[ClauseReading]:
    """Read the clauses of a statement; a mere name belongs to the clause after or before it that asserts something."""
    if _EXPECTING.match(statement.text):
        return [ClauseReading(clause, is_done=False, is_asserted=True) for clause in statement.clauses]
    is_given = bool(_GIVEN.match(statement.text))
    verbs = [_read_verb(clause, is_given=is_given) for clause in statement.clauses]
    signing_in = _list_credentials(statement)
    readings: list[ClauseReading] = []
    for number, (clause, verb) in enumerate(zip(statement.clauses, verbs, strict=True)):
        if clause in signing_in:
            readings.append(ClauseReading(clause, is_done=False, is_asserted=False))
            continue
        if _says_how(statement.clauses, number, verbs):
            readings.append(ClauseReading(clause._replace(is_denied=False), is_done=False, is_asserted=False))
            continue
        carried = verb or _carry(verbs[:number][::-1]) or _carry(verbs[number + 1 :])
        asserted = (carried == "asserts" and statement.is_claim) or clause.is_denied or "=>" in clause.text
        asserted = asserted or _is_result(clause)
        readings.append(ClauseReading(clause, verb == "does" and not clause.is_denied, bool(asserted)))
    return readings


def asks_for_action(statement: PromptStatement) -> bool:
    """Return whether a statement asks for something to be done, even if it names nothing: `Click Save`."""
    return any(each.is_done for each in read_clauses(statement))


def claims_something(statement: PromptStatement) -> bool:
    """Return whether a statement says how something is, so that an expectation must prove it."""
    if names_message(statement) or _shows_result(statement):
        return True
    only_does = (_LETTING, _THEN_SOMEBODY, _THEN_DOING)
    is_letting = any(each.search(statement.text) for each in only_does)
    return statement.is_claim and not (is_letting and not any(each.is_asserted for each in read_clauses(statement)))


def list_enumerated(statement: PromptStatement) -> list[PromptClause]:
    """Return the items of an enumeration in small letters, each of which must be seen: *errors for title, year*."""
    first, *others = statement.clauses
    bare = [
        each
        for each in others
        if not (each.facts or each.is_denied or '"' in each.text)
        and len(each.text.split()) <= MAX_ITEM_WORDS
        and not _read_verb(each, is_given=False)
    ]
    is_listing = (
        statement.text[len(first.text) :].lstrip()[:1] != ":"
        and bool(_LISTING.search(first.text))
        and not first.is_denied
        and len(bare) == len(others) > 1
    )
    return [first, *bare] if is_listing else []


def may_demand_nothing(statement: PromptStatement) -> bool:
    """Return whether a statement may be background: no demand can be found in it, or only the wish of a user story."""
    if names_message(statement):
        return False
    if statement.is_empty and not asks_for_action(statement):
        return not _shows_result(statement)
    has_facts = any(each.facts or each.is_denied or each.is_exclusive for each in statement.clauses)
    is_need = bool(_NEED.match(statement.text)) and not any(each.facts for each in statement.clauses)
    return is_need or (bool(_WISH.match(statement.text)) and not has_facts)


def list_stems(text: str) -> set[str]:
    """Return the beginnings of the words that carry the meaning of a text."""
    words = (each for each in _WORD.findall(text.lower()) if each not in _EMPTY_WORDS)
    return {each[:STEM_CHARACTERS] for each in words}


def has_title(prompt: str, statements: Sequence[PromptStatement]) -> bool:
    """Return whether the first statement of a prompt is the title of numbered steps: *TC-17 Status filter*."""
    title, first = _TITLE.match(prompt), statements[0]
    if title is None or first.text != title[1].strip():
        return False
    is_quoting = any(each.is_denied or '"' in each.text for each in first.clauses)
    return not (first.is_claim or is_quoting or asks_for_action(first))


def tells_report(statement: PromptStatement) -> bool:
    """Return whether a statement only tells what somebody reported or asked, without a text or a number to be seen."""
    facts = [each.text for clause in statement.clauses for each in clause.facts]
    is_plain = all(re.fullmatch(r"[^\W\d]\D*|\".*\?\"", each) for each in facts)
    return bool(_REPORT.search(statement.text)) and is_plain and not _DEMANDING.search(statement.text)


def names_message(statement: PromptStatement) -> bool:
    """Return whether a statement is the text of a message: *Error: only digits are allowed*."""
    return bool(_NAMED_MESSAGE.match(statement.text))


def says_ability(statement: PromptStatement) -> bool:
    """Return whether a statement says what somebody can do, which may be done or seen."""
    return bool(_ABILITY.match(statement.text))


def is_about_text(statement: str) -> bool:
    """Return whether a statement speaks of a message, or of what something says."""
    return bool(_MESSAGE.search(statement) or re.search(r"\b(?:says?|reads?|tells?)\b", statement, re.IGNORECASE))


def is_actor(fact: Fact, clause: PromptClause) -> bool:
    """Return whether a name is that of who does what a clause says: *Maria signs out*."""
    at = clause.text.find(fact.text)
    before = clause.text[: max(at, 0)]
    for each in clause.facts:
        before = before.replace(each.text, "")
    is_opening = at >= 0 and fact.text[:1].isupper() and _ACTOR_BEFORE.fullmatch(before)
    return bool(is_opening and re.match(_ACTOR_AFTER, clause.text[at + len(fact.text) :], re.IGNORECASE))


def _list_credentials(statement: PromptStatement) -> list[PromptClause]:
    """Return the clauses that only say with what somebody signs in: `(ada@example.com / s3cret)`."""
    bracketed = " ".join(_IN_BRACKETS.findall(statement.text))
    has_password = any(map(_says_password, statement.clauses))
    return [
        each
        for each in statement.clauses
        if (each.text in bracketed and each.facts) or (has_password and re.fullmatch(r"\W*\S+@\S+\W*", each.text))
    ]


def _says_how(clauses: Sequence[PromptClause], number: int, verbs: Sequence[str]) -> bool:
    """Return whether a clause says how something is done: *click Save without a name*."""
    clause, following = clauses[number], "".join(each.text for each in clauses[number + 1 : number + 2])
    demanded = _DEMANDING.search(clause.text)
    if number == 0 or clause.facts or not _WITHOUT.match(clause.text[: demanded.start() if demanded else None]):
        return False
    leads_on = bool(demanded or _ARROW.match(following)) and bool(_SUBJECT.match(clauses[number - 1].text))
    return leads_on or verbs[number - 1] == "does"


def _shows_result(statement: PromptStatement) -> bool:
    """Return whether a statement says after an arrow what is to be seen, in words that are no facts."""
    return any(map(_is_result, statement.clauses))


def _is_result(clause: PromptClause) -> bool:
    """Return whether a clause is a result such as *-> On loan* or *-> disabled*, and no place to go to or deed."""
    arrow = _ARROW.match(clause.text)
    is_place = re.search(r"\b(?:page|tab|menu|link|button|section|settings)\W*$", clause.text, re.IGNORECASE)
    return bool(arrow and not clause.facts and not is_place and _read_verb(clause, is_given=False) == "asserts")


def _says_password(clause: PromptClause) -> bool:
    return bool(clause.facts and _PASSWORD.search(clause.text) and not _DEMANDING.search(clause.text))


def _read_verb(clause: PromptClause, *, is_given: bool) -> str:
    if _says_password(clause):
        return "does"
    opening = _DOING.match(clause.text.removeprefix("so ").lstrip('-"( '))
    if opening and opening[0].endswith("ing") and not _DEMANDING.search(clause.text):
        return "does"
    if (arrow := _ARROW.match(clause.text)) and clause.text[arrow.end() :].partition(" ")[0].lower() not in _VERBS:
        return "asserts"
    if _REASON.match(clause.text) and not _DEMANDING.search(clause.text):
        return "sets"
    bare = _LETTING.sub("", _HAVING_DONE.sub("", re.sub(r'"[^"]*"', '""', clause.text)))
    doing = max((each.start() for each in _DOING.finditer(bare) if not _is_noun(bare, each)), default=-1)
    asserting = max((each.start() for each in _ASSERTING.finditer(bare)), default=-1)
    is_setting = is_given or bool(_SETTING.match(bare) and asserting <= doing)  # *after a click all are shown* asserts
    if asserting >= 0 and (not is_setting or _DEMANDING.search(bare)):
        return "asserts"
    if doing >= 0:
        return "does"
    return "sets" if is_setting else ""


def _is_noun(text: str, verb: re.Match[str]) -> bool:
    """Return whether a verb of doing is a noun where it stands: *the vet select must be empty*, *sick leave from*."""
    if verb[0].lower() in ("sign", "log"):
        return False
    return bool(_BEFORE_NOUN.search(text[: verb.start()]) and _AFTER_NOUN.match(text[verb.end() :]))


def _carry(verbs: Sequence[str]) -> str:
    return next((each for each in verbs if each), "")
