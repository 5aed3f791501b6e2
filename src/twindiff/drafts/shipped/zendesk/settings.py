"""Fields, views, rules, memberships and other settings of an account, and what is written in bulk.

https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_fields/, /business-rules/views/
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations, Rows

from ..document_collections import (
    ALL,
    CollectionStyle,
    DocumentCollection,
    DocumentRequest,
    list_tables,
    serve_collections,
)
from ..document_fields import FieldType
from .tables import AGENT, BEGIN, ZendeskGroup, ZendeskJob, ZendeskOrganization, ZendeskUser, ZendeskUserField
from .tickets import create_ticket, put_ticket
from .users import create_user, find_user, put_user, show_user
from .wire_style import PageChoice, RecordNotFound, ZendeskError, page_rows, refuse_fields, refuse_parameter, show_time

api = Operations(prefix="/api/v2")
Given = Annotated[dict[str, Any], Body]
Shown = dict[str, Any]
MAX_BULK = 100
MAX_ID = 10**15


class SettingDocuments(CollectionStyle):
    """Objects stand under their word and say their `url`; lists are pages by number or cursor."""

    updates_by = ("PUT",)
    times = ("created_at", "updated_at")
    computed = frozenset(("url",))
    is_lenient = True
    parameters: ClassVar = {"page": (PageChoice, 1), "per_page": (int, 100)}

    def __init__(self, name: str, plural: str, path: str) -> None:
        """`name` and `plural` are the words of one object and of several."""
        self.name, self.plural, self.path = name, plural, path

    def read_fields(self, request: DocumentRequest) -> Shown:
        given = request.find_object(self.name)
        if given is None:
            raise ZendeskError(400, {"error": {"title": "Invalid attribute", "message": f"{self.name} is required"}})
        return given

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return RecordNotFound()

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        problems = {each: f"{each.replace('_', ' ').capitalize()}: cannot be blank" for each in absent}
        return refuse_fields(problems, dict.fromkeys(absent, "BlankValue"))

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        said = f"{field.replace('_', ' ').capitalize()}: must be {kind.description}"
        return refuse_fields({field: said}, {field: "InvalidValue"})

    def make_key(self, call: Call, collection: DocumentCollection) -> int:
        return 360_900_000 + call.db.next("setting")

    def show_now(self, call: Call) -> Any:
        return show_time(call.clock.iso())

    def show_one(self, shown: Shown) -> Any:
        return {self.name: shown}

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        url = f"{request.call.base_url}/api/v2{self.path}.json"
        page, most = request.query["page"], request.query["per_page"]
        return page_rows(url, self.plural, shown, lambda each: each, page, most)


def _check_ids(table: Any, name: str) -> Callable[[DocumentRequest, Shown], None]:
    """Return a check that a membership names a user and something of a table that are there."""

    def check(request: DocumentRequest, fields: Shown) -> None:
        for field, of in (("user_id", ZendeskUser), (name, table)):
            id = fields.get(field)
            if not isinstance(id, int) or not 0 < id < MAX_ID or request.call.db.find(of, of.id == id) is None:
                raise refuse_fields({field: f"{field.removesuffix('_id').capitalize()}: is invalid"})

    return check


_FIELD: Shown = {
    "description": "", "position": 9999, "active": True, "required": False, "collapsed_for_agents": False,
    "regexp_for_validation": None, "title_in_portal": "", "visible_in_portal": False, "editable_in_portal": False,
    "required_in_portal": False, "tag": None, "removable": True, "agent_description": None,
}  # fmt: skip
_FIELD_FLAGS = (
    "active, required, collapsed_for_agents, visible_in_portal, editable_in_portal, required_in_portal: boolean"
)
_FIELD_FIELDS = (
    f"title, description, agent_description, title_in_portal, tag, regexp_for_validation: text; {_FIELD_FLAGS};"
    "position: integer; custom_field_options: list"
)
_TICKET_TYPES = "text|textarea|checkbox|date|integer|decimal|regexp|partialcreditcard|multiselect|tagger|lookup"
_SYSTEM_FIELDS = (
    ("subject", "Subject", False, True, True, True), ("description", "Description", False, True, True, True),
    ("status", "Status", False, False, False, False), ("tickettype", "Type", False, False, False, False),
    ("priority", "Priority", False, False, False, False), ("group", "Group", False, False, False, False),
    ("assignee", "Assignee", True, False, False, False),
)  # fmt: skip
"""Type, title, whether it must be set to solve, and whether the portal shows it, lets it be changed and needs it."""
_OWNER_TYPES = "text|textarea|checkbox|date|integer|decimal|regexp|dropdown|multiselect|lookup"
_RULE_FIELDS = "title, description: text; active: boolean; position: integer"
_UNSERVED = ("access", "group_id", "category", "only_viewable", "sort", "sort_by", "sort_order")
_RULE: Shown = {"active": True, "position": 1, "description": None}


def _declare(
    name: str,
    plural: str,
    *required: str,
    path: str = "",
    collection: type[DocumentCollection] = DocumentCollection,
    **more: Any,
) -> DocumentCollection:
    path = path or f"/{plural}"

    def show(request: DocumentRequest, fields: Shown) -> Shown:
        return {"url": f"{request.call.base_url}/api/v2{path}/{fields['id']}.json", **fields}

    return collection(
        table=plural, path=path, style=SettingDocuments(name, plural, path), name=name, required=required, show=show,
        **more,
    )  # fmt: skip


class TicketFields(DocumentCollection):
    """The fields of tickets, of which those of the system cannot be removed."""

    def remove(self, call: Call, row: Any) -> None:
        """Remove a field. Raises ZendeskError for one of the system."""
        if row.fields.get("removable") is False:
            raise refuse_fields({"base": "A system field cannot be deleted"})
        super().remove(call, row)


TICKET_FIELDS = _declare("ticket_field", "ticket_fields", "type", "title", defaults=_FIELD, collection=TicketFields,
                         fields=f"{_FIELD_FIELDS}; type: {_TICKET_TYPES}")  # fmt: skip
COLLECTIONS = (
    TICKET_FIELDS,
    _declare("ticket_form", "ticket_forms", "name", filters=("active", "end_user_visible"),
             fields="name, display_name: text; position: integer; ticket_field_ids, restricted_brand_ids: list;"
                    "active, end_user_visible, default, in_all_brands: boolean",
             defaults={"display_name": "", "position": 1, "active": True, "end_user_visible": False, "default": False,
                       "ticket_field_ids": [], "in_all_brands": True, "restricted_brand_ids": []}),
    _declare("view", "views", "title", filters=("active",), unserved=_UNSERVED,
             fields=f"{_RULE_FIELDS}; restriction: object",
             defaults={**_RULE, "restriction": None, "conditions": {"all": [], "any": []}}),
    _declare("macro", "macros", "title", "actions", filters=("active",), unserved=_UNSERVED,
             fields=f"{_RULE_FIELDS}; actions: list; restriction: object",
             defaults={**_RULE, "restriction": None}),
    _declare("trigger", "triggers", "title", "conditions", "actions",
             filters=("active", "category_id"), unserved=_UNSERVED,
             fields=f"{_RULE_FIELDS}; conditions: object; actions: list; category_id: text",
             defaults={**_RULE, "category_id": None}),
    _declare("automation", "automations", "title", "conditions", "actions",
             filters=("active",), unserved=_UNSERVED,
             fields=f"{_RULE_FIELDS}; conditions: object; actions: list", defaults=_RULE),
    _declare("brand", "brands", "name", "subdomain",
             fields="name, subdomain, host_mapping, signature_template: text; active, default: boolean",
             defaults={"active": True, "default": False, "has_help_center": False, "is_deleted": False,
                       "host_mapping": None}),
    _declare("sla_policy", "sla_policies", "title", "filter", path="/slas/policies",
             fields="title, description: text; position: integer; filter: object; policy_metrics: list",
             defaults={"description": "", "position": 1, "policy_metrics": []}),
    _declare("organization_field", "organization_fields", "key", "type", "title", defaults=_FIELD,
             fields=f"{_FIELD_FIELDS}; type: {_OWNER_TYPES}"),
    _declare("webhook", "webhooks", "name", "endpoint", "http_method", "request_format", "status",
             fields="name, endpoint, description: text; http_method: GET|POST|PUT|PATCH|DELETE;"
                    "request_format: json|xml|form_encoded; status: active|inactive; subscriptions: list",
             defaults={"subscriptions": []}),
    _declare("organization_membership", "organization_memberships", "user_id", "organization_id",
             fields="user_id, organization_id: integer; default, view_tickets: boolean",
             serves=ALL - {"update"}, check=_check_ids(ZendeskOrganization, "organization_id"),
             defaults={"default": None, "view_tickets": True}),
    _declare("group_membership", "group_memberships", "user_id", "group_id",
             fields="user_id, group_id: integer; default: boolean", defaults={"default": False},
             serves=ALL - {"update"}, check=_check_ids(ZendeskGroup, "group_id")),
)  # fmt: skip
TABLES = list_tables(COLLECTIONS)
serve_collections(api, COLLECTIONS)


# -- the caller and fields of users ------------------------------------------------------------------------------------


@api.get("/users/me")
def get_me(call: Call) -> Shown:
    """Return the caller."""
    return {"user": show_user(call, find_user(call, AGENT))}


def _show_user_field(call: Call, row: ZendeskUserField) -> Shown:
    id = 360_800_000 + row.position
    title = row.title or row.key.replace("_", " ").capitalize()
    return {
        "url": f"{call.base_url}/api/v2/user_fields/{id}.json", "id": id, "type": row.type, "key": row.key,
        "title": title, "description": "", "raw_title": title, "raw_description": "", "position": row.position,
        "active": True, "system": False, "regexp_for_validation": None, "tag": None,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip


def _list_user_fields(call: Call) -> list[ZendeskUserField]:
    return sorted(call.db.rows(ZendeskUserField), key=lambda row: (row.position, row.key))


@api.get("/user_fields")
def list_user_fields(call: Call, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the fields of users that the account has added."""
    url = f"{call.base_url}/api/v2/user_fields.json"
    rows = _list_user_fields(call)
    return page_rows(url, "user_fields", rows, lambda row: _show_user_field(call, row), page, per_page)


@api.post("/user_fields", status=201)
def post_user_field(call: Call, body: Given) -> Shown:
    """Add a field to users."""
    given: Any = body.get("user_field")
    values = cast(Shown, given) if isinstance(given, dict) else {}
    missing = [name for name in ("key", "type", "title") if not values.get(name)]
    if missing:
        raise refuse_fields({name: f"{name.capitalize()}: cannot be blank" for name in missing})
    key = str(values["key"])
    if call.db.find(ZendeskUserField, ZendeskUserField.key == key):
        raise refuse_fields({"key": f"Key: {key} has already been taken"}, {"key": "DuplicateValue"})
    number = call.db.next("user field")
    row = ZendeskUserField(key=key, type=str(values["type"]), title=str(values["title"]), position=number)
    return {"user_field": _show_user_field(call, call.db.add(row))}


def setting_rows() -> Rows:
    """Return the rows of the fields that every account's tickets have."""
    return {"ticket_fields": [_system_field(number, *each) for number, each in enumerate(_SYSTEM_FIELDS, 1)]}


def _system_field(number: int, kind: str, title: str, required: bool, *in_portal: bool) -> Shown:
    portal = dict(zip(("visible_in_portal", "editable_in_portal", "required_in_portal"), in_portal, strict=True))
    about: Shown = {"id": 360_000_100 + number, "type": kind, "title": title, "raw_title": title, "position": number}
    times = dict.fromkeys(("created_at", "updated_at"), show_time(BEGIN))
    fields = {**_FIELD, **about, **portal, "title_in_portal": title, "required": required, "removable": False, **times}
    return TICKET_FIELDS.to_row("", str(about["id"]), fields, number - 100)


# -- in bulk -----------------------------------------------------------------------------------------------------------


def _read_several(body: Mapping[str, Any], name: str) -> list[Shown]:
    """Return the objects of a body. Raises ZendeskError for none, too many, or what is no object."""
    given: Any = body.get(name)
    listed = cast(list[Any], given) if isinstance(given, list) else []
    if not listed or not all(isinstance(each, dict) for each in listed):
        raise refuse_parameter(f"{name} must be a list of objects")
    if len(listed) > MAX_BULK:
        raise refuse_parameter(f"{name} must have at most {MAX_BULK} objects", "TooManyValues")
    return cast(list[Shown], listed)


def run_job(call: Call, given: Sequence[Shown], write: Callable[[Shown], int], action: str) -> Shown:
    """Write each object, note what came of it, and return the job that does so."""
    results: list[Shown] = []
    for index, each in enumerate(given):
        try:
            results.append({"index": index, "id": write(each), "action": action, "success": True, "status": "Updated"})
        except ZendeskError as error:
            said = {"error": error.body["error"], "details": str(error.body.get("description") or "")}
            results.append({"index": index, "success": False, **said})
    row = call.db.add(ZendeskJob(id=call.ids.uuid().replace("-", ""), results=results))
    return {"job_status": {**_show_job(call, row), "progress": None, "status": "queued", "results": None,
                           "message": None}}  # fmt: skip


def _show_job(call: Call, row: ZendeskJob) -> Shown:
    count = len(cast(list[Any], row.results))
    return {
        "id": row.id, "url": f"{call.base_url}/api/v2/job_statuses/{row.id}.json", "total": count, "progress": count,
        "status": "completed", "message": f"Completed at {show_time(call.clock.iso())}", "results": row.results,
    }  # fmt: skip


@api.post("/users/create_many")
def post_users(call: Call, body: Given) -> Shown:
    """Create several users by a job."""
    return run_job(call, _read_several(body, "users"), lambda each: create_user(call, each).id, "create")


@api.put("/users/update_many")
def put_users(call: Call, body: Given) -> Shown:
    """Change several users, each by its id, by a job."""

    def write(given: Shown) -> int:
        return put_user(call, str(given.get("id") or ""), {"user": given})["user"]["id"]

    return run_job(call, _read_several(body, "users"), write, "update")


@api.post("/tickets/create_many")
def post_tickets(call: Call, body: Given) -> Shown:
    """Create several tickets by a job."""
    return run_job(call, _read_several(body, "tickets"), lambda each: create_ticket(call, each).id, "create")


@api.put("/tickets/update_many")
def put_tickets(call: Call, body: Given, ids: str = "") -> Shown:
    """Change several tickets by a job: those of `ids` alike, or each by its id."""
    if ids:
        change: Any = body.get("ticket")
        listed = [{**cast(Shown, change), "id": each} for each in ids.split(",")] if isinstance(change, dict) else []
        body = {"tickets": listed}

    def write(given: Shown) -> int:
        return put_ticket(call, str(given.get("id") or ""), {"ticket": given})["ticket"]["id"]

    return run_job(call, _read_several(body, "tickets"), write, "update")


@api.get("/job_statuses/{id}")
def get_job(call: Call, id: str) -> Shown:
    """Return what came of a job."""
    row = call.db.find(ZendeskJob, ZendeskJob.id == id)
    if row is None:
        raise RecordNotFound
    return {"job_status": _show_job(call, row)}
