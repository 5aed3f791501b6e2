"""Items in version 1: list, search, read, create, change and delete. https://developers.pipedrive.com/docs/api/v1"""

from __future__ import annotations

from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .item_kinds import (
    BY_NAME,
    KINDS,
    ItemKind,
    change_item,
    create_item,
    find_caller,
    find_item,
    list_custom_fields,
    list_items,
    remove_item,
    split_ids,
)
from .shown_items import COMPANY, find_owner, show_item, show_mail, show_related
from .tables import PipedriveDeal, PipedriveOrganization, PipedrivePerson, PipedriveStage, PipedriveUser
from .wire_style import DEFAULT_PAGE, PipedriveError, page_rows

api = Operations(prefix="/v1")
Shown = dict[str, Any]
MIN_TERM_CHARACTERS = 2
_SEARCHED = ("organization", "person", "deal", "product")
_PARTS = {
    "organization": ("persons", "deals", "activities"),
    "person": ("deals", "activities"),
    "deal": ("activities",),
}
_COLUMN = {"organization": "org_id", "person": "person_id", "deal": "deal_id"}
_BODY = Annotated[dict[str, Any], Body]


def search_rows(call: Call, kind: ItemKind, term: str, fields: str, exact: bool) -> list[Any]:
    """Return the items that have a term in their names, addresses or custom fields. Raises PipedriveError."""
    if len(term) < (1 if exact else MIN_TERM_CHARACTERS):
        raise PipedriveError(f"term must be at least {MIN_TERM_CHARACTERS} characters long.")
    wanted = [each for each in fields.split(",") if each]
    return [row for row in list_items(call, kind) if _has_term(call, kind, row, term.lower(), wanted, exact)]


def _has_term(call: Call, kind: ItemKind, row: Any, term: str, fields: list[str], exact: bool) -> bool:
    texts = {kind.title: [getattr(row, kind.title)], "address": [row.details.get("address")]}
    if isinstance(row, PipedrivePerson):
        texts |= {
            name: [each["value"] for each in cast(list[Shown], getattr(row, name))] for name in ("email", "phone")
        }
    texts["custom_fields"] = _texts_of_custom(call, kind, row)
    known = [str(each or "").lower() for name, of in texts.items() if not fields or name in fields for each in of]
    return any(each == term if exact else term in each for each in known)


def _texts_of_custom(call: Call, kind: ItemKind, row: Any) -> list[str]:
    values = [row.details.get(field.key) for field in list_custom_fields(call, kind) if field.number is not None]
    return [str(each) for each in values if each is not None]


def show_match(call: Call, kind: ItemKind, row: Any) -> Shown:
    """Return an item as a search shows it."""
    item: Shown = {"id": row.id, "type": kind.name, kind.title: getattr(row, kind.title)}
    organization = call.db.find(PipedriveOrganization, PipedriveOrganization.id == (getattr(row, "org_id", None) or 0))
    shown = {"id": organization.id, "name": organization.name, "address": None} if organization else None
    if kind.name == "organization":
        item["address"] = row.details.get("address")
    elif kind.name == "person":
        item |= {f"{name}s": [each["value"] for each in getattr(row, name)] for name in ("phone", "email")}
        item["organization"] = shown
    elif isinstance(row, PipedriveDeal):
        stage = call.db.get(PipedriveStage, row.stage_id)
        person = call.db.find(PipedrivePerson, PipedrivePerson.id == (row.person_id or 0))
        item |= {"value": row.value, "currency": row.currency, "status": row.status}
        item |= {"stage": {"id": stage.id, "name": stage.name}, "organization": shown}
        item["person"] = {"id": person.id, "name": person.name} if person else None
    visible = int(row.details.get("visible_to") or 3)
    item |= {"visible_to": visible, "owner": {"id": row.owner_id}, "custom_fields": _texts_of_custom(call, kind, row)}
    return {"result_score": 0.35513002, "item": {**item, "notes": []}}


def _wrap(call: Call, kind: ItemKind, row: Any, **more: Any) -> Shown:
    has_name = more.pop("has_owner_name", True)
    shown = show_item(call, kind, row, has_owner_name=has_name)
    return {
        "success": True,
        "data": {**shown, **more.pop("data", {})},
        **more,
        "related_objects": show_related(call, row),
    }


def _show_list(call: Call, kind: ItemKind, rows: list[Any], start: int, limit: int) -> Shown:
    page, additional = page_rows(rows, start, limit)
    shown = [show_item(call, kind, row) for row in page]
    return {"success": True, "data": shown or None, "additional_data": additional}


def _show_additional(call: Call, kind: ItemKind, row: Any) -> Shown:
    owner = find_owner(call, row.owner_id)
    follower = {"name": owner["name"], "email": owner["email"], "user_id": row.owner_id, "pic_hash": None, "id": row.id}
    return {"followers": {str(row.owner_id): follower}, "dropbox_email": show_mail(call)}


def _declare_search(kind: ItemKind) -> None:
    @api.get(f"/{kind.path}/search")
    def search_items(
        call: Call, term: str, fields: str = "", exact_match: bool = False, start: int = 0, limit: int = DEFAULT_PAGE
    ) -> Shown:
        page, additional = page_rows(search_rows(call, kind, term, fields, exact_match), start, limit)
        return {
            "success": True,
            "data": {"items": [show_match(call, kind, row) for row in page]},
            "additional_data": additional,
        }


def _is_wanted(row: Any, status: str, user_id: int) -> bool:
    is_status = not status or not isinstance(row, PipedriveDeal) or status in ("all_not_deleted", row.status)
    return is_status and user_id in (0, row.owner_id)


def _declare(kind: ItemKind) -> None:
    """Declare the operations of a kind."""
    if kind.name in _SEARCHED:
        _declare_search(kind)

    @api.get(f"/{kind.path}")
    def list_all(call: Call, start: int = 0, limit: int = DEFAULT_PAGE, status: str = "", user_id: int = 0) -> Shown:
        rows = [row for row in list_items(call, kind) if _is_wanted(row, status, user_id)]
        return _show_list(call, kind, rows, start, limit)

    @api.post(f"/{kind.path}", status=201)
    def post_item(call: Call, body: _BODY) -> Shown:
        row = create_item(call, kind, body)
        return _wrap(call, kind, row, data={"followers_count": 0})

    @api.delete(f"/{kind.path}")
    def delete_items(call: Call, ids: str) -> Shown:
        listed = split_ids(ids)
        known = {row.id: row for row in list_items(call, kind)}
        for each in listed:
            if each in known:
                remove_item(call, known[each])
        return {"success": True, "data": {"id": listed}}

    _declare_members(kind)


def _declare_members(kind: ItemKind) -> None:
    @api.get(f"/{kind.path}/{{id}}")
    def get_item(call: Call, id: str) -> Shown:
        row = find_item(call, kind, id, has_deleted=kind.name != "note")
        activities = {"last_activity": None, "next_activity": None}
        return _wrap(call, kind, row, data=activities, additional_data=_show_additional(call, kind, row))

    @api.put(f"/{kind.path}/{{id}}")
    def put_item(call: Call, id: str, body: _BODY) -> Shown:
        row = change_item(call, kind, find_item(call, kind, id), body)
        return _wrap(call, kind, row, has_owner_name=kind.name not in ("organization", "person"))

    @api.delete(f"/{kind.path}/{{id}}")
    def delete_item(call: Call, id: str) -> Shown:
        row = find_item(call, kind, id)
        remove_item(call, row)
        return {"success": True, "data": {"id": row.id}}

    for part in _PARTS.get(kind.name, ()):
        _declare_part(kind, next(each for each in KINDS if each.path == part))


def _declare_part(kind: ItemKind, part: ItemKind) -> None:
    @api.get(f"/{kind.path}/{{id}}/{part.path}")
    def list_part(call: Call, id: str, start: int = 0, limit: int = DEFAULT_PAGE) -> Shown:
        row = find_item(call, kind, id)
        rows = [each for each in list_items(call, part) if getattr(each, _COLUMN[kind.name]) == row.id]
        return _show_list(call, part, rows, start, limit)


for each in KINDS:
    _declare(each)


@api.get("/itemSearch")
def search_all(
    call: Call,
    term: str,
    item_types: str = "",
    fields: str = "",
    exact_match: bool = False,
    start: int = 0,
    limit: int = DEFAULT_PAGE,
) -> Shown:
    """Search items of several kinds."""
    names = [each for each in item_types.split(",") if each] or [*_SEARCHED]
    unknown = [each for each in names if each not in _SEARCHED]
    if unknown:
        raise PipedriveError(f"item_types: '{unknown[0]}' is none of {', '.join(_SEARCHED)}.")
    matches = [
        show_match(call, BY_NAME[name], row)
        for name in names
        for row in search_rows(call, BY_NAME[name], term, fields, exact_match)
    ]
    page, additional = page_rows(matches, start, limit)
    return {"success": True, "data": {"items": page, "related_items": []}, "additional_data": additional}


@api.get("/users/me")
def get_me(call: Call) -> Shown:
    """Return the user who calls."""
    owner = find_owner(call, find_caller(call).id)
    company = {"company_id": COMPANY, "company_name": "Twindiff", "company_domain": "twindiff"}
    return {"success": True, "data": {**owner, "lang": 1, "locale": "en_US", "is_you": True, "is_admin": 1, **company}}


@api.get("/users")
def list_users(call: Call) -> Shown:
    """List the users of the company."""
    shown = [find_owner(call, row.id) for row in call.db.rows(PipedriveUser)]
    return {"success": True, "data": shown}


@api.get("/stages")
def list_stages(call: Call, pipeline_id: int = 0) -> Shown:
    """List the stages of the pipelines."""
    rows = call.db.rows(PipedriveStage, order=PipedriveStage.order_nr)
    names = ("id", "order_nr", "name", "pipeline_id", "pipeline_name")
    shown = [{name: getattr(row, name) for name in names} for row in rows if pipeline_id in (0, row.pipeline_id)]
    return {"success": True, "data": [{**each, "active_flag": True, "rotten_flag": False} for each in shown]}
