"""What a site keeps beside issues: filters, dashboards, groups, votes, roles and properties of projects.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError

from ..document_collections import ALL, CollectionStyle, DocumentCollection, DocumentRequest, Shown
from ..document_fields import FieldType
from .site_views import address, show_user
from .wire_style import InvalidFields, NoSuchObject

_WORDS = {"text": "a string", "list": "an array"}
"""The names of types in Jira's refusals, where they are others."""


class SiteDocuments(CollectionStyle):
    """Objects have a `self`, and ids are numbers in texts."""

    updates_by = ("PUT",)
    computed = frozenset(("self",))
    parameters: ClassVar = {"startAt": (int, 0), "maxResults": (int, 50)}

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return NoSuchObject(f"The {name} does not exist or you do not have permission to see it.")

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return InvalidFields({each: f"The {each} of the {name} must be given." for each in absent})

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        return InvalidFields({field: f"The value must be {_WORDS.get(kind.kind, kind.description)}."})

    def make_key(self, call: Call, collection: DocumentCollection) -> str:
        return str(10_000 + call.db.next(collection.label) - 1)


class _Dashboards(SiteDocuments):
    """Lists are pages of `dashboards`."""

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        start, most = max(request.query["startAt"], 0), max(request.query["maxResults"], 0)
        page = {"startAt": start, "maxResults": most, "total": len(shown)}
        return {**page, "dashboards": shown[start : start + most]}


def _show_filter(request: DocumentRequest, fields: Shown) -> Shown:
    call, id = request.call, fields["id"]
    query = quote(str(fields.get("jql") or ""), safe="")
    return {
        "self": address(call, f"filter/{id}"),
        **fields,
        "owner": show_user(call, fields.get("owner")),
        "viewUrl": f"{call.base_url}/issues/?filter={id}",
        "searchUrl": address(call, f"search?jql={query}"),
        "favouritedCount": int(bool(fields.get("favourite"))),
        "sharedUsers": {"size": 0, "items": [], "max-results": 1000, "start-index": 0, "end-index": 0},
        "subscriptions": {"size": 0, "items": [], "max-results": 1000, "start-index": 0, "end-index": 0},
    }


def _show_dashboard(request: DocumentRequest, fields: Shown) -> Shown:
    call, id = request.call, fields["id"]
    about = {"self": address(call, f"dashboard/{id}"), "owner": show_user(call, fields.get("owner"))}
    return {**fields, **about, "view": f"{call.base_url}/jira/dashboards/{id}"}


def _show_category(request: DocumentRequest, fields: Shown) -> Shown:
    return {"self": address(request.call, f"projectCategory/{fields['id']}"), **fields}


def _keep(table: str, path: str, key: str, above: DocumentCollection | None = None) -> DocumentCollection:
    """Return what only handlers read and write, by a key that they give."""
    return DocumentCollection(
        table=table, path=path, style=STYLE, serves=frozenset(), key=key, given_key=key, required=(key,),
        above=above,
    )  # fmt: skip


STYLE = SiteDocuments()
FILTERS = DocumentCollection(
    table="filters", path="/filter", style=STYLE, required=("name",), serves=frozenset(["read", "delete"]),
    fields="name, description, jql, owner: text; favourite: boolean; sharePermissions, editPermissions: list",
    defaults={"description": "", "jql": "", "favourite": False, "sharePermissions": [], "editPermissions": []},
    show=_show_filter,
)  # fmt: skip
DASHBOARDS = DocumentCollection(
    table="dashboards", path="/dashboard", style=_Dashboards(), required=("name",), serves=ALL - {"create"},
    fields="name, description, owner: text; isFavourite: boolean; sharePermissions, editPermissions: list",
    defaults={"description": "", "isFavourite": False, "popularity": 0, "sharePermissions": [], "editPermissions": []},
    show=_show_dashboard, hidden=frozenset(["view"]),
)  # fmt: skip
CATEGORIES = DocumentCollection(
    table="project_categories", path="/projectCategory", style=STYLE, name="projectCategory", required=("name",),
    fields="name, description: text",
    defaults={"description": ""}, serves=ALL - {"create"}, show=_show_category,
)  # fmt: skip
GROUPS = _keep("groups", "/group", "name")
MEMBERS = _keep("group_members", "/group/{name}", "account", above=GROUPS)
VOTES = _keep("votes", "/issue/{key}/votes", "account")
ACTORS = _keep("role_actors", "/project/{project}/role/{role}", "account")
PROPERTIES = _keep("project_properties", "/project/{project}/properties", "key")
COLLECTIONS = (FILTERS, DASHBOARDS, CATEGORIES, GROUPS, MEMBERS, VOTES, ACTORS, PROPERTIES)
