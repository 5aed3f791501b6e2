"""Pages and sync tokens of lists that are short enough to scan: ACL rules, calendar lists and settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from twindiff.kit import Call, Meta, Row
from twindiff.kit.paging import decode_cursor, encode_cursor

from .changes import changed_since, etag_for, find_latest_change, read_sync_token, sync_token
from .errors import InvalidPageToken, InvalidParameterValue

R = TypeVar("R", bound=Row)


class InvalidMaxResults(InvalidParameterValue):
    """Invalid value. Values must be at least 1."""

    code = "invalidParameter"
    location = ("parameter", "maxResults")


class InvalidMaxAttendees(InvalidParameterValue):
    """Invalid value. Values must be at least 1."""

    code = "invalidParameter"
    location = ("parameter", "maxAttendees")


MaxAttendees = Annotated[int, Meta(ge=1), InvalidMaxAttendees]
MaxResults = Annotated[int, Meta(ge=1), InvalidMaxResults]
MAX_PAGE_ITEMS = 250


class ListRequest(NamedTuple):
    """The paging parameters of a request for a collection."""

    collection: str
    max_results: int
    page_token: str
    sync_token: str


def render_page(
    call: Call,
    kind: str,
    asked: ListRequest,
    rows: Sequence[R],
    id_of: Callable[[R], str],
    show: Callable[[R], dict[str, Any]],
) -> dict[str, Any]:
    """Return a page of rows sorted by id, or of those changed since the sync token.

    Its keys are `kind`, `etag`, `items` and either `nextPageToken` or `nextSyncToken`.
    """
    last = find_latest_change(call.db, asked.collection)
    if asked.sync_token:
        changed = changed_since(call.db, asked.collection, read_sync_token(asked.collection, asked.sync_token, last))
        rows = [row for row in rows if id_of(row) in changed]
    after = _place_in(asked) if asked.page_token else ""
    rest = sorted((row for row in rows if id_of(row) > after), key=id_of)
    limit = min(asked.max_results, MAX_PAGE_ITEMS)
    page, more = rest[:limit], rest[limit:]
    answer: dict[str, Any] = {"kind": kind, "etag": etag_for(last), "items": [show(row) for row in page]}
    if more:
        return {**answer, "nextPageToken": encode_cursor("list", f"{asked.collection} {id_of(page[-1])}")}
    return {**answer, "nextSyncToken": sync_token(asked.collection, last)}


def _place_in(asked: ListRequest) -> str:
    text = decode_cursor("list", asked.page_token, InvalidPageToken)
    if not text.startswith(f"{asked.collection} "):
        raise InvalidPageToken
    return text.removeprefix(f"{asked.collection} ")
