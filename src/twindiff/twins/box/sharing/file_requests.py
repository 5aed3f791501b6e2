"""File requests: forms for uploads into a folder. They are created in Box's web app and can only be copied here.

https://developer.box.com/guides/file-requests
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Call, Header, Operations, Struct, UnsetType, check_if_match, revise

from ..core.access import find_folder
from ..core.errors import NotFound, PreconditionFailed
from ..core.row_stamps import format_instant, new_id, next_number, read_instant
from ..tables.further_tables import FileRequest
from ..tables.item_tables import Folder
from ..views.item_views import folder_mini, user_mini

api = Operations(prefix="/2.0")
Shown = dict[str, Any]


class Target(Struct):
    """The folder of a file request."""

    id: str
    type: Literal["folder"] = "folder"


def file_request_object(call: Call, row: FileRequest) -> Shown:
    """Render a file request."""
    shown: Shown = {
        "type": "file_request",
        "id": row.id,
        "title": row.title or "",
        "description": row.description,
        "status": row.status,
        "is_email_required": bool(row.is_email_required),
        "is_description_required": bool(row.is_description_required),
        "expires_at": format_instant(row.expires_at),
        "folder": folder_mini(call.db.get(Folder, row.folder_id)),
        "url": row.url,
        "etag": row.etag,
        "created_by": user_mini(call, row.created_by_id),
        "created_at": format_instant(row.created_at),
        "updated_by": user_mini(call, row.updated_by_id or row.created_by_id),
        "updated_at": format_instant(row.updated_at or row.created_at),
    }
    return {name: value for name, value in shown.items() if value is not None or name == "description"}


def _find(call: Call, file_request_id: str) -> FileRequest:
    file_request = call.db.find(FileRequest, FileRequest.id == file_request_id)
    if file_request is None:
        raise NotFound.of("file_request", file_request_id)
    find_folder(call, file_request.folder_id, "edit")
    return file_request


@api.get("/file_requests/{file_request_id}")
def get_file_request(call: Call, file_request_id: str) -> Shown:
    """Get a file request.

    https://developer.box.com/reference/get-file-requests-id
    """
    return file_request_object(call, _find(call, file_request_id))


class Settings(Struct):
    """The settable fields of a file request."""

    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    status: Literal["active", "inactive"] | UnsetType = UNSET
    is_email_required: bool | UnsetType = UNSET
    is_description_required: bool | UnsetType = UNSET
    expires_at: str | UnsetType | None = UNSET

    def to_columns(self) -> Shown:
        """Return the given fields as columns by name."""
        said = {name: getattr(self, name) for name in self.__struct_fields__ if getattr(self, name) is not UNSET}
        if isinstance(self.expires_at, str):
            said["expires_at"] = read_instant(self.expires_at, "expires_at")
        return said


@api.post("/file_requests/{file_request_id}/copy")
def copy_file_request(
    call: Call,
    file_request_id: str,
    folder: Target,
    title: str | UnsetType = UNSET,
    description: str | UnsetType = UNSET,
    status: Literal["active", "inactive"] | UnsetType = UNSET,
    is_email_required: bool | UnsetType = UNSET,
    is_description_required: bool | UnsetType = UNSET,
    expires_at: str | UnsetType | None = UNSET,
) -> Shown:
    """Copy a file request to another folder.

    https://developer.box.com/reference/post-file-requests-id-copy
    """
    row, target = _find(call, file_request_id), find_folder(call, folder.id, "edit")
    settings = Settings(title, description, status, is_email_required, is_description_required, expires_at)
    made_id, now = new_id(call), call.clock.iso()
    kept = {name: getattr(row, name) for name in Settings.__struct_fields__}
    said: Shown = {**kept, **settings.to_columns()}
    made = FileRequest(
        id=made_id,
        folder_id=target.id,
        url=f"/f/{call.ids.new('', 32).lower()}",
        created_by_id=call.actor,
        created_at=now,
        updated_by_id=call.actor,
        updated_at=now,
        **said,
    )
    return file_request_object(call, call.db.add(made))


@api.put("/file_requests/{file_request_id}")
def update_file_request(
    call: Call,
    file_request_id: str,
    title: str | UnsetType = UNSET,
    description: str | UnsetType = UNSET,
    status: Literal["active", "inactive"] | UnsetType = UNSET,
    is_email_required: bool | UnsetType = UNSET,
    is_description_required: bool | UnsetType = UNSET,
    expires_at: str | UnsetType | None = UNSET,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> Shown:
    """Update the given fields of a file request.

    https://developer.box.com/reference/put-file-requests-id
    """
    row = _find(call, file_request_id)
    check_if_match(if_match, row.etag or "0", PreconditionFailed)
    settings = Settings(title, description, status, is_email_required, is_description_required, expires_at)
    stamp = {"etag": next_number(row.etag), "updated_at": call.clock.iso(), "updated_by_id": call.actor}
    return file_request_object(call, revise(call.db, row, stamp=stamp, **settings.to_columns()))


@api.delete("/file_requests/{file_request_id}", status=204)
def delete_file_request(call: Call, file_request_id: str) -> None:
    """Delete a file request.

    https://developer.box.com/reference/delete-file-requests-id
    """
    call.db.remove(_find(call, file_request_id))
