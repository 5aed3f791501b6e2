"""Read predicates, and the conditions of a `where`."""

from collections.abc import Callable
from typing import Any, cast

from twindiff.checks import readers
from twindiff.checks.operators import CONNECTIVES, EXTENDED_OPERATORS, OPERATORS, plain
from twindiff.checks.readers import SpecError
from twindiff.checks.spec import Condition, Group, Predicate, Where
from twindiff.checks.vocabulary import EXTENDED, Words, advice

OPERANDS: dict[str, Callable[[object, str], Any]] = {
    **dict.fromkeys(OPERATORS, readers.text),
    **dict.fromkeys(("eq", "ne"), readers.anything),
    **dict.fromkeys(("in", "not_in"), readers.choices),
    **dict.fromkeys(("gt", "gte", "lt", "lte"), readers.number),
    **dict.fromkeys(("has_any", "has_all"), readers.array),
    **dict.fromkeys(("exists", "is_null"), readers.boolean),
}
"""What each operator compares to."""


def where(value: object, place: str, *, extended: bool, fields: Words | None = None) -> Where:
    """Read `{path: predicate}`; where only some fields exist, a path must be one of them."""
    given = readers.an_object(value, place)
    return tuple(
        _clause(path, item, readers.inside(place, path), extended=extended, fields=fields)
        for path, item in given.items()
    )


def _clause(path: str, value: object, place: str, *, extended: bool, fields: Words | None = None) -> Condition | Group:
    if path in CONNECTIVES and extended:
        return Group(path, _parts(path, value, place, fields))
    if path in CONNECTIVES and isinstance(value, list):
        problem = f"'{path}' joins conditions in the extended language only"
        raise SpecError(place, problem, cast("object", value), f'Write "version": "{EXTENDED}".')
    if fields is not None and path not in fields:
        raise SpecError(place, f"unknown field '{path}'", advice=advice(path, fields))
    return Condition(path, predicate(value, place, extended=extended))


def _parts(connective: str, value: object, place: str, fields: Words | None) -> tuple[Where, ...]:
    def part(given: object, place: str) -> Where:
        found = where(given, place, extended=True, fields=fields)
        if not found:
            raise SpecError(place, "is empty", given, "Give at least one condition.")
        return found

    if connective == "not":
        return (part(value, place),)
    return tuple(_some(readers.list_of(value, place, part), place))


def _some(parts: list[Any], place: str) -> list[Any]:
    if not parts:
        raise SpecError(place, "is empty", parts, "Give at least one part.")
    return parts


def predicate(value: object, place: str, *, extended: bool) -> Predicate:
    """Read one operator, or a bare value; in the extended language several operators, all of which must hold."""
    if isinstance(value, list):
        raise SpecError(place, "a list is no predicate", cast("object", value), 'Write {"in": […]} or {"eq": […]}.')
    if not isinstance(value, dict):
        return Predicate("eq", readers.scalar(value, place))
    given = readers.an_object(cast("object", value), place)
    if not given or (len(given) > 1 and not extended):
        advice = f'Give exactly one operator; several at once need "version": "{EXTENDED}".'
        raise SpecError(place, f"{len(given) or 'no'} operators", given, advice)
    parts = tuple(_operation(operator, given, place, extended=extended) for operator in given)
    return parts[0] if len(parts) == 1 else Predicate("and", parts)


def _operation(operator: str, given: dict[str, Any], place: str, *, extended: bool) -> Predicate:
    known = [name for name in (*OPERANDS, *CONNECTIVES) if extended or name not in EXTENDED_OPERATORS]
    if operator not in known:
        words = advice(operator, known, EXTENDED_OPERATORS)
        raise SpecError(place, f"unknown operator '{operator}'", given, words)
    operand, place = given[operator], f"{place}.{operator}"
    if operator == "not":
        return Predicate(operator, (predicate(operand, place, extended=True),))
    if operator in CONNECTIVES:
        parts = readers.list_of(operand, place, lambda part, place: predicate(part, place, extended=True))
        return Predicate(operator, tuple(_some(parts, place)))
    return Predicate(operator, plain(OPERANDS[operator](operand, place)))
