"""Inspector views of a workspace: channels with their messages, and threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from twindiff.kit import Call
from twindiff.kit.clock import SECOND, Clock
from twindiff.kit.inspector_views import Screen, ScreenLink, ScreenPost
from twindiff.kit.store import Store

from .core.tables import Channel, Message, MessageReaction, User

SHOWN = 100
"""The most messages in a view."""


def screen(call: Call, path: str) -> Screen | None:
    """Return the view at a path, or None.

    Paths are `channels/ID` and `channels/ID/threads/TS`; the empty path shows the first channel.
    """
    db = call.db
    channels = db.rows(Channel, order=Channel.channel_name, limit=500)
    if not path:
        return _channel(db, channels, channels[0]) if channels else Screen("No channels")
    parts = path.split("/")
    channel = next((each for each in channels if parts[:2] == ["channels", each.channel_id]), None)
    if channel is None or len(parts) not in (2, 4):
        return None
    return _channel(db, channels, channel) if len(parts) == 2 else _thread(db, channels, channel, parts[3])


def _places(channels: Sequence[Channel]) -> list[tuple[str, list[ScreenLink]]]:
    rooms = [ScreenLink(f"#{each.channel_name}", _path(each), _kind(each)) for each in channels if not _is_direct(each)]
    direct = [ScreenLink(each.channel_name, _path(each)) for each in channels if _is_direct(each)]
    return [(heading, links) for heading, links in (("Channels", rooms), ("Direct messages", direct)) if links]


def _path(channel: Channel) -> str:
    return f"channels/{channel.channel_id}"


def _is_direct(channel: Channel) -> bool:
    return channel.is_dm or channel.is_gc


def _kind(channel: Channel) -> str:
    return "archived" if channel.is_archived else "private" if channel.is_private else ""


def _channel(db: Store, channels: Sequence[Channel], channel: Channel) -> Screen:
    mine = Message.channel_id == channel.channel_id
    messages = db.rows(Message, mine, Message.parent_id.is_null(), order=-Message.message_id, limit=SHOWN)
    earlier = db.count(Message, mine, Message.parent_id.is_null()) - len(messages)
    return Screen(
        title=channel.channel_name if _is_direct(channel) else f"#{channel.channel_name}",
        subtitle=channel.topic_text or "",
        places=_places(channels),
        entries=_entries(db, channel, messages[::-1], with_threads=True),
        note=f"{earlier:,} earlier messages are left out." if earlier else "",
    )


def _thread(db: Store, channels: Sequence[Channel], channel: Channel, ts: str) -> Screen | None:
    parent = db.find(Message, Message.message_id == ts, Message.channel_id == channel.channel_id)
    if parent is None:
        return None
    replies = db.rows(Message, Message.parent_id == ts, order=Message.message_id, limit=SHOWN)
    return Screen(
        title=f"Thread in #{channel.channel_name}",
        places=_places(channels),
        entries=_entries(db, channel, [parent, *replies], with_threads=False),
    )


def _entries(db: Store, channel: Channel, messages: Sequence[Message], *, with_threads: bool) -> list[ScreenPost]:
    ids = [each.message_id for each in messages]
    replies = Counter(db.rows(Message, Message.parent_id.in_(ids), columns=(Message.parent_id,)))
    reactions = db.rows(MessageReaction, MessageReaction.message_id.in_(ids), order=MessageReaction.created_at)
    names = _names(db, [each.user_id for each in messages])
    entries: list[ScreenPost] = []
    for each in messages:
        given = Counter(reaction.reaction_type for reaction in reactions if reaction.message_id == each.message_id)
        count = replies[(each.message_id,)]
        link = ScreenLink(
            f"{count} {'reply' if count == 1 else 'replies'}", f"{_path(channel)}/threads/{each.message_id}"
        )
        entries.append(
            ScreenPost(
                author=names.get(each.user_id, each.user_id),
                at=each.created_at or Clock(round(float(each.message_id) * SECOND)).iso(),
                text=each.message_text or "",
                notes=[f":{name}: {times}" for name, times in given.items()] + (["edited"] if each.edited_at else []),
                link=link if count and with_threads else None,
            )
        )
    return entries


def _names(db: Store, ids: Sequence[str]) -> dict[str, str]:
    users = db.rows(User, User.user_id.in_({*ids}))
    return {each.user_id: each.display_name or each.real_name or each.username for each in users}
