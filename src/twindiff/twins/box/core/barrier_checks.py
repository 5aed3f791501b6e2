"""Checks the enabled information barrier, which keeps users of restricted segments from working together.

https://developer.box.com/guides/events/event-triggers/shield-information-barrier-events
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from twindiff.kit import Call

from ..tables.barrier_tables import Barrier, Segment, SegmentMember, SegmentRestriction
from ..tables.further_tables import Collaboration, GroupMembership
from ..tables.item_tables import Item
from .access import chain
from .errors import ForbiddenByPolicy


def check_together(call: Call, ones: Iterable[str | None], others: Iterable[str | None]) -> None:
    """Raise ForbiddenByPolicy if the barrier restricts one of some users from one of some others."""
    barrier = call.db.find(Barrier, Barrier.status == "enabled")
    if barrier is None:
        return
    mine, theirs = _segments(call, barrier, ones), _segments(call, barrier, others)
    for row in call.db.rows(SegmentRestriction, SegmentRestriction.segment_id.in_([*mine, *theirs])):
        pair = row.segment_id, row.restricted_segment_id
        if (pair[0] in mine and pair[1] in theirs) or (pair[1] in mine and pair[0] in theirs):
            raise ForbiddenByPolicy


def _segments(call: Call, barrier: Barrier, users: Iterable[str | None]) -> set[str]:
    """Return the ids of a barrier's segments that have some of the users."""
    ids = sorted({user for user in users if user})
    rows = call.db.rows(SegmentMember, SegmentMember.user_id.in_(ids), columns=(SegmentMember.segment_id,))
    segments = (Segment.id.in_([segment for (segment,) in rows]), Segment.barrier_id == barrier.id)
    return {id for (id,) in call.db.rows(Segment, *segments, columns=(Segment.id,))}


def list_participants(call: Call, item: Item) -> list[str | None]:
    """Return the owner of an item and its collaborators, including those on enclosing folders and in groups."""
    around = [item.id, *(folder.id for folder in chain(call, item.parent_id))]
    shares = call.db.rows(Collaboration, Collaboration.item_id.in_(around))
    groups = [each.accessible_by_id or "" for each in shares if each.accessible_by_type == "group"]
    users = [each.accessible_by_id for each in shares if each.accessible_by_type == "user"]
    return [item.owned_by_id, *users, *members_of(call, groups)]


def members_of(call: Call, groups: Collection[str]) -> list[str]:
    """Return the ids of the users in some groups."""
    inside = GroupMembership.group_id.in_(sorted(groups))
    return [user for (user,) in call.db.rows(GroupMembership, inside, columns=(GroupMembership.user_id,))]
