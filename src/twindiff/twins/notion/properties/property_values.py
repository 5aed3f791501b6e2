"""The values of properties between requests, rows and answers.

A row holds a value in its shortest form: the name of an option, an ISO date or `{start, end, time_zone}`, ids of people
and related pages, a text or its pieces. Empty values are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call

from ..core.body_rules import check_body, invalid_body, is_object, obj
from ..core.date_values import date_object, pack_date
from ..core.edit_stamps import minute
from ..core.file_values import pack_file, render_file
from ..core.object_lookup import find_page, parse_id
from ..core.user_objects import check_user, user_object
from ..rich_text.rich_text_values import pack_text, unpack_columns, unpack_text
from ..tables.content_tables import Page
from ..tables.data_source_tables import DataSource, Property
from ..wire_style import ValidationError
from .property_types import COMPUTED, EMPTY, VALUES
from .schemas import TITLE, encode_id, new_option
from .typed_values import Typed, is_empty

Values = dict[str, Any]
MAX_RELATIONS_SHOWN = 25


def parse_value(call: Call, row: Property, given: Any, path: str) -> Any:
    """Return what a page's row holds for the value in a request; None for an empty one. Raise ValidationError."""
    given = _wrap_value(row, given)
    if row.type in COMPUTED:
        raise ValidationError(f"{row.name} is a {row.type} property, whose values cannot be updated.")
    if row.type not in given:
        raise invalid_body(f"{path}.{row.type}", "defined")
    check_body(obj(None, **{row.type: VALUES[row.type]}), {row.type: given[row.type]}, path)
    return _pack_value(call, row, given[row.type], f"{path}.{row.type}")


def _wrap_value(row: Property, given: Any) -> Values:
    """Return a value with its type, without which titles are often sent."""
    return given if is_object(given) else {row.type: given}


def has_other_type(row: Property, given: Any) -> bool:
    """Return whether the value in a request is of another type than its property, and that takes values."""
    kinds = [name for name in _wrap_value(row, given) if name not in ("id", "type", "name", "has_more")]
    return row.type not in COMPUTED and bool(kinds) and kinds[0] != row.type


def _pack_value(call: Call, row: Property, value: Any, path: str) -> Any:
    kind = row.type
    if is_empty(value):
        return None
    if kind in ("title", "rich_text"):
        return pack_text(call, value) or None
    if kind in ("select", "status"):
        return _name_option(call, row, value)
    if kind == "multi_select":
        return list(dict.fromkeys(_name_option(call, row, each) for each in value))
    if kind == "date":
        return pack_date(value, path)
    if kind == "people":
        return [check_user(call, each["id"]) for each in value]
    if kind == "files":
        return [_pack_named_file(call, each) for each in value]
    if kind == "relation":
        return _check_related(call, row, [each["id"] for each in value])
    if kind == "place":
        return {**dict.fromkeys(("name", "address", "aws_place_id", "google_place_id")), **value}
    return value or None if kind == "checkbox" else value


def _name_option(call: Call, row: Property, value: Values) -> str:
    """Return the name of an option; a select gets one that it does not have."""
    options: list[Values] = row.config.get("options", [])
    for option in options:
        if value.get("id") == option["id"] or ("id" not in value and value.get("name") == option["name"]):
            return option["name"]
        if value.get("name") == option["name"]:
            return option["name"]
    name = value.get("name")
    if row.type == "status" or name is None:
        what = f'option "{name}"' if name else f"option with ID {value.get('id')}"
        raise ValidationError(
            f"Invalid {row.type} option. {row.type.replace('_', ' ').capitalize()} {what} does not exist."
        )
    if "," in name:
        raise ValidationError(f"Invalid select option, commas not allowed: {name}")
    options = [*options, new_option(call, name, len(options), value.get("color"))]
    row.config["options"] = options
    call.db.change(row, config={**row.config, "options": options})
    return name


def _pack_named_file(call: Call, given: Values) -> Values:
    stored = pack_file(call, {key: value for key, value in given.items() if key != "name"}) or {}
    name = given.get("name")
    if name is None:
        shown = render_file(call, stored) or {}
        name = shown[shown["type"]]["url"].partition("?")[0].rpartition("/")[2]
    return {"name": name, **stored}


def _check_related(call: Call, row: Property, ids: list[str]) -> list[str]:
    related = list(dict.fromkeys(parse_id(each, row.name, "body") for each in ids))
    for id in related:
        find_page(call, id)
    return related


def value_object(call: Call, page: Page, row: Property, value: Any) -> Any:
    """Render a stored or computed value without its name and type."""
    if isinstance(value, Typed):
        return _render_result(call, row, value)
    if row.type in _OF_PAGE:
        return _OF_PAGE[row.type](call, page)
    if row.type == "unique_id":
        return {"prefix": row.config.get("prefix"), "number": value}
    if value is None:
        return EMPTY.get(row.type)
    return _RENDERERS[row.type](call, row, value) if row.type in _RENDERERS else value


_OF_PAGE: dict[str, Callable[[Call, Page], Any]] = {
    "title": lambda call, page: unpack_columns(call, page.title, page.properties.get(TITLE)),
    "created_time": lambda call, page: minute(page.created_time),
    "last_edited_time": lambda call, page: minute(page.last_edited_time or page.created_time),
    "created_by": lambda call, page: user_object(call, page.created_by),
    "last_edited_by": lambda call, page: user_object(call, page.last_edited_by or page.created_by),
    "button": lambda call, page: {},
}
"""What the answers for types that say something of the page itself have."""


def _render_named_file(call: Call, stored: Values) -> Values:
    source = {name: value for name, value in stored.items() if name != "name"}
    return {"name": stored["name"], **(render_file(call, source) or {})}


def _render_verification(call: Call, stored: Values) -> Values:
    by = stored.get("verified_by")
    return {"date": None, **stored, "verified_by": user_object(call, by) if by else None}


_RENDERERS: dict[str, Callable[[Call, Property, Any], Any]] = {
    "rich_text": lambda call, row, value: unpack_text(call, value),
    "select": lambda call, row, value: option_object(row, value),
    "status": lambda call, row, value: option_object(row, value),
    "multi_select": lambda call, row, value: [option for each in value if (option := option_object(row, each))],
    "date": lambda call, row, value: date_object(value),
    "people": lambda call, row, value: [user_object(call, each) for each in value],
    "files": lambda call, row, value: [_render_named_file(call, each) for each in value],
    "verification": lambda call, row, value: _render_verification(call, value),
    "relation": lambda call, row, value: [{"id": each} for each in value],
}


def _render_result(call: Call, row: Property, result: Typed) -> Values:
    """Render the result of a formula or a rollup."""
    shown: Values = {"type": result.kind}
    if result.kind == "array":
        shown["array"] = [
            {"type": each.row.type, each.row.type: value_object(call, each.page, each.row, each.stored)}
            for each in result.items or []
        ]
    elif result.kind == "unsupported":
        shown["unsupported"] = {}
    else:
        shown[result.kind] = date_object(result.value) if result.kind == "date" else result.value
    return {**shown, "function": row.config["function"]} if row.type == "rollup" else shown


def option_object(row: Property, name: str) -> Values | None:
    """Render an option of a select by its name; None if the property has it no longer."""
    option = next((each for each in row.config.get("options", []) if each["name"] == name), None)
    return {"id": option["id"], "name": option["name"], "color": option["color"]} if option else None


def property_value(call: Call, page: Page, row: Property, value: Any) -> Values:
    """Render a property of a page."""
    shown: Values = {"id": encode_id(row.id), "type": row.type, row.type: value_object(call, page, row, value)}
    if row.type == "relation":
        shown["has_more"] = len(shown["relation"]) > MAX_RELATIONS_SHOWN
        shown["relation"] = shown["relation"][:MAX_RELATIONS_SHOWN]
    return shown


def sync_relation(call: Call, page_id: str, row: Property, old: list[str], new: list[str]) -> None:
    """Add a page to the synced relation of the pages that it relates to now, and take it from the others."""
    other_id = row.config.get("synced_property_id")
    if not other_id:
        return
    for id in set(old) ^ set(new):
        other = call.db.find(Page, Page.id == id)
        if other is None:
            continue
        known: list[str] = other.properties.get(other_id) or []
        wanted = (
            [*known, page_id]
            if id in new and page_id not in known
            else [each for each in known if each != page_id or id in new]
        )
        if wanted != known:
            values = {**other.properties, other_id: wanted}
            call.db.change(other, properties={key: each for key, each in values.items() if each != []})


def next_unique_id(call: Call, data_source: DataSource) -> int:
    """Return the next number of a data source's unique id."""
    current = call.db.get(DataSource, data_source.id)
    call.db.change(current, last_unique_id=current.last_unique_id + 1)
    return current.last_unique_id + 1
