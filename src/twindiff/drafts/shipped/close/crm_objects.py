"""Handlers of leads, contacts, opportunities, tasks, activities, custom fields and statuses.

All are created, read, changed and removed in the same way. https://developer.close.com/resources/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body, Named
from twindiff.kit.twin import Operations

from .crm_kinds import FIELD_TYPES, KINDS, CrmKind, find_caller, find_row, list_rows
from .custom_values import read_custom
from .event_log import log_event, show_logged
from .lead_queries import meets_query
from .list_queries import filter_shown
from .shown_objects import ORGANIZATION, SHOWN, show_activity, show_user
from .tables import CloseActivity, CloseContact, CloseLead, CloseOpportunity, CloseStatus, CloseTask, CloseUser
from .wire_style import DEFAULT_PAGE, CloseError, page_rows, pick_fields

api = Operations(prefix="/api/v1")
Shown = dict[str, Any]
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LISTS = {"emails": ("email", "office"), "phones": ("phone", "office"), "urls": ("url", "url")}
"""Of the lists of a contact, the field of an entry and its usual type."""
_BY_NAME = {kind.name: kind for kind in KINDS}
_BODY = Annotated[dict[str, Any], Body]


def _read_entries(name: str, given: Any) -> list[Shown]:
    field, usual = _LISTS[name]
    entries: list[Any] = cast(list[Any], given) if isinstance(given, list) else []
    read: list[Shown] = []
    for each in entries:
        if not isinstance(each, dict) or not cast(Shown, each).get(field):
            raise CloseError(fields={name: f"Each entry is an object with '{field}'."})
        read.append({"type": usual, **cast(Shown, each)})
    return read


def _check_references(call: Call, kind: CrmKind, body: Mapping[str, Any]) -> None:
    """Raise CloseError for a lead, a contact or a status that there is not, and for a type that there is not."""
    tables: dict[str, Any] = {"lead_id": CloseLead, "contact_id": CloseContact, "status_id": CloseStatus}
    problems: dict[str, str] = {}
    for name, table in tables.items():
        if name in kind.fields and body.get(name) and not call.db.find(table, table.id == str(body[name])):
            problems[name] = "Object not found."
    if kind.name.startswith("custom_field/") and body.get("type", "text") not in FIELD_TYPES:
        problems["type"] = f"The type must be one of: {', '.join(FIELD_TYPES)}."
    if "confidence" in body and kind.name == "opportunity":
        known = body["confidence"]
        if not isinstance(known, int) or not 0 <= known <= 100:
            problems["confidence"] = "The confidence must be between 0 and 100."
    if kind.name == "opportunity" and body.get("value_period", "one_time") not in ("one_time", "monthly", "annual"):
        problems["value_period"] = "The value period must be one_time, monthly or annual."
    if problems:
        raise CloseError(fields=problems)


def _read_values(call: Call, kind: CrmKind, body: Mapping[str, Any], known: Any = None) -> Shown:
    """Return the columns of what a body gives; raises CloseError."""
    _check_references(call, kind, body)
    given = {name: body[name] for name in kind.fields if name in body}
    for name in ("name", "title", "text", "note", "description"):
        if name in given and given[name] is None and kind.table in (CloseLead, CloseContact):
            given[name] = ""
    for name in _LISTS:
        if name in given and kind.table is CloseContact:
            given[name] = _read_entries(name, given[name])
    is_unset = {name for name in ("lead_id", "status_id") if given.get(name) is None}
    values = {name: value for name, value in given.items() if name in kind.columns and name not in is_unset}
    wrong = {name: "This field must be a text." for name, value in values.items() if not isinstance(value, str)}
    if wrong:
        raise CloseError(fields=wrong)
    if "details" in kind.columns:
        details = {name: value for name, value in given.items() if name not in kind.columns and name != "_type"}
        values["details"] = {**(known.details if known else {}), **details}
    if "custom" in kind.columns:
        values["custom"] = read_custom(call, kind.name, body, known.custom if known else {})
    return values


def _first_status(call: Call, owner: str) -> str:
    rows = call.db.rows(CloseStatus, CloseStatus.owner == owner, order=CloseStatus.position)
    return rows[0].id


def _date_won(call: Call, values: Shown) -> Shown:
    """Return the details of an opportunity with the day on which it was won, if its status says that it is now."""
    status = call.db.find(CloseStatus, CloseStatus.id == values["status_id"]) if values.get("status_id") else None
    details: Shown = values.get("details") or {}
    is_won = status is not None and status.type == "won" and not details.get("date_won")
    return {**details, "date_won": call.clock.iso()[:10]} if is_won else details


def create_object(call: Call, kind: CrmKind, body: Mapping[str, Any]) -> Any:
    """Add an object of a kind; raises CloseError with the fields that are missing or wrong."""
    missing = {name: "This field is required." for name in kind.needed if body.get(name) in (None, "")}
    if missing:
        raise CloseError(fields=missing)
    values = _read_values(call, kind, body)
    id = call.ids.new(kind.prefix, 43, _ALPHABET)
    if kind.table is CloseStatus:
        status = CloseStatus(id=id, position=call.db.next("status") + 100, **dict(kind.of), **values)
        return _log_new(call, call.db.add(status))
    if "status_id" in kind.columns and not values.get("status_id"):
        values["status_id"] = _first_status(call, kind.name)
    if kind.table is CloseOpportunity:
        values["details"] = _date_won(call, values)
    if kind.table is CloseContact and not values.get("lead_id"):
        values["lead_id"] = create_object(call, _BY_NAME["lead"], {"name": body.get("name") or ""}).id
    now, user = call.clock.iso(), find_caller(call)
    table: Any = kind.table
    times = {"created_by": user, "updated_by": user, "date_created": now, "date_updated": now}
    row = table(id=id, made_number=call.db.next("object"), **times, **dict(kind.of), **values)
    row = _log_new(call, call.db.add(row))
    if kind.table is CloseLead:
        contacts: Any = body.get("contacts") or []
        if not isinstance(contacts, list) or not all(isinstance(each, dict) for each in cast(list[Any], contacts)):
            raise CloseError(fields={"contacts": "Contacts are a list of objects."})
        for each in cast(list[Shown], contacts):
            create_object(call, _BY_NAME["contact"], {**each, "lead_id": row.id})
    return row


def _log_new(call: Call, row: Any) -> Any:
    log_event(call, "created", row, find_caller(call))
    return row


def change_object(call: Call, kind: CrmKind, row: Any, body: Mapping[str, Any]) -> Any:
    """Change what a body gives; raises CloseError."""
    values = _read_values(call, kind, body, row)
    if kind.table is CloseOpportunity and "status_id" in values:
        values["details"] = _date_won(call, values)
    if kind.table is not CloseStatus:
        values |= {"date_updated": call.clock.iso(), "updated_by": find_caller(call)}
    before = show_logged(call, row)
    row = call.db.change(row, **values)
    log_event(call, "updated", row, find_caller(call), before)
    return row


def remove_object(call: Call, row: Any) -> None:
    """Remove an object, and all that belongs to a lead."""
    log_event(call, "deleted", row, find_caller(call))
    if isinstance(row, CloseLead):
        for table in (CloseContact, CloseOpportunity, CloseTask, CloseActivity):
            for each in call.db.rows(table, table.lead_id == row.id):
                call.db.remove(each)
    call.db.remove(row)


def _is_wanted(call: Call, kind: CrmKind, row: Any, query: str, lead_id: str) -> bool:
    is_of_lead = not lead_id or getattr(row, "lead_id", None) == lead_id
    return is_of_lead and (not query or kind.table is not CloseLead or meets_query(SHOWN[CloseLead](call, row), query))


def _declare(kind: CrmKind) -> None:
    """Declare the operations of a kind."""

    @api.get(f"/{kind.name}/")
    def list_objects(
        call: Call,
        query: str = "",
        lead_id: str = "",
        limit: Annotated[int, Named("_limit")] = DEFAULT_PAGE,
        skip: Annotated[int, Named("_skip")] = 0,
        fields: Annotated[str, Named("_fields")] = "",
    ) -> Shown:
        rows = [row for row in list_rows(call, kind) if _is_wanted(call, kind, row, query, lead_id)]
        shown = filter_shown(call, kind.name, [SHOWN[kind.table](call, row) for row in rows])
        page = page_rows(shown, lambda each: each, limit, skip, fields)
        return {**page, "total_results": len(shown)} if kind.name in ("lead", "opportunity") else page

    @api.post(f"/{kind.name}/")
    def post_object(call: Call, body: _BODY) -> Shown:
        return SHOWN[kind.table](call, create_object(call, kind, body))

    @api.get(f"/{kind.name}/{{id}}/")
    def get_object(call: Call, id: str, fields: Annotated[str, Named("_fields")] = "") -> Shown:
        return pick_fields(SHOWN[kind.table](call, find_row(call, kind, id)), fields)

    @api.put(f"/{kind.name}/{{id}}/")
    def put_object(call: Call, id: str, body: _BODY) -> Shown:
        return SHOWN[kind.table](call, change_object(call, kind, find_row(call, kind, id), body))

    @api.delete(f"/{kind.name}/{{id}}/")
    def delete_object(call: Call, id: str) -> Shown:
        remove_object(call, find_row(call, kind, id))
        return {}


for each in KINDS:
    _declare(each)


@api.get("/activity/")
def list_activities(
    call: Call,
    lead_id: str = "",
    limit: Annotated[int, Named("_limit")] = DEFAULT_PAGE,
    skip: Annotated[int, Named("_skip")] = 0,
    fields: Annotated[str, Named("_fields")] = "",
) -> Shown:
    """List the activities of all kinds, the newest first."""
    rows = call.db.rows(CloseActivity, order=CloseActivity.made_number)
    wanted = [show_activity(call, row) for row in reversed(rows) if not lead_id or row.lead_id == lead_id]
    return page_rows(filter_shown(call, "activity", wanted), lambda each: each, limit, skip, fields)


@api.post("/lead/merge/")
def merge_leads(call: Call, source: str, destination: str) -> Shown:
    """Move what belongs to one lead to another, and remove the first."""
    first, second = (find_row(call, _BY_NAME["lead"], each) for each in (source, destination))
    if first.id == second.id:
        raise CloseError("A lead cannot be merged with itself.")
    for table in (CloseContact, CloseOpportunity, CloseTask, CloseActivity):
        for row in call.db.rows(table, table.lead_id == first.id):
            call.db.change(row, lead_id=second.id)
    log_event(call, "merged", second, find_caller(call))
    call.db.remove(first)
    return {}


@api.get("/me/")
def get_me(call: Call) -> Shown:
    """Return the user who calls."""
    row = call.db.get(CloseUser, find_caller(call))
    organization = {"id": ORGANIZATION, "name": "Twindiff"}
    return {**show_user(row), "organizations": [organization], "email_accounts": [], "phone": None}


@api.get("/user/")
def list_users(call: Call) -> Shown:
    """List the users of the organization."""
    return {"data": [show_user(row) for row in call.db.rows(CloseUser)], "has_more": False}


@api.get("/user/{id}/")
def get_user(call: Call, id: str) -> Shown:
    """Return a user."""
    row = call.db.find(CloseUser, CloseUser.id == id)
    if row is None:
        raise CloseError(f"User {id} was not found.", status=404)
    return show_user(row)
