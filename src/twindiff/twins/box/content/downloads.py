"""Downloads: URLs that need no token, like those at dl.boxcloud.com, and the bytes they serve.

https://developer.box.com/guides/downloads
"""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from twindiff.kit import Call, Header, Operations, Response, file_answer
from twindiff.kit.auth import is_same_secret

from ..core.access import find_file
from ..core.contents import bytes_of, current_version, type_of
from ..core.errors import AccessDeniedItemLocked, NotFound
from ..core.row_stamps import ticket
from ..tables.item_tables import File, FileVersion

api = Operations()


@api.get("/2.0/files/{file_id}/content")
def download_file(
    call: Call, file_id: str, version: str = "", range_: Annotated[str, Header("Range")] = ""
) -> Response:
    """Redirect to the URL at which the bytes of a file, or of one of its versions, can be downloaded.

    https://developer.box.com/reference/get-files-id-content
    """
    file = find_file(call, file_id, "download")
    lock: dict[str, Any] = file.lock or {}
    if lock.get("is_download_prevented") and lock.get("created_by_id") != call.actor:
        raise AccessDeniedItemLocked
    file_version = _version(call, file, version) if version else current_version(call, file)
    return Response(b"", 302, headers=(("Location", address(call, file, file_version)),))


def _version(call: Call, file: File, version_id: str) -> FileVersion:
    version = call.db.find(FileVersion, FileVersion.id == version_id, FileVersion.file_id == file.id)
    if version is None:
        raise NotFound.of("version", version_id)
    return version


def address(call: Call, file: File, version: FileVersion) -> str:
    """Return the download URL of a version. It grants access without a token."""
    known_by = ticket(call, f"download {version.id}")
    return f"{call.base_url}/d/1/{known_by}/{version.id}/{quote(file.name or 'file', safe='')}/download"


@api.get("/d/1/{shown}/{version_id}/{name}/download", open=True)
def bytes_at(
    call: Call, shown: str, version_id: str, name: str, range_: Annotated[str, Header("Range")] = ""
) -> Response:
    """Return the bytes of a version, or the range of them that the header Range requests."""
    version = call.db.find(FileVersion, FileVersion.id == version_id)
    if version is None or not is_same_secret(shown, ticket(call, f"download {version_id}")):
        raise NotFound.of("download", name)
    return file_answer(
        bytes_of(call, version), type_of(version.name or name), range=range_, filename=version.name or name
    )
