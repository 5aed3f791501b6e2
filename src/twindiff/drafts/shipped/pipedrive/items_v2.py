"""Items in version 2: flat objects, cursors, PATCH. https://developers.pipedrive.com/docs/api/v1 (version 2)"""

from __future__ import annotations

import base64
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..document_collections import DocumentRequest, Respond, declare_operation
from .company_collections import PIPELINES, delete_pipeline, delete_stage, get_stage, post_stage, put_stage
from .crm_items import list_stages, search_all, search_rows, show_match
from .item_kinds import (
    KINDS,
    ItemKind,
    change_item,
    create_item,
    find_item,
    list_custom_fields,
    list_items,
    remove_item,
)
from .tables import PipedriveStage
from .wire_style import DEFAULT_PAGE, MAX_PAGE, PipedriveError, show_instant

api = Operations(prefix="/api/v2")
Shown = dict[str, Any]
_BODY = Annotated[dict[str, Any], Body]
_HIDDEN = ("details", "is_active", "email", "phone")


def _show(call: Call, kind: ItemKind, row: Any) -> Shown:
    fields = [each for each in list_custom_fields(call, kind) if each.number is not None]
    details = cast(Shown, row.details)
    shown = {name: getattr(row, name) for name in kind.table.__annotations__ if name not in _HIDDEN}
    others = {name: details.get(name) for name in kind.fields}
    times = {name: show_instant(shown[name]) for name in ("add_time", "update_time")}
    if kind.name == "person":
        first, _, last = str(row.name).partition(" ")
        others |= {"first_name": first, "last_name": last or None, "emails": row.email, "phones": row.phone}
    if kind.name == "deal":
        stage = call.db.find(PipedriveStage, PipedriveStage.id == row.stage_id)
        others["pipeline_id"] = stage.pipeline_id if stage else None
    custom = {each.key: details.get(each.key) for each in fields}
    if "visible_to" in others:
        others["visible_to"] = int(others["visible_to"] or 3)
    return {**shown, **others, **times, "is_deleted": not row.is_active, "custom_fields": custom}


def _read(body: Shown) -> Shown:
    """Return a body with the names of version 1."""
    names = {"emails": "email", "phones": "phone"}
    return {names.get(name, name): value for name, value in body.items()}


def _start_of(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor or "MA==", validate=True))
    except ValueError:
        raise PipedriveError("The cursor is not valid.") from None


def _page(rows: list[Any], cursor: str, limit: int) -> tuple[list[Any], Shown]:
    if not 1 <= limit <= MAX_PAGE:
        raise PipedriveError(f"limit must be between 1 and {MAX_PAGE}.")
    start = max(_start_of(cursor), 0)
    has_more = start + limit < len(rows)
    after = base64.b64encode(str(start + limit).encode()).decode() if has_more else None
    return rows[start : start + limit], {"next_cursor": after}


def _declare(kind: ItemKind) -> None:
    """Declare the operations of a kind."""

    @api.get(f"/{kind.path}/search")
    def search_items(
        call: Call, term: str, fields: str = "", exact_match: bool = False, cursor: str = "", limit: int = DEFAULT_PAGE
    ) -> Shown:
        page, additional = _page(search_rows(call, kind, term, fields, exact_match), cursor, limit)
        shown = [show_match(call, kind, row) for row in page]
        return {"success": True, "data": {"items": shown}, "additional_data": additional}

    @api.get(f"/{kind.path}")
    def list_all(call: Call, owner_id: int = 0, cursor: str = "", limit: int = DEFAULT_PAGE) -> Shown:
        rows = [row for row in list_items(call, kind) if owner_id in (0, row.owner_id)]
        page, additional = _page(rows, cursor, limit)
        return {"success": True, "data": [_show(call, kind, row) for row in page], "additional_data": additional}

    @api.post(f"/{kind.path}")
    def post_item(call: Call, body: _BODY) -> Shown:
        return {"success": True, "data": _show(call, kind, create_item(call, kind, _read(body)))}

    @api.get(f"/{kind.path}/{{id}}")
    def get_item(call: Call, id: str) -> Shown:
        return {"success": True, "data": _show(call, kind, find_item(call, kind, id))}

    @api.patch(f"/{kind.path}/{{id}}")
    def patch_item(call: Call, id: str, body: _BODY) -> Shown:
        row = change_item(call, kind, find_item(call, kind, id), _read(body))
        return {"success": True, "data": _show(call, kind, row)}

    @api.delete(f"/{kind.path}/{{id}}")
    def delete_item(call: Call, id: str) -> Shown:
        row = find_item(call, kind, id)
        remove_item(call, row)
        return {"success": True, "data": {"id": row.id}}


for each in KINDS:
    if each.name in ("organization", "person", "deal", "activity", "product"):
        _declare(each)


# -- pipelines, stages and the search of all kinds ---------------------------------------------------------------------


@api.get("/itemSearch")
def search_everything(
    call: Call,
    term: str,
    item_types: str = "",
    fields: str = "",
    exact_match: bool = False,
    cursor: str = "",
    limit: int = DEFAULT_PAGE,
) -> Shown:
    """Search items of several kinds."""
    matches = search_all(call, term, item_types, fields, exact_match, 0, MAX_PAGE)["data"]["items"]
    page, additional = _page(matches, cursor, limit)
    return {"success": True, "data": {"items": page, "related_items": []}, "additional_data": additional}


def _flatten_pipeline(response: Shown) -> Any:
    """Return an answer of version 1 with pipelines as version 2 shows them."""
    data: Any = response["data"]
    listed = cast(list[Shown], data if isinstance(data, list) else [data])
    flags = {"is_deleted": False, "is_deal_probability_enabled": True, "is_selected": False}
    kept = ("id", "name", "order_nr", "add_time", "update_time")
    shown: list[Shown] = [{**{name: each.get(name) for name in kept}, **flags} for each in listed]
    return {"success": True, "data": shown if isinstance(data, list) else shown[0]}


def _flatten_stage(response: Shown) -> Any:
    """Return an answer of version 1 with stages as version 2 shows them."""
    data: Any = response["data"]
    listed = cast(list[Shown], data if isinstance(data, list) else [data])
    kept = ("id", "order_nr", "name", "pipeline_id", "deal_probability")
    flags = {"is_deleted": False, "is_deal_rot_enabled": False, "days_to_rotten": None, "add_time": None}
    shown: list[Shown] = [{**{name: each.get(name) for name in kept}, **flags, "update_time": None}
             for each in listed]  # fmt: skip
    return {"success": True, "data": shown if isinstance(data, list) else shown[0]}


def _list_stages(request: DocumentRequest) -> Any:
    """List the stages of the pipelines."""
    wanted = request.query.get("pipeline_id", "0")
    return {**_flatten_stage(list_stages(request.call, int(wanted) if wanted.isdecimal() and len(wanted) < 10 else 0)),
            "additional_data": {"next_cursor": None}}  # fmt: skip


def _serve_flat(name: str, respond: Respond, flatten: Any) -> None:
    def answer(request: DocumentRequest) -> Any:
        value = respond(request)
        value = value.value if isinstance(value, ValueResponse) else value
        return flatten(value) if isinstance(value["data"], list) or "name" in value["data"] else value

    declare_operation(api, name, answer, respond.__doc__ or "")


_serve_flat("GET /pipelines", PIPELINES.respond_list, _flatten_pipeline)
_serve_flat("POST /pipelines", PIPELINES.respond_create, _flatten_pipeline)
_serve_flat("GET /pipelines/{id}", PIPELINES.respond_read, _flatten_pipeline)
_serve_flat("PATCH /pipelines/{id}", PIPELINES.respond_update, _flatten_pipeline)
_serve_flat("DELETE /pipelines/{id}", delete_pipeline, _flatten_pipeline)
declare_operation(api, "GET /stages", _list_stages)
_serve_flat("POST /stages", post_stage, _flatten_stage)
_serve_flat("GET /stages/{id}", get_stage, _flatten_stage)
_serve_flat("PATCH /stages/{id}", put_stage, _flatten_stage)
_serve_flat("DELETE /stages/{id}", delete_stage, _flatten_stage)
