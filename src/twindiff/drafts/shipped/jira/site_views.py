"""Shows people, projects and the site's schemes as Jira writes them."""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call

from .tables import (
    Component,
    CustomField,
    IssueLinkType,
    IssueType,
    JiraUser,
    Priority,
    Project,
    Resolution,
    Status,
    Version,
)
from .wire_style import is_plain_text

Shown = dict[str, Any]
CATEGORIES: dict[str, Shown] = {
    "undefined": {"id": 1, "key": "undefined", "colorName": "medium-gray", "name": "No Category"},
    "new": {"id": 2, "key": "new", "colorName": "blue-gray", "name": "To Do"},
    "done": {"id": 3, "key": "done", "colorName": "green", "name": "Done"},
    "indeterminate": {"id": 4, "key": "indeterminate", "colorName": "yellow", "name": "In Progress"},
}
_SIZES = ("48x48", "24x24", "16x16", "32x32")


def address(call: Call, path: str) -> str:
    """Return the address of an object in the version of the API that was called."""
    return f"{call.base_url}/rest/api/{2 if is_plain_text(call) else 3}/{path}"


def _avatars(call: Call, kind: str, key: str) -> dict[str, str]:
    return dict.fromkeys(_SIZES, f"{call.base_url}/rest/api/3/universal_avatar/view/type/{kind}/avatar/{key}")


def show_user(call: Call, account_id: str | None) -> Shown | None:
    """Return a person as issues show them; None without one."""
    user = call.db.find(JiraUser, JiraUser.account_id == account_id) if account_id else None
    return show_person(call, user) if user else None


def show_person(call: Call, user: JiraUser) -> Shown:
    """Return a person as what belongs to one shows it."""
    return {
        "self": address(call, f"user?accountId={user.account_id}"),
        "accountId": user.account_id,
        "accountType": "atlassian",
        "emailAddress": user.email_address or "",
        "avatarUrls": _avatars(call, "user", user.account_id),
        "displayName": user.display_name,
        "active": user.active,
        "timeZone": user.time_zone,
    }


def show_profile(call: Call, user: JiraUser) -> Shown:
    """Return a person as requests for people show one."""
    return {**show_person(call, user), "locale": "en_US"}


def show_project(call: Call, project: Project) -> Shown:
    """Return a project as issues and lists show it."""
    return {
        "self": address(call, f"project/{project.id}"),
        "id": project.id,
        "key": project.key,
        "name": project.name,
        "projectTypeKey": project.project_type_key,
        "simplified": False,
        "avatarUrls": _avatars(call, "project", project.id),
    }


def show_whole_project(call: Call, project: Project) -> Shown:
    """Return a project with its lead, types, components and versions."""
    components = call.db.rows(Component, Component.project_key == project.key)
    versions = call.db.rows(Version, Version.project_key == project.key)
    return {
        "expand": "description,lead,issueTypes,url,projectKeys,permissions,insight",
        **show_project(call, project),
        "description": project.description,
        "lead": show_user(call, project.lead),
        "components": [show_component(call, each) for each in components],
        "issueTypes": [show_type(call, each) for each in call.db.rows(IssueType)],
        "assigneeType": "UNASSIGNED",
        "versions": [show_version(call, each) for each in versions],
        "roles": {},
        "style": "classic",
        "isPrivate": False,
        "properties": {},
    }


def show_status(call: Call, status: Status) -> Shown:
    """Return a status with its category."""
    category = CATEGORIES[status.category]
    return {
        "self": address(call, f"status/{status.id}"),
        "description": "",
        "iconUrl": f"{call.base_url}/images/icons/statuses/generic.png",
        "name": status.name,
        "id": status.id,
        "statusCategory": {"self": address(call, f"statuscategory/{category['id']}"), **category},
    }


def show_type(call: Call, kind: IssueType) -> Shown:
    """Return a type of issues."""
    return {
        "self": address(call, f"issuetype/{kind.id}"),
        "id": kind.id,
        "description": kind.description,
        "iconUrl": f"{call.base_url}/rest/api/2/universal_avatar/view/type/issuetype/avatar/{kind.id}",
        "name": kind.name,
        "subtask": kind.hierarchy_level < 0,
        "hierarchyLevel": kind.hierarchy_level,
    }


def show_priority(call: Call, priority: Priority) -> Shown:
    """Return a priority."""
    icon = f"{call.base_url}/images/icons/priorities/{priority.name.lower()}.svg"
    return {"self": address(call, f"priority/{priority.id}"), "iconUrl": icon, "name": priority.name, "id": priority.id}


def show_resolution(call: Call, resolution: Resolution) -> Shown:
    """Return a resolution."""
    return {
        "self": address(call, f"resolution/{resolution.id}"),
        "id": resolution.id,
        "description": resolution.description,
        "name": resolution.name,
    }


def show_link_type(call: Call, kind: IssueLinkType) -> Shown:
    """Return a kind of links."""
    return {
        "id": kind.id,
        "name": kind.name,
        "inward": kind.inward,
        "outward": kind.outward,
        "self": address(call, f"issueLinkType/{kind.id}"),
    }


def show_component(call: Call, component: Component) -> Shown:
    """Return a component of a project."""
    return {
        "self": address(call, f"component/{component.id}"),
        "id": component.id,
        "name": component.name,
        "description": component.description,
        "lead": show_user(call, component.lead),
        "assigneeType": "PROJECT_DEFAULT",
        "isAssigneeTypeValid": False,
        "project": component.project_key,
    }


def show_version(call: Call, version: Version) -> Shown:
    """Return a version of a project."""
    project = call.db.find(Project, Project.key == version.project_key)
    shown: Shown = {
        "self": address(call, f"version/{version.id}"),
        "id": version.id,
        "name": version.name,
        "description": version.description,
        "archived": version.archived,
        "released": version.released,
        "projectId": int(project.id) if project else None,
    }
    dates = {"startDate": version.start_date, "releaseDate": version.release_date}
    return {**shown, **{name: date for name, date in dates.items() if date}}


def show_field(field: CustomField) -> Shown:
    """Return a custom field as the list of fields shows it."""
    number = field.id.removeprefix("customfield_")
    return {
        "id": field.id,
        "key": field.id,
        "name": field.name,
        "custom": True,
        "orderable": True,
        "navigable": True,
        "searchable": True,
        "clauseNames": [f"cf[{number}]", field.name],
        "schema": {"type": field.type, "custom": field.custom, "customId": int(number)},
    }


def list_transitions(call: Call) -> list[Shown]:
    """Return the transitions to each status."""
    return [
        {
            "id": status.transition_id,
            "name": status.name,
            "to": show_status(call, status),
            "hasScreen": False,
            "isGlobal": True,
            "isInitial": False,
            "isAvailable": True,
            "isConditional": False,
            "isLooped": False,
        }
        for status in call.db.rows(Status)
    ]
