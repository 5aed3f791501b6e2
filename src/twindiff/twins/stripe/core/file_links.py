"""File links: public URLs of files.

https://docs.stripe.com/api/file_links
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Operations, Response, UnsetType, file_answer
from twindiff.twins.stripe.core.wire_style import StripeError

from .events import update
from .file_tables import FILE_LINKS, FILES, FOR_EVER, LINKED, File, FileLink
from .objects import Fields, new, now, retrieve, show
from .pagination import equal, list_of, to_range_conditions
from .params import (
    ListParams,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptRange,
    OptText,
    Params,
    integer_or_word,
    merge_metadata,
)

api = Operations()


class CreateLink(Params, kw_only=True):
    """The parameters of a new link."""

    file: str
    expires_at: OptInteger = UNSET
    metadata: OptMetadata = UNSET


class UpdateLink(Params):
    """The parameters of an update; `expires_at` may be `now`."""

    expires_at: OptText = UNSET
    metadata: OptMetadata = UNSET


class ListLinks(ListParams):
    """The parameters of a list of links."""

    created: OptRange = UNSET
    expired: OptBool = UNSET
    file: OptText = UNSET


@api.post("/v1/file_links")
def create_file_link(call: Call, params: Annotated[CreateLink, Body]) -> Fields:
    """Create a public link to a file."""
    row = retrieve(call, FILES, params.file, param="file", status=400)
    return show(call, FILE_LINKS, _create_link(call, row, params.expires_at, params.metadata))


def _create_link(call: Call, row: File, expires_at: OptInteger, metadata: OptMetadata) -> FileLink:
    if row.purpose not in LINKED:
        message = f"Files whose purpose is {row.purpose} cannot have links."
        raise StripeError(message, param="file")
    until = _later(call, expires_at) if isinstance(expires_at, int) else None
    fields = {"secret": call.ids.new("", 48), **_until(until), "metadata": merge_metadata({}, metadata)}
    return new(call, FILE_LINKS, file=row.id, **fields)


def _later(call: Call, at: int) -> int:
    if at <= now(call):
        raise StripeError("The timestamp of `expires_at` must be in the future.", param="expires_at")
    return at


@api.get("/v1/file_links/{link}")
def retrieve_file_link(call: Call, link: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a file link."""
    return show(call, FILE_LINKS, retrieve(call, FILE_LINKS, link))


@api.post("/v1/file_links/{link}")
def update_file_link(call: Call, link: str, params: Annotated[UpdateLink, Body]) -> Fields:
    """Update the expiry or the metadata of a link; an expired link cannot be updated."""
    row = retrieve(call, FILE_LINKS, link)
    until: int | UnsetType | None = UNSET
    if isinstance(params.expires_at, str):
        if row.expires_at is not None and row.expires_at <= now(call):
            raise StripeError("An expired file link cannot be updated.", param="expires_at")
        wanted = integer_or_word(params.expires_at, "expires_at", "now", "")
        until = now(call) if wanted == "now" else _later(call, wanted) if isinstance(wanted, int) else None
    metadata = merge_metadata(row.metadata, params.metadata)
    return show(call, FILE_LINKS, update(call, FILE_LINKS, row, False, **_until(until), metadata=metadata))


def _until(at: int | UnsetType | None) -> Fields:
    return {} if at is UNSET else {"expires_at": at, "until": at or FOR_EVER}


@api.get("/v1/file_links")
def list_file_links(call: Call, params: Annotated[ListLinks, Body]) -> Fields:
    """List file links."""
    where = to_range_conditions(FileLink.created, params.created) + equal((FileLink.file, params.file))
    if params.expired is not UNSET:
        where.append(FileLink.until <= now(call) if params.expired else FileLink.until > now(call))
    return list_of(call, FILE_LINKS, params, "/v1/file_links", *where)


@api.get("/links/{secret}", open=True, scope="publishable")
def open_file_link(call: Call, secret: str, params: Annotated[Params, Body]) -> Response:
    """Download the file of a link."""
    row = call.db.find(FileLink, FileLink.secret == secret)
    if row is None or (row.expires_at is not None and row.expires_at <= now(call)):
        raise StripeError("There is no such file, or its link has expired.", status=404)
    known = retrieve(call, FILES, row.file)
    return file_answer(call.blobs.get(known.digest), known.content_type, filename=known.filename or "file")


def link_at_once(call: Call, row: File, wanted: FileLinkData) -> None:
    """Create the link that an upload requests."""
    if wanted.create:
        _create_link(call, row, wanted.expires_at, wanted.metadata)


class FileLinkData(NestedParams, kw_only=True):
    """The link to create with an upload."""

    create: bool
    expires_at: OptInteger = UNSET
    metadata: OptMetadata = UNSET
