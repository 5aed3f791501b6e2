"""Conversion of search queries to conditions on messages, for the searching user."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import tzinfo
from functools import cached_property

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.rows import Expression

from ..conversations.direct_messages import find_direct
from ..core.access import find_channel, holds, joined_by
from ..core.emoji import names_of
from ..core.people import find_person
from ..core.tables import Channel, FileMessage, Message, MessageReaction, Pin, Star, User
from ..core.timezones import zone_of
from .date_periods import Period, period_of, start_of
from .search_query import Alternatives, Term
from .search_words import word_of

EVERYTHING = all_of()
NOTHING = any_of()


class Filters:
    """Converts the terms of a search to conditions."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.db = call.db

    @cached_property
    def zone(self) -> tzinfo:
        """The caller's time zone, which determines the start of days."""
        me = self.db.find(User, User.user_id == self.call.actor)
        return zone_of(me.timezone if me else None)

    def all(self, groups: Sequence[Alternatives]) -> list[Expression]:
        """Return one condition per group of alternatives."""
        return [any_of(*map(self.one, group)) for group in groups]

    def one(self, term: Term) -> Expression:
        condition = _BY_MODIFIER[term.modifier](self, term.value) if term.modifier else _text(term)
        return not_(condition) if term.excluded else condition

    def within(self, value: str) -> Expression:
        """Match `in:#channel`, or `in:@user` for the direct message with a user."""
        name = _unwrap_mention(value)
        room = None if name.startswith("@") else find_channel(self.db, name)
        if room is None and (person := self.person(name)):
            room = find_direct(self.db, {self.call.actor, person})
        return Message.channel_id == room.channel_id if room else NOTHING

    def author(self, value: str) -> Expression:
        person = self.person(value)
        return Message.user_id == person if person else NOTHING

    def addressee(self, value: str) -> Expression:
        """Match `to:@user`: direct messages sent to the user, and messages that mention the user."""
        person = self.person(value)
        if person is None:
            return NOTHING
        direct = all_of(_in_direct_message_with(person), not_(Message.user_id == person))
        return any_of(direct, Message.message_text.contains(f"<@{person}"))

    def company(self, value: str) -> Expression:
        """Match `with:@user`: direct messages with the user, and threads with a message of the user."""
        person = self.person(value)
        if person is None:
            return NOTHING
        theirs = Message.user_id == person
        part_taken = any_of(
            theirs,
            exists(Message, Message.parent_id == Message.message_id, theirs),
            exists(Message, Message.parent_id == Message.parent_id, Message.parent_id != None, theirs),  # noqa: E711
            exists(Message, Message.message_id == Message.parent_id, theirs),
        )
        return any_of(_in_direct_message_with(person), all_of(_IN_A_THREAD, part_taken))

    def before(self, value: str) -> Expression:
        return self._match_period(value, lambda days: Message.message_id < start_of(days.first, self.zone))

    def after(self, value: str) -> Expression:
        return self._match_period(value, lambda days: Message.message_id >= start_of(days.after, self.zone))

    def during(self, value: str) -> Expression:
        return self._match_period(
            value,
            lambda days: all_of(
                Message.message_id >= start_of(days.first, self.zone),
                Message.message_id < start_of(days.after, self.zone),
            ),
        )

    def _match_period(self, value: str, condition: Callable[[Period], Expression]) -> Expression:
        """Return the condition for a date; like Slack, ignore one that cannot be parsed."""
        days = period_of(value, self.call.clock.now.astimezone(self.zone).date())
        return condition(days) if days else EVERYTHING

    def having(self, value: str) -> Expression:
        if value.startswith(":"):
            return _has_reaction(value)
        return _HAVING.get(value.lower().rstrip("s"), NOTHING)

    def having_mine(self, value: str) -> Expression:
        return _has_reaction(value, MessageReaction.user_id == self.call.actor)

    def being(self, value: str) -> Expression:
        if value.lower() in ("saved", "starred"):
            return exists(Star, Star.item_id == Message.message_id, Star.user_id == self.call.actor)
        return _BEING.get(value.lower(), NOTHING)

    def person(self, value: str) -> str | None:
        """Return the id of a user given as `me`, an id, a mention, a name or an email address."""
        name = _unwrap_mention(value)
        if name.lower() == "me":
            return self.call.actor
        person = find_person(self.db, name.removeprefix("@"))
        return person.user_id if person else None


def _text(term: Term) -> Expression:
    word = word_of(term)
    return Message.message_text.has_word(word) if word else EVERYTHING


def _unwrap_mention(value: str) -> str:
    """Unwrap a mention: `C1` for `<#C1|general>`, `@U1` for `<@U1>`."""
    match = re.fullmatch(r"<(?:#|(@))([^|>]+)(?:\|[^>]*)?>", value)
    return (match[1] or "") + match[2] if match else value


def _in_direct_message_with(person: str) -> Expression:
    direct = any_of(holds(Channel.is_dm), holds(Channel.is_gc))
    return exists(Channel, Channel.channel_id == Message.channel_id, direct, joined_by(person))


def _has_reaction(emoji: str, *where: Expression) -> Expression:
    names = names_of(emoji.strip(":").lower())
    stored = [*names, *(f":{name}:" for name in names)]
    of_message = MessageReaction.message_id == Message.message_id
    return exists(MessageReaction, of_message, MessageReaction.reaction_type.in_(stored), *where)


_IN_A_THREAD = any_of(not_(Message.parent_id.is_null()), exists(Message, Message.parent_id == Message.message_id))

_HAVING: dict[str, Expression] = {
    "link": any_of(Message.message_text.contains("http://"), Message.message_text.contains("https://")),
    "reaction": exists(MessageReaction, MessageReaction.message_id == Message.message_id),
    "file": exists(FileMessage, FileMessage.message_id == Message.message_id),
    "pin": exists(Pin, Pin.message_id == Message.message_id),
}

_BEING: dict[str, Expression] = {
    "thread": _IN_A_THREAD,
    "dm": exists(Channel, Channel.channel_id == Message.channel_id, holds(Channel.is_dm)),
}

_BY_MODIFIER: dict[str, Callable[[Filters, str], Expression]] = {
    "in": Filters.within,
    "from": Filters.author,
    "to": Filters.addressee,
    "with": Filters.company,
    "before": Filters.before,
    "after": Filters.after,
    "on": Filters.during,
    "during": Filters.during,
    "has": Filters.having,
    "hasmy": Filters.having_mine,
    "is": Filters.being,
}
