"""Read a spec of the assertion language: typed assertions, or a refusal that names the place of the mistake."""

import json
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from msgspec import Struct

from twindiff.checks.diffs import DiffType
from twindiff.checks.operators import OPERATORS, plain

DEEPEST = 64
"""Levels of nesting a spec may have."""

MISSING: Any = object()

T = TypeVar("T")

# Words of older documentation and of other tools, and what they are here.
OTHER_WORDS = {
    "inserted": "added",
    "created": "added",
    "deleted": "removed",
    "updated": "changed",
    "neq": "ne",
    "equals": "eq",
    "nin": "not_in",
    "like": "contains",
    "matches": "regex",
    "is_null": "exists",
    "count": "expected_count",
    "changes": "expected_changes",
    "table": "entity",
    "filter": "where",
}


class Predicate(Struct, frozen=True):
    """One operator with the value it compares to."""

    operator: str
    value: Any

    @property
    def written(self) -> dict[str, Any]:
        """The predicate as the language writes it."""
        return {self.operator: self.value}


class Condition(Struct, frozen=True):
    """A predicate on the value that a dotted path leads to."""

    path: str
    predicate: Predicate


class ExpectedChange(Struct, frozen=True):
    """What a column must have changed from and to; either may be left open."""

    column: str
    before: Predicate | None
    after: Predicate | None


class Count(Struct, frozen=True):
    """How many rows must match; `written` is the spec's own form, nothing where it says nothing."""

    least: int = 1
    most: int | None = None
    written: Any = None


class Assertion(Struct, frozen=True):
    """One check: which rows, how many, and what changed in them. `number` counts from 1."""

    number: int
    diff_type: DiffType
    entity: str
    where: tuple[Condition, ...] = ()
    count: Count = Count()
    changes: dict[str, ExpectedChange] = {}
    ignore: frozenset[str] = frozenset()


class Spec(Struct, frozen=True):
    """All checks of one run."""

    assertions: tuple[Assertion, ...]
    ignore_fields: dict[str, frozenset[str]] = {}
    strict: bool = True


class SpecError(ValueError):
    """The spec is not in the assertion language; the text says where, what was given and what to do."""

    def __init__(self, place: str, problem: str, given: object = MISSING, advice: str = "") -> None:
        parts = [f"{place or 'spec'}: {problem}."]
        if given is not MISSING:
            parts.append(f"Given: {_short(given)}.")
        super().__init__(" ".join([*parts, advice] if advice else parts))
        self.place = place


def parse(spec: object) -> Spec:
    """Turn a spec as JSON has it into assertions. Raises `SpecError` at the first mistake."""
    if isinstance(spec, Spec):
        return spec
    _refuse_depth(spec)
    known = ("version", "scenario", "task", "ignore_fields", "assertions", "aggregates", "strict")
    given = _object(spec, "", known)
    if given.get("version", "0.1") != "0.1":
        raise SpecError("version", "unknown version", given["version"], 'Write "0.1".')
    for name in ("scenario", "task"):
        _text(given.get(name, ""), name)
    _list(given.get("aggregates", []), "aggregates", _aggregate)
    return Spec(
        assertions=_assertions(given),
        ignore_fields=_ignore_fields(given.get("ignore_fields", {})),
        strict=_boolean(given.get("strict", True), "strict"),
    )


def _assertions(given: dict[str, Any]) -> tuple[Assertion, ...]:
    if "assertions" not in given:
        raise SpecError("", "assertions is missing", advice="Give a list of at least one assertion.")
    assertions = _array(given["assertions"], "assertions")
    if not assertions:
        raise SpecError("assertions", "is empty", advice="Give at least one assertion.")
    return tuple(_assertion(value, number) for number, value in enumerate(assertions, 1))


def _assertion(value: object, number: int) -> Assertion:
    place = f"assertions[{number - 1}]"
    known = ("diff_type", "entity", "where", "expected_count", "expected_changes", "ignore", "description")
    given = _object(value, place, known, required=("diff_type", "entity"))
    _text(given.get("description", ""), f"{place}.description")
    diff_type = _one_of(("added", "removed", "changed"), given["diff_type"], f"{place}.diff_type")
    return Assertion(
        number=number,
        diff_type=cast("DiffType", diff_type),
        entity=_text(given["entity"], f"{place}.entity"),
        where=_where(given.get("where", {}), f"{place}.where"),
        count=_count(given.get("expected_count", MISSING), f"{place}.expected_count"),
        changes=_changes(given.get("expected_changes", MISSING), diff_type, f"{place}.expected_changes"),
        ignore=frozenset(_list(given.get("ignore", []), f"{place}.ignore", _text)),
    )


def _where(value: object, place: str) -> tuple[Condition, ...]:
    given = _object(value, place)
    return tuple(Condition(path, _predicate(item, _inside(place, path))) for path, item in given.items())


def _predicate(value: object, place: str) -> Predicate:
    if isinstance(value, list):
        raise SpecError(place, "a list is no predicate", cast("object", value), 'Write {"in": […]} or {"eq": […]}.')
    if not isinstance(value, dict):
        return Predicate("eq", _scalar(value, place))
    given = _object(cast("object", value), place)
    if len(given) != 1:
        advice = "Give exactly one operator; a second one belongs into another assertion."
        raise SpecError(place, f"{len(given) or 'no'} operators", given, advice)
    operator, operand = next(iter(given.items()))
    if operator not in OPERANDS:
        raise SpecError(place, f"unknown operator '{operator}'", given, _advice(operator, OPERANDS))
    return Predicate(operator, plain(OPERANDS[operator](operand, f"{place}.{operator}")))


def _count(value: object, place: str) -> Count:
    if value is MISSING:
        return Count()
    if not isinstance(value, dict):
        number = _whole(value, place, 'Write a whole number from 0 on, or {"min": 1, "max": 3}.')
        return Count(number, number, number)
    given = _object(cast("object", value), place, ("min", "max"))
    if not given:
        raise SpecError(place, "neither min nor max", given, "Give at least one of them.")
    written = {
        name: _whole(number, f"{place}.{name}", "Write a whole number from 0 on.") for name, number in given.items()
    }
    return Count(written.get("min", 0), written.get("max"), written)


def _changes(value: object, diff_type: str, place: str) -> dict[str, ExpectedChange]:
    if value is MISSING:
        return {}
    given = _object(value, place)
    if not given and diff_type == "changed":
        raise SpecError(place, "is empty", given, "Name at least one column, or leave expected_changes out.")
    return {column: _change(item, column, _inside(place, column)) for column, item in given.items()}


def _change(value: object, column: str, place: str) -> ExpectedChange:
    if not isinstance(value, dict):
        raise SpecError(place, "is not an object", value, f'Write {{"to": {_short(value)}}}.')
    given = _object(cast("object", value), place, ("from", "to"))
    before, after = (_predicate(given[side], f"{place}.{side}") if side in given else None for side in ("from", "to"))
    return ExpectedChange(column, before, after)


def _ignore_fields(value: object) -> dict[str, frozenset[str]]:
    given = _object(value, "ignore_fields")
    return {entity: _columns(names, _inside("ignore_fields", entity)) for entity, names in given.items()}


def _columns(value: object, place: str) -> frozenset[str]:
    names = _list(value, place, _text)
    if "" in names:
        raise SpecError(place, "has an empty name", names, "Name a column.")
    if len(set(names)) < len(names):
        raise SpecError(place, "has a name twice", names, "Name each column once.")
    return frozenset(names)


def _aggregate(value: object, place: str) -> None:
    """Read an aggregate for its form alone: the public language accepts aggregates and evaluates none."""
    given = _object(value, place, ("fn", "field", "op", "value"), required=("fn", "op", "value"))
    _one_of(("sum", "avg", "min", "max", "count"), given["fn"], f"{place}.fn")
    _text(given.get("field", ""), f"{place}.field")
    _one_of(("eq", "ne", "gt", "gte", "lt", "lte", "between"), given["op"], f"{place}.op")


def _object(
    value: object, place: str, known: Collection[str] | None = None, required: Collection[str] = ()
) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SpecError(place, "is not an object", value, f"Give an object{_list_of(known)}.")
    given = cast("dict[str, Any]", value)
    for key in given if known is not None else ():
        if key not in cast("Collection[str]", known):
            raise SpecError(place, f"unknown key '{key}'", advice=_advice(key, known or ()))
    for key in required:
        if key not in given:
            raise SpecError(place, f"{key} is missing", given, f"Give {key}.")
    return given


def _list(value: object, place: str, item: Callable[[object, str], T]) -> list[T]:
    if not isinstance(value, list):
        raise SpecError(place, "is not a list", value, "Give a list.")
    return [item(given, f"{place}[{position}]") for position, given in enumerate(cast("list[object]", value))]


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise SpecError(place, "is not a text", value, "Give a text in quotes.")
    return value


def _boolean(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise SpecError(place, "is not a boolean", value, "Write true or false.")
    return value


def _number(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpecError(place, "is not a number", value, "Give a number; times are compared as texts by starts_with.")
    return value


def _whole(value: object, place: str, advice: str) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or cast("float", value) < 0:
        raise SpecError(place, "is not a count", value, advice)
    return int(cast("float", value))


def _scalar(value: object, place: str) -> Any:
    value = plain(value)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise SpecError(place, "is no JSON value", value, "Give a text, a number, a boolean, null or a predicate.")
    return value


def _anything(value: object, place: str) -> Any:
    return value


def _array(value: object, place: str) -> list[Any]:
    return _list(value, place, _anything)


def _choices(value: object, place: str) -> list[Any]:
    choices = _array(value, place)
    if not choices:
        raise SpecError(place, "is empty", choices, "Give at least one value.")
    return choices


def _one_of(words: tuple[str, ...], value: object, place: str) -> str:
    if value not in words:
        raise SpecError(place, f"unknown {place.rpartition('.')[2]}", value, _advice(value, words))
    return cast("str", value)


OPERANDS: dict[str, Callable[[object, str], Any]] = {
    **dict.fromkeys(OPERATORS, _text),
    **dict.fromkeys(("eq", "ne"), _anything),
    **dict.fromkeys(("in", "not_in"), _choices),
    **dict.fromkeys(("gt", "gte", "lt", "lte"), _number),
    **dict.fromkeys(("has_any", "has_all"), _array),
    "exists": _boolean,
}


def _advice(word: object, known: Collection[str]) -> str:
    near = get_close_matches(str(word).lower(), known, n=1, cutoff=0.6)
    near = [OTHER_WORDS[str(word)]] if OTHER_WORDS.get(str(word)) in known else near
    question = f"Did you mean '{near[0]}'? " if near else ""
    return f"{question}Known: {', '.join(known)}."


def _list_of(known: Collection[str] | None) -> str:
    return f" with {', '.join(known)}" if known else ""


def _inside(place: str, key: str) -> str:
    return f"{place}.{key}" if key.replace("_", "a").isalnum() else f"{place}[{json.dumps(key, ensure_ascii=False)}]"


def _short(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        text = type(value).__name__
    return text if len(text) <= 120 else f"{text[:117]}…"


def _refuse_depth(spec: object) -> None:
    level = [spec]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _items(value)]
    if level:
        raise SpecError("", f"is nested deeper than {DEEPEST} levels", advice="Compare a dotted path instead.")


def _items(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return cast("dict[object, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()
