"""Who may do what in a guild. https://docs.discord.com/developers/topics/permissions"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from twindiff.drafts.drafting import Draft
from twindiff.kit.call import Call
from twindiff.kit.request_context import RequestContext

from .refusals import MissingAccess, MissingPermissions

KICK_MEMBERS, BAN_MEMBERS, ADMINISTRATOR, MANAGE_CHANNELS, MANAGE_GUILD = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5
ADD_REACTIONS, SEND_MESSAGES, MANAGE_MESSAGES = 1 << 6, 1 << 11, 1 << 13
MANAGE_ROLES, MANAGE_WEBHOOKS, PIN_MESSAGES = 1 << 28, 1 << 29, 1 << 51
ALL = -1
DEFAULT_PERMISSIONS = 1_071_698_660_929
"""What everyone may do in a guild that was seeded without a role for everyone."""
_NEEDED: tuple[tuple[str, int], ...] = (
    (r"POST /channels/{channel_id}/messages", SEND_MESSAGES),
    (r"POST /channels/{channel_id}/messages/bulk-delete", MANAGE_MESSAGES),
    (r"DELETE /channels/{channel_id}/messages/{message_id}/reactions(/{emoji_name}(/{user_id})?)?", MANAGE_MESSAGES),
    (r"PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me", ADD_REACTIONS),
    (r"(PUT|DELETE) /channels/{channel_id}/(messages/)?pins/{message_id}", MANAGE_MESSAGES | PIN_MESSAGES),
    (r"(PATCH|DELETE) /channels/{channel_id}|(POST|PATCH) /guilds/{guild_id}/channels", MANAGE_CHANNELS),
    (r"(PUT|DELETE) /channels/{channel_id}/permissions/{overwrite_id}", MANAGE_ROLES),
    (r"POST /channels/{channel_id}/webhooks", MANAGE_WEBHOOKS),
    (r"PATCH /guilds/{guild_id}", MANAGE_GUILD),
    (r"(POST|PATCH|DELETE) /guilds/{guild_id}/roles(/{role_id})?", MANAGE_ROLES),
    (r"(PUT|DELETE) /guilds/{guild_id}/members/{user_id}/roles/{role_id}", MANAGE_ROLES),
    (r"DELETE /guilds/{guild_id}/members/{user_id}", KICK_MEMBERS),
    (r"(PUT|DELETE) /guilds/{guild_id}/bans/{user_id}|POST /guilds/{guild_id}/bulk-ban", BAN_MEMBERS),
)
"""Operations with the permissions of which one is needed."""
_PATTERNS = [(re.compile(re.sub(r"([{}])", r"\\\1", form)), bits) for form, bits in _NEEDED]


class GuildPermissions:
    """Computes permissions of the caller over the rows of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def layer(self, exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
        """Refuse an operation for which the caller lacks the permission."""
        needed = find_needed(exchange.operation.name)
        if needed:
            self.require(call, needed, exchange.path_parameters)
        return proceed()

    def require(self, call: Call, needed: int, given: Mapping[str, str]) -> None:
        """Raise MissingPermissions unless the caller has one of the permissions `needed` where a path leads."""
        if not self.find(call, given) & needed:
            raise MissingPermissions

    def find(self, call: Call, given: Mapping[str, str]) -> int:
        """Return the caller's permissions in the guild or the channel of a path; all outside a guild.

        Raises MissingAccess for a guild of which the caller is no member.
        """
        channel = self._find_row(call, "channels", "id", given.get("channel_id"))
        guild = self._find_row(call, "guilds", "id", given.get("guild_id") or (channel and channel.guild_id))
        me = str(self._draft.find_user_key(call) or "")
        if guild is None or guild.owner_id == me:
            return ALL
        roles = self._list_roles(call, guild.id, me)
        if roles is None:
            return ALL
        row = self._draft.row("guild_roles")
        held = {each.id: each for each in call.db.rows(row, row.guild_id == guild.id, row.id.in_([guild.id, *roles]))}
        usual = 0 if guild.id in held else DEFAULT_PERMISSIONS
        permissions = usual | _join(int(each.permissions or 0) for each in held.values())
        if permissions & ADMINISTRATOR:
            return ALL
        return _overwrite(permissions, channel, [guild.id], roles, [me]) if channel else permissions

    def _list_roles(self, call: Call, guild_id: str, user_id: str) -> list[str] | None:
        """Return the roles of a member; None for a guild that was seeded without members. Raises MissingAccess."""
        row = self._draft.row("guild_members")
        members = call.db.rows(row, row.guild_id == guild_id)
        own = [each for each in members if cast(Mapping[str, Any], each.user or {}).get("id") == user_id]
        if not own:
            if members:
                raise MissingAccess
            return None
        return [str(each) for member in own for each in member.roles or ()]

    def _find_row(self, call: Call, table: str, field: str, key: Any) -> Any:
        row = self._draft.row(table)
        return call.db.find(row, getattr(row, field) == str(key)) if key else None


def find_needed(operation: str) -> int:
    """Return the permissions of which an operation, by its name, needs one; 0 if it needs none."""
    verb, _, path = operation.partition(" ")
    name = f"{verb} {path.removeprefix('/api/v10')}"
    return next((bits for pattern, bits in _PATTERNS if pattern.fullmatch(name)), 0)


def _join(bits: Iterable[int]) -> int:
    joined = 0
    for each in bits:
        joined |= each
    return joined


def _overwrite(permissions: int, channel: Any, *holders: list[str]) -> int:
    """Return permissions after a channel's overwrites: of everyone, then of roles, then of the member."""
    listed = cast(list[dict[str, Any]], channel.permission_overwrites or [])
    for ids in holders:
        own = [each for each in listed if str(each.get("id")) in ids]
        permissions &= ~_join(int(each.get("deny") or 0) for each in own)
        permissions |= _join(int(each.get("allow") or 0) for each in own)
    return permissions
