"""What a company of Pipedrive has beside its items: pipelines, leads, files, webhooks, types of activities and so on.

https://developers.pipedrive.com/docs/api/v1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response
from twindiff.kit.parameter_sources import Upload
from twindiff.kit.twin import Operations

from ...wire_style import DRAFTED_HEADER
from ..document_collections import (
    ALL,
    CollectionStyle,
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from ..document_fields import FieldType
from ..number_ids import read_number_id
from .item_kinds import BY_NAME, create_item, find_caller, find_item, list_items
from .shown_items import COMPANY, find_owner, show_item
from .tables import PipedriveDeal, PipedriveStage, PipedriveUser
from .wire_style import DEFAULT_PAGE, PipedriveError, page_rows, show_time

api = Operations()
_READ = frozenset(["list", "read"])


class CompanyDocuments(CollectionStyle):
    """Answers are `{"success", "data", "additional_data"}`, ids are numbers, times are `add_time` and `update_time`."""

    times = ("add_time", "update_time")
    is_lenient = True

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        start = max(request.read_whole("start", 0), 0)
        page, additional = page_rows(shown, start, max(request.read_whole("limit", DEFAULT_PAGE), 0))
        return {"success": True, "data": page, "additional_data": additional}

    def read_list(self, answer: Any) -> list[Any]:
        data = self.read_one(answer)
        return cast(list[Any], data) if isinstance(data, list) else []

    def show_one(self, shown: Shown) -> Any:
        return {"success": True, "data": shown}

    def read_one(self, answer: Any) -> Any:
        return cast(Shown, answer).get("data") if isinstance(answer, dict) else None

    def show_deleted(self, request: DocumentRequest, shown: Shown) -> Any:
        return {"success": True, "data": {"id": shown["id"]}}

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return PipedriveError(f"{name.capitalize()} not found", 404)

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return PipedriveError(f"{absent[0]}: is required")

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        return PipedriveError(f"{field}: must be {kind.description}")

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        return PipedriveError(f"A {name} with this {taken} exists already", 409)

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        known = [read_number_id(row.key) for row in call.db.rows(collection.row)]
        return max(known, default=0) + 1

    def show_now(self, call: Call) -> Any:
        return show_time(call.clock.iso())


class LeadDocuments(CompanyDocuments):
    """Ids are UUIDs, and times are ISO 8601."""

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        return call.ids.uuid()

    def show_now(self, call: Call) -> Any:
        return f"{call.clock.iso()[:19]}.000Z"


_STYLE, _LEADS = CompanyDocuments(), LeadDocuments()
_HOOK_ACTIONS = ("create", "change", "delete", "added", "updated", "merged", "deleted", "*")
_HOOK_OBJECTS = (
    "deal", "person", "organization", "activity", "activityType", "note", "product", "user", "pipeline", "stage",
    "lead", "*",
)  # fmt: skip


def _check_hook(_request: DocumentRequest, fields: Shown) -> None:
    if fields.get("event_action") not in _HOOK_ACTIONS:
        raise PipedriveError(f"event_action must be one of: {', '.join(_HOOK_ACTIONS)}.")
    if fields.get("event_object") not in _HOOK_OBJECTS:
        raise PipedriveError(f"event_object must be one of: {', '.join(_HOOK_OBJECTS)}.")
    if not str(fields.get("subscription_url", "")).startswith(("http://", "https://")):
        raise PipedriveError("subscription_url must be a URL.")


def _check_lead(request: DocumentRequest, fields: Shown) -> None:
    person, organization = fields.get("person_id"), fields.get("organization_id")
    if not person and not organization:
        raise PipedriveError("A lead must be linked to a person or an organization.")
    for name, id in (("person", person), ("organization", organization)):
        if id:
            find_item(request.call, BY_NAME[name], str(id))


def _show_lead(request: DocumentRequest, fields: Shown) -> Shown:
    owner = find_caller(request.call).id
    usual: Shown = {
        "id": "", "title": "", "owner_id": owner, "creator_id": owner, "label_ids": [], "person_id": None,
        "organization_id": None, "source_name": "API", "origin": "API", "origin_id": None, "channel": None,
        "channel_id": None, "is_archived": False, "was_seen": False, "value": None, "expected_close_date": None,
        "next_activity_id": None, "add_time": "", "update_time": "", "visible_to": "3", "cc_email": None,
    }  # fmt: skip
    return {**usual, **fields}


def _show_hook(request: DocumentRequest, fields: Shown) -> Shown:
    owner = find_caller(request.call).id
    usual: Shown = {
        "company_id": COMPANY, "owner_id": owner, "user_id": owner, "is_active": 1, "type": "general",
        "http_auth_user": None, "http_auth_password": None, "remove_time": None, "last_delivery_time": None,
        "last_http_status": None, "admin_id": owner, "version": "2.0",
    }  # fmt: skip
    return {**usual, **fields}


LEADS = DocumentCollection(
    table="leads", path="/v1/leads", style=_LEADS, name="lead", required=("title",), check=_check_lead,
    fields="title: text; owner_id, person_id, organization_id, channel: integer; label_ids: list; value: object;"
           "expected_close_date: date; is_archived, was_seen: boolean; origin_id, channel_id: text", created=201,
    deleted=200, show=_show_lead, filters=("owner_id", "person_id", "organization_id", "is_archived"),
    unserved=("filter_id", "sort"),
)  # fmt: skip
PIPELINES = DocumentCollection(
    table="pipelines", path="/v1/pipelines", style=_STYLE, name="pipeline", updates_by=("PUT",), required=("name",),
    fields="name: text; order_nr: integer",
    defaults={"url_title": "default", "order_nr": 0, "active": True, "deal_probability": True}, created=201,
    deleted=200, serves=ALL - {"delete"},
    show=lambda _request, fields: {**fields, "selected": False},
)  # fmt: skip
FILES = DocumentCollection(
    table="files", path="/v1/files", style=_STYLE, name="file", updates_by=("PUT",), deleted=200,
    serves=ALL - {"create"},
)  # fmt: skip
ACTIVITY_TYPES = DocumentCollection(
    table="activity_types", path="/v1/activityTypes", style=_STYLE, name="activity type", updates_by=("PUT",),
    required=("name", "icon_key"), fields="name, icon_key, color: text; order_nr: integer", deleted=200, created=200,
    serves=ALL - {"read"},
    defaults={"color": None, "active_flag": True, "is_custom_flag": True, "order_nr": 1},
    show=lambda _request, fields: {"key_string": str(fields.get("name", "")).lower().replace(" ", "_"), **fields},
)  # fmt: skip
COLLECTIONS = (
    LEADS, PIPELINES, FILES, ACTIVITY_TYPES,
    DocumentCollection(
        table="lead_labels", path="/v1/leadLabels", style=_LEADS, name="lead label", required=("name", "color"),
        fields="name, color: text",
        created=200, deleted=200, serves=ALL - {"read"},
    ),
    DocumentCollection(
        table="webhooks", path="/v1/webhooks", style=_STYLE, name="webhook", check=_check_hook, created=201,
        required=("subscription_url", "event_action", "event_object"),
        fields="subscription_url, event_action, event_object, http_auth_user, http_auth_password: text",
        show=_show_hook, deleted=200,
        serves=frozenset(["list", "create", "delete"]),
    ),
    DocumentCollection(
        table="call_logs", path="/v1/callLogs", style=_LEADS, name="call log", created=200, deleted=200,
        required=("to_phone_number", "outcome", "start_time", "end_time"),
        fields="to_phone_number, from_phone_number, subject, duration, note: text; start_time, end_time: time;"
               "outcome: connected|no_answer|left_message|left_voicemail|wrong_number|busy;"
               "activity_id, person_id, org_id, deal_id: integer", serves=ALL - {"update"},
        defaults={"activity_id": None, "person_id": None, "org_id": None, "deal_id": None, "subject": None,
                  "duration": None, "from_phone_number": None, "has_recording": False, "note": None},
    ),
    DocumentCollection(
        table="roles", path="/v1/roles", style=_STYLE, name="role", updates_by=("PUT",), required=("name",),
        fields="name: text; parent_role_id: integer",
        created=200, deleted=200, defaults={"parent_role_id": None, "active_flag": True, "assignment_count": "0"},
    ),
    DocumentCollection(
        table="teams", path="/v1/legacyTeams", style=_STYLE, name="team", updates_by=("PUT",),
        required=("name", "manager_id"), fields="name, description: text; manager_id: integer; users: list",
        created=200, serves=ALL - {"delete"},
        defaults={"description": "", "users": [], "active_flag": 1, "deleted_flag": 0, "created_by_user_id": 1},
    ),
    DocumentCollection(
        table="organization_relationships", path="/v1/organizationRelationships", style=_STYLE,
        name="organization relationship", updates_by=("PUT",),
        required=("type", "rel_owner_org_id", "rel_linked_org_id"),
        fields="type: parent|related",
        created=200, deleted=200, defaults={"active_flag": True, "calculated_type": None},
    ),
    DocumentCollection(
        table="projects", path="/v1/projects", style=_STYLE, name="project", updates_by=("PUT",), created=201,
        required=("title", "board_id", "phase_id"),
        fields="title, description: text; board_id, phase_id, owner_id, person_id, org_id: integer;"
               "start_date, end_date: date; deal_ids, labels: list", deleted=200, serves=ALL,
        defaults={"description": None, "status": "open", "owner_id": None, "start_date": None, "end_date": None,
                  "deal_ids": [], "person_id": None, "org_id": None, "labels": [], "archive_time": None},
    ),
    DocumentCollection(
        table="tasks", path="/v1/tasks", style=_STYLE, name="task", updates_by=("PUT",), created=201, deleted=200,
        required=("title", "project_id"),
        fields="title, description: text; project_id, parent_task_id, assignee_id: integer; due_date: date",
        defaults={"description": None, "done": 0, "due_date": None, "parent_task_id": None},
        filters=("assignee_id", "project_id", "parent_task_id", "done"),
    ),
    DocumentCollection(
        table="goals", path="/v1/goals", style=_STYLE, name="goal", updates_by=("PUT",), created=200, deleted=200,
        required=("assignee", "type", "expected_outcome", "duration", "interval"),
        fields="title: text; assignee, type, expected_outcome, duration: object;"
               "interval: weekly|monthly|quarterly|yearly", serves=ALL - {"list", "read"},
        defaults={"is_active": True},
    ),
    DocumentCollection(
        table="mail_threads", path="/v1/mailbox/mailThreads", style=_STYLE, name="mail thread", updates_by=("PUT",),
        deleted=200, serves=ALL - {"create"},
    ),
    DocumentCollection(
        table="permission_sets", path="/v1/permissionSets", style=_STYLE, name="permission set", serves=_READ
    ),
    DocumentCollection(
        table="note_comments", path="/v1/notes/{noteId}/comments", style=_LEADS, name="comment", updates_by=("PUT",),
        required=("content",), fields="content: text", created=200, deleted=200, defaults={"active_flag": True},
        resolve=lambda call, given: [str(find_item(call, BY_NAME["note"], given[0]).id)], item="/{commentId}",
        key="uuid",
    ),
)  # fmt: skip
serve_collections(api, COLLECTIONS)


def _delete_many(collection: DocumentCollection) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Remove several at once."""
        wanted = [each for each in request.query.get("ids", "").split(",") if each]
        if not wanted:
            raise PipedriveError("ids: is required")
        for row in collection.rows(request):
            if row.key in wanted:
                collection.remove(request.call, row)
        return {"success": True, "data": {"id": [int(each) for each in wanted if each.isdecimal()]}}

    return respond


declare_operation(api, "DELETE /v1/activityTypes", _delete_many(ACTIVITY_TYPES), "Remove several types of activities.")


# -- pipelines and stages ----------------------------------------------------------------------------------------------


def _find_stage(call: Call, said: str) -> PipedriveStage:
    row = call.db.find(PipedriveStage, PipedriveStage.id == read_number_id(said))
    if row is None:
        raise PipedriveError("Stage not found", 404)
    return row


def show_stage(row: PipedriveStage) -> Shown:
    """Return a stage as version 1 shows it."""
    names = ("id", "order_nr", "name", "pipeline_id", "pipeline_name")
    shown = {name: getattr(row, name) for name in names}
    flags = {"active_flag": True, "deal_probability": 100, "rotten_flag": False, "rotten_days": None}
    return {**shown, **flags, "pipeline_deal_probability": True}


def get_stage(request: DocumentRequest) -> Any:
    """Return a stage."""
    return {"success": True, "data": show_stage(_find_stage(request.call, request.path["id"]))}


def _find_pipeline(request: DocumentRequest, given: Any) -> Any:
    return PIPELINES.find(request, str(given))


def post_stage(request: DocumentRequest) -> Any:
    """Add a stage to a pipeline."""
    given, call = request.read_object(), request.call
    for name in ("name", "pipeline_id"):
        if not given.get(name):
            raise PipedriveError(f"{name}: is required")
    pipeline = _find_pipeline(request, given["pipeline_id"])
    rows = call.db.rows(PipedriveStage)
    row = PipedriveStage(
        id=max((each.id for each in rows), default=0) + 1,
        name=str(given["name"]),
        pipeline_id=int(pipeline.key),
        pipeline_name=str(pipeline.fields["name"]),
        order_nr=1 + sum(each.pipeline_id == int(pipeline.key) for each in rows),
    )
    return {"success": True, "data": show_stage(call.db.add(row))}


def put_stage(request: DocumentRequest) -> Any:
    """Change a stage."""
    row, given = _find_stage(request.call, request.path["id"]), request.read_object()
    values: Shown = {"name": str(given["name"])} if given.get("name") else {}
    if isinstance(given.get("order_nr"), int):
        values["order_nr"] = given["order_nr"]
    if given.get("pipeline_id"):
        pipeline = _find_pipeline(request, given["pipeline_id"])
        values |= {"pipeline_id": int(pipeline.key), "pipeline_name": str(pipeline.fields["name"])}
    return {"success": True, "data": show_stage(request.call.db.change(row, **values))}


def delete_stage(request: DocumentRequest) -> Any:
    """Remove a stage in which there are no deals."""
    row = _find_stage(request.call, request.path["id"])
    _refuse_used(request.call, [row])
    request.call.db.remove(row)
    return {"success": True, "data": {"id": row.id}}


def _refuse_used(call: Call, stages: list[PipedriveStage]) -> None:
    ids = {row.id for row in stages}
    if any(row.stage_id in ids and row.is_active for row in call.db.rows(PipedriveDeal)):
        raise PipedriveError("There are deals in it; move or delete these first.")


def delete_pipeline(request: DocumentRequest) -> Any:
    """Remove a pipeline in which there are no deals, with its stages."""
    row = PIPELINES.find(request)
    stages = request.call.db.rows(PipedriveStage, PipedriveStage.pipeline_id == int(row.key))
    _refuse_used(request.call, stages)
    for each in (*stages, row):
        request.call.db.remove(each)
    return {"success": True, "data": {"id": int(row.key)}}


def _list_pipeline_deals(request: DocumentRequest) -> Any:
    """List the deals of a pipeline."""
    number = int(PIPELINES.find(request).key)
    stages = {row.id for row in request.call.db.rows(PipedriveStage, PipedriveStage.pipeline_id == number)}
    kind = BY_NAME["deal"]
    shown = [show_item(request.call, kind, row) for row in list_items(request.call, kind) if row.stage_id in stages]
    return _STYLE.show_list(request, shown)


def _list_stage_deals(request: DocumentRequest) -> Any:
    """List the deals in a stage."""
    stage, kind = _find_stage(request.call, request.path["id"]), BY_NAME["deal"]
    shown = [show_item(request.call, kind, row) for row in list_items(request.call, kind) if row.stage_id == stage.id]
    return _STYLE.show_list(request, shown)


declare_operation(api, "DELETE /v1/pipelines/{id}", delete_pipeline)
declare_operation(api, "GET /v1/pipelines/{id}/deals", _list_pipeline_deals)
declare_operation(api, "POST /v1/stages", post_stage)
declare_operation(api, "GET /v1/stages/{id}", get_stage)
declare_operation(api, "PUT /v1/stages/{id}", put_stage)
declare_operation(api, "DELETE /v1/stages/{id}", delete_stage)
declare_operation(api, "GET /v1/stages/{id}/deals", _list_stage_deals)

# -- leads, files, users and the like ----------------------------------------------------------------------------------


def _search_leads(request: DocumentRequest) -> Any:
    """Find leads by their titles."""
    term = request.query.get("term", "").lower()
    if len(term) < 2:
        raise PipedriveError("term must be at least 2 characters long.")
    items = [
        {"result_score": 0.5, "item": {"id": row.key, "type": "lead", "title": row.fields["title"]}}
        for row in LEADS.rows_in(request.call, "")
        if term in str(row.fields["title"]).lower()
    ]
    page = _STYLE.show_list(request, items)
    return {**page, "data": {"items": page["data"]}}


def _list_lead_sources(_request: DocumentRequest) -> Any:
    """List where leads come from."""
    names = ("Manually created", "Deal", "Web forms", "Prospector", "Leadbooster", "Live chat", "Import", "API")
    return {"success": True, "data": [{"name": each} for each in names]}


def _list_currencies(request: DocumentRequest) -> Any:
    """List the currencies."""
    known = (("USD", "US Dollar", "$"), ("EUR", "Euro", "€"), ("GBP", "Pound Sterling", "£"))
    shown = [
        {"id": number, "code": code, "name": name, "decimal_points": 2, "symbol": symbol, "active_flag": True,
         "is_custom_flag": False}
        for number, (code, name, symbol) in enumerate(known, 1)
    ]  # fmt: skip
    term = request.query.get("term", "").lower()
    return {"success": True, "data": [each for each in shown if term in f"{each['code']} {each['name']}".lower()]}


def _find_user(call: Call, said: str) -> PipedriveUser:
    row = call.db.find(PipedriveUser, PipedriveUser.id == read_number_id(said))
    if row is None:
        raise PipedriveError("User not found", 404)
    return row


def _get_user(request: DocumentRequest) -> Any:
    """Return a user."""
    return {"success": True, "data": find_owner(request.call, _find_user(request.call, request.path["id"]).id)}


def _find_users(request: DocumentRequest) -> Any:
    """Find users by name or address."""
    term = request.query.get("term", "").lower()
    if not term:
        raise PipedriveError("term: is required")
    name = "email" if request.query.get("search_by_email") in ("1", "true") else "name"
    rows = [row for row in request.call.db.rows(PipedriveUser) if term in str(getattr(row, name)).lower()]
    return _STYLE.show_list(request, [find_owner(request.call, row.id) for row in rows])


def _post_user(request: DocumentRequest) -> Any:
    """Add a user."""
    given, call = request.read_object(), request.call
    email = str(given.get("email") or "")
    if "@" not in email:
        raise PipedriveError("email: is required")
    rows = call.db.rows(PipedriveUser)
    if email in [row.email for row in rows]:
        raise PipedriveError("A user with this email exists already", 409)
    name = str(given.get("name") or email.partition("@")[0])
    row = call.db.add(PipedriveUser(id=max(each.id for each in rows) + 1, name=name, email=email))
    return {"success": True, "data": find_owner(call, row.id)}


def _put_user(request: DocumentRequest) -> Any:
    """Change whether a user is active; here all users are."""
    return {"success": True, "data": find_owner(request.call, _find_user(request.call, request.path["id"]).id)}


def _list_nothing(request: DocumentRequest) -> Any:
    """List what this company has none of."""
    return _STYLE.show_list(request, [])


def _get_settings(_request: DocumentRequest) -> Any:
    """Return the settings of the user."""
    return {"success": True, "data": {"person_duplicate_condition": True, "show_getting_started_video": False}}


def _list_recents(request: DocumentRequest) -> Any:
    """List what was changed since a time."""
    since = request.query.get("since_timestamp", "")
    if not since:
        raise PipedriveError("since_timestamp: is required")
    wanted = [each for each in request.query.get("items", "").split(",") if each]
    matches = [
        {"item": kind.name, "id": row.id, "data": show_item(request.call, kind, row)}
        for kind in BY_NAME.values()
        if not wanted or kind.name in wanted
        for row in list_items(request.call, kind)
        if str(show_time(row.update_time)) >= since
    ]
    return _STYLE.show_list(request, matches)


declare_operation(api, "GET /v1/leads/search", _search_leads)
declare_operation(api, "GET /v1/leadSources", _list_lead_sources)
declare_operation(api, "GET /v1/currencies", _list_currencies)
declare_operation(api, "GET /v1/users/find", _find_users)
declare_operation(api, "POST /v1/users", _post_user)
declare_operation(api, "GET /v1/users/{id}", _get_user)
declare_operation(api, "PUT /v1/users/{id}", _put_user)
declare_operation(api, "GET /v1/userSettings", _get_settings)
declare_operation(api, "GET /v1/recents", _list_recents)
for _path in ("userConnections", "mailbox/mailThreads/{id}/mailMessages", "users/{id}/roleAssignments"):
    declare_operation(api, f"GET /v1/{_path}", _list_nothing)


@api.post("/v1/files", status=201)
def upload_file(
    call: Call, file: Upload, deal_id: int = 0, person_id: int = 0, org_id: int = 0, activity_id: int = 0
) -> Shown:
    """Store what is known of a file. The bytes are not kept."""
    named = {"deal": deal_id, "person": person_id, "organization": org_id, "activity": activity_id}
    for name, id in named.items():
        if id:
            find_item(call, BY_NAME[name], str(id))
    links = {"deal_id": deal_id, "person_id": person_id, "org_id": org_id, "activity_id": activity_id}
    fields: Shown = {
        "user_id": find_caller(call).id,
        **{name: id or None for name, id in links.items()},
        "product_id": None,
        "file_name": file.filename,
        "file_type": file.filename.rpartition(".")[2],
        "file_size": len(file.data),
        "active_flag": True,
        "inline_flag": False,
        "remote_location": "s3",
        "name": file.filename,
        "description": None,
    }
    request = DocumentRequest(call, {}, {}, None)
    row = FILES.add(request, fields)
    link = f"https://app.pipedrive.com/api/v1/files/{row.key}/download"
    return {"success": True, "data": {**row.fields, "url": link}}


@api.get("/v1/files/{id}/download")
def download_file(call: Call, id: str) -> Response:
    """Return zeros in place of a file, and say in a header that its bytes are guessed."""
    row = FILES.find(DocumentRequest(call, {"id": id}, {}, None))
    size = int(row.fields.get("file_size") or 0)
    return Response(bytes(size), 200, "application/octet-stream", ((DRAFTED_HEADER, "guessed=bytes"),))


def _convert_lead(request: DocumentRequest) -> Any:
    """Turn a lead into a deal, at once here."""
    row = LEADS.find(request)
    fields = row.fields
    amount = cast(Shown, fields.get("value") or {})
    links = {"person_id": fields.get("person_id"), "org_id": fields.get("organization_id")}
    given = {"title": fields["title"], "value": amount.get("amount") or 0, **{k: v for k, v in links.items() if v}}
    deal = create_item(request.call, BY_NAME["deal"], given)
    conversion = request.call.ids.uuid()
    done = {"is_archived": True, "deal_id": deal.id, "conversion_id": conversion}
    LEADS.write(request.call, row, {**fields, **done})
    return {"success": True, "data": {"conversion_id": conversion}, "additional_data": None}


def _get_conversion(request: DocumentRequest) -> Any:
    """Return what became of the conversion of a lead."""
    row = LEADS.find(request)
    if row.fields.get("conversion_id") != request.path["conversionId"]:
        raise PipedriveError("Conversion not found", 404)
    about = {"conversion_id": row.fields["conversion_id"], "status": "completed", "lead_id": row.key}
    return {"success": True, "data": {**about, "deal_id": row.fields["deal_id"]}}


declare_operation(api, "POST /api/v2/leads/{id}/convert/deal", _convert_lead)
declare_operation(api, "GET /api/v2/leads/{id}/convert/status/{conversionId}", _get_conversion)
PIPELINE_ROW = PIPELINES.to_row("", "1", {
    "id": 1, "name": "Pipeline", "url_title": "default", "order_nr": 1, "active": True, "deal_probability": True,
    "add_time": "2026-01-01 00:00:00", "update_time": "2026-01-01 00:00:00",
}, 1)  # fmt: skip
ACTIVITY_TYPE_ROWS: list[Shown] = [
    ACTIVITY_TYPES.to_row("", str(number), {
        "id": number, "order_nr": number, "name": name, "key_string": name.lower(), "icon_key": name.lower(),
        "active_flag": True, "color": None, "is_custom_flag": False, "add_time": "2026-01-01 00:00:00",
        "update_time": None,
    }, number)
    for number, name in enumerate(("Call", "Meeting", "Task", "Deadline", "Email", "Lunch"), 1)
]  # fmt: skip
