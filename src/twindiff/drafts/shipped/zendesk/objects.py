"""Organizations and groups. https://developer.zendesk.com/api-reference/ticketing/organizations/organizations/"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.http import json_answer
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .fields import GROUP, ORGANIZATION, read_fields, read_object
from .tables import ZendeskGroup, ZendeskOrganization, ZendeskTicket, ZendeskUser
from .users import show_user
from .wire_style import PageChoice, RecordNotFound, Shown, page_rows, refuse_fields, show_time

api = Operations(prefix="/api/v2")
Given = Annotated[dict[str, Any], Body]


def read_number(id: str) -> int:
    """Return the number of an id in a path; raises RecordNotFound."""
    if not id.isdecimal() or len(id) > 15:
        raise RecordNotFound
    return int(id)


def show_organization(call: Call, row: ZendeskOrganization) -> Shown:
    """Return an organization."""
    names = ("id", "name", "external_id", "details", "notes", "group_id", "domain_names", "tags",
             "organization_fields", "shared_tickets", "shared_comments")  # fmt: skip
    return {
        "url": f"{call.base_url}/api/v2/organizations/{row.id}.json",
        **{name: getattr(row, name) for name in names},
        "created_at": show_time(row.created_at),
        "updated_at": show_time(row.updated_at or row.created_at),
    }


def show_group(call: Call, row: ZendeskGroup) -> Shown:
    """Return a group."""
    return {
        "url": f"{call.base_url}/api/v2/groups/{row.id}.json",
        **{name: getattr(row, name) for name in ("id", "name", "description", "is_public", "default", "deleted")},
        "created_at": show_time(row.created_at),
        "updated_at": show_time(row.updated_at or row.created_at),
    }


# -- organizations -----------------------------------------------------------------------------------------------------


def _get_organization(call: Call, id: str) -> ZendeskOrganization:
    return call.db.get(ZendeskOrganization, read_number(id), missing=RecordNotFound)


def _check_organization(call: Call, given: Mapping[str, Any], own: int = 0) -> Shown:
    values = read_fields(given, ORGANIZATION)
    for row in call.db.rows(ZendeskOrganization):
        for name in ("name", "external_id"):
            value = values.get(name)
            if row.id != own and value is not None and str(getattr(row, name)).lower() == value.lower():
                said = f"{name.replace('_', ' ').capitalize()}: {value} has already been taken"
                raise refuse_fields({name: said}, {name: "DuplicateValue"})
    return values


@api.get("/organizations")
def list_organizations(call: Call, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the organizations."""
    rows, url = call.db.rows(ZendeskOrganization), f"{call.base_url}/api/v2/organizations.json"
    return page_rows(url, "organizations", rows, lambda row: show_organization(call, row), page, per_page)


def _create_organization(call: Call, given: Mapping[str, Any]) -> ZendeskOrganization:
    values = _check_organization(call, given)
    if not values.get("name"):
        raise refuse_fields({"name": "Name: cannot be blank"}, {"name": "BlankValue"})
    now, number = call.clock.iso(), 360_200_000 + call.db.next("organization")
    fields: Any = values
    return call.db.add(ZendeskOrganization(id=number, created_at=now, updated_at=now, **fields))


def _change_organization(call: Call, row: ZendeskOrganization, given: Mapping[str, Any]) -> ZendeskOrganization:
    values = _check_organization(call, given, row.id)
    if "organization_fields" in values:
        values["organization_fields"] = {**row.organization_fields, **values["organization_fields"]}
    return call.db.change(row, **values, updated_at=call.clock.iso())


@api.post("/organizations", status=201)
def post_organization(call: Call, body: Given) -> Shown:
    """Create an organization; its name is its own."""
    row = _create_organization(call, read_object(body, "organization"))
    return {"organization": show_organization(call, row)}


@api.post("/organizations/create_or_update")
def post_or_put_organization(call: Call, body: Given) -> Any:
    """Change the organization with an id or an external id, or create it (201)."""
    given = read_object(body, "organization")
    wanted = [str(given[name]) for name in ("id", "external_id") if given.get(name) is not None]
    rows = [row for row in call.db.rows(ZendeskOrganization) if str(row.id) in wanted or row.external_id in wanted]
    row = _change_organization(call, rows[0], given) if rows else _create_organization(call, given)
    return json_answer({"organization": show_organization(call, row)}, 200 if rows else 201)


@api.get("/organizations/search")
def search_organizations(call: Call, external_id: str = "", name: str = "") -> Shown:
    """Find organizations by external id or name."""
    rows = [
        row
        for row in call.db.rows(ZendeskOrganization)
        if (row.external_id == external_id if external_id else row.name.lower() == name.lower())
    ]
    url = f"{call.base_url}/api/v2/organizations/search.json?external_id={quote(external_id)}"
    return page_rows(url, "organizations", rows, lambda row: show_organization(call, row), 1, 100)


@api.get("/organizations/autocomplete")
def complete_organizations(call: Call, name: str, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the organizations whose name begins with a text."""
    rows = [row for row in call.db.rows(ZendeskOrganization) if row.name.lower().startswith(name.lower())]
    url = f"{call.base_url}/api/v2/organizations/autocomplete.json?name={quote(name)}"
    return page_rows(url, "organizations", rows, lambda row: show_organization(call, row), page, per_page)


@api.get("/organizations/count")
def count_organizations(call: Call) -> Shown:
    """Return how many organizations there are."""
    return {"count": {"value": call.db.count(ZendeskOrganization), "refreshed_at": show_time(call.clock.iso())}}


@api.get("/organizations/{organization_id}")
def get_organization(call: Call, organization_id: str) -> Shown:
    """Return an organization."""
    return {"organization": show_organization(call, _get_organization(call, organization_id))}


@api.put("/organizations/{organization_id}")
def put_organization(call: Call, organization_id: str, body: Given) -> Shown:
    """Change an organization."""
    row = _change_organization(call, _get_organization(call, organization_id), read_object(body, "organization"))
    return {"organization": show_organization(call, row)}


@api.delete("/organizations/{organization_id}", status=204)
def delete_organization(call: Call, organization_id: str) -> None:
    """Remove an organization; its users and tickets are then of none."""
    row = _get_organization(call, organization_id)
    for user in call.db.rows(ZendeskUser, ZendeskUser.organization_id == row.id):
        call.db.change(user, organization_id=None)
    for ticket in call.db.rows(ZendeskTicket, ZendeskTicket.organization_id == row.id):
        call.db.change(ticket, organization_id=None)
    call.db.remove(row)


@api.get("/organizations/{organization_id}/users")
def list_members(call: Call, organization_id: str, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the users of an organization."""
    row = _get_organization(call, organization_id)
    rows = [user for user in call.db.rows(ZendeskUser, ZendeskUser.organization_id == row.id) if user.active]
    url = f"{call.base_url}/api/v2/organizations/{row.id}/users.json"
    return page_rows(url, "users", rows, lambda user: show_user(call, user), page, per_page)


# -- groups ------------------------------------------------------------------------------------------------------------


def _list_groups(call: Call) -> list[ZendeskGroup]:
    return [row for row in call.db.rows(ZendeskGroup) if not row.deleted]


def _get_group(call: Call, id: str) -> ZendeskGroup:
    return call.db.get(ZendeskGroup, read_number(id), missing=RecordNotFound)


@api.get("/groups")
def list_groups(call: Call, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the groups of agents."""
    url = f"{call.base_url}/api/v2/groups.json"
    return page_rows(url, "groups", _list_groups(call), lambda row: show_group(call, row), page, per_page)


@api.post("/groups", status=201)
def post_group(call: Call, body: Given) -> Shown:
    """Create a group."""
    values = read_fields(read_object(body, "group"), GROUP)
    if not values.get("name"):
        raise refuse_fields({"name": "Name: cannot be blank"}, {"name": "BlankValue"})
    if values["name"] in [row.name for row in _list_groups(call)]:
        raise refuse_fields({"name": f"Name: {values['name']} has already been taken"}, {"name": "DuplicateValue"})
    now, number = call.clock.iso(), 360_100_100 + call.db.next("group")
    row = call.db.add(ZendeskGroup(id=number, created_at=now, updated_at=now, **values))
    return {"group": show_group(call, row)}


@api.get("/groups/count")
def count_groups(call: Call) -> Shown:
    """Return how many groups there are."""
    return {"count": {"value": len(_list_groups(call)), "refreshed_at": show_time(call.clock.iso())}}


@api.get("/groups/{group_id}")
def get_group(call: Call, group_id: str) -> Shown:
    """Return a group, also one that is deleted."""
    return {"group": show_group(call, _get_group(call, group_id))}


@api.put("/groups/{group_id}")
def put_group(call: Call, group_id: str, body: Given) -> Shown:
    """Change a group."""
    values = read_fields(read_object(body, "group"), GROUP)
    row = call.db.change(_get_group(call, group_id), **values, updated_at=call.clock.iso())
    return {"group": show_group(call, row)}


@api.delete("/groups/{group_id}", status=204)
def delete_group(call: Call, group_id: str) -> None:
    """Delete a group that is not the default one; its tickets are then of none."""
    row = _get_group(call, group_id)
    if row.default:
        raise refuse_fields({"base": "The default group cannot be deleted"})
    for ticket in call.db.rows(ZendeskTicket, ZendeskTicket.group_id == row.id):
        call.db.change(ticket, group_id=None)
    call.db.change(row, deleted=True, updated_at=call.clock.iso())
