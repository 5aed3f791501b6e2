"""The fields of projects: those that every project begins with, new ones, and the values that each takes.

https://docs.github.com/en/issues/planning-and-tracking-with-projects/understanding-fields
"""

from __future__ import annotations

from datetime import date
from typing import Any

from twindiff.kit import Call

from ..core.stamps import new_id
from ..tables.project_tables import Project
from ..wire_style import NotVisible, Unprocessable, invalid

Field = dict[str, Any]
"""A field: `id`, `name` and `data_type`, of a single select also `options`, of an iteration `configuration`."""
COLORS = ("BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW")
CUSTOM_TYPES = ("text", "number", "date", "single_select", "iteration")
MAX_TEXT_CHARACTERS, MAX_OPTIONS, MAX_FIELDS = 1024, 50, 50
MAX_DURATION_DAYS = 100
_STATUSES = (
    ("f75ad846", "Todo", "GREEN", "This item hasn't been started"),
    ("47fc9ee4", "In Progress", "YELLOW", "This is actively being worked on"),
    ("98236657", "Done", "PURPLE", "This has been completed"),
)
_BUILT_IN = (
    ("Title", "title"),
    ("Assignees", "assignees"),
    ("Status", "single_select"),
    ("Labels", "labels"),
    ("Linked pull requests", "linked_pull_requests"),
    ("Milestone", "milestone"),
    ("Repository", "repository"),
    ("Reviewers", "reviewers"),
    ("Parent issue", "parent_issue"),
    ("Sub-issues progress", "sub_issues_progress"),
)
_EXPECTED = {
    "text": "a text value",
    "number": "a number value",
    "date": "a date value",
    "single_select": "a single select option Id",
    "iteration": "an iteration Id",
}


def initial_fields(call: Call) -> list[Field]:
    """Return the fields of a new project."""
    fields: list[Field] = [{"id": new_id(call), "name": name, "data_type": kind} for name, kind in _BUILT_IN]
    names = ("id", "name", "color", "description")
    fields[2]["options"] = [dict(zip(names, each, strict=True)) for each in _STATUSES]
    return fields


def initial_views(call: Call) -> list[dict[str, Any]]:
    """Return the views of a new project: one table."""
    return [{"id": new_id(call), "number": 1, "name": "View 1", "layout": "table", "filter": None}]


def find_field(project: Project, field_id: Any) -> Field:
    """Return a field of a project by its id; raise NotVisible."""
    field = next((each for each in project.fields if each["id"] == field_id), None)
    if field is None:
        raise NotVisible
    return field


def build_options(call: Call, given: list[dict[str, Any]], known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return options with ids; one with the name of a known option keeps its id."""
    if not given or len(given) > MAX_OPTIONS:
        raise Unprocessable(f"Single select fields need 1 to {MAX_OPTIONS} options")
    ids = {each["name"]: each["id"] for each in known}
    names = [str(each.get("name") or "") for each in given]
    if not all(names) or len({name.lower() for name in names}) < len(names):
        raise Unprocessable("Option names can't be blank and have to be unique")
    return [
        {
            "id": ids.get(name) or f"{new_id(call):08x}",
            "name": name,
            "color": each.get("color") or "GRAY",
            "description": each.get("description") or "",
        }
        for name, each in zip(names, given, strict=True)
    ]


def build_configuration(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an iteration field: `start_day`, `duration` in days and `iterations`.

    Without iterations there are three, one after the other.
    """
    start, duration = read_date(given["start_date"]), _check_duration(given["duration"])
    if start.year >= date.max.year:
        raise Unprocessable(f"{given['start_date']!r} is too late for iterations to follow")
    iterations: list[dict[str, Any]] = given.get("iterations") or [
        {
            "title": f"Iteration {number + 1}",
            "start_date": date.fromordinal(start.toordinal() + number * duration).isoformat(),
            "duration": duration,
        }
        for number in range(3)
    ]
    return {
        "start_day": start.isoweekday(),
        "duration": duration,
        "iterations": [
            {
                "id": f"{new_id(call):08x}",
                "title": each["title"],
                "start_date": read_date(each["start_date"]).isoformat(),
                "duration": _check_duration(each["duration"]),
            }
            for each in iterations
        ],
    }


def _check_duration(days: int) -> int:
    if not 1 <= days <= MAX_DURATION_DAYS:
        raise Unprocessable(f"Duration must be from 1 to {MAX_DURATION_DAYS} days, not {days}")
    return days


def read_date(text: Any) -> date:
    """Return a date of ISO 8601; raise GitHub's 422 for anything else."""
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        raise Unprocessable(f"{text!r} is not a valid date") from None


def build_field(call: Call, project: Project, name: str, kind: str, details: dict[str, Any]) -> Field:
    """Return a new field of a project; `details` has `options` or `configuration` where the kind needs them."""
    check_field_name(project, name)
    if len(project.fields) >= MAX_FIELDS:
        raise Unprocessable(f"Projects can't have more than {MAX_FIELDS} fields")
    field: Field = {"id": new_id(call), "name": name.strip(), "data_type": kind}
    if kind == "single_select":
        field["options"] = build_options(call, details.get("options") or [], [])
    if kind == "iteration":
        today = {"start_date": call.clock.iso()[:10], "duration": 14}
        field["configuration"] = build_configuration(call, details.get("configuration") or today)
    return field


def check_field_name(project: Project, name: str, own: Any = None) -> None:
    """Raise GitHub's 422 for a name that is blank or that another field of the project has."""
    if not name.strip():
        raise invalid("ProjectV2Field", "name", "missing_field")
    if any(each["name"].lower() == name.strip().lower() and each["id"] != own for each in project.fields):
        raise Unprocessable("Name has already been taken")


def check_value(field: Field, value: Any) -> Any:
    """Return a value that a field can have; None clears it. Raise GitHub's 422 for another one."""
    kind = field["data_type"]
    if kind not in CUSTOM_TYPES:
        raise Unprocessable(f"The field of type {kind} is currently not supported.")
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number != (kind == "number"):
        raise Unprocessable(f"Did not receive {_EXPECTED[kind]} to update a field of type {kind}")
    if kind == "text" and len(str(value)) > MAX_TEXT_CHARACTERS:
        raise Unprocessable(f"Text value is too long (maximum is {MAX_TEXT_CHARACTERS} characters)")
    if kind == "date":
        return read_date(value).isoformat()
    if kind == "single_select" and find_option(field, value) is None:
        raise Unprocessable("The single select option Id does not belong to the field")
    if kind == "iteration" and find_iteration(field, value) is None:
        raise Unprocessable("The iteration Id does not belong to the field")
    return value


def find_option(field: Field, option_id: Any) -> dict[str, Any] | None:
    """Return the option of a single select field with an id."""
    return next((each for each in field.get("options", []) if each["id"] == option_id), None)


def find_iteration(field: Field, iteration_id: Any) -> dict[str, Any] | None:
    """Return the iteration of an iteration field with an id."""
    iterations: list[dict[str, Any]] = field.get("configuration", {}).get("iterations", [])
    return next((each for each in iterations if each["id"] == iteration_id), None)


def is_completed(call: Call, iteration: dict[str, Any]) -> bool:
    """Return whether an iteration has ended by the environment's clock."""
    end = date.fromisoformat(iteration["start_date"]).toordinal() + iteration["duration"]
    return end <= date.fromisoformat(call.clock.iso()[:10]).toordinal()
