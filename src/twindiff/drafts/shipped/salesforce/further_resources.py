"""Resources beside records: deleted and updated ones, layouts, list views, tooling, revoking, Chatter and the like.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_list.htm
"""

from __future__ import annotations

import re
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import MissingOperation
from twindiff.kit.http import Response, json_answer
from twindiff.kit.parameter_sources import Body, Named
from twindiff.kit.twin import Operations

from ..document_collections import Shown
from ..document_fields import make_document_table
from .objects import OBJECTS
from .org import AGENT, ORGANIZATION, get_user_info
from .queries import get_search, list_fields, read_field, show_attributes
from .records import get_object_or_refuse
from .soql import SoqlCondition, parse_soql
from .wire_style import NoSuchResource, SalesforceError, lengthen_id, make_id, show_time

api = Operations()
_DATA = "/services/data/v{version}"
_OBJECT = f"{_DATA}/sobjects/{{type}}"
TOOLING: Any = make_document_table("tooling_records")
"""Records of the tooling API, such as Apex classes; `scope` is the object."""
_PREFIXES = {"ApexClass": "01p", "ApexTrigger": "01q", "ApexPage": "066", "CustomField": "00N", "DebugLevel": "7dl",
             "TraceFlag": "7tf", "ApexComponent": "099", "StaticResource": "081", "ValidationRule": "03d"}  # fmt: skip


def _instant(said: str) -> str:
    """Return a time of a request as a Timestamp begins. Raises SalesforceError."""
    match = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)", said)
    if match is None:
        raise SalesforceError("INVALID_QUERY_FILTER_OPERATOR", f"{said} is not a valid time")
    return match[1]


@api.get(f"{_OBJECT}/deleted")
def list_deleted(call: Call, version: str, type: str, start: str, end: str) -> Shown:
    """List the records that were deleted between two times."""
    kind, since, until = get_object_or_refuse(type), _instant(start), _instant(end)
    rows = [row for row in call.db.rows(kind.row) if row.IsDeleted and since <= row.LastModifiedDate <= f"{until}~"]
    listed = [{"id": row.Id, "deletedDate": show_time(row.LastModifiedDate)} for row in rows]
    covered = {"earliestDateAvailable": "2026-01-01T00:00:00.000+0000", "latestDateCovered": show_time(until)}
    return {"deletedRecords": listed, **covered}


@api.get(f"{_OBJECT}/updated")
def list_updated(call: Call, version: str, type: str, start: str, end: str) -> Shown:
    """List the records that were changed between two times."""
    kind, since, until = get_object_or_refuse(type), _instant(start), _instant(end)
    rows = [row for row in call.db.rows(kind.row) if not row.IsDeleted and since <= row.LastModifiedDate <= f"{until}~"]
    return {"ids": [row.Id for row in rows], "latestDateCovered": show_time(until)}


@api.get(f"{_OBJECT}/describe/layouts")
def describe_layouts(call: Call, version: str, type: str) -> Shown:
    """Return the layouts of an object: one with a section of all its fields."""
    kind = get_object_or_refuse(type)
    items = [
        {"label": name, "layoutComponents": [{"type": "Field", "value": name, "displayLines": 1, "tabOrder": number}],
         "editableForNew": True, "editableForUpdate": True, "placeholder": False, "required": False}
        for number, name in enumerate(list_fields(call, kind))
    ]  # fmt: skip
    section: Shown = {"heading": "Information", "columns": 1, "rows": len(items), "useHeading": False}
    section["layoutRows"] = [{"layoutItems": [each], "numItems": 1} for each in items]
    layout = {"id": make_id("00h", 1), "detailLayoutSections": [section], "editLayoutSections": [section]}
    mapping = {"available": True, "defaultRecordTypeMapping": True, "layoutId": layout["id"], "master": True,
               "name": "Master", "recordTypeId": "012000000000000AAA"}  # fmt: skip
    return {"layouts": [layout], "recordTypeMappings": [mapping], "recordTypeSelectorRequired": [False]}


@api.get(f"{_OBJECT}/describe/compactLayouts")
def describe_compact_layouts(call: Call, version: str, type: str) -> Shown:
    """Return the compact layouts of an object, of which there is the system's."""
    kind = get_object_or_refuse(type)
    layout: Shown = {"id": None, "label": "System Default", "name": "SYSTEM", "objectType": kind.name}
    layout["fieldItems"] = [{"label": "Name", "layoutComponents": [{"type": "Field", "value": "Name"}]}]
    return {"compactLayouts": [layout], "defaultCompactLayoutId": None, "recordTypeCompactLayoutMappings": []}


@api.get(f"{_OBJECT}/describe/approvalLayouts")
def describe_approval_layouts(call: Call, version: str, type: str) -> Shown:
    """Return the approval layouts of an object, of which there are none."""
    get_object_or_refuse(type)
    return {"approvalLayouts": []}


@api.get(f"{_OBJECT}/listviews")
def list_views(call: Call, version: str, type: str) -> Shown:
    """List the views of an object: one of all its records."""
    kind = get_object_or_refuse(type)
    id = make_id("00B", [*OBJECTS].index(kind.name))
    base = f"/services/data/v{version}/sobjects/{kind.name}/listviews/{id}"
    view = {"describeUrl": f"{base}/describe", "developerName": f"All{kind.name}s", "id": id,
            "label": f"All {kind.name}s", "resultsUrl": f"{base}/results", "soqlCompatible": True,
            "url": base}  # fmt: skip
    return {"done": True, "listviews": [view], "nextRecordsUrl": None, "size": 1, "sobjectType": kind.name}


@api.get(f"{_OBJECT}/listviews/{{viewId}}/results")
def list_view_results(call: Call, version: str, type: str, view_id: str, limit: int = 25, offset: int = 0) -> Shown:
    """List the records of a view."""
    kind = get_object_or_refuse(type)
    rows = [row for row in call.db.rows(kind.row) if not row.IsDeleted]
    page = rows[max(offset, 0) : max(offset, 0) + max(limit, 1)]
    names = ["Id", "Name"] if "Name" in list_fields(call, kind) else ["Id"]
    records = [{"columns": [{"fieldNameOrPath": name, "value": read_field(kind, row, name)} for name in names]}
               for row in page]  # fmt: skip
    columns = [{"fieldNameOrPath": name, "label": name, "sortable": True, "type": "string"} for name in names]
    about = {"columns": columns, "developerName": f"All{kind.name}s", "done": len(page) == len(rows), "id": view_id}
    return {**about, "label": f"All {kind.name}s", "records": records, "size": len(rows)}


@api.get(f"{_DATA}/recent")
def list_recent(call: Call, version: str, limit: int = 200) -> list[Shown]:
    """List the records that were changed last."""
    matches = [
        (row.LastModifiedDate, row.Id, kind, row)
        for kind in (OBJECTS[name] for name in ("Account", "Contact", "Lead", "Opportunity", "Case", "Campaign"))
        for row in call.db.rows(kind.row)
        if not row.IsDeleted
    ]
    matches.sort(key=lambda each: each[:2], reverse=True)
    return [
        {**show_attributes(call, kind, id), "Id": id,
         **({"Name": read_field(kind, row, "Name")} if "Name" in list_fields(call, kind) else {})}
        for _, id, kind, row in matches[: max(limit, 1)]
    ]  # fmt: skip


@api.post(f"{_DATA}/parameterizedSearch", reads=True)
@api.get(f"{_DATA}/parameterizedSearch")
def search_by_parameters(
    call: Call, version: str, q: str, sobject: str = "", sobjects: list[dict[str, Any]] | None = None, fields: Any = ""
) -> Shown:
    """Find records by words; the objects and their fields are parameters."""
    named = [(str(each.get("name")), each.get("fields")) for each in sobjects or ()] or [(sobject, fields)]
    listed: list[str] = []
    for name, each in named:
        names = each if isinstance(each, str) else ",".join(map(str, cast(list[Any], each or [])))
        if name:
            listed.append(f"{get_object_or_refuse(name).name}({names or 'Id'})")
    words = re.sub(r"[{}]", " ", q)
    text = f"FIND {{{words}}}" + (f" RETURNING {', '.join(listed)}" if listed else "")
    return get_search(call, version, text)


@api.get(f"{_DATA}/composite/sobjects/{{type}}")
def get_collection(call: Call, version: str, type: str, ids: str, fields: str) -> list[Shown | None]:
    """Return up to 200 records by id, null for those that do not exist."""
    return _read_collection(call, type, ids.split(","), fields.split(","))


@api.post(f"{_DATA}/composite/sobjects/{{type}}", reads=True)
def post_collection_read(call: Call, version: str, type: str, ids: list[str], fields: list[str]) -> list[Shown | None]:
    """Return up to 2,000 records by id, null for those that do not exist."""
    return _read_collection(call, type, ids, fields)


def _read_collection(call: Call, type: str, ids: list[str], fields: list[str]) -> list[Shown | None]:
    kind = get_object_or_refuse(type)
    known = list_fields(call, kind)
    for name in fields:
        if name not in known:
            raise SalesforceError("INVALID_FIELD", f"No such column '{name}' on sobject of type {kind.name}")
    shown: list[Shown | None] = []
    for id in ids[:2000]:
        row = call.db.find(kind.row, kind.row.Id == lengthen_id(id))
        if row is None or row.IsDeleted:
            shown.append(None)
            continue
        values = {name: read_field(kind, row, name) for name in dict.fromkeys([*fields, "Id"])}
        shown.append({**show_attributes(call, kind, row.Id), **values})
    return shown


# -- the caller and Chatter --------------------------------------------------------------------------------------------


@api.get("/id/{organization}/{user}")
def get_identity(call: Call, organization: str, user: str) -> Shown:
    """Return the caller, at the address that signing in says."""
    if lengthen_id(user) not in (AGENT, call.actor) or lengthen_id(organization) != ORGANIZATION:
        raise NoSuchResource
    about = get_user_info(call)
    names = {"id": about["sub"], "asserted_user": True, "username": about["preferred_username"]}
    return {**names, **{name: value for name, value in about.items() if name != "sub"}, "display_name": about["name"]}


@api.get(f"{_DATA}/chatter/users/me")
@api.get(f"{_DATA}/connect/user-profiles/me")
def get_chatter_user(call: Call, version: str) -> Shown:
    """Return the caller as Chatter does."""
    about = get_user_info(call)
    names = {"name": about["name"], "email": about["email"], "username": about["preferred_username"]}
    return {"id": about["user_id"], **names, "isActive": True, "userType": "Internal", "type": "User"}  # fmt: skip


@api.get(f"{_DATA}/connect/communities")
def list_communities(call: Call, version: str) -> Shown:
    """List the communities, of which there are none."""
    return {"communities": [], "total": 0}


@api.get(f"{_DATA}/connect/organization")
def get_connect_organization(call: Call, version: str) -> Shown:
    """Return the org as Chatter does."""
    return {"accessTimeout": 0, "name": "Twindiff", "orgId": ORGANIZATION, "features": {}, "userSettings": {}}


@api.get(f"{_DATA}/tabs")
def list_tabs(call: Call, version: str) -> list[Shown]:
    """List the tabs: one for each object."""
    return [{"label": name, "name": f"standard-{name}", "sobjectName": name, "custom": False} for name in OBJECTS]


@api.get(f"{_DATA}/theme")
def get_theme(call: Call, version: str) -> Shown:
    """Return the icons and colours of objects, of which this twin has none."""
    return {"themeItems": []}


@api.get(f"{_DATA}/appMenu/{{kind}}")
def list_apps(call: Call, version: str, kind: str) -> Shown:
    """List the apps, of which there are none."""
    return {"appMenuItems": []}


@api.get(f"{_DATA}/quickActions")
@api.get(f"{_OBJECT}/quickActions")
def list_quick_actions(call: Call, version: str) -> list[Shown]:
    """List the quick actions, of which there are none."""
    return []


@api.get(f"{_DATA}/process/rules")
@api.get(f"{_DATA}/process/approvals")
def list_processes(call: Call, version: str) -> Shown:
    """List the rules and the approvals, of which there are none."""
    return {"rules": {}, "approvals": {}}


@api.get(f"{_DATA}/actions")
def list_actions(call: Call, version: str) -> Shown:
    """Return where actions are listed."""
    return {name: f"/services/data/v{version}/actions/{name}" for name in ("standard", "custom")}


@api.get(f"{_DATA}/analytics/reports")
@api.get(f"{_DATA}/analytics/dashboards")
def list_reports(call: Call, version: str) -> list[Shown]:
    """List the reports and the dashboards, of which there are none."""
    return []


@api.get(f"{_DATA}/search/scopeOrder")
def list_scopes(call: Call, version: str) -> list[Shown]:
    """List the objects in the order in which they are searched."""
    names = ("Account", "Contact", "Lead", "Opportunity", "Case")
    return [{"type": each, "url": f"/services/data/v{version}/sobjects/{each}/describe"} for each in names]


@api.post("/services/oauth2/revoke", open=True)
def revoke_token(call: Call, token: Annotated[str, Named("token")] = "") -> Response:
    """Accept that a token is revoked; that of the environment goes on."""
    if not token:
        return json_answer(
            {"error": "unsupported_token_type", "error_description": "this token type is not supported"}, 400
        )
    return Response(b"")


@api.post("/services/oauth2/introspect")
def introspect(call: Call, token: Annotated[str, Named("token")] = "") -> Shown:
    """Return what a token is for."""
    if not call.token or not token.endswith(call.token):
        return {"active": False}
    about = {"active": True, "scope": "api refresh_token", "client_id": "twin", "token_type": "access_token"}
    return {**about, "username": "agent@example.com", "sub": f"{call.base_url}/id/{ORGANIZATION}/{AGENT}"}


# -- tooling -----------------------------------------------------------------------------------------------------------


def _meets(fields: Shown, where: SoqlCondition | None) -> bool:
    """Return whether a record of the tooling API meets a condition of a query."""
    if where is None:
        return True
    if where.parts:
        met = [_meets(fields, each) for each in where.parts]
        return not met[0] if where.operator == "not" else all(met) if where.operator == "and" else any(met)
    value: Any = fields
    for step in where.field.split("."):
        value = cast(Shown, value).get(step) if isinstance(value, dict) else None
    wanted = [None if each.value in ("null", None) else each.value for each in where.values]
    text = str(value or "").lower()
    texts = ["" if each is None else str(each).lower() for each in wanted]
    if where.operator == "like":
        pattern = re.escape(texts[0]).replace("%", ".*").replace("_", ".")
        return re.fullmatch(pattern, text, re.DOTALL) is not None
    is_one = text in texts
    return is_one if where.operator in ("=", "in") else not is_one if where.operator in ("!=", "<>", "not in") else True


def list_tooling_records(call: Call, name: str) -> list[Any]:
    """Return the records of an object of the tooling API, in the order of creation."""
    table: Any = TOOLING
    return call.db.rows(table, table.scope == name, order=(table.number, table.key))


@api.get(f"{_DATA}/tooling/query")
def query_tooling(call: Call, version: str, q: str) -> Shown:
    """Run a query over the records of the tooling API."""
    query = parse_soql(q)
    rows = [row for row in list_tooling_records(call, query.source) if _meets(row.fields, query.where)]
    rows = rows[query.offset :][: query.limit if query.limit is not None else None]
    about: Shown = {"size": len(rows), "totalSize": len(rows), "done": True, "queryLocator": None}
    if [(each.function, each.field) for each in query.fields] == [("count", "")]:
        return {**about, "entityTypeName": query.source, "records": []}
    base = f"/services/data/v{version}/tooling/sobjects/{query.source}"
    names = [each.field for each in query.fields if each.field]
    records: list[Shown] = []
    for row in rows:
        record: Shown = {"attributes": {"type": query.source, "url": f"{base}/{row.key}"}}
        for name in names:
            first, _, rest = name.partition(".")
            value: Any = row.fields.get(first)
            record[first] = value if rest else row.fields.get(name)
        records.append(record)
    return {**about, "entityTypeName": query.source, "records": records}


@api.post(f"{_DATA}/tooling/sobjects/{{type}}", status=201)
def post_tooling(call: Call, version: str, type: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Create a record of the tooling API, such as an Apex class."""
    if type not in _PREFIXES:
        raise NoSuchResource
    number = call.db.next("tooling_record")
    id = make_id(_PREFIXES[type], number)
    now = show_time(call.clock.iso())
    name: Shown = {}
    if type in ("ApexClass", "ApexTrigger"):
        match = re.search(r"\b(?:class|trigger)\s+(\w+)", str(body.get("Body") or ""))
        if match is None:
            raise SalesforceError("REQUIRED_FIELD_MISSING", "Required fields are missing: [Body]", "Body")
        name = {"Name": match[1], "Status": "Active", "NamespacePrefix": None, "ApiVersion": float(version)
                if re.fullmatch(r"\d{1,3}\.\d", version) else 0.0}  # fmt: skip
    fields = {**name, **body, "Id": id, "CreatedDate": now, "LastModifiedDate": now}
    call.db.add(TOOLING(scope=type, key=id, fields=fields, number=number))
    return {"id": id, "success": True, "errors": [], "warnings": [], "infos": []}


def _find_tooling(call: Call, type: str, id: str) -> Any:
    table: Any = TOOLING
    row = call.db.find(table, table.scope == type, table.key == lengthen_id(id))
    if row is None:
        raise NoSuchResource
    return row


@api.get(f"{_DATA}/tooling/sobjects/{{type}}/{{id}}")
def get_tooling(call: Call, version: str, type: str, id: str) -> Shown:
    """Return a record of the tooling API."""
    row = _find_tooling(call, type, id)
    url = f"/services/data/v{version}/tooling/sobjects/{type}/{row.key}"
    return {"attributes": {"type": type, "url": url}, **row.fields}


@api.patch(f"{_DATA}/tooling/sobjects/{{type}}/{{id}}", status=204)
def patch_tooling(call: Call, version: str, type: str, id: str, body: Annotated[dict[str, Any], Body]) -> None:
    """Change a record of the tooling API."""
    row = _find_tooling(call, type, id)
    call.db.change(row, fields={**row.fields, **body, "Id": row.key, "LastModifiedDate": show_time(call.clock.iso())})


@api.delete(f"{_DATA}/tooling/sobjects/{{type}}/{{id}}", status=204)
def delete_tooling(call: Call, version: str, type: str, id: str) -> None:
    """Remove a record of the tooling API."""
    call.db.remove(_find_tooling(call, type, id))


@api.get(f"{_DATA}/tooling/sobjects")
def list_tooling_objects(call: Call, version: str) -> Shown:
    """List the objects of the tooling API."""
    base = f"/services/data/v{version}/tooling/sobjects"
    listed = [
        {"name": each, "label": each, "queryable": True, "urls": {"sobject": f"{base}/{each}"}} for each in _PREFIXES
    ]
    return {"encoding": "UTF-8", "maxBatchSize": 200, "sobjects": listed}


@api.get(f"{_DATA}/tooling/executeAnonymous")
def execute_anonymous(call: Call, version: str) -> None:
    """Refuse to run Apex, which this twin cannot."""
    raise MissingOperation("This drafted twin runs no Apex.")
