"""What a site keeps beside issues: filters, dashboards, groups, votes, roles and properties of projects.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError

from ..declared_collections import (
    Collection,
    DeclaredRow,
    DeclaredStyle,
    declare_table,
)
from .site_views import address, show_user
from .wire_style import InvalidFields, NoSuchObject

Shown = dict[str, Any]


class SiteStyle(DeclaredStyle):
    """Objects have a `self`; lists are pages of `values`."""

    created_status = 200
    computed: ClassVar = frozenset(("self",))
    queries: ClassVar = {"startAt": (int, 0), "maxResults": (int, 50)}

    def not_found(self, kind: Collection) -> ApiError:
        return NoSuchObject(f"The {kind.name} does not exist or you do not have permission to see it.")

    def refuse_missing(self, kind: Collection, names: Sequence[str]) -> ApiError:
        return InvalidFields({name: f"The {name} of the {kind.name} must be given." for name in names})

    def new_id(self, call: Call, kind: Collection) -> str:
        return str(10_000 + call.db.next(kind.name) - 1)

    def read(self, kind: Collection, body: Any) -> Shown:
        given = super().read(kind, body)
        wrong = [name for name in ("name", "description") if not isinstance(given.get(name, ""), str)]
        if wrong:
            raise InvalidFields(dict.fromkeys(wrong, "The value must be a string."))
        return {name: value for name, value in given.items() if name in (*kind.needed, *kind.usual)}

    def show(self, call: Call, kind: Collection, row: DeclaredRow) -> Shown:
        shown: Shown = {"self": address(call, f"{kind.name}/{row.id}"), "id": row.id, **cast(Shown, row.fields)}
        return _complete_filter(call, shown) if kind is FILTER else _complete_dashboard(call, shown, kind)

    def page(self, call: Call, kind: Collection, shown: list[Shown], given: Mapping[str, Any]) -> Any:
        start, most = max(given["startAt"], 0), max(given["maxResults"], 0)
        if kind is DASHBOARD:
            page = {"startAt": start, "maxResults": most, "total": len(shown)}
            return {**page, "dashboards": shown[start : start + most]}
        return shown


def _complete_filter(call: Call, shown: Shown) -> Shown:
    query = quote(str(shown.get("jql") or ""), safe="")
    return {
        **shown,
        "owner": show_user(call, shown.get("owner")),
        "viewUrl": f"{call.base_url}/issues/?filter={shown['id']}",
        "searchUrl": address(call, f"search?jql={query}"),
        "favouritedCount": int(bool(shown.get("favourite"))),
        "sharedUsers": {"size": 0, "items": [], "max-results": 1000, "start-index": 0, "end-index": 0},
        "subscriptions": {"size": 0, "items": [], "max-results": 1000, "start-index": 0, "end-index": 0},
    }


def _complete_dashboard(call: Call, shown: Shown, kind: Collection) -> Shown:
    if kind is not DASHBOARD:
        return shown
    view = f"{call.base_url}/jira/dashboards/{shown['id']}"
    return {**shown, "owner": show_user(call, shown.get("owner")), "view": view}


_SHARED: Shown = {"isFavourite": False, "popularity": 0, "sharePermissions": [], "editPermissions": []}
FILTER = Collection(
    declare_table("filters"), "/filter", "filter", "filters", ("name",), verbs=("get", "remove"),
    usual={"description": "", "jql": "", "favourite": False, "sharePermissions": [], "editPermissions": []},
)  # fmt: skip
DASHBOARD = Collection(
    declare_table("dashboards"), "/dashboard", "dashboard", "dashboards", ("name",),
    usual={"description": "", **_SHARED}, verbs=("list", "get", "change", "remove"),
)  # fmt: skip
CATEGORY = Collection(
    declare_table("project_categories"), "/projectCategory", "projectCategory", "projectCategories", ("name",),
    usual={"description": ""}, verbs=("list", "get", "change", "remove"),
)  # fmt: skip
GROUP = Collection(declare_table("groups"), "/group", "group", "groups", ("name",), chosen_key="name", verbs=())
MEMBER = Collection(
    declare_table("group_members"), "/group/{name}", "member", "members", verbs=(), chosen_key="account"
)
VOTE = Collection(declare_table("votes"), "/issue/{key}/votes", "vote", "votes", verbs=(), chosen_key="account")
ACTOR = Collection(
    declare_table("role_actors"), "/project/{project}/role/{role}", "actor", "actors", verbs=(), chosen_key="account"
)
PROPERTY = Collection(
    declare_table("project_properties"), "/project/{project}/properties", "property", "keys", verbs=(), chosen_key="key"
)
KINDS = (FILTER, DASHBOARD, CATEGORY, GROUP, MEMBER, VOTE, ACTOR, PROPERTY)


STYLE = SiteStyle()
