"""Validation and rendering of cells in lists.

https://docs.slack.dev/reference/methods/slackLists.items.create#field-types
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any, cast

import msgspec

from twindiff.kit import Call

from ..core.access import find_channel, is_visible
from ..core.arguments import is_ts, objects_in
from ..core.errors import ChannelNotFound, InvalidBlocks, UserNotFound
from ..core.file_access import visible_file
from ..core.list_tables import ListCell, ListColumn
from ..core.tables import Canvas, Message, User
from ..messages.blocks import problems
from ..rendering.block_text import text_of_blocks
from ..rendering.message_views import block_objects
from .list_columns import COMPUTED, key_of, options_of
from .list_errors import (
    InvalidDate,
    InvalidEmail,
    InvalidInputType,
    InvalidMessage,
    InvalidMessageLink,
    InvalidOptionId,
    InvalidPhoneNumber,
    InvalidVoteValue,
    OverCellFieldsLimit,
    UneditableColumn,
)

Check = Callable[[Call, ListColumn, list[Any]], list[Any]]
"""Returns the values in their stored form; raises the API's error for invalid ones."""

_MAX_VALUES = 50
_MAX_ATTACHMENTS = 10
_ONE_ONLY = ("single_select", "single_entity")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE = re.compile(r"\+?[\d\s().x-]{3,40}")
_MESSAGE = re.compile(r"https://[^/]+/archives/(\w+)/p(\d{10})(\d{6})(?:\?thread_ts=([\d.]+).*)?")


class Link(msgspec.Struct):
    original_url: str
    display_as_url: bool = False
    display_name: str = ""


def value_of(call: Call, column: ListColumn, given: dict[str, Any]) -> list[Any]:
    """Return the checked values of a cell, in stored form; an empty list if the cell is emptied.

    Raises UneditableColumn, InvalidInputType, OverCellFieldsLimit or the error of the column's type.
    """
    if column.column_type in COMPUTED:
        raise UneditableColumn
    key = key_of(column)
    if key == "vote":
        raise InvalidVoteValue
    named = "timestamp" if key == "date" and "timestamp" in given else key
    if named not in given:
        raise InvalidInputType
    values = _values(given[named])
    if len(values) > _most(column, key):
        raise OverCellFieldsLimit
    return [_day_of(each) for each in values] if named == "timestamp" else _CHECKS[key](call, column, values)


def _values(given: Any) -> list[Any]:
    if isinstance(given, bool):  # The API takes a checkbox as a plain boolean, all other types as a list.
        return [given]
    if not isinstance(given, list):
        raise InvalidInputType
    return cast(list[Any], given)


def _most(column: ListColumn, key: str) -> int:
    if key in ("checkbox", "rating", "date", "number") or options_of(column).format in _ONE_ONLY:
        return 1
    return _MAX_ATTACHMENTS if key == "attachment" else _MAX_VALUES


def _day_of(given: Any) -> str:
    if not isinstance(given, int) or isinstance(given, bool):
        raise InvalidInputType
    try:
        return datetime.fromtimestamp(given, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InvalidDate from None


def _texts(values: list[Any]) -> list[str]:
    if not all(isinstance(each, str) for each in values):
        raise InvalidInputType
    return values


def _rich_text(_call: Call, column: ListColumn, values: list[Any]) -> list[Any]:
    wrong = list(problems(values, "/rich_text"))
    if wrong or any(each.get("type") != "rich_text" for each in values):
        raise InvalidBlocks(errors=wrong, response_metadata={"messages": [f"[ERROR] {each}" for each in wrong]})
    return block_objects(values, column.column_id)


def _options(_call: Call, column: ListColumn, values: list[Any]) -> list[Any]:
    choices = {choice.value for choice in options_of(column).choices}
    if any(each not in choices for each in _texts(values)):
        raise InvalidOptionId
    return values


def _dates(_call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    for each in _texts(values):
        try:
            same = date.fromisoformat(each).isoformat() == each
        except ValueError:
            same = False
        if not same:
            raise InvalidDate
    return values


def _users(call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    ids = list(dict.fromkeys(_texts(values)))
    if call.db.count(User, User.user_id.in_(ids)) < len(ids):
        raise UserNotFound
    return ids


def _channels(call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    for each in _texts(values):
        room = find_channel(call.db, each)
        if room is None or room.channel_id != each or not is_visible(call, room):
            raise ChannelNotFound
    return values


def _attachments(call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    for each in _texts(values):
        visible_file(call, each)
    return values


def _checkbox(_call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    if not all(isinstance(each, bool) for each in values):
        raise InvalidInputType
    return values


def _numbers(_call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
        raise InvalidInputType
    return values


def _rating(call: Call, column: ListColumn, values: list[Any]) -> list[Any]:
    numbers = _numbers(call, column, values)
    if not all(isinstance(each, int) and 0 <= each <= options_of(column).max for each in numbers):
        raise InvalidInputType
    return numbers


def _matching(pattern: re.Pattern[str], error: type[Exception]) -> Check:
    def check(_call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
        if not all(pattern.fullmatch(each) for each in _texts(values)):
            raise error
        return values

    return check


def _links(_call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    try:
        return msgspec.to_builtins(msgspec.convert(values, list[Link]))
    except msgspec.ValidationError:
        raise InvalidInputType from None


def _messages(call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    for each in _texts(values):
        place = _place(each)
        if place is None:
            raise InvalidMessageLink
        room = find_channel(call.db, place["channel_id"])
        here = (Message.channel_id == place["channel_id"], Message.message_id == place["ts"])
        if room is None or not is_visible(call, room) or not call.db.find(Message, *here):
            raise InvalidMessage
    return values


def _place(link: str) -> dict[str, str] | None:
    """Parse a message's permalink to `channel_id`, `ts` and maybe `thread_ts`; None if it is none."""
    match = _MESSAGE.fullmatch(link)
    if match is None:
        return None
    channel, seconds, micros, thread = match.groups()
    place = {"channel_id": channel, "ts": f"{seconds}.{micros}"}
    return {**place, "thread_ts": thread} if thread and is_ts(thread) else place


def _references(call: Call, _column: ListColumn, values: list[Any]) -> list[Any]:
    for each in values:
        file_id = _file_of(each)
        if file_id is None:
            raise InvalidInputType
        if not call.db.find(Canvas, Canvas.canvas_id == file_id):
            visible_file(call, file_id)
    return values


def _file_of(reference: Any) -> str | None:
    try:
        return msgspec.convert(reference, dict[str, dict[str, str]])["file"]["file_id"]
    except (msgspec.ValidationError, KeyError):
        return None


_CHECKS: dict[str, Check] = {
    "rich_text": _rich_text,
    "message": _messages,
    "number": _numbers,
    "select": _options,
    "date": _dates,
    "user": _users,
    "attachment": _attachments,
    "checkbox": _checkbox,
    "email": _matching(_EMAIL, InvalidEmail),
    "phone": _matching(_PHONE, InvalidPhoneNumber),
    "channel": _channels,
    "rating": _rating,
    "reference": _references,
    "link": _links,
}


def text_of(column: ListColumn, values: Sequence[Any]) -> str:
    """Return the text of a cell for display."""
    key = key_of(column)
    if key == "rich_text":
        return text_of_blocks(values)
    if key == "link":
        return ", ".join(each["display_name"] or each["original_url"] for each in values)
    if key == "reference":
        return ", ".join(_file_of(each) or "" for each in values)
    return ", ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in values)


def field_object(column: ListColumn, cell: ListCell) -> dict[str, Any]:
    """Return a cell in Slack's form: its values under the key of the column's type, and one value as `value`."""
    key, value = key_of(column), cell.value
    values = cast(list[Any], value) if isinstance(value, list) else [value]
    shown: dict[str, Any] = {"key": column.column_key, "value": cell.text, key: values, "column_id": column.column_id}
    if key == "rich_text":
        return {**shown, "value": msgspec.json.encode(values).decode(), "text": cell.text}
    if key in ("checkbox", "number", "rating"):
        shown["value"] = values[0] if values else None
    if key == "checkbox":
        return {**shown, key: shown["value"]}
    if key == "date":
        return {**shown, "timestamp": [-1]}
    if key == "link":
        return {**shown, key: [_link_object(each) for each in objects_in(values)]}
    if key == "message":
        return {**shown, key: [{"value": each, **(_place(each) or {})} for each in map(str, values)]}
    return shown


def _link_object(link: dict[str, Any]) -> dict[str, Any]:
    return {
        "originalUrl": link.get("original_url", ""),
        "attachment": None,
        "displayAsUrl": link.get("display_as_url", False),
        "displayName": link.get("display_name", ""),
    }
