"""The functions of formulas for numbers, texts and lists. https://www.notion.com/help/formula-syntax"""

# The table below takes functions of any arguments, so its lambdas cannot be checked.
# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from statistics import median
from typing import Any

from ..core.body_rules import is_list
from .formula_values import (
    DateValue,
    PageValue,
    PersonValue,
    Value,
    as_list,
    as_number,
    format_number,
    format_value,
    is_empty_value,
    is_number_value,
    order_key,
    simplify,
)
from .syntax import FormulaError

MAX_TEXT_LENGTH = 20_000
MAX_LIST_LENGTH = 10_000
MAX_PATTERN_LENGTH = 500
Function = Callable[..., Value]


def _numbers(*values: Value) -> list[float]:
    return [as_number(each) for value in values for each in as_list(value) if each is not None and each != ""]


def _add(left: Value, right: Value) -> Value:
    if is_number_value(left) and is_number_value(right):
        return simplify(left + right)
    if all(isinstance(each, int | float) or each is None for each in (left, right)):
        return simplify(as_number(left) + as_number(right))
    return check_text(format_value(left) + format_value(right))


def _arithmetic(operate: Callable[[float, float], float]) -> Function:
    def apply(left: Value, right: Value) -> Value:
        try:
            return simplify(operate(as_number(left), as_number(right)))
        except ZeroDivisionError:
            return None
        except (OverflowError, ValueError):
            return None

    return apply


def _pow(base: float, exponent: float) -> float:
    result = float(base) ** float(exponent)
    return math.nan if isinstance(result, complex) else result


def _mathematics(operate: Callable[[float], float]) -> Function:
    def apply(value: Value) -> Value:
        try:
            return simplify(operate(as_number(value)))
        except (ValueError, OverflowError):
            return None

    return apply


def _round(value: Value, places: Value = 0) -> Value:
    scale = 10.0 ** max(-20, min(20, int(as_number(places))))
    return simplify(math.floor(as_number(value) * scale + 0.5) / scale)


def _to_number(value: Value) -> Value:
    if isinstance(value, DateValue):
        return int(value.start.timestamp() * 1000)
    if isinstance(value, bool | int | float):
        return as_number(value)
    match = re.match(r"\s*[-+]?(\d[\d,]*\.?\d*|\.\d+)([eE][-+]?\d+)?", format_value(value))
    return simplify(float(match[0].replace(",", ""))) if match else None


def check_text(text: str) -> str:
    """Return a text; raise FormulaError for one that is too long."""
    if len(text) > MAX_TEXT_LENGTH:
        raise FormulaError("The text is too long")
    return text


@lru_cache(maxsize=500)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a regular expression; raise FormulaError for one that is not valid or may take for ever."""
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise FormulaError("The regular expression is too long")
    if re.search(r"[*+}]\)*[*+{]|\([^()]*[*+{][^()]*\)[*+{]|\([^()]*\|[^()]*\)[*+{]", re.sub(r"\\.", "a", pattern)):
        raise FormulaError("The regular expression repeats what repeats")
    try:
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", pattern))
    except (re.error, OverflowError, RecursionError):
        raise FormulaError("The regular expression is not valid") from None


def _replace(text: Value, pattern: Value, by: Value, count: int) -> str:
    replacement = re.sub(r"\$(\d)", r"\\g<\1>", format_value(by).replace("\\", "\\\\"))
    try:
        return check_text(compile_pattern(format_value(pattern)).sub(replacement, format_value(text), count=count))
    except (re.error, IndexError):
        raise FormulaError("The replacement names a group that is not there") from None


def _match(text: Value, pattern: Value) -> list[Value]:
    return [match[0] for match in compile_pattern(format_value(pattern)).finditer(format_value(text))]


def _repeat(text: Value, times: Value) -> str:
    count, unit = int(as_number(times)), format_value(text)
    if count * len(unit) > MAX_TEXT_LENGTH:
        raise FormulaError("The text is too long")
    return unit * max(count, 0)


def _pad(text: Value, length: Value, by: Value, *, is_start: bool) -> str:
    plain, wanted, unit = format_value(text), min(int(as_number(length)), MAX_TEXT_LENGTH), format_value(by)
    missing = wanted - len(plain)
    filler = (unit * (missing // len(unit) + 1))[:missing] if unit and missing > 0 else ""
    return filler + plain if is_start else plain + filler


def _length(value: Value) -> int:
    return len(value) if is_list(value) else len(format_value(value))


def _substring(text: Value, start: Value, end: Value = None) -> str:
    plain = format_value(text)
    first = max(int(as_number(start)), 0)
    last = len(plain) if end is None else max(int(as_number(end)), 0)
    return plain[min(first, last) : max(first, last)]


def _slice(value: Value, start: Value, end: Value = None) -> list[Value]:
    return as_list(value)[int(as_number(start)) : None if end is None else int(as_number(end))]


def _at(value: Value, number: Value) -> Value:
    items, at = as_list(value), int(as_number(number))
    return items[at] if -len(items) <= at < len(items) else None


def _split(text: Value, by: Value = ",") -> list[Value]:
    plain, separator = format_value(text), format_value(by)
    return [*plain] if separator == "" else [*plain.split(separator)]


def _unique(value: Value) -> list[Value]:
    kept: list[Value] = []
    for each in as_list(value):
        if not any(is_equal(each, other) for other in kept):
            kept.append(each)
    return kept


def _flat(value: Value) -> list[Value]:
    return [inner for each in as_list(value) for inner in as_list(each)]


def is_equal(left: Value, right: Value) -> bool:
    """Return whether two values are equal; an empty one equals an empty text and no number."""
    if isinstance(left, PageValue) and isinstance(right, PageValue):
        return left.id == right.id
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    if isinstance(left, DateValue) and isinstance(right, DateValue):
        return (left.start, left.end) == (right.start, right.end)
    return (left if left is not None else "") == (right if right is not None else "")


def _compare(test: Callable[[Any, Any], bool]) -> Function:
    return lambda left, right: (
        test(order_key(left), order_key(right)) if left is not None and right is not None else False
    )


def _contains(text: Value, part: Value) -> bool:
    return any(is_equal(each, part) for each in text) if is_list(text) else format_value(part) in format_value(text)


def _name_person(value: Value) -> Value:
    return ", ".join(each.name for each in as_list(value) if isinstance(each, PersonValue))


def _mean(*values: Value) -> Value:
    numbers = _numbers(*values)
    return simplify(sum(numbers) / len(numbers)) if numbers else None


_SYMBOLS = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥"}


def _format_number(value: Value, kind: Value = "commas", places: Value = None) -> str:
    number, style = as_number(value), format_value(kind)
    number = number * 100 if style == "percent" else number
    shown = f"{number:,.{int(as_number(places))}f}" if places is not None else _with_commas(number)
    return shown + "%" if style == "percent" else _SYMBOLS.get(style, "") + shown


def _with_commas(number: float) -> str:
    whole, point, rest = format_number(simplify(number) or 0).partition(".")
    return f"{int(whole):,}{point}{rest}" if whole.lstrip("-").isdigit() else whole


def _person_email(value: Value) -> Value:
    return ", ".join(each.email for each in as_list(value) if isinstance(each, PersonValue))


FUNCTIONS: dict[str, tuple[Function, int, int | None]] = {
    "add": (_add, 2, 2),
    "subtract": (_arithmetic(lambda a, b: a - b), 2, 2),
    "multiply": (_arithmetic(lambda a, b: a * b), 2, 2),
    "divide": (_arithmetic(lambda a, b: a / b), 2, 2),
    "mod": (_arithmetic(math.fmod), 2, 2),
    "pow": (_arithmetic(_pow), 2, 2),
    "unaryMinus": (_mathematics(lambda a: -a), 1, 1),
    "unaryPlus": (_to_number, 1, 1),
    "not": (is_empty_value, 1, 1),
    "equal": (is_equal, 2, 2),
    "unequal": (lambda a, b: not is_equal(a, b), 2, 2),
    ">": (_compare(lambda a, b: a > b), 2, 2),
    "<": (_compare(lambda a, b: a < b), 2, 2),
    ">=": (_compare(lambda a, b: a >= b), 2, 2),
    "<=": (_compare(lambda a, b: a <= b), 2, 2),
    "list": (lambda *items: [*items], 0, None),
    "empty": (is_empty_value, 0, 1),
    "length": (_length, 1, 1),
    "substring": (_substring, 2, 3),
    "contains": (_contains, 2, 2),
    "test": (lambda text, pattern: bool(compile_pattern(format_value(pattern)).search(format_value(text))), 2, 2),
    "match": (_match, 2, 2),
    "replace": (lambda text, pattern, by: _replace(text, pattern, by, 1), 3, 3),
    "replaceAll": (lambda text, pattern, by: _replace(text, pattern, by, 0), 3, 3),
    "lower": (lambda text: format_value(text).lower(), 1, 1),
    "upper": (lambda text: format_value(text).upper(), 1, 1),
    "trim": (lambda text: format_value(text).strip(), 1, 1),
    "repeat": (_repeat, 2, 2),
    "padStart": (lambda text, length, by=" ": _pad(text, length, by, is_start=True), 2, 3),
    "padEnd": (lambda text, length, by=" ": _pad(text, length, by, is_start=False), 2, 3),
    "link": (lambda text, url: format_value(text), 2, 2),
    "style": (lambda text, *styles: format_value(text), 1, None),
    "unstyle": (lambda text, *styles: format_value(text), 1, None),
    "format": (format_value, 1, 1),
    "formatNumber": (_format_number, 1, 3),
    "toNumber": (_to_number, 1, 1),
    "min": (lambda *values: min(_numbers(*values), default=None), 1, None),
    "max": (lambda *values: max(_numbers(*values), default=None), 1, None),
    "sum": (lambda *values: simplify(sum(_numbers(*values))), 1, None),
    "median": (lambda *values: simplify(median(numbers)) if (numbers := _numbers(*values)) else None, 1, None),
    "mean": (_mean, 1, None),
    "abs": (_mathematics(abs), 1, 1),
    "round": (_round, 1, 2),
    "ceil": (_mathematics(math.ceil), 1, 1),
    "floor": (_mathematics(math.floor), 1, 1),
    "sqrt": (_mathematics(math.sqrt), 1, 1),
    "cbrt": (_mathematics(math.cbrt), 1, 1),
    "exp": (_mathematics(math.exp), 1, 1),
    "ln": (_mathematics(math.log), 1, 1),
    "log10": (_mathematics(math.log10), 1, 1),
    "log2": (_mathematics(math.log2), 1, 1),
    "sign": (_mathematics(lambda a: (a > 0) - (a < 0)), 1, 1),
    "pi": (lambda: math.pi, 0, 0),
    "e": (lambda: math.e, 0, 0),
    "at": (_at, 2, 2),
    "first": (lambda value: _at(value, 0), 1, 1),
    "last": (lambda value: _at(value, -1), 1, 1),
    "slice": (_slice, 2, 3),
    "concat": (lambda *values: [item for value in values for item in as_list(value)], 1, None),
    "reverse": (lambda value: as_list(value)[::-1], 1, 1),
    "join": (
        lambda value, by="": check_text(format_value(by).join(format_value(each) for each in as_list(value))),
        1,
        2,
    ),
    "split": (_split, 1, 2),
    "unique": (_unique, 1, 1),
    "includes": (lambda value, item: any(is_equal(each, item) for each in as_list(value)), 2, 2),
    "flat": (_flat, 1, 1),
    "name": (_name_person, 1, 1),
    "email": (_person_email, 1, 1),
}
"""Each function with the least and the most arguments that it takes; None is any number."""
