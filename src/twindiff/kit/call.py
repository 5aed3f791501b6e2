"""All a handler is given besides the vendor's own parameters."""

from __future__ import annotations

from typing import Any

from .auth import Tokens
from .blobs import Blobs, NoBlobs
from .clock import Clock
from .events import Event
from .ids import Ids
from .store import Store

_NO_BLOBS = NoBlobs()
_NO_TOKENS = Tokens("")


class Call:
    """One operation: who makes it with which token, the rows and bytes it may touch, the time and the ids it has."""

    __slots__ = ("actor", "base_url", "blobs", "clock", "db", "ids", "memo", "secret", "strict", "token", "tokens")

    def __init__(
        self,
        actor: str,
        db: Store,
        clock: Clock,
        base_url: str = "",
        *,
        blobs: Blobs = _NO_BLOBS,
        token: str = "",
        secret: str = "",
        strict: bool = False,
        tokens: Tokens = _NO_TOKENS,
    ) -> None:
        self.actor = actor
        self.db = db
        self.clock = clock
        self.ids = Ids(db.next, clock)
        self.base_url = base_url
        self.blobs = blobs
        self.token = token
        self.secret = secret
        """What only this environment's twins know, to sign addresses that are opened without a token."""
        self.strict = strict
        """Whether the environment holds to the vendor where public suites rely on looser behaviour."""
        self.tokens = tokens
        """The credentials that the environment was made with."""
        self.memo: dict[str, Any] = {}
        """What the operation has found out and may ask for again; emptied when a GraphQL document has written."""

    def emit(self, name: str, payload: dict[str, Any]) -> None:
        """Tell those who subscribed of an event, after the commit.

        It stands in the operation's journal record, so an operation that changes no row tells nobody of anything.
        Raises TypeError in an operation that only reads.
        """
        self.db.emit(Event(name, payload))
