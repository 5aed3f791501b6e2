"""Seeding of workspaces from a configuration of users, channels, messages and threads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count

import msgspec

from twindiff.kit import Call, Clock
from twindiff.kit.clock import SECOND, micros_of
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .core.authorization import EVERY
from .core.tables import AccessToken, Channel, ChannelMember, Message, MessageReaction, Team, User, UserTeam

TEAM = "T01WORKSPACE"


class SeedUser(SeedSection):
    """A user; messages refer to it by `name`, and Slack shows `real_name`."""

    name: str
    real_name: str | None = None
    email: str | None = None
    timezone: str | None = None
    title: str | None = None


class SeedReaction(SeedSection):
    """A reaction, by the name of its emoji without colons; `user` defaults to the agent."""

    name: str
    user: str | None = None


class SeedReply(SeedSection):
    """A reply in a thread. `created` is an ISO 8601 date or time in UTC until now, which is the default."""

    text: str
    user: str | None = None
    created: str | None = None
    reactions: list[SeedReaction] = msgspec.field(default_factory=list[SeedReaction])


class SeedMessage(SeedReply):
    """A message with its thread; `user` defaults to the agent."""

    replies: list[SeedReply] = msgspec.field(default_factory=list[SeedReply])


class SeedChannel(SeedSection):
    """A channel of the agent and its `members`, by default of all users; a message may be given as its text alone."""

    name: str
    messages: list[SeedMessage | str] = msgspec.field(default_factory=list[SeedMessage | str])
    topic: str | None = None
    purpose: str | None = None
    private: bool = False
    archived: bool = False
    members: list[str] | None = None


class SlackConfig(msgspec.Struct):
    """The seed configuration of a workspace; users and channels may be given as their names alone."""

    users: list[SeedUser | str] = []
    channels: list[SeedChannel | str] = []
    oauth_bot_scopes: list[str] = []
    """The scopes of bots; without any, bots have all rights."""


def write(call: Call, config: SlackConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an empty workspace and return the number of `users`, `channels` and `messages`.

    Raises InvalidSeedConfig for an unknown author or a duplicate channel name.
    """
    call.db.add(Team(team_id=TEAM, team_name="Workspace"))
    if config.oauth_bot_scopes:
        call.db.add(AccessToken(token=EVERY, scopes=",".join(config.oauth_bot_scopes)))
    ids = {person.email: _join(call, person) for person in people}
    known = {person.name: ids[person.email] for person in people}
    for each in config.users:
        user = SeedUser(each) if isinstance(each, str) else each
        known[user.name] = known[user.real_name or user.name]
        if user.title:
            call.db.change(call.db.get(User, known[user.name]), title=user.title)
    channels = [SeedChannel(each) if isinstance(each, str) else each for each in config.channels]
    _check(channels, known)
    messages = sum(_open(call, channel, known, [*ids.values()]) for channel in channels)
    return {"users": len(ids), "channels": len(channels), "messages": messages}


def _check(channels: Sequence[SeedChannel], known: dict[str, str]) -> None:
    problems = [
        f"channels[{number}].name: '{channel.name}' is given twice"
        for number, channel in enumerate(channels)
        if channel.name in [each.name for each in channels[:number]]
    ]
    for number, channel in enumerate(channels):
        problems += [
            f"channels[{number}].members: '{name}' is not among the users; there are {', '.join(known)}"
            for name in channel.members or ()
            if name not in known
        ]
        for at, message in enumerate(channel.messages):
            said = [] if isinstance(message, str) else [message, *message.replies]
            users = [each.user for one in said for each in (one, *one.reactions)]
            strangers = [user for user in users if user is not None and user not in known]
            problems += [
                f"channels[{number}].messages[{at}]: '{name}' is not among the users; there are {', '.join(known)}"
                for name in strangers
            ]
    if problems:
        raise InvalidSeedConfig(problems)


def _find_free_username(call: Call, wanted: str) -> str:
    """The username, or with a number if somebody has it; people of several domains may share the part before the @."""
    names = (wanted if number == 1 else f"{wanted}{number}" for number in count(1))
    return next(name for name in names if call.db.find(User, User.username == name) is None)


def _join(call: Call, person: Person) -> str:
    user = call.ids.new("U")
    username = _find_free_username(call, person.email.partition("@")[0])
    call.db.add(
        User(
            user_id=user,
            username=username,
            email=person.email,
            real_name=person.name,
            display_name=username,
            timezone=person.timezone,
            created_at=call.clock.iso(),
        )
    )
    call.db.add(UserTeam(user_id=user, team_id=TEAM, role="member"))
    return user


def _open(call: Call, channel: SeedChannel, known: dict[str, str], members: Sequence[str]) -> int:
    """Add a channel with its messages, and return how many messages it has."""
    room = call.ids.new("C")
    call.db.add(
        Channel(
            channel_id=room,
            channel_name=channel.name,
            team_id=TEAM,
            topic_text=channel.topic,
            purpose_text=channel.purpose,
            is_private=channel.private,
            is_archived=channel.archived,
            created_at=call.clock.iso(),
        )
    )
    own = members if channel.members is None else [members[0], *(known[name] for name in channel.members)]
    for user in dict.fromkeys(own):
        call.db.add(ChannelMember(channel_id=room, user_id=user, joined_at=call.clock.iso()))
    agent, count = members[0], 0
    for each in channel.messages:
        message = SeedMessage(each) if isinstance(each, str) else each
        root = _add_message(call, room, message, None, known, agent)
        for reply in message.replies:
            _add_message(call, room, reply, root, known, agent)
        count += 1 + len(message.replies)
    return count


def _add_message(call: Call, room: str, said: SeedReply, parent: str | None, known: dict[str, str], agent: str) -> str:
    then = Call(call.actor, call.db, Clock(_find_instant(call, said.created))) if said.created else call
    ts = _find_free_ts(then) if said.created else call.ids.ts()
    author = known[said.user] if said.user else agent
    created = then.clock.iso()
    call.db.add(
        Message(
            message_id=ts,
            channel_id=room,
            user_id=author,
            message_text=said.text,
            parent_id=parent,
            ts=ts,
            created_at=created,
        )
    )
    for reaction in said.reactions:
        user = known[reaction.user] if reaction.user else agent
        call.db.add(MessageReaction(message_id=ts, user_id=user, reaction_type=reaction.name, created_at=created))
    return ts


def _find_instant(call: Call, created: str) -> int:
    """The instant of an ISO 8601 date or time in UTC, in microseconds; raises InvalidSeedConfig."""
    try:
        instant = datetime.fromisoformat(created)
    except ValueError:
        raise InvalidSeedConfig([f"created: '{created[:50]}' is no ISO 8601 date or time"]) from None
    at = micros_of(instant if instant.tzinfo else instant.replace(tzinfo=UTC))
    if not 0 < at <= call.clock.micros:
        raise InvalidSeedConfig([f"created: '{created[:50]}' is later than the world's beginning"])
    return at


def _find_free_ts(then: Call) -> str:
    """The `ts` of a time in the past, or the next one that no message has."""
    for micros in count(then.clock.micros):
        seconds, rest = divmod(micros, SECOND)
        ts = f"{seconds:010d}.{rest:06d}"
        if then.db.find(Message, Message.message_id == ts) is None:
            return ts
    raise AssertionError


seeding = Seeding(SlackConfig, write)
