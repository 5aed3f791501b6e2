"""Create, update, archive, unarchive and delete rows of entities, with the hooks that a twin registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Column, Expression, Order, Row, Source, table_of

from . import filter_expressions as filters
from . import paging
from .entity import Entity, EntitySpec, Field
from .errors import EntityNotFound, IdTaken, InvalidInput
from .model import EntityModel, RelationLink
from .run import GraphqlRun, columns_of, exclude_archived
from .surface import SurfaceWord, input_field

Given = Mapping[str, Any]
_models: dict[EntitySpec, EntityModel] = {}
_ADDED, _REMOVED, _SET = "+", "-", ""


def belongs(model: EntityModel) -> None:
    """Register the entities of a model, so that the functions below can find it."""
    for spec in model.entities.values():
        _models[spec] = model


def _run(call: Call, spec: EntitySpec) -> GraphqlRun:
    return GraphqlRun(_models[spec], call, {})


def find(call: Call, entity: type[Entity], id: str) -> Any:
    """The row with this id, or with another name that a `lookup` hook resolves.

    Raises EntityNotFound if there is none that the actor may see.
    """
    return find_entity(_run(call, entity.spec), entity.spec, id)


def matching(call: Call, entity: type[Entity], given: Given) -> tuple[Expression, ...]:
    """Convert a filter of the API to conditions, for hand-written lists and filters."""
    run = _run(call, entity.spec)
    run.count_conditions(filters.conditions_in(given))
    return filters.where(run, entity.spec, given)


def filter_visible(call: Call, entity: type[Entity], given: Given) -> tuple[Expression, ...]:
    """Convert a filter of the API to conditions, with those for visible rows that are not archived."""
    run, spec = _run(call, entity.spec), entity.spec
    return (*exclude_archived(spec), *run.visible(spec), *filters.where(run, spec, given))


def collection(
    call: Call, entity: type[Entity], given: Given, *belongs: Expression, source: Source | None = None
) -> Expression:
    """Convert a collection filter (`some`, `every`, `length`) on the related rows of an entity to a condition.

    `belongs` are conditions that relate them to the outer row. With `source`, the filter applies to its rows instead of
    to the whole table.
    """
    return filters.collection(_run(call, entity.spec), entity.spec, given, *belongs, source=source)


def compare_column(call: Call, entity: type[Entity], column: Column[Any], comparator: Given) -> Expression:
    """Convert a comparator on a column of an entity, or on a path inside a Json column, to a condition."""
    return filters.compare_column(_run(call, entity.spec), entity.spec, column, comparator)


def order(call: Call, entity: type[Entity], sort: Given) -> tuple[Order, ...]:
    """Convert a sort of the API to a total order, with the id last."""
    return paging.terms_of(_run(call, entity.spec), entity.spec, {"sort": [sort]})


def create(call: Call, entity: type[Entity], given: Given) -> Any:
    """Insert a row from an input, run the hooks, and return the row."""
    return create_entity(_run(call, entity.spec), entity.spec, given)


def check_input(call: Call, entity: type[Entity], surface: str, given: Given) -> None:
    """Raise InvalidInput for an input that `create` or `update` (the `surface`) would refuse before its hooks."""
    _check_given(_run(call, entity.spec), entity.spec, surface, given)


def update(call: Call, entity: type[Entity], row: Any, given: Given) -> Any:
    """Change a row from an input, run the hooks, and return the changed row."""
    return update_entity(_run(call, entity.spec), entity.spec, row, given)


def archive(call: Call, entity: type[Entity], row: Any, arguments: Given | None = None) -> Any:
    """Archive a row, run the hook, and return the changed row."""
    return archive_entity(_run(call, entity.spec), entity.spec, row, arguments or {})


def unarchive(call: Call, entity: type[Entity], row: Any, arguments: Given | None = None) -> Any:
    """Unarchive a row, run the hook, and return the changed row."""
    return unarchived_row(_run(call, entity.spec), entity.spec, row, arguments or {})


def delete(call: Call, entity: type[Entity], row: Any, arguments: Given | None = None) -> Any:
    """Archive or remove a row, as the entity's `deletes` or its hook decides; returns the row's last version."""
    return delete_entity(_run(call, entity.spec), entity.spec, row, arguments or {})


# The same within a run


def find_entity(run: GraphqlRun, spec: EntitySpec, id: str) -> Any:
    """Like `find`, within a run."""
    columns = columns_of(spec)
    row = run.db.find(spec.row, columns["id"] == run.id_of(spec, id), *run.visible(spec))
    if row is None:
        raise EntityNotFound(spec.name, id)
    return row


def create_entity(run: GraphqlRun, spec: EntitySpec, given: Given) -> Any:
    """Like `create`, within a run."""
    call = run.call
    _check_given(run, spec, "create", given)
    values: dict[str, Any] = {"id": given.get("id") or call.ids.uuid()}
    for name in ("createdAt", "updatedAt"):
        if name in spec.fields:
            values[name] = given.get(name) or call.clock.iso()
    values |= _values(run, spec, "create", given)
    _hook(run, "creating", spec)(call, values, given)
    _number(run, spec, values)
    try:
        row: Any = run.db.add(_row(spec, values), taken=_Taken)
    except _Taken:
        raise IdTaken(spec.name, values["id"]) from None
    _relate(run, spec, "create", row.id, given)
    run.forget()
    return _emit_change(run, spec, None, _hook(run, "created", spec)(call, row, given) or row)


class _Taken(ApiError):
    """A new row has a key that is in use."""


def update_entity(run: GraphqlRun, spec: EntitySpec, row: Any, given: Given) -> Any:
    """Like `update`, within a run."""
    _check_given(run, spec, "update", given)
    changes = _values(run, spec, "update", given)
    _hook(run, "updating", spec)(run.call, row, changes, given)
    after = _write_changes(run, spec, row, changes, touched=_relates(run, spec, given))
    _relate(run, spec, "update", row.id, given)
    run.forget()
    return _emit_change(run, spec, row, _hook(run, "updated", spec)(run.call, row, after, given) or after)


def archive_entity(run: GraphqlRun, spec: EntitySpec, row: Any, arguments: Given) -> Any:
    """Like `archive`, within a run. The time of the last update stays, as measured on Linear."""
    changes: dict[str, Any] = {"archivedAt": run.call.clock.iso()} if row.archivedAt is None else {}
    _hook(run, "archiving", spec)(run.call, row, changes, arguments)
    return _emit_change(run, spec, row, _write_changes(run, spec, row, changes, dated=False))


def unarchived_row(run: GraphqlRun, spec: EntitySpec, row: Any, arguments: Given) -> Any:
    """Like `unarchive`, within a run."""
    changes: dict[str, Any] = {"archivedAt": None} if row.archivedAt is not None else {}
    _hook(run, "unarchiving", spec)(run.call, row, changes, arguments)
    return _emit_change(run, spec, row, _write_changes(run, spec, row, changes))


def delete_entity(run: GraphqlRun, spec: EntitySpec, row: Any, arguments: Given) -> Any:
    """Like `delete`, within a run."""
    soft = spec.word("deletes") != "hard" and "archivedAt" in spec.fields
    changes: dict[str, Any] = {"archivedAt": run.call.clock.iso()} if soft else {}
    _hook(run, "deleting", spec)(run.call, row, changes, arguments)
    after = _write_changes(run, spec, row, changes) if changes else row
    if not changes:
        run.db.remove(row)
    if run.model.tells:
        run.model.tells(run.call, spec, after, None)
    return after


def _emit_change(run: GraphqlRun, spec: EntitySpec, before: Any, after: Any) -> Any:
    """Emit events if the row is new or has changed, and return it."""
    if run.model.tells and (before is None or before != after):
        run.model.tells(run.call, spec, before, after)
    return after


# Inputs


def _hook(run: GraphqlRun, what: str, spec: EntitySpec) -> Callable[..., Any]:
    return run.model.hooks.get((what, spec.name), _nothing)


def _check_given(run: GraphqlRun, spec: EntitySpec, surface: str, given: Given) -> None:
    """Raise InvalidInput for an input that breaks a rule of the twin, or has a field that `Section.refuse` names."""
    if run.model.checks_input:
        run.model.checks_input(run, spec, surface, given)
    for name, value in given.items():
        why = run.model.refused.get((spec.name, name))
        if why and value is not None:
            raise InvalidInput(f"{name}: {why}")


def _nothing(*_: Any) -> None:
    return None


def _words(run: GraphqlRun, spec: EntitySpec, surface: str) -> tuple[SurfaceWord, ...]:
    return getattr(run.model.surfaces[spec.name], surface)


def _values(run: GraphqlRun, spec: EntitySpec, surface: str, given: Given) -> dict[str, Any]:
    """The values by column in an input."""
    values: dict[str, Any] = {}
    for word in _words(run, spec, surface):
        name, _ = input_field(spec, word)
        field = spec.fields.get(word.name)
        if name not in given or field is None or word.name == "id":
            continue
        _check_kind(run, field, given[name])
        if not field.column:
            continue
        column = columns_of(spec)[field.column]
        value = given[name]
        if field.kind == "one" and value is not None:
            value = _resolve_reference(run, run.model.target(field), value, name).id
        if value is None and not column.nullable:
            value = column.default
            if value is msgspec.NODEFAULT:
                if surface == "create":
                    continue
                raise InvalidInput(f"{name} must not be null")
        values[field.column] = float(value) if column.kind == "float" and type(value) is int else value
    return values


def _check_kind(run: GraphqlRun, field: Field, value: Any) -> None:
    """Raise EntityNotFound for a reference to an entity without a table, which has no rows."""
    target = run.model.entities.get(field.target)
    if target is not None and target.row is None and value is not None:
        raise EntityNotFound(target.name, value)


def _resolve_reference(run: GraphqlRun, target: EntitySpec, id: str, name: str) -> Any:
    """The row of an entity that the field `name` of an input refers to.

    Raises EntityNotFound if it does not exist or is not visible, or if the twin's `checks_reference` refuses it.
    """
    try:
        row = find_entity(run, target, id)
        if run.model.checks_reference:
            run.model.checks_reference(run, target, row)
    except EntityNotFound as error:
        raise EntityNotFound(error.details["kind"], id, name) from None
    return row


def _row(spec: EntitySpec, values: dict[str, Any]) -> Row:
    """The new row; a missing required value is its type's zero, or an error for times and references."""
    missing = [
        name for name, column in columns_of(spec).items() if name not in values and column.default is msgspec.NODEFAULT
    ]
    zeros: dict[str, Any] = {"json": {}, "text": "", "boolean": False, "float": 0.0, "integer": 0}
    for name in missing:
        column = columns_of(spec)[name]
        if column.kind not in zeros or name.endswith("Id"):
            raise InvalidInput(f"{name} is required", field=name)
        values[name] = zeros[column.kind]
    return spec.row(**values)


def _number(run: GraphqlRun, spec: EntitySpec, values: dict[str, Any]) -> None:
    """Set serial columns to the largest number plus one; writes are serial, so there is no race."""
    columns = columns_of(spec)
    for field in spec.fields.values():
        per = field.facts.serial
        if not per or field.column in values:
            continue
        column: Column[Any] = columns[field.column]
        same = () if per == "*" else (_same(spec, columns, per, values),)
        last = run.db.rows(spec.row, *same, order=-column, limit=1, columns=(column,))
        values[field.column] = (last[0][0] or 0) + 1 if last else type(0.0 if column.kind == "float" else 0)(1)


def _same(spec: EntitySpec, columns: dict[str, Column[Any]], per: str, values: dict[str, Any]) -> Any:
    name = spec.fields[per].column
    return columns[name] == values[name]


def _write_changes(
    run: GraphqlRun, spec: EntitySpec, row: Any, changes: dict[str, Any], *, touched: bool = False, dated: bool = True
) -> Any:
    """Write the values that differ and, if `dated`, the time in `updatedAt`."""
    differing = {name: value for name, value in changes.items() if getattr(row, name) != value}
    if not differing and not touched:
        return row
    if dated and "updatedAt" in spec.fields:
        differing.setdefault("updatedAt", run.call.clock.iso())
    return run.db.change(row, **differing)


# To-many relations


def _relates(run: GraphqlRun, spec: EntitySpec, given: Given) -> bool:
    return any(name in given for name, _, _ in _lists(run, spec, "update"))


def _lists(run: GraphqlRun, spec: EntitySpec, surface: str) -> list[tuple[str, str, RelationLink]]:
    """Input fields with lists of related ids: each field's name, its sign, and how the relation is stored."""
    lists: list[tuple[str, str, RelationLink]] = []
    for word in _words(run, spec, surface):
        link = run.model.links.get((spec.name, word.name))
        if link and link.mine is not None:
            lists.append((input_field(spec, word)[0], word.sign, link))
    return lists


def _relate(run: GraphqlRun, spec: EntitySpec, surface: str, id: str, given: Given) -> None:
    for name, sign, link in _lists(run, spec, surface):
        if given.get(name) is not None:
            relate(run, link, id, given[name], sign, name)


def relate(run: GraphqlRun, link: RelationLink, id: str, others: list[str], sign: str = _SET, name: str = "") -> None:
    """Set (`sign` is empty), extend (`+`) or reduce (`-`) the entities that an association table joins to a row.

    `name` is the field of the input that lists them.
    """
    mine, theirs = cast(Column[Any], link.mine), cast(Column[Any], link.theirs)
    table = mine.table
    present = {getattr(row, theirs.name): row for row in run.db.rows(table, mine == id, *filters.between(run, link))}
    wanted = [
        each if each in present else _resolve_reference(run, link.target, each, name).id
        for each in dict.fromkeys(others)
    ]
    for other, row in present.items():
        if (sign == _REMOVED and other in wanted) or (sign == _SET and other not in wanted):
            _part(run, link, row)
    for other in wanted:
        if sign != _REMOVED and other not in present:
            _join(run, link, {mine.name: id, theirs.name: other})


def _join(run: GraphqlRun, link: RelationLink, values: dict[str, Any]) -> None:
    table = cast(Column[Any], link.mine).table
    spec = run.model.entity_of_row(table)
    if spec is None:
        run.db.add(table(**values))
        return
    stamp = run.call.clock.iso()
    values |= {name: stamp for name in ("createdAt", "updatedAt") if name in table_of(table).columns}
    values["id"] = run.call.ids.uuid()
    _hook(run, "creating", spec)(run.call, values, {})
    run.db.add(_row(spec, values))


def _part(run: GraphqlRun, link: RelationLink, row: Any) -> None:
    spec = run.model.entity_of_row(cast(Column[Any], link.mine).table)
    if spec is None:
        run.db.remove(row)
    else:
        delete_entity(run, spec, row, {})
