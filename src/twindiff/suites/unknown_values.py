"""Finds values of a test that its twins and templates lack: rows, users, operations. A check of them never holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.catalog import TemplateRecord
from twindiff.checks import CheckSpec, readers
from twindiff.checks.spec import Assertion, Condition, Predicate, Reference, Where
from twindiff.environments.actors import Actors
from twindiff.environments.registry import Registry
from twindiff.kit.rows import Table, table_of
from twindiff.kit.suggestions import did_you_mean
from twindiff.storage import StorageEngine
from twindiff.suites.lint_context import build_context, neighbour_of

HTTP_STATUSES = range(100, 600)
MAX_REMEMBERED = 256
"""Tables of templates whose keys are remembered."""
MAX_UNKNOWN = 100
"""Unknown values of a test that are reported."""
KINDS = frozenset({"query", "mutation", "subscription"})
"""With these words begin the operations of GraphQL twins, which name all fields of one document."""


class KnownValues(NamedTuple):
    """What the checks of a test may name; `keys_of` returns the keys of the template's rows, by entity.

    Empty collections of `operations` and `users` mean that any are possible.
    """

    tables: Mapping[str, Table]
    keys_of: Callable[[str], Collection[Any]]
    twins: Collection[str] = ()
    operations: Collection[str] = ()
    users: Collection[str] = ()


def find_unknown_rows(spec: CheckSpec, known: KnownValues) -> Iterator[str]:
    """Yield what conditions require of the template's rows that these do not have, with places.

    A row that an assertion expects to be added may have any key.
    """
    for assertion in spec.assertions:
        if assertion.diff_type != "response":
            place = f"assertions[{assertion.number - 1}]"
            yield from _of_where(assertion.where, assertion.entity, f"{place}.where", spec, known, assertion)
            for name, change in assertion.changes.items():
                if change.after:
                    where: Where = (Condition(name, change.after),)
                    place_of = f"{place}.expected_changes"
                    yield from _of_where(where, assertion.entity, place_of, spec, known, assertion)
    for at, exempt in enumerate(spec.closed_world or ()):
        yield from _of_where(exempt.where, exempt.entity, f"closed_world.except[{at}].where", spec, known, None)


def find_unknown_calls(spec: CheckSpec, known: KnownValues) -> Iterator[str]:
    """Yield the operations, twins and actors that a spec requires and that do not exist, with places."""
    names = {"twin": known.twins, "actor": known.users, "operation": known.operations}
    for assertion in spec.assertions:
        place = f"assertions[{assertion.number - 1}]"
        called = assertion.where if assertion.diff_type == "response" else ()
        for where, inside in ((assertion.by, "by"), (called, "response")):
            for path, value in _list_required(where):
                if path == "status" and value not in HTTP_STATUSES:
                    yield f"{place}.{inside}.status: {value} is no HTTP status"
                if (among := names.get(path)) and not _is_among(value, among, path):
                    near = did_you_mean(str(value), among)
                    yield f"{place}.{inside}.{path}: there is no {path} '{value}'.{near}"


def _is_among(value: Any, known: Collection[str], path: str) -> bool:
    kind, _, fields = str(value).partition(" ")
    if path != "operation" or kind not in KINDS:
        return value in known or value == "graphql"
    return all(f"{kind} {field}" in known for field in fields.split(", "))


def _of_where(
    where: Where, entity: str, place: str, spec: CheckSpec, known: KnownValues, assertion: Assertion | None
) -> Iterator[str]:
    table = known.tables.get(entity)
    if table is None:
        return
    for path, value in _list_required(where):
        other = _table_named(path, entity, table, known, is_new=assertion is None or assertion.diff_type == "added")
        if other and value is not None and not _is_expected(spec, other) and not _is_key(value, known.keys_of(other)):
            yield f"{readers.inside(place, path)}: the template has no row '{value}' of {other}"


def _is_key(value: Any, keys: Collection[Any]) -> bool:
    return isinstance(value, str | int) and value in keys


def _table_named(path: str, entity: str, table: Table, known: KnownValues, *, is_new: bool) -> str:
    """Return the entity whose key a column holds: that of another row, or of a row that must exist before; else ""."""
    column = table.columns.get(path)
    if column is not None and column.references is not None:
        other = neighbour_of(entity, table_of(column.references).name)
        return other if other in known.tables and len(known.tables[other].key) == 1 else ""
    return entity if table.key == (path,) and not is_new else ""


def _is_expected(spec: CheckSpec, entity: str) -> bool:
    """Return whether rows of a table are expected to be added, whose keys cannot be known."""
    names = (entity, entity.rpartition(".")[2])
    return any(each.diff_type == "added" and each.entity in names and each.count.most != 0 for each in spec.assertions)


def _list_required(where: Where) -> Iterator[tuple[str, Any]]:
    """Yield the columns of a where with the values that they must have; of several possible ones, the last."""
    for clause in where:
        if isinstance(clause, Condition):
            yield from ((clause.path, value) for value in _values(clause.predicate))
        elif clause.connective == "and":
            for part in clause.parts:
                yield from _list_required(part)


def _values(predicate: Predicate) -> Sequence[Any]:
    if predicate.operator == "and":
        return [value for part in predicate.value for value in _values(part)]
    if isinstance(predicate.value, Reference) or predicate.operator not in {"eq", "in"}:
        return ()
    return [predicate.value] if predicate.operator == "eq" else predicate.value


class TemplateValues:
    """Knows the values of templates; reads each table of a template once."""

    def __init__(self, engine: StorageEngine, registry: Registry, actors: Actors) -> None:
        self._engine = engine
        self._registry = registry
        self._actors = actors
        self._keys: dict[tuple[str, str, str], frozenset[Any]] = {}
        self._known: dict[tuple[str, ...], KnownValues] = {}

    def known_to(self, templates: Sequence[TemplateRecord]) -> KnownValues:
        """Return what the checks of a test with these templates may name."""
        place = tuple(each.template_id for each in templates)
        if place not in self._known:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            self._known[place] = self._read(templates)
        return self._known[place]

    def _read(self, templates: Sequence[TemplateRecord]) -> KnownValues:
        twins = [self._registry.get(each.service) for each in templates]
        context = build_context([self._registry.schemas[twin.name] for twin in twins], {})
        owners = {name: each for each in templates for name in self._registry.schemas[each.service].tables}
        by_twin = {each.service: each for each in templates}

        def keys_of(entity: str) -> frozenset[Any]:
            twin, _, name = entity.rpartition(".")
            return self._keys_of(by_twin[twin] if twin else owners[name], name)

        operations = [operation.name for twin in twins for operation in twin.dispatch.operations]
        users = [id for each in templates for id in self._actors.people(each).ids]
        return KnownValues(context.tables, keys_of, [*by_twin], operations, users)

    def _keys_of(self, template: TemplateRecord, name: str) -> frozenset[Any]:
        place = (template.service, template.hash, name)
        if place not in self._keys:
            if len(self._keys) >= MAX_REMEMBERED:
                self._keys.clear()
            table = self._registry.schemas[template.service].tables[name]
            key = getattr(table.row, table.key[0])
            rows = self._engine.template(template.service, template.hash).rows(table.row, columns=(key,))
            self._keys[place] = frozenset(value for (value,) in rows)
        return self._keys[place]
