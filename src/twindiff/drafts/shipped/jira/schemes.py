"""People, fields, statuses, types and priorities of a site.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users/
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.rows import any_of
from twindiff.kit.twin import Operations

from .issue_fields import EDITABLE, find_issue
from .issue_views import NOT_NAVIGABLE, SHOWN
from .issues import describe_schema, label_field
from .projects import get_project_or_refuse
from .site import find_named, find_user, me
from .site_views import (
    CATEGORIES,
    address,
    show_field,
    show_link_type,
    show_priority,
    show_profile,
    show_resolution,
    show_status,
    show_type,
)
from .tables import CustomField, Issue, IssueLinkType, IssueType, JiraUser, Priority, Resolution, Status
from .wire_style import InvalidFields, JiraError, NoSuchObject, page_values, show_agile_time

api = Operations()
Shown = dict[str, Any]


@api.get("/myself")
def get_myself(call: Call) -> Shown:
    """Return the caller."""
    return {
        **show_profile(call, me(call)),
        "groups": {"size": 1, "items": []},
        "applicationRoles": {"size": 1, "items": []},
        "expand": "groups,applicationRoles",
    }


@api.get("/serverInfo")
def get_server_info(call: Call) -> Shown:
    """Return what the site is."""
    now = show_agile_time(call.clock.iso())
    return {
        "baseUrl": call.base_url,
        "version": "1001.0.0-SNAPSHOT",
        "versionNumbers": [1001, 0, 0],
        "deploymentType": "Cloud",
        "buildNumber": 100290,
        "buildDate": now,
        "serverTime": now,
        "scmInfo": "0",
        "serverTitle": "Jira",
    }


@api.get("/user")
def get_user(call: Call, account_id: str = "", username: str = "", key: str = "") -> Shown:
    """Return a person by account."""
    user = find_user(call, account_id or username or key)
    if user is None:
        raise NoSuchObject("Specified user does not exist or you do not have required permissions")
    return show_profile(call, user)


def _find_people(call: Call, query: str, start: int, most: int) -> list[Shown]:
    where = (
        [
            any_of(
                JiraUser.display_name.contains(query, fold=True),
                JiraUser.email_address.contains(query, fold=True),
                JiraUser.account_id == query,
            )
        ]
        if query
        else []
    )
    rows = call.db.rows(JiraUser, JiraUser.active, *where, order=JiraUser.display_name, limit=most, offset=start)
    return [show_profile(call, each) for each in rows]


@api.get("/user/search")
def search_users(
    call: Call, query: str = "", username: str = "", account_id: str = "", start_at: int = 0, max_results: int = 50
) -> list[Shown]:
    """Find people by name and address."""
    if not (query or username or account_id):
        raise JiraError("One of the following query parameters is required: query, accountId, property")
    return _find_people(call, query or username or account_id, start_at, max_results)


@api.get("/users/search")
def list_users(call: Call, start_at: int = 0, max_results: int = 50) -> list[Shown]:
    """List all people."""
    return _find_people(call, "", start_at, max_results)


@api.get("/users")
def list_all_users(call: Call, start_at: int = 0, max_results: int = 50) -> list[Shown]:
    """List all people."""
    return _find_people(call, "", start_at, max_results)


@api.get("/user/assignable/search")
def search_assignable(
    call: Call,
    query: str = "",
    project: str = "",
    issue_key: str = "",
    account_id: str = "",
    start_at: int = 0,
    max_results: int = 50,
) -> list[Shown]:
    """Find people to whom issues can be assigned."""
    if project:
        get_project_or_refuse(call, project)
    if issue_key and find_issue(call, issue_key) is None:
        raise NoSuchObject("Issue does not exist or you do not have permission to see it.")
    return _find_people(call, query or account_id, start_at, max_results)


@api.get("/field")
def list_fields(call: Call) -> list[Shown]:
    """List the fields of issues."""
    system = [
        {
            "id": name,
            "key": name,
            "name": label_field(name),
            "custom": False,
            "orderable": name in EDITABLE,
            "navigable": name not in NOT_NAVIGABLE,
            "searchable": True,
            "clauseNames": [name.lower()],
            "schema": {"type": describe_schema(name), "system": name},
        }
        for name in SHOWN
        if not name.startswith("customfield_")
    ]
    return [*system, *(show_field(each) for each in call.db.rows(CustomField))]


@api.get("/field/search")
def search_fields(call: Call, query: str = "", start_at: int = 0, max_results: int = 50) -> Shown:
    """Find fields by name."""
    fields = [each for each in list_fields(call) if query.lower() in each["name"].lower()]
    names = ("id", "key", "name", "schema")
    shown = [{name: each[name] for name in names if each.get(name)} | {"isLocked": False} for each in fields]
    return page_values(shown, start_at, max_results)


@api.post("/field", status=201)
def post_field(call: Call, name: str = "", type: str = "", description: str = "") -> Shown:
    """Add a field to the site."""
    if not name.strip():
        raise InvalidFields({"name": "The field name cannot be empty."})
    kinds = {"float": "number", "datepicker": "date", "datetime": "datetime", "labels": "array"}
    kind = kinds.get(type.rpartition(":")[2], "string")
    number = 10_030 + call.db.next("custom field")
    field = CustomField(id=f"customfield_{number}", name=name, type=kind, custom=type, description=description)
    return show_field(call.db.add(field))


def _get_named(call: Call, table: Any, kind: str, said: str) -> Any:
    row = find_named(call, table, said)
    if row is None:
        raise NoSuchObject(f"The {kind} with the id '{said}' does not exist")
    return row


@api.get("/status")
def list_statuses(call: Call) -> list[Shown]:
    """List the statuses."""
    return [show_status(call, each) for each in call.db.rows(Status)]


@api.get("/status/{idOrName}")
def get_status(call: Call, id_or_name: str) -> Shown:
    """Return a status."""
    return show_status(call, _get_named(call, Status, "status", id_or_name))


@api.get("/statuses/search")
def search_statuses(call: Call, search_string: str = "", start_at: int = 0, max_results: int = 200) -> Shown:
    """Find statuses by name."""
    shown = [
        {
            "id": each.id,
            "name": each.name,
            "statusCategory": _write_category(each.category),
            "description": "",
            "scope": {"type": "GLOBAL"},
        }
        for each in call.db.rows(Status)
        if search_string.lower() in each.name.lower()
    ]
    return page_values(shown, start_at, max_results)


def _write_category(key: str) -> str:
    """Return a category as this operation writes it: `IN_PROGRESS`, and `To Do` without a space."""
    return CATEGORIES[key]["name"].upper().replace("TO ", "TO").replace(" ", "_")


@api.get("/statuscategory")
def list_categories(call: Call) -> list[Shown]:
    """List the categories of statuses."""
    return [{"self": address(call, f"statuscategory/{each['id']}"), **each} for each in CATEGORIES.values()]


@api.get("/issuetype")
def list_types(call: Call) -> list[Shown]:
    """List the types of issues."""
    return [show_type(call, each) for each in call.db.rows(IssueType)]


@api.get("/issuetype/{id}")
def get_type(call: Call, id: str) -> Shown:
    """Return a type of issues."""
    return show_type(call, _get_named(call, IssueType, "issue type", id))


@api.get("/issuetype/project")
def list_types_of_project(call: Call, project_id: str) -> list[Shown]:
    """List the types of issues of a project."""
    get_project_or_refuse(call, project_id)
    return list_types(call)


@api.get("/priority")
def list_priorities(call: Call) -> list[Shown]:
    """List the priorities, the highest first."""
    return [show_priority(call, each) for each in call.db.rows(Priority, order=Priority.sequence)]


@api.get("/priority/search")
def search_priorities(call: Call, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the priorities, page by page."""
    return page_values(list_priorities(call), start_at, max_results)


@api.get("/priority/{id}")
def get_priority(call: Call, id: str) -> Shown:
    """Return a priority."""
    return show_priority(call, _get_named(call, Priority, "priority", id))


@api.get("/resolution")
def list_resolutions(call: Call) -> list[Shown]:
    """List the resolutions."""
    return [show_resolution(call, each) for each in call.db.rows(Resolution)]


@api.get("/resolution/{id}")
def get_resolution(call: Call, id: str) -> Shown:
    """Return a resolution."""
    return show_resolution(call, _get_named(call, Resolution, "resolution", id))


@api.get("/issueLinkType")
def list_link_types(call: Call) -> Shown:
    """List the kinds of links."""
    return {"issueLinkTypes": [show_link_type(call, each) for each in call.db.rows(IssueLinkType)]}


@api.get("/issueLinkType/{issueLinkTypeId}")
def get_link_type(call: Call, issue_link_type_id: str) -> Shown:
    """Return a kind of links."""
    return show_link_type(call, _get_named(call, IssueLinkType, "issue link type", issue_link_type_id))


@api.get("/label")
def list_labels(call: Call, start_at: int = 0, max_results: int = 1000) -> Shown:
    """List the labels in use."""
    used = {label for (labels,) in call.db.rows(Issue, columns=(Issue.labels,)) for label in labels}
    return page_values(sorted(used), start_at, max_results)
