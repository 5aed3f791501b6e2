"""Filters, dashboards and categories of projects.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-filters/, /api-group-dashboards/
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from ..document_collections import DocumentRequest, Shown, serve_collections
from .jql_search import compile_jql
from .site import me
from .site_collections import CATEGORIES, COLLECTIONS, DASHBOARDS, FILTERS, STYLE
from .site_views import address
from .wire_style import InvalidFields, page_values

api = Operations()


def _check_jql(call: Call, jql: Any) -> None:
    if jql:
        compile_jql(call, str(jql))


def _check_name(call: Call, name: str, own: str = "") -> None:
    if any(row.key != own and row.fields.get("name") == name for row in FILTERS.rows_in(call, "")):
        raise InvalidFields({"filterName": "Filter with same name already exists."})


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
    _check_name(call, name)
    given: Shown = {"name": name, "description": description, "jql": jql, "favourite": favourite}
    given |= {"sharePermissions": share_permissions or [], "editPermissions": edit_permissions or []}
    request = DocumentRequest(call)
    return FILTERS.view(request, FILTERS.add(request, {**given, "owner": me(call).account_id}))


@api.put("/filter/{id}")
def put_filter(call: Call, id: str, name: str = "", jql: str = "", description: str | None = None) -> Shown:
    """Change a filter; its name must be given."""
    request = DocumentRequest(call)
    row = FILTERS.find(request, id)
    if not name:
        raise STYLE.refuse_absent("filter", ["name"])
    _check_jql(call, jql)
    _check_name(call, name, id)
    changes = {"name": name, "jql": jql or None, "description": description}
    given = {each: value for each, value in changes.items() if value is not None}
    return FILTERS.view(request, FILTERS.change(request, row, given))


def _list_filters(call: Call) -> list[Shown]:
    return FILTERS.list_shown(DocumentRequest(call))


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
    request = DocumentRequest(call)
    return FILTERS.view(request, FILTERS.change(request, FILTERS.find(request, id), {"favourite": value}))


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
    return FILTERS.find(DocumentRequest(call), id).fields["sharePermissions"]


@api.post("/dashboard")
def post_dashboard(
    call: Call, name: str = "", description: str = "", share_permissions: list[Any] | None = None
) -> Shown:
    """Create a dashboard."""
    given = {"name": name, "description": description, "sharePermissions": share_permissions or []}
    request = DocumentRequest(call)
    return DASHBOARDS.view(request, DASHBOARDS.add(request, {**given, "owner": me(call).account_id}))


@api.get("/dashboard/search")
def search_dashboards(call: Call, dashboard_name: str = "", start_at: int = 0, max_results: int = 50) -> Shown:
    """Find dashboards by name."""
    shown = DASHBOARDS.list_shown(DocumentRequest(call))
    matches = [each for each in shown if dashboard_name.lower() in each["name"].lower()]
    page = page_values(matches, start_at, max_results)
    return {"self": address(call, f"dashboard/search?maxResults={max_results}&startAt={start_at}"), **page}


@api.post("/projectCategory", status=201)
def post_category(call: Call, name: str = "", description: str = "") -> Shown:
    """Create a category of projects."""
    request = DocumentRequest(call)
    return CATEGORIES.view(request, CATEGORIES.add(request, {"name": name, "description": description}))


serve_collections(api, COLLECTIONS)
