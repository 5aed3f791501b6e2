"""Files, such as dispute evidence, logos and identity documents.

https://docs.stripe.com/api/files
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Operations, Response, UnsetType, Upload, file_answer

from .file_links import FileLinkData, link_at_once
from .file_tables import FILES, File, ListedPurpose, Purpose
from .objects import Fields, new, retrieve, show
from .pagination import equal, list_of, to_range_conditions
from .params import ListParams, OptRange, Params

api = Operations(prefix="/v1/files")

MAX_FILE_BYTES = 16_000_000


class CreateFile(Params):
    """The parameters of an upload."""

    file: Upload
    purpose: Purpose
    file_link_data: FileLinkData | UnsetType = UNSET


class ListFiles(ListParams):
    """The parameters of a list of files."""

    created: OptRange = UNSET
    purpose: ListedPurpose | UnsetType = UNSET


@api.post("", body_limit=MAX_FILE_BYTES)
def create_file(call: Call, params: Annotated[CreateFile, Body]) -> Fields:
    """Store an uploaded file."""
    upload = params.file
    made = new(
        call,
        FILES,
        filename=upload.filename,
        purpose=params.purpose,
        size=len(upload.data),
        type=upload.filename.rpartition(".")[2].lower() or None,
        content_type=upload.content_type,
        digest=call.blobs.put(upload.data),
    )
    made = call.db.change(made, url=f"{call.base_url}/v1/files/{made.id}/contents")
    if isinstance(params.file_link_data, FileLinkData):
        link_at_once(call, made, params.file_link_data)
    return show(call, FILES, made)


@api.get("/{file}")
def retrieve_file(call: Call, file: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a file."""
    return show(call, FILES, retrieve(call, FILES, file))


@api.get("/{file}/contents")
def retrieve_file_contents(call: Call, file: str, params: Annotated[Params, Body]) -> Response:
    """Download a file."""
    row = retrieve(call, FILES, file)
    return file_answer(call.blobs.get(row.digest), row.content_type, filename=row.filename or "file")


@api.get("")
def list_files(call: Call, params: Annotated[ListFiles, Body]) -> Fields:
    """List files."""
    where = to_range_conditions(File.created, params.created) + equal((File.purpose, params.purpose))
    return list_of(call, FILES, params, "/v1/files", *where)
