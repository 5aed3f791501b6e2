"""Items in version 2: flat objects, cursors, PATCH. https://developers.pipedrive.com/docs/api/v1 (version 2)"""

from __future__ import annotations

import base64
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .crm_items import search_rows, show_match
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
