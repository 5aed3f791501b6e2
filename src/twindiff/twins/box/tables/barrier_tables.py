"""Tables of information barriers: segments of the enterprise's users, and the restrictions between segments."""

from __future__ import annotations

from twindiff.kit import Column, Row, Timestamp, column, references

from .item_tables import User


class Barrier(Row, table="box_shield_information_barriers", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="shield_information_barrier")
    status: Column[str] = column(default="draft")
    created_at: Column[Timestamp | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    updated_by_id: Column[str | None] = references(User, default=None, derived=True)
    enabled_at: Column[Timestamp | None] = column(default=None, derived=True)
    enabled_by_id: Column[str | None] = references(User, default=None, derived=True)
    enables_at: Column[Timestamp | None] = column(default=None, derived=True)
    """When a pending barrier is enabled."""


class Segment(
    Row, table="box_shield_information_barrier_segments", key=("id",), unique=(("barrier_id", "folded_name"),)
):
    id: Column[str]
    type: Column[str] = column(default="shield_information_barrier_segment")
    barrier_id: Column[str] = references(Barrier, on_delete="cascade")
    name: Column[str]
    folded_name: Column[str | None] = column(default=None, derived=True)
    """The case-folded name, which is unique in a barrier."""
    description: Column[str] = column(default="")
    created_at: Column[Timestamp | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    updated_by_id: Column[str | None] = references(User, default=None, derived=True)


class SegmentMember(
    Row,
    table="box_shield_information_barrier_segment_members",
    key=("id",),
    unique=(("segment_id", "user_id"),),
    indexes=(("user_id", "id"),),
):
    id: Column[str]
    type: Column[str] = column(default="shield_information_barrier_segment_member")
    segment_id: Column[str] = references(Segment, on_delete="cascade")
    user_id: Column[str] = references(User, on_delete="cascade")
    created_at: Column[Timestamp | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)


class SegmentRestriction(
    Row,
    table="box_shield_information_barrier_segment_restrictions",
    key=("id",),
    unique=(("segment_id", "restricted_segment_id"),),
    indexes=(("restricted_segment_id", "id"),),
):
    """Two segments whose users must not work together."""

    id: Column[str]
    type: Column[str] = column(default="shield_information_barrier_segment_restriction")
    segment_id: Column[str] = references(Segment, on_delete="cascade")
    restricted_segment_id: Column[str] = references(Segment, on_delete="cascade")
    created_at: Column[Timestamp | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)


class BarrierReport(Row, table="box_shield_information_barrier_reports", key=("id",), indexes=(("barrier_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="shield_information_barrier_report")
    barrier_id: Column[str] = references(Barrier, on_delete="cascade")
    status: Column[str] = column(default="done")
    created_at: Column[Timestamp | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)


TABLES = (Barrier, Segment, SegmentMember, SegmentRestriction, BarrierReport)
