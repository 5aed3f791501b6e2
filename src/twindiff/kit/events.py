"""Events that operations emit, and how a twin delivers them to subscribers as its vendor does.

An operation emits events with `Call.emit`. A twin's `Webhooks` defines the subscriptions, the notifications of each
event and the format of a request; the server does the rest: order, time-outs, retries, records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from .gateways import EventGateway
    from .rows import Row
    from .store import Store


OVER_SOCKETS = "socket:"
"""The URL of a subscription that is delivered over WebSockets which the subscriber opens."""


class Event(NamedTuple):
    """An event, by the vendor's name for it; the payload is JSON.

    `came_by` is the address of the twin by which the caller came, which deliveries name in place of OWN_ADDRESS.
    """

    name: str
    payload: dict[str, Any]
    came_by: str = ""


class Emitted(NamedTuple):
    """A stored event: number `number`, counted from 0, of the journal record `seq` of an environment.

    `actor` is the id of the user who caused it, and `at` is the environment's time in microseconds since 1970.
    """

    environment: str
    seq: int
    number: int
    operation: str
    actor: str
    at: int
    name: str
    payload: dict[str, Any]
    came_by: str = ""


class Subscription(NamedTuple):
    """A subscription: its URL, the vendor's names of its events, and the secret that signs its requests.

    `actor` is the id of the user that the subscribing program acts as. `created` is the environment's time, in
    microseconds since 1970, from which on events are delivered; it is 0 unless a row of the twin has it. One
    `of_settings` has no row: it stands for a subscription to each resource of the vendor's API. Its `events` may be
    empty, which means all.
    """

    id: str
    url: str
    secret: str
    events: tuple[str, ...]
    actor: str = ""
    created: int = 0
    of_settings: bool = False


class Notification(msgspec.Struct, frozen=True):
    """A message to a subscriber about an event: `id` is permanent, `type` is the vendor's, `body` is JSON."""

    id: str
    type: str
    body: dict[str, Any]


Failure = Literal["timeout", "refused", "status", "redirect", "tls", "error"]
"""Why an attempt failed: no response in time, no connection, an error status, a redirect, TLS, or another error."""


class DeliveryAttempt(NamedTuple):
    """An attempt to deliver: `number` is 0 for the first; `at` is the wall time in microseconds since 1970, by which
    receivers check the age of a signature; `failure` is the reason why the attempt before it failed."""

    number: int
    at: int
    failure: Failure | None = None


class WebhookRequest(NamedTuple):
    """An HTTP POST to a subscriber."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class WebhookAnswer(NamedTuple):
    """A subscriber's response; header names are lower-case, and the body is cut off after 64 KB."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Sockets(NamedTuple):
    """How a vendor delivers over WebSockets that the subscriber opens.

    `path` is below the twin's URL. `authorizes(secret, query)` returns whether the ticket in the query, a mapping by
    name, was issued with the secret of the environment (`Call.secret`). A subscriber may have `max_open` sockets; a
    further one is closed with the frame `goodbye(too_many)`. `hello(count)` returns the first frame, given the number
    of the subscriber's sockets. `frame` returns the frame of a notification. `acknowledged` returns the id of the
    notification that a frame from the subscriber acknowledges, or None.
    """

    path: str
    authorizes: Callable[[str, Mapping[str, str]], bool]
    hello: Callable[[int], dict[str, Any]]
    frame: Callable[[Notification, DeliveryAttempt], dict[str, Any]]
    acknowledged: Callable[[dict[str, Any]], str | None]
    goodbye: Callable[[str], dict[str, Any]]
    max_open: int = 10
    too_many: str = "too_many_websockets"


class Webhooks(NamedTuple):
    """How a vendor delivers events to subscribers.

    `notifications` returns the messages about one event for one subscription, often none; the store has the current
    rows. `request` formats and signs one attempt. `retries` are the delays in seconds before each retry of a failed
    attempt. `names` are the events that a client can subscribe to, if they are known.

    If the vendor's API manages subscriptions, `table` holds them, and `subscription` converts a row, as it was at the
    time of the event, or returns None for one without deliveries, such as a disabled one. If a subscriber must prove
    itself first, `challenge` makes that request and `proves` checks the response.
    """

    notifications: Callable[[Emitted, Subscription, Store], Iterable[Notification]]
    request: Callable[[Notification, Subscription, DeliveryAttempt], WebhookRequest]
    retries: tuple[float, ...] = ()
    timeout_seconds: float = 10
    names: frozenset[str] | None = None
    is_final: Callable[[WebhookAnswer], bool] = lambda answer: False
    """Whether a response with an error status means that no retry follows."""
    table: type[Row] | None = None
    subscription: Callable[[Any, Store], Subscription | None] | None = None
    challenge: Callable[[Subscription, str, DeliveryAttempt], WebhookRequest] | None = None
    proves: Callable[[WebhookAnswer, str], bool] = lambda answer, challenge: True
    no_settings: str = ""
    """Why no webhooks of the settings are possible and what to do, where events exist only for rows of `table`."""
    sockets: Sockets | None = None
    gateway: EventGateway | None = None
    """The vendor's gateway, whose sessions are told of all events."""
