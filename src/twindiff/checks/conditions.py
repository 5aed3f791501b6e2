"""Parses predicates, and the conditions of a `where`."""

from collections.abc import Callable
from typing import Any, cast

from twindiff.checks import readers, regexes
from twindiff.checks.operators import CONNECTIVES, EXTENDED_OPERATORS, OPERATORS, plain
from twindiff.checks.readers import SpecError
from twindiff.checks.spec import Condition, Group, Predicate, Reference, Where
from twindiff.checks.vocabulary import EXTENDED, NUMBERS, REFERENCE, Words, advice


def reference(value: object, place: str) -> Reference:
    """`"<id>.<path>"` of another assertion's rows."""
    name, dot, path = readers.text(value, place).partition(".")
    if not (name and dot and all(path.split("."))):
        advice = 'Write "<id>.<column>", the id of another assertion and a column of its rows.'
        raise SpecError(place, "is no reference", value, advice)
    return Reference(name, path)


OPERANDS: dict[str, Callable[[object, str], Any]] = {
    **dict.fromkeys(OPERATORS, readers.text),
    **dict.fromkeys(("eq", "ne"), readers.anything),
    **dict.fromkeys(("in", "not_in"), readers.choices),
    **dict.fromkeys(("gt", "gte", "lt", "lte"), readers.number),
    **dict.fromkeys(("has_any", "has_all"), readers.array),
    **dict.fromkeys(("exists", "is_null"), readers.boolean),
    "ref": reference,
}
"""How to parse the operand of each operator."""

REFERRING = frozenset({"contains", "i_contains", "starts_with", "ends_with", "i_starts_with", "i_ends_with", "has_any"})
"""Operators that may also be compared to a reference."""


def where(value: object, place: str, *, extended: bool, fields: Words | None = None) -> Where:
    """Parse `{path: predicate}`; if `fields` is given, every path must be one of them. Raises SpecError."""
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
    condition = Condition(path, predicate(value, place, extended=extended))
    if fields is not None:
        _refuse_other_kind(condition.predicate, path, place)
    return condition


def _refuse_other_kind(operation: Predicate, field: str, place: str) -> None:
    """Reject comparing a field of a call to a value of a type that the field never has."""
    if operation.operator in CONNECTIVES:
        for part in operation.value:
            _refuse_other_kind(part, field, place)
    elif operation.operator not in {"exists", "is_null"} and not isinstance(operation.value, Reference):
        kind, is_kind = ("a number", _is_number) if field in NUMBERS else ("a text", _is_text)
        given: object = operation.value
        values = (
            [given]
            if operation.operator in {"eq", "ne"} or not isinstance(given, list)
            else cast("list[object]", given)
        )
        is_lost = field in NUMBERS and operation.operator in {"has_any", "has_all"}
        if is_lost or not all(value is None or is_kind(value) for value in values):
            raise SpecError(place, f"'{field}' is {kind}", operation.written, f"Compare it to {kind}.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _parts(connective: str, value: object, place: str, fields: Words | None) -> tuple[Where, ...]:
    def part(given: object, place: str) -> Where:
        _refuse_lost_operators(given, place)
        clauses = where(given, place, extended=True, fields=fields)
        if not clauses:
            raise SpecError(place, "is empty", given, "Give at least one condition.")
        return clauses

    if connective == "not":
        return (part(value, place),)
    return tuple(_some(readers.list_of(value, place, part), place))


def _refuse_lost_operators(part: object, place: str) -> None:
    """Reject an operator in place of a column name in a joined condition, unless it has an operator of its own."""
    for name, value in readers.an_object(part, place).items():
        if name in OPERANDS and not isinstance(value, dict):
            given = readers.short({name: value})
            advice = f'Write {{"<column>": {given}}}, or {{"{name}": {{"eq": …}}}} for a column of that name.'
            raise SpecError(readers.inside(place, name), "an operator where a column is named", part, advice)


def _some(parts: list[Any], place: str) -> list[Any]:
    if not parts:
        raise SpecError(place, "is empty", parts, "Give at least one part.")
    return parts


def predicate(value: object, place: str, *, extended: bool) -> Predicate:
    """Parse one operator or a bare value; in the extended language several operators, all of which must hold."""
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
    if operator in REFERRING and extended and isinstance(operand, dict):
        referring = readers.read_object(cast("object", operand), place, REFERENCE, ("ref",))
        return Predicate(operator, reference(referring["ref"], f"{place}.ref"))
    if extended:
        _refuse_lost_reference(operator, operand, place)
    value = plain(OPERANDS[operator](operand, place))
    if operator == "regex" and extended and not regexes.is_pattern(value):
        raise SpecError(place, "is no regular expression that Python takes", value, "Look for a text by contains.")
    return Predicate(operator, value)


def _refuse_lost_reference(operator: str, operand: Any, place: str) -> None:
    """Reject an object operand that was meant as a reference."""
    values = cast("list[object]", operand) if isinstance(operand, list) else [operand]
    for value in values:
        if isinstance(value, dict) and cast("dict[object, object]", value).keys() == REFERENCE.keys():
            given = readers.short(cast("object", value))
            advice = f"Write {given} for a value that is equal, or one of {', '.join(sorted(REFERRING))} before it."
            raise SpecError(place, f"{operator} takes no reference", cast("object", operand), advice)
