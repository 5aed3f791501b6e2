"""Checks that an overlay names only what a description has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from twindiff.kit.suggestions import did_you_mean

from .documents import DescriptionError
from .overlay import Overlay, ResourceOverlay, SeedPart
from .resources import OWN_KEY
from .signatures import KEY_PAIRS
from .tables import StoredResource, TableIndex

Subjects = Mapping[str, StoredResource | None]
"""What each operation is about, by the operation's name; None if that is not known."""


def keep_known(overlay: Overlay, subjects: Subjects, tables: TableIndex, collections: Collection[str] = ()) -> Overlay:
    """Return an overlay without the entries that name what a description lacks, such as one of fewer products.

    `collections` are the tables of handlers, whose changes may have events.
    """

    def is_known(part: Overlay) -> bool:
        try:
            check_overlay(part, subjects, tables)
        except DescriptionError:
            return False
        return True

    kept: dict[str, Any] = {}
    for part in ("tables", "resources", "operations", "actions", "seeds", "seed_parts"):
        entries = cast(dict[str, Any], getattr(overlay, part))
        kept[part] = {
            name: each
            for name, each in entries.items()
            if is_known(msgspec.structs.replace(Overlay(), **{part: {name: each}}))
        }
    hooks = overlay.webhooks
    if hooks:
        hooks = msgspec.structs.replace(
            hooks,
            events={table: each for table, each in hooks.events.items() if table in tables or table in collections},
            subscriptions=hooks.subscriptions
            if is_known(Overlay(webhooks=msgspec.structs.replace(hooks, events={})))
            else None,
        )
    return msgspec.structs.replace(overlay, **kept, webhooks=hooks)


def check_overlay(overlay: Overlay, subjects: Subjects, tables: TableIndex, collections: Collection[str] = ()) -> None:
    """Raise DescriptionError for a table, a field, an operation or a variable that does not exist.

    `collections` are the tables of handlers, whose changes may have events.
    """
    operations = subjects.keys()
    for name in (*overlay.operations, *overlay.actions):
        _refuse_unknown("operation", name, operations)
    for usual, name in overlay.tables.items():
        if name not in tables:
            _refuse_unknown("table", usual, tables)
    _check_actions(overlay, subjects)
    for table in overlay.webhooks.events if overlay.webhooks else ():
        _refuse_unknown("table", table, [*tables, *collections])
    for table in _tables_in(overlay):
        _refuse_unknown("table", table, tables)
    for table, about in overlay.resources.items():
        _check_resource(about, tables[table], f"resources.{table}")
    _check_operations(overlay, tables)
    _check_rows(overlay, tables)
    if overlay.variables:
        _check_variables(overlay)
    hooks = overlay.webhooks.subscriptions if overlay.webhooks else None
    if hooks:
        for name in filter(None, (hooks.url, hooks.active)):
            _refuse_field(name, tables[hooks.table], "webhooks.subscriptions")


def _refuse_unknown(kind: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise DescriptionError(f"The overlay names the {kind} '{name}', which there is not.{did_you_mean(name, known)}")


def _refuse_field(name: str, stored: StoredResource, place: str) -> None:
    field = name.partition(".")[0]
    known = {*stored.columns, *stored.parents}
    if field not in known:
        near = did_you_mean(field, known)
        raise DescriptionError(
            f"The overlay's {place} names the field '{field}' of {stored.table}, which there is not.{near}"
        )


def _tables_in(overlay: Overlay) -> Iterator[str]:
    yield from (*overlay.resources, *overlay.seeds)
    yield from (table for rows in overlay.templates.values() for table in rows)
    yield from (each.table for each in overlay.operations.values() if each.table)
    yield from (part.table for part in _parts_of(overlay.seed_parts.values()))
    if overlay.webhooks:
        yield from [overlay.webhooks.subscriptions.table] if overlay.webhooks.subscriptions else []


def _parts_of(parts: Iterable[SeedPart]) -> Iterator[SeedPart]:
    for part in parts:
        yield part
        yield from _parts_of(part.parts.values())


def _check_actions(overlay: Overlay, subjects: Subjects) -> None:
    for name, action in overlay.actions.items():
        about = subjects[name]
        if about is not None:
            for field in (*filter(None, [action.field]), *action.set, *action.add, *action.remove):
                _refuse_field(field, about, f"actions.{name}")


def _check_resource(about: ResourceOverlay, stored: StoredResource, place: str) -> None:
    states = [about.states.field] if about.states else []
    for name in (
        *about.defaults,
        *about.unique,
        *about.aliases,
        *states,
        *filter(None, (about.soft_delete, "" if about.key == OWN_KEY else about.key)),
    ):
        _refuse_field(name, stored, place)
    if about.soft_delete and stored.column(about.soft_delete).kind != "boolean":
        raise DescriptionError(f"The overlay's {place}.soft_delete is '{about.soft_delete}', which is no flag.")
    if about.id and not about.id.alphabet:
        raise DescriptionError(f"The overlay's {place}.id has an empty alphabet.")
    if about.states:
        known = {*about.states.moves, *(str(each) for to in about.states.moves.values() for each in to)}
        if about.states.initial is not None and about.states.moves and str(about.states.initial) not in known:
            near = did_you_mean(str(about.states.initial), known)
            raise DescriptionError(
                f"The overlay's {place}.states begins with '{about.states.initial}', which no move has.{near}"
            )


def _check_operations(overlay: Overlay, tables: TableIndex) -> None:
    for name, each in overlay.operations.items():
        if each.table:
            for field in (*each.by, *each.where, *each.set):
                _refuse_field(field, tables[each.table], f"operations.{name}")
        if each.does in ("read", "update", "replace", "delete") and each.table and not each.by and "{" not in name:
            raise DescriptionError(f"The overlay's operations.{name} does not say by which fields to find the object.")


def _check_rows(overlay: Overlay, tables: TableIndex) -> None:
    for place, of_tables in {"seeds": overlay.seeds, **overlay.templates}.items():
        for table, rows in of_tables.items():
            for row in rows:
                for field in row:
                    _refuse_field(field, tables[table], f"{place}.{table}")
    for part in _parts_of(overlay.seed_parts.values()):
        for field in (*part.fields, *part.find):
            _refuse_field(field, tables[part.table], "seed_parts")
        for wanted in part.find.values():
            _check_references(wanted, tables)


def _check_references(wanted: Mapping[str, Any], tables: TableIndex) -> None:
    for name in wanted:
        table, _, field = name.partition(".")
        _refuse_unknown("table", table, tables)
        _refuse_field(field, tables[table], "seed_parts")


def _check_variables(overlay: Overlay) -> None:
    variables = overlay.variables
    assert variables is not None
    for name, form in {**variables.tokens, **variables.secrets}.items():
        if {"{", "}"} & {*form.replace("{secret}", "")}:
            raise DescriptionError(
                f"The overlay's variable {name} may have '{{secret}}' in its value and no other braces."
            )
    signature = overlay.webhooks.signature if overlay.webhooks else None
    if variables.public_key and (signature is None or signature.scheme not in KEY_PAIRS):
        raise DescriptionError(
            f"The overlay's variables.public_key needs webhooks with a signature by {' or '.join(KEY_PAIRS)}."
        )
    if variables.signing and variables.signing not in variables.secrets:
        near = did_you_mean(variables.signing, variables.secrets)
        raise DescriptionError(
            f"The overlay's variables.signing names '{variables.signing}', which is no secret.{near}"
        )
