"""Values that follow from others: formulas and rollups, computed for each answer and stored nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Any

from twindiff.kit import Call

from ..core.body_rules import is_list, is_object
from ..core.date_values import is_date
from ..core.edit_stamps import minute
from ..core.user_objects import find_user
from ..formulas.evaluation import Evaluator, kind_of
from ..formulas.formula_values import (
    DateValue,
    PageValue,
    PersonValue,
    Value,
    format_value,
    is_number_value,
    parse_date_value,
)
from ..formulas.syntax import FormulaError, parse_formula
from ..rich_text.rich_text_values import plain_text
from ..tables.content_tables import Page
from ..tables.data_source_tables import Property
from .schemas import TITLE, find_properties, find_property, find_relation, is_readable
from .typed_values import RelatedValue, Typed, is_empty

MAX_DEPTH = 10
"""Formulas and rollups that depend on each other."""
MAX_RELATED = 500
KINDS = {
    "number": "number", "checkbox": "boolean", "date": "date", "created_time": "date", "last_edited_time": "date",
    "unique_id": "number",
}  # fmt: skip


def computed_value(call: Call, page: Page, row: Property) -> Any:
    """Return the stored value of a property, or the `Typed` result of a formula or a rollup."""
    if row.type not in ("formula", "rollup"):
        value = page.properties.get(row.id)
        return value if row.type != "relation" or not value or is_readable(call, row) else []
    depth = call.memo.get("depth", 0)
    if depth >= MAX_DEPTH:
        return Typed("unsupported", None)
    call.memo["depth"] = depth + 1
    try:
        return _evaluate(call, page, row) if row.type == "formula" else _roll_up(call, page, row)
    finally:
        call.memo["depth"] = depth


def comparable(call: Call, page: Page, row: Property, value: Any) -> Any:
    """Return what conditions and orders compare: a text, a number, names, ids or a date."""
    if row.type == TITLE:
        return page.title
    if row.type == "rich_text":
        return plain_text(call, value)
    if row.type in ("created_time", "last_edited_time"):
        return instant_of(page, row.type)
    if row.type in ("created_by", "last_edited_by"):
        by = page.created_by if row.type == "created_by" else page.last_edited_by or page.created_by
        return [by] if by else []
    return value.value if isinstance(value, Typed) else value


def instant_of(page: Page, name: str) -> str:
    """Return when a page was made or edited, as answers have it."""
    at = page.created_time if name == "created_time" else page.last_edited_time or page.created_time
    return minute(at).replace("Z", "+00:00")


def _evaluate(call: Call, page: Page, row: Property) -> Typed:
    try:
        tree = parse_formula(row.config.get("expression") or '""')
        kind = kind_of(tree, lambda key: _kind_of_property(call, page, key))
        value = Evaluator(page.id, lambda key: _read(call, page, key), call.clock.now).evaluate(tree)
    except FormulaError:
        return Typed("string", None)
    if value is None:
        return Typed(kind, False if kind == "boolean" else None)
    if isinstance(value, bool):
        return Typed("boolean", value)
    if is_number_value(value):
        return Typed("number", None if value in (float("inf"), float("-inf")) else value)
    return Typed("date", render_date(value)) if isinstance(value, DateValue) else Typed("string", format_value(value))


def render_date(value: DateValue) -> dict[str, Any]:
    """Render a date of a formula."""

    def show(at: datetime | None) -> str | None:
        if at is None:
            return None
        return at.isoformat(timespec="milliseconds") if value.has_time else at.date().isoformat()

    return {"start": show(value.start), "end": show(value.end), "time_zone": None}


def _kind_of_property(call: Call, page: Page, key: str) -> str:
    row = find_property(call, page.data_source_id or "", key)
    if row is None:
        return "string"
    if row.type == "formula":
        tree = parse_formula(row.config.get("expression") or '""')
        return kind_of(tree, lambda other: "string" if other == key else _kind_of_property(call, page, other))
    return KINDS.get(row.type, "string")


def _read(call: Call, page: Page, key: str) -> Value:
    """Return a property's value as formulas have it."""
    if page.data_source_id is None:
        return page.title if key == TITLE else None
    row = find_property(call, page.data_source_id, key)
    return to_formula_value(call, page, row, computed_value(call, page, row)) if row else None


def to_formula_value(call: Call, page: Page, row: Property, value: Any) -> Value:
    """Return a stored or computed value as formulas have it."""
    kind = row.type
    if isinstance(value, Typed):
        if value.items is not None:
            items = [to_formula_value(call, each.page, each.row, each.stored) for each in value.items]
            return [inner for item in items for inner in (item if is_list(item) else [item])]
        return _parse_stored_date(value.value) if value.kind == "date" else value.value
    if kind in ("title", "rich_text"):
        return comparable(call, page, row, value)
    if kind in ("created_time", "last_edited_time"):
        return parse_date_value(instant_of(page, kind))
    if kind in ("created_by", "last_edited_by", "people"):
        ids: list[str] = comparable(call, page, row, value) or []
        people = [_find_person(call, id) for id in ids]
        return people if kind == "people" else (people or [None])[0]
    if kind == "date":
        return _parse_stored_date(value)
    if kind == "relation":
        return [_page_value(call, other) for other in find_related(call, value or [])]
    if kind == "unique_id":
        prefix = row.config.get("prefix")
        return f"{prefix}-{value}" if prefix and value is not None else value
    if kind == "files":
        return [each["name"] for each in value] if value else []
    return bool(value) if kind == "checkbox" else value or ([] if kind == "multi_select" else value)


def _find_person(call: Call, id: str) -> PersonValue:
    user = find_user(call, id)
    return PersonValue(id, (user.name if user else "") or "", (user.email if user else "") or "")


def _page_value(call: Call, page: Page) -> PageValue:
    return PageValue(page.id, page.title, partial(_read, call, page))


def _parse_stored_date(value: Any) -> DateValue | None:
    if value is None:
        return None
    if isinstance(value, str):
        return parse_date_value(value)
    first = parse_date_value(value["start"])
    return first._replace(end=parse_date_value(value["end"]).start) if value.get("end") else first


def find_related(call: Call, ids: Sequence[str]) -> list[Page]:
    """Return the pages of a relation that are not in the trash, in its order."""
    wanted = list(ids)[:MAX_RELATED]
    known: dict[str, Page] = call.memo.setdefault("related", {})
    missing = [id for id in wanted if id not in known]
    if missing:
        known |= {page.id: page for page in call.db.rows(Page, Page.id.in_(missing))}
    return [known[id] for id in wanted if id in known and not known[id].in_trash]


def _roll_up(call: Call, page: Page, row: Property) -> Typed:
    config = row.config
    relation = find_relation(call, row)
    related = find_related(call, computed_value(call, page, relation) or []) if relation else []
    items: list[RelatedValue] = []
    for other in related:
        target = next(
            (each for each in find_properties(call, other.data_source_id or "") if each.id == config["property"]), None
        )
        if target:
            value = computed_value(call, other, target)
            items.append(RelatedValue(other, target, value, comparable(call, other, target, value)))
    return aggregate(config["function"], items)


def aggregate(function: str, items: list[RelatedValue]) -> Typed:
    """Return the result of a rollup's function over the values of related pages."""
    if function == "show_original":
        return Typed("array", None, items)
    if function == "show_unique":
        unique: list[RelatedValue] = []
        for item in items:
            if all(item.value != other.value for other in unique):
                unique.append(item)
        return Typed("array", None, unique)
    if function in ("earliest_date", "latest_date", "date_range"):
        return Typed("date", _aggregate_dates(function, [item.value for item in items if _holds_date(item.value)]))
    return Typed("number", _aggregate_number(function, [item.value for item in items]))


def _holds_date(value: Any) -> bool:
    """Return whether a value is a date or a range of dates; properties of other types have none."""
    start = value.get("start") if is_object(value) else value
    return isinstance(start, str) and is_date(start)


def _aggregate_dates(function: str, values: list[Any]) -> Any:
    if not values:
        return None
    starts = [value["start"] if is_object(value) else value for value in values]
    ends = [(value.get("end") or value["start"]) if is_object(value) else value for value in values]
    first, last = min(starts, key=_instant), max(ends, key=_instant)
    if function == "date_range":
        return {"start": first, "end": last, "time_zone": None}
    return {
        "start": first if function == "earliest_date" else max(starts, key=_instant),
        "end": None,
        "time_zone": None,
    }


def _instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _aggregate_number(function: str, values: list[Any]) -> float | None:
    full = [value for value in values if not is_empty(value)]
    flat = [each for value in full for each in (value if is_list(value) else [value])]
    numbers = [value for value in full if is_number_value(value)]
    checked = sum(value is True for value in values)
    counts: dict[str, float] = {
        "count": len(values), "count_values": len(flat), "empty": len(values) - len(full), "not_empty": len(full),
        "unique": len({str(each) for each in flat}), "checked": checked, "unchecked": len(values) - checked,
    }  # fmt: skip
    if function in counts:
        return counts[function]
    if function.startswith("percent_") and function.removeprefix("percent_") in counts:
        return counts[function.removeprefix("percent_")] / len(values) if values else 0
    if function == "sum":
        return sum(numbers)
    if not numbers:
        return None
    results = {
        "average": sum(numbers) / len(numbers), "median": median(numbers), "min": min(numbers), "max": max(numbers),
        "range": max(numbers) - min(numbers),
    }  # fmt: skip
    return results.get(function)
