"""From a prompt to steps, by rules: the same prompt gives the same steps, and what no rule understands is said.

A prompt is taken apart into sentences, and a sentence into clauses that each ask for one thing. A rule claims a clause
only as a whole; of a clause that none claims, the words that stand in the way are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from twindiff.browser.clauses import VERB, Claim, read_clause
from twindiff.browser.config import BrowserStep, TwinCheck
from twindiff.browser.words import BARE, allow_separators, mark_words

MAX_CLAUSE_CHARACTERS = 500
"""Characters of a clause, with its quotations closed, that rules look at; nobody asks for one thing in more."""
MAX_WORDS_LEFT = 6
"""Words that are left out of a clause to see whether a rule claims the rest of it."""
MAX_WORDS_TO_NAME = 30
"""Words of a clause from which on it is not looked for those that stand in the way."""
MAX_NAMED = 10
"""Clauses of a prompt of which it is said which words stand in the way."""
_MARKS = re.compile(
    r'"([^"\n]{0,500})"|“([^”\n]{0,500})”|„([^“”\n]{0,500})[“”]|«([^»\n]{0,500})»|»([^«\n]{0,500})«'
    r"|`([^`\n]{0,500})`|‘([^’\n]{0,500})’"  # noqa: RUF001
    r"|(?<![\w])'([^'\n]{0,500})'(?![\w])|(\{\{[^}\n]{0,100}\}\})|(https?://[^\s,;)]+[^\s,;.)!?:])"
    r"|((?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|((?<!\S)/[\w./?=&%#-]*[\w/]|(?<!\S)/(?!\S))"
)
_PLAIN, _ADDRESSES = (9, 11), (10, 12)
"""Groups of what is written without quotation marks: a parameter or an e-mail address, and an address."""
_MARK = re.compile("[\x02\x04\x06](\\d+)[\x03\x05\x07]")
_NUMBER = re.compile(r"^\s*(?:(?:step|schritt)\s*)?\d+\s*[.):]\s*|^\s*[-*•]\s+", re.IGNORECASE)
_RUN = re.compile(r"[ \t]{2,}|([.;!?])[.;!?]+")
"""Blanks, and ends of a sentence, that say no more than one of them."""
_END = re.compile(r"[.;!?]+(?=\s|$)\s*")
_GERMAN_LATER = "und dann|danach|dann|anschließend|schließlich|zuletzt"
_LATER = rf"(?:and then|then|and finally|finally|afterwards|after that|next|{_GERMAN_LATER})"
_MEANWHILE = re.compile(rf"^(\w+) (?:{_GERMAN_LATER}) (?=auf|in|an|im|das|den|die)", re.IGNORECASE)
_GAP = re.compile(
    rf"[,:]?\s+{_LATER}\b,?\s+|\s*,\s*(?:(?:and|but|und|aber)\s+)?|\s+(?:and|but|und|aber)\s+|\s*(?:→|->|=>)\s*",
    re.IGNORECASE,
)
_IRREGULAR = re.compile(r"\b(can|won|shan)['’]t\b", re.IGNORECASE)  # noqa: RUF001
_REGULAR = {"can": "can not", "won": "will not", "shan": "shall not"}
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)  # noqa: RUF001
_OPENERS = re.compile(
    rf"(?:(?:please|kindly|now|also|just|so|ok|okay|hi|hello|first|firstly|secondly|lastly|given|when|and|but|let us|"
    rf"let['’]s|can you|could you|would you|go ahead and|that|dass|you can(?! not)|you need to|"  # noqa: RUF001
    rf"(?:i would|i['’]d|we would|we['’]d) like you to|i want you to|"  # noqa: RUF001
    rf"bitte|jetzt|nun|zuerst|angenommen|und|aber|{_LATER})\b,?\s+)+|^(?:action|actions|steps?|do|assertion)\s*:\s*",
    re.IGNORECASE,
)
"""Words without meaning at the beginning of a clause."""
_CLOSERS = re.compile(r"(?:,?\s+(?:please|for me|thanks|thank you|bitte))+\s*$", re.IGNORECASE)
_EXPECTED = re.compile(r"(?:the )?(?:expected(?: results?)?|expectation|erwartet)\s*:\s*", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:scenario(?: outline)?|feature|title|szenario|titel|test(?: case)?)\b"
    r"[\w\s-]{0,20}:[^\x02]*",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    allow_separators(
        rf" (?:smoke-?test|smoke test|test|teste|testing|try out)(?: (?:the|a|an|our|my|your|das|die|den|der))? {BARE}|"
        r" (?:actions?|steps?|background|expected(?: results?)?|given|test):?"
    ),
    re.IGNORECASE,
)
"""How a sentence is worded, before the first step, that only says what a test is about."""
_STORY = re.compile(r"(?:as an? |in order to |so that |i want )[^\x02]*", re.IGNORECASE)
_AGAIN = ("fill", "select", "check", "uncheck", "click", "empty")
"""Kinds of which a verb may be said once for several things."""


class PromptPlan(NamedTuple):
    """The steps of a prompt; what it is about comes before the first of them, what else was not understood is said."""

    steps: list[BrowserStep]
    subject: list[str]
    unclear: list[str]
    twin_checks: list[TwinCheck] = []  # noqa: RUF012


def plan(prompt: str) -> PromptPlan:
    """The steps that a prompt asks for, and what it expects of twins once they are done."""
    reader = _Reader()
    for sentence in _sentences(_MARKS.sub(reader.hold, prompt)):
        reader.read(sentence)
    return reader.plan()


class _Reader:
    """Reads the sentences of a prompt one after the other."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._steps: list[BrowserStep] = []
        self._subject: list[str] = []
        self._unclear: list[str] = []
        self._checks: list[TwinCheck] = []
        self._known: dict[tuple[str, bool], Claim | None] = {}

    def hold(self, quoted: re.Match[str]) -> str:
        """What stands for a quotation or an address while its sentence is taken apart."""
        self._held.append(next(group for group in quoted.groups() if group is not None))
        number = len(self._held) - 1
        if quoted.lastindex in _ADDRESSES:
            return f"\x06{number}\x07"
        return f"\x04{number}\x05" if quoted.lastindex in _PLAIN else f"\x02{number}\x03"

    def read(self, sentence: str) -> None:
        """Understand a sentence as a whole, or say what of it is not understood."""
        claims = self._claims(sentence)
        if claims is not None:
            for claim in claims:
                self._take(claim)
        elif not self._steps and not self._unclear and (_is_title(sentence) or self._is_story(sentence)):
            self._subject.append(self._restore_text(sentence))
        else:
            unread = [*self._unread(sentence)] or [sentence]
            for clause in unread:
                self._unclear.append(self._complaint(clause))

    def _is_story(self, sentence: str) -> bool:
        """Whether a sentence says below the name of a feature who wants it and why."""
        is_feature = bool(self._subject) and self._subject[0].lower().startswith("feature")
        return is_feature and bool(_STORY.fullmatch(sentence))

    def _take(self, claim: Claim) -> None:
        if self._checks and any(step.action != "expect" for step in claim.steps):
            said = "twins are judged when all steps are done; say what is expected of them at the end"
            self._unclear += [f"{check.sentence} ({said})" for check in self._checks]
            self._checks = []
        self._steps += claim.steps
        self._checks += claim.twin_checks

    def plan(self) -> PromptPlan:
        """What the sentences came to."""
        if self._steps or self._checks:
            return PromptPlan(self._steps, self._subject, self._unclear, self._checks)
        return PromptPlan([], [], self._subject + self._unclear)

    def _claims(self, sentence: str) -> list[Claim] | None:
        """The claims of rules on a sentence, whole or part by part; None where something of it is left."""
        if len(sentence) > MAX_CLAUSE_CHARACTERS:
            return None
        claim = self._claim(sentence)
        if claim:
            return [claim]
        for gap in _GAP.finditer(sentence):
            first, rest = sentence[: gap.start()], sentence[gap.end() :]
            claim = self._claim(first)
            if claim is None:
                continue
            claims = self._claims_after(claim, rest)
            if claims is not None:
                return [claim, *claims]
        return None

    def _claims_after(self, claim: Claim, rest: str) -> list[Claim] | None:
        """The claims on what follows a clause, which may leave out the verb of that."""
        claims = self._claims(rest)
        if claims is not None:
            may_be_said_of_both = claim.is_expectation and claim.has_no_predicate
            may_be_both = claim.kind.startswith("check") and claim.verb.lower() in ("check", "checks")
            return None if claims[0].has_no_verb and (may_be_said_of_both or may_be_both) else claims
        if claim.kind not in _AGAIN:
            return None
        again = self._claims(f"{claim.verb} {rest}")
        return again if again is not None and again[0].kind == claim.kind else None

    def _claim(self, clause: str) -> Claim | None:
        text = _normal(clause)
        key = (text, not self._steps)
        if key not in self._known:
            self._known[key] = (
                read_clause(text, self._held, self._restore_text(clause), is_first=key[1]) if text else None
            )
        return self._known[key]

    def _unread(self, sentence: str) -> Iterator[str]:
        """The clauses of a sentence that no rule claims: as short as may be said."""
        if len(sentence) > MAX_CLAUSE_CHARACTERS:
            yield sentence
            return
        begin = 0
        for gap in _GAP.finditer(sentence):
            if not VERB.match(_normal(sentence[gap.end() :])):
                continue
            first = sentence[begin : gap.start()]
            if self._claims(first) is None:
                yield first
            begin = gap.end()
        if self._claims(sentence[begin:]) is None:
            yield sentence[begin:]

    def _complaint(self, clause: str) -> str:
        """A clause as it was written, with the words that stand in the way where those can be told."""
        words = self._left_over(clause)
        return self._restore_text(clause) + (f" (not understood: {words})" if words else "")

    def _left_over(self, clause: str) -> str | None:
        """The fewest words side by side without which a rule would claim a clause."""
        words = _normal(clause).split(" ")
        if len(words) > MAX_WORDS_TO_NAME or len(self._unclear) >= MAX_NAMED:
            return None
        for size in range(1, min(MAX_WORDS_LEFT, len(words) - 1) + 1):
            for begin in range(len(words) - size, -1, -1):
                rest = " ".join([*words[:begin], *words[begin + size :]])
                left = words[begin : begin + size]
                if self._claims(rest) is not None:
                    return self._restore_text(" ".join(left))
        return None

    def _restore_text(self, text: str) -> str:
        """A text as it was written."""

        def restore_mark(mark: re.Match[str]) -> str:
            held = self._held[int(mark[1])]
            return f'"{held}"' if mark[0][0] == "\x02" else held

        return _MARK.sub(restore_mark, text).strip()


def _is_title(sentence: str) -> bool:
    """Whether a sentence only says what a test is about."""
    return bool(_HEADING.fullmatch(sentence) or _ABOUT.fullmatch(mark_words(sentence)))


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a prompt; lines end them too."""
    for line in _RUN.sub(lambda run: run[1] or " ", text).split("\n"):
        for sentence in _END.split(_NUMBER.sub("", line)):
            sentence = sentence.strip(" ,:\t")
            if re.search(r"\w|\x02|\x04|\x06", sentence):
                yield sentence


def _normal(clause: str) -> str:
    """A clause without words that say nothing, and with its negations written out."""
    text = " ".join(clause.split())
    text = _IRREGULAR.sub(lambda verb: _REGULAR[verb[1].lower()], text)
    text = _MEANWHILE.sub(r"\1 ", _CLOSERS.sub("", _NOT.sub(" not", text)))
    if _EXPECTED.match(text):
        text = _EXPECTED.sub("expect ", text, count=1)
    opener = _OPENERS.match(text)
    return (text[opener.end() :] if opener else text).strip(" ,:")
