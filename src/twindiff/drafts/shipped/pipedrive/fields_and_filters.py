"""Fields of items and saved filters. https://developers.pipedrive.com/docs/api/v1/OrganizationFields, /Filters"""

from __future__ import annotations

from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations, Rows

from ..number_ids import read_number_id
from .item_kinds import find_caller, split_ids
from .tables import PipedriveField, PipedriveFilter
from .wire_style import DEFAULT_PAGE, PipedriveError, page_rows, show_time

api = Operations(prefix="/v1")
Shown = dict[str, Any]
USER = 11_000_001
_BEGIN = Clock(1_767_225_600_000_000).iso()
OWNERS = ("organization", "person", "deal", "product", "activity")
FIELD_TYPES = (
    "varchar", "varchar_auto", "text", "double", "monetary", "date", "set", "enum", "user", "org", "people", "phone",
    "time", "timerange", "daterange", "address", "int",
)  # fmt: skip
FILTER_TYPES = ("deals", "leads", "org", "people", "products", "activity", "projects")
_USUAL = {
    "organization": (("name", "Name", "varchar"), ("owner_id", "Owner", "user"), ("address", "Address", "address")),
    "person": (("name", "Name", "varchar"), ("owner_id", "Owner", "user"), ("org_id", "Organization", "org"),
               ("email", "Email", "varchar"), ("phone", "Phone", "phone")),
    "deal": (("title", "Title", "varchar"), ("value", "Value", "monetary"), ("stage_id", "Stage", "stage"),
             ("status", "Status", "status"), ("person_id", "Contact person", "people"),
             ("org_id", "Organization", "org")),
    "product": (("name", "Name", "varchar"), ("code", "Product code", "varchar")),
    "activity": (("subject", "Subject", "varchar"), ("type", "Type", "enum"), ("done", "Done", "boolean")),
}  # fmt: skip
_ADDRESS = (
    ("subpremise", "Apartment/suite no"), ("street_number", "House number"), ("route", "Street/road name"),
    ("sublocality", "District/sublocality"), ("locality", "City/town/village/locality"),
    ("admin_area_level_1", "State/county"), ("admin_area_level_2", "Region"), ("country", "Country"),
    ("postal_code", "ZIP/Postal code"), ("formatted_address", "Full/combined address"),
)  # fmt: skip
_STAGES = ("Qualified", "Contact Made", "Demo Scheduled", "Proposal Made", "Negotiations Started")
_BODY = Annotated[dict[str, Any], Body]


def company_rows() -> Rows:
    """Return the rows of a user, the stages of a pipeline, and the usual fields."""
    fields = [
        {"owner": owner, "key": key, "number": 4000 + 100 * at + number, "name": name, "field_type": kind,
         "position": number, "add_time": _BEGIN}
        for at, owner in enumerate(OWNERS)
        for number, (key, name, kind) in enumerate(_USUAL[owner])
    ]  # fmt: skip
    stages = [{"id": number, "name": name, "order_nr": number} for number, name in enumerate(_STAGES, 1)]
    user = {"id": USER, "name": "Ada Byron", "email": "agent@example.com"}
    return {"users": [user], "fields": fields, "stages": stages}


def _show_field(row: PipedriveField) -> Shown:
    common = {"id": row.number, "key": row.key, "name": row.name, "field_type": row.field_type}
    common |= {"active_flag": True, "edit_flag": row.is_custom, "json_column_flag": row.is_custom}
    if row.number is None:
        return {**common, "mandatory_flag": False, "is_subfield": True, **cast(Shown, row.details)}
    flags = dict.fromkeys(("index_visible_flag", "details_visible_flag", "add_visible_flag", "bulk_edit_allowed",
                           "searchable_flag", "filtering_allowed", "sortable_flag"), True)  # fmt: skip
    time = show_time(row.add_time)
    return {
        **common, "order_nr": row.position, "picklist_data": None, "add_time": time, "update_time": time,
        "last_updated_by_user_id": None, "important_flag": False, **flags, "mandatory_flag": False,
        **cast(Shown, row.details),
    }  # fmt: skip


def _parts_of(row: PipedriveField) -> list[tuple[str, str, str]]:
    """Return suffix, name and type of the parts of a field."""
    kinds: dict[str, list[tuple[str, str, str]]] = {
        "monetary": [("currency", f"Currency of {row.name}", "varchar")],
        "address": [(suffix, name, "varchar") for suffix, name in _ADDRESS],
        "time": [("timezone_id", "Timezone", "int")],
        "timerange": [("timezone_id", "Timezone", "int"), ("until", f"End time of {row.name}", "time")],
        "daterange": [("until", f"End date of {row.name}", "date")],
    }
    return kinds.get(row.field_type, [])


def _label_of(option: Any) -> str:
    return str(cast(Shown, option).get("label")) if isinstance(option, dict) else str(option)


def _add_field(call: Call, owner: str, body: Shown) -> PipedriveField:
    name, kind = str(body.get("name") or ""), str(body.get("field_type") or "")
    if not name or kind not in FIELD_TYPES:
        raise PipedriveError(f"A field has a name, and a field_type of: {', '.join(FIELD_TYPES)}.")
    if kind in ("set", "enum") and not isinstance(body.get("options"), list):
        raise PipedriveError("Fields of type set and enum have options.")
    known = call.db.rows(PipedriveField)
    number = max((row.number or 0 for row in known), default=4000) + 1
    own = [row for row in known if row.owner == owner]
    position = max((row.position for row in own), default=0) + 1
    order = max((max(row.details.get("order_nr", 0), row.position) for row in own), default=0) + 1
    now, key = call.clock.iso(), (call.ids.uuid() + call.ids.uuid()).replace("-", "")[:40]
    details: Shown = {"last_updated_by_user_id": find_caller(call).id, "order_nr": order}
    if kind in ("set", "enum"):
        given = enumerate(cast(list[Any], body["options"]))
        details["options"] = [{"id": number * 10 + at, "label": _label_of(each)} for at, each in given]
    row = PipedriveField(owner=owner, key=key, number=number, name=name, field_type=kind, is_custom=True,
                         position=position, details=details, add_time=now)  # fmt: skip
    call.db.add(row)
    for at, (suffix, part, part_kind) in enumerate(_parts_of(row), 1):
        call.db.add(PipedriveField(owner=owner, key=f"{key}_{suffix}", name=part, field_type=part_kind,
                                   is_custom=True, position=position + at, add_time=now))  # fmt: skip
    return row


def _list_fields(call: Call, owner: str) -> list[PipedriveField]:
    return call.db.rows(PipedriveField, PipedriveField.owner == owner, order=PipedriveField.position)


def _find_field(call: Call, owner: str, said: str) -> PipedriveField:
    row = next((each for each in _list_fields(call, owner) if said == str(each.number)), None)
    if row is None:
        raise PipedriveError("Field not found", 404)
    return row


def _remove_field(call: Call, owner: str, said: str) -> int:
    row = _find_field(call, owner, said)
    if not row.is_custom:
        raise PipedriveError("Only custom fields can be deleted.", 403)
    for each in _list_fields(call, owner):
        if each.key == row.key or (each.number is None and each.key.startswith(f"{row.key}_")):
            call.db.remove(each)
    return int(said)


def _declare(owner: str) -> None:
    """Declare the operations of the fields of a kind of items."""

    @api.get(f"/{owner}Fields")
    def list_fields(call: Call, start: int = 0, limit: int = DEFAULT_PAGE) -> Shown:
        page, additional = page_rows(_list_fields(call, owner), start, limit)
        return {"success": True, "data": [_show_field(row) for row in page], "additional_data": additional}

    @api.post(f"/{owner}Fields", status=201)
    def post_field(call: Call, body: _BODY) -> Shown:
        return {"success": True, "data": _show_field(_add_field(call, owner, body))}

    @api.get(f"/{owner}Fields/{{id}}")
    def get_field(call: Call, id: str) -> Shown:
        return {"success": True, "data": _show_field(_find_field(call, owner, id))}

    @api.put(f"/{owner}Fields/{{id}}")
    def put_field(call: Call, id: str, body: _BODY) -> Shown:
        row = _find_field(call, owner, id)
        return {"success": True, "data": _show_field(call.db.change(row, name=str(body.get("name") or row.name)))}

    @api.delete(f"/{owner}Fields/{{id}}")
    def delete_field(call: Call, id: str) -> Shown:
        return {"success": True, "data": {"id": _remove_field(call, owner, id)}}

    @api.delete(f"/{owner}Fields")
    def delete_fields(call: Call, ids: str) -> Shown:
        removed = [_remove_field(call, owner, str(each)) for each in split_ids(ids)]
        return {"success": True, "data": {"id": removed}}


for each in OWNERS:
    _declare(each)


# -- filters -----------------------------------------------------------------------------------------------------------


def _show_filter(row: PipedriveFilter) -> Shown:
    return {
        "id": row.id, "name": row.name, "active_flag": True, "type": row.type, "temporary_flag": None,
        "user_id": row.user_id, "add_time": show_time(row.add_time), "update_time": show_time(row.update_time),
        "visible_to": "7", "custom_view_id": None, **cast(Shown, row.details),
    }  # fmt: skip


def _read_conditions(given: Any) -> Shown:
    """Return the conditions of a filter as they are kept: an `and` and an `or` of conditions. Raises PipedriveError."""
    groups: Any = cast(Shown, given).get("conditions") if isinstance(given, dict) else None
    if not isinstance(groups, list) or not all(isinstance(each, dict) for each in cast(list[Any], groups)):
        raise PipedriveError("conditions must have a glue and a list of conditions.")
    kept: dict[str, list[Shown]] = {"and": [], "or": []}
    for group in cast(list[Shown], groups):
        conditions: Any = group.get("conditions") or []
        for each in cast(list[Any], conditions) if isinstance(conditions, list) else []:
            shown = cast(Shown, each)
            named = {"field_id": str(shown.get("field_id")), "extra_value": shown.get("extra_value")}
            kept["or" if group.get("glue") == "or" else "and"].append({**shown, **named})
    return {"glue": "and", "conditions": [{"glue": glue, "conditions": each} for glue, each in kept.items()]}


def _find_filter(call: Call, said: str) -> PipedriveFilter:
    row = call.db.find(PipedriveFilter, PipedriveFilter.id == read_number_id(said))
    if row is None:
        raise PipedriveError("Filter not found", 404)
    return row


@api.get("/filters")
def list_filters(call: Call, type: str = "") -> Shown:
    """List the filters, or those of a type."""
    if type and type not in FILTER_TYPES:
        raise PipedriveError(f"type must be one of: {', '.join(FILTER_TYPES)}.")
    rows = call.db.rows(PipedriveFilter, order=PipedriveFilter.id)
    return {"success": True, "data": [_show_filter(row) for row in rows if not type or row.type == type]}


@api.post("/filters", status=201)
def post_filter(call: Call, body: _BODY) -> Shown:
    """Save a filter."""
    name, kind = str(body.get("name") or ""), str(body.get("type") or "")
    if not name or kind not in FILTER_TYPES:
        raise PipedriveError(f"A filter has a name, and a type of: {', '.join(FILTER_TYPES)}.")
    conditions, now = _read_conditions(body.get("conditions")), call.clock.iso()
    last = max((row.id for row in call.db.rows(PipedriveFilter)), default=0)
    row = PipedriveFilter(id=last + 1, name=name, type=kind, conditions=conditions, user_id=find_caller(call).id,
                          add_time=now, update_time=now)  # fmt: skip
    return {"success": True, "data": {**_show_filter(call.db.add(row)), "conditions": conditions}}


@api.get("/filters/{id}")
def get_filter(call: Call, id: str) -> Shown:
    """Return a filter with its conditions."""
    row = _find_filter(call, id)
    return {"success": True, "data": {**_show_filter(row), "conditions": row.conditions}}


@api.put("/filters/{id}")
def put_filter(call: Call, id: str, body: _BODY) -> Shown:
    """Change a filter."""
    row = _find_filter(call, id)
    conditions = _read_conditions(body["conditions"]) if "conditions" in body else row.conditions
    name = str(body.get("name") or row.name)
    call.db.change(row, name=name, conditions=conditions, update_time=call.clock.iso())
    return {"success": True, "data": {"id": row.id}}


@api.delete("/filters/{id}")
def delete_filter(call: Call, id: str) -> Shown:
    """Remove a filter."""
    call.db.remove(_find_filter(call, id))
    return {"success": True, "data": {"id": int(id)}}


@api.delete("/filters")
def delete_filters(call: Call, ids: str) -> Shown:
    """Remove filters; those that do not exist are no error."""
    listed = split_ids(ids)
    for row in call.db.rows(PipedriveFilter):
        if row.id in listed:
            call.db.remove(row)
    return {"success": True, "data": {"id": listed}}
