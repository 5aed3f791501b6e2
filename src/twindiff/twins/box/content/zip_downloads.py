"""Downloads of several files and folders as one zip archive.

https://developer.box.com/guides/downloads/archive
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from twindiff.kit import Call, Meta, Operations, Response, Struct, file_answer
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import ROOT, TABLE_OF, find_file, find_folder, find_item
from ..core.contents import bytes_of, current_version
from ..core.errors import Forbidden, NotFound
from ..core.folder_listing import folders_below
from ..core.row_stamps import format_instant
from ..tables.further_tables import ZipDownload
from ..tables.item_tables import File

api = Operations(prefix="/2.0")
MAX_FILES = 10_000
MAX_ARCHIVE_BYTES = 100_000_000
Shown = dict[str, Any]


class ZipItem(Struct):
    """A file or folder to put into an archive."""

    id: str
    type: Literal["file", "folder"]


def _check(call: Call, item: ZipItem) -> None:
    """Raise unless the caller may download an item. Unlike elsewhere, Box discloses that a hidden item exists."""
    if item.type == "folder" and item.id == ROOT:
        raise BadRequest.of("invalid_parameter", "items", "The root folder cannot be downloaded.")
    kind = TABLE_OF[item.type]
    try:
        find_item(call, item.type, item.id, "download")
    except NotFound:
        if call.db.find(kind, kind.id == item.id):
            raise Forbidden from None
        said = f"There is no {item.type} '{item.id[:60]}'."
        raise BadRequest.of("invalid_parameter", "items", said) from None


@api.post("/zip_downloads", status=202)
def create_zip(
    call: Call,
    items: Annotated[list[ZipItem], Meta(min_length=1, max_length=MAX_FILES)],
    download_file_name: str = "",
) -> Shown:
    """Prepare an archive. Duplicate names are made unique and listed in `name_conflicts`.

    https://developer.box.com/reference/post-zip-downloads
    """
    for item in items:
        _check(call, item)
    expires = datetime.fromisoformat(call.clock.iso()).replace(microsecond=0) + timedelta(hours=2)
    name = (download_file_name or "Box Download").removesuffix(".zip")
    zipped = ZipDownload(
        id=call.ids.new("", 32, "0123456789abcdef"),
        user_id=call.actor,
        name=f"{name}.zip",
        items=[{"type": item.type, "id": item.id} for item in items],
        expires_at=expires.isoformat(),
    )
    call.db.add(zipped)
    at = f"{call.base_url}/2.0/zip_downloads/{zipped.id}"
    conflicts = [
        [{"id": file.id, "type": "file", "original_name": file.name, "download_name": path} for path, file in twins]
        for twins in _conflicts(call, zipped)
    ]
    return {
        "download_url": f"{at}/content",
        "status_url": f"{at}/status",
        "expires_at": format_instant(zipped.expires_at),
        "name_conflicts": conflicts,
    }


def _entries(call: Call, zipped: ZipDownload) -> Iterator[tuple[str, File]]:
    """Yield the files of an archive with their paths, before duplicate paths are made unique."""
    for item in zipped.items:
        if item["type"] == "file":
            file = find_file(call, item["id"], "download")
            yield file.name or "", file
            continue
        folder = find_folder(call, item["id"], "download")
        paths = {folder.id: folder.name or ""}
        for level in [[folder], *folders_below(call, folder.id)]:
            for each in level:
                paths.setdefault(each.id, f"{paths.get(each.parent_id or '', '')}/{each.name}")
        for file in call.db.rows(File, File.parent_id.in_(tuple(paths)), File.item_status == "active"):
            yield f"{paths[file.parent_id or '']}/{file.name}", file


def _list_unique_names(call: Call, zipped: ZipDownload) -> Iterator[tuple[str, str, File]]:
    """Yield each file of an archive as its original path, its unique path and the file."""
    seen: dict[str, int] = {}
    for path, file in _entries(call, zipped):
        seen[path] = seen.get(path, 0) + 1
        stem, dot, extension = path.rpartition(".")
        number = f"_{seen[path] - 1}" if seen[path] > 1 else ""
        yield path, f"{stem}{number}.{extension}" if dot else f"{path}{number}", file


def _conflicts(call: Call, zipped: ZipDownload) -> list[list[tuple[str, File]]]:
    by_path: dict[str, list[tuple[str, File]]] = {}
    for path, name, file in _list_unique_names(call, zipped):
        by_path.setdefault(path, []).append((name, file))
    return [files for files in by_path.values() if len(files) > 1]


def _find(call: Call, zip_id: str) -> ZipDownload:
    zip_download = call.db.find(ZipDownload, ZipDownload.id == zip_id, ZipDownload.user_id == call.actor)
    if zip_download is None or zip_download.expires_at <= call.clock.iso():
        raise NotFound.of("zip_download", zip_id)
    return zip_download


@api.get("/zip_downloads/{zip_download_id}/content")
def download_zip(call: Call, zip_download_id: str) -> Response:
    """Download an archive.

    https://developer.box.com/reference/get-zip-downloads-id-content
    """
    zipped = _find(call, zip_download_id)
    drawn, room = io.BytesIO(), MAX_ARCHIVE_BYTES
    with ZipFile(drawn, "w", ZIP_STORED) as archive:
        for _, name, file in _list_unique_names(call, zipped):
            room -= file.size
            if room < 0:
                said = f"The archive would have more than {MAX_ARCHIVE_BYTES} bytes."
                raise BadRequest.of("invalid_parameter", "items", said)
            archive.writestr(ZipInfo(name), _bytes(call, file))
    return file_answer(drawn.getvalue(), "application/zip", filename=zipped.name)


def _bytes(call: Call, file: File) -> bytes:
    return bytes_of(call, current_version(call, file))


@api.get("/zip_downloads/{zip_download_id}/status")
def zip_status(call: Call, zip_download_id: str) -> Shown:
    """Get the progress of an archive, which is complete at once.

    https://developer.box.com/reference/get-zip-downloads-id-status
    """
    count = sum(1 for _ in _entries(call, _find(call, zip_download_id)))
    counts = {"total_file_count": count, "downloaded_file_count": count}
    return {**counts, "skipped_file_count": 0, "skipped_folder_count": 0, "state": "succeeded"}
