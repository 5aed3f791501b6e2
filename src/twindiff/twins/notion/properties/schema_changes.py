"""Changing the properties of a data source. https://developers.notion.com/reference/update-data-source-properties"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..tables.data_source_tables import DataSource, Property
from ..wire_style import ValidationError
from .property_types import SELECTS
from .schemas import TITLE, add_property, find_properties, find_property, forget_properties, make_config, type_of
from .type_changes import convert_values, drop_values

Config = dict[str, Any]


def change_properties(call: Call, data_source: DataSource, given: dict[str, Config | None]) -> None:
    """Add, change, rename and remove properties as a request says, by name or id."""
    for key, change in given.items():
        row = find_property(call, data_source.id, key)
        if row is None:
            if change is None or type_of(change) is None:
                raise ValidationError(f"{key} is not a property that exists.")
            add_property(call, data_source, change.get("name") or key, change)
        elif change is None:
            remove_property(call, row)
        else:
            _change_property(call, row, change)
        forget_properties(call)


def _change_property(call: Call, row: Property, change: Config) -> None:
    name = change.get("name") or row.name
    if name != row.name and any(each.name == name for each in find_properties(call, row.data_source_id)):
        raise ValidationError(f"Cannot create new property: a property with the name {name} exists already.")
    kind = type_of(change) or row.type
    if kind != row.type and TITLE in (kind, row.type):
        raise ValidationError("Cannot change the type of a title property, or make another property one.")
    columns: Config = {"name": name}
    if "description" in change:
        columns["description"] = change["description"]
    before = row
    if kind != before.type:
        kept: Config = row.config if kind in SELECTS and before.type in SELECTS else {}
        row = call.db.change(row, type=kind, config=kept)
        forget_properties(call)
    if kind in change:
        columns["config"] = make_config(call, row, change[kind] or {})
    different = {key: value for key, value in columns.items() if getattr(row, key) != value}
    row = call.db.change(row, **different) if different else row
    if row.config.get("synced_property_id") != before.config.get("synced_property_id"):
        _release_other_side(call, before)
    if kind != before.type:
        convert_values(call, row, before.type)


def remove_property(call: Call, row: Property) -> None:
    """Remove a property, and the other side of a relation that is synced with it."""
    if row.type == TITLE:
        raise ValidationError("Cannot delete the title property.")
    _release_other_side(call, row)
    drop_values(call, row)
    call.db.remove(row)


def _release_other_side(call: Call, row: Property) -> None:
    """Make the other side of a synced relation one of its own."""
    other_id = row.config.get("synced_property_id") if row.type == "relation" else None
    other = find_property(call, row.config["data_source_id"], other_id) if other_id else None
    if other:
        call.db.change(other, config={"data_source_id": other.config["data_source_id"]})
