"""Watch channels: webhooks for changes of a resource.

https://developers.google.com/workspace/calendar/api/guides/push
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import datetime
from email.utils import format_datetime
from hashlib import blake2b
from typing import Annotated, Any

from msgspec import Struct

from twindiff.kit import Body, Call, Operations, Store
from twindiff.kit.clock import micros_of
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks
from twindiff.kit.header_values import is_header_text

from .access import actor_of, open_calendar
from .errors import ChannelIdNotUnique, Invalid, NotFound, Required
from .tables import CalendarChannel
from .times import instant_of

api = Operations()

WEEK = 7 * 86_400_000
MILLISECOND = 1_000
_CHANNEL_ID = re.compile(r"[A-Za-z0-9\-_+/=]+")
RETRIES = (1, 2, 4, 8, 16, 32, 64)
"""Seconds between attempts: Google backs off exponentially while a receiver is down."""


class ChannelBody(Struct, rename="camel"):
    """A channel in a request body."""

    id: str | None = None
    type: str | None = None
    address: str | None = None
    token: str | None = None
    expiration: int | None = None
    payload: bool | None = None
    params: dict[str, Any] | None = None
    resource_id: str | None = None


Channel = Annotated[ChannelBody, Body]


@api.post("/calendars/{calendarId}/events/watch")
def watch_events(call: Call, calendar_id: str, channel: Channel) -> dict[str, Any]:
    """Open a channel for changes of a calendar's events."""
    calendar = open_calendar(call, calendar_id, "reader").calendar
    return _watch(call, channel, f"/calendars/{calendar.id}/events", f"/calendars/{calendar.id}/events")


@api.post("/calendars/{calendarId}/acl/watch")
def watch_acl(call: Call, calendar_id: str, channel: Channel) -> dict[str, Any]:
    """Open a channel for changes of a calendar's ACL rules."""
    calendar = open_calendar(call, calendar_id, "writer").calendar
    return _watch(call, channel, f"/calendars/{calendar.id}/acl", f"/calendars/{calendar.id}/acl")


@api.post("/users/me/calendarList/watch")
def watch_calendar_list(call: Call, channel: Channel) -> dict[str, Any]:
    """Open a channel for changes of the user's calendar list."""
    actor_of(call)
    return _watch(call, channel, "/users/me/calendarList", "/users/me/calendarList")


@api.post("/users/me/settings/watch")
def watch_settings(call: Call, channel: Channel) -> dict[str, Any]:
    """Open a channel for changes of the user's settings."""
    return _watch(call, channel, f"/users/{actor_of(call).id}/settings", "/users/me/settings")


def _watch(call: Call, channel: ChannelBody, resource_uri: str, path: str) -> dict[str, Any]:
    if not channel.id or not channel.address:
        raise Required(f"Missing channel {'address' if channel.id else 'id'}.")
    if len(channel.id) > 64 or len(channel.token or "") > 256:
        raise Invalid("A channel's id has at most 64 letters, its token 256.")
    if not _CHANNEL_ID.fullmatch(channel.id):
        raise Invalid(f"Invalid channel id: '{channel.id}'. Use letters, digits and any of - _ + / =")
    if not (is_header_text(channel.id) and is_header_text(channel.token or "")):
        raise Invalid("A channel's id and token are sent in headers: use printable ASCII characters alone.")
    if (channel.type or "web_hook") not in ("web_hook", "webhook"):
        raise Invalid(f"Invalid channel type: '{channel.type}'. Use web_hook")
    if not channel.address.startswith(("https://", "http://")):
        raise Invalid(f"Invalid channel address: '{channel.address}'. Use an HTTPS address")
    row = CalendarChannel(
        id=channel.id,
        resource_id=_resource_id(call.actor, resource_uri),
        resource_uri=resource_uri,
        type=channel.type or "web_hook",
        address=channel.address,
        expiration=_expiration(call, channel),
        token=channel.token,
        params=channel.params,
        payload=bool(channel.payload),
        user_id=call.actor,
        created_at=call.clock.iso(),
    )
    call.db.add(row, taken=ChannelIdNotUnique)
    call.emit("sync", {"channel": row.id})
    return {
        "kind": "api#channel",
        "id": row.id,
        "resourceId": row.resource_id,
        "resourceUri": f"https://www.googleapis.com/calendar/v3{path}?alt=json",
        **({"token": row.token} if row.token else {}),
        "expiration": str(row.expiration),
    }


def _resource_id(actor: str, resource_uri: str) -> str:
    """Return the id that all channels of a resource share: 27 letters."""
    of = f"{actor} {resource_uri}" if resource_uri.startswith("/users/me/") else resource_uri
    return urlsafe_b64encode(blake2b(of.encode(), digest_size=20).digest()).decode()[:27]


def _expiration(call: Call, channel: ChannelBody) -> int:
    """Return the expiration in milliseconds since 1970: as given, else by the parameter `ttl`, else a week from now."""
    now = call.clock.micros // MILLISECOND
    if channel.expiration:
        if channel.expiration <= now:
            raise Invalid("Invalid channel expiration: it has passed.")
        return channel.expiration
    ttl = str((channel.params or {}).get("ttl", ""))
    return now + (int(ttl[:9]) * 1_000 if ttl.isascii() and ttl.isdecimal() else WEEK)


@api.post("/channels/stop", status=204)
def stop_channel(call: Call, channel: Channel) -> None:
    """Stop a channel."""
    if not channel.id or not channel.resource_id:
        raise Required(f"Missing channel {'resourceId' if channel.id else 'id'}.")
    here = CalendarChannel.id == channel.id, CalendarChannel.resource_id == channel.resource_id
    row = call.db.find(CalendarChannel, *here)
    if row is None or row.user_id not in (None, call.actor):
        raise NotFound(f"Channel '{channel.id}' not found for project")
    call.db.remove(row)


def subscription(row: CalendarChannel, db: Store) -> Subscription:
    """Convert a channel row to the webhook subscription that delivers to it."""
    created = micros_of(datetime.fromisoformat(row.created_at)) if row.created_at else 0
    return Subscription(row.id, row.address, "", (row.resource_uri,), row.user_id or "", created)


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    """Yield the notification of an event to a channel: `sync` when it opens, `exists` for changes until it expires.
    A webhook of the settings is notified as if it had a channel for each resource.
    """
    row = (
        _channel_of_settings(event, subscription)
        if subscription.of_settings
        else _find_channel(event, subscription, db)
    )
    if row is None:
        return
    number = 1 if event.name == "sync" else event.seq * 1_000 + event.number + 2
    headers = {
        "X-Goog-Channel-ID": row.id,
        "X-Goog-Message-Number": str(number),
        "X-Goog-Resource-ID": row.resource_id,
        "X-Goog-Resource-State": event.name,
        "X-Goog-Resource-URI": f"https://www.googleapis.com/calendar/v3{row.resource_uri}?alt=json",
    }
    if row.token:
        headers["X-Goog-Channel-Token"] = row.token
    if row.expiration:
        expires = instant_of(row.expiration * MILLISECOND)
        headers["X-Goog-Channel-Expiration"] = format_datetime(expires, usegmt=True)
    yield Notification(f"{event.seq}-{event.number}-{row.id}", event.name, headers)


def _find_channel(event: Emitted, subscription: Subscription, db: Store) -> CalendarChannel | None:
    """Find the channel of a subscription, if an event concerns it and it has not expired."""
    row = db.find(CalendarChannel, CalendarChannel.id == subscription.id)
    if row is None or (row.expiration is not None and row.expiration * MILLISECOND <= event.at):
        return None
    if event.name == "sync":
        return row if event.payload["channel"] == row.id else None
    return row if _concerns(event.payload["resource_uri"], row) else None


def _channel_of_settings(event: Emitted, subscription: Subscription) -> CalendarChannel | None:
    """Build the channel that a webhook of the settings would have for the resource of an event; its secret is the
    channel's token.
    """
    if event.name == "sync" or (subscription.events and event.name not in subscription.events):
        return None
    uri = event.payload["resource_uri"]
    return CalendarChannel(
        id=subscription.id,
        resource_id=_resource_id(subscription.actor, uri),
        resource_uri=uri,
        type="web_hook",
        address=subscription.url,
        token=subscription.secret,
    )


def _concerns(resource_uri: str, row: CalendarChannel) -> bool:
    """Whether a channel watches a resource; the calendar list is watched under the alias `me`."""
    own = f"/users/{row.user_id}/calendarList"
    return resource_uri == row.resource_uri or (resource_uri == own and row.resource_uri == "/users/me/calendarList")


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build the request of one attempt: the notification is in the headers, and the body is empty."""
    return WebhookRequest(subscription.url, tuple(notification.body.items()), b"")


webhooks = Webhooks(
    notifications,
    request,
    retries=RETRIES,
    names=frozenset({"sync", "exists"}),
    table=CalendarChannel,
    subscription=subscription,
)
