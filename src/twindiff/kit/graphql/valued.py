"""Filters over values that no column holds: worked out for each row, and said as the rows whose values fit."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, cast

from twindiff.kit.rows import Column, Expression, any_of, not_

Given = Mapping[str, Any]
Test = Callable[[Any, Any], bool]


def holds(value: Any, comparator: Given) -> bool:
    """Whether a value answers all operators of a comparator, as a column with that value would; None is NULL."""
    return all(
        _TESTS[name](value, operand)
        for name, operand in comparator.items()
        if operand is not None or name in ("eq", "neq")
    )


def by_value(id: Column[Any], values: Mapping[str, Any], comparator: Given, absent: Any = None) -> Expression:
    """The rows whose values fit; a row that is not among them has the value `absent`."""
    fits = id.in_([key for key, value in values.items() if holds(value, comparator)])
    return any_of(fits, not_(id.in_(list(values)))) if holds(absent, comparator) else fits


def by_case(cases: Mapping[Any, Expression], comparator: Given) -> Expression:
    """The rows in a case that fits; cases exclude each other, and a row in none of them has None."""
    fits = [condition for value, condition in cases.items() if holds(value, comparator)]
    if holds(None, comparator):
        fits.append(not_(any_of(*cases.values())))
    return any_of(*fits)


def yes_or_no(condition: Expression, comparator: Given) -> Expression:
    """A condition under a comparator of yes and no."""
    return by_case({True: condition, False: not_(condition)}, comparator)


def list_holds(values: list[Any] | None, comparator: Given) -> bool:
    """Whether a list answers `some`, `every` and `length`."""
    texts = values or []
    tests: dict[str, Callable[[Given], bool]] = {
        "some": lambda given: any(holds(text, given) for text in texts),
        "every": lambda given: all(holds(text, given) for text in texts),
        "length": lambda given: holds(len(texts), given),
    }
    return all(tests[name](given) for name, given in comparator.items() if given is not None)


def _ordered(test: Test) -> Test:
    return lambda value, operand: value is not None and test(value, operand)


def _text(test: Test, form: Callable[[str], str] = str) -> Test:
    return lambda value, operand: value is not None and test(form(value), form(operand))


def _not(test: Test) -> Test:
    return lambda value, operand: not test(value, operand)


def _bare(text: str) -> str:
    """Lower case without accents."""
    parts = unicodedata.normalize("NFD", text.casefold())
    return "".join([each for each in parts if not unicodedata.combining(each)])


def _among(value: Any, operands: list[Any]) -> bool:
    return value in operands


def _either(value: Any, parts: list[Given]) -> bool:
    return any(holds(value, part) for part in parts)


def _all(value: Any, parts: list[Given]) -> bool:
    return all(holds(value, part) for part in parts)


_contains = cast(Test, operator.contains)
_TESTS: dict[str, Test] = {
    "and": _all,
    "or": _either,
    "eq": operator.eq,
    "neq": operator.ne,
    "in": _among,
    "nin": _not(_among),
    "lt": _ordered(operator.lt),
    "lte": _ordered(operator.le),
    "gt": _ordered(operator.gt),
    "gte": _ordered(operator.ge),
    "null": lambda value, operand: (value is None) is operand,
    "eqIgnoreCase": _text(operator.eq, str.casefold),
    "neqIgnoreCase": _not(_text(operator.eq, str.casefold)),
    "startsWith": _text(str.startswith),
    "startsWithIgnoreCase": _text(str.startswith, str.casefold),
    "notStartsWith": _not(_text(str.startswith)),
    "endsWith": _text(str.endswith),
    "notEndsWith": _not(_text(str.endswith)),
    "contains": _text(_contains),
    "containsIgnoreCase": _text(_contains, str.casefold),
    "notContains": _not(_text(_contains)),
    "notContainsIgnoreCase": _not(_text(_contains, str.casefold)),
    "containsIgnoreCaseAndAccent": _text(_contains, _bare),
}
