"""Operations of Discord whose effect its description does not say. https://docs.discord.com/developers/resources"""

from __future__ import annotations

from typing import Any

from twindiff.drafts.drafting import Draft
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter, NotFound
from twindiff.kit.twin import Operations

API = "/api/v10"
MIN_DELETED_MESSAGES, MAX_DELETED_MESSAGES = 2, 100
_GUILD = f"GET {API}/guilds/{{guild_id}}"
_ROLE = f"{_GUILD}/roles/{{role_id}}"


class DiscordOperations:
    """The handlers, over the tables of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._channel, self._message = draft.row("channels"), draft.row("messages")
        self._role = draft.row("guild_roles")

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations(prefix=API)
        api.get("/gateway")(self.get_gateway)
        api.get("/gateway/bot")(self.get_bot_gateway)
        api.post("/channels/{channel_id}/typing", reads=True, status=204)(self.trigger_typing_indicator)
        api.post("/channels/{channel_id}/messages/bulk-delete", status=204)(self.bulk_delete_messages)
        api.get("/guilds/{guild_id}")(self.get_guild)
        return api

    def get_gateway(self, call: Call) -> dict[str, Any]:
        """Return the address of the gateway."""
        return {"url": f"{call.base_url.replace('https', 'wss', 1)}/gateway"}

    def get_bot_gateway(self, call: Call) -> dict[str, Any]:
        """Return the address of the gateway, the number of shards, and how many sessions may begin today."""
        limit = {"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}
        return {**self.get_gateway(call), "shards": 1, "session_start_limit": limit}

    def get_guild(self, call: Call, guild_id: str) -> Any:
        """Return a guild with its roles."""
        answer = self._draft.serve(call, _GUILD, {"guild_id": guild_id})
        rows = call.db.rows(self._role, self._role.guild_id == guild_id, order=self._role.creation_number)
        roles = [self._draft.show(call, each, _ROLE) for each in rows]
        return answer._replace(value={**answer.value, "roles": roles})

    def trigger_typing_indicator(self, call: Call, channel_id: str) -> None:
        """Check the channel; nothing is kept of who types."""
        self._find_channel(call, channel_id)

    def bulk_delete_messages(self, call: Call, channel_id: str, messages: list[str]) -> None:
        """Delete 2 to 100 messages; ids of messages that are gone are passed over."""
        self._find_channel(call, channel_id)
        if not MIN_DELETED_MESSAGES <= len(messages) <= MAX_DELETED_MESSAGES:
            bounds = f"{MIN_DELETED_MESSAGES} and {MAX_DELETED_MESSAGES}"
            raise InvalidParameter("messages", f"Must be between {bounds} in length.")
        row = self._message
        for each in call.db.rows(row, row.id.in_(messages), row.channel_id == channel_id):
            self._draft.tell(call, "messages", "delete", each)
            call.db.remove(each)

    def _find_channel(self, call: Call, channel_id: str) -> Any:
        channel = call.db.find(self._channel, self._channel.id == channel_id)
        if channel is None:
            raise NotFound("guild channel", channel_id)
        return channel


def declare_operations(draft: Draft) -> Operations:
    """Return the operations over the tables of a draft."""
    return DiscordOperations(draft).declare()
