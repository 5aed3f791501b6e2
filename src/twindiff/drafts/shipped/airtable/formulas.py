"""Reads and runs the formulas of filters: `AND({Status} = 'Done', FIND('a', LOWER({Name})))`.

https://support.airtable.com/docs/formula-field-reference
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

from .time_formats import FormatError, read_formatted_time
from .wire_style import AirtableError

MAX_FORMULA_LETTERS = 16_000
MAX_DEPTH = 50
MAX_TEXT = 100_000
"""Characters of a text that a formula makes: as many as a long text field can have."""
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<number>\d+(?:\.\d+)?)|\{(?P<field>(?:[^}\\]|\\.)+)\}"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<mark><=|>=|!=|[=<>&+*/(),-]))"
)
_LEVELS = (("=", "!=", "<", ">", "<=", ">="), ("&",), ("+", "-"), ("*", "/"))
"""Marks that join two values, the loosest first."""


class FormulaRecord(NamedTuple):
    """What a formula reads of a record."""

    id: str
    fields: Mapping[str, Any]
    created_time: str
    now: str = ""
    """The time of the request."""


Formula = Callable[[FormulaRecord], Any]


def parse_formula(text: str, names: Sequence[str] | None) -> Formula:
    """Read a formula over fields of these names, or any; raises AirtableError."""
    if len(text) > MAX_FORMULA_LETTERS:
        raise _refuse(f"it has more than {MAX_FORMULA_LETTERS:,} characters")
    parser = _FormulaParser(text, names)
    formula = parser.read(0, 0)
    parser.end()
    return formula


def is_true(value: Any) -> bool:
    """Return whether a value counts as true."""
    return bool(value) and value != 0


def _refuse(why: str) -> AirtableError:
    said = f"The formula for filtering records is invalid: {why}"
    return AirtableError(422, "INVALID_FILTER_BY_FORMULA", said)


class _FormulaParser:
    def __init__(self, text: str, names: Sequence[str] | None) -> None:
        self._names, self._at = names, 0
        self._tokens: list[tuple[str, str]] = []
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise _refuse(f"'{text[place:].strip()[:20]}' cannot be read")
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()

    def _peek(self, *marks: str) -> str:
        kind, text = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
        return text if kind == "mark" and text in marks else ""

    def _take(self, *marks: str) -> str:
        mark = self._peek(*marks)
        self._at += bool(mark)
        return mark

    def end(self) -> None:
        """Raise AirtableError unless all was read."""
        if self._at < len(self._tokens):
            raise _refuse(f"unexpected '{self._tokens[self._at][1]}'")

    def read(self, level: int, depth: int) -> Formula:
        """Read values that marks of a level, or of tighter ones, join."""
        if depth > MAX_DEPTH:
            raise _refuse("it is nested too deeply")
        if level == len(_LEVELS):
            return self._one(depth)
        first = self.read(level + 1, depth)
        others: list[tuple[str, Formula]] = []
        while mark := self._take(*_LEVELS[level]):
            others.append((mark, self.read(level + 1, depth)))
        return _join(first, others) if others else first

    def _one(self, depth: int) -> Formula:
        if self._take("-"):
            inner = self._one(depth + 1)
            return lambda record: -_to_number(inner(record))
        if self._take("("):
            inner = self.read(0, depth + 1)
            self._need(")")
            return inner
        kind, text = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
        self._at += 1
        if kind == "text":
            value = re.sub(r"\\(.)", r"\1", text[1:-1])
            return lambda _record: value
        if kind == "number":
            return lambda _record: float(text)
        if kind == "word" and self._peek("("):
            return self._call(text.upper(), depth)
        if kind in ("field", "word"):
            return self._field(re.sub(r"\\(.)", r"\1", text))
        raise _refuse(f"unexpected '{text}'" if text else "it ends too early")

    def _field(self, name: str) -> Formula:
        if self._names is not None and name not in self._names:
            raise _refuse(f"Unknown field names: {name.lower()}")
        return lambda record: record.fields.get(name)

    def _need(self, mark: str) -> None:
        if not self._take(mark):
            raise _refuse(f"'{mark}' is missing")

    def _call(self, name: str, depth: int) -> Formula:
        self._need("(")
        parts: list[Formula] = []
        while not self._peek(")"):
            parts.append(self.read(0, depth + 1))
            if not self._take(","):
                break
        self._need(")")
        if name in _OF_RECORD and not parts:
            return _OF_RECORD[name]
        run = _FUNCTIONS.get(name)
        if run is None:
            raise _refuse(f"Unknown function names: {name}")
        fewest, most, function = run
        if not fewest <= len(parts) <= most:
            raise _refuse(f"Invalid number of arguments for {name}")
        return lambda record: _check_length(function([part(record) for part in parts]))


def _to_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_to_text(each) for each in cast(list[Any], value))
    if value is None or value is False:
        return ""
    if isinstance(value, dict):
        known = cast(dict[str, Any], value)
        return str(known.get("name") or known.get("text") or known.get("email") or "")
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else "1" if value is True else str(value)


def _to_number(value: Any) -> float:
    """Return a value as a finite number; 0 for what is none."""
    try:
        number = float(value or 0)
    except (TypeError, ValueError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _check_length(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise _refuse(f"a text has more than {MAX_TEXT:,} characters")
    return value


def _compare(left: Any, right: Any) -> int:
    """Return how two values stand: as numbers if both are, else as texts; a missing one is an empty text or 0."""
    numbers = [isinstance(each, (int, float)) for each in (left, right)]
    if all(numbers) or (any(numbers) and None in (left, right)):
        first, second = _to_number(left), _to_number(right)
        return (first > second) - (first < second)
    one, other = _to_text(left), _to_text(right)
    return (one > other) - (one < other)


def _join(first: Formula, others: Sequence[tuple[str, Formula]]) -> Formula:
    """Return the formula that joins a value with others by their marks, from left to right."""

    def join(record: FormulaRecord) -> Any:
        value = first(record)
        for mark, other in others:
            value = _check_length(_MARKS[mark](value, other(record)))
        return value

    return join


def _find(wanted: str, text: str, start: Sequence[Any]) -> int:
    """Return the place of a text in another, from 1 on; 0 if it is not there. `start` is from where to look."""
    return text.find(wanted, max(int(_to_number(start[0])) - 1, 0) if start else 0) + 1


def _take_right(text: str, count: int) -> str:
    return text[-count:] if count > 0 else ""


def _take_middle(text: str, place: int, count: int) -> str:
    return text[max(place - 1, 0) :][: max(count, 0)]


def _repeat(text: str, count: int) -> str:
    if len(text) * count > MAX_TEXT:
        raise _refuse(f"a text has more than {MAX_TEXT:,} characters")
    return text * max(count, 0) if text else ""


def _substitute(text: str, old: str, new: str) -> str:
    if not old:
        return text
    if len(text) + text.count(old) * (len(new) - len(old)) > MAX_TEXT:
        raise _refuse(f"a text has more than {MAX_TEXT:,} characters")
    return text.replace(old, new)


def _switch(given: Sequence[Any]) -> Any:
    """Return the value after the first pattern that a value equals, or the last one, if it has no pattern."""
    value, *cases = given
    for pattern, then in zip(cases[::2], cases[1::2], strict=False):
        if _compare(value, pattern) == 0:
            return then
    return cases[-1] if len(cases) % 2 else None


def _numbers_in(given: Sequence[Any]) -> list[float]:
    values = [each for one in given for each in (cast(list[Any], one) if isinstance(one, list) else [one])]
    return [float(each) for each in values if isinstance(each, (int, float)) and not isinstance(each, bool)]


def _round(value: float, digits: int) -> float:
    """Return a value rounded to some digits, halves away from zero."""
    scale = 10.0 ** min(max(digits, -15), 15)
    scaled = abs(value) * scale + 0.5
    return math.copysign(math.floor(scaled) / scale, value) if math.isfinite(scaled) else value


def _read_time(value: Any) -> datetime | None:
    """Return a time in UTC; None for a value that is none."""
    try:
        time = datetime.fromisoformat(_to_text(value))
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _compare_times(given: Sequence[Any], compare: Callable[[datetime, datetime], bool]) -> bool:
    first, second = _read_time(given[0]), _read_time(given[1])
    return first is not None and second is not None and compare(first, second)


def _read_unit(given: Sequence[Any], otherwise: str) -> str:
    """Return the unit of time that a function is given; raises AirtableError for an unknown one."""
    said = _to_text(given[2]) if len(given) > 2 else otherwise
    unit = {"M": "months", "m": "minutes"}.get(said) or _UNITS.get(said.lower())
    if unit is None:
        raise _refuse(f"'{said[:20]}' is no unit of time")
    return unit


def _is_same(given: Sequence[Any]) -> bool:
    first, second, unit = _read_time(given[0]), _read_time(given[1]), _read_unit(given, "milliseconds")
    return first is not None and second is not None and _find_period(first, unit) == _find_period(second, unit)


def _find_period(time: datetime, unit: str) -> Any:
    """Return what all times of the same year, week, hour and so on have in common; weeks begin on Sunday."""
    if unit == "weeks":
        return time.toordinal() // 7
    if unit == "quarters":
        return time.year, (time.month - 1) // 3
    return time.isoformat(timespec="milliseconds")[: _LETTERS_OF_UNITS[unit]]


def _subtract(first: datetime, second: datetime, unit: str) -> float:
    if unit in ("months", "quarters", "years"):
        months = (first.year - second.year) * 12 + first.month - second.month
        one, other = (first.day, first.time()), (second.day, second.time())
        whole = months - (months > 0 and one < other) + (months < 0 and one > other)
        return float(int(whole / {"months": 1, "quarters": 3, "years": 12}[unit]))
    return float(int((first - second).total_seconds() / _SECONDS[unit]))


def _subtract_times(given: Sequence[Any]) -> float | None:
    """Return how much later the first time is than the second, in whole units."""
    first, second, unit = _read_time(given[0]), _read_time(given[1]), _read_unit(given, "seconds")
    return None if first is None or second is None else _subtract(first, second, unit)


def _add_time(given: Sequence[Any]) -> str | None:
    time, count, unit = _read_time(given[0]), _to_number(given[1]), _read_unit(given, "days")
    if time is None:
        return None
    try:
        if unit in _SECONDS:
            return (time + timedelta(seconds=count * _SECONDS[unit])).isoformat()
        months = time.year * 12 + time.month - 1 + int(count) * {"months": 1, "quarters": 3, "years": 12}[unit]
        year, month = divmod(months, 12)
        day = min(time.day, monthrange(year, month + 1)[1])
        return time.replace(year=year, month=month + 1, day=day).isoformat()
    except (ValueError, OverflowError):
        raise _refuse("a time is out of range") from None


def _part_of(value: Any, name: str) -> float | None:
    time = _read_time(value)
    return None if time is None else float(getattr(time, name))


def _weekday(value: Any) -> float | None:
    """Return the day of the week, from 0 for Sunday."""
    time = _read_time(value)
    return None if time is None else float((time.weekday() + 1) % 7)


def _parse_time(given: Sequence[Any]) -> str | None:
    """Return the time of a text, in a format if one is given; raises AirtableError for one that is not understood."""
    if len(given) == 1:
        return _to_text(given[0])
    try:
        time = read_formatted_time(_to_text(given[0]), _to_text(given[1]))
    except FormatError as error:
        raise _refuse(str(error)) from None
    return None if time is None else time.isoformat()


def _join_list(given: Sequence[Any]) -> str:
    values = cast(list[Any], given[0]) if isinstance(given[0], list) else [given[0]]
    return (_to_text(given[1]) if len(given) > 1 else ", ").join(map(_to_text, values))


_SECONDS: Mapping[str, float] = {
    "milliseconds": 0.001, "seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800,
}  # fmt: skip
_LETTERS_OF_UNITS = {
    "years": 4, "months": 7, "days": 10, "hours": 13, "minutes": 16, "seconds": 19, "milliseconds": 23,
}  # fmt: skip
"""How many letters of two times are the same if they are in the same unit."""
_SHORT_UNITS = {"ms": "milliseconds", "s": "seconds", "h": "hours", "d": "days", "w": "weeks", "q": "quarters",
                "y": "years"}  # fmt: skip
_WHOLE_UNITS = (*_SECONDS, "months", "quarters", "years")
_UNITS = {**_SHORT_UNITS, **{each: each for each in _WHOLE_UNITS}, **{each[:-1]: each for each in _WHOLE_UNITS}}
_MARKS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": lambda left, right: _compare(left, right) == 0,
    "!=": lambda left, right: _compare(left, right) != 0,
    "<": lambda left, right: _compare(left, right) < 0,
    ">": lambda left, right: _compare(left, right) > 0,
    "<=": lambda left, right: _compare(left, right) <= 0,
    ">=": lambda left, right: _compare(left, right) >= 0,
    "&": lambda left, right: _to_text(left) + _to_text(right),
    "+": lambda left, right: _to_number(left) + _to_number(right),
    "-": lambda left, right: _to_number(left) - _to_number(right),
    "*": lambda left, right: _to_number(left) * _to_number(right),
    "/": lambda left, right: _to_number(left) / _to_number(right) if _to_number(right) else 0.0,
}
_OF_RECORD: Mapping[str, Formula] = {
    "RECORD_ID": lambda record: record.id,
    "CREATED_TIME": lambda record: record.created_time,
    "TRUE": lambda _record: True,
    "FALSE": lambda _record: False,
    "BLANK": lambda _record: None,
    "NOW": lambda record: record.now,
    "TODAY": lambda record: record.now[:10],
}
_FUNCTIONS: Mapping[str, tuple[int, int, Callable[[list[Any]], Any]]] = {
    "AND": (1, 999, lambda given: all(map(is_true, given))),
    "OR": (1, 999, lambda given: any(map(is_true, given))),
    "NOT": (1, 1, lambda given: not is_true(given[0])),
    "IF": (2, 3, lambda given: given[1] if is_true(given[0]) else given[2] if len(given) > 2 else None),
    "FIND": (2, 3, lambda given: _find(_to_text(given[0]), _to_text(given[1]), given[2:])),
    "SEARCH": (2, 3, lambda given: _find(_to_text(given[0]).lower(), _to_text(given[1]).lower(), given[2:])),
    "LOWER": (1, 1, lambda given: _to_text(given[0]).lower()),
    "UPPER": (1, 1, lambda given: _to_text(given[0]).upper()),
    "TRIM": (1, 1, lambda given: _to_text(given[0]).strip()),
    "LEN": (1, 1, lambda given: float(len(_to_text(given[0])))),
    "LEFT": (2, 2, lambda given: _to_text(given[0])[: max(int(_to_number(given[1])), 0)]),
    "CONCATENATE": (1, 999, lambda given: "".join(map(_to_text, given))),
    "VALUE": (1, 1, lambda given: _to_number(given[0])),
    "RIGHT": (2, 2, lambda given: _take_right(_to_text(given[0]), int(_to_number(given[1])))),
    "MID": (3, 3, lambda given: _take_middle(_to_text(given[0]), int(_to_number(given[1])), int(_to_number(given[2])))),
    "REPT": (2, 2, lambda given: _repeat(_to_text(given[0]), int(_to_number(given[1])))),
    "SUBSTITUTE": (3, 3, lambda given: _substitute(*map(_to_text, given))),
    "EXACT": (2, 2, lambda given: _to_text(given[0]) == _to_text(given[1])),
    "T": (1, 1, lambda given: given[0] if isinstance(given[0], str) else None),
    "XOR": (1, 999, lambda given: sum(map(is_true, given)) % 2 == 1),
    "SWITCH": (3, 999, _switch),
    "ABS": (1, 1, lambda given: abs(_to_number(given[0]))),
    "SUM": (1, 999, lambda given: sum(_numbers_in(given))),
    "MAX": (1, 999, lambda given: max(_numbers_in(given), default=0.0)),
    "MIN": (1, 999, lambda given: min(_numbers_in(given), default=0.0)),
    "AVERAGE": (1, 999, lambda given: sum(_numbers_in(given)) / max(len(_numbers_in(given)), 1)),
    "COUNT": (1, 999, lambda given: float(len(_numbers_in(given)))),
    "COUNTA": (1, 999, lambda given: float(sum(each not in (None, "", []) for each in given))),
    "INT": (1, 1, lambda given: float(math.floor(_to_number(given[0])))),
    "ROUND": (2, 2, lambda given: _round(_to_number(given[0]), int(_to_number(given[1])))),
    "MOD": (2, 2, lambda given: _to_number(given[0]) % _to_number(given[1]) if _to_number(given[1]) else 0.0),
    "IS_BEFORE": (2, 2, lambda given: _compare_times(given, lambda first, second: first < second)),
    "IS_AFTER": (2, 2, lambda given: _compare_times(given, lambda first, second: first > second)),
    "IS_SAME": (2, 3, _is_same),
    "DATETIME_DIFF": (2, 3, _subtract_times),
    "DATEADD": (3, 3, _add_time),
    "DATETIME_PARSE": (1, 2, _parse_time),
    "YEAR": (1, 1, lambda given: _part_of(given[0], "year")),
    "MONTH": (1, 1, lambda given: _part_of(given[0], "month")),
    "DAY": (1, 1, lambda given: _part_of(given[0], "day")),
    "HOUR": (1, 1, lambda given: _part_of(given[0], "hour")),
    "WEEKDAY": (1, 1, lambda given: _weekday(given[0])),
    "ARRAYJOIN": (1, 2, _join_list),
}
"""Functions by name, each with the fewest and the most arguments."""
