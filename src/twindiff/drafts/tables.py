"""Makes the tables in which the resources of a description are stored."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, ColumnOptions, Json, Row

from .documents import Schema, python_name
from .names import plural, snake, split_words
from .resources import KEY_NAMES, Resource, ResourceMap
from .schemas import SchemaSet

_KINDS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
ORDER_COLUMN = "creation_number"
"""The column by which lists are in the order of creation."""
CHANGE_TIMES = frozenset(
    (
        "updated", "updated_at", "updated_time", "updated_date", "last_updated", "date_updated", "modified",
        "modified_at", "modified_time", "modified_date", "date_modified", "last_modified", "last_modified_at",
        "last_edited_at", "last_edited_time",
    )
)  # fmt: skip
"""Names of fields that hold when an object was last changed."""
MAX_COLUMNS = 600
"""Fields of a resource with a column of their own; the others are kept together."""


class StoredResource(NamedTuple):
    """A resource with its table."""

    resource: Resource
    table: str
    row: type[Row]
    columns: dict[str, str]
    """The column of each field of the resource, by the field's name."""
    parents: dict[str, str]
    """The column of each placeholder that no field holds, by the placeholder's name."""
    schemas: dict[str, Schema]
    """The schema of each field, as answers show it or else as bodies give it."""
    order: str
    """The column with the number of its creation."""
    computed: dict[str, Column[Any]]
    """The fields that SQL computes."""
    related: Mapping[str, str] = MappingProxyType({})
    """The field that holds what a placeholder above it names, where only its schema says so."""

    def field_above(self, placeholder: str) -> str | None:
        """Return the field that holds what a placeholder above it names; None if there is none."""
        named = fields_above(placeholder, self.columns)
        return named[0] if named else self.related.get(placeholder)

    @property
    def key(self) -> Column[Any]:
        """The column that identifies a row."""
        return getattr(self.row, self.columns[self.resource.key])

    def column(self, name: str) -> Column[Any]:
        """The column of a field, which may be a computed one, or of a placeholder above."""
        return self.computed.get(name) or getattr(self.row, self.columns.get(name) or self.parents[name])


TableIndex = Mapping[str, StoredResource]
"""Stored resources by the name of their table."""


class IdempotentAnswer(Row, table="idempotent_answers", key=("idempotency_key",), visibility="bookkeeping"):
    """The answer to a request that carried a key, so that the same request is done once."""

    idempotency_key: Column[str]
    request: Column[str]
    answer: Column[Json]


def store_resources(resource_map: ResourceMap, written: Collection[str] = ()) -> dict[str, StoredResource]:
    """Return each resource with its table, by name; parents of paths that no field holds get a column.

    `written` are names of tables that are taken already.
    """
    schemas = resource_map.schemas
    parents: dict[str, set[str]] = {}
    shown = {name: resource_map.fields(resource) for name, resource in resource_map.resources.items()}
    related: dict[str, dict[str, str]] = {}
    for role in resource_map.roles.values():
        for placeholder in role.parents:
            fields = shown.get(role.resource, {})
            if fields_above(placeholder, fields):
                continue
            if field := _find_related(placeholder, fields, resource_map):
                related.setdefault(role.resource, {})[placeholder] = field
            else:
                parents.setdefault(role.resource, set()).add(placeholder)
    taken = {*written, *resource_map.renamed}
    return {
        name: _store(resource, shown[name], sorted(parents.get(name, ())), schemas, taken)._replace(
            related=related.get(name, {})
        )
        for name, resource in resource_map.resources.items()
    }


def _find_related(placeholder: str, fields: Mapping[str, Schema], resource_map: ResourceMap) -> str | None:
    """Return the only field whose schema is that of what a placeholder names, as `assignee` of `agent_id`."""
    named = {role.resource for role in resource_map.members.values() if role.key == placeholder}
    fitting = [name for name, schema in fields.items() if resource_map.schemas.family(schema) in named]
    return fitting[0] if len(named) == 1 and len(fitting) == 1 else None


def fields_above(placeholder: str, fields: dict[str, Schema] | dict[str, str]) -> list[str]:
    """Return the fields of a resource that hold what a placeholder above it names: `project_gid` is in `projects`."""
    by_snake = {snake(name): name for name in fields}
    words = split_words(placeholder)
    stems = ["_".join(words)]
    if len(words) > 1 and (words[-1] in KEY_NAMES or words[-1] == "number"):
        stem = "_".join(words[:-1])
        stems += [stem, plural(stem)]
    else:
        stems += [f"{stems[0]}_{key}" for key in KEY_NAMES[:4]]
    return [by_snake[each] for each in stems if each in by_snake and by_snake[each] not in KEY_NAMES]


def _store(
    resource: Resource, shown: dict[str, Schema], parents: list[str], schemas: SchemaSet, taken: set[str]
) -> StoredResource:
    given = {name: each for schema in resource.written for name, each in schemas.list_fields(schema).items()}
    shown_names = {snake(name) for name in shown}
    only_given = {name: each for name, each in given.items() if snake(name) not in shown_names}
    given_by_snake = {snake(name): each for name, each in given.items()}
    fields = dict(list({**only_given, **shown}.items())[:MAX_COLUMNS])
    kinds: dict[str, Any] = {}
    used: set[str] = set()
    key = _column_name(resource.key, used)
    names, own = {resource.key: key}, resource.key not in fields
    kinds[key] = str if own or schemas.type_of(fields[resource.key]) != "integer" else int
    for name, schema in fields.items():
        if name != resource.key:
            names[name] = _column_name(name, used)
            kinds[names[name]] = _kind_of(schema, given_by_snake.get(snake(name)), schemas) | None
    above = {placeholder: _column_name(placeholder, used) for placeholder in parents}
    kinds.update(dict.fromkeys(above.values(), str | None))
    order = _column_name(ORDER_COLUMN, used)
    kinds[order] = int
    table = resource.table if resource.is_renamed else _unique(resource.table, taken)
    changing = [each for each in fields if each != resource.key and _is_time_of_change(each, fields, schemas)]
    namespace: dict[str, Any] = {
        "__annotations__": kinds,
        "__module__": __name__,
        **{name: ColumnOptions(default=None) for name in kinds if name != key},
        **{names[each]: ColumnOptions(default=None, derived=True) for each in changing},
        order: ColumnOptions(default=0, derived=True),
    }
    class_name = "".join(word.capitalize() for word in split_words(resource.name)) or "Thing"
    json_kind: Any = Json
    looked_up = [
        names[each] for each in sorted(resource.aliases) if each in names and kinds[names[each]] != json_kind | None
    ]
    indexes = tuple((column,) for column in dict.fromkeys([order, *above.values(), *looked_up]) if column != key)
    make: Any = type(Row)
    row = make(class_name, (Row,), namespace, table=table, key=(key,), indexes=indexes)
    return StoredResource(resource, table, row, names, above, fields, order, {})


def _is_time_of_change(name: str, fields: Mapping[str, Schema], schemas: SchemaSet) -> bool:
    """Return whether a field holds when an object was last changed, which diffs leave to what else has changed."""
    return snake(name) in CHANGE_TIMES and schemas.type_of(fields[name]) in ("string", "integer")


def _kind_of(shown: Schema, given: Schema | None, schemas: SchemaSet) -> Any:
    kinds = {schemas.type_of(each) for each in (shown, given) if each is not None}
    return _KINDS.get(kinds.pop(), Json) if len(kinds) == 1 else Json


def _column_name(field: str, used: set[str]) -> str:
    """Return the column of a field, and add it to those that are `used`, which are in lower case."""
    name = python_name(field)
    name = f"{name}_" if keyword.iskeyword(name) or name.startswith("_") else name
    while name.lower() in used:
        name += "_"
    used.add(name.lower())
    return name


def _unique(name: str, taken: set[str]) -> str:
    name = python_name(name)[:60].lower()
    number, candidate = 2, name
    while candidate in taken or candidate == "idempotent_answers":
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate)
    return candidate
