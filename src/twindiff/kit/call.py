"""All a handler is given besides the vendor's own parameters."""

from __future__ import annotations

from typing import Any

from .blobs import Blobs, NoBlobs
from .clock import Clock
from .events import QueuedEvent
from .ids import Ids
from .store import Store

_NO_BLOBS = NoBlobs()


class Call:
    """One operation: who makes it with which token, the rows and bytes it may touch, the time and the ids it has."""

    __slots__ = ("actor", "base_url", "blobs", "clock", "db", "ids", "memo", "token")

    def __init__(
        self, actor: str, db: Store, clock: Clock, base_url: str = "", *, blobs: Blobs = _NO_BLOBS, token: str = ""
    ) -> None:
        self.actor = actor
        self.db = db
        self.clock = clock
        self.ids = Ids(db.next, clock)
        self.base_url = base_url
        self.blobs = blobs
        self.token = token
        self.memo: dict[str, Any] = {}
        """What the operation has found out and may ask for again; emptied when a GraphQL document has written."""

    def emit(self, name: str, payload: dict[str, Any]) -> None:
        """Record an event for those who subscribed; it is delivered after the commit, if at all."""
        event_id = self.db.next("event")
        self.db.add(QueuedEvent(event_id=event_id, name=name, payload=payload, emitted_at=self.clock.iso()))
