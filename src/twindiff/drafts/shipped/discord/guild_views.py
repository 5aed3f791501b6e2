"""Guilds, members and changes as Discord's gateway shows them. https://docs.discord.com/developers/events/gateway-events"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from twindiff.drafts.drafting import Draft
from twindiff.kit.call import Call
from twindiff.kit.events import Emitted

LARGE_GUILD_MEMBERS = 250
_API = "/api/v10"
_SHOWN_BY = {
    "users": f"GET {_API}/users/@me",
    "guilds": f"GET {_API}/guilds/{{guild_id}}",
    "channels": f"GET {_API}/channels/{{channel_id}}",
    "guild_roles": f"GET {_API}/guilds/{{guild_id}}/roles/{{role_id}}",
    "guild_members": f"GET {_API}/guilds/{{guild_id}}/members/{{user_id}}",
    "messages": f"GET {_API}/channels/{{channel_id}}/messages/{{message_id}}",
}
"""The operation whose answer shows the objects of each table."""
_NONE_KEPT = (
    "emojis",
    "guild_scheduled_events",
    "presences",
    "soundboard_sounds",
    "stage_instances",
    "stickers",
    "threads",
    "voice_states",
)
"""Lists of a guild that its rows do not hold."""
Changed = Mapping[str, Any]
"""What the event of a change holds: `object`, `previous`, and `above` with the ids of what it stands below."""


class GuildViews:
    """Shows the rows of Discord's draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def find_user_id(self, call: Call) -> str:
        """Return the id of the caller, who is the first of the users if they have none of their own."""
        return str(self._draft.find_user_key(call) or "")

    def list_guilds(self, call: Call) -> list[str]:
        """Return the ids of the guilds."""
        row = self._draft.row("guilds")
        return [str(each.id) for each in call.db.rows(row, order=row.creation_number)]

    def render_ready(self, call: Call, session: str, guilds: Sequence[str], shard: Sequence[int]) -> dict[str, Any]:
        """Return the first event of a session."""
        application = next(iter(call.db.rows(self._draft.row("applications"), limit=1)), None)
        return {
            "v": 10,
            "user": self._show_one(call, "users", self._draft.row("users").id == self.find_user_id(call)),
            "guilds": [{"id": each, "unavailable": True} for each in guilds],
            "session_id": session,
            "resume_gateway_url": f"{call.base_url.replace('https', 'wss', 1)}/gateway",
            "shard": [*shard],
            "application": {"id": application.id if application else "0", "flags": 0},
        }

    def render_guild(self, call: Call, guild_id: str) -> dict[str, Any]:
        """Return a guild with its roles, channels and members."""
        members = self.list_members(call, guild_id, "", ())
        channels = self._show_all(call, "channels", self._draft.row("channels").guild_id == guild_id)
        return {
            **self._show_one(call, "guilds", self._draft.row("guilds").id == guild_id),
            **{name: [] for name in _NONE_KEPT},
            "roles": self._show_all(call, "guild_roles", self._draft.row("guild_roles").guild_id == guild_id),
            "channels": channels,
            "members": members,
            "member_count": len(members),
            "large": len(members) > LARGE_GUILD_MEMBERS,
            "unavailable": False,
            "joined_at": members[0]["joined_at"] if members else None,
        }

    def list_members(self, call: Call, guild_id: str, begins: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return the members of a guild whose user has one of `ids`, if any are given, and whose name begins so."""
        shown = self._show_all(call, "guild_members", self._draft.row("guild_members").guild_id == guild_id)
        return [each for each in shown if (not ids or each["user"]["id"] in ids) and _is_named(each, begins.lower())]

    def _show_one(self, call: Call, table: str, *where: Any) -> dict[str, Any]:
        shown = self._show_all(call, table, *where)
        return shown[0] if shown else {}

    def _show_all(self, call: Call, table: str, *where: Any) -> list[dict[str, Any]]:
        row = self._draft.row(table)
        rows = call.db.rows(row, *where, order=row.creation_number)
        return [self._draft.show(call, each, _SHOWN_BY[table]) for each in rows]

    def render_event(self, event: Emitted, call: Call) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the events of a change, each with its name and its data; a change of pins is another one."""
        changed, table = event.payload, str(event.payload["table"])
        if table == "messages":
            yield from self._render_message_event(event, call)
        elif table in _RENDERED:
            yield event.name, _RENDERED[table](event.name, changed)

    def _render_message_event(self, event: Emitted, call: Call) -> Iterator[tuple[str, dict[str, Any]]]:
        message, previous = event.payload["object"], cast(Changed, event.payload.get("previous") or {})
        channel_row = self._draft.row("channels")
        channel = call.db.find(channel_row, channel_row.id == str(message.get("channel_id")))
        where = {"channel_id": message.get("channel_id")}
        if channel is not None and channel.guild_id:
            where["guild_id"] = channel.guild_id
        match event.name:
            case "MESSAGE_DELETE":
                yield event.name, {"id": message["id"], **where}
            case "MESSAGE_REACTION_REMOVE_ALL":
                yield event.name, {"message_id": message["id"], **where}
            case "MESSAGE_REACTION_REMOVE_EMOJI":
                for emoji in _list_changed_emojis(message, previous):
                    yield event.name, {"message_id": message["id"], **where, "emoji": emoji}
            case "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE":
                about = {"user_id": self._find_actor(event, call), "message_id": message["id"], **where}
                for emoji in _list_changed_emojis(message, previous):
                    yield event.name, {**about, "emoji": emoji, "burst": False, "type": 0}
            case _:
                yield event.name, {**message, **where, **self._find_member(call, message, where)}
                if "pinned" in previous:
                    yield "CHANNEL_PINS_UPDATE", {**where, "last_pin_timestamp": message.get("edited_timestamp")}

    def _find_actor(self, event: Emitted, call: Call) -> str:
        return self.find_user_id(Call(event.actor, call.db, call.clock))

    def _find_member(self, call: Call, message: Changed, where: Changed) -> dict[str, Any]:
        """Return the author's membership, without the user, for a message in a guild that is not a webhook's."""
        if "guild_id" not in where or message.get("webhook_id"):
            return {}
        members = self.list_members(call, str(where["guild_id"]), "", [str(message.get("author", {}).get("id"))])
        return {"member": {name: value for name, value in members[0].items() if name != "user"}} if members else {}


def _is_named(member: Changed, begins: str) -> bool:
    user = cast(Changed, member["user"])
    names = (member.get("nick"), user.get("global_name"), user.get("username"))
    return any(str(each).lower().startswith(begins) for each in names if each)


def _list_changed_emojis(message: Changed, previous: Changed) -> list[Any]:
    """Return the emojis of which a message has more or fewer reactions than before."""
    before = [(each.get("emoji"), each.get("count")) for each in previous.get("reactions") or ()]
    after = [(each.get("emoji"), each.get("count")) for each in message.get("reactions") or ()]
    changed = [emoji for emoji, count in (*before, *after) if ((emoji, count) in before) != ((emoji, count) in after)]
    return [each for number, each in enumerate(changed) if each not in changed[:number]]


def _render_role(name: str, changed: Changed) -> dict[str, Any]:
    role, guild = changed["object"], changed.get("above", {}).get("guild_id")
    is_gone = name.endswith("DELETE")
    return {"guild_id": guild, **({"role_id": role["id"]} if is_gone else {"role": role})}


def _render_member(name: str, changed: Changed) -> dict[str, Any]:
    member, guild = changed["object"], changed.get("above", {}).get("guild_id")
    is_short = name in ("GUILD_MEMBER_REMOVE", "GUILD_BAN_ADD", "GUILD_BAN_REMOVE")
    return {"guild_id": guild, **({"user": member.get("user")} if is_short else member)}


def _render_whole(name: str, changed: Changed) -> dict[str, Any]:
    return dict(changed["object"])


def _render_webhook(name: str, changed: Changed) -> dict[str, Any]:
    webhook = changed["object"]
    return {"guild_id": webhook.get("guild_id"), "channel_id": webhook.get("channel_id")}


_RENDERED: dict[str, Callable[[str, Changed], dict[str, Any]]] = {
    "channels": _render_whole,
    "guilds": _render_whole,
    "scheduled_events": _render_whole,
    "guild_roles": _render_role,
    "guild_members": _render_member,
    "guild_bans": _render_member,
    "webhooks": _render_webhook,
}
