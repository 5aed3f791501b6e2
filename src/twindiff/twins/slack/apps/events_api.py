"""Slack's Events API: selection of events, their envelope, and request signatures.

https://docs.slack.dev/apis/events-api https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from hashlib import blake2b, sha256
from typing import Any

from twindiff.kit import Store
from twindiff.kit.clock import SECOND
from twindiff.kit.events import (
    DeliveryAttempt,
    Emitted,
    Failure,
    Notification,
    Subscription,
    WebhookAnswer,
    WebhookRequest,
    Webhooks,
)

from ..core.access import is_member, workspace
from ..core.tables import Channel, User
from ..rendering.user_views import app_id_of
from .socket_mode import sockets

NAMES = frozenset(
    (
        "app_mention",
        *(f"channel_{each}" for each in ("archive", "created", "rename", "unarchive")),
        *(f"file_{each}" for each in ("created", "deleted", "public")),
        *(f"group_{each}" for each in ("archive", "open", "rename", "unarchive")),
        "im_created",
        *(f"member_{each}_channel" for each in ("joined", "left")),
        *(f"message.{each}" for each in ("channels", "groups", "im", "mpim")),
        *(f"{what}_{each}" for what in ("pin", "reaction") for each in ("added", "removed")),
        *(f"subteam_{each}" for each in ("created", "updated")),
        "user_profile_changed",
    )
)
"""The event types that this twin emits."""

_MESSAGES = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}
_OF_A_MESSAGE = ("type", "user", "text", "ts", "thread_ts", "blocks")
_OF_A_MENTION = ("user", "text", "ts", "channel", "event_ts", "thread_ts", "blocks")
_FOR_ALL = "channel_"
"""The prefix of events that every app receives, members of the channel or not."""
_REASONS: dict[Failure | None, str] = {
    "timeout": "http_timeout",
    "refused": "connection_failed",
    "status": "http_error",
    "redirect": "too_many_redirects",
    "tls": "ssl_error",
}


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    """Yield the notifications of an event to an app that may see it.

    A message that mentions the app yields two, `message` and `app_mention`.
    """
    if not _may_see(event, subscription.actor, db):
        return
    wanted = subscription.events or NAMES
    inner = _inner(event)
    if event.name != "message":
        if event.name in wanted:
            yield _build_notification(event, subscription, db, event.name, inner)
        return
    if _MESSAGES.get(inner.get("channel_type", "")) in wanted:
        yield _build_notification(event, subscription, db, "message", inner)
    if "app_mention" in wanted and _mentions(inner, subscription.actor):
        kept = {name: inner[name] for name in _OF_A_MENTION if name in inner}
        yield _build_notification(event, subscription, db, "app_mention", {"type": "app_mention", **kept})


def _mentions(inner: dict[str, Any], user: str) -> bool:
    return "subtype" not in inner and inner.get("channel_type") != "im" and f"<@{user}>" in inner.get("text", "")


def _may_see(event: Emitted, user: str, db: Store) -> bool:
    """Whether an app acting as `user` receives the event: as a member of its channel, or if it is for every app."""
    place = event.payload.get("channel") or event.payload.get("channel_id")
    if place is None or event.name.startswith(_FOR_ALL):
        return True
    channel = place if isinstance(place, str) else event.payload["channel"]["id"]
    room = db.find(Channel, Channel.channel_id == channel)
    if room is None:
        return False
    return is_member(db, room, user) or (event.name == "member_left_channel" and event.payload.get("user") == user)


def _inner(event: Emitted) -> dict[str, Any]:
    """Build the inner `event` object in Slack's form."""
    at = f"{event.at // SECOND}.{event.at % SECOND:06d}"
    payload = event.payload
    if event.name != "message":
        return {"type": event.name, **payload, "event_ts": at}
    subtype = payload.get("subtype")
    if subtype not in ("message_changed", "message_deleted"):
        return {**payload, "event_ts": payload["ts"]}
    around = {name: payload[name] for name in ("type", "subtype", "channel", "channel_type")}
    around |= {"hidden": True, "ts": at, "event_ts": at}
    message = {name: payload[name] for name in _OF_A_MESSAGE if name in payload}
    if subtype == "message_deleted":
        previous = payload.get("previous_message", message)
        return {**around, "deleted_ts": payload["ts"], "previous_message": previous}
    if "message" in payload:
        return {**around, "message": payload["message"], "previous_message": message}
    edited = {**message, "edited": {"user": event.actor, "ts": at}}
    return {**around, "message": edited}


def _build_notification(
    event: Emitted, subscription: Subscription, db: Store, kind: str, inner: dict[str, Any]
) -> Notification:
    """Wrap an event in the envelope `event_callback`."""
    team = workspace(db).team_id
    person = db.find(User, User.user_id == subscription.actor)
    named = blake2b(f"{event.environment} {event.seq} {event.number} {kind}".encode(), digest_size=5).hexdigest()
    event_id = f"Ev0{named.upper()}"
    acting = {
        "enterprise_id": None,
        "team_id": team,
        "user_id": subscription.actor,
        "is_bot": True,
        "is_enterprise_install": False,
    }
    body = {
        "token": verification_token(subscription),
        "team_id": team,
        "context_team_id": team,
        "context_enterprise_id": None,
        "api_app_id": app_id_of(person) if person else "",
        "event": inner,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": event.at // SECOND,
        "authorizations": [acting],
        "is_ext_shared_channel": False,
    }
    return Notification(f"{event_id}-{subscription.id}", kind, body)


def verification_token(subscription: Subscription) -> str:
    """Return the deprecated verification token, which Slack sends in addition to the signature."""
    return blake2b(subscription.id.encode(), key=subscription.secret.encode()[:64], digest_size=12).hexdigest()


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build the request of one attempt; retries have headers with their number and reason."""
    again: tuple[tuple[str, str], ...] = ()
    if attempt.number:
        reason = _REASONS.get(attempt.failure, "unknown_error")
        again = (("X-Slack-Retry-Num", str(attempt.number)), ("X-Slack-Retry-Reason", reason))
    return _sign_request(notification.body, subscription, attempt, again)


def challenge(subscription: Subscription, challenge: str, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build the `url_verification` request that checks that an address accepts events."""
    body = {"token": verification_token(subscription), "challenge": challenge, "type": "url_verification"}
    return _sign_request(body, subscription, attempt)


def proves(answer: WebhookAnswer, challenge: str) -> bool:
    """Whether a response to `url_verification` contains the challenge, as text, JSON or a form."""
    return challenge.encode() in answer.body


def _sign_request(
    body: dict[str, Any],
    subscription: Subscription,
    attempt: DeliveryAttempt,
    headers: tuple[tuple[str, str], ...] = (),
) -> WebhookRequest:
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    at = attempt.at // SECOND
    signature = hmac.new(subscription.secret.encode(), b"v0:%d:%s" % (at, data), sha256).hexdigest()
    always = (
        ("Content-Type", "application/json"),
        ("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)"),
        ("X-Slack-Request-Timestamp", str(at)),
        ("X-Slack-Signature", f"v0={signature}"),
    )
    return WebhookRequest(subscription.url, (*always, *headers), data)


def wants_no_retry(answer: WebhookAnswer) -> bool:
    """Whether the response asks Slack not to retry, by the header `X-Slack-No-Retry`."""
    return answer.headers.get("x-slack-no-retry") == "1"


webhooks = Webhooks(
    notifications,
    request,
    retries=(0, 60, 300),
    timeout_seconds=3,
    names=NAMES,
    is_final=wants_no_retry,
    challenge=challenge,
    proves=proves,
    sockets=sockets,
)
