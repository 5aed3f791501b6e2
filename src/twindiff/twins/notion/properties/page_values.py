"""Setting the values of pages."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.body_rules import is_list
from ..core.edit_stamps import stamp
from ..core.object_lookup import find_data_source
from ..rich_text.rich_text_values import plain_text
from ..tables.content_tables import Page
from ..tables.data_source_tables import Property
from ..wire_style import ValidationError
from .property_values import has_other_type, next_unique_id, parse_value, sync_relation
from .schemas import TITLE, find_properties, find_property

_TITLE_ALONE = Property(data_source_id="", id=TITLE, name=TITLE, type=TITLE)


def set_values(call: Call, page: Page, given: dict[str, Any]) -> Page:
    """Set the values in a request, by name or id of their property, and return the page's row."""
    values = dict(page.properties)
    title: Any = page.properties.get(TITLE, page.title)
    related: list[tuple[Property, list[str], list[str]]] = []
    if page.data_source_id:
        _number_page(call, page, values)
    for key, row in _match_properties(call, page, given).items():
        each = given[key]
        value = parse_value(call, row, each, f"body.properties.{key}")
        if row.type == TITLE:
            title = value or ""
            continue
        if row.type == "relation":
            related.append((row, values.get(row.id) or [], value or []))
        values.pop(row.id, None)
        if value is not None:
            values[row.id] = value
    values.pop(TITLE, None)
    if is_list(title):
        values[TITLE] = title
    changes: dict[str, Any] = {"title": plain_text(call, title), "properties": values}
    different = {name: value for name, value in changes.items() if getattr(page, name) != value}
    if different:
        page = call.db.change(page, **different, **stamp(call))
    for row, old, new in related:
        sync_relation(call, page.id, row, old, new)
    return call.db.get(Page, page.id) if related else page


def _match_properties(call: Call, page: Page, given: dict[str, Any]) -> dict[str, Property]:
    """Return the properties that a request names; raise ValidationError for all that do not fit."""
    matched: dict[str, Property] = {}
    problems: list[str] = []
    for key, each in given.items():
        row = _find_property(call, page, key)
        if row is None:
            problems.append(f"{key} is not a property that exists.")
        elif has_other_type(row, each):
            problems.append(f"{row.name} is expected to be {row.type}.")
        else:
            matched[key] = row
    if problems:
        raise ValidationError(" ".join(problems))
    return matched


def _find_property(call: Call, page: Page, key: str) -> Property | None:
    if page.data_source_id is None:
        return _TITLE_ALONE if key == TITLE else None
    return find_property(call, page.data_source_id, key)


def _number_page(call: Call, page: Page, values: dict[str, Any]) -> None:
    """Give a page its unique id if its data source has a property of that type."""
    for row in find_properties(call, page.data_source_id or ""):
        if row.type == "unique_id" and row.id not in values:
            values[row.id] = next_unique_id(call, find_data_source(call, row.data_source_id))
