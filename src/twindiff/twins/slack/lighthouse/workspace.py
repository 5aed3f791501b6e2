"""The whole workspace: users and channels, the plot, everyday messages, and saved things."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import cache

from .channels import CIRCLES, ROOMS
from .chatter import chatter
from .people import LEFT, PEOPLE, person
from .plot import PLOT
from .plot_messages import PlotMessage
from .saved_items import keepsakes
from .writer import TEAM, Rows, Writer, room_id

SEED = 4
"""The seed number of the template in every release."""

MESSAGES = 2_200

_FOUNDED = datetime(2021, 5, 3, 8, tzinfo=UTC)


@cache
def write(seed: int = SEED, messages: int = MESSAGES) -> Rows:
    """Return the rows of the workspace by table; other seed numbers give other everyday messages around the same plot.

    The rows are cached per process, and callers must not change them.
    """
    writer = Writer()
    _people(writer)
    _rooms(writer)
    for said in PLOT:
        _write_message(writer, said)
    chatter(writer, seed, messages)
    keepsakes(writer)
    writer.rows["messages"].sort(key=lambda message: message["message_id"])
    _last_messages(writer)
    return writer.rows


def _people(writer: Writer) -> None:
    founded = _FOUNDED.replace(tzinfo=None)
    writer.add("teams", team_id=TEAM, team_name="Lighthouse", created_at=founded.isoformat())
    for number, each in enumerate(PEOPLE):
        writer.add(
            "users",
            user_id=each.id,
            username=each.username,
            email=f"{each.username}@lighthouse.example",
            real_name=each.name,
            display_name=each.name.split()[0],
            timezone=each.zone,
            title=each.title,
            created_at=(founded + timedelta(days=31 * number)).isoformat(),
            is_active=each.username != LEFT,
            is_bot=each.crew == "bots",
        )
        writer.add("user_teams", user_id=each.id, team_id=TEAM, role=each.role)


def _rooms(writer: Writer) -> None:
    opened = _FOUNDED.replace(tzinfo=None)
    for room in ROOMS:
        writer.add(
            "channels",
            channel_id=room.id,
            channel_name=room.name,
            team_id=TEAM,
            topic_text=room.about,
            purpose_text=room.purpose,
            is_private=room.is_private,
            created_at=opened.isoformat(),
            is_archived=room.is_archived,
            creator_id=room.members[0],
        )
        _members(writer, room.id, room.members, opened)
    for circle in CIRCLES:
        is_pair = len(circle.ids) == 2
        name = "-".join(["dm" if is_pair else "mpdm", *circle.ids])
        kind = {"is_private": True, "is_dm": is_pair, "is_gc": not is_pair}
        writer.add(
            "channels", channel_id=circle.id, channel_name=name, team_id=TEAM, created_at=opened.isoformat(), **kind
        )
        _members(writer, circle.id, circle.ids, opened)


def _members(writer: Writer, room: str, users: list[str], at: datetime) -> None:
    for user in users:
        writer.add("channel_members", channel_id=room, user_id=user, joined_at=at.isoformat())


def _write_message(writer: Writer, said: PlotMessage) -> None:
    """Write a message of the plot with its thread, reactions, file and pin."""
    room, author, at = room_id(said.room), person(said.author).id, datetime.fromisoformat(said.at)
    ts = writer.message(room, at, author, said.text)
    for minutes, name, text in said.replies:
        writer.message(room, at + timedelta(minutes=minutes), person(name).id, text, ts)
    for emoji, names in said.reactions:
        writer.react(ts, emoji, [person(name).id for name in names], at)
    if said.paper:
        writer.share(ts, author, said.paper, at)
    if said.pinned_by:
        writer.pin(room, ts, person(said.pinned_by).id, at + timedelta(minutes=5))


def _last_messages(writer: Writer) -> None:
    latest: dict[str, str] = defaultdict(str)
    for message in writer.rows["messages"]:
        latest[message["channel_id"]] = max(latest[message["channel_id"]], message["created_at"])
    for room in writer.rows["channels"]:
        room["last_message_at"] = latest[room["channel_id"]] or None
