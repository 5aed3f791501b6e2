"""Views of databases and their queries. https://developers.notion.com/reference/view"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, revise

from ..core.api_version import web_url
from ..core.body_rules import anything, check_body, choice, mapping, nullable, obj, text, uuid
from ..core.edit_stamps import millis, show_stamps, stamp, stamp_new
from ..core.fractional_index import index_between
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..core.object_lookup import find_data_source, find_database, find_row, not_found, parse_id
from ..event_delivery.event_emission import emit_view
from ..tables.data_source_tables import Database, DatabaseView, DataSource, ViewQuery
from ..wire_style import ValidationError
from .filters import compile_filter
from .page_selection import select_pages
from .sorts import sorts_rule

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
TYPES = ("table", "board", "list", "calendar", "timeline", "gallery", "form", "chart", "map", "dashboard")
QUERY_MINUTES = 15
_about = {
    "name": text(), "filter": nullable(mapping(anything)), "sorts": nullable(sorts_rule),
    "quick_filters": nullable(mapping(anything)), "configuration": nullable(mapping(anything)), "position": anything,
}  # fmt: skip
_create_body = obj(
    {"data_source_id": uuid, "name": text(), "type": choice(*TYPES)}, database_id=uuid, parent=anything, view_id=uuid,
    create_database=anything, placement=anything, **{k: v for k, v in _about.items() if k != "name"},
)  # fmt: skip
_update_body = obj(None, **_about)


def add_view(call: Call, database: Database, source: DataSource, name: str, kind: str, **fields: Any) -> DatabaseView:
    """Add a view at the end of a database's views."""
    last = call.db.rows(DatabaseView, DatabaseView.database_id == database.id, order=-DatabaseView.position, limit=1)
    row = DatabaseView(
        id=call.ids.uuid(),
        database_id=database.id,
        data_source_id=source.id,
        name=name,
        type=kind,
        position=index_between(last[0].position if last else None, None),
        **stamp_new(call),
        **fields,
    )
    return call.db.add(row)


def add_default_view(call: Call, database: Database, source: DataSource) -> DatabaseView:
    """Add the table that every database has from the beginning."""
    return add_view(call, database, source, "Default view", "table")


@api.get("/views", scope="read_content")
def list_database_views(
    call: Call,
    database_id: str | None = None,
    data_source_id: str | None = None,
    start_cursor: str | None = None,
    page_size: str | int = MAX_PAGE_SIZE,
) -> dict[str, Any]:
    """List the views of a database or a data source."""
    if database_id is None and data_source_id is None:
        raise ValidationError("query failed validation: query.database_id should be defined, instead was `undefined`.")
    if database_id is not None:
        where = DatabaseView.database_id == find_database(call, parse_id(database_id, "database_id", "query")).id
    else:
        id = parse_id(data_source_id or "", "data_source_id", "query")
        where = DatabaseView.data_source_id == find_data_source(call, id).id
    rows = call.db.rows(DatabaseView, where, order=(DatabaseView.position, DatabaseView.id))
    rows, cursor = slice_list(rows, start_cursor, check_page_size(page_size))
    return list_answer("view", [{"object": "view", "id": row.id} for row in rows], cursor)


@api.post("/views", scope="update_content")
def create_view(call: Call, body: JsonBody) -> dict[str, Any]:
    """Add a view of a data source to a database."""
    check_body(_create_body, body)
    source = find_data_source(call, parse_id(body["data_source_id"], "data_source_id", "body"))
    database = find_database(call, parse_id(body.get("database_id") or source.database_id, "database_id", "body"))
    fields = _check_fields(call, source.id, body)
    row = add_view(call, database, source, body["name"], body["type"], **fields)
    emit_view(call, "view.created", row, view_type=row.type)
    return view_object(call, row)


def _check_fields(call: Call, data_source_id: str, body: dict[str, Any]) -> dict[str, Any]:
    if body.get("filter"):
        compile_filter(call, data_source_id, body["filter"])
    return {name: body[name] for name in ("filter", "sorts", "quick_filters", "configuration") if name in body}


def view_object(call: Call, row: DatabaseView) -> dict[str, Any]:
    """Render a view."""
    return {
        **view_reference(row),
        "data_source_id": row.data_source_id,
        "name": row.name,
        **show_stamps(row, millis),
        "url": f"{web_url(call, row.database_id)}?v={row.id.replace('-', '')}",
        "filter": row.filter,
        "sorts": row.sorts,
        "quick_filters": row.quick_filters,
        "configuration": {"type": row.type, **(row.configuration or {})},
    }


def view_reference(row: DatabaseView) -> dict[str, Any]:
    """Render a view in part."""
    parent = {"type": "database_id", "database_id": row.database_id}
    return {"object": "view", "id": row.id, "parent": parent, "type": row.type}


def _find(call: Call, view_id: str) -> DatabaseView:
    view = find_row(call, DatabaseView, parse_id(view_id, "view_id"), "view")
    find_row(call, Database, view.database_id, "database")
    return view


@api.get("/views/{view_id}", scope="read_content")
def get_view(call: Call, view_id: str) -> dict[str, Any]:
    """Get a view."""
    return view_object(call, _find(call, view_id))


@api.patch("/views/{view_id}", scope="update_content")
def update_view(call: Call, view_id: str, body: JsonBody) -> dict[str, Any]:
    """Change the name, the filter, the order or the configuration of a view."""
    row = _find(call, view_id)
    check_body(_update_body, body)
    fields = _check_fields(call, row.data_source_id, body)
    changed = [name for name in (*fields, "name") if name in body and body[name] != getattr(row, name)]
    fields |= {"name": body["name"]} if "name" in body else {}
    row = revise(call.db, row, stamp=stamp(call), **fields)
    if changed:
        emit_view(call, "view.updated", row, updated_fields=changed)
    return view_object(call, row)


@api.delete("/views/{view_id}", scope="update_content")
def delete_view(call: Call, view_id: str) -> dict[str, Any]:
    """Delete a view; a database keeps its last one."""
    row = _find(call, view_id)
    if call.db.count(DatabaseView, DatabaseView.database_id == row.database_id) == 1:
        raise ValidationError("Cannot delete the last view of a database.")
    call.db.remove(row)
    emit_view(call, "view.deleted", row)
    return view_reference(row)


@api.post("/views/{view_id}/queries", scope="read_content")
def create_view_query(call: Call, view_id: str, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """Run a view and keep the ids of its pages for fifteen minutes."""
    row = _find(call, view_id)
    check_body(obj(None, page_size=anything), body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    pages = select_pages(call, row.data_source_id, row.filter, row.sorts or [])
    until = datetime.fromisoformat(call.clock.iso()) + timedelta(minutes=QUERY_MINUTES)
    query = ViewQuery(
        id=call.ids.uuid(), view_id=row.id, page_ids=[page.id for page in pages], expires_at=until.isoformat()
    )
    call.db.add(query)
    ids, cursor = slice_list(query.page_ids, None, size, str)
    return {
        "object": "view_query",
        "id": query.id,
        "view_id": row.id,
        "expires_at": millis(query.expires_at),
        "total_count": len(query.page_ids),
        "results": [{"object": "page", "id": id} for id in ids],
        "next_cursor": cursor,
        "has_more": cursor is not None,
    }


def _find_query(call: Call, view_id: str, query_id: str) -> ViewQuery:
    id = parse_id(query_id, "query_id")
    query = call.db.find(ViewQuery, ViewQuery.id == id)
    if query is None or query.view_id != parse_id(view_id, "view_id") or query.expires_at < call.clock.iso():
        raise not_found(call, "view query", id)
    return query


@api.get("/views/{view_id}/queries/{query_id}")
def get_view_query_results(
    call: Call, view_id: str, query_id: str, start_cursor: str | None = None, page_size: str | int = MAX_PAGE_SIZE
) -> dict[str, Any]:
    """List the pages that a view had when it was run."""
    query = _find_query(call, view_id, query_id)
    ids, cursor = slice_list(query.page_ids, start_cursor, check_page_size(page_size), str)
    return list_answer("page", [{"object": "page", "id": id} for id in ids], cursor)


@api.delete("/views/{view_id}/queries/{query_id}")
def delete_view_query(call: Call, view_id: str, query_id: str) -> dict[str, Any]:
    """Forget the result of running a view."""
    query = _find_query(call, view_id, query_id)
    call.db.remove(query)
    return {"object": "view_query", "id": query.id, "deleted": True}
