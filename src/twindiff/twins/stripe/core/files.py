"""Files, such as dispute evidence, logos and identity documents.

https://docs.stripe.com/api/files
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Operations, Response, UnsetType, Upload, column, file_answer

from .objects import LEFT_OUT, Fields, StripeObject, build_view, new, resource, retrieve, show
from .pagination import equal, list_of, to_range_conditions
from .params import ListParams, NestedParams, OptInteger, OptMetadata, OptRange, Params

api = Operations(prefix="/v1/files")

Purpose = Literal[
    "account_requirement", "additional_verification", "business_icon", "business_logo", "customer_signature",
    "dispute_evidence", "identity_document", "issuing_regulatory_reporting", "pci_document",
    "platform_terms_of_service", "tax_document_user_upload", "terminal_android_apk", "terminal_reader_splashscreen",
]  # fmt: skip
MAX_FILE_BYTES = 16_000_000
LINKED = (
    "business_icon", "business_logo", "customer_signature", "dispute_evidence", "issuing_regulatory_reporting",
    "pci_document", "tax_document_user_upload", "terminal_android_apk",
)  # fmt: skip
"""Purposes of files that can have links."""


class File(StripeObject, table="files", key=("id",), unique=(("seq",),), indexes=(("purpose", "seq"),)):
    filename: Column[str | None] = column(default=None)
    purpose: Column[str]
    size: Column[int]
    title: Column[str | None] = column(default=None)
    type: Column[str | None] = column(default=None)
    url: Column[str | None] = column(default=None)
    content_type: Column[str] = column(default="application/octet-stream")
    digest: Column[str] = column(default="")


def _fill(call: Call, files: list[Fields]) -> None:
    from .file_links import links_of

    links_of(call, files)


file_object = build_view(File, "file", "content_type", "digest", expires_at=None, livemode=LEFT_OUT)
FILES = resource(File, "file", "file_", file_object, param="file", spoken="file upload", fill=_fill)


class FileLinkData(NestedParams, kw_only=True):
    """The link to create with an upload."""

    create: bool
    expires_at: OptInteger = UNSET
    metadata: OptMetadata = UNSET


class CreateFile(Params):
    """The parameters of an upload."""

    file: Upload
    purpose: Purpose
    file_link_data: FileLinkData | UnsetType = UNSET


class ListFiles(ListParams):
    """The parameters of a list of files."""

    created: OptRange = UNSET
    purpose: Purpose | UnsetType = UNSET


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
        from .file_links import link_at_once

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
