"""Rendering of conversations. Each method omits some fields, according to Slack's type definitions.

https://docs.slack.dev/reference/objects/conversation-object
"""

from __future__ import annotations

from typing import Any

from ..core.arguments import unix_of
from ..core.tables import Channel
from .entities import format_text

NEVER_READ = "0000000000.000000"

_OF_ORGANIZATIONS = ("is_global_shared", "is_org_default", "is_org_mandatory")

_LEFT_OUT: dict[str, tuple[str, ...]] = {
    "conversations.create": _OF_ORGANIZATIONS,
    "conversations.info": ("priority",),
    "conversations.invite": ("priority", *_OF_ORGANIZATIONS),
    "conversations.join": ("is_open", *_OF_ORGANIZATIONS),
    "conversations.list": ("is_open", "last_read"),
    "conversations.rename": ("priority", *_OF_ORGANIZATIONS),
    "conversations.setPurpose": ("internal_team_ids", "is_moved", "is_open", "priority", *_OF_ORGANIZATIONS),
    "conversations.setTopic": ("internal_team_ids", "is_moved", "is_open", "priority", *_OF_ORGANIZATIONS),
    "users.conversations": ("is_member",),
}


def channel_object(
    method: str, room: Channel, team_id: str, *, is_member: bool, is_general: bool, last_read: str = NEVER_READ
) -> dict[str, Any]:
    """Return a public or private channel or a group message in the form of the response of `method`."""
    shown: dict[str, Any] = {
        **_identity(room, team_id),
        **_standing(room),
        **_sharing(team_id),
        "name": room.channel_name,
        "name_normalized": room.channel_name,
        "creator": room.creator_id or "",
        "is_general": is_general,
        "is_member": is_member,
        "topic": _topic(room),
        "purpose": _purpose(room),
        "last_read": last_read,
        "previous_names": room.previous_names or [],
    }
    for key in _LEFT_OUT[method]:
        del shown[key]
    return shown


def _identity(room: Channel, team_id: str) -> dict[str, Any]:
    created = unix_of(room.created_at)
    return {
        "id": room.channel_id,
        "created": created,
        "updated": (unix_of(room.updated_at) or created) * 1000,
        "context_team_id": team_id,
        "is_archived": room.is_archived,
        "is_im": room.is_dm,
        "is_org_shared": False,
    }


def _standing(room: Channel) -> dict[str, Any]:
    """Return the fields for the type and state of a channel."""
    return {
        "is_channel": not room.is_private,
        "is_group": room.is_private,
        "is_private": room.is_private,
        "is_mpim": room.is_gc,
        "is_moved": 0,
        "is_open": not room.is_archived,
        "priority": 0,
        "unlinked": 0,
    }


def _sharing(team_id: str) -> dict[str, Any]:
    """Return the fields for sharing with other workspaces; the twin has only one."""
    return {
        "is_shared": False,
        "is_ext_shared": False,
        "is_pending_ext_shared": False,
        **dict.fromkeys(_OF_ORGANIZATIONS, False),
        "pending_shared": [],
        "pending_connected_team_ids": [],
        "shared_team_ids": [team_id],
        "parent_conversation": None,
        "internal_team_ids": [],
    }


def _topic(room: Channel) -> dict[str, Any]:
    return {
        "value": format_text(room.topic_text or ""),
        "creator": room.topic_creator_id or "",
        "last_set": unix_of(room.topic_set_at),
    }


def _purpose(room: Channel) -> dict[str, Any]:
    return {
        "value": format_text(room.purpose_text or ""),
        "creator": room.purpose_creator_id or "",
        "last_set": unix_of(room.purpose_set_at),
    }


def im_object(room: Channel, team_id: str, user: str, *, is_user_deleted: bool) -> dict[str, Any]:
    """Return a direct message; `user` is the id of the other member."""
    return {**_identity(room, team_id), "user": user, "is_user_deleted": is_user_deleted, "priority": 0}


def opened_object(room: Channel, team_id: str, user: str | None, last_read: str) -> dict[str, Any]:
    """Return a direct or group message in the form of conversations.open.

    `user` is the other member of a direct message, None for a group message.
    """
    shown = {
        **_identity(room, team_id),
        "is_open": True,
        "last_read": last_read,
        "priority": 0,
        "unread_count": 0,
        "unread_count_display": 0,
    }
    return {**shown, "user": user} if user else shown
