"""Streamed messages, such as replies of assistants.

https://docs.slack.dev/reference/methods/chat.startStream
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from twindiff.kit import Call, Operations, revise

from ..core.access import team_of, writable_channel
from ..core.errors import InvalidThreadTs, MsgTooLong, UserNotFound
from ..core.people import acting_bot
from ..core.tables import Channel, Message, MessageStream, User
from ..core.text_limits import MAX_MESSAGE_CHARACTERS
from ..rendering.message_views import posted_message
from .assistant_threads import clear_status
from .blocks import check_blocks
from .chat import add_message, find_message, persona_of, thread_root
from .message_content import Blocks, Content, Metadata, metadata_of
from .stream_errors import (
    CannotProvideBothMarkdownTextAndChunks,
    InvalidChunks,
    MessageNotInStreamingState,
    MessageNotOwnedByApp,
    MissingRecipientTeamId,
    MissingRecipientUserId,
    StreamingModeMismatch,
)

api = Operations()

Chunks = Annotated[list[dict[str, Any]], InvalidChunks]


@api.method("chat.startStream", scope="chat:write")
def start_stream(
    call: Call,
    channel: str,
    thread_ts: Annotated[str, InvalidThreadTs] | None = None,
    markdown_text: str = "",
    chunks: Chunks | None = None,
    recipient_user_id: str = "",
    recipient_team_id: str = "",
    task_display_mode: Literal["timeline", "plan", "dense"] = "timeline",
    username: str = "",
    icon_emoji: str = "",
    icon_url: str = "",
) -> dict[str, Any]:
    """Start a streamed message.

    https://docs.slack.dev/reference/methods/chat.startStream
    """
    room = writable_channel(call, channel)
    _check_recipient(call, room, recipient_user_id, recipient_team_id)
    persona = persona_of(call, acting_bot(call), username, icon_emoji, icon_url)
    root = None if thread_ts is None else thread_root(call.db, room, thread_ts)
    if thread_ts is not None and root is None:
        raise InvalidThreadTs
    _check_parts(markdown_text, chunks)
    message = add_message(call, room, Content("", None, None, None), root, persona=persona)
    mode = "chunks" if chunks else "markdown_text" if markdown_text else ""
    call.db.add(MessageStream(message_id=message.message_id, mode=mode))
    _extend(call, message, markdown_text, chunks)
    return {"channel": room.channel_id, "ts": message.message_id}


@api.method("chat.appendStream", scope="chat:write")
def append_stream(
    call: Call, channel: str, ts: str, markdown_text: str = "", chunks: Chunks | None = None
) -> dict[str, Any]:
    """Append to a streamed message.

    https://docs.slack.dev/reference/methods/chat.appendStream
    """
    room, message, stream = _require_stream(call, channel, ts)
    _go_on(call, message, stream, markdown_text, chunks)
    return {"channel": room.channel_id, "ts": ts}


@api.method("chat.stopStream", scope="chat:write")
def stop_stream(
    call: Call,
    channel: str,
    ts: str,
    markdown_text: str = "",
    chunks: Chunks | None = None,
    blocks: Blocks | None = None,
    metadata: Metadata | None = None,
) -> dict[str, Any]:
    """Append the last part of a streamed message, and end the stream.

    https://docs.slack.dev/reference/methods/chat.stopStream
    """
    room, message, stream = _require_stream(call, channel, ts)
    message = _go_on(call, message, stream, markdown_text, chunks)
    check_blocks(blocks or [])
    shown_blocks = [*_blocks(message), *(blocks or [])] or None
    message = revise(call.db, message, blocks=shown_blocks, metadata=metadata_of(metadata) or message.metadata)
    call.db.remove(stream)
    if message.parent_id:
        clear_status(call, room, message.parent_id)
    shown = posted_message(message, team_of(call.db, room), bot=acting_bot(call))
    return {"channel": room.channel_id, "ts": ts, "message": shown}


def _check_recipient(call: Call, room: Channel, user: str, team: str) -> None:
    """Check the recipient of a stream, which is required outside of direct messages."""
    if user:
        call.db.get(User, user, missing=UserNotFound)
    if room.is_dm:
        return
    if not user:
        raise MissingRecipientUserId
    if not team:
        raise MissingRecipientTeamId


def _require_stream(call: Call, channel: str, ts: str) -> tuple[Channel, Message, MessageStream]:
    """Return the conversation, the message and the stream of a message that the caller is streaming.

    Raises MessageNotFound, MessageNotOwnedByApp or MessageNotInStreamingState.
    """
    room = writable_channel(call, channel)
    message = find_message(call.db, room, ts)
    if message.user_id != call.actor:
        raise MessageNotOwnedByApp
    return room, message, call.db.get(MessageStream, ts, missing=MessageNotInStreamingState)


def _check_parts(markdown_text: str, chunks: list[dict[str, Any]] | None) -> None:
    if markdown_text and chunks:
        raise CannotProvideBothMarkdownTextAndChunks


def _go_on(
    call: Call, message: Message, stream: MessageStream, markdown_text: str, chunks: list[dict[str, Any]] | None
) -> Message:
    _check_parts(markdown_text, chunks)
    mode = "chunks" if chunks else "markdown_text" if markdown_text else ""
    if mode and stream.mode and mode != stream.mode:
        raise StreamingModeMismatch
    if mode and not stream.mode:
        call.db.change(stream, mode=mode)
    return _extend(call, message, markdown_text, chunks)


def _extend(call: Call, message: Message, markdown_text: str, chunks: list[dict[str, Any]] | None) -> Message:
    """Append text, tasks and blocks to a message; raises MsgTooLong or InvalidChunks."""
    text, blocks = (message.message_text or "") + markdown_text, _blocks(message)
    for chunk in chunks or ():
        text += _take(chunk, blocks)
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise MsgTooLong
    return revise(call.db, message, message_text=text, blocks=blocks or None)


def _blocks(message: Message) -> list[dict[str, Any]]:
    return list(cast(list[dict[str, Any]], message.blocks or []))


def _take(chunk: dict[str, Any], blocks: list[dict[str, Any]]) -> str:
    """Add the blocks of a chunk to `blocks`, and return its text; raises InvalidChunks."""
    kind = chunk.get("type")
    if kind == "markdown_text" and isinstance(chunk.get("text"), str):
        return chunk["text"]
    if kind == "task_update" and isinstance(chunk.get("id"), str) and isinstance(chunk.get("title"), str):
        named = {"task_id": chunk["id"], **{name: chunk[name] for name in ("title", "status") if name in chunk}}
        _put(blocks, "task_id", {"type": "task_card", **named})
    elif kind == "plan_update" and isinstance(chunk.get("title"), str):
        _put(blocks, "type", {"type": "plan", "title": chunk["title"]})
    elif kind == "blocks" and isinstance(chunk.get("blocks"), list):
        given = cast(list[dict[str, Any]], chunk["blocks"])
        check_blocks(given)
        blocks += given
    else:
        raise InvalidChunks
    return ""


def _put(blocks: list[dict[str, Any]], by: str, block: dict[str, Any]) -> None:
    """Add a block, or merge it into the block of the same type with the same value of the property `by`."""
    for at, there in enumerate(blocks):
        if there["type"] == block["type"] and there.get(by) == block.get(by):
            blocks[at] = {**there, **block}
            return
    blocks.append(block)
