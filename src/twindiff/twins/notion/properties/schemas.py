"""The properties of a data source: finding, making and changing them, and their objects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

from twindiff.kit import Call

from ..core.api_version import has_data_sources
from ..core.fractional_index import index_between
from ..core.object_lookup import check_single_source, find_data_source, find_visible, list_data_sources, parse_id
from ..core.user_objects import find_workspace
from ..formulas.evaluation import check_formula
from ..formulas.references import reference_to, write_formula
from ..formulas.syntax import FormulaError, parse_formula
from ..tables.data_source_tables import DataSource, Property
from ..wire_style import ValidationError
from .property_types import CONFIGS, OPTION_COLORS, SELECTS

Config = dict[str, Any]
MAX_PROPERTIES = 500
MAX_ENCODED_IDS = 4096
"""Ids of properties whose encoding is kept: each value in an answer has one."""
TITLE = "title"
DEFAULT_STATUS = (("Not started", "default"), ("In progress", "blue"), ("Done", "green"))
GROUPS = (("To-do", "gray"), ("In progress", "blue"), ("Complete", "green"))


def find_properties(call: Call, data_source_id: str) -> list[Property]:
    """Return the properties of a data source in order; they are read once in a request."""
    known: dict[str, list[Property]] = call.memo.setdefault("properties", {})
    if data_source_id not in known:
        mine = Property.data_source_id == data_source_id
        known[data_source_id] = call.db.rows(Property, mine, order=(Property.position, Property.id))
    return known[data_source_id]


def forget_properties(call: Call) -> None:
    """Forget what was read of schemas, after one was changed."""
    call.memo.pop("properties", None)


def find_property(call: Call, data_source_id: str, key: str) -> Property | None:
    """Return the property with a name or an id."""
    properties = find_properties(call, data_source_id)
    named = next((each for each in properties if each.name == key), None)
    return named or next((each for each in properties if each.id in (key, unquote(key))), None)


def find_relation(call: Call, rollup: Property) -> Property | None:
    """Return the relation of a rollup; None if it was removed or has another type by now."""
    relation = find_property(call, rollup.data_source_id, rollup.config["relation"])
    return relation if relation and relation.type == "relation" else None


@lru_cache(maxsize=MAX_ENCODED_IDS)
def encode_id(id: str) -> str:
    """Return a property's id as answers have it."""
    return quote(id, safe="~!*'()")


def properties_object(call: Call, data_source_id: str) -> dict[str, Any]:
    """Render a schema: the properties by name, without those that need a data source which is not shared."""
    rows = find_properties(call, data_source_id)
    return {each.name: property_object(call, each) for each in rows if is_readable(call, each)}


def is_readable(call: Call, row: Property) -> bool:
    """Return whether the data source that a relation or a rollup needs is shared with the bot.

    https://developers.notion.com/reference/retrieve-a-database
    """
    if row.type == "rollup":
        relation = find_relation(call, row)
        return relation is None or is_readable(call, relation)
    if row.type != "relation":
        return True
    known: dict[str, bool] = call.memo.setdefault("readable", {})
    target = row.config["data_source_id"]
    if target not in known:
        is_gone = call.db.find(DataSource, DataSource.id == target) is None
        known[target] = is_gone or find_visible(call, DataSource, target) is not None
    return known[target]


def property_object(call: Call, row: Property) -> dict[str, Any]:
    """Render a property of a schema."""
    return {
        "id": encode_id(row.id),
        "name": row.name,
        "description": row.description,
        "type": row.type,
        row.type: _render_config(call, row),
    }


def _render_config(call: Call, row: Property) -> Config:
    config: Config = row.config
    if row.type == "relation":
        return _render_relation(call, row)
    if row.type == "rollup":
        return _render_rollup(call, row)
    if row.type in SELECTS:
        options = [{"description": None, **each} for each in config.get("options", [])]
        return (
            {"options": options} if row.type != "status" else {"options": options, "groups": config.get("groups", [])}
        )
    return config


def _render_relation(call: Call, row: Property) -> Config:
    config = row.config
    target = call.db.find(DataSource, DataSource.id == config["data_source_id"])
    shown: Config = {"database_id": target.database_id if target else None}
    if has_data_sources(call):
        shown = {"data_source_id": config["data_source_id"], **shown}
    synced = config.get("synced_property_id")
    if synced is None:
        return {**shown, "type": "single_property", "single_property": {}}
    other = find_property(call, config["data_source_id"], synced)
    named = {"synced_property_name": other.name if other else "", "synced_property_id": encode_id(synced)}
    return {**shown, "type": "dual_property", "dual_property": named}


def _render_rollup(call: Call, row: Property) -> Config:
    config = row.config
    relation = find_relation(call, row)
    target = relation and find_property(call, relation.config["data_source_id"], config["property"])
    return {
        "relation_property_name": relation.name if relation else "",
        "rollup_property_name": target.name if target else "",
        "relation_property_id": config["relation"],
        "rollup_property_id": config["property"],
        "function": config["function"],
    }


def type_of(given: Config) -> str | None:
    """Return the type that a request says a property has; None if it says nothing of it."""
    return next((name for name in CONFIGS if name in given), None) or given.get("type")


def add_properties(call: Call, data_source: DataSource, given: dict[str, Config]) -> None:
    """Add the properties of a new data source; raise ValidationError unless one of them is a title."""
    titles = [name for name, each in given.items() if type_of(each) == TITLE]
    if len(titles) != 1:
        said = "Title is not provided" if not titles else "There is more than one title property"
        raise ValidationError(f"{said}: a data source has exactly one property of type title.")
    # Computed properties refer to others, so they come last.
    for name in sorted(given, key=lambda name: (type_of(given[name]) == "rollup", type_of(given[name]) == "formula")):
        add_property(call, data_source, name, given[name])


def add_property(call: Call, data_source: DataSource, name: str, given: Config) -> Property:
    """Add a property."""
    properties = find_properties(call, data_source.id)
    if len(properties) >= MAX_PROPERTIES:
        raise ValidationError(f"A data source has at most {MAX_PROPERTIES} properties.")
    kind = type_of(given) or ""
    if kind == TITLE and properties and any(each.type == TITLE for each in properties):
        raise ValidationError(f"Cannot create a second title property: {name}. A data source has exactly one.")
    id = TITLE if kind == TITLE else _free_id(name, {each.id for each in properties})
    last = properties[-1].position if properties else None
    row = Property(
        data_source_id=data_source.id,
        id=id,
        name=name,
        type=kind,
        config={},
        description=given.get("description"),
        position=index_between(last, None),
    )
    call.db.add(row)
    forget_properties(call)
    config = make_config(call, row, given.get(kind) or {})
    row = call.db.change(row, config=config) if config else row
    forget_properties(call)
    return row


def _free_id(name: str, taken: Iterable[str]) -> str:
    """Return an id that can be read: the name, and a number if another property has it."""
    stem = re.sub(r"\W+", "_", name).strip("_") or "property"
    taken = {*taken, TITLE}
    return next(id for id in (stem, *(f"{stem}_{number}" for number in range(2, 10_000))) if id not in taken)


def make_config(call: Call, row: Property, given: Config) -> Config:
    """Return what a row holds for the configuration in a request."""
    if row.type in SELECTS:
        return make_options(call, row, given)
    if row.type == "number":
        return {"format": given.get("format") or row.config.get("format", "number")}
    if row.type == "formula":
        return {"expression": link_formula(call, row, given.get("expression", ""))}
    if row.type == "relation":
        return _make_relation(call, row, given)
    if row.type == "rollup":
        return _make_rollup(call, row, given)
    return {"prefix": given.get("prefix")} if row.type == "unique_id" else {}


def link_formula(call: Call, row: Property, expression: str) -> str:
    """Return a formula as it is kept; raise ValidationError for one that is not valid in its data source."""
    ids = {each.id: each.id for each in find_properties(call, row.data_source_id)}
    ids |= {each.name: each.id for each in find_properties(call, row.data_source_id)}
    try:
        tree = parse_formula(expression)
        check_formula(tree, lambda key: key in ids)
    except FormulaError as error:
        raise ValidationError(f"Type error with formula. {error}.") from None
    workspace_id = find_workspace(call).id
    return write_formula(tree, lambda key: reference_to(ids[key], row.data_source_id, workspace_id))


def make_options(call: Call, row: Property, given: Config) -> Config:
    """Return the options of a select by those in a request; the ones that are there keep their ids and colors."""
    old: list[Config] = row.config.get("options", [])
    if "options" not in given and row.type == "status" and not old:
        options = [{"id": call.ids.uuid(), "name": name, "color": color} for name, color in DEFAULT_STATUS]
        return {"options": options, "groups": _group_options(call, options)}
    options: list[Config] = []
    for each in given.get("options", old):
        known = next((one for one in old if each.get("id", one["id"]) == one["id"] and each.get("name", one["name"]) == one["name"]), None)  # fmt: skip  # noqa: E501
        name = each.get("name") or (known or {}).get("name")
        if name is None:
            raise ValidationError(f"Option with ID {each.get('id')} does not exist in property {row.name}.")
        if "," in name and row.type != "status":
            raise ValidationError(f"Invalid select option, commas not allowed: {name}")
        if known and each.get("color", known["color"]) != known["color"]:
            raise ValidationError(f"Cannot update color of select with name: {name}.")
        if any(one["name"] == name for one in options):
            raise ValidationError(f"Select options must be unique: {name} is there twice.")
        options.append(known or new_option(call, name, len(options), each.get("color"), each.get("description")))
    shown: Config = {"options": options}
    return {**shown, "groups": _group_options(call, options)} if row.type == "status" else shown


def new_option(call: Call, name: str, number: int, color: str | None, description: str | None = None) -> Config:
    """Return a new option; without a color it gets the next one."""
    option: Config = {"id": call.ids.uuid(), "name": name, "color": color or OPTION_COLORS[1 + number % 9]}
    return {**option, "description": description} if description else option


def _group_options(call: Call, options: list[Config]) -> list[Config]:
    """Return the groups of a status: those that are done by color or name are complete, gray ones to be done."""
    members: dict[str, list[str]] = {name: [] for name, _ in GROUPS}
    for option in options:
        folded = option["name"].lower()
        is_done = option["color"] == "green" or folded in ("done", "complete", "completed", "closed", "cancelled")
        is_open = option["color"] in ("default", "gray") and not is_done
        members["Complete" if is_done else "To-do" if is_open else "In progress"].append(option["id"])
    return [
        {"id": call.ids.uuid(), "name": name, "color": color, "option_ids": members[name]} for name, color in GROUPS
    ]


def _make_relation(call: Call, row: Property, given: Config) -> Config:
    target_id = given.get("data_source_id")
    if target_id is None:
        database_id = parse_id(given["database_id"], "database_id", "body")
        sources = list_data_sources(call, database_id)
        check_single_source(call, sources)
        target_id = sources[0].id if sources else database_id
    target = find_data_source(call, parse_id(target_id, "data_source_id", "body"))
    config: Config = {"data_source_id": target.id}
    if "dual_property" not in given and given.get("type") != "dual_property":
        return config
    if row.config.get("synced_property_id") and row.config["data_source_id"] == target.id:
        return row.config
    dual: Config = given.get("dual_property") or {}
    wanted = dual.get("synced_property_name")
    source = find_data_source(call, row.data_source_id)
    name = wanted or f"Related to {source.title or 'Untitled'} ({row.name})"
    if find_property(call, target.id, name):
        name = f"{name} 1"
    other = add_property(call, target, name, {"relation": {"data_source_id": source.id}})
    call.db.change(other, config={"data_source_id": source.id, "synced_property_id": row.id})
    forget_properties(call)
    return {**config, "synced_property_id": other.id}


def _make_rollup(call: Call, row: Property, given: Config) -> Config:
    key = given.get("relation_property_id") or given.get("relation_property_name") or ""
    relation = find_property(call, row.data_source_id, key)
    if relation is None or relation.type != "relation":
        raise ValidationError(f"Rollup property {row.name}: there is no relation property {key}.")
    key = given.get("rollup_property_id") or given.get("rollup_property_name") or ""
    target = find_property(call, relation.config["data_source_id"], key)
    if target is None:
        raise ValidationError(f"Rollup property {row.name}: the related data source has no property {key}.")
    return {"relation": relation.id, "property": target.id, "function": given["function"]}
