"""Direct and group messages, which are identified by their members."""

from __future__ import annotations

from collections.abc import Iterable

from twindiff.kit import Call, Store, exists, not_

from ..core.access import holds, workspace
from ..core.errors import CannotDmBot
from ..core.people import acting_bot, bots_among
from ..core.tables import Channel, ChannelMember


def find_direct(db: Store, people: Iterable[str]) -> Channel | None:
    """Return the direct or group message with exactly these members, or None."""
    anyone, *others = sorted(set(people))
    kind = Channel.is_gc if len(others) > 1 else Channel.is_dm
    same_room = ChannelMember.channel_id == ChannelMember.channel_id
    # Starts from the memberships of one member, which an index finds; starting from all conversations is slower.
    membership = db.find(
        ChannelMember,
        ChannelMember.user_id == anyone,
        exists(Channel, Channel.channel_id == ChannelMember.channel_id, holds(kind)),
        *[exists(ChannelMember, same_room, ChannelMember.user_id == other) for other in others],
        not_(exists(ChannelMember, same_room, not_(ChannelMember.user_id.in_([anyone, *others])))),
    )
    return db.get(Channel, membership.channel_id) if membership else None


def open_direct(call: Call, people: Iterable[str]) -> tuple[Channel, bool]:
    """Return the direct or group message of these users, and whether it was created; raises CannotDmBot for two bots.

    https://github.com/HubSpot/slack-client/pull/90
    """
    people = sorted(set(people))
    room = find_direct(call.db, people)
    if room:
        return room, False
    if len(people) == 2 and len(bots_among(call.db, people, {call.actor} if acting_bot(call) else ())) == 2:
        raise CannotDmBot
    return _create(call, people), True


def _create(call: Call, people: list[str]) -> Channel:
    group = len(people) > 2
    pair = people if len(people) > 1 else people * 2
    room = Channel(
        channel_id=call.ids.new("G" if group else "D"),
        channel_name="-".join(["mpdm" if group else "dm", *pair]),
        team_id=workspace(call.db).team_id or None,
        is_private=True,
        is_dm=not group,
        is_gc=group,
        created_at=call.clock.iso(),
        creator_id=call.actor,
    )
    call.db.add(room)
    for person in people:
        call.db.add(ChannelMember(channel_id=room.channel_id, user_id=person, joined_at=call.clock.iso()))
    other = next((person for person in people if person != call.actor), call.actor)
    call.emit("group_open" if group else "im_created", {"user": other, "channel": {"id": room.channel_id}})
    return room
