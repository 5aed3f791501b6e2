"""File links: public URLs of files.

https://docs.stripe.com/api/file_links
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Response, UnsetType, column, file_answer
from twindiff.twins.stripe.core.wire_style import StripeError

from .events import update
from .files import FILES, LINKED, File, FileLinkData
from .objects import Fields, StripeObject, build_view, new, now, resource, retrieve, show, show_all
from .pagination import equal, list_object, list_of, to_range_conditions
from .params import (
    ListParams,
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


FOR_EVER = 2**53 - 1


class FileLink(
    StripeObject, table="file_links", key=("id",), unique=(("seq",), ("secret",)), indexes=(("file", "seq"),)
):
    expires_at: Column[int | None] = column(default=None)
    file: Column[str]
    metadata: Column[Json] = column(default={})
    secret: Column[str] = column(derived=True)
    until: Column[int] = column(default=FOR_EVER, derived=True)
    """Expiry as a number, also for a link that never expires, so that it can be filtered by range."""


def _fill(call: Call, links: list[Fields]) -> None:
    """Set the expiry flag and the URL of each rendered link."""
    for each in links:
        each["expired"] = each["expires_at"] is not None and each["expires_at"] <= now(call)
        secret = each.pop("secret")
        each["url"] = None if each["expired"] else f"{call.base_url}/links/{secret}"


FILE_LINKS = resource(
    FileLink,
    "file_link",
    "link_",
    build_view(FileLink, "file_link", "until"),
    param="link",
    expandable=("file",),
    fill=_fill,
)


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


def links_of(call: Call, files: list[Fields]) -> None:
    """Set the links of each rendered file."""
    by_file: dict[str, list[FileLink]] = {each["id"]: [] for each in files}
    for row in call.db.rows(FileLink, FileLink.file.in_(list(by_file)), order=-FileLink.seq):
        by_file[row.file].append(row)
    for each in files:
        rows = by_file[each["id"]]
        url = f"/v1/file_links?file={each['id']}"
        each["links"] = list_object(show_all(call, FILE_LINKS, rows[:10]), url, has_more=len(rows) > 10)


def link_at_once(call: Call, row: File, wanted: FileLinkData) -> None:
    """Create the link that an upload requests."""
    if wanted.create:
        _create_link(call, row, wanted.expires_at, wanted.metadata)
