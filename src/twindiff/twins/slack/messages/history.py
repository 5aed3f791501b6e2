"""History of conversations: messages newest first, and threads.

https://docs.slack.dev/reference/methods?family=conversations
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from twindiff.kit import ApiError, Call, Column, Operations, Store
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.rows import Expression

from ..core.access import readable_channel, team_of
from ..core.arguments import ts_in
from ..core.errors import InvalidCursor, InvalidLimit, InvalidTsLatest, InvalidTsOldest, ThreadNotFound
from ..core.tables import Channel, Message, Pin
from ..rendering.call_blocks import fill_calls
from ..rendering.message_relations import Thread, load_relations, threads_in, threads_of
from ..rendering.message_views import listed_message, tombstone
from .chat import BROADCAST

api = Operations()

Limit = Annotated[int, Meta(ge=1), InvalidLimit]
Instant = str | int | float

_MAX_HISTORY_PAGE_MESSAGES = 999
_MAX_THREAD_PAGE_MESSAGES = 1000
_CURSOR = "next_ts"
_NEWEST_FIRST = -Message.message_id
_EPOCH = "0000000000.000000"
"""The `ts` of 1970, which is the default of `oldest`."""


class Window(NamedTuple):
    """The requested time range of a conversation, as values of `ts`."""

    oldest: str | None
    latest: str | None
    inclusive: bool

    def of(self, ts: Column[Any]) -> list[Expression]:
        conditions: list[Expression] = []
        if self.oldest:
            conditions.append(ts >= self.oldest if self.inclusive else ts > self.oldest)
        if self.latest:
            conditions.append(ts <= self.latest if self.inclusive else ts < self.latest)
        return conditions


class HistoryPage(NamedTuple):
    """Messages by `ts` in the order of the list, with the threads that they start.

    None stands for a deleted message that still has replies.
    """

    messages: dict[str, Message | None]
    threads: dict[str, Thread]

    def split(self, size: int) -> tuple[HistoryPage, list[str]]:
        """Return the first `size` messages, and the `ts` of the remaining ones."""
        order = list(self.messages)
        return self._replace(messages={ts: self.messages[ts] for ts in order[:size]}), order[size:]


def _window(oldest: Instant, latest: Instant, inclusive: bool) -> Window:
    return Window(_bound(oldest, InvalidTsOldest), _bound(latest, InvalidTsLatest), inclusive)


def _bound(given: Instant, invalid: type[ApiError]) -> str | None:
    if given == "":
        return None
    ts = ts_in(given)
    if ts is None:
        raise invalid
    return ts


@api.method("conversations.history", reads=True, scope="channels:history")
def history(
    call: Call,
    channel: str,
    limit: Limit = 100,
    cursor: str = "",
    oldest: Instant = "",
    latest: Instant = "",
    inclusive: bool = False,
    include_all_metadata: bool = False,
) -> dict[str, Any]:
    """List the messages of a conversation, newest first; of replies, only those also sent to the channel.

    With `oldest` alone the first page has the messages next to it, and later pages go on to the newest; 0 is the
    default, and as if it was not given.

    https://docs.slack.dev/reference/methods/conversations.history
    """
    room = readable_channel(call, channel)
    window, size = _window(oldest, latest, inclusive), min(limit, _MAX_HISTORY_PAGE_MESSAGES)
    start = decode_cursor(_CURSOR, cursor, InvalidCursor) if cursor else None
    forward = (window.oldest or _EPOCH) > _EPOCH and not window.latest
    page, rest = _nearest(call, room, window, start, size + 1, forward=forward).split(size)
    page = page._replace(messages={ts: page.messages[ts] for ts in sorted(page.messages, reverse=True)})
    shown = _render_messages(call, room, page, include_all_metadata)
    bounds = {name: str(given) for name, given in (("oldest", oldest), ("latest", latest)) if given != ""}
    pins = call.db.count(Pin, Pin.channel_id == room.channel_id)
    counts = {"pin_count": pins, "channel_actions_ts": None, "channel_actions_count": 0}
    return {"messages": shown, **(_more(rest) if rest else {"has_more": False}), **counts, **bounds}


def _nearest(call: Call, room: Channel, window: Window, start: str | None, count: int, *, forward: bool) -> HistoryPage:
    """Return up to `count` messages: the newest first, or with `forward` the oldest."""

    here = _in_window(room, window, start, Message.message_id, forward=forward)

    def nearest(*where: Expression) -> list[Message]:
        order = Message.message_id if forward else _NEWEST_FIRST
        return call.db.rows(Message, *here, *where, order=order, limit=count)

    roots = nearest(Message.parent_id.is_null())
    broadcasts = nearest(Message.subtype == BROADCAST)
    of_threads = [*_in_window(room, window, start, Message.parent_id, forward=forward), Message.parent_id > ""]
    if len(roots) == count:  # the last one only shows that there is a next page, so its thread is not loaded
        last = roots[-1].message_id
        of_threads.append(Message.parent_id < last if forward else Message.parent_id > last)
    threads = threads_in(call.db, *of_threads)
    messages: dict[str, Message | None] = {message.message_id: message for message in (*roots, *broadcasts)}
    messages.update(dict.fromkeys(_find_deleted_messages(call.db, threads.keys() - messages.keys())))
    return HistoryPage({ts: messages[ts] for ts in sorted(messages, reverse=not forward)[:count]}, threads)


def _in_window(room: Channel, window: Window, start: str | None, ts: Column[Any], *, forward: bool) -> list[Expression]:
    conditions = [Message.channel_id == room.channel_id, *window.of(ts)]
    return [*conditions, ts >= start if forward else ts <= start] if start else conditions


def _find_deleted_messages(db: Store, ids: AbstractSet[str]) -> AbstractSet[str]:
    """Return those of the ids whose messages no longer exist."""
    if not ids:
        return ids
    left = db.rows(Message, Message.message_id.in_(ids), columns=(Message.message_id,))
    return ids - {ts for (ts,) in left}


def _render_messages(call: Call, room: Channel, part: HistoryPage, metadata: bool) -> list[dict[str, Any]]:
    """Render messages for a list, with their threads and reactions."""
    team_id, threads = team_of(call.db, room), part.threads
    related = load_relations(call, [message for message in part.messages.values() if message], threads)
    shown = [
        listed_message(message, team_id, related, metadata=metadata) if message else tombstone(ts, team_id, threads[ts])
        for ts, message in part.messages.items()
    ]
    _add_roots(call, team_id, shown)
    fill_calls(call, shown)
    return shown


def _add_roots(call: Call, team_id: str, shown: list[dict[str, Any]]) -> None:
    """Add the thread's first message as `root` to replies that were also sent to the channel.

    https://docs.slack.dev/reference/events/message/thread_broadcast
    """
    sent = [each for each in shown if each.get("subtype") == BROADCAST]
    roots = call.db.rows(Message, Message.message_id.in_([each["thread_ts"] for each in sent])) if sent else []
    related = load_relations(call, roots)
    by_ts = {root.message_id: listed_message(root, team_id, related) for root in roots}
    for each in sent:
        if each["thread_ts"] in by_ts:
            each["root"] = by_ts[each["thread_ts"]]


def _more(rest: list[str]) -> dict[str, Any]:
    """Return whether there is a next page, and its cursor: the `ts` of its first message."""
    next_cursor = encode_cursor(_CURSOR, rest[0]) if rest else ""
    return {"has_more": bool(rest), "response_metadata": {"next_cursor": next_cursor}}


@api.method("conversations.replies", reads=True, scope="channels:history")
def replies(
    call: Call,
    channel: str,
    ts: str,
    limit: Limit = _MAX_THREAD_PAGE_MESSAGES,
    cursor: str = "",
    oldest: Instant = "",
    latest: Instant = "",
    inclusive: bool = False,
    include_all_metadata: bool = False,
) -> dict[str, Any]:
    """List a thread, oldest first, given its first message. Every page begins with the root, as Slack's do.

    Given a reply, the answer is that reply alone. https://github.com/slackapi/bolt-python/issues/783

    https://docs.slack.dev/reference/methods/conversations.replies
    """
    room = readable_channel(call, channel)
    window, size = _window(oldest, latest, inclusive), min(limit, _MAX_THREAD_PAGE_MESSAGES)
    start = decode_cursor(_CURSOR, cursor, InvalidCursor) if cursor else None
    root_ts, root = _root(call, room, ts)
    if root and root.parent_id:
        alone = HistoryPage({root_ts: root}, {})
        return {"messages": _render_messages(call, room, alone, include_all_metadata), **_more([])}
    # With a limit of 1, the first page is the root alone; later pages still need one reply each to advance.
    wanted = max(size - 1, 1 if start else 0)
    conditions = [Message.parent_id == root_ts, Message.channel_id == room.channel_id, *window.of(Message.message_id)]
    if start:
        conditions.append(Message.message_id >= start)
    rows = call.db.rows(Message, *conditions, order=Message.message_id, limit=wanted + 1)
    thread: dict[str, Message | None] = {root_ts: root, **{reply.message_id: reply for reply in rows}}
    page, rest = HistoryPage(thread, threads_of(call.db, [root_ts])).split(wanted + 1)
    return {"messages": _render_messages(call, room, page, include_all_metadata), **_more(rest)}


def _root(call: Call, room: Channel, ts: str) -> tuple[str, Message | None]:
    """Return `ts` and row of a message of a thread; the row is None for a deleted one that has replies."""
    here = Message.channel_id == room.channel_id
    message = call.db.find(Message, Message.message_id == ts, here)
    if message is None and not call.db.find(Message, Message.parent_id == ts, here):
        raise ThreadNotFound
    return ts, message
