"""Requests for signatures. They are stored as rows; a signature is simulated by changing a row.

https://developer.box.com/guides/box-sign
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import to_builtins
from msgspec.structs import replace

from twindiff.kit import Body, Call, Meta, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import acting_user, find_file, find_folder, user_of
from ..core.errors import NotFound
from ..core.folder_listing import rows_from
from ..core.row_stamps import extension_of, format_instant
from ..tables.further_tables import SignRequest, SignTemplate
from ..tables.item_tables import File, Folder
from ..views.item_views import folder_mini, item_object
from .sign_templates import find_template

api = Operations(prefix="/2.0")
Shown = dict[str, Any]


class Signer(Struct, omit_defaults=True):
    """A person who signs, or receives a copy."""

    email: str | None = None
    role: Literal["signer", "approver", "final_copy_reader"] = "signer"
    is_in_person: bool = False
    order: Annotated[int, Meta(ge=0)] = 0
    login_required: bool | None = None
    redirect_url: str | None = None
    declined_redirect_url: str | None = None
    embed_url_external_user_id: str | None = None
    signer_group_id: str | None = None
    suppress_notifications: bool | None = None

    def to_object(self) -> Shown:
        """Return the signer as a request stores it."""
        return {**to_builtins(self), "role": self.role, "is_in_person": self.is_in_person, "order": self.order}


class PrefillTag(Struct, omit_defaults=True):
    """A value that is filled in before the document is signed."""

    document_tag_id: str | None = None
    text_value: str | None = None
    checkbox_value: bool | None = None
    date_value: str | None = None


class SourceFile(Struct):
    """A file to sign."""

    id: str
    type: Literal["file"] = "file"


class ParentFolder(Struct):
    """The folder for the signed file."""

    id: str
    type: Literal["folder"] = "folder"


def sign_request_object(call: Call, row: SignRequest) -> Shown:
    """Render a request for signatures."""
    user = user_of(call, row.created_by_id)
    folder = call.db.find(Folder, Folder.id == row.parent_folder_id)
    files = [call.db.find(File, File.id == each["id"]) for each in row.source_files]
    shown = [item_object(call, file, mini=True) for file in files if file]
    settings: Shown = row.settings
    return {
        **settings,
        "type": "sign-request",
        "id": row.id,
        "status": row.status,
        "name": row.name or "",
        "signers": [
            {"has_viewed_document": False, "signer_decision": None, "inputs": [], **each} for each in row.signers
        ],
        "source_files": [{"type": "file", "id": each["id"], "etag": each["etag"]} for each in shown],
        "sign_files": {
            "files": [{**each, "name": row.name} for each in shown],
            "is_ready_for_download": row.status == "signed",
        },
        "short_id": row.id[:8],
        "created_at": format_instant(row.created_at),
        "finished_at": None,
        "sender_email": user.login if user else None,
        **({"parent_folder": folder_mini(folder)} if folder else {}),
    }


@api.get("/sign_requests")
def list_sign_requests(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the caller's requests, newest first.

    https://developer.box.com/reference/get-sign-requests
    """
    mine = SignRequest.created_by_id == call.actor
    rows, more = rows_from(call, marker, limit, SignRequest, mine, order=-SignRequest.created_at)
    return {"entries": [sign_request_object(call, row) for row in rows], "limit": limit, "next_marker": more}


class SignRequestParams(Struct, kw_only=True):
    """The body of a request for signatures."""

    signers: Annotated[list[Signer], Meta(min_length=1, max_length=35)]
    source_files: Annotated[list[SourceFile], Meta(max_length=10)] | None = None
    parent_folder: ParentFolder | None = None
    name: str = ""
    email_subject: str | None = None
    email_message: str | None = None
    days_valid: Annotated[int, Meta(ge=0, le=730)] | None = None
    template_id: str | None = None
    external_id: str | None = None
    external_system_name: str | None = None
    prefill_tags: list[PrefillTag] | None = None
    redirect_url: str | None = None
    declined_redirect_url: str | None = None
    is_document_preparation_needed: bool = False
    are_reminders_enabled: bool = False
    are_text_signatures_enabled: bool = True
    signature_color: Literal["blue", "black", "red"] | None = None

    def with_template(self, template: SignTemplate) -> SignRequestParams:
        """Return the request with its missing values taken from a template."""
        files = [SourceFile(each["id"]) for each in template.source_files]
        folder = ParentFolder(template.parent_folder_id) if template.parent_folder_id else None
        return replace(
            self,
            source_files=self.source_files or files,
            parent_folder=self.parent_folder or folder,
            name=self.name or template.name or "",
            email_subject=self.email_subject or template.email_subject,
            email_message=self.email_message or template.email_message,
            days_valid=template.days_valid if self.days_valid is None else self.days_valid,
        )

    def settings(self) -> Shown:
        """Return the other fields of the request, which are stored as `settings`."""
        beside = ("signers", "source_files", "parent_folder", "name")
        return {name: to_builtins(getattr(self, name)) for name in self.__struct_fields__ if name not in beside}


@api.post("/sign_requests", status=201)
def create_sign_request(call: Call, wanted: Annotated[SignRequestParams, Body]) -> Shown:
    """Request signatures for files. The sender is the first signer, with the role of a final copy reader.

    https://developer.box.com/reference/post-sign-requests
    """
    if wanted.template_id is not None:
        wanted = wanted.with_template(find_template(call, wanted.template_id))
    if not wanted.source_files:
        raise BadRequest.of("missing_parameter", "source_files", "'source_files' is required without 'template_id'")
    files = [find_file(call, each.id, "download") for each in wanted.source_files]
    folder = find_folder(call, wanted.parent_folder.id if wanted.parent_folder else files[0].parent_id or "0")
    for signer in wanted.signers:
        if not signer.email and not signer.is_in_person:
            raise BadRequest.of("missing_parameter", "email", "Each signer needs an email")
    sender = Signer(email=acting_user(call).login, role="final_copy_reader")
    made = SignRequest(
        id=call.ids.uuid(),
        status="created" if wanted.is_document_preparation_needed else "sent",
        name=_document_name(wanted.name or files[0].name or ""),
        signers=[sender.to_object(), *(each.to_object() for each in wanted.signers)],
        source_files=[{"type": "file", "id": file.id} for file in files],
        parent_folder_id=folder.id,
        settings=wanted.settings(),
        created_by_id=call.actor,
        created_at=call.clock.iso(),
    )
    return sign_request_object(call, call.db.add(made))


def _document_name(name: str) -> str:
    """Return the name of the signed document, which is a PDF whatever its source was."""
    extension = extension_of(name)
    stem = name.removesuffix(f".{extension}") if extension else name
    return f"{stem}.pdf"


def _find(call: Call, sign_request_id: str) -> SignRequest:
    sign_request = call.db.find(SignRequest, SignRequest.id == sign_request_id)
    if sign_request is None or sign_request.created_by_id != call.actor:
        raise NotFound.of("sign_request", sign_request_id)
    return sign_request


@api.get("/sign_requests/{sign_request_id}")
def get_sign_request(call: Call, sign_request_id: str) -> Shown:
    """Get a request.

    https://developer.box.com/reference/get-sign-requests-id
    """
    return sign_request_object(call, _find(call, sign_request_id))


@api.post("/sign_requests/{sign_request_id}/cancel", status=200)
def cancel(call: Call, sign_request_id: str) -> Shown:
    """Cancel a request.

    https://developer.box.com/reference/post-sign-requests-id-cancel
    """
    row = _find(call, sign_request_id)
    _check_open(row, "cancelled")
    return sign_request_object(call, call.db.change(row, status="cancelled"))


@api.post("/sign_requests/{sign_request_id}/resend", status=202)
def resend(call: Call, sign_request_id: str) -> None:
    """Remind the signers who have not signed yet. No mail is sent.

    https://developer.box.com/reference/post-sign-requests-id-resend
    """
    _check_open(_find(call, sign_request_id), "sent again")


def _check_open(row: SignRequest, done: str) -> None:
    if row.status not in ("created", "sent", "viewed", "converting"):
        raise BadRequest.of("invalid_parameter", "status", f"A request that is {row.status} cannot be {done}.")
