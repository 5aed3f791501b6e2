"""Filters, dashboards and categories of projects.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-filters/, /api-group-dashboards/
"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from ..declared_collections import (
    Collection,
    add_declared,
    declare_collections,
    find_declared,
    list_declared,
)
from .jql_search import compile_jql
from .site import me
from .site_collections import CATEGORY, DASHBOARD, FILTER, KINDS, STYLE
from .site_views import address
from .wire_style import InvalidFields, page_values

api = Operations()
Shown = dict[str, Any]


def _check_jql(call: Call, jql: Any) -> None:
    if jql:
        compile_jql(call, str(jql))


def _check_name(call: Call, kind: Collection, name: str, own: str = "") -> None:
    for row in list_declared(call, kind, {}):
        if row.id != own and cast(Shown, row.fields).get("name") == name:
            raise InvalidFields({f"{kind.name}Name": f"{kind.name.capitalize()} with same name already exists."})


@api.post("/filter")
def post_filter(
    call: Call,
    name: str = "",
    jql: str = "",
    description: str = "",
    favourite: bool = False,
    share_permissions: list[Any] | None = None,
    edit_permissions: list[Any] | None = None,
) -> Shown:
    """Save a filter."""
    _check_jql(call, jql)
    _check_name(call, FILTER, name)
    given: Shown = {"name": name, "description": description, "jql": jql, "favourite": favourite}
    given |= {"sharePermissions": share_permissions or [], "editPermissions": edit_permissions or []}
    row = add_declared(call, FILTER, STYLE, {}, {**given, "owner": me(call).account_id})
    return STYLE.show(call, FILTER, row)


@api.put("/filter/{id}")
def put_filter(call: Call, id: str, name: str = "", jql: str = "", description: str | None = None) -> Shown:
    """Change a filter; its name must be given."""
    row = find_declared(call, FILTER, {}, id)
    if row is None:
        raise STYLE.not_found(FILTER)
    if not name:
        raise STYLE.refuse_missing(FILTER, ["name"])
    _check_jql(call, jql)
    _check_name(call, FILTER, name, id)
    changes = {"name": name, "jql": jql or None, "description": description}
    fields = {**row.fields, **{each: value for each, value in changes.items() if value is not None}}
    return STYLE.show(call, FILTER, call.db.change(row, fields=fields, updated_at=call.clock.iso()))


def _list_filters(call: Call) -> list[Shown]:
    return [STYLE.show(call, FILTER, row) for row in list_declared(call, FILTER, {})]


@api.get("/filter/my")
def list_my_filters(call: Call) -> list[Shown]:
    """List the filters of the caller."""
    account = me(call).account_id
    return [each for each in _list_filters(call) if each["owner"] and each["owner"]["accountId"] == account]


@api.get("/filter/favourite")
def list_favourite_filters(call: Call) -> list[Shown]:
    """List the caller's favourite filters."""
    return [each for each in _list_filters(call) if each["favourite"]]


@api.get("/filter/search")
def search_filters(call: Call, filter_name: str = "", start_at: int = 0, max_results: int = 50) -> Shown:
    """Find filters by name."""
    shown = [each for each in _list_filters(call) if filter_name.lower() in each["name"].lower()]
    names = ("self", "id", "name")
    page = page_values([{name: each[name] for name in names} for each in shown], start_at, max_results)
    return {"self": address(call, f"filter/search?maxResults={max_results}&startAt={start_at}"), **page}


def _set_favourite(call: Call, id: str, value: bool) -> Shown:
    row = find_declared(call, FILTER, {}, id)
    if row is None:
        raise STYLE.not_found(FILTER)
    return STYLE.show(call, FILTER, call.db.change(row, fields={**row.fields, "favourite": value}))


@api.put("/filter/{id}/favourite")
def put_favourite(call: Call, id: str) -> Shown:
    """Make a filter one of the caller's favourites."""
    return _set_favourite(call, id, True)


@api.delete("/filter/{id}/favourite", status=200)
def delete_favourite(call: Call, id: str) -> Shown:
    """Take a filter from the caller's favourites."""
    return _set_favourite(call, id, False)


@api.get("/filter/{id}/permission")
def list_filter_permissions(call: Call, id: str) -> list[Any]:
    """List with whom a filter is shared."""
    row = find_declared(call, FILTER, {}, id)
    if row is None:
        raise STYLE.not_found(FILTER)
    return cast(Shown, row.fields)["sharePermissions"]


@api.post("/dashboard")
def post_dashboard(
    call: Call, name: str = "", description: str = "", share_permissions: list[Any] | None = None
) -> Shown:
    """Create a dashboard."""
    given = {"name": name, "description": description, "sharePermissions": share_permissions or []}
    row = add_declared(call, DASHBOARD, STYLE, {}, {**given, "owner": me(call).account_id})
    return STYLE.show(call, DASHBOARD, row)


@api.get("/dashboard/search")
def search_dashboards(call: Call, dashboard_name: str = "", start_at: int = 0, max_results: int = 50) -> Shown:
    """Find dashboards by name."""
    rows = [STYLE.show(call, DASHBOARD, row) for row in list_declared(call, DASHBOARD, {})]
    matches = [each for each in rows if dashboard_name.lower() in each["name"].lower()]
    page = page_values(matches, start_at, max_results)
    return {"self": address(call, f"dashboard/search?maxResults={max_results}&startAt={start_at}"), **page}


@api.post("/projectCategory", status=201)
def post_category(call: Call, name: str = "", description: str = "") -> Shown:
    """Create a category of projects."""
    row = add_declared(call, CATEGORY, STYLE, {}, {"name": name, "description": description})
    return STYLE.show(call, CATEGORY, row)


declare_collections(api, STYLE, KINDS)
