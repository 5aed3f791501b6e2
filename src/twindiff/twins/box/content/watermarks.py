"""Watermarks on files and folders.

https://developer.box.com/reference/resources/watermark
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, Response, Struct
from twindiff.kit.http import json_answer

from ..core.access import find_file, find_folder
from ..core.errors import NotFound
from ..core.row_stamps import format_instant
from ..tables.item_tables import File, Folder

api = Operations(prefix="/2.0")
Shown = dict[str, Any]


class Imprint(Struct):
    """The `watermark` of a request. There is only one kind of imprint."""

    imprint: Literal["default"]


def _watermark_of(item: File | Folder) -> dict[str, str]:
    """Render the watermark of an item, with the times at which it was applied; raise NotFound if there is none."""
    held: dict[str, str] | None = item.watermark_info
    if not held:
        raise NotFound.of("watermark", item.id)
    return held


def _render_watermark(held: dict[str, str]) -> Shown:
    return {"watermark": {name: format_instant(held.get(name)) for name in ("created_at", "modified_at")}}


def _apply(call: Call, item: File | Folder) -> Response:
    held: dict[str, str] | None = item.watermark_info
    now = call.clock.iso()
    put = {"created_at": held.get("created_at", now) if held else now, "modified_at": now}
    call.db.change(item, watermark_info=put)
    return json_answer(_render_watermark(put), 200 if held else 201)


def _remove(call: Call, item: File | Folder) -> None:
    _watermark_of(item)
    call.db.change(item, watermark_info=None)


@api.get("/files/{file_id}/watermark")
def get_of_file(call: Call, file_id: str) -> Shown:
    """Get the watermark of a file.

    https://developer.box.com/reference/get-files-id-watermark
    """
    return _render_watermark(_watermark_of(find_file(call, file_id)))


@api.put("/files/{file_id}/watermark")
def apply_to_file(call: Call, file_id: str, watermark: Imprint) -> Response:
    """Apply a watermark to a file.

    https://developer.box.com/reference/put-files-id-watermark
    """
    return _apply(call, find_file(call, file_id, "edit"))


@api.delete("/files/{file_id}/watermark", status=204)
def remove_from_file(call: Call, file_id: str) -> None:
    """Remove the watermark from a file.

    https://developer.box.com/reference/delete-files-id-watermark
    """
    _remove(call, find_file(call, file_id, "edit"))


@api.get("/folders/{folder_id}/watermark")
def get_of_folder(call: Call, folder_id: str) -> Shown:
    """Get the watermark of a folder.

    https://developer.box.com/reference/get-folders-id-watermark
    """
    return _render_watermark(_watermark_of(find_folder(call, folder_id)))


@api.put("/folders/{folder_id}/watermark")
def apply_to_folder(call: Call, folder_id: str, watermark: Imprint) -> Response:
    """Apply a watermark to a folder.

    https://developer.box.com/reference/put-folders-id-watermark
    """
    return _apply(call, find_folder(call, folder_id, "edit"))


@api.delete("/folders/{folder_id}/watermark", status=204)
def remove_from_folder(call: Call, folder_id: str) -> None:
    """Remove the watermark from a folder.

    https://developer.box.com/reference/delete-folders-id-watermark
    """
    _remove(call, find_folder(call, folder_id, "edit"))
