"""Articles, collections, tickets and other parts of a workspace.

https://developers.intercom.com/docs/references/rest-api/api.intercom.io/articles
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import json_answer
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..document_collections import (
    ALL,
    CollectionStyle,
    DocumentCollection,
    DocumentRequest,
    list_tables,
    serve_collections,
)
from ..document_fields import FieldType
from .contacts import WORKSPACE, find_contact, list_contacts_there, show_contact
from .memberships import list_targets, remove_member
from .tables import IntercomAttribute, IntercomCompany, IntercomMembership, IntercomNote
from .wire_style import IntercomError, page_list, show_seconds, wrap_list
from .workspace import ADMIN, find_company, read_company, show_attribute, show_company

api = Operations()
Shown = dict[str, Any]


class WorkspaceDocuments(CollectionStyle):
    """Objects say their `type`; lists are `{"type": "list", "data", "total_count", "pages"}`."""

    updates_by = ("PUT",)
    created = 200
    deleted = 200
    times = ("created_at", "updated_at")
    computed = frozenset(("type", "workspace_id"))
    parameters: ClassVar = {"page": (int, 1), "per_page": (int, 15)}

    def __init__(self, name: str) -> None:
        """`name` is the `type` of the objects."""
        self.name = name

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return IntercomError(404, "not_found", "Resource Not Found")

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return IntercomError(400, "parameter_not_found", f"{absent[0]} is a required parameter")

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        return IntercomError(400, "parameter_invalid", f"{field} must be {kind.description}")

    def make_key(self, call: Call, collection: DocumentCollection) -> str:
        return str(9_100_000 + call.db.next("document"))

    def show_now(self, call: Call) -> Any:
        return show_seconds(call.clock.iso())

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        page, most = max(request.query["page"], 1), min(max(request.query["per_page"], 1), 150)
        start = (page - 1) * most
        pages = {"type": "pages", "page": page, "per_page": most, "total_pages": -(-len(shown) // most)}
        return {"type": "list", "data": shown[start : start + most], "total_count": len(shown), "pages": pages}

    def show_deleted(self, request: DocumentRequest, shown: Shown) -> Any:
        return {"id": shown["id"], "object": self.name, "deleted": True}


class _UnpagedDocuments(WorkspaceDocuments):
    parameters: ClassVar = {}

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        return wrap_list(shown)


class _ContactEvents(WorkspaceDocuments):
    """An event has the time that the client gives."""

    times = ()


def _declare(table: str, path: str, name: str, *required: str, **more: Any) -> DocumentCollection:
    style = more.pop("style", WorkspaceDocuments)(name)
    about = {"type": name, "workspace_id": WORKSPACE}
    return DocumentCollection(
        table=table, path=path, style=style, name=name, required=required,
        show=lambda _request, fields: {**about, **fields}, **more,
    )  # fmt: skip


ARTICLE = _declare(
    "articles", "/articles", "article", "title", "author_id",
    fields="title, description, body: text; author_id: integer; state: published|draft; translated_content: object",
    defaults={"description": "", "body": "", "state": "draft", "url": None, "parent_id": None, "parent_type": None,
              "default_locale": "en"},
)  # fmt: skip
HELP_COLLECTION = _declare(
    "help_collections", "/help_center/collections", "collection", "name", fields="name, description: text",
    defaults={"description": None, "url": None, "icon": "book-bookmark", "order": 1, "default_locale": "en",
              "parent_id": None},
)  # fmt: skip
TICKET_TYPE = _declare(
    "ticket_types", "/ticket_types", "ticket_type", "name",
    fields="name, description, icon: text; category: Customer|Back-office|Tracker; is_internal, archived: boolean",
    style=_UnpagedDocuments, serves=ALL - {"delete"},
    defaults={"description": None, "icon": "\U0001f39f", "category": "Customer", "archived": False,
              "ticket_type_attributes": {"type": "list", "data": []}},
)  # fmt: skip
NEWS_ITEM = _declare(
    "news_items", "/news/news_items", "news-item", "title", "sender_id",
    fields="title, body: text; sender_id: integer; state: draft|live; deliver_silently: boolean;"
           "labels, newsfeed_assignments: list",
    defaults={"body": "", "state": "draft", "labels": [], "cover_image_url": None, "reactions": [],
              "newsfeed_assignments": [], "deliver_silently": False},
)  # fmt: skip
SEGMENT = _declare("segments", "/segments", "segment", serves=frozenset(["read"]))
TEAM = _declare("teams", "/teams", "team", serves=frozenset(["read"]))
EVENT = _declare("events", "/events", "event", "event_name", style=_ContactEvents, serves=frozenset())
MESSAGE = _declare("messages", "/messages", "message", serves=frozenset())
COLLECTIONS = (ARTICLE, HELP_COLLECTION, NEWS_ITEM, TICKET_TYPE, SEGMENT, TEAM, EVENT, MESSAGE)
TABLES = list_tables(COLLECTIONS)
serve_collections(api, COLLECTIONS)


# -- people of the workspace -------------------------------------------------------------------------------------------


def _show_admin() -> Shown:
    return {
        "type": "admin", "id": ADMIN, "name": "Agent", "email": "agent@example.com", "job_title": "",
        "away_mode_enabled": False, "away_mode_reassign": False, "has_inbox_seat": True, "team_ids": [],
        "avatar": None,
    }  # fmt: skip


@api.get("/admins")
def list_admins(call: Call) -> Shown:
    """List the teammates."""
    return {"type": "admin.list", "admins": [_show_admin()]}


@api.get("/admins/{id}")
def get_admin(call: Call, id: str) -> Shown:
    """Return a teammate."""
    if id != ADMIN:
        raise IntercomError(404, "admin_not_found", "Admin not found")
    return _show_admin()


@api.get("/teams")
def list_teams(call: Call) -> Shown:
    """List the teams."""
    return {"type": "team.list", "teams": TEAM.list_shown(DocumentRequest(call))}


@api.get("/segments")
def list_segments(call: Call, include_count: bool = False) -> Shown:
    """List the segments of contacts."""
    return {"type": "segment.list", "segments": SEGMENT.list_shown(DocumentRequest(call))}


@api.get("/contacts/{contact_id}/segments")
def list_contact_segments(call: Call, contact_id: str) -> Shown:
    """List the segments of a contact, of which nobody put it into any."""
    find_contact(call, contact_id)
    return wrap_list([])


@api.get("/subscription_types")
def list_subscription_types(call: Call) -> Shown:
    """List the kinds of mail to which contacts can subscribe."""
    return wrap_list([])


@api.get("/contacts/{contact_id}/subscriptions")
def list_subscriptions(call: Call, contact_id: str) -> Shown:
    """List the kinds of mail to which a contact subscribed."""
    find_contact(call, contact_id)
    return wrap_list([])


@api.get("/help_center/help_centers")
def list_help_centers(call: Call) -> Shown:
    """List the help centres."""
    return wrap_list([])


@api.get("/notes/{id}")
def get_note(call: Call, id: str) -> Shown:
    """Return a note about a contact."""
    row = call.db.find(IntercomNote, IntercomNote.id == id)
    if row is None:
        raise IntercomError(404, "not_found", "Resource Not Found")
    at = show_seconds(row.created_at)
    contact = {"type": "contact", "id": row.contact_id}
    return {"type": "note", "id": row.id, "created_at": at, "contact": contact, "author": _show_admin(),
            "body": row.body}  # fmt: skip


# -- events and messages -----------------------------------------------------------------------------------------------


@api.post("/events", status=202)
def post_event(call: Call, body: Annotated[dict[str, Any], Body]) -> None:
    """Record what a contact did."""
    names = ("user_id", "id", "email")
    if not any(body.get(name) for name in names):
        raise IntercomError(400, "parameter_not_found", "User identifier (user_id, id or email) is required")
    if not body.get("created_at"):
        raise IntercomError(400, "parameter_not_found", "created_at is a required parameter")
    EVENT.add(DocumentRequest(call), body)


@api.get("/events")
def list_events(
    call: Call, type: str = "user", user_id: str = "", intercom_user_id: str = "", email: str = ""
) -> Shown:
    """List what a contact did."""
    wanted = {"user_id": user_id, "id": intercom_user_id, "email": email}
    if not any(wanted.values()):
        raise IntercomError(400, "parameter_not_found", "User identifier is required")
    events: list[Shown] = [
        {"type": "event", "intercom_user_id": intercom_user_id or None, "metadata": {}, **row.fields}
        for row in EVENT.rows_in(call, "")
        if any(value and row.fields.get(name) == value for name, value in wanted.items())
    ]  # fmt: skip
    return {"type": "event.list", "events": events, "pages": {"next": None}}


@api.post("/messages")
def post_message(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Send a message of a teammate to a contact."""
    missing = [name for name in ("message_type", "body", "from", "to") if not body.get(name)]
    if missing:
        raise IntercomError(400, "parameter_not_found", f"{missing[0]} is a required parameter")
    to: Any = body["to"]
    find_contact(call, str(cast(Shown, to).get("id")) if isinstance(to, dict) else "")
    fields = MESSAGE.add(DocumentRequest(call), body).fields
    kind, subject = body["message_type"], {"subject": body["subject"]} if body.get("subject") else {}
    about = {"type": "admin_message", "id": fields["id"], "created_at": fields["created_at"]}
    return {**about, **subject, "body": body["body"], "message_type": kind, "owner": _show_admin()}


# -- companies and attributes ------------------------------------------------------------------------------------------


MAX_SCROLLED = 100


class InvalidScroll(ApiError):
    """The parameter is not one of a scroll."""

    status = 404


@api.post("/companies/list")
def post_companies_list(call: Call, page: int = 1, per_page: int = 15) -> Shown:
    """List the companies in pages."""
    rows = call.db.rows(IntercomCompany, order=IntercomCompany.created_at)
    shown = [show_company(call, row) for row in rows]
    return ARTICLE.style.show_list(DocumentRequest(call, query={"page": page, "per_page": per_page}), shown)


@api.get("/companies/scroll")
def scroll_companies(call: Call, scroll_param: str = "") -> Shown:
    """List all companies, page by page until one is empty."""
    start = _read_scroll(scroll_param) if scroll_param else 0
    rows = call.db.rows(IntercomCompany, order=IntercomCompany.created_at)[start : start + MAX_SCROLLED]
    data = [show_company(call, row) for row in rows]
    following = encode_cursor("scroll", str(start + len(rows)))
    return {"type": "list", "data": data, "pages": None, "total_count": None, "scroll_param": following}


def _read_scroll(scroll_param: str) -> int:
    try:
        return int(decode_cursor("scroll", scroll_param, InvalidScroll))
    except (InvalidScroll, ValueError):
        raise IntercomError(404, "not_found", "scroll parameter not found") from None


@api.put("/companies/{id}")
def put_company(call: Call, id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a company."""
    row = find_company(call, id)
    return show_company(call, call.db.change(row, **read_company(body, row), updated_at=call.clock.iso()))


@api.delete("/companies/{id}", status=200)
def delete_company(call: Call, id: str) -> Shown:
    """Remove a company."""
    row = find_company(call, id)
    table = IntercomMembership
    for each in call.db.rows(table, table.kind == "contact_company", table.target == row.id):
        remove_member(call, "contact_company", each.owner, row.id)
    call.db.remove(row)
    return {"id": row.id, "object": "company", "deleted": True}


@api.get("/companies/{id}/contacts")
def list_company_contacts(call: Call, id: str, per_page: int = 50) -> Shown:
    """List the contacts of a company."""
    row = find_company(call, id)
    of = [each for each in list_contacts_there(call) if row.id in list_targets(call, "contact_company", each.id)]
    return page_list(of, lambda each: show_contact(call, each), lambda each: each.id, per_page, "")


@api.get("/companies/{id}/segments")
def list_company_segments(call: Call, id: str) -> Shown:
    """List the segments of a company."""
    find_company(call, id)
    return wrap_list([])


@api.put("/data_attributes/{id}")
def put_attribute(call: Call, id: str, body: Annotated[dict[str, Any], Body]) -> Any:
    """Change or archive an attribute that the workspace added."""
    rows = [row for row in call.db.rows(IntercomAttribute) if str(cast(Shown, row.shown).get("id")) == id]
    if not rows:
        said = "We couldn't find that data attribute to update"
        raise IntercomError(404, "field_not_found", said)
    changes = {name: body[name] for name in ("label", "description", "archived", "options") if name in body}
    return json_answer(show_attribute(call.db.change(rows[0], shown={**rows[0].shown, **changes})))
