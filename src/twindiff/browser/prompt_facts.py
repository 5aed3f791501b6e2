"""Lists what a prompt says that whoever follows it must show: quoted texts, names, numbers, negations, by clause.

A model decides what a prompt means. Whether it left anything out is decided here: each fact of a clause must be among
what the model did or expected for it, and a negation must be among what it expects not to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from twindiff.browser.page_text import normalize_blanks
from twindiff.browser.prompt_sentences import hold_passwords, split_prompt
from twindiff.browser.run_dates import forms_of
from twindiff.browser.words import NUMBERS, UNNAMED

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(f'{each[:3]}(?:{each[3:]})?' for each in MONTHS)})\b"
_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|\u2018([^\u2019\n]+)\u2019|(?<!\w)'([^'\n]+)'(?!\w)|`([^`\n]+)`"
)
_HELD = re.compile("\x02(\\d+)\x03")
_ABBREVIATION = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|No|vs|etc|e\.g|i\.e)\.(?=\s)", re.IGNORECASE)
_BREAK = re.compile(
    r"\s*(?:,(?!\d)|[;()–]|:(?!\d)|\s-\s)\s*|\s*(?==>|->|→)|"  # noqa: RUF001
    r"\s+(?:and|but|while|whereas|although|though|because|which|und|aber)\s+|"
    r"\s+(?=(?:without|ohne|instead\s+of|as\s+long\s+as|when|if|once)\s)",
    re.IGNORECASE,
)
"""What ends a clause: a negation reaches no further."""
_FACT = re.compile(
    rf"""(?P<held>\x02\d+\x03)
    |(?P<address>https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w/])/[\w/-]+)
    |(?P<iso>\d{{4}}-\d\d-\d\d)
    |(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?
    |{_MONTH.replace("month", "month2")}\.?\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year2>\d{{4}}))?
    |(?P<code>\b[^\W\d_][\w]*-\d[\w-]*)
    |\b(?-i:[a-z]+)(?P<attached>\d+)\b
    |(?P<number>\d+(?:[.,:]\d+)*)
    |(?P<word>\b(?:{"|".join(NUMBERS[2:])}|twice)\b)
    |(?P<name>(?-i:\b[^\W\d_a-z](?:[\w-]|['’](?!s\b|m\b|d\b|ll\b|ve\b|re\b))*))""",  # noqa: RUF001
    re.IGNORECASE | re.VERBOSE,
)
_NEVER = r"never|none|nothing|nobody|neither|nor|cannot|\w+n['’]t|nicht|keine?[nrm]?|nie|ohne"  # noqa: RUF001
_NEGATION = re.compile(rf"\b(?:not|no|without|{_NEVER})\b", re.IGNORECASE)
_DENIED = re.compile(
    rf"\b(?:(?:not|no)(?!\s+(?:more|less|fewer|later|earlier|longer)\s+than\b)|{_NEVER}|"
    r"instead of|no longer|disappear(?:s|ed)?|"
    r"vanish(?:es|ed)?|(?-i:gone)(?! (?:up|down|to)\b)|hidden|absent|goes away|went away|"
    r"(?:is|are|was|were|been|be) (?:removed|deleted)|without(?! \w+ing\b))\b",
    re.IGNORECASE,
)
"""What denies something, with words that do so without a negation: *the row disappears*."""
_EXCLUSIVE = re.compile(
    r"\b(?:only|exactly|just(?=\s+(?:\d|\x02|(?-i:[A-Z])|(?:the|an?|these|those|one|two|three|four|five)\b))|"
    r"nothing else|no other|nur|genau)\b",
    re.IGNORECASE,
)
"""*Just two rows* limits something, *I just want to know* does not."""
_CAUSE = re.compile(
    r"\W*(?:and\s+|but\s+)?(?:since|as)\s.*?(?=\s+(?:I|we|he|she|it|they|you|the\s+\w+)\s+(?:should|must)\b)",
    re.IGNORECASE,
)
"""A reason, without a comma before what follows from it; its negation reaches no further."""
_GERUND = re.compile(
    r"\W*(?:(?:and|but|then|so)\s+)*(?:logging|signing|clicking|pressing|opening|entering|typing|choosing|selecting|submitting|"
    r"saving|deleting|removing|adding|ticking|using|searching)\b.*?(?=\s+(?:should|must)\b)",
    re.IGNORECASE,
)
"""What is done, before what it should lead to: *Logging in with s3cret should fail*."""
_CLAIM = re.compile(
    r"\b(?:should|must|expect(?:ed|s)?|verify|verifies|check that|checks that|ensure|make sure|assert|confirm that|"
    r"see|sees|shows?|shown|displays?|displayed|visible|appears?|listed|reads?|says?|contains?|remains?|stays?|still|"
    r"gets? (?:an?|the|no)|receives?|becomes?|is|are|has|have|then|soll(?:te)?|muss|zeigt|erwartet)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:above|below|beneath|sorted|alphabetical(?:ly)?|ascending|descending|newest first|oldest first|"
    r"at the (?:top|bottom|end|beginning) of the (?:list|table)|in this order|"
    r"(?:first|second|third|fourth|fifth|last|top|bottom) (?:row|entry|item|line|result|card|record))\b",
    re.IGNORECASE,
)
_IS = re.compile(r" (?:is|was|has|becomes|remains|stays)\b")
_OPENERS = """
dr mr mrs ms prof given when then and but step expected i there here where who what which everyone everything someone
something today tomorrow yesterday now nothing nobody one other others
"""
"""Words that are no names, even where a sentence begins with one and says what it is."""
_NO_NAMES = frozenset(_OPENERS.split())


class Fact(NamedTuple):
    """Something that a prompt says, and the texts that say the same; one of these must be said in its place."""

    text: str
    forms: tuple[str, ...]

    def is_said_in(self, said: str) -> bool:
        """Return whether a text says the fact: a number as a whole number, all else within other words too."""
        text = normalize_blanks(said).casefold()
        return any(_is_in(form, text) for form in self.forms)


class PromptClause(NamedTuple):
    """A part of a statement, its facts, and whether it denies or limits what these say."""

    text: str
    facts: tuple[Fact, ...]
    is_denied: bool
    is_exclusive: bool


class PromptStatement(NamedTuple):
    """A sentence of a prompt. `is_claim` is whether it says how something is; `is_ordered`, what stands where."""

    text: str
    clauses: tuple[PromptClause, ...]
    is_claim: bool
    is_ordered: bool

    @property
    def is_empty(self) -> bool:
        """Return whether the statement demands nothing that could be found missing."""
        return not self.is_claim and not any(each.facts or each.is_denied for each in self.clauses)


def list_statements(prompt: str) -> list[PromptStatement]:
    """Return the statements of a prompt in its order; sentence ends within quotation marks do not end one."""
    held: list[str] = []

    def hold(quoted: re.Match[str]) -> str:
        text = next(each for each in quoted.groups() if each is not None)
        held.append(text)
        is_sentence = text.rstrip()[-1:] in (".", "!", "?") and re.match(r"\s+[A-Z]", prompt[quoted.end() :])
        return f"\x02{len(held) - 1}\x03" + (". " if is_sentence else "")

    prompt = hold_passwords(prompt)
    sentences = [*split_prompt(_ABBREVIATION.sub(r"\1", _QUOTED.sub(hold, prompt)))]
    first = [_read_statement(each, held, frozenset()) for each in sentences]
    names = frozenset(fact.text for each in first for clause in each.clauses for fact in clause.facts)
    return [_read_statement(each, held, names) for each in sentences]


def denies_something(text: str) -> bool:
    """Return whether a text has a word of negation; *it was removed* has none."""
    return bool(_NEGATION.search(text))


def quote_facts(facts: Sequence[Fact]) -> str:
    """Return the texts of facts in quotation marks, for messages."""
    return ", ".join(each.text if each.text.startswith('"') else f"'{each.text}'" for each in facts)


def _read_statement(sentence: str, held: Sequence[str], names: frozenset[str]) -> PromptStatement:
    text = _HELD.sub(lambda mark: f'"{held[int(mark[1])]}"', sentence)
    bare = _HELD.sub("", sentence)
    clauses = tuple(_read_clauses(sentence, held, names))
    return PromptStatement(text, clauses, bool(_CLAIM.search(bare)), bool(_ORDER.search(bare)))


def _read_clauses(sentence: str, held: Sequence[str], names: frozenset[str]) -> Iterator[PromptClause]:
    begin = 0
    for end in [*_BREAK.finditer(sentence), None]:
        part = sentence[begin : end.start() if end else len(sentence)]
        if deed := _GERUND.match(part):
            yield _read_clause(deed[0], held, names, is_first=begin == 0)
            part = part[deed.end() :]
        cause = _CAUSE.match(part)
        if cause:
            reason = _read_clause(cause[0], held, names, is_first=begin == 0)
            yield reason._replace(is_denied=reason.is_denied and bool(reason.facts))
            part = part[cause.end() :]
        if part.strip():
            yield _read_clause(part, held, names, is_first=begin == 0 and not (cause or deed))
        begin = end.end() if end else begin


def _read_clause(part: str, held: Sequence[str], names: frozenset[str], *, is_first: bool) -> PromptClause:
    bare = re.sub(r"\S+@\S+", "", _HELD.sub("", part))  # nobody@example.com denies nothing
    text = _HELD.sub(lambda mark: f'"{held[int(mark[1])]}"', part).strip()
    facts = tuple(_read_facts(part, held, names, is_first=is_first))
    return PromptClause(text, facts, bool(_DENIED.search(bare)), bool(_EXCLUSIVE.search(part)))


def _read_facts(part: str, held: Sequence[str], names: frozenset[str], *, is_first: bool) -> Iterator[Fact]:
    """Yield the facts of a part. A first word is a name if it is one elsewhere, or *is* follows it."""
    for said in _FACT.finditer(part):
        kind, text = said.lastgroup, said[0]
        if kind == "held":
            quoted = held[int(_HELD.sub(r"\1", text))]
            yield Fact(f'"{quoted}"', (quoted,))
        elif said["attached"]:  # p1 of a list is its page 1, and h1 a heading
            yield Fact(text, (text, said["attached"]))
        elif said["iso"] or said["day"] or said["day2"]:
            yield Fact(text, _date_forms(said))
        elif said["word"]:
            number = 2 if text.lower() == "twice" else NUMBERS.index(text.lower())
            yield Fact(text, (str(number), text))
        elif said["name"]:
            is_opening = (
                is_first and not part[: said.start()].strip() and text not in names and not re.search(r"\d", text)
            )
            is_opening = is_opening and not _IS.match(part[said.end() :])
            if text.lower() not in _NO_NAMES and not (is_opening or text.lower() in UNNAMED):
                yield Fact(text, _month_forms(text))
        else:
            yield Fact(text, (text.rstrip(".,;:"),))


def _month_forms(name: str) -> tuple[str, ...]:
    """Return a name, and if it is a month, its other forms, such as `November` and `-11-` of *Nov*."""
    is_month = re.fullmatch(_MONTH, name, re.IGNORECASE) and name != "May"
    number = next((at for at, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3])), 0)
    return (name, MONTHS[number - 1], f"-{number:02}-") if is_month else (name,)


def _date_forms(said: re.Match[str]) -> tuple[str, ...]:
    try:
        if said["iso"]:
            return (said["iso"], *forms_of(date.fromisoformat(said["iso"])))
        day, month, year = said["day"] or said["day2"], said["month"] or said["month2"], said["year"] or said["year2"]
        number = next(at for at, name in enumerate(MONTHS, 1) if name.startswith(month.lower()[:3]))
        if year:
            return (said[0], *forms_of(date(int(year), number, int(day))))
        return (said[0], f"-{number:02}-{int(day):02}", *forms_of(date(2024, number, int(day)))[3:9])
    except ValueError:  # no such day
        return (said[0],)


def _is_in(form: str, text: str) -> bool:
    wanted = normalize_blanks(form).casefold()
    if not wanted[:1].isdigit():
        return wanted in text
    return bool(re.search(rf"(?<![\w.,])(?<!\d-){re.escape(wanted)}(?![.,:]?\d)", text))
