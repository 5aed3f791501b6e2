"""Parses a spec of the assertion language into typed assertions; errors name the place of the mistake."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any, cast

from msgspec.structs import replace

from twindiff.checks import readers, references, vocabulary
from twindiff.checks.conditions import predicate, where
from twindiff.checks.diffs import CALLS, DiffType, Kind
from twindiff.checks.readers import MISSING, SpecError
from twindiff.checks.spec import Assertion, CheckSpec, CountRange, Exempt, ExpectedChange, Reference, Where
from twindiff.checks.vocabulary import EXTENDED, PUBLIC

MANY_PARTS = 2_000
"""Values in a spec from which on it counts as long."""

COUNT_ADVICE = "Write a whole number from 0 on."


def parse(spec: object) -> CheckSpec:
    """Parse a spec, as decoded from JSON. Raises `SpecError` at the first mistake."""
    if isinstance(spec, CheckSpec):
        return spec
    readers.refuse_depth(spec)
    extended = _is_extended(spec)
    given = readers.read_object(spec, "", vocabulary.SPEC, extended=extended)
    for name in ("scenario", "task"):
        readers.text(given.get(name, ""), name)
    readers.list_of(given.get("aggregates", []), "aggregates", _aggregate)
    assertions = _assertions(given, extended=extended)
    return CheckSpec(
        assertions=assertions,
        ignore_fields=_ignore_fields(given.get("ignore_fields", {})),
        strict=readers.boolean(given.get("strict", True), "strict"),
        closed_world=_closed_world(given.get("closed_world", False), assertions),
        is_extended=extended,
    )


def is_long(spec: object) -> bool:
    """Return whether parsing a spec would block an event loop for too long."""
    parts, level = 0, [spec]
    while level and parts <= MANY_PARTS:
        parts += len(level)
        level = [inner for value in islice(level, MANY_PARTS) for inner in islice(readers.items_of(value), MANY_PARTS)]
    return parts > MANY_PARTS


def _is_extended(spec: object) -> bool:
    version = readers.an_object(spec, "", vocabulary.SPEC).get("version", PUBLIC)
    if version not in (PUBLIC, EXTENDED):
        advice = f'Write "{PUBLIC}", or "{EXTENDED}" for the extended language.'
        raise SpecError("version", "unknown version", version, advice)
    return version == EXTENDED


def _assertions(given: dict[str, Any], *, extended: bool) -> tuple[Assertion, ...]:
    if "assertions" not in given:
        raise SpecError("", "assertions is missing", advice="Give a list of at least one assertion.")
    assertions = readers.array(given["assertions"], "assertions")
    if not assertions:
        raise SpecError("assertions", "is empty", advice="Give at least one assertion.")
    items = [
        readers.read_object(value, f"assertions[{position}]", vocabulary.ASSERTION, extended=extended)
        for position, value in enumerate(assertions)
    ]
    ids = _ids(items)
    parsed = tuple(_assertion(item, number, ids, extended=extended) for number, item in enumerate(items, 1))
    _refuse_after_nothing(parsed)
    by_id = {assertion.id: assertion for assertion in parsed}
    parsed = tuple(_referring(assertion, by_id) for assertion in parsed) if extended else parsed
    _refuse_rings(parsed)
    return parsed


def _ids(items: list[dict[str, Any]]) -> dict[str, int]:
    """Map the ids of assertions to their numbers."""
    ids: dict[str, int] = {}
    for number, item in enumerate(items, 1):
        if "id" in item:
            place = f"assertions[{number - 1}].id"
            name = readers.text(item["id"], place)
            if name in ids:
                raise SpecError(place, f"assertion {ids[name]} has it already", name, "Give each its own id.")
            ids[name] = number
    return ids


def _assertion(given: dict[str, Any], number: int, ids: dict[str, int], *, extended: bool) -> Assertion:
    place = f"assertions[{number - 1}]"
    readers.text(given.get("description", ""), f"{place}.description")
    if "response" in given:
        return _response(given, number, ids, place)
    readers.read_object(given, place, vocabulary.ASSERTION, ("diff_type", "entity"))
    diff_type = readers.one_of(vocabulary.DIFF_TYPES, given["diff_type"], f"{place}.diff_type", extended=extended)
    if diff_type == "unchanged":
        _refuse_keys(given, ("expected_count", "expected_changes", "id", "after", "by"), "unchanged rows", place)
    elif extended and diff_type != "changed":
        _refuse_keys(given, ("expected_changes",), f"{diff_type} rows", place)
    count = _count(0 if diff_type == "unchanged" else given.get("expected_count", MISSING), f"{place}.expected_count")
    _refuse_vacuous(given, count, place)
    return Assertion(
        number=number,
        diff_type=cast("Kind", diff_type),
        entity=readers.text(given["entity"], f"{place}.entity"),
        where=where(given.get("where", {}), f"{place}.where", extended=extended),
        count=count,
        changes=_changes(given.get("expected_changes", MISSING), diff_type, f"{place}.expected_changes", extended),
        ignore=frozenset(readers.list_of(given.get("ignore", []), f"{place}.ignore", readers.text)),
        after=_after(given.get("after", []), number, ids, f"{place}.after"),
        by=_by(given["by"], f"{place}.by") if "by" in given else (),
        id=given.get("id", ""),
        description=given.get("description", ""),
    )


def _response(given: dict[str, Any], number: int, ids: dict[str, int], place: str) -> Assertion:
    rows_only = ("diff_type", "entity", "where", "expected_changes", "ignore", "by")
    _refuse_keys(given, rows_only, "calls", place)
    count = _count(given.get("expected_count", MISSING), f"{place}.expected_count")
    _refuse_vacuous(given, count, place)
    return Assertion(
        number=number,
        diff_type="response",
        entity=CALLS,
        where=where(given["response"], f"{place}.response", extended=True, fields=vocabulary.CALL),
        count=count,
        after=_after(given.get("after", []), number, ids, f"{place}.after"),
        id=given.get("id", ""),
        description=given.get("description", ""),
    )


def _refuse_keys(given: dict[str, Any], keys: tuple[str, ...], subject: str, place: str) -> None:
    for key in keys:
        if key in given:
            raise SpecError(f"{place}.{key}", f"says nothing about {subject}", given[key], "Leave it out.")


def _refuse_vacuous(given: dict[str, Any], count: CountRange, place: str) -> None:
    """Reject a rule about rows where none are expected: it could never fail."""
    for key in ("by", "after"):
        if key in given and count.most == 0:
            raise SpecError(f"{place}.{key}", "can never fail where nothing is expected", given[key], "Leave it out.")


def _refuse_after_nothing(assertions: tuple[Assertion, ...]) -> None:
    """Reject `after` an assertion that expects nothing: it could never fail where the rest holds."""
    for assertion in assertions:
        for name, number in assertion.after.items():
            if assertions[number - 1].count.most == 0:
                problem = f"can never fail where assertion {number} expects nothing"
                raise SpecError(f"assertions[{assertion.number - 1}].after", problem, name, "Leave it out.")


def _refuse_rings(assertions: tuple[Assertion, ...]) -> None:
    """Reject cycles of `after` or of references: such assertions can never hold."""
    if ring := _ring({assertion.number: assertion.after.values() for assertion in assertions}):
        said = " after ".join(f"'{assertions[number - 1].id}'" for number in ring)
        place = f"assertions[{ring[0] - 1}].after"
        raise SpecError(place, f"goes in a ring, {said}, and can never hold", advice="Take one out.")
    numbers = {assertion.id: assertion.number for assertion in assertions}
    if ring := _ring({each.number: [numbers[name] for name in each.refers_to] for each in assertions}):
        names = [assertions[number - 1].id for number in ring]
        referrals = references.of_assertion(assertions[ring[0] - 1])
        place = next(place for place, reference in referrals if reference.id == names[1])
        said = " to ".join(f"'{name}'" for name in names)
        raise SpecError(place, f"refers in a ring, {said}, and can never hold", advice="Take one out.")


def _ring(earlier: Mapping[int, Iterable[int]]) -> list[int]:
    """Return a cycle of assertion numbers, beginning and ending with its lowest; empty if there is none."""
    try:
        TopologicalSorter(earlier).prepare()
    except CycleError as error:
        ring: list[int] = error.args[1][:0:-1]
        start = ring.index(min(ring))
        return [*ring[start:], *ring[: start + 1]]
    return []


def _referring(assertion: Assertion, others: Mapping[str, Assertion]) -> Assertion:
    """Record which assertions one refers to; raises `SpecError` for an invalid reference."""
    referrals = list(references.of_assertion(assertion))
    return (
        replace(assertion, refers_to=_check_references(referrals, others, assertion.number)) if referrals else assertion
    )


def _check_references(
    referrals: list[tuple[str, Reference]], others: Mapping[str, Assertion], number: int = 0
) -> frozenset[str]:
    for place, reference in referrals:
        other = others.get(reference.id)
        if other is None or other.number == number:
            advice = _ids_advice(reference.id, [name for name in others if name and others[name] is not other])
            raise SpecError(place, "refers to no other assertion's id", reference.written, advice)
        if other.count.most == 0:
            problem = f"can never hold where assertion {other.number} expects nothing"
            raise SpecError(place, problem, reference.written, "Leave it out.")
        if other.diff_type == "response" and reference.path not in vocabulary.CALL:
            problem = f"unknown field '{reference.path}'"
            raise SpecError(place, problem, reference.written, vocabulary.advice(reference.path, vocabulary.CALL))
    _refuse_mixed(referrals, others)
    return frozenset(reference.id for _, reference in referrals)


def _refuse_mixed(referrals: list[tuple[str, Reference]], others: Mapping[str, Assertion]) -> None:
    """Reject a second reference to what may be several rows: each could mean a different row."""
    seen: set[str] = set()
    for place, reference in referrals:
        if reference.id in seen and others[reference.id].count.most != 1:
            problem = f"refers to '{reference.id}' once more, which may be another row of it"
            advice = f"Let '{reference.id}' have \"expected_count\": 1, or refer to it once."
            raise SpecError(place, problem, advice=advice)
        seen.add(reference.id)


def _after(value: object, number: int, ids: dict[str, int], place: str) -> dict[str, int]:
    earlier: dict[str, int] = {}
    for name in readers.list_of(value, place, readers.text):
        if ids.get(name, number) == number:
            others = [name for name, other in ids.items() if other != number]
            raise SpecError(place, "is no other assertion's id", name, _ids_advice(name, others))
        earlier[name] = ids[name]
    return earlier


def _ids_advice(name: str, others: list[str]) -> str:
    return vocabulary.advice(name, others) if others else "No other assertion has an id; give it one."


def _by(value: object, place: str) -> Where:
    conditions = where(value, place, extended=True, fields=vocabulary.MAKER)
    if not conditions:
        raise SpecError(place, "is empty", value, "Name an operation, an actor or a twin.")
    return conditions


def _count(value: object, place: str) -> CountRange:
    if value is MISSING:
        return CountRange()
    if not isinstance(value, dict):
        number = readers.whole(value, place, 'Write a whole number from 0 on, or {"min": 1, "max": 3}.')
        return CountRange(number, number, number)
    given = readers.read_object(cast("object", value), place, vocabulary.RANGE)
    if not given:
        raise SpecError(place, "neither min nor max", given, "Give at least one of them.")
    written = {name: readers.whole(number, f"{place}.{name}", COUNT_ADVICE) for name, number in given.items()}
    return CountRange(written.get("min", 0), written.get("max"), written)


def _changes(value: object, diff_type: str, place: str, extended: bool) -> dict[str, ExpectedChange]:
    if value is MISSING:
        return {}
    given = readers.an_object(value, place)
    if not given and diff_type == "changed":
        raise SpecError(place, "is empty", given, "Name at least one column, or leave expected_changes out.")
    return {column: _change(item, column, readers.inside(place, column), extended) for column, item in given.items()}


def _change(value: object, column: str, place: str, extended: bool) -> ExpectedChange:
    if not isinstance(value, dict):
        raise SpecError(place, "is not an object", value, f'Write {{"to": {readers.short(value)}}}.')
    given = readers.read_object(cast("object", value), place, vocabulary.CHANGE)
    before, after = (
        predicate(given[side], f"{place}.{side}", extended=extended) if side in given else None
        for side in ("from", "to")
    )
    return ExpectedChange(column, before, after)


def _ignore_fields(value: object) -> dict[str, frozenset[str]]:
    given = readers.an_object(value, "ignore_fields")
    return {entity: readers.columns(names, readers.inside("ignore_fields", entity)) for entity, names in given.items()}


def _closed_world(value: object, assertions: tuple[Assertion, ...]) -> tuple[Exempt, ...] | None:
    if not isinstance(value, dict):
        return () if readers.boolean(value, "closed_world") else None
    given = readers.read_object(cast("object", value), "closed_world", vocabulary.CLOSED_WORLD_KEYS, ("except",))
    exempts = tuple(readers.list_of(given["except"], "closed_world.except", _exempt))
    others = {assertion.id: assertion for assertion in assertions}
    for position, exempt in enumerate(exempts):
        _check_references(list(references.of_exempt(exempt, position)), others)
    return exempts


def _exempt(value: object, place: str) -> Exempt:
    given = readers.read_object(value, place, vocabulary.EXCEPTION, ("entity",))
    diff_type = None
    if "diff_type" in given:
        diff_type = readers.one_of(vocabulary.HAPPENED, given["diff_type"], f"{place}.diff_type")
    return Exempt(
        entity=readers.text(given["entity"], f"{place}.entity"),
        diff_type=cast("DiffType | None", diff_type),
        where=where(given.get("where", {}), f"{place}.where", extended=True),
    )


def _aggregate(value: object, place: str) -> None:
    """Validate the form of an aggregate: the public language accepts aggregates and evaluates none."""
    given = readers.read_object(value, place, vocabulary.AGGREGATE, ("fn", "op", "value"))
    readers.one_of(vocabulary.AGGREGATE_FUNCTIONS, given["fn"], f"{place}.fn")
    readers.text(given.get("field", ""), f"{place}.field")
    readers.one_of(vocabulary.AGGREGATE_OPERATORS, given["op"], f"{place}.op")
