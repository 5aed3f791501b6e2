"""Socket Mode: events over a WebSocket that the app opens. https://docs.slack.dev/apis/events-api/using-socket-mode"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from uuid import UUID

from twindiff.kit.auth import is_same_secret
from twindiff.kit.events import DeliveryAttempt, Failure, Notification, Sockets

PATH = "/link"
"""The path of the WebSocket below the twin's address, as in `apps.connections.open`."""
APP = "A0TWINDIFF"
SECONDS_TO_LIVE = 3600
_REASONS: dict[Failure | None, str] = {"timeout": "timeout", "refused": "no_connection"}


def ticket(secret: str, issued: str) -> str:
    """Return the ticket that authorizes a connection: the time `issued`, signed with the environment's secret."""
    signature = blake2b(issued.encode(), key=secret.encode()[:64], digest_size=16).hexdigest()
    return f"{issued}-{signature}"


def authorizes(secret: str, query: Mapping[str, str]) -> bool:
    """Whether the query of a connection has a valid ticket from `apps.connections.open`."""
    given = query.get("ticket", "")
    return is_same_secret(given, ticket(secret, given.partition("-")[0]))


def hello(connections: int) -> dict[str, Any]:
    """Build the first frame of a connection."""
    return {
        "type": "hello",
        "num_connections": connections,
        "debug_info": {"host": "twindiff", "approximate_connection_time": SECONDS_TO_LIVE},
        "connection_info": {"app_id": APP},
    }


def envelope_id(notification: Notification) -> str:
    """Return the envelope id of a notification, which is the same for all attempts."""
    return str(UUID(bytes=blake2b(notification.id.encode(), digest_size=16).digest(), version=4))


def frame(notification: Notification, attempt: DeliveryAttempt) -> dict[str, Any]:
    """Wrap an event in an envelope that the app must acknowledge."""
    return {
        "envelope_id": envelope_id(notification),
        "type": "events_api",
        "payload": notification.body,
        "accepts_response_payload": False,
        "retry_attempt": attempt.number,
        "retry_reason": _REASONS.get(attempt.failure, "") if attempt.number else "",
    }


def read_envelope_id(frame: dict[str, Any]) -> str | None:
    """Return the envelope id that an app's frame acknowledges, or None."""
    value = frame.get("envelope_id")
    return value if isinstance(value, str) else None


def goodbye(reason: str) -> dict[str, Any]:
    """Build the frame before Slack closes a connection, after which the app reconnects."""
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "twindiff"}}


sockets = Sockets(PATH, authorizes, hello, frame, read_envelope_id, goodbye)
