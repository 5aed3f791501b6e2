"""Splits a statement of a prompt into units: what one claim about rows must show together, and in which context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from twindiff.browser.prompt_facts import MONTHS, Fact, PromptClause, PromptStatement
from twindiff.browser.run_dates import SPOKEN_DATE, is_date, parameter_of
from twindiff.server.apis.twin_runs.claim_words import DENIED, PromptNoun, PromptState, list_nouns, list_states
from twindiff.server.apis.twin_runs.shown_values import find_weekday

MAX_LENGTH_SECONDS = 10_000_000_000
"""A longer time is taken for this one, which no dates are apart."""
MAX_WORDS_TO_NOUN = 4
"""A number counts the records of a noun that follows within so many words."""
_UNITS = {"min": 60, "minute": 60, "hour": 3600, "h": 3600, "day": 86_400, "week": 604_800}
"""Seconds of units of time; months have no fixed length."""
_INNER_BREAK = re.compile(
    r"\s+(?=(?:with|without|containing|holding|including|(?:that|which|who) (?:has|have|contains?|holds?|includes?))\s)"
    r"|\s+(?:[+&]|[=-]+>)\s+|\s+(?=to\s+\S+\.\w+)",
    re.IGNORECASE,
)
"""Where a clause goes on about the same record: what follows is shown together with the names before it."""
_UNIVERSAL = re.compile(
    r"\b(?:every|each(?! of (?:the|these|our|my)\b)|(?<!at )all(?!-day|\s+(?:two|three|four|five|six|\d))|both|per)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:(?:and|but)\s+)?(?:it|they|he|she|which|who|has|have)\b", re.IGNORECASE)
_PREDICATE = re.compile(r"\b(?:has|have|holds?|contains?|is|are|was|were|posted|wrote|owns?|says?)\b", re.IGNORECASE)
_PURPOSE = re.compile(r"\b(?:so that|in order to|for the (?:demo|test))\b.*", re.IGNORECASE)
_SLUG = re.compile(r"(?:repo|repository|branch)\s+(?P<slug>[\w.-]+/[\w./-]+)", re.IGNORECASE)
_MONEY_AFTER = re.compile(r"\s?(?:usd|eur|gbp|dollars?|euros?|pounds?)\b", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(?::\d\d)?")
_DECIMAL = re.compile(r"(?=[\d.,]{1,12}$)[\d,]+(?:\.\d+)?")
_TIME_AFTER = re.compile(r"\s?(am|pm|a\.m\.|p\.m\.)(?!\w)", re.IGNORECASE)
_LENGTH_AFTER = re.compile(rf"[\s-]?({'|'.join(_UNITS)})s?\b", re.IGNORECASE)
_LIMITS = (
    (re.compile(r"at least\s+$", re.IGNORECASE), "least", 0),
    (re.compile(r"(?:more than|over)\s+$", re.IGNORECASE), "least", 1),
    (re.compile(r"(?:at most|no more than|not more than|up to)\s+$", re.IGNORECASE), "most", 0),
    (re.compile(r"(?:fewer|less) than\s+$", re.IGNORECASE), "most", -1),
)
_CODE = re.compile(r"(?<![\w.#-])([a-z]+\d+)(?![\w.-])")
"""Such as the label p1."""
_TAG = re.compile(r"(?<![\w#&])#([^\W\d_][\w-]*)")
_OPENING = re.compile(r"([^\W\d_a-z][\w-]*)(?:['’]s\b|\s+(?=[^\W\d_a-z])|\s+(?P<next>[a-z]+))")  # noqa: RUF001
_OPENERS = frozenset(
    word
    for line in (
        "a an the this that these those there here it its he his she her they their we our us i my you your who what",
        "which when while where if since as after before during until for from in on at of by with within without into",
        "to under over between among across about besides beside next last first second third finally also and or but",
        "so then now today tomorrow yesterday one two three four five six seven eight nine ten eleven twelve several",
        "many most few some all each every any both either neither no none nobody nothing everyone everybody half",
        "everything someone somebody please imagine picture set create make give given let add have has had is are was",
        "were be assume suppose consider include including should must need want would could can only exactly just",
        "another other same additionally further furthermore precondition preconditions boundary case test data",
        "scenario setup think say",
    )
    for word in line.split()
)
_VERBS = re.compile(r"(?:\w{2,}(?:ed|s|t)|wrote|sent|paid|said|made|went|gave|took|put|has|had|is|was|are|have|owes?)")
_FUNCTION = re.compile(
    r"(?:a|an|the|in|on|at|of|for|from|with|by|to|and|or|also|as|both|is|are|our|their|its|his|her|one|called|named|"
    r"titled|w|plus|then|each)",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"(?:in|on|at|for|from|with|by|inside|within|under|über|in)\b", re.IGNORECASE)


@dataclass(frozen=True)
class NumberFact:
    """A number of a statement, and what it is the number of."""

    text: str
    value: float
    is_money: bool = False
    time: tuple[int, int] | None = None
    length: timedelta | None = None
    is_recent: bool = False
    """Whether its length is that of the last days before the run, as in `the last two weeks`."""
    nouns: tuple[PromptNoun, ...] = ()
    """The nouns that follow it; empty if it is the number of something else, or of what was said before."""
    following: str = ""
    limit: tuple[str, int] | None = None
    """`least` or `most` with the number of records, for `at least 3` or `fewer than 3`."""


@dataclass(frozen=True)
class StatementUnit:
    """A part of a statement that one claim must show."""

    text: str
    names: tuple[Fact, ...] = ()
    numbers: tuple[NumberFact, ...] = ()
    dates: tuple[Fact, ...] = ()
    days: tuple[str, ...] = ()
    """Days that depend on today: parameters such as `tomorrow`, weekdays or months."""
    nouns: tuple[PromptNoun, ...] = ()
    states: tuple[PromptState, ...] = ()
    twins: tuple[str, ...] = ()
    """The twins that it names."""
    context: tuple[Fact, ...] = ()
    """Names that its claims must show because it stands in brackets behind them."""
    is_denied: bool = False
    is_exclusive: bool = False
    is_universal: bool = False
    """Whether it says something of every record, as in `all of them are urgent`."""
    is_void: bool = False
    """Whether it says that a record is empty."""
    is_bare: bool = field(default=False, compare=False)
    """Whether it consists of names alone, as an item of a list does."""

    @property
    def is_free(self) -> bool:
        """Return whether it says nothing that a claim could show."""
        said = (self.names, self.numbers, self.dates, self.days, self.nouns, self.states, self.twins)
        return not self.is_denied and not any(said)

    @property
    def details(self) -> int:
        """The number of its numbers, dates and states."""
        return len(self.numbers) + len(self.dates) + len(self.days) + len(self.states)


def split_statement(statement: PromptStatement, twin_words: dict[str, str]) -> list[StatementUnit]:
    """Return the units of a statement; `twin_words` has the twin of each word that names one, in lower case."""
    units: list[StatementUnit] = []
    depths: list[int] = []
    depth, at = 0, 0
    for clause in statement.clauses:
        begin = max(statement.text.find(clause.text, at), at)
        gap, at = statement.text[at:begin], begin + len(clause.text)
        opened, depth = gap.count("(") > gap.count(")"), max(0, depth + gap.count("(") - gap.count(")"))
        before = next((unit for unit, level in zip(units[::-1], depths[::-1], strict=True) if level < depth), None)
        for number, (part, goes_on) in enumerate(_split_clause(clause)):
            unit = _read_unit(part, twin_words, is_first=not units)
            if number and goes_on:
                unit = replace(unit, context=units[-1].names + units[-1].context)
            elif depth and before:
                unit = replace(unit, context=before.names + before.context)
            elif not unit.names and _PRONOUN.match(unit.text):
                unit = replace(unit, context=_find_subject(units))
            is_lead = len(units) == 1 and units[0].is_bare and bool(_PREPOSITION.match(units[0].text))
            if units and not unit.is_denied and not units[-1].is_denied and (opened or (is_lead and not depth)):
                units[-1] = _merge(units[-1], unit)
            else:
                units.append(unit)
                depths.append(depth)
            opened = False
    return units


def _find_subject(units: list[StatementUnit]) -> tuple[Fact, ...]:
    """The names that stand before the verb of the first unit with names, which a pronoun behind it means."""
    unit = next((each for each in units if each.names), None)
    if unit is None:
        return ()
    plain = _blank_quoted(unit.text)
    verb = _PREDICATE.search(plain)
    return tuple(each for each in unit.names if each.forms[0] in plain[: verb.start() if verb else None])


def _split_clause(clause: PromptClause) -> Iterator[tuple[PromptClause, bool]]:
    """Yield the parts of a clause, and whether each goes on about what the part before names."""
    plain = _blank_quoted(clause.text)
    breaks = [*_INNER_BREAK.finditer(plain)]
    ends = [*(each.start() for each in breaks), len(plain)]
    begins = [0, *(each.end() for each in breaks)]
    left = list(clause.facts)
    for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        text = clause.text[begin:end]
        facts = [each for each in left if each.text in text] if end < len(plain) else left
        left = [each for each in left if each not in facts]
        is_denied = clause.is_denied and bool(DENIED.search(_blank_quoted(text)))
        is_item = number > 0 and bool(re.search(r"[+&>]", breaks[number - 1][0]) or text.startswith("to "))
        yield clause._replace(text=text, facts=tuple(facts), is_denied=is_denied), not is_item


def _blank_quoted(text: str) -> str:
    return re.sub(r'"[^"\n]*"', lambda quoted: " " * len(quoted[0]), text)


def _merge(one: StatementUnit, other: StatementUnit) -> StatementUnit:
    return StatementUnit(
        f"{one.text} {other.text}",
        one.names + other.names,
        one.numbers + other.numbers,
        one.dates + other.dates,
        one.days + other.days,
        one.nouns + other.nouns,
        one.states + other.states,
        one.twins + other.twins,
        one.context,
        is_exclusive=one.is_exclusive or other.is_exclusive,
        is_universal=one.is_universal or other.is_universal,
        is_void=one.is_void or other.is_void,
        is_bare=one.is_bare and other.is_bare,
    )


def _read_unit(clause: PromptClause, twin_words: dict[str, str], *, is_first: bool) -> StatementUnit:
    plain = _blank_quoted(clause.text)
    spoken = [each for each in SPOKEN_DATE.finditer(plain) if is_date(parameter_of(each))]
    facts = [*clause.facts, *_list_further(plain, clause.facts, is_first=is_first)]
    twins = [twin_words[each.text.lower()] for each in facts if each.text.lower() in twin_words]
    facts = [each for each in facts if each.text.lower() not in twin_words]
    dates = [each for each in facts if any(re.search(r"-\d\d-\d\d$", form) for form in each.forms)]
    numbers = [each for each in facts if each not in dates and re.fullmatch(r"\d[\d.,:]*", each.forms[0])]
    days = [each for each in facts if find_weekday(each.text) is not None or each.text.lower() in MONTHS]
    names = [each for each in facts if each not in (*dates, *numbers, *days)]
    coded = [each[1] for each in _CODE.finditer(plain)]
    numbers = [each for each in numbers if not any(code.endswith(each.text) for code in coded)]
    nouns = list_nouns(_SLUG.sub("", _without(_PURPOSE.sub("", plain), names)))
    read = tuple(_read_numbers(plain, numbers, nouns, [each.span() for each in spoken]))
    is_limit = any(each.limit for each in read)
    return StatementUnit(
        clause.text,
        tuple(names),
        read,
        tuple(dates),
        (*(parameter_of(each) for each in spoken), *(each.text for each in days)),
        tuple(nouns),
        tuple(list_states(plain)),
        tuple(twins),
        is_denied=clause.is_denied and not is_limit,
        is_exclusive=clause.is_exclusive,
        is_void=bool(re.search(r"(?<![\w/-])(?:empty|leer\w*)(?![\w/-])", plain, re.IGNORECASE)),
        is_universal=bool(_UNIVERSAL.search(plain)),
        is_bare=bool(names) and _is_bare(plain, facts),
    )


def _list_further(plain: str, facts: tuple[Fact, ...], *, is_first: bool) -> Iterator[Fact]:
    """Yield what the facts of a clause lack: names of channels, and a name that the sentence begins with."""
    known = {form.casefold() for each in facts for form in each.forms}
    for name in (*_TAG.finditer(plain), *_SLUG.finditer(plain), *_CODE.finditer(plain)):
        if name[1].casefold() not in known:
            yield Fact(name[1], (name[1],))
    opening = _OPENING.match(plain) if is_first else None
    if opening and opening[1].lower() not in _OPENERS and opening[1].casefold() not in known:
        is_name = not opening["next"] or _VERBS.fullmatch(opening["next"])
        if is_name and not list_nouns(opening[1]):
            yield Fact(opening[1], (opening[1],))


def _without(plain: str, names: list[Fact]) -> str:
    """Blank out the names of a clause, in which a noun counts for nothing."""
    for each in names:
        plain = re.sub(rf"(?<!\w){re.escape(each.text)}(?!\w)", lambda said: " " * len(said[0]), plain, count=1)
    return plain


def _is_bare(plain: str, facts: list[Fact]) -> bool:
    left = _without(plain, facts)
    return all(_FUNCTION.fullmatch(word) for word in re.findall(r"[^\W_]+", left))


def _read_numbers(
    plain: str, facts: list[Fact], nouns: list[PromptNoun], spans: list[tuple[int, int]]
) -> Iterator[NumberFact]:
    at = 0
    for fact in facts:
        said = re.compile(rf"(?<![\w.,]){re.escape(fact.text)}(?!\w)|{re.escape(fact.text)}").search(plain, at)
        begin, end = said.span() if said else (at, at)
        at = end
        if not any(low <= begin < high for low, high in spans):
            yield _read_number(fact, plain[:begin], plain[end:], [each for each in nouns if each.at >= end], end)


def _read_number(fact: Fact, before: str, after: str, nouns: list[PromptNoun], end: int) -> NumberFact:
    text = fact.forms[0]
    time, length = _TIME_AFTER.match(after), _LENGTH_AFTER.match(after)
    clock = _CLOCK.fullmatch(text)
    if clock and (clock[2] or time):
        shift = 12 if time and time[1].lower().startswith("p") and int(clock[1]) < 12 else 0
        return NumberFact(fact.text, 0, time=(int(clock[1]) + shift, int(clock[2] or 0)))
    value = float(text.replace(",", "")) if _DECIMAL.fullmatch(text) else -1.0
    if length:
        is_recent = bool(re.search(r"(?:last|past|recent)\s+$", before, re.IGNORECASE))
        seconds = min(value * _UNITS[length[1].lower()], MAX_LENGTH_SECONDS)
        return NumberFact(fact.text, value, length=timedelta(seconds=seconds), is_recent=is_recent)
    if before.rstrip()[-1:] in ("$", "€", "£") or _MONEY_AFTER.match(after):
        return NumberFact(fact.text, value, is_money=True)
    reach = re.match(rf"(?:\W*\w+){{0,{MAX_WORDS_TO_NOUN}}}", re.sub(r"\d.*", "", after))
    near = [each for each in nouns if each.at < end + (reach.end() if reach else 0)]
    limit = next(((kind, int(value) + by) for rule, kind, by in _LIMITS if rule.search(before)), None)
    if re.match(r"\s+or more\b", after):
        limit = ("least", int(value))
    following = " ".join([*before.split()[-1:], reach[0] if reach else ""])
    return NumberFact(fact.text, value, nouns=tuple(near[:1]), following=following, limit=limit)
