"""Calls in messages: `call` blocks, which show the current state of a call.

https://docs.slack.dev/apis/web-api/using-the-calls-api#post_to_channel
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from twindiff.kit import Call

from ..core.arguments import objects_in
from ..core.call_tables import CallChannel, CallParticipant, PlatformCall
from ..core.errors import InvalidBlocks
from ..core.tables import Channel

Shown = dict[str, Any]


def check_calls(call: Call, *laid_out: Any) -> set[str]:
    """Return the ids of calls in these lists of blocks; raises InvalidBlocks for an unknown call."""
    ids = set(_ids_in(laid_out))
    if not ids:
        return ids
    known = {each.call_id for each in call.db.rows(PlatformCall, PlatformCall.call_id.in_(list(ids)))}
    if missing := sorted(ids - known):
        raise InvalidBlocks(response_metadata={"messages": [f"[ERROR] there is no call {each}" for each in missing]})
    return ids


def record_posted_calls(call: Call, room: Channel, *laid_out: Any) -> None:
    """Record that the calls in these blocks were posted to a conversation; raises InvalidBlocks for an unknown call."""
    ids = check_calls(call, *laid_out) if any(laid_out) else None
    if not ids:
        return
    there = call.db.rows(CallChannel, CallChannel.channel_id == room.channel_id, CallChannel.call_id.in_(list(ids)))
    for call_id in sorted(ids - {each.call_id for each in there}):
        call.db.add(CallChannel(call_id=call_id, channel_id=room.channel_id))


def fill_calls(call: Call, messages: Sequence[Shown]) -> None:
    """Add the current state of calls to the `call` blocks of rendered messages and their attachments, in place."""
    laid_out = [message for message in messages if "blocks" in message or "attachments" in message]
    ids = set(_ids_in(part.get("blocks") for message in laid_out for part in (message, *_attachments(message))))
    if not ids:
        return
    calls = {each["id"]: _v1(each) for each in call_objects(call, sorted(ids))}
    for message in messages:
        message.update(_fill_call_blocks(message, calls))
        if attachments := _attachments(message):
            message["attachments"] = [_fill_call_blocks(each, calls) for each in attachments]


def _attachments(message: Shown) -> list[Shown]:
    return objects_in(message.get("attachments"))


def _fill_call_blocks(part: Shown, calls: dict[str, Shown]) -> Shown:
    """Return a message or an attachment with the state of calls in its `call` blocks."""
    blocks = objects_in(part.get("blocks"))
    return {**part, "blocks": [_with_call(block, calls) for block in blocks]} if blocks else part


def _with_call(block: Shown, calls: dict[str, Shown]) -> Shown:
    shown = calls.get(str(block.get("call_id"))) if block.get("type") == "call" else None
    if shown is None:
        return block
    about = {"v1": shown, "media_backend_type": "platform_call"}
    return {**block, "api_decoration_available": False, "call": about}


def _ids_in(laid_out: Iterable[Any]) -> Iterator[str]:
    """Yield the ids of calls in lists of blocks."""
    for blocks in laid_out:
        for block in objects_in(blocks):
            if block.get("type") == "call":
                yield str(block.get("call_id"))


def call_objects(call: Call, ids: Sequence[str]) -> list[Shown]:
    """Return calls in Slack's form, with their participants and the conversations they were posted to."""
    participants: dict[str, list[CallParticipant]] = {}
    order = (CallParticipant.position, CallParticipant.participant_id)
    for each in call.db.rows(CallParticipant, CallParticipant.call_id.in_(list(ids)), order=order):
        participants.setdefault(each.call_id, []).append(each)
    channels: dict[str, list[str]] = {}
    for post in call.db.rows(CallChannel, CallChannel.call_id.in_(list(ids))):
        channels.setdefault(post.call_id, []).append(post.channel_id)
    platform_calls = call.db.rows(PlatformCall, PlatformCall.call_id.in_(list(ids)))
    return [
        _object(each, participants.get(each.call_id, []), channels.get(each.call_id, [])) for each in platform_calls
    ]


def _object(platform_call: PlatformCall, participants: Sequence[CallParticipant], channels: list[str]) -> Shown:
    shown: Shown = {
        "id": platform_call.call_id,
        "date_start": platform_call.date_start,
        "external_unique_id": platform_call.external_unique_id,
        "join_url": platform_call.join_url,
        "desktop_app_join_url": platform_call.desktop_app_join_url,
        "external_display_id": platform_call.external_display_id,
        "title": platform_call.title,
        "date_end": platform_call.date_end,
    }
    users = [_participant(each) for each in participants]
    known = {name: value for name, value in shown.items() if value is not None}
    return {**known, "users": users, **({"channels": channels} if channels else {})}


def _participant(participant: CallParticipant) -> Shown:
    shown = {
        "slack_id": participant.user_id,
        "external_id": participant.external_id,
        "display_name": participant.display_name,
        "avatar_url": participant.avatar_url,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _v1(shown: Shown) -> Shown:
    """Return a call in the form of the `call` block."""
    return {
        "id": shown["id"],
        "name": shown.get("title", ""),
        "date_start": shown["date_start"],
        "date_end": shown.get("date_end", 0),
        "display_id": shown.get("external_display_id", ""),
        "join_url": shown["join_url"],
        "desktop_app_join_url": shown.get("desktop_app_join_url", ""),
        "active_participants": [] if "date_end" in shown else shown["users"],
        "all_participants": shown["users"],
        "channels": shown.get("channels", []),
        "has_ended": "date_end" in shown,
        "is_dm_call": False,
        "was_rejected": False,
        "was_missed": False,
        "was_accepted": False,
    }
