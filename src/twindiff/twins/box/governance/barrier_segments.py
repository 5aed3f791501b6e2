"""Segments of information barriers: their members, and the restrictions between them.

https://developer.box.com/reference/resources/shield-information-barrier-segment
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Call, Meta, Operations, Struct, UnsetType, revise
from twindiff.twins.box.wire_style import BadRequest, marker_page

from ..content.item_updates import Ref
from ..core.access import require_admin
from ..core.errors import Conflict, NotFound
from ..core.folder_listing import rows_from
from ..core.row_stamps import fold_name, format_instant, new_id
from ..enterprise.users import find_user
from ..tables.barrier_tables import Segment, SegmentMember, SegmentRestriction
from ..views.item_views import Shown
from .information_barriers import BarrierRef, by, find_barrier

api = Operations(prefix="/2.0")
Name = Annotated[str, Meta(pattern=r"\S")]


class SegmentRef(Struct):
    """A reference to a segment."""

    id: str
    type: Literal["shield_information_barrier_segment"] = "shield_information_barrier_segment"


def _stamps(row: Any) -> Shown:
    """Render the times and users of a row's creation and last change."""
    updated_at, updated_by = getattr(row, "updated_at", None), getattr(row, "updated_by_id", None)
    shown = {
        "created_at": format_instant(row.created_at),
        "created_by": by(row.created_by_id),
        "updated_at": format_instant(updated_at or row.created_at),
        "updated_by": by(updated_by or row.created_by_id),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _barrier_of(segment: Segment) -> Shown:
    return {"type": "shield_information_barrier", "id": segment.barrier_id}


def _segment_object(row: Segment) -> Shown:
    named = {"type": row.type, "id": row.id, "name": row.name, "description": row.description}
    return {**named, "shield_information_barrier": _barrier_of(row), **_stamps(row)}


def _render_segment_reference(segment_id: str) -> Shown:
    return {"type": "shield_information_barrier_segment", "id": segment_id}


def _member_object(call: Call, row: SegmentMember) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "shield_information_barrier": _barrier_of(call.db.get(Segment, row.segment_id)),
        "shield_information_barrier_segment": _render_segment_reference(row.segment_id),
        "user": by(row.user_id),
        **_stamps(row),
    }


def _restriction_object(call: Call, row: SegmentRestriction) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "shield_information_barrier": _barrier_of(call.db.get(Segment, row.segment_id)),
        "shield_information_barrier_segment": _render_segment_reference(row.segment_id),
        "restricted_segment": _render_segment_reference(row.restricted_segment_id),
        **_stamps(row),
    }


def _find(call: Call, table: type[Any], name: str, id: str) -> Any:
    require_admin(call)
    row = call.db.find(table, table.id == id)
    if row is None:
        raise NotFound.of(name, id)
    return row


def _segment(call: Call, id: str) -> Segment:
    return _find(call, Segment, "shield_information_barrier_segment", id)


def _member(call: Call, id: str) -> SegmentMember:
    return _find(call, SegmentMember, "shield_information_barrier_segment_member", id)


def _restriction(call: Call, id: str) -> SegmentRestriction:
    return _find(call, SegmentRestriction, "shield_information_barrier_segment_restriction", id)


def _check_barrier(call: Call, segment: Segment, barrier: BarrierRef | None) -> None:
    """Raise if the segment does not belong to the barrier that the request names."""
    if barrier is not None and find_barrier(call, barrier.id).id != segment.barrier_id:
        raise NotFound.of("shield_information_barrier_segment", segment.id)


@api.get("/shield_information_barrier_segments")
def list_segments(call: Call, shield_information_barrier_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the segments of a barrier.

    https://developer.box.com/reference/get-shield-information-barrier-segments
    """
    of = Segment.barrier_id == find_barrier(call, shield_information_barrier_id).id
    rows, more = rows_from(call, marker, limit, Segment, of, order=Segment.id)
    return marker_page([_segment_object(row) for row in rows], limit, more)


@api.post("/shield_information_barrier_segments", status=201)
def create_segment(call: Call, shield_information_barrier: BarrierRef, name: Name, description: str = "") -> Shown:
    """Create a segment with a name that is unique in its barrier.

    https://developer.box.com/reference/post-shield-information-barrier-segments
    """
    barrier = find_barrier(call, shield_information_barrier.id)
    made = Segment(
        id=new_id(call, 8),
        barrier_id=barrier.id,
        name=name,
        folded_name=fold_name(name),
        description=description,
        created_at=call.clock.iso(),
        created_by_id=call.actor,
    )
    return _segment_object(call.db.add(made, taken=Conflict))


@api.get("/shield_information_barrier_segments/{shield_information_barrier_segment_id}")
def get_segment(call: Call, shield_information_barrier_segment_id: str) -> Shown:
    """Get a segment.

    https://developer.box.com/reference/get-shield-information-barrier-segments-id
    """
    return _segment_object(_segment(call, shield_information_barrier_segment_id))


@api.put("/shield_information_barrier_segments/{shield_information_barrier_segment_id}")
def update_segment(
    call: Call,
    shield_information_barrier_segment_id: str,
    name: Name | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
) -> Shown:
    """Change the name and the description of a segment.

    https://developer.box.com/reference/put-shield-information-barrier-segments-id
    """
    segment = _segment(call, shield_information_barrier_segment_id)
    changes: Shown = {"name": name, "description": "" if description is None else description}
    if isinstance(name, str):
        of = (
            Segment.barrier_id == segment.barrier_id,
            Segment.folded_name == fold_name(name),
            Segment.id != segment.id,
        )
        if call.db.find(Segment, *of):
            raise Conflict
        changes["folded_name"] = fold_name(name)
    stamp = {"updated_at": call.clock.iso(), "updated_by_id": call.actor}
    return _segment_object(revise(call.db, segment, stamp=stamp, **changes))


@api.delete("/shield_information_barrier_segments/{shield_information_barrier_segment_id}", status=204)
def delete_segment(call: Call, shield_information_barrier_segment_id: str) -> None:
    """Delete a segment with its members and restrictions.

    https://developer.box.com/reference/delete-shield-information-barrier-segments-id
    """
    call.db.remove(_segment(call, shield_information_barrier_segment_id))


@api.get("/shield_information_barrier_segment_members")
def list_members(call: Call, shield_information_barrier_segment_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the members of a segment.

    https://developer.box.com/reference/get-shield-information-barrier-segment-members
    """
    of = SegmentMember.segment_id == _segment(call, shield_information_barrier_segment_id).id
    rows, more = rows_from(call, marker, limit, SegmentMember, of, order=SegmentMember.id)
    return marker_page([_member_object(call, row) for row in rows], limit, more)


@api.post("/shield_information_barrier_segment_members", status=201)
def create_member(
    call: Call,
    shield_information_barrier_segment: SegmentRef,
    user: Ref,
    shield_information_barrier: BarrierRef | None = None,
    type: Literal["shield_information_barrier_segment_member"] = "shield_information_barrier_segment_member",
) -> Shown:
    """Add a user to a segment.

    https://developer.box.com/reference/post-shield-information-barrier-segment-members
    """
    segment = _segment(call, shield_information_barrier_segment.id)
    _check_barrier(call, segment, shield_information_barrier)
    made = SegmentMember(
        id=new_id(call, 8),
        type=type,
        segment_id=segment.id,
        user_id=find_user(call, str(user.id)).id,
        created_at=call.clock.iso(),
        created_by_id=call.actor,
    )
    return _member_object(call, call.db.add(made, taken=Conflict))


@api.get("/shield_information_barrier_segment_members/{shield_information_barrier_segment_member_id}")
def get_member(call: Call, shield_information_barrier_segment_member_id: str) -> Shown:
    """Get a member of a segment.

    https://developer.box.com/reference/get-shield-information-barrier-segment-members-id
    """
    return _member_object(call, _member(call, shield_information_barrier_segment_member_id))


@api.delete("/shield_information_barrier_segment_members/{shield_information_barrier_segment_member_id}", status=204)
def delete_member(call: Call, shield_information_barrier_segment_member_id: str) -> None:
    """Remove a user from a segment.

    https://developer.box.com/reference/delete-shield-information-barrier-segment-members-id
    """
    call.db.remove(_member(call, shield_information_barrier_segment_member_id))


@api.get("/shield_information_barrier_segment_restrictions")
def list_restrictions(
    call: Call, shield_information_barrier_segment_id: str, marker: str = "", limit: int = 100
) -> Shown:
    """List the restrictions of a segment.

    https://developer.box.com/reference/get-shield-information-barrier-segment-restrictions
    """
    of = SegmentRestriction.segment_id == _segment(call, shield_information_barrier_segment_id).id
    rows, more = rows_from(call, marker, limit, SegmentRestriction, of, order=SegmentRestriction.id)
    return marker_page([_restriction_object(call, row) for row in rows], limit, more)


@api.post("/shield_information_barrier_segment_restrictions", status=201)
def create_restriction(
    call: Call,
    type: Literal["shield_information_barrier_segment_restriction"],
    shield_information_barrier_segment: SegmentRef,
    restricted_segment: SegmentRef,
    shield_information_barrier: BarrierRef | None = None,
) -> Shown:
    """Restrict the users of two segments of a barrier from working together.

    https://developer.box.com/reference/post-shield-information-barrier-segment-restrictions
    """
    segment = _segment(call, shield_information_barrier_segment.id)
    _check_barrier(call, segment, shield_information_barrier)
    restricted = _segment(call, restricted_segment.id)
    if restricted.barrier_id != segment.barrier_id:
        raise NotFound.of("restricted_segment", restricted.id)
    if restricted.id == segment.id:
        said = "A segment cannot be restricted from itself."
        raise BadRequest.of("invalid_parameter", "restricted_segment", said)
    made = SegmentRestriction(
        id=new_id(call, 8),
        type=type,
        segment_id=segment.id,
        restricted_segment_id=restricted.id,
        created_at=call.clock.iso(),
        created_by_id=call.actor,
    )
    return _restriction_object(call, call.db.add(made, taken=Conflict))


_RESTRICTION = "/shield_information_barrier_segment_restrictions/{shield_information_barrier_segment_restriction_id}"


@api.get(_RESTRICTION)
def get_restriction(call: Call, shield_information_barrier_segment_restriction_id: str) -> Shown:
    """Get a restriction.

    https://developer.box.com/reference/get-shield-information-barrier-segment-restrictions-id
    """
    return _restriction_object(call, _restriction(call, shield_information_barrier_segment_restriction_id))


@api.delete(_RESTRICTION, status=204)
def delete_restriction(call: Call, shield_information_barrier_segment_restriction_id: str) -> None:
    """Delete a restriction between two segments.

    https://developer.box.com/reference/delete-shield-information-barrier-segment-restrictions-id
    """
    call.db.remove(_restriction(call, shield_information_barrier_segment_restriction_id))
