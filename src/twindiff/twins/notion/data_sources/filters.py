"""Filters of queries: their rules, what they mean for a page, and the part of them that SQL can decide.

https://developers.notion.com/reference/filter-data-source-entries
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from twindiff.kit import Call, all_of, any_of
from twindiff.kit.rows import Expression

from ..core.body_rules import as_uuid, invalid_body, is_list, is_number, is_object
from ..core.object_lookup import find_bot
from ..properties.computed_values import comparable, computed_value, instant_of
from ..properties.schemas import TITLE, find_property
from ..properties.typed_values import RelatedValue, is_empty
from ..tables.content_tables import Page
from ..tables.data_source_tables import Property
from ..wire_style import ValidationError

Filter = dict[str, Any]
Test = Callable[[Page], bool]
MAX_DEPTH = 2
MAX_FILTERS = 100
TEXTS = ("title", "rich_text", "url", "email", "phone_number")
DATES = ("date", "created_time", "last_edited_time")
PEOPLE = ("people", "created_by", "last_edited_by")
NUMBERS = ("number", "unique_id")
RELATIVE_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1, "one_week_ago": -7, "one_week_from_now": 7}
RELATIVE_MONTHS = {"one_month_ago": -1, "one_month_from_now": 1}
EXISTENCE = ("is_empty", "is_not_empty")
_COMPARISONS = (
    "equals",
    "does_not_equal",
    "greater_than",
    "less_than",
    "greater_than_or_equal_to",
    "less_than_or_equal_to",
)
_PERIODS = ("this_week", "past_week", "past_month", "past_year", "next_week", "next_month", "next_year")
CONDITIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        TEXTS,
        ("equals", "does_not_equal", "contains", "does_not_contain", "starts_with", "ends_with", *EXISTENCE),
    ),
    **dict.fromkeys(NUMBERS, (*_COMPARISONS, *EXISTENCE)),
    "checkbox": ("equals", "does_not_equal"),
    "select": ("equals", "does_not_equal", *EXISTENCE),
    "status": ("equals", "does_not_equal", *EXISTENCE),
    "multi_select": ("contains", "does_not_contain", *EXISTENCE),
    **dict.fromkeys(DATES, ("equals", "before", "after", "on_or_before", "on_or_after", *_PERIODS, *EXISTENCE)),
    **dict.fromkeys(PEOPLE, ("contains", "does_not_contain", *EXISTENCE)),
    "relation": ("contains", "does_not_contain", *EXISTENCE),
    "files": EXISTENCE,
    "verification": ("status", "does_not_equal"),
}
"""The conditions of each type."""
_FORMULA = {"string": "rich_text", "checkbox": "checkbox", "number": "number", "date": "date"}
_LISTS = ("multi_select", *PEOPLE, "relation")


def compile_filter(call: Call, data_source_id: str, given: Any, path: str = "body.filter", depth: int = 0) -> Test:
    """Return what a filter means for a page; raise ValidationError for one that is not valid."""
    if not is_object(given):
        raise invalid_body(path, "an object", given)
    for name, combine in (("and", all), ("or", any)):
        if name in given:
            parts = _compound_parts(given[name], f"{path}.{name}", depth)
            tests = [compile_filter(call, data_source_id, each, at, depth + 1) for each, at in parts]
            return lambda page, tests=tests, combine=combine: combine(test(page) for test in tests)
    if "timestamp" in given:
        return _compile_timestamp(call, given, path)
    return _compile_property(call, data_source_id, given, path)


def _compound_parts(parts: Any, path: str, depth: int) -> Iterator[tuple[Any, str]]:
    if not is_list(parts):
        raise invalid_body(path, "an array", parts)
    if depth >= MAX_DEPTH:
        raise ValidationError(
            f"body failed validation: {path} should be not present: filters nest {MAX_DEPTH} levels deep."
        )
    if len(parts) > MAX_FILTERS:
        raise invalid_body(f"{path}.length", f"≤ `{MAX_FILTERS}`", len(parts))
    yield from ((each, f"{path}[{number}]") for number, each in enumerate(parts))


def _compile_timestamp(call: Call, given: Filter, path: str) -> Test:
    name = given["timestamp"]
    if name not in ("created_time", "last_edited_time"):
        raise invalid_body(f"{path}.timestamp", '`"created_time"` or `"last_edited_time"`', name)
    test = compile_condition(call, "date", given.get(name), f"{path}.{name}")
    return lambda page: test(instant_of(page, name))


def _compile_property(call: Call, data_source_id: str, given: Filter, path: str) -> Test:
    name = given.get("property")
    if not isinstance(name, str):
        raise invalid_body(f"{path}.property", "defined", name)
    row = find_property(call, data_source_id, name)
    if row is None:
        raise ValidationError(f"Could not find property with name or id: {name}")
    kinds = [key for key in given if key not in ("property", "type")]
    if len(kinds) != 1:
        raise invalid_body(f"{path}.{row.type}", "defined", given.get(row.type))
    kind, condition = kinds[0], given[kinds[0]]
    if not _is_of_type(row.type, kind):
        raise ValidationError(f"database property {row.type} does not match filter {kind}")
    at = f"{path}.{kind}"
    if kind == "formula":
        return _compile_formula(call, row, condition, at)
    if kind == "rollup":
        return _compile_rollup(call, row, condition, at)
    test = compile_condition(call, kind, condition, at)
    if kind in ("select", "status"):
        _check_options(row, condition)
    return lambda page: test(comparable(call, page, row, computed_value(call, page, row)))


def _check_options(row: Property, condition: Filter) -> None:
    """Raise ValidationError for a condition on an option that the property does not have."""
    [wanted] = condition.values()
    known = [each["name"] for each in row.config.get("options", [])]
    for each in wanted if is_list(wanted) else [wanted]:
        if isinstance(each, str) and each not in known:
            there = ", ".join(f'"{name}"' for name in known)
            raise ValidationError(
                f'{row.type} option "{each}" not found for property "{row.name}". Available options: {there}.'
            )


def _is_of_type(actual: str, asked: str) -> bool:
    same = (TEXTS, DATES, PEOPLE)
    return actual == asked or any(actual in group and asked in group for group in same)


def compile_condition(call: Call, kind: str, condition: Any, path: str) -> Callable[[Any], bool]:
    """Return what a condition of a type means for a value."""
    known = CONDITIONS[kind]
    if not is_object(condition):
        raise invalid_body(path, "an object", condition)
    names = list(condition)
    if len(names) != 1 or names[0] not in known:
        wrong = next((name for name in names if name not in known), None)
        raise invalid_body(
            f"{path}.{wrong or known[0]}", "not present" if wrong else "defined", condition.get(wrong or "")
        )
    [(name, wanted)] = condition.items()
    if name in EXISTENCE:
        if wanted is not True:
            raise invalid_body(f"{path}.{name}", "`true`", wanted)
        return is_empty if name == "is_empty" else lambda value: not is_empty(value)
    _check_wanted(kind, name, wanted, f"{path}.{name}")
    if kind in DATES:
        return _date_test(call, name, wanted)
    if kind in _LISTS:
        wanted = find_bot(call).id if wanted == "me" else as_uuid(wanted) or wanted
        return lambda value: (wanted in (value or [])) == (name == "contains")
    if kind == "checkbox":
        return lambda value: (bool(value) == wanted) == (name == "equals")
    if kind == "verification":
        return lambda value: ((value["state"] if value else "unverified") == wanted) == (name == "status")
    if kind in ("select", "status"):
        several = wanted if is_list(wanted) else [wanted]
        return lambda value: (value in several) == (name == "equals")
    return _NUMBER_TESTS[name](wanted) if kind in NUMBERS else _TEXT_TESTS[name](str(wanted).casefold())


def _check_wanted(kind: str, name: str, wanted: Any, path: str) -> None:
    if kind in NUMBERS and not is_number(wanted):
        raise invalid_body(path, "a number", wanted)
    if kind == "checkbox" and not isinstance(wanted, bool):
        raise invalid_body(path, "a boolean", wanted)
    if kind in DATES and name in _PERIODS:
        if not is_object(wanted):
            raise invalid_body(path, "an object", wanted)
    elif kind in (*TEXTS, *DATES, *PEOPLE, "relation") and not isinstance(wanted, str):
        raise invalid_body(path, "a string", wanted)
    if kind in (*PEOPLE, "relation") and wanted != "me" and as_uuid(str(wanted)) is None:
        raise invalid_body(path, "a valid uuid", wanted)


_TEXT_TESTS: dict[str, Callable[[str], Callable[[Any], bool]]] = {
    "equals": lambda wanted: lambda value: (value or "").casefold() == wanted,
    "does_not_equal": lambda wanted: lambda value: (value or "").casefold() != wanted,
    "contains": lambda wanted: lambda value: wanted in (value or "").casefold(),
    "does_not_contain": lambda wanted: lambda value: wanted not in (value or "").casefold(),
    "starts_with": lambda wanted: lambda value: (value or "").casefold().startswith(wanted),
    "ends_with": lambda wanted: lambda value: (value or "").casefold().endswith(wanted),
}
_NUMBER_TESTS: dict[str, Callable[[float], Callable[[Any], bool]]] = {
    "equals": lambda wanted: lambda value: value == wanted,
    "does_not_equal": lambda wanted: lambda value: value != wanted,
    "greater_than": lambda wanted: lambda value: value is not None and value > wanted,
    "less_than": lambda wanted: lambda value: value is not None and value < wanted,
    "greater_than_or_equal_to": lambda wanted: lambda value: value is not None and value >= wanted,
    "less_than_or_equal_to": lambda wanted: lambda value: value is not None and value <= wanted,
}


def start_of(value: Any) -> str | None:
    """Return where a date or a range begins."""
    return value["start"] if is_object(value) else value


def parse_instant(text: str) -> datetime:
    """Return the instant of a date; a date alone is midnight in UTC."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def shift_months(day: date, months: int) -> date:
    """Return the same day of another month, or its last day."""
    number = day.year * 12 + day.month - 1 + months
    year, month = divmod(number, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (following - timedelta(days=1)).day))


def _period(name: str, today: date) -> tuple[date, date]:
    week = today - timedelta(days=(today.weekday() + 1) % 7)
    periods = {
        "this_week": (week, week + timedelta(days=6)),
        "past_week": (today - timedelta(days=7), today),
        "past_month": (shift_months(today, -1), today),
        "past_year": (shift_months(today, -12), today),
        "next_week": (today, today + timedelta(days=7)),
        "next_month": (today, shift_months(today, 1)),
        "next_year": (today, shift_months(today, 12)),
    }
    return periods[name]


def _date_test(call: Call, name: str, wanted: Any) -> Callable[[Any], bool]:
    today = call.clock.now.date()
    if name in _PERIODS:
        first, last = _period(name, today)
        return lambda value: (
            value is not None and first <= parse_instant(start_of(value) or "").astimezone(UTC).date() <= last
        )
    if wanted in RELATIVE_DAYS:
        wanted = (today + timedelta(days=RELATIVE_DAYS[wanted])).isoformat()
    elif wanted in RELATIVE_MONTHS:
        wanted = shift_months(today, RELATIVE_MONTHS[wanted]).isoformat()
    try:
        bound = parse_instant(wanted)
    except ValueError:
        raise invalid_body(f"body.filter.date.{name}", "a valid ISO 8601 date string", wanted) from None
    is_day = len(wanted) == 10

    def compare(value: Any) -> bool:
        if value is None:
            return False
        start = start_of(value) or ""
        at = parse_instant(start)
        left: Any = date.fromisoformat(start[:10]) if is_day else at.replace(second=0, microsecond=0)
        right: Any = date.fromisoformat(wanted) if is_day else bound.replace(second=0, microsecond=0)
        return _DATE_TESTS[name](left, right)

    return compare


_DATE_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": lambda left, right: left == right,
    "before": lambda left, right: left < right,
    "after": lambda left, right: left > right,
    "on_or_before": lambda left, right: left <= right,
    "on_or_after": lambda left, right: left >= right,
}


def _compile_formula(call: Call, row: Property, condition: Any, path: str) -> Test:
    kinds = list(condition) if is_object(condition) else []
    if len(kinds) != 1 or kinds[0] not in _FORMULA:
        raise invalid_body(path, "an object with one of " + ", ".join(_FORMULA), condition)
    kind = kinds[0]
    test = compile_condition(call, _FORMULA[kind], condition[kind], f"{path}.{kind}")

    def check(page: Page) -> bool:
        typed = computed_value(call, page, row)
        wanted = {"string": "string", "checkbox": "boolean", "number": "number", "date": "date"}[kind]
        return test(typed.value if typed.kind == wanted else None)

    return check


def _compile_rollup(call: Call, row: Property, condition: Any, path: str) -> Test:
    kinds = list(condition) if is_object(condition) else []
    if len(kinds) != 1 or kinds[0] not in ("any", "every", "none", "number", "date"):
        raise invalid_body(path, "an object with one of any, every, none, number, date", condition)
    how = kinds[0]
    if how in ("number", "date"):
        test = compile_condition(call, how, condition[how], f"{path}.{how}")
        return lambda page: test(_rollup(call, row, page, how))
    [(kind, inner)] = condition[how].items() if len(condition[how]) == 1 else [("", None)]
    if kind not in CONDITIONS:
        raise invalid_body(f"{path}.{how}", "an object with one condition", condition[how])
    test = compile_condition(call, kind, inner, f"{path}.{how}.{kind}")

    def check(page: Page) -> bool:
        items: list[RelatedValue] = computed_value(call, page, row).items or []
        hits = [test(each.value) for each in items]
        return any(hits) if how == "any" else not any(hits) if how == "none" else bool(hits) and all(hits)

    return check


def _rollup(call: Call, row: Property, page: Page, kind: str) -> Any:
    result = computed_value(call, page, row)
    return result.value if result.kind == kind else None


def sql_condition(call: Call, data_source_id: str, given: Any) -> Expression | None:
    """Return a condition that all pages meet which a valid filter lets through; None if SQL can decide nothing."""
    for name, combine in (("and", all_of), ("or", any_of)):
        if name in given:
            parts = [sql_condition(call, data_source_id, each) for each in given[name]]
            known = [part for part in parts if part is not None]
            return combine(*known) if known and (name == "and" or len(known) == len(parts)) else None
    row = find_property(call, data_source_id, given.get("property", ""))
    if row is None or row.type not in given:
        return None
    [(name, wanted)] = given[row.type].items()
    column = Page.properties.json(row.id)
    if (
        row.type in ("select", "status")
        and name == "equals"
        and isinstance(wanted, str)
        and (wanted + row.id).isascii()
    ):
        return Page.properties.contains(f"{json.dumps(row.id)}:{json.dumps(wanted)}")
    if row.type == "number" and name in ("equals", "greater_than", "less_than"):
        return column == wanted if name == "equals" else column > wanted if name == "greater_than" else column < wanted
    if row.type == "checkbox" and (name == "equals") == wanted:
        return column == True  # noqa: E712 - a condition
    if row.type == TITLE and name in ("equals", "contains", "starts_with") and wanted.isascii():
        tests = {"equals": Page.title.equals, "contains": Page.title.resembles}
        return tests[name](wanted) if name in tests else Page.title.starts(wanted, fold=True)
    return None
