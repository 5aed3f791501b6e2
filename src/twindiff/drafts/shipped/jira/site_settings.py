"""Votes, permissions, schemes, types and counts of a site.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permissions/
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import micros_of
from twindiff.kit.twin import Operations

from ..document_collections import DocumentRequest
from .issue_parts import list_remote_links
from .issues import get_issue_or_refuse
from .projects import get_project_or_refuse
from .site import find_user, me
from .site_collections import PROPERTIES, VOTES
from .site_views import address, show_link_type, show_person, show_profile, show_project, show_type
from .tables import Component, Issue, IssueLinkType, IssueType, JiraUser, Project, RemoteLink, Status, Version, Worklog
from .wire_style import InvalidFields, JiraError, NoSuchObject, page_values

api = Operations()
Shown = dict[str, Any]
_PERMISSIONS = (
    "ADD_COMMENTS", "ADMINISTER", "ADMINISTER_PROJECTS", "ASSIGN_ISSUES", "BROWSE_PROJECTS", "CLOSE_ISSUES",
    "CREATE_ATTACHMENTS", "CREATE_ISSUES", "DELETE_ALL_COMMENTS", "DELETE_ISSUES", "EDIT_ALL_COMMENTS", "EDIT_ISSUES",
    "LINK_ISSUES", "MANAGE_SPRINTS_PERMISSION", "MANAGE_WATCHERS", "MOVE_ISSUES", "RESOLVE_ISSUES", "SCHEDULE_ISSUES",
    "TRANSITION_ISSUES", "VIEW_VOTERS_AND_WATCHERS", "WORK_ON_ISSUES",
)  # fmt: skip
_PROJECT_TYPES = (("software", "Software"), ("business", "Business"), ("service_desk", "Service Management"))


@api.get("/issue/{issueIdOrKey}/votes")
def get_votes(call: Call, issue_id_or_key: str) -> Shown:
    """Return who voted for an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    accounts = [row.key for row in VOTES.rows_in(call, issue.key)]
    voters = [show_person(call, user) for each in accounts if (user := find_user(call, each))]
    about = {"self": address(call, f"issue/{issue.key}/votes"), "votes": len(accounts)}
    return {**about, "hasVoted": me(call).account_id in accounts, "voters": voters}


@api.post("/issue/{issueIdOrKey}/votes", status=204)
def post_vote(call: Call, issue_id_or_key: str) -> None:
    """Vote for an issue."""
    issue, account = get_issue_or_refuse(call, issue_id_or_key), me(call).account_id
    if issue.reporter == account:
        raise NoSuchObject("You cannot vote for an issue you have reported.")
    if VOTES.find_in(call, issue.key, account) is None:
        VOTES.add(DocumentRequest(call, {"key": issue.key}), {"account": account})


@api.delete("/issue/{issueIdOrKey}/votes", status=204)
def delete_vote(call: Call, issue_id_or_key: str) -> None:
    """Take the caller's vote from an issue."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    row = VOTES.find_in(call, issue.key, me(call).account_id)
    if row is None:
        raise NoSuchObject("Cannot remove a vote for an issue that the user has not voted for.")
    call.db.remove(row)


@api.get("/project/{projectIdOrKey}/properties")
def list_project_properties(call: Call, project_id_or_key: str) -> Shown:
    """List the keys of a project's properties."""
    project = get_project_or_refuse(call, project_id_or_key)
    path = f"project/{project.id}/properties"
    rows = PROPERTIES.rows_in(call, project.id)
    return {"keys": [{"self": address(call, f"{path}/{row.key}"), "key": row.key} for row in rows]}


@api.get("/project/{projectIdOrKey}/properties/{propertyKey}")
def get_project_property(call: Call, project_id_or_key: str, property_key: str) -> Shown:
    """Return a property of a project."""
    project = get_project_or_refuse(call, project_id_or_key)
    row = PROPERTIES.find_in(call, project.id, property_key)
    if row is None:
        raise NoSuchObject(f"The property {property_key} does not exist.")
    return {"key": row.key, "value": row.fields["value"]}


@api.get("/mypermissions")
def get_my_permissions(call: Call, permissions: str = "") -> Shown:
    """Return which permissions the caller has."""
    wanted = permissions.split(",") if permissions else [*_PERMISSIONS]
    unknown = [each for each in wanted if each not in _PERMISSIONS]
    if unknown:
        raise JiraError(f"Unrecognized permission(s): {', '.join(unknown)}")
    return {"permissions": {key: _show_permission(number, key) for number, key in enumerate(wanted, 1)}}


def _show_permission(number: int, key: str) -> Shown:
    name = key.replace("_", " ").capitalize()
    is_global = key == "ADMINISTER"
    kind = "GLOBAL" if is_global else "PROJECT"
    return {"id": str(number), "key": key, "name": name, "type": kind, "description": name, "havePermission": True}


@api.get("/permissions")
def list_permissions(call: Call) -> Shown:
    """Return all permissions by key."""
    shown = {key: _show_permission(number, key) for number, key in enumerate(_PERMISSIONS, 1)}
    hidden = ("id", "havePermission")
    return {
        "permissions": {
            key: {name: value for name, value in each.items() if name not in hidden} for key, each in shown.items()
        }
    }


@api.get("/permissionscheme")
def list_permission_schemes(call: Call) -> Shown:
    """List the permission schemes."""
    scheme = {"expand": "permissions,user,group,projectRole,field,all", "id": 0, "name": "Default Permission Scheme"}
    about = {"self": address(call, "permissionscheme/0"), "description": "Default scheme of permissions."}
    return {"permissionSchemes": [{**scheme, **about}]}


@api.get("/configuration")
def get_site_configuration(call: Call) -> Shown:
    """Return which features the site has."""
    units = {"workingHoursPerDay": 8.0, "workingDaysPerWeek": 5.0, "timeFormat": "pretty", "defaultUnit": "minute"}
    return {
        "votingEnabled": True, "watchingEnabled": True, "unassignedIssuesAllowed": True, "subTasksEnabled": True,
        "issueLinkingEnabled": True, "timeTrackingEnabled": True, "attachmentsEnabled": True,
        "timeTrackingConfiguration": units,
    }  # fmt: skip


@api.get("/attachment/meta")
def get_attachment_settings(call: Call) -> Shown:
    """Return whether files can be attached, and how large."""
    return {"enabled": True, "uploadLimit": 10_485_760}


@api.get("/project/type")
def list_project_types(call: Call) -> list[Shown]:
    """List the types of projects."""
    return [_show_project_type(key, name) for key, name in _PROJECT_TYPES]


def _show_project_type(key: str, name: str) -> Shown:
    return {"key": key, "formattedKey": name, "descriptionI18nKey": f"jira.project.type.{key}.description",
            "icon": "", "color": "#999999"}  # fmt: skip


@api.get("/project/recent")
def list_recent_projects(call: Call) -> list[Shown]:
    """List the projects that the caller looked at last."""
    return [show_project(call, each) for each in call.db.rows(Project, order=Project.key, limit=20)]


@api.get("/issuesecurityschemes")
def list_security_schemes(call: Call) -> Shown:
    """List the security schemes, of which a new site has none."""
    return {"issueSecuritySchemes": []}


@api.get("/notificationscheme")
def list_notification_schemes(call: Call, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the notification schemes."""
    scheme: Shown = {
        "id": 10_000,
        "name": "Default Notification Scheme",
        "description": "",
        "notificationSchemeEvents": [],
    }
    shown = {"expand": "all,field,group,notificationSchemeEvents,projectRole,user", **scheme}
    return page_values([{**shown, "self": address(call, "notificationscheme/10000")}], start_at, max_results)


@api.get("/workflow")
def list_workflows(call: Call) -> list[Shown]:
    """List the workflows."""
    count = call.db.count(Status)
    return [{"name": "jira", "description": "The default Jira workflow.", "steps": count, "default": True}]


@api.get("/workflow/search")
def search_workflows(call: Call, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the workflows in pages."""
    one = {"id": {"name": "jira"}, "description": "The default Jira workflow.", "isDefault": True}
    return page_values([one], start_at, max_results)


@api.get("/screens")
def list_screens(call: Call, start_at: int = 0, max_results: int = 100) -> Shown:
    """List the screens."""
    one = {"id": 1, "name": "Default Screen", "description": "Allows to update all system fields."}
    return page_values([one], start_at, max_results)


@api.post("/issuetype", status=201)
def post_issue_type(call: Call, name: str = "", description: str = "", hierarchy_level: int = 0) -> Shown:
    """Create a type of issues."""
    if not name:
        raise InvalidFields({"name": "You must specify a name."})
    if call.db.find(IssueType, IssueType.name.equals(name)):
        raise JiraError("An issue type with this name already exists.")
    number = str(10_100 + call.db.next("issue type"))
    row = IssueType(id=number, name=name, description=description, hierarchy_level=hierarchy_level)
    return show_type(call, call.db.add(row))


@api.put("/issuetype/{id}")
def put_issue_type(call: Call, id: str, name: str | None = None, description: str | None = None) -> Shown:
    """Change a type of issues."""
    row = call.db.find(IssueType, IssueType.id == id)
    if row is None:
        raise NoSuchObject(f"The issue type with id '{id}' does not exist.")
    about = row.description if description is None else description
    return show_type(call, call.db.change(row, name=name or row.name, description=about))


@api.post("/issueLinkType", status=201)
def post_link_type(call: Call, name: str = "", inward: str = "", outward: str = "") -> Shown:
    """Create a kind of links."""
    missing = [each for each, value in (("name", name), ("inward", inward), ("outward", outward)) if not value]
    if missing:
        raise InvalidFields({each: f"The {each} must be given." for each in missing})
    if call.db.find(IssueLinkType, IssueLinkType.name.equals(name)):
        raise JiraError(f"An issue link type with name '{name}' already exists.")
    number = str(10_100 + call.db.next("link type"))
    return show_link_type(call, call.db.add(IssueLinkType(id=number, name=name, inward=inward, outward=outward)))


@api.delete("/issueLinkType/{issueLinkTypeId}", status=204)
def delete_link_type(call: Call, issue_link_type_id: str) -> None:
    """Remove a kind of links."""
    row = call.db.find(IssueLinkType, IssueLinkType.id == issue_link_type_id)
    if row is None:
        raise NoSuchObject(f"No issue link type with id '{issue_link_type_id}' found.")
    call.db.remove(row)


@api.get("/user/picker")
def pick_users(call: Call, query: str, max_results: int = 50) -> Shown:
    """Find people whose name or address has a text."""
    word = query.lower()
    rows = [
        row
        for row in call.db.rows(JiraUser, order=JiraUser.display_name)
        if word in row.display_name.lower() or word in (row.email_address or "").lower()
    ]
    shown = [
        {"accountId": row.account_id, "accountType": "atlassian", "displayName": row.display_name,
         "html": f"{row.display_name} - {row.email_address}"}
        for row in rows[:max_results]
    ]  # fmt: skip
    header = f"Showing {len(shown)} of {len(rows)} matching users"
    return {"users": shown, "total": len(rows), "header": header}


@api.get("/user/bulk")
def list_people(call: Call, account_id: list[str], start_at: int = 0, max_results: int = 10) -> Shown:
    """Return people by account."""
    rows = [user for each in account_id if (user := find_user(call, each))]
    return page_values([show_profile(call, each) for each in rows], start_at, max_results)


@api.get("/issue/{issueIdOrKey}/remotelink/{linkId}")
def get_remote_link(call: Call, issue_id_or_key: str, link_id: int) -> Shown:
    """Return a link of an issue to what is outside of Jira."""
    shown = [each for each in list_remote_links(call, issue_id_or_key) if each["id"] == link_id]
    if not shown:
        raise NoSuchObject(f"No remote link with id '{link_id}' exists.")
    return shown[0]


@api.put("/issue/{issueIdOrKey}/remotelink/{linkId}", status=204)
def put_remote_link(call: Call, issue_id_or_key: str, link_id: int, object: dict[str, Any]) -> None:
    """Change a link of an issue to what is outside of Jira."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    link = call.db.find(RemoteLink, RemoteLink.id == link_id, RemoteLink.issue_key == issue.key)
    if link is None:
        raise NoSuchObject(f"No remote link with id '{link_id}' exists.")
    if not object.get("url") or not object.get("title"):
        raise InvalidFields({"object": "'url' and 'title' are required."})
    call.db.change(link, object=object)


@api.get("/worklog/updated")
def list_updated_worklogs(call: Call, since: int = 0) -> Shown:
    """List which worklogs changed since a time in milliseconds."""
    rows = [(row.id, micros_of(datetime.fromisoformat(row.updated)) // 1000) for row in call.db.rows(Worklog)]
    changed: list[Shown] = [
        {"worklogId": int(id), "updatedTime": at, "properties": []} for id, at in rows if at >= since
    ]
    until = max((each["updatedTime"] for each in changed), default=since)
    return {"values": changed, "since": since, "until": until, "lastPage": True,
            "self": address(call, f"worklog/updated?since={since}")}  # fmt: skip


@api.get("/version/{id}/relatedIssueCounts")
def count_version_issues(call: Call, id: str) -> Shown:
    """Return how many issues are fixed in a version or affected by it."""
    version = _find_version(call, id)
    fixed, affected = _count_issues(call, version, "fix_versions"), _count_issues(call, version, "versions")
    counts: Shown = {"issuesFixedCount": fixed, "issuesAffectedCount": affected, "customFieldUsage": []}
    return {"self": address(call, f"version/{id}"), **counts, "issueCountWithCustomFieldsShowingVersion": 0}


@api.get("/version/{id}/unresolvedIssueCount")
def count_unresolved_issues(call: Call, id: str) -> Shown:
    """Return how many issues of a version are not resolved."""
    version = _find_version(call, id)
    rows = call.db.rows(Issue, Issue.project_key == version.project_key)
    of = [each for each in rows if version.name in cast(list[str], each.fix_versions)]
    count = sum(each.resolution is None for each in of)
    return {"self": address(call, f"version/{id}"), "issuesUnresolvedCount": count, "issuesCount": len(of)}


def _find_version(call: Call, id: str) -> Version:
    version = call.db.find(Version, Version.id == id)
    if version is None:
        raise NoSuchObject(f"Could not find version for id '{id}'")
    return version


def _count_issues(call: Call, version: Version, column: str) -> int:
    rows = call.db.rows(Issue, Issue.project_key == version.project_key)
    return sum(version.name in cast(list[str], getattr(each, column)) for each in rows)


@api.get("/component/{id}/relatedIssueCounts")
def count_component_issues(call: Call, id: str) -> Shown:
    """Return how many issues have a component."""
    component = call.db.find(Component, Component.id == id)
    if component is None:
        raise NoSuchObject(f"The component with id {id} does not exist.")
    rows = call.db.rows(Issue, Issue.project_key == component.project_key)
    count = sum(component.name in cast(list[str], each.components) for each in rows)
    return {"self": address(call, f"component/{id}"), "issueCount": count}
