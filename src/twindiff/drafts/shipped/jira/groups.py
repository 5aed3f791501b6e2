"""Groups of people, and roles that people have in projects.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/, /api-group-project-roles/
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from ..document_collections import DocumentRequest, Shown
from .projects import get_project_or_refuse
from .site import find_user
from .site_collections import ACTORS, GROUPS, MEMBERS
from .site_views import address, show_person
from .tables import JiraUser
from .wire_style import JiraError, NoSuchObject, page_values

api = Operations()
_ROLES = (("10002", "Administrators"), ("10003", "Developers"), ("10004", "Users"))


def _find_group(call: Call, name: str, id: str = "") -> Any:
    rows = GROUPS.rows_in(call, "")
    row = next((each for each in rows if each.key == name or (id and each.fields["groupId"] == id)), None)
    if row is None:
        raise NoSuchObject("The group was not found." if not name else f"Group '{name}' does not exist.")
    return row


def _show_group(call: Call, row: Any) -> Shown:
    group_id = row.fields["groupId"]
    return {"name": row.key, "groupId": group_id, "self": address(call, f"group?groupId={group_id}")}


def _list_members(call: Call, row: Any) -> list[Shown]:
    members = [find_user(call, each.key) for each in MEMBERS.rows_in(call, row.key)]
    return [show_person(call, each) for each in members if each]


@api.post("/group", status=201)
def post_group(call: Call, name: str = "") -> Shown:
    """Create a group."""
    if not name.strip():
        raise JiraError("The group name must not be empty.")
    if GROUPS.find_in(call, "", name):
        raise JiraError("A group or user with this name already exists.")
    row = GROUPS.add(DocumentRequest(call), {"name": name, "groupId": call.ids.uuid()})
    users: Shown = {"size": 0, "items": [], "max-results": 50, "start-index": 0, "end-index": 0}
    return {**_show_group(call, row), "users": users, "expand": "users"}


@api.get("/group")
def get_group(call: Call, groupname: str = "", group_id: str = "") -> Shown:
    """Return a group with its members."""
    row = _find_group(call, groupname, group_id)
    members = _list_members(call, row)
    users = {"size": len(members), "items": members, "max-results": 50, "start-index": 0}
    return {**_show_group(call, row), "users": {**users, "end-index": len(members)}, "expand": "users"}


@api.delete("/group", status=200)
def delete_group(call: Call, groupname: str = "", group_id: str = "") -> None:
    """Remove a group."""
    row = _find_group(call, groupname, group_id)
    GROUPS.remove(call, row)


@api.get("/group/bulk")
def list_groups(call: Call, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the groups in pages."""
    shown = [_show_group(call, row) for row in GROUPS.rows_in(call, "")]
    return page_values([{"name": each["name"], "groupId": each["groupId"]} for each in shown], start_at, max_results)


@api.get("/groups/picker")
def pick_groups(call: Call, query: str = "", max_results: int = 20) -> Shown:
    """Find groups whose name has a text."""
    rows = [row for row in GROUPS.rows_in(call, "") if query.lower() in row.key.lower()]
    shown: list[Shown] = [
        {"name": row.key, "html": row.key, "labels": [], "groupId": row.fields["groupId"]} for row in rows
    ]
    few = shown[:max_results]
    return {"header": f"Showing {len(few)} of {len(rows)} matching groups", "total": len(rows), "groups": few}


@api.get("/group/member")
def list_group_members(
    call: Call, groupname: str = "", group_id: str = "", start_at: int = 0, max_results: int = 50
) -> Shown:
    """List the members of a group in pages."""
    page = page_values(_list_members(call, _find_group(call, groupname, group_id)), start_at, max_results)
    return {"self": address(call, f"group/member?groupname={quote(groupname)}&startAt={start_at}"), **page}


def _find_person(call: Call, said: str) -> JiraUser:
    user = find_user(call, said) if said else None
    if user is None:
        raise NoSuchObject("Specified user does not exist or you do not have required permissions")
    return user


@api.post("/group/user", status=201)
def post_group_user(call: Call, groupname: str = "", group_id: str = "", account_id: str = "", name: str = "") -> Shown:
    """Add a person to a group."""
    row, user = _find_group(call, groupname, group_id), _find_person(call, account_id or name)
    if MEMBERS.find_in(call, row.key, user.account_id):
        raise JiraError("Cannot add user. User is already a member of the group.")
    MEMBERS.add(DocumentRequest(call, {"name": row.key}), {"account": user.account_id})
    return {**_show_group(call, row), "users": {"size": len(_list_members(call, row)), "items": []}}


@api.delete("/group/user", status=200)
def delete_group_user(call: Call, groupname: str = "", group_id: str = "", account_id: str = "") -> None:
    """Take a person from a group."""
    row, user = _find_group(call, groupname, group_id), _find_person(call, account_id)
    member = MEMBERS.find_in(call, row.key, user.account_id)
    if member is None:
        raise NoSuchObject("The user is not a member of the group.")
    call.db.remove(member)


@api.get("/user/groups")
def list_user_groups(call: Call, account_id: str = "", username: str = "") -> list[Shown]:
    """List the groups of a person."""
    user = _find_person(call, account_id or username)
    rows = GROUPS.rows_in(call, "")
    return [_show_group(call, row) for row in rows if MEMBERS.find_in(call, row.key, user.account_id)]


def _show_role(call: Call, id: str, path: str, actors: list[Shown]) -> Shown:
    name = next((name for known, name in _ROLES if known == id), None)
    if name is None:
        raise NoSuchObject(f"Can not retrieve a role actor for a non-existent project role with id '{id}'.")
    return {"self": address(call, f"{path}/{id}"), "name": name, "id": int(id), "description": "", "actors": actors}


@api.get("/role")
def list_roles(call: Call) -> list[Shown]:
    """List the roles that people can have in projects."""
    return [_show_role(call, id, "role", []) for id, _ in _ROLES]


@api.get("/role/{id}")
def get_role(call: Call, id: str) -> Shown:
    """Return a role."""
    return _show_role(call, id, "role", [])


@api.get("/project/{projectIdOrKey}/role")
def list_project_roles(call: Call, project_id_or_key: str) -> dict[str, str]:
    """Return the addresses of a project's roles by name."""
    project = get_project_or_refuse(call, project_id_or_key)
    return {name: address(call, f"project/{project.id}/role/{id}") for id, name in _ROLES}


@api.get("/project/{projectIdOrKey}/role/{id}")
def get_project_role(call: Call, project_id_or_key: str, id: str) -> Shown:
    """Return a role with the people that have it in a project."""
    project = get_project_or_refuse(call, project_id_or_key)
    actors: list[Shown] = []
    for number, row in enumerate(ACTORS.rows_in(call, f"{project.id}/{id}"), 10_100):
        user = find_user(call, row.key)
        if user:
            person = {"accountId": user.account_id}
            about = {"id": number, "displayName": user.display_name, "type": "atlassian-user-role-actor"}
            actors.append({**about, "actorUser": person})
    return _show_role(call, id, f"project/{project.id}/role", actors)


@api.post("/project/{projectIdOrKey}/role/{id}")
def post_role_actors(call: Call, project_id_or_key: str, id: str, user: list[str] | None = None) -> Shown:
    """Give people a role in a project."""
    project = get_project_or_refuse(call, project_id_or_key)
    _show_role(call, id, "role", [])
    request = DocumentRequest(call, {"project": project.id, "role": id})
    for each in user or []:
        account = _find_person(call, each).account_id
        if ACTORS.find_in(call, ACTORS.scope(request), account) is None:
            ACTORS.add(request, {"account": account})
    return get_project_role(call, project_id_or_key, id)


@api.delete("/project/{projectIdOrKey}/role/{id}", status=204)
def delete_role_actor(call: Call, project_id_or_key: str, id: str, user: str = "") -> None:
    """Take a role in a project from a person."""
    project = get_project_or_refuse(call, project_id_or_key)
    row = ACTORS.find_in(call, f"{project.id}/{id}", user)
    if row is None:
        raise NoSuchObject("The actor does not have the role.")
    call.db.remove(row)
