"""File uploads: in one part, in several, and from an address. https://developers.notion.com/reference/file-upload"""

from __future__ import annotations

from datetime import datetime, timedelta
from mimetypes import guess_type
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, Upload, file_answer
from twindiff.kit.auth import is_same_secret
from twindiff.kit.errors import NotFound

from ..core.body_rules import MAX_URL_LENGTH, check_body, choice, invalid_body, obj, text, whole
from ..core.edit_stamps import millis, minute
from ..core.file_values import signature_of, status_of
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..core.object_lookup import find_bot, find_row, parse_id
from ..core.user_objects import MAX_UPLOAD_BYTES, find_user
from ..event_delivery.event_emission import emit_upload
from ..tables.workspace_tables import FileUpload
from ..wire_style import ObjectNotFound, ValidationError

api = Operations(prefix="/v1")
files = Operations()
JsonBody = Annotated[dict[str, Any], Body]
MAX_PART_BYTES = 20 * 1024 * 1024
MAX_PARTS = 1000
MAX_FILENAME_BYTES = 900
EXPIRY_MINUTES = 60
STATUSES = ("pending", "uploaded", "expired", "failed")
_create_body = obj(
    None, mode=choice("single_part", "multi_part", "external_url"), filename=text(MAX_FILENAME_BYTES, 1),
    content_type=text(), number_of_parts=whole, external_url=text(MAX_URL_LENGTH),
)  # fmt: skip


@api.post("/file_uploads", scope="insert_content")
def create_file_upload(call: Call, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """Begin a file upload."""
    check_body(_create_body, body)
    mode = body.get("mode", "single_part")
    _check_mode(mode, body)
    filename = body.get("filename")
    content_type = body.get("content_type") or guess_type(filename or "")[0]
    if filename and content_type and "." not in filename and mode != "single_part":
        raise ValidationError("body failed validation: body.filename should have an extension.")
    is_external = mode == "external_url"
    now = call.clock.iso()
    row = FileUpload(
        id=call.ids.uuid(),
        mode=mode,
        status="uploaded" if is_external else "pending",
        filename=filename,
        content_type=content_type,
        number_of_parts=body.get("number_of_parts"),
        external_url=body.get("external_url"),
        expiry_time=_expiry(call),
        number=call.db.next("notion_file_upload"),
        created_by=find_bot(call).id,
        created_time=now,
        last_edited_time=now,
    )
    call.db.add(row)
    emit_upload(call, "file_upload.created", row)
    return upload_object(call, row)


def _expiry(call: Call) -> str:
    return (datetime.fromisoformat(call.clock.iso()) + timedelta(minutes=EXPIRY_MINUTES)).isoformat()


def _check_mode(mode: str, body: dict[str, Any]) -> None:
    needed = {"multi_part": ("filename", "number_of_parts"), "external_url": ("filename", "external_url")}.get(mode, ())
    for name in needed:
        if name not in body:
            raise invalid_body(f"body.{name}", "defined")
    parts = body.get("number_of_parts", 1)
    if not 1 <= parts <= MAX_PARTS:
        raise invalid_body("body.number_of_parts", f"≥ `1` and ≤ `{MAX_PARTS}`", parts)
    if mode != "multi_part" and "number_of_parts" in body:
        raise ValidationError(
            "body failed validation: body.number_of_parts should be not present unless mode is multi_part."
        )
    if mode == "external_url" and not body["external_url"].startswith("https://"):
        raise ValidationError("body failed validation: body.external_url should begin with https://.")


@api.get("/file_uploads")
def list_file_uploads(
    call: Call, status: str | None = None, start_cursor: str | None = None, page_size: str | int = MAX_PAGE_SIZE
) -> dict[str, Any]:
    """List the file uploads of the integration, the newest first."""
    if status is not None and status not in STATUSES:
        wanted = ", ".join(f'`"{each}"`' for each in STATUSES)
        raise ValidationError(
            f'query failed validation: query.status should be {wanted}, instead was `"{status[:50]}"`.'
        )
    rows = call.db.rows(FileUpload, order=(-FileUpload.created_time, -FileUpload.number))
    shown = [row for row in rows if status is None or status_of(call, row) == status]
    shown, cursor = slice_list(shown, start_cursor, check_page_size(page_size))
    return list_answer("file_upload", [upload_object(call, row) for row in shown], cursor)


def _find(call: Call, file_upload_id: str) -> FileUpload:
    return find_row(call, FileUpload, parse_id(file_upload_id, "file_upload_id"), "file_upload")


@api.get("/file_uploads/{file_upload_id}")
def get_file_upload(call: Call, file_upload_id: str) -> dict[str, Any]:
    """Get a file upload."""
    return upload_object(call, _find(call, file_upload_id))


def _find_pending(call: Call, file_upload_id: str) -> FileUpload:
    row = _find(call, file_upload_id)
    status = status_of(call, row)
    if status != "pending":
        raise ValidationError(f"File upload {row.id} has status `{status}`; only a `pending` one can be sent.")
    return row


@api.post("/file_uploads/{file_upload_id}/send", body_limit=MAX_PART_BYTES + 100_000, scope="insert_content")
def send_file_upload(call: Call, file_upload_id: str, file: Upload, part_number: str | None = None) -> dict[str, Any]:
    """Send the content of a file, or one part of it."""
    row = _find_pending(call, file_upload_id)
    limit = MAX_PART_BYTES if row.mode == "multi_part" else MAX_UPLOAD_BYTES
    if len(file.data) > limit:
        raise ValidationError(f"The file is too large: {len(file.data)} bytes; at most {limit} may be sent at once.")
    if row.content_type and file.content_type and file.content_type.partition(";")[0] != row.content_type:
        raise ValidationError(
            f"The content type of the file, {file.content_type}, is not the one of the upload, {row.content_type}."
        )
    changes: dict[str, Any] = {"last_edited_time": call.clock.iso()}
    if row.mode == "multi_part":
        number = _check_part(part_number, row.number_of_parts or 1)
        changes["parts"] = {**row.parts, str(number): call.blobs.put(file.data)}
    else:
        changes |= _complete(call, row, file.data)
        changes["filename"] = row.filename or file.filename
        changes["content_type"] = row.content_type or file.content_type
    row = call.db.change(row, **changes)
    if row.status == "uploaded":
        emit_upload(call, "file_upload.completed", row)
    return upload_object(call, row)


def _check_part(part_number: str | None, parts: int) -> int:
    if part_number is None or not part_number.isdecimal() or not 1 <= int(part_number) <= parts:
        given = "undefined" if part_number is None else part_number[:20]
        raise ValidationError(
            f"body failed validation: body.part_number should be from `1` to `{parts}`, instead was `{given}`."
        )
    return int(part_number)


def _complete(call: Call, row: FileUpload, data: bytes) -> dict[str, Any]:
    return {
        "status": "uploaded",
        "digest": call.blobs.put(data),
        "content_length": len(data),
        "expiry_time": _expiry(call),
    }


@api.post("/file_uploads/{file_upload_id}/complete", scope="insert_content")
def complete_file_upload(call: Call, file_upload_id: str) -> dict[str, Any]:
    """Put the parts of a file together."""
    row = _find_pending(call, file_upload_id)
    if row.mode != "multi_part":
        raise ValidationError(f"File upload {row.id} is not of mode multi_part.")
    missing = [str(number) for number in range(1, (row.number_of_parts or 1) + 1) if str(number) not in row.parts]
    if missing:
        raise ValidationError(f"File upload {row.id} lacks part {missing[0]} of {row.number_of_parts}.")
    data = b"".join(call.blobs.get(row.parts[number]) for number in sorted(row.parts, key=int))
    row = call.db.change(row, **_complete(call, row, data), last_edited_time=call.clock.iso())
    emit_upload(call, "file_upload.completed", row)
    return upload_object(call, row)


@api.due(FileUpload.expiry_time, FileUpload.status.in_(("pending", "uploaded")), actor=FileUpload.created_by)
def expire_upload(call: Call, row: FileUpload) -> None:
    """Scheduled job: end an upload that was not attached in time."""
    emit_upload(call, "file_upload.expired", call.db.change(row, status="expired"))


def upload_object(call: Call, row: FileUpload) -> dict[str, Any]:
    """Render a file upload."""
    status = status_of(call, row)
    author = find_user(call, row.created_by) if row.created_by else None
    shown: dict[str, Any] = {
        "object": "file_upload",
        "id": row.id,
        "created_time": minute(row.created_time),
        "created_by": {"id": row.created_by, "type": author.type if author else "bot"},
        "last_edited_time": minute(row.last_edited_time or row.created_time),
        "expiry_time": minute(row.expiry_time) if row.expiry_time else None,
        "in_trash": False,
        "archived": False,
        "status": status,
        "filename": row.filename,
        "content_type": row.content_type,
        "content_length": row.content_length,
    }
    if status == "pending":
        base = f"{call.base_url}/v1/file_uploads/{row.id}"
        shown["upload_url"] = f"{base}/send"
        if row.mode == "multi_part":
            shown["complete_url"] = f"{base}/complete"
    if row.mode == "multi_part":
        shown["number_of_parts"] = {"total": row.number_of_parts, "sent": len(row.parts)}
    if row.mode == "external_url":
        imported: dict[str, Any] = {"type": "success", "success": {}, "imported_time": millis(row.created_time)}
        shown["file_import_result"] = imported
    return shown


@files.get("/files/{upload_id}/{name}", open=True)
def download_file(call: Call, upload_id: str, name: str, until: int = 0, signature: str = "") -> Any:
    """Download an uploaded file by its signed address."""
    row = call.db.find(FileUpload, FileUpload.id == upload_id)
    if row is None or row.digest is None or not is_same_secret(signature, signature_of(call, upload_id, until)):
        raise ObjectNotFound("Could not find the file.")
    if until < call.clock.unix():
        raise ValidationError("The address of the file has expired.")
    try:
        data = call.blobs.get(row.digest)
    except NotFound:
        raise ObjectNotFound("Could not find the file.") from None
    return file_answer(data, row.content_type or "application/octet-stream", filename=row.filename or name)
