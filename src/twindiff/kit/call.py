"""The context of one operation, which every handler gets as its first argument."""

from __future__ import annotations

from typing import Any

from .auth import Tokens
from .blobs import Blobs, NoBlobs
from .clock import Clock
from .events import Event
from .ids import Ids
from .own_addresses import OWN_ADDRESS
from .store import Store

_NO_BLOBS = NoBlobs()
_NO_TOKENS = Tokens("")


class Call:
    """The context of one operation.

    `actor` is the id of the user that `token` acts as, `db` the rows and `blobs` the files of the environment, `clock`
    the time of the operation, and `ids` the source of new ids. `base_url` is the twin's URL without a trailing slash:
    `OWN_ADDRESS`, in whose place a response names the address by which its reader came.
    """

    __slots__ = (
        "actor",
        "base_url",
        "blobs",
        "came_by",
        "clock",
        "db",
        "ids",
        "memo",
        "secret",
        "strict",
        "token",
        "tokens",
    )

    def __init__(
        self,
        actor: str,
        db: Store,
        clock: Clock,
        base_url: str = OWN_ADDRESS,
        *,
        blobs: Blobs = _NO_BLOBS,
        token: str = "",
        secret: str = "",
        strict: bool = False,
        tokens: Tokens = _NO_TOKENS,
        came_by: str = "",
    ) -> None:
        self.actor = actor
        self.db = db
        self.clock = clock
        self.ids = Ids(db.next, clock)
        self.base_url = base_url
        self.blobs = blobs
        self.token = token
        self.secret = secret
        """A secret of the environment that signs URLs which are opened without a token."""
        self.strict = strict
        """Whether to follow the vendor where the default is looser for the sake of public test suites."""
        self.tokens = tokens
        """The credentials of the environment."""
        self.came_by = came_by
        """The address by which the caller came, for links in deliveries; empty for scheduled work."""
        self.memo: dict[str, Any] = {}
        """A cache for the duration of the operation; cleared when a mutation of a GraphQL document writes."""

    def emit(self, name: str, payload: dict[str, Any]) -> None:
        """Emit an event, by the vendor's name, to its subscribers once the operation is committed.

        `payload` is JSON. The event is stored in the operation's journal record, so an operation that changes no row
        emits nothing. Raises TypeError in an operation that only reads.
        """
        self.db.emit(Event(name, payload, self.came_by))
