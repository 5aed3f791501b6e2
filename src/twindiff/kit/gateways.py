"""Gateways: WebSockets over which a vendor speaks a protocol of its own, with a sign-in and sessions that go on.

A twin's `Webhooks.gateway` opens a `GatewaySession` for each connection. The session keeps the state of the protocol;
the server reads frames, tells the session of events in the order of the journal, and sends what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from .call import Call
from .events import Emitted

Frame = dict[str, Any]


class GatewayClosed(Exception):
    """The connection ends with a code and a reason of the vendor's."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class GatewayMoment(NamedTuple):
    """What a session may ask of the environment: `call` reads rows, and `seq` is the number of the last record.

    `sign_in` returns the id of the user that a token acts as; it raises ApiError. `events` returns the events of the
    twin from the record after a number up to `seq`.
    """

    call: Call
    seq: int
    sign_in: Callable[[str], str]
    events: Callable[[int], Iterable[Emitted]]


class GatewaySession(Protocol):
    """One connection to a gateway. Each method but `pack` returns frames to send, in order."""

    position: int | None
    """The number of the record after which it is told of events; None until the client has signed in."""

    def greet(self) -> Iterable[Frame]:
        """Return the first frames."""
        ...

    def hear(self, frame: Frame, moment: GatewayMoment) -> Iterable[Frame]:
        """Answer a frame of the client; raises GatewayClosed."""
        ...

    def tell(self, event: Emitted, call: Call) -> Iterable[Frame]:
        """Tell the client of an event."""
        ...

    def pack(self, text: bytes) -> str | bytes:
        """Return the JSON of a frame as it is sent: a text, or bytes of the connection's compression."""
        ...


class EventGateway(NamedTuple):
    """A vendor's gateway.

    `path` is below the twin's URL. `open` returns the session of a connection, given the parameters of its query; it
    raises GatewayClosed. A client that is silent for `silence_seconds` is closed with `silent`, and one that sends
    what is no JSON with `undecodable`.
    """

    path: str
    open: Callable[[Mapping[str, str]], GatewaySession]
    silence_seconds: float
    silent: GatewayClosed
    undecodable: GatewayClosed
