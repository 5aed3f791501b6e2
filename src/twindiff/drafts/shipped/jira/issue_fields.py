"""Reads the fields of an issue as clients send them, and writes them with their history."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from twindiff.kit.call import Call

from .documents import is_document, split_text
from .issue_views import show_duration
from .site import EPIC_LINK, SPRINT, STORY_POINTS, find_named, find_user, me
from .tables import (
    Component,
    CustomField,
    History,
    Issue,
    IssueType,
    JiraUser,
    Priority,
    Project,
    Resolution,
    Sprint,
    Status,
    Version,
)
from .wire_style import InvalidFields, is_plain_text

MAX_SUMMARY_LETTERS = 255
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([wdhm])", re.IGNORECASE)
_UNITS = {"w": 144_000, "d": 28_800, "h": 3600, "m": 60}
Values = dict[str, Any]


class InvalidField(Exception):
    """A field has a value that it cannot have; the message is Jira's."""


def find_issue(call: Call, said: str) -> Issue | None:
    """Return an issue by key, without regard to case, or id."""
    return call.db.find(Issue, Issue.key == said.upper()) or call.db.find(Issue, Issue.id == said)


def find_project(call: Call, said: str) -> Project | None:
    """Return a project by key, without regard to case, or id."""
    return call.db.find(Project, Project.key == said.upper()) or call.db.find(Project, Project.id == said)


def read_fields(call: Call, given: Mapping[str, Any], project: str, *, is_new: bool) -> Values:
    """Return columns and values of fields; raises InvalidFields with all that are wrong.

    `project` is the key of the issue's project.
    """
    values: Values = {}
    problems: dict[str, str] = {}
    for name, value in given.items():
        read = _READERS.get(name)
        try:
            if read:
                values.update(read(call, value, project))
            elif name not in ("project", "issuetype") or not is_new:
                values.setdefault("custom_fields", {}).update(_read_custom(call, name, value))
        except InvalidField as problem:
            problems[name] = str(problem)
    if problems:
        raise InvalidFields(problems)
    return values


def _read_custom(call: Call, name: str, value: Any) -> Values:
    field = call.db.find(CustomField, CustomField.id == name)
    if field is None:
        raise InvalidField(f"Field '{name}' cannot be set. It is not on the appropriate screen, or unknown.")
    if field.type == "number" and value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InvalidField("Operation value must be a number")
    if field.type == "string" and value is not None and not isinstance(value, str):
        raise InvalidField("Operation value must be a string")
    return {name: value}


def _summary(call: Call, value: Any, project: str) -> Values:
    if not isinstance(value, str) or not value.strip():
        raise InvalidField("You must specify a summary of the issue.")
    if len(value) > MAX_SUMMARY_LETTERS:
        raise InvalidField("Summary can't exceed 255 characters.")
    if "\n" in value or "\r" in value:
        raise InvalidField("The summary is invalid because it contains newline characters.")
    return {"summary": value}


def read_text(call: Call, value: Any) -> tuple[str | None, Any]:
    """Return a text and its document; raises InvalidField for a text in version 3, or a document in version 2."""
    if value is not None and is_plain_text(call) and not isinstance(value, str):
        raise InvalidField("Operation value must be a string")
    if value is not None and not is_plain_text(call) and not is_document(value):
        raise InvalidField("Operation value must be an Atlassian Document (see the Atlassian Document Format)")
    return split_text(value)


def _description(call: Call, value: Any, project: str) -> Values:
    text, document = read_text(call, value)
    return {"description": text, "description_document": document}


def _environment(call: Call, value: Any, project: str) -> Values:
    return {"environment": read_text(call, value)[0]}


def _reference(value: Any) -> tuple[str, str]:
    """Return what names an object: `id`, `name`, `key` or `value`, and its text; `("", "")` if nothing does."""
    if isinstance(value, str):
        return "name", value
    if isinstance(value, dict):
        named = cast(dict[str, Any], value)
        for key in ("id", "name", "key", "value"):
            if isinstance(named.get(key), str | int):
                return key, str(named[key])
    return "", ""


def _one_of(table: Any, label: str, column: str) -> Callable[[Call, Any, str], Values]:
    def read(call: Call, value: Any, project: str) -> Values:
        if value is None:
            return {column: None}
        key, said = _reference(value)
        row = find_named(call, table, said) if said else None
        if row is None:
            raise InvalidField(f"{label} {key or 'name'} '{said}' is not valid")
        return {column: row.name}

    return read


def _issue_type(call: Call, value: Any, project: str) -> Values:
    _, said = _reference(value)
    row = find_named(call, IssueType, said) if said else None
    if row is None:
        raise InvalidField("Specify a valid issue type")
    return {"issue_type": row.name}


def read_person(call: Call, value: Any) -> str | None:
    """Return the account id of a person as a field names it; raises InvalidField for one that does not exist."""
    if value is None:
        return None
    named = cast(dict[str, Any], value) if isinstance(value, dict) else {"name": value}
    said = next((named[key] for key in ("accountId", "id", "name", "emailAddress") if key in named), None)
    if said is None or said == "":
        return None
    user = find_user(call, str(said))
    if user is None:
        raise InvalidField(
            f"Account ID '{said}' does not exist" if "accountId" in named else f"User '{said}' does not exist."
        )
    return user.account_id


def _person(column: str) -> Callable[[Call, Any, str], Values]:
    return lambda call, value, project: {column: read_person(call, value)}


def _labels(call: Call, value: Any, project: str) -> Values:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in cast(list[Any], value)):
        raise InvalidField("Operation value must be an array of strings")
    labels = [*dict.fromkeys(cast(list[str], value))]
    for each in labels:
        if re.search(r"\s", each):
            raise InvalidField(f"The label '{each}' contains spaces which is invalid.")
        if len(each) > MAX_SUMMARY_LETTERS:
            raise InvalidField(f"The label '{each[:20]}…' exceeds the limit of 255 characters.")
    return {"labels": labels}


def _named_list(table: Any, label: str, column: str) -> Callable[[Call, Any, str], Values]:
    def read(call: Call, value: Any, project: str) -> Values:
        if not isinstance(value, list):
            raise InvalidField("Operation value must be an array")
        rows = {row.name: row for row in call.db.rows(table, table.project_key == project)}
        by_id = {row.id: row for row in rows.values()}
        names: list[str] = []
        for each in cast(list[Any], value):
            key, said = _reference(each)
            row = by_id.get(said) or rows.get(said)
            if row is None:
                raise InvalidField(f"{label} {key or 'name'} '{said}' is not valid")
            names.append(row.name)
        return {column: names}

    return read


def _parent(call: Call, value: Any, project: str) -> Values:
    if value is None or (isinstance(value, dict) and cast(dict[str, Any], value).get("none") is True):
        return {"parent": None}
    said = _reference(value)[1]
    parent = find_issue(call, said) if said else None
    if parent is None:
        raise InvalidField("Could not find issue by id or key.")
    return {"parent": parent.key}


def _due_date(call: Call, value: Any, project: str) -> Values:
    if value is not None and not (isinstance(value, str) and _DATE.fullmatch(value)):
        raise InvalidField(f"Error parsing date string: {value}")
    return {"due_date": value}


def read_duration(value: Any) -> int:
    """Return the seconds of `3h 20m`, with days of 8 hours; raises InvalidField."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value * 60
    parts = _DURATION.findall(str(value))
    if not parts or _DURATION.sub("", str(value)).strip():
        raise InvalidField(f"'{value}' is not a valid duration")
    return int(sum(float(number) * _UNITS[unit.lower()] for number, unit in parts))


def _time_tracking(call: Call, value: Any, project: str) -> Values:
    if not isinstance(value, dict):
        raise InvalidField("Operation value must be an object")
    given = cast(dict[str, Any], value)
    values: Values = {}
    for name, column in (
        ("originalEstimate", "original_estimate_seconds"),
        ("remainingEstimate", "remaining_estimate_seconds"),
    ):
        if name in given:
            values[column] = read_duration(given[name])
    if "originalEstimate" in given and "remainingEstimate" not in given:
        values["remaining_estimate_seconds"] = values["original_estimate_seconds"]
    return values


def _story_points(call: Call, value: Any, project: str) -> Values:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InvalidField("Operation value must be a number")
    return {"story_points": value}


def _sprint(call: Call, value: Any, project: str) -> Values:
    if value is None:
        return {"sprint_id": None}
    sprint = call.db.find(Sprint, Sprint.id == value) if isinstance(value, int) else None
    if sprint is None:
        raise InvalidField(
            "Number value expected as the Sprint id."
            if not isinstance(value, int)
            else f"Sprint with id {value} does not exist"
        )
    return {"sprint_id": sprint.id}


_READERS: dict[str, Callable[[Call, Any, str], Values]] = {
    "summary": _summary,
    "description": _description,
    "environment": _environment,
    "issuetype": _issue_type,
    "priority": _one_of(Priority, "Priority", "priority"),
    "resolution": _one_of(Resolution, "Resolution", "resolution"),
    "assignee": _person("assignee"),
    "reporter": _person("reporter"),
    "labels": _labels,
    "components": _named_list(Component, "Component", "components"),
    "fixVersions": _named_list(Version, "Version", "fix_versions"),
    "versions": _named_list(Version, "Version", "versions"),
    "parent": _parent,
    EPIC_LINK: _parent,
    "duedate": _due_date,
    "timetracking": _time_tracking,
    STORY_POINTS: _story_points,
    SPRINT: _sprint,
}
EDITABLE = tuple(_READERS)
_HISTORY = {
    "summary": "summary", "description": "description", "environment": "environment", "issue_type": "issuetype",
    "status": "status", "priority": "priority", "resolution": "resolution", "assignee": "assignee",
    "reporter": "reporter", "labels": "labels", "components": "Component", "fix_versions": "Fix Version",
    "versions": "Version", "parent": "IssueParentAssociation", "due_date": "duedate", "sprint_id": "Sprint",
    "story_points": "Story point estimate", "original_estimate_seconds": "timeoriginalestimate",
    "remaining_estimate_seconds": "timeestimate", "rank": "Rank",
}  # fmt: skip
_TABLES: dict[str, Any] = {"issue_type": IssueType, "status": Status, "priority": Priority, "resolution": Resolution}


def change_issue(call: Call, issue: Issue, values: Mapping[str, Any]) -> Issue:
    """Write values that differ, with the time and a record of the change; returns the issue as it is then."""
    values = dict(values)
    if "custom_fields" in values:
        values["custom_fields"] = {**issue.custom_fields, **values["custom_fields"]}
    changed = {name: value for name, value in values.items() if getattr(issue, name) != value}
    if not changed:
        return issue
    now = call.clock.iso()
    items = [_item(call, issue, name, changed[name]) for name in changed if name in _HISTORY]
    for name, value in changed.get("custom_fields", {}).items():
        if issue.custom_fields.get(name) != value:
            items.append(_plain_item(name, issue.custom_fields.get(name), value, "custom"))
    if items:
        history = str(10_000 + call.db.next("history"))
        author = me(call).account_id
        call.db.add(History(id=history, issue_key=issue.key, author=author, items=items, created=now))
    return call.db.change(issue, **changed, updated=now)


def _item(call: Call, issue: Issue, column: str, value: Any) -> dict[str, Any]:
    before = getattr(issue, column)
    item = _plain_item(_HISTORY[column], before, value, "jira")
    if column in _TABLES:
        for key, name in (("from", before), ("to", value)):
            row = find_named(call, _TABLES[column], name) if name else None
            item[key] = row.id if row else None
    elif column in ("assignee", "reporter"):
        item["from"], item["to"] = before, value
        for key, account in (("fromString", before), ("toString", value)):
            user = call.db.find(JiraUser, JiraUser.account_id == account) if account else None
            item[key] = user.display_name if user else None
    elif column == "sprint_id":
        for key, text, number in (("from", "fromString", before), ("to", "toString", value)):
            sprint = call.db.find(Sprint, Sprint.id == number) if number else None
            item[key], item[text] = (str(number), sprint.name) if sprint else ("", "")
    return item


def _plain_item(field: str, before: Any, after: Any, kind: str) -> dict[str, Any]:
    shown = {"fromString": _as_text(field, before), "toString": _as_text(field, after)}
    return {"field": field, "fieldtype": kind, "fieldId": field, "from": None, "to": None, **shown}


def _as_text(field: str, value: Any) -> str | None:
    if field.startswith("time") and isinstance(value, int):
        return show_duration(value)
    if isinstance(value, list):
        return " ".join(str(each) for each in cast(list[Any], value))
    return None if value is None else str(value)
