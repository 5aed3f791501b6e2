"""Reads and runs the formulas of filters: `AND({Status} = 'Done', FIND('a', LOWER({Name})))`.

https://support.airtable.com/docs/formula-field-reference
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from .wire_style import AirtableError

MAX_FORMULA_LETTERS = 16_000
MAX_DEPTH = 50
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
        left = self.read(level + 1, depth)
        while mark := self._take(*_LEVELS[level]):
            left = _join(mark, left, self.read(level + 1, depth))
        return left

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
        return lambda record: function([part(record) for part in parts])


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
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        return 0.0


def _compare(left: Any, right: Any) -> int:
    """Return how two values stand: as numbers if both are, else as texts; a missing one is an empty text or 0."""
    numbers = [isinstance(each, (int, float)) for each in (left, right)]
    if all(numbers) or (any(numbers) and None in (left, right)):
        first, second = _to_number(left), _to_number(right)
        return (first > second) - (first < second)
    one, other = _to_text(left), _to_text(right)
    return (one > other) - (one < other)


def _join(mark: str, left: Formula, right: Formula) -> Formula:
    joined = _MARKS[mark]
    return lambda record: joined(left(record), right(record))


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
}
_FUNCTIONS: Mapping[str, tuple[int, int, Callable[[list[Any]], Any]]] = {
    "AND": (1, 999, lambda given: all(map(is_true, given))),
    "OR": (1, 999, lambda given: any(map(is_true, given))),
    "NOT": (1, 1, lambda given: not is_true(given[0])),
    "IF": (2, 3, lambda given: given[1] if is_true(given[0]) else given[2] if len(given) > 2 else None),
    "FIND": (2, 3, lambda given: _to_text(given[1]).find(_to_text(given[0])) + 1),
    "SEARCH": (2, 3, lambda given: _to_text(given[1]).lower().find(_to_text(given[0]).lower()) + 1),
    "LOWER": (1, 1, lambda given: _to_text(given[0]).lower()),
    "UPPER": (1, 1, lambda given: _to_text(given[0]).upper()),
    "TRIM": (1, 1, lambda given: _to_text(given[0]).strip()),
    "LEN": (1, 1, lambda given: float(len(_to_text(given[0])))),
    "LEFT": (2, 2, lambda given: _to_text(given[0])[: max(int(_to_number(given[1])), 0)]),
    "CONCATENATE": (1, 999, lambda given: "".join(map(_to_text, given))),
    "VALUE": (1, 1, lambda given: _to_number(given[0])),
    "IS_BEFORE": (2, 2, lambda given: _to_text(given[0]) < _to_text(given[1])),
    "IS_AFTER": (2, 2, lambda given: _to_text(given[0]) > _to_text(given[1])),
    "DATETIME_PARSE": (1, 3, lambda given: _to_text(given[0])),
    "ARRAYJOIN": (1, 2, lambda given: _to_text(given[0])),
}
"""Functions by name, each with the fewest and the most arguments."""
