"""File requests: pages on which others upload to a folder.

https://www.dropbox.com/developers/documentation/http/documentation#file_requests-create
"""

from __future__ import annotations

from typing import Annotated, Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.twin import Operations

from .entries import Shown, look_for, show_time
from .tables import DropboxFileRequest
from .wire_style import DropboxError

api = Operations(prefix="/2/file_requests")
MAX_LISTED = 1000
ID_LETTERS = 20
Title = Annotated[str, msgspec.Meta(min_length=1)]


class InvalidListCursor(DropboxError):
    """The cursor is not one of a list of file requests."""

    def __init__(self) -> None:
        super().__init__("invalid_cursor")


@api.post("/create")
def post_create(
    call: Call,
    title: Title,
    destination: str,
    deadline: dict[str, Any] | None = None,
    open: bool = True,
    description: str | None = None,
) -> Shown:
    """Create a file request; its folder need not exist yet."""
    request = DropboxFileRequest(
        id=call.ids.new("", ID_LETTERS),
        title=title,
        destination=_check_destination(call, destination),
        created=call.clock.iso(),
        is_open=open,
        description=description,
        deadline=deadline,
    )
    return _show(call.db.add(request))


def _check_destination(call: Call, path: str) -> str:
    if not path.startswith("/") or path == "/":
        raise DropboxError("validation_error")
    entry = look_for(call, path)
    if entry is not None and entry.tag == "file":
        raise DropboxError("not_a_folder")
    return path


def _show(request: DropboxFileRequest) -> Shown:
    shown: Shown = {
        "id": request.id,
        "url": f"https://www.dropbox.com/request/{request.id}",
        "title": request.title,
        "destination": request.destination,
        "created": show_time(request.created),
        "is_open": request.is_open,
        "file_count": request.file_count,
    }
    more = {"deadline": request.deadline, "description": request.description}
    return shown | {name: value for name, value in more.items() if value}


def _find(call: Call, id: str) -> DropboxFileRequest:
    request = call.db.find(DropboxFileRequest, DropboxFileRequest.id == id)
    if request is None:
        raise DropboxError("not_found")
    return request


@api.post("/get", reads=True)
def post_get(call: Call, id: str) -> Shown:
    """Return a file request."""
    return _show(_find(call, id))


@api.post("/update")
def post_update(
    call: Call,
    id: str,
    title: Title | None = None,
    destination: str | None = None,
    deadline: Any = None,
    open: bool | None = None,
    description: str | None = None,
) -> Shown:
    """Change a file request."""
    request = _find(call, id)
    given: Shown = {"title": title, "is_open": open, "description": description}
    given["destination"] = None if destination is None else _check_destination(call, destination)
    changed = {name: value for name, value in given.items() if value is not None}
    if isinstance(deadline, dict) and cast(Shown, deadline).get(".tag") == "update":
        told = cast(Shown, deadline)
        changed["deadline"] = {each: told[each] for each in ("deadline", "allow_late_uploads") if each in told} or None
    return _show(call.db.change(request, **changed))


@api.post("/list", reads=True)
def post_list(call: Call) -> Shown:
    """List the file requests, by the former endpoint."""
    return {"file_requests": [_show(each) for each in _list_all(call)]}


@api.post("/list_v2", reads=True)
def post_list_pages(call: Call, limit: Annotated[int, msgspec.Meta(ge=1)] = MAX_LISTED) -> Shown:
    """List the file requests."""
    return _list_from(call, 0, min(limit, MAX_LISTED))


@api.post("/list/continue", reads=True)
def post_list_continue(call: Call, cursor: str) -> Shown:
    """Go on with a list of file requests."""
    try:
        place = msgspec.json.decode(decode_cursor("requests", cursor, InvalidListCursor), type=tuple[int, int])
    except msgspec.DecodeError:
        raise InvalidListCursor from None
    return _list_from(call, max(0, place[0]), max(1, place[1]))


def _list_from(call: Call, offset: int, limit: int) -> Shown:
    rows = _list_all(call)
    end = min(offset + limit, len(rows))
    cursor = encode_cursor("requests", msgspec.json.encode((end, limit)).decode())
    return {
        "file_requests": [_show(each) for each in rows[offset:end]],
        "cursor": cursor,
        "has_more": end < len(rows),
    }


def _list_all(call: Call) -> list[DropboxFileRequest]:
    return call.db.rows(DropboxFileRequest, order=DropboxFileRequest.created)


@api.post("/count", reads=True)
def post_count(call: Call) -> Shown:
    """Return how many file requests there are."""
    return {"file_request_count": len(_list_all(call))}


@api.post("/delete")
def post_delete(call: Call, ids: list[str]) -> Shown:
    """Delete file requests, which must be closed."""
    requests = [_find(call, each) for each in ids]
    if any(each.is_open for each in requests):
        raise DropboxError("file_request_open")
    return _remove(call, requests)


@api.post("/delete_all_closed")
def post_delete_all_closed(call: Call) -> Shown:
    """Delete the file requests that are closed."""
    return _remove(call, [each for each in _list_all(call) if not each.is_open])


def _remove(call: Call, requests: list[DropboxFileRequest]) -> Shown:
    for each in requests:
        call.db.remove(each)
    return {"file_requests": [_show(each) for each in requests]}
