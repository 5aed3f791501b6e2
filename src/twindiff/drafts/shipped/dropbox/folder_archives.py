"""Folders as zip files. https://www.dropbox.com/developers/documentation/http/documentation#files-download_zip"""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.http import Response
from twindiff.kit.twin import Operations

from .entries import find_entry, list_below, show_entry
from .files import ApiArgument, PathArgument, read_argument
from .tables import DropboxEntry
from .wire_style import DropboxError

api = Operations(prefix="/2/files")
MAX_ZIP_FILES = 10_000
MAX_ZIP_BYTES = 256 * 1024 * 1024
"""Dropbox gives up to 20 GB; here a zip file is made in memory."""
_TIME_PARTS = ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19))
_FIRST_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can tell."""


@api.post("/download_zip", reads=True)
def download_zip(call: Call, argument: ApiArgument) -> Response:
    """Download a folder with all in it as a zip file; its metadata stand in a header."""
    folder = find_entry(call, read_argument(argument, PathArgument).path)
    if folder.tag != "folder":
        raise DropboxError("path/not_folder")
    entries = list_below(call, folder.path_lower)
    if len(entries) > MAX_ZIP_FILES:
        raise DropboxError("too_many_files")
    if sum(each.size or 0 for each in entries) > MAX_ZIP_BYTES:
        raise DropboxError("too_large")
    told = msgspec.json.encode({"metadata": show_entry(folder, tagged=False)}).decode()
    escaped = told.encode("ascii", "backslashreplace").decode()
    data = _write_zip(call, folder, entries)
    return Response(data, 200, "application/zip", (("Dropbox-API-Result", escaped),))


def _write_zip(call: Call, folder: DropboxEntry, entries: list[DropboxEntry]) -> bytes:
    """Return a zip file, in which all is below the name of the folder."""
    file = BytesIO()
    cut = len(folder.path_display) - len(folder.name)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for each in (folder, *entries):
            name = each.path_display[cut:]
            if each.tag == "folder":
                archive.writestr(ZipInfo(f"{name}/", _FIRST_TIME), b"")
            else:
                at = each.server_modified or ""
                year, month, day, hour, minute, second = (int(at[start:end] or 0) for start, end in _TIME_PARTS)
                info = ZipInfo(name, (year, month, day, hour, minute, second) if year >= 1980 else _FIRST_TIME)
                info.compress_type = ZIP_DEFLATED
                archive.writestr(info, call.blobs.get(each.blob) if each.blob else b"")
    return file.getvalue()
