"""Reactions to messages: who reacted with which emoji. https://docs.discord.com/developers/resources/message"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from twindiff.drafts.drafting import Draft
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.http import ValueResponse
from twindiff.kit.rows import Column, Row, column
from twindiff.kit.twin import Operations

from .messages import find_message

API = "/api/v10"
MAX_LISTED_USERS = 100
_BELOW = "/channels/{channel_id}/messages/{message_id}/reactions"
_ADD, _REMOVE = (f"{verb} {API}{_BELOW}/{{emoji_name}}/@me" for verb in ("PUT", "DELETE"))
_REMOVE_EMOJI, _REMOVE_ALL = f"DELETE {API}{_BELOW}/{{emoji_name}}", f"DELETE {API}{_BELOW}"
Shown = dict[str, Any]


class DiscordReaction(Row, table="message_reactions", key=("message_id", "emoji", "user_id")):
    """A reaction of a user; `emoji` is a character, or `name:id` of a guild's own."""

    message_id: Column[str]
    emoji: Column[str]
    user_id: Column[str]
    position: Column[int] = column(default=0, derived=True)


class MessageReactions:
    """The handlers, over the tables of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._message, self._user = draft, draft.row("messages"), draft.row("users")

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations(prefix=API)
        api.put(f"{_BELOW}/{{emoji_name}}/@me", status=204)(self.add_own)
        api.delete(f"{_BELOW}/{{emoji_name}}/@me", status=204)(self.delete_own)
        api.delete(f"{_BELOW}/{{emoji_name}}/{{user_id}}", status=204)(self.delete_of_user)
        api.get(f"{_BELOW}/{{emoji_name}}")(self.list_users)
        api.delete(f"{_BELOW}/{{emoji_name}}", status=204)(self.delete_of_emoji)
        api.delete(_BELOW, status=204)(self.delete_all)
        return api

    def add_own(self, call: Call, channel_id: str, message_id: str, emoji_name: str) -> None:
        """React with an emoji; twice is once."""
        message, me = find_message(call, self._message, channel_id, message_id), self._find_caller(call)
        if any(each.user_id == me for each in self._list(call, message_id, emoji_name)):
            return
        position = call.db.next("reaction")
        call.db.add(DiscordReaction(message_id=message_id, emoji=emoji_name, user_id=me, position=position))
        self._update(call, message, _ADD, {emoji_name: 1})

    def delete_own(self, call: Call, channel_id: str, message_id: str, emoji_name: str) -> None:
        """Take the caller's reaction back; none is no error."""
        self._delete_of(
            call, find_message(call, self._message, channel_id, message_id), emoji_name, self._find_caller(call)
        )

    def delete_of_user(self, call: Call, channel_id: str, message_id: str, emoji_name: str, user_id: str) -> None:
        """Remove another user's reaction."""
        self._delete_of(call, find_message(call, self._message, channel_id, message_id), emoji_name, user_id)

    def delete_of_emoji(self, call: Call, channel_id: str, message_id: str, emoji_name: str) -> None:
        """Remove all reactions with an emoji."""
        message = find_message(call, self._message, channel_id, message_id)
        for each in self._list(call, message_id, emoji_name):
            call.db.remove(each)
        self._update(call, message, _REMOVE_EMOJI, {emoji_name: -_counts_of(message).get(emoji_name, 0)})

    def delete_all(self, call: Call, channel_id: str, message_id: str) -> None:
        """Remove the reactions of a message."""
        message = find_message(call, self._message, channel_id, message_id)
        for each in self._list(call, message_id):
            call.db.remove(each)
        self._update(call, message, _REMOVE_ALL, {emoji: -count for emoji, count in _counts_of(message).items()})

    def list_users(
        self, call: Call, channel_id: str, message_id: str, emoji_name: str, after: str = "0", limit: int = 25
    ) -> list[Any]:
        """List the users who reacted with an emoji, in the order of their ids."""
        find_message(call, self._message, channel_id, message_id)
        if not 1 <= limit <= MAX_LISTED_USERS:
            raise InvalidParameter("limit", f"int value should be between 1 and {MAX_LISTED_USERS}.")
        ids = {each.user_id for each in self._list(call, message_id, emoji_name)}
        rows = call.db.rows(self._user, self._user.id.in_([*ids]))
        start = int(after) if after.isdecimal() else 0
        later = sorted((row for row in rows if int(row.id) > start), key=lambda row: int(row.id))
        return [self._draft.show(call, row, f"GET {API}/users/{{user_id}}") for row in later[:limit]]

    def mark_own(self, call: Call, answer: Any) -> Any:
        """Return an answer in which `me` says of each reaction of its messages whether the caller reacted so."""
        value = answer.value if isinstance(answer, ValueResponse) else answer
        messages = [*_messages_in(value)]
        if messages:
            ids, me = [str(each["id"]) for each in messages], self._find_caller(call)
            own = call.db.rows(DiscordReaction, DiscordReaction.message_id.in_(ids), DiscordReaction.user_id == me)
            known = {(each.message_id, each.emoji) for each in own}
            for each in messages:
                each["reactions"] = [
                    {**reaction, "me": (str(each["id"]), _name_emoji(reaction["emoji"])) in known}
                    for reaction in each["reactions"]
                ]
        return answer

    def _find_caller(self, call: Call) -> str:
        return str(self._draft.find_user_key(call) or "")

    def _list(self, call: Call, message_id: str, emoji: str = "") -> list[DiscordReaction]:
        table = DiscordReaction
        where = [table.message_id == message_id, *([table.emoji == emoji] if emoji else [])]
        return [*call.db.rows(table, *where, order=table.position)]

    def _delete_of(self, call: Call, message: Any, emoji: str, user_id: str) -> None:
        for each in self._list(call, message.id, emoji):
            if each.user_id == user_id:
                call.db.remove(each)
                self._update(call, message, _REMOVE, {emoji: -1})

    def _update(self, call: Call, message: Any, operation: str, changes: Mapping[str, int]) -> None:
        """Change how many reactions a message has by emoji, and tell of it.

        A message that was seeded may have more of them than there are users known.
        """
        counts = _counts_of(message)
        for emoji, change in changes.items():
            counts[emoji] = counts.get(emoji, 0) + change
        shown = [_show(emoji, count) for emoji, count in counts.items() if count > 0]
        self._draft.change(call, "messages", message, {"reactions": shown}, operation)


def _counts_of(message: Any) -> dict[str, int]:
    listed = cast(list[Shown], message.reactions or [])
    return {_name_emoji(each["emoji"]): int(each.get("count", 1)) for each in listed}


def _show(emoji: str, count: int) -> Shown:
    name, _, id = emoji.partition(":")
    about = {"id": id or None, "name": name}
    counted = {"count": count, "count_details": {"burst": 0, "normal": count}}
    return {"emoji": about, **counted, "me": False, "me_burst": False, "burst_colors": []}


def _name_emoji(shown: Shown) -> str:
    return f"{shown['name']}:{shown['id']}" if shown.get("id") else str(shown.get("name"))


def _messages_in(value: Any) -> Iterator[Shown]:
    """Yield the objects in an answer that have reactions."""
    if isinstance(value, dict):
        known = cast(Shown, value)
        if known.get("reactions") and isinstance(known["reactions"], list) and "id" in known:
            yield known
        for each in known.values():
            if isinstance(each, (dict, list)):
                yield from _messages_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _messages_in(each)
