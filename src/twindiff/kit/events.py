"""Events: what an operation tells those who subscribed, and how a twin's vendor tells them.

An operation notes events with `Call.emit`. A twin with `Webhooks` says who subscribed, which of an event's messages are
theirs, and what a request with a message looks like; the server does the rest: order, time-outs, retries, records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from .rows import Row
    from .store import Store


OVER_SOCKETS = "socket:"
"""The URL of a subscription that is told over sockets that it opens."""


class Event(NamedTuple):
    """One thing that happened, by the vendor's name for it; the payload is JSON."""

    name: str
    payload: dict[str, Any]


class Emitted(NamedTuple):
    """An event of an operation: the `number`th, counted from 0, of the journal record `seq` of `environment`.

    `actor` made it happen, and `at` is the environment's time then, in microseconds since 1970.
    """

    environment: str
    seq: int
    number: int
    operation: str
    actor: str
    at: int
    name: str
    payload: dict[str, Any]


class Subscription(NamedTuple):
    """Somebody who is told: where, of which events by the vendor's names, and with which secret it is signed.

    `actor` is the user that the subscribing program acts as. `created` is when a row of the twin began to count, by the
    environment's clock, in microseconds since 1970: what happened before is not told of.
    """

    id: str
    url: str
    secret: str
    events: tuple[str, ...]
    actor: str = ""
    created: int = 0


class Notification(msgspec.Struct, frozen=True):
    """What a subscriber is told of an event: `id` names it for ever, `type` is the vendor's, `body` is JSON."""

    id: str
    type: str
    body: dict[str, Any]


Failure = Literal["timeout", "refused", "status", "redirect", "tls", "error"]
"""Why an attempt failed: no answer in time, no connection, a status of failure, a redirect, TLS, or something else."""


class DeliveryAttempt(NamedTuple):
    """A try to deliver: `number` is 0 for the first; `at` is the wall clock in microseconds since 1970, by which
    receivers judge how old a signature is; `failure` is what became of the one before it."""

    number: int
    at: int
    failure: Failure | None = None


class WebhookRequest(NamedTuple):
    """A POST to a subscriber, as it goes over the wire."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class WebhookAnswer(NamedTuple):
    """What a subscriber answered; header names are lower-case, and the body ends after 64 KB."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class InvalidSubscription(ValueError):
    """Somebody wants to be told of what there is not, or cannot be told; the message says why."""


class Sockets(NamedTuple):
    """How a vendor delivers over WebSockets that the subscriber opens.

    `path` is where, below the twin's address. `authorizes` says of a query, by name, whether its ticket was
    issued with the secret of the environment (`Call.secret`).
    At most `max_open` are open of one subscriber; one more is told `too_many` as the reason of its goodbye.
    `hello` is the first frame, given how many sockets the subscriber has. `frame` carries a notification, and
    `acknowledged` is the id of the notification that a frame from the subscriber acknowledges, or None.
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
    """How a vendor tells subscribers of events.

    `notifications` gives what one subscriber is told of one event, with the rows as they are now; often nothing.
    `request` shapes and signs one attempt. `retries` are the seconds after which a failed attempt is tried again, in
    turn. `names` are the events that can be subscribed to, if they are known.

    Where the vendor's API manages subscriptions, `table` holds them and `subscription` reads a row of it as it was when
    an event happened: None if nobody is told by it, as by one that is disabled. Where a subscriber must prove itself
    first, `challenge` is the request that asks for it and `proves` judges the answer.
    """

    notifications: Callable[[Emitted, Subscription, Store], Iterable[Notification]]
    request: Callable[[Notification, Subscription, DeliveryAttempt], WebhookRequest]
    retries: tuple[float, ...] = ()
    timeout_seconds: float = 10
    names: frozenset[str] | None = None
    is_final: Callable[[WebhookAnswer], bool] = lambda answer: False
    """Whether an answer that fails asks for no retry."""
    table: type[Row] | None = None
    subscription: Callable[[Any, Store], Subscription | None] | None = None
    challenge: Callable[[Subscription, str, DeliveryAttempt], WebhookRequest] | None = None
    proves: Callable[[WebhookAnswer, str], bool] = lambda answer, challenge: True
    sockets: Sockets | None = None
