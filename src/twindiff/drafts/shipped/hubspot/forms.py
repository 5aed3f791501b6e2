"""Forms, their submissions, owners of version 2, and files. https://legacydocs.hubspot.com/docs/methods/forms/forms_overview

https://developers.hubspot.com/docs/reference/api/marketing/forms, /cms/files
"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import iso_instant
from twindiff.kit.http import Response, ValueResponse, json_answer
from twindiff.kit.parameter_sources import Upload
from twindiff.kit.twin import Operations

from ..document_collections import (
    ALL,
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from .account import PORTAL
from .contact_lists import show_milliseconds
from .document_styles import BareDocuments, DocumentsByGuid, DocumentsOfVersion2, DocumentsOfVersion3
from .record_lookup import find_records
from .records import change_record, create_record
from .settings import list_known_properties
from .tables import CrmOwner
from .wire_style import HubSpotError, NoSuchRecord, show_time

api = Operations()
_BARE, _V2, _V3, _GUID = BareDocuments(), DocumentsOfVersion2(), DocumentsOfVersion3(), DocumentsByGuid()
_FORM: Shown = {
    "portalId": PORTAL, "guid": "", "name": "", "action": "", "method": "POST", "cssClass": "", "redirect": "",
    "submitText": "Submit", "followUpId": "", "notifyRecipients": "", "leadNurturingCampaignId": "",
    "formFieldGroups": [], "performableHtml": "", "migratedFrom": "", "ignoreCurrentValues": False, "metaData": [],
    "deletable": True, "inlineMessage": "", "socialLoginEnabled": False, "socialLoginTypes": [], "tmsId": "",
    "captchaEnabled": False, "campaignGuid": "", "cloneable": True, "editable": True, "visible": True,
    "formType": "HUBSPOT",
}  # fmt: skip
_FORM_FIELDS = (
    "name, action, method, cssClass, redirect, submitText, followUpId, notifyRecipients, leadNurturingCampaignId,"
    "performableHtml, migratedFrom, inlineMessage: text; formFieldGroups, metaData: list;"
    "ignoreCurrentValues, deletable, captchaEnabled, cloneable, editable: boolean"
)
_ONLY_OLD = ("fields", "embeddedCode")
_ONLY_NEW = (
    "portalId", "inlineMessage", "socialLoginEnabled", "socialLoginTypes", "tmsId", "captchaEnabled", "campaignGuid",
    "cloneable", "editable", "visible", "formType",
)  # fmt: skip


def _check_form(request: DocumentRequest, fields: Shown) -> None:
    if not fields.get("name"):
        said = f"Form name is required, form guid '{request.call.ids.uuid()}'"
        raise HubSpotError(said, body={"type": "MISSING_NAME"})


def _show_form(_request: DocumentRequest, fields: Shown) -> Shown:
    return {name: value for name, value in fields.items() if name not in _ONLY_OLD}


def _show_old_form(_request: DocumentRequest, fields: Shown) -> Shown:
    """Return a form as version 1 shows it, with the code that embeds it in a page."""
    guid = fields["guid"]
    code = (
        '<script charset="utf-8" src="http://js.hubspot.com/forms/current.js"></script>\n<script>\n'
        f"  hbspt.forms.create({{\n    portalId: '{PORTAL}',\n    formId: '{guid}'\n  }});\n</script>"
    )
    own = {name: value for name, value in fields.items() if name not in _ONLY_NEW}
    return {"fields": _fields_of(fields), "embeddedCode": code, **own}


def _fields_of(form: Shown) -> list[Any]:
    groups: Any = form.get("formFieldGroups")
    listed = cast(list[Any], groups) if isinstance(groups, list) else []
    fields = [cast(Shown, each).get("fields") for each in listed if isinstance(each, dict)]
    return [field for each in fields if isinstance(each, list) for field in cast(list[Any], each)]


FORMS = DocumentCollection(
    table="forms", path="/forms/v2/forms", fields=_FORM_FIELDS, style=_BARE, name="form", item="/{guid}", key="guid",
    updates_by=("POST", "PUT"), created=200, defaults=_FORM, check=_check_form, show=_show_form, filters=("formType",),
    hidden=frozenset(["embeddedCode"]),
)  # fmt: skip
OLD_FORMS = DocumentCollection(
    table="forms", path="/contacts/v1/forms", fields=_FORM_FIELDS, style=_BARE, name="form", item="/{guid}", key="guid",
    updates_by=("POST",), created=200, defaults=_FORM, check=_check_form, show=_show_old_form,
    hidden=frozenset(["embeddedCode"]),
)  # fmt: skip
FORMS_V3 = DocumentCollection(
    table="marketing_forms", path="/marketing/v3/forms", style=_GUID, name="form", created=200,
    updates_by=("PATCH", "PUT"), required=("formType", "name"),
    fields="name: text; formType: hubspot|captured|flow|blog_comment; archived: boolean; fieldGroups: list;"
           "configuration, displayOptions, legalConsentOptions: object",
    defaults={"archived": False, "fieldGroups": [], "configuration": {"language": "en"}, "displayOptions": {},
              "legalConsentOptions": {"type": "none"}},
    filters=("formType",),
)  # fmt: skip
SUBMISSIONS = DocumentCollection(
    table="form_submissions", path="/form-integrations/v1/submissions/forms/{guid}", style=_V3, name="submission",
    serves=frozenset(["list"]),
)  # fmt: skip
FOLDERS = DocumentCollection(
    table="file_folders", path="/files/v3/folders", style=_V3, name="folder", required=("name",), item="/{folderId}",
    fields="name: text",
    defaults={"archived": False, "parentFolderId": None}, serves=frozenset(["create", "read", "delete"]),
    show=lambda _request, fields: {"path": f"/{fields.get('name')}", **fields},
)  # fmt: skip
FILES = DocumentCollection(
    table="files", path="/files/v3/files", style=_V3, name="file", item="/{fileId}",
    serves=frozenset(["read", "update", "delete"]),
)  # fmt: skip
OLD_FOLDERS = DocumentCollection(
    table="file_manager_folders", path="/filemanager/api/v2/folders", style=_V2, name="folder", updates_by=("PUT",),
    required=("name",), defaults={"deleted": False, "hidden": False, "parent_folder_id": None, "category": 3},
    filters=("name", "parent_folder_id"),
)  # fmt: skip
OLD_FILES = DocumentCollection(
    table="file_manager_files", path="/filemanager/api/v2/files", style=_V2, name="file", updates_by=("PUT",),
    serves=ALL - {"create", "delete"}, filters=("name", "extension", "folder_id", "type", "archived"),
)  # fmt: skip
COLLECTIONS = (FORMS, OLD_FORMS, FORMS_V3, FOLDERS, FILES, OLD_FOLDERS, OLD_FILES)
serve_collections(api, (*COLLECTIONS, SUBMISSIONS))


def _list_fields(request: DocumentRequest) -> Any:
    """List the fields of a form."""
    return _fields_of(FORMS.find(request).fields)


def _get_field(request: DocumentRequest) -> Any:
    """Return a field of a form."""
    wanted = request.path["name"]
    for each in _fields_of(FORMS.find(request).fields):
        if isinstance(each, dict) and cast(Shown, each).get("name") == wanted:
            return cast(Shown, each)
    raise NoSuchRecord(f"No field found with name '{wanted}'")


def _submit(request: DocumentRequest, given: Shown) -> None:
    """Store a submission, and create or change the contact with its address."""
    call = request.call
    values = {str(name): str(value) for name, value in given.items() if not isinstance(value, (dict, list))}
    page = values.pop("hs_context", "")
    listed = [{"name": name, "value": value, "objectTypeId": "0-1"} for name, value in values.items()]
    SUBMISSIONS.add(request, {"values": listed, "pageUrl": page, "submittedAt": call.clock.micros // 1000})
    known = {name: value for name, value in values.items() if name in list_known_properties(call, "contacts")}
    email = known.get("email", "").lower()
    if email:
        row = next((each for each in find_records(call, "contacts") if each.email == email), None)
        change_record(call, "contacts", row, known) if row else create_record(call, "contacts", known)


def _upload_submission(request: DocumentRequest) -> Any:
    """Accept a submission of a form, as pages send it."""
    body: Any = request.body
    given = cast(Shown, body) if isinstance(body, dict) else {}
    _submit(request, {**request.query, **given})
    return ValueResponse(None, 204)


def _integrate_submission(request: DocumentRequest) -> Any:
    """Accept a submission of a form as JSON."""
    fields: Any = request.read_object().get("fields")
    if not isinstance(fields, list) or not all(isinstance(each, dict) for each in cast(list[Any], fields)):
        said = [{"message": "Required field 'fields' is missing", "errorType": "REQUIRED_FIELD"}]
        raise HubSpotError("The request is not valid", body={"errors": said})
    _submit(request, {str(each.get("name")): each.get("value") for each in cast(list[Shown], fields)})
    return {"inlineMessage": "Thanks for submitting the form."}


for _path in ("/forms/v2/fields/{guid}", "/contacts/v1/fields/{guid}"):
    declare_operation(api, f"GET {_path}", _list_fields)
    declare_operation(api, f"GET {_path}/{{name}}", _get_field)
declare_operation(api, "POST /uploads/form/v2/{portalId}/{guid}", _upload_submission)
for _path in ("/submissions/v3/integration/submit", "/submissions/v3/integration/secure/submit"):
    declare_operation(api, f"POST {_path}/{{portalId}}/{{guid}}", _integrate_submission)


# -- owners of version 2 ----------------------------------------------------------------------------------------------


def _show_owner(row: CrmOwner) -> Shown:
    at, number = show_milliseconds(row.created_at), int(row.id)
    remote = {"id": number, "portalId": PORTAL, "ownerId": number, "remoteId": row.id, "remoteType": "HUBSPOT"}
    return {
        "portalId": PORTAL,
        "ownerId": number,
        "type": "PERSON",
        "firstName": row.first_name,
        "lastName": row.last_name,
        "email": row.email,
        "createdAt": at,
        "updatedAt": at,
        "remoteList": [{**remote, "active": True}],
        **row.details,
    }


@api.get("/owners/v2/owners")
def list_owners(call: Call, email: str = "") -> list[Shown]:
    """List the people who can own records."""
    rows = call.db.rows(CrmOwner, *([CrmOwner.email.equals(email)] if email else []))
    return [_show_owner(each) for each in rows]


@api.get("/owners/v2/owners/{ownerId}")
def get_owner(call: Call, owner_id: str) -> Shown:
    """Return an owner."""
    return _show_owner(call.db.get(CrmOwner, owner_id, missing=NoSuchRecord))


# -- uploads ----------------------------------------------------------------------------------------------------------


def _describe_file(call: Call, file: Upload, name: str) -> Shown:
    stem, dot, extension = file.filename.rpartition(".")
    kinds = {"image": "IMG", "video": "MOVIE", "audio": "AUDIO", "text": "DOCUMENT", "application": "DOCUMENT"}
    return {
        "name": name or (stem if dot else file.filename),
        "extension": extension if dot else "",
        "size": len(file.data),
        "type": kinds.get(file.content_type.partition("/")[0], "OTHER"),
        "url": f"https://{PORTAL}.fs1.hubspotusercontent-na1.net/hubfs/{PORTAL}/{file.filename}",
    }


def _store(collection: DocumentCollection, call: Call, fields: Shown) -> Shown:
    request = DocumentRequest(call, {}, {}, None)
    return collection.view(request, collection.add(request, fields))


@api.post("/files/v3/files")
def upload_file(
    call: Call, file: Upload, folder_id: str = "", folder_path: str = "", file_name: str = "", options: str = ""
) -> Response:
    """Store what is known of a file. The bytes are not kept."""
    if not folder_id and not folder_path:
        raise HubSpotError("Either folderId or folderPath must be given.")
    about = _describe_file(call, file, file_name)
    about |= {"parentFolderId": folder_id or None, "path": f"{folder_path}/{file.filename}", "archived": False}
    about |= {"access": "PRIVATE" if "PRIVATE" in options else "PUBLIC_INDEXABLE", "isUsableInContent": True}
    return json_answer(_store(FILES, call, {**about, "defaultHostingUrl": about["url"], "encoding": None}), 201)


def _search_files(request: DocumentRequest) -> Any:
    """Find files by name, extension, type and folder."""
    shown = [FILES.view(request, row) for row in FILES.rows_in(request.call, "")]
    for name in ("name", "extension", "type"):
        if name in request.query:
            shown = [each for each in shown if request.query[name].lower() in str(each.get(name)).lower()]
    return _V3.show_list(request, shown)


def _search_folders(request: DocumentRequest) -> Any:
    """Find folders by name."""
    shown = [FOLDERS.view(request, row) for row in FOLDERS.rows_in(request.call, "")]
    wanted = request.query.get("name", "").lower()
    return _V3.show_list(request, [each for each in shown if wanted in str(each.get("name")).lower()])


def _sign_url(request: DocumentRequest) -> Any:
    """Return an address by which a file can be read for some time."""
    row = FILES.find(request)
    about = {name: row.fields.get(name) for name in ("extension", "name", "size", "type", "url")}
    until = iso_instant(request.call.clock.micros + 3600 * 1_000_000).isoformat()
    return {"expiresAt": show_time(until), **about}


declare_operation(api, "GET /files/v3/files/search", _search_files)
declare_operation(api, "GET /files/v3/folders/search", _search_folders)
declare_operation(api, "GET /files/v3/files/{fileId}/signed-url", _sign_url)


@api.post("/filemanager/api/v2/files")
def upload_old_file(call: Call, files: Upload, file_names: str = "", folder_paths: str = "") -> Shown:
    """Store what is known of a file, by version 2."""
    about = _describe_file(call, files, file_names)
    about |= {"title": about["name"], "alt_key": f"{folder_paths}/{files.filename}".lstrip("/"), "archived": False}
    about |= {"folder_id": None, "deleted_at": 0, "friendly_url": about["url"], "cloud_key": about["url"], "meta": {}}
    return {"objects": [_store(OLD_FILES, call, about)]}


@api.post("/filemanager/api/v2/files/{id}/full-delete")
def delete_old_file(call: Call, id: str) -> Shown:
    """Remove a file for good, by version 2."""
    request = DocumentRequest(call, {"id": id}, {}, None)
    OLD_FILES.remove(call, OLD_FILES.find(request))
    return {"succeeded": True, "message": "The file was permanently deleted", "id": int(id) if id.isdecimal() else id}


@api.delete("/filemanager/api/v2/files/{id}", status=200)
def archive_old_file(call: Call, id: str) -> Shown:
    """Archive a file, by version 2."""
    request = DocumentRequest(call, {"id": id}, {}, None)
    return OLD_FILES.change(
        request, OLD_FILES.find(request), {"archived": True, "deleted_at": call.clock.micros // 1000}
    ).fields
