"""What becomes of the values of pages when the type of their property changes.

https://www.notion.com/help/database-properties
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from twindiff.kit import Call

from ..core.body_rules import is_list
from ..core.date_values import is_date
from ..formulas.formula_values import format_number
from ..rich_text.rich_text_values import plain_text
from ..tables.content_tables import Page
from ..tables.data_source_tables import Property
from .property_types import MAX_OPTION_LENGTH, SELECTS
from .schemas import forget_properties, new_option

TEXTS = ("rich_text", "url", "email", "phone_number")
_YES = ("yes", "true", "checked")


def convert_values(call: Call, row: Property, old_type: str) -> None:
    """Rewrite the values of a property that had another type; those that the new type cannot hold are dropped."""
    options: list[dict[str, Any]] = [*row.config.get("options", [])] if row.type in SELECTS else []
    known = {each["name"] for each in options}
    for page in _pages_with(call, row):
        values = dict(page.properties)
        value = _from_text(row.type, _to_text(call, old_type, values.pop(row.id)))
        names: list[str] = [] if row.type not in SELECTS or value is None else value if is_list(value) else [value]
        for name in [name for name in names if name not in known and row.type != "status"]:
            known.add(name)
            options.append(new_option(call, name, len(options), None))
        is_kept = value is not None and known.issuperset(names)
        call.db.change(page, properties={**values, row.id: value} if is_kept else values)
    if row.type in SELECTS and len(options) != len(row.config.get("options", [])):
        call.db.change(row, config={**row.config, "options": options})
    forget_properties(call)


def drop_values(call: Call, row: Property) -> None:
    """Drop the values of a property, so that another of its name does not get them."""
    for page in _pages_with(call, row):
        call.db.change(page, properties={id: value for id, value in page.properties.items() if id != row.id})


def _pages_with(call: Call, row: Property) -> list[Page]:
    pages = call.db.rows(Page, Page.data_source_id == row.data_source_id)
    return [page for page in pages if row.id in page.properties]


def _to_text(call: Call, kind: str, value: Any) -> str:
    """Return a stored value as text; empty for one that has none, such as people and files."""
    if kind in ("number", "unique_id"):
        return format_number(value)
    if kind == "checkbox":
        return "Yes" if value else "No"
    if kind == "multi_select":
        return ", ".join(value)
    if kind == "date":
        return value if isinstance(value, str) else value["start"]
    return plain_text(call, value) if kind in (*TEXTS, "select", "status") else ""


def _from_text(kind: str, text: str) -> Any:
    """Return what a type holds for a text; None for nothing."""
    if kind in TEXTS:
        return text or None
    if kind == "number":
        return _parse_number(text)
    if kind == "checkbox":
        return text.lower() in _YES or None
    if kind == "date":
        return text if is_date(text) else None
    if kind == "multi_select":
        names = [name.strip() for name in text.split(",")]
        return list(dict.fromkeys(name for name in names if 0 < len(name) <= MAX_OPTION_LENGTH)) or None
    is_name = kind in ("select", "status") and 0 < len(text) <= MAX_OPTION_LENGTH and "," not in text
    return text if is_name else None


def _parse_number(text: str) -> int | float | None:
    if "_" in text:  # Python reads these in numbers
        return None
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return None if not isfinite(value) else int(value) if value.is_integer() else value
