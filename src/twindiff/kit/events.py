"""Events that operations emit: rows of a bookkeeping table that every twin has."""

from __future__ import annotations

from .rows import Column, Json, Row, Timestamp


class QueuedEvent(Row, table="queued_events", key=("event_id",), visibility="bookkeeping"):
    event_id: Column[int]
    name: Column[str]
    payload: Column[Json]
    emitted_at: Column[Timestamp]
