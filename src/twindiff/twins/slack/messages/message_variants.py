"""Other kinds of messages: ephemeral messages, `/me` messages and link unfurls.

https://docs.slack.dev/reference/methods?family=chat
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Call, Operations

from ..core.access import is_member, visible_channel, writable_channel
from ..core.errors import (
    CannotFindChannel,
    CannotFindMessage,
    CannotUnfurlUrl,
    ChannelNotFound,
    InvalidThreadTs,
    InvalidUnfurlsFormat,
    IsArchived,
    MessageNotFound,
    MissingChannel,
    MissingTs,
    MissingUnfurls,
    NotInChannel,
    UserNotInChannel,
)
from ..core.tables import Channel, EphemeralMessage, Message
from ..rendering.call_blocks import check_calls, record_posted_calls
from ..rendering.message_views import message_event
from .chat import add_message, find_message, thread_root
from .message_content import Attachments, Blocks, check_attachments, content_of

api = Operations()

Unfurls = Annotated[dict[str, Any], InvalidUnfurlsFormat]


@api.method("chat.postEphemeral", scope="chat:write")
def post_ephemeral(
    call: Call,
    channel: str,
    user: str,
    text: str = "",
    blocks: Blocks | None = None,
    attachments: Attachments | None = None,
    markdown_text: str = "",
    thread_ts: Annotated[str, InvalidThreadTs] | None = None,
) -> dict[str, Any]:
    """Show a message to one member of a channel; it is in no list of messages.

    https://docs.slack.dev/reference/methods/chat.postEphemeral
    """
    room = visible_channel(call, channel, by_name=True)
    if room.is_archived:
        raise IsArchived
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    if not is_member(call.db, room, user):
        raise UserNotInChannel
    content = content_of(text, blocks, attachments, markdown_text, None)
    check_calls(call, content.blocks)
    shown = EphemeralMessage(
        message_id=call.ids.ts(),
        channel_id=room.channel_id,
        user_id=call.actor,
        recipient_id=user,
        message_text=content.text or "",
        blocks=content.blocks or None,
        parent_id=thread_root(call.db, room, thread_ts) if thread_ts else None,
        created_at=call.clock.iso(),
    )
    call.db.add(shown)
    return {"message_ts": shown.message_id}


@api.method("chat.meMessage", scope="chat:write")
def me_message(call: Call, channel: str, text: str = "") -> dict[str, Any]:
    """Send a `/me` message to a channel.

    https://docs.slack.dev/reference/methods/chat.meMessage
    """
    room = writable_channel(call, channel, by_name=True)
    message = add_message(call, room, content_of(text, None, None, "", None), None, subtype="me_message")
    call.emit("message", message_event(room, message))
    return {"channel": room.channel_id, "ts": message.message_id}


@api.method("chat.unfurl", scope="links:write")
def unfurl(
    call: Call,
    channel: str = "",
    ts: str = "",
    unfurls: Unfurls | None = None,
    user_auth_required: bool = False,
    user_auth_message: str = "",
    user_auth_url: str = "",
    user_auth_blocks: Blocks | None = None,
) -> dict[str, Any]:
    """Add an attachment to a message for each of the given links in it; a request to sign in needs no links.

    https://docs.slack.dev/reference/methods/chat.unfurl
    """
    asks_to_sign_in = user_auth_required or user_auth_message or user_auth_url or user_auth_blocks
    needed = () if asks_to_sign_in else ((unfurls, MissingUnfurls),)
    for given, missing in ((channel, MissingChannel), (ts, MissingTs), *needed):
        if not given:
            raise missing
    room, message = _find_unfurled(call, channel, ts)
    unfurls = unfurls or {}
    said = message.message_text or ""
    if any(link not in said for link in unfurls):
        raise CannotUnfurlUrl
    shown = [{**_attachment(attachment), "from_url": link} for link, attachment in unfurls.items()]
    record_posted_calls(call, room, *(each.get("blocks") for each in shown))
    call.db.change(message, attachments=check_attachments([*(message.attachments or []), *shown]))
    return {}


def _find_unfurled(call: Call, channel: str, ts: str) -> tuple[Channel, Message]:
    try:
        room = visible_channel(call, channel)
        return room, find_message(call.db, room, ts)
    except ChannelNotFound:
        raise CannotFindChannel from None
    except MessageNotFound:
        raise CannotFindMessage from None


def _attachment(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise MissingUnfurls
    return dict[str, Any](given)  # pyright: ignore[reportUnknownArgumentType] - JSON's edge
