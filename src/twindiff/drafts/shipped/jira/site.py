"""What every Jira site has: statuses, types, priorities and the person who calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from twindiff.kit.call import Call
from twindiff.kit.seeding import Person
from twindiff.kit.twin import Rows

from .tables import (
    CustomField,
    IssueLinkType,
    IssueType,
    JiraUser,
    Priority,
    Resolution,
    Status,
)
from .wire_style import NoSuchObject

T = TypeVar("T")
AGENT = "712020:00000000-0000-4000-8000-000000000001"
STORY_POINTS, SPRINT, EPIC_LINK = "customfield_10016", "customfield_10020", "customfield_10014"
_SCHEMES = {
    "issue_types": [
        ("10000", "Epic", "A collection of related bugs, stories, and tasks.", 1),
        ("10001", "Story", "Functionality or a feature expressed as a user goal.", 0),
        ("10002", "Task", "A small, distinct piece of work.", 0),
        ("10003", "Bug", "A problem or error.", 0),
        ("10004", "Sub-task", "A small piece of work that's part of a larger task.", -1),
    ],
    "statuses": [
        ("10000", "To Do", "new", "11"),
        ("3", "In Progress", "indeterminate", "21"),
        ("10001", "Done", "done", "31"),
    ],
    "priorities": [(str(n), name, n) for n, name in enumerate(("Highest", "High", "Medium", "Low", "Lowest"), 1)],
    "resolutions": [
        ("10000", "Done", "Work has been completed on this issue."),
        ("10001", "Won't Do", "This issue won't be actioned."),
        ("10002", "Duplicate", "The problem is a duplicate of an existing issue."),
        ("10003", "Cannot Reproduce", "The issue could not be reproduced."),
    ],
    "issue_link_types": [
        ("10000", "Blocks", "is blocked by", "blocks"),
        ("10001", "Cloners", "is cloned by", "clones"),
        ("10002", "Duplicate", "is duplicated by", "duplicates"),
        ("10003", "Relates", "relates to", "relates to"),
    ],
    "custom_fields": [
        (STORY_POINTS, "Story point estimate", "number", "com.pyxis.greenhopper.jira:jsw-story-points"),
        (SPRINT, "Sprint", "array", "com.pyxis.greenhopper.jira:gh-sprint"),
        (EPIC_LINK, "Epic Link", "any", "com.pyxis.greenhopper.jira:gh-epic-link"),
    ],
    "users": [(AGENT, "agent@example.com", "Agent")],
}  # fmt: skip
SCHEME_TABLES: dict[str, Any] = {
    "issue_types": IssueType, "statuses": Status, "priorities": Priority, "resolutions": Resolution,
    "issue_link_types": IssueLinkType, "custom_fields": CustomField, "users": JiraUser,
}  # fmt: skip
_COLUMNS = {
    "issue_types": ("id", "name", "description", "hierarchy_level"),
    "statuses": ("id", "name", "category", "transition_id"),
    "priorities": ("id", "name", "sequence"),
    "resolutions": ("id", "name", "description"),
    "issue_link_types": ("id", "name", "inward", "outward"),
    "custom_fields": ("id", "name", "type", "custom"),
    "users": ("account_id", "email_address", "display_name"),
}


def site_rows() -> Rows:
    """Return the rows that every site has, the person of the API token among them."""
    return {
        table: [dict(zip(_COLUMNS[table], values, strict=True)) for values in given]
        for table, given in _SCHEMES.items()
    }


def read_once(call: Call, name: str, read: Callable[[], T]) -> T:
    """Return what `read` returned when it was first called under this name in the operation."""
    if name not in call.memo:
        call.memo[name] = read()
    return call.memo[name]


def me(call: Call) -> JiraUser:
    """Return the caller: the acting user, else the first person of the site."""
    acting = call.db.find(JiraUser, JiraUser.account_id == call.actor) if call.actor else None
    user = acting or call.db.find(JiraUser)
    if user is None:
        raise NoSuchObject("The user does not exist.")
    return user


def find_user(call: Call, said: str) -> JiraUser | None:
    """Return a person by account id, address or display name."""
    return (
        call.db.find(JiraUser, JiraUser.account_id == said)
        or call.db.find(JiraUser, JiraUser.email_address.equals(said))
        or call.db.find(JiraUser, JiraUser.display_name.equals(said))
    )


def add_user(call: Call, person: Person) -> JiraUser:
    """Return the user of a person, added if the site has none with the address."""
    known = call.db.find(JiraUser, JiraUser.email_address.equals(person.email))
    if known:
        return known
    account = f"712020:{call.ids.uuid()}"
    return call.db.add(
        JiraUser(account_id=account, email_address=person.email, display_name=person.name, time_zone=person.timezone)
    )


def find_named(call: Call, table: Any, said: str) -> Any:
    """Return the status, type, priority, … with an id or a name, without regard to case; None if there is none."""
    return call.db.find(table, table.id == said) or call.db.find(table, table.name.equals(said))


def ensure_named(call: Call, table: str, name: str) -> str:
    """Return the name of a status, type or priority as the site writes it, added if it has none of that name."""
    row = find_named(call, SCHEME_TABLES[table], name)
    if row:
        return row.name
    number = 10100 + call.db.next(f"{table}_added")
    extra: dict[str, dict[str, Any]] = {
        "statuses": {"category": _category_of(name), "transition_id": str(number)},
        "priorities": {"sequence": number},
    }
    call.db.add(SCHEME_TABLES[table](id=str(number), name=name, **extra.get(table, {})))
    return name


def _category_of(status: str) -> str:
    word = status.lower()
    if word in ("closed", "resolved", "done", "released", "cancelled", "canceled", "complete", "completed"):
        return "done"
    return "new" if word in ("open", "backlog", "to do", "todo", "new", "selected for development") else "indeterminate"
