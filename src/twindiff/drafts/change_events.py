"""Events of changes, and their delivery to webhooks as an overlay says."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.clock import SECOND, Clock
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks
from twindiff.kit.gateways import EventGateway
from twindiff.kit.store import Store

from .overlay import Overlay, SignatureOverlay, SubscriptionOverlay, WebhookOverlay
from .placeholders import fill_placeholders, look_up, names_in
from .signatures import sign_message
from .stored_objects import StoredObjects
from .tables import StoredResource

_DONE = {"create": "created", "update": "updated", "delete": "deleted"}
HANDSHAKE = "handshake"
"""The event by which a new subscription is told its secret."""
_DEFAULT_BODY = {
    "id": "$id",
    "event": "$event",
    "created_at": "$iso_time",
    "data": "$object",
    "previous": "$previous",
}


class ChangeEvents:
    """Emits the events of changes; without webhooks in the overlay there are none."""

    def __init__(self, overlay: Overlay, objects: StoredObjects) -> None:
        self._webhooks, self._objects = overlay.webhooks, objects

    def emit(
        self,
        call: Call,
        stored: StoredResource,
        causes: Sequence[str],
        before: Mapping[str, Any],
        fields: Mapping[str, Any],
        above: Mapping[str, Any],
    ) -> None:
        """Emit the event of a change.

        `causes` are the names under which an overlay may have its event: the operation and `create`, `update` or
        `delete`. `before` are the stored fields before it and `fields` those after it; `above` are the ids, by
        placeholder, of what the object stands below.
        """
        if self._webhooks is None:
            return
        subscriptions = self._webhooks.subscriptions
        if subscriptions and subscriptions.handshake and stored.table == subscriptions.table and "create" in causes:
            call.emit(HANDSHAKE, {"table": stored.table, "key": fields.get(stored.resource.key)})
            return
        form = event_name(self._webhooks, stored, causes)
        if not form:
            return
        shown = self._objects.show_alone(call, stored, fields)
        changed = {name: before.get(name) for name in {**before, **fields} if before.get(name) != fields.get(name)}
        name = str(fill_placeholders(form, lambda each: look_up(each, fields)))
        key = fields.get(stored.resource.key)
        previous = changed if before and "delete" not in causes else {}
        about = {"above": {each: id for each, id in above.items() if id is not None}} if above else {}
        call.emit(name, {"table": stored.table, "key": key, "object": shown, "previous": previous, **about})


def emit_document_change(
    call: Call, table: str, cause: str, key: Any, fields: Mapping[str, Any], before: Mapping[str, Any] | None = None
) -> None:
    """Emit the event of a document of a declared collection: `create`, `update` or `delete`.

    There is one if the overlay of its draft has webhooks, for this table or without a choice of events. `before` are
    the fields before an update.
    """
    webhooks: WebhookOverlay | None = call.memo.get("webhooks")
    form = document_event_name(webhooks, table, cause) if webhooks else ""
    if not form:
        return
    was = before or {}
    changed = {name: was.get(name) for name in {**was, **fields} if was.get(name) != fields.get(name)}
    name = str(fill_placeholders(form, lambda each: look_up(each, fields)))
    previous = changed if before else {}
    call.emit(name, {"table": table, "key": key, "object": dict(fields), "previous": previous})


def document_event_name(webhooks: WebhookOverlay, table: str, cause: str) -> str:
    """Return the form of the name of an event of a declared collection; empty for a change without one."""
    if not webhooks.events:
        return f"{table.removesuffix('s')}.{_DONE[cause]}"
    return webhooks.events.get(table, {}).get(cause, "")


def event_name(webhooks: WebhookOverlay, stored: StoredResource, causes: Sequence[str]) -> str:
    """Return the form of the name of an event; empty for a change without one."""
    if not webhooks.events:
        return f"{stored.resource.name}.{_DONE[causes[-1]]}"
    of_table = webhooks.events.get(stored.table, {})
    return next((of_table[cause] for cause in causes if cause in of_table), "")


def make_webhooks(
    overlay: Overlay, objects: StoredObjects, gateway: EventGateway | None = None, collections: Sequence[str] = ()
) -> Webhooks | None:
    """Return how an overlay says that events are delivered; None if it says nothing.

    `collections` are the tables of handlers beside those of the description.
    """
    declared = overlay.webhooks
    if declared is None:
        return None
    subscriptions = declared.subscriptions
    kept = objects.by_table[subscriptions.table] if subscriptions else None
    read = _make_reader(subscriptions, kept) if subscriptions and kept else None
    return Webhooks(
        notifications=_make_notifier(declared),
        request=_make_sender(declared),
        retries=tuple(declared.retries),
        names=_names_of(declared, objects, collections),
        table=kept.row if kept else None,
        subscription=read,
        gateway=gateway,
    )


def _names_of(declared: WebhookOverlay, objects: StoredObjects, collections: Sequence[str]) -> frozenset[str] | None:
    """Return the names of the events; None if some depend on fields of objects."""
    forms = [name for events in declared.events.values() for name in events.values()]
    if not forms:
        forms = [event_name(declared, kept, (cause,)) for kept in objects.by_table.values() for cause in _DONE]
        forms += [document_event_name(declared, table, cause) for table in collections for cause in _DONE]
    handshake = [HANDSHAKE] if declared.subscriptions and declared.subscriptions.handshake else []
    return None if any([*names_in(form)] for form in forms) else frozenset([*forms, *handshake])


def _make_reader(declared: SubscriptionOverlay, kept: StoredResource) -> Callable[[Any, Store], Subscription | None]:
    derived = bool(declared.handshake)

    def read(row: Any, store: Store) -> Subscription | None:
        def field(name: str) -> Any:
            return getattr(row, kept.columns[name]) if name in kept.columns else None

        if not field(declared.url) or (declared.active and field(declared.active) is False):
            return None
        key = str(getattr(row, kept.key.name))
        secret = str(field(declared.secret) or (blake2b(key.encode(), digest_size=16).hexdigest() if derived else ""))
        return Subscription(key, str(field(declared.url)), secret, _read_names(field(declared.events)))

    return read


def _read_names(given: Any) -> tuple[str, ...]:
    """Return the names of events in a field: a text, a list of texts, or of objects with a `type` or `name`."""
    listed = cast(list[Any], given) if isinstance(given, list) else [given] if given else []
    names: list[str] = []
    for each in listed:
        if isinstance(each, Mapping):
            fields = cast(Mapping[str, Any], each)
            each = next((fields[name] for name in ("type", "event", "name", "id") if fields.get(name)), "")
        names += [part.strip() for part in str(each).split(",") if part.strip()]
    return tuple(names)


def _wants(subscription: Subscription, event: str) -> bool:
    """Return whether a subscription asks for an event: by its name, by `order.*`, by `*`, or by asking for none."""
    return not subscription.events or any(
        each in ("*", event) or (each.endswith("*") and event.startswith(each[:-1])) for each in subscription.events
    )


def _make_notifier(declared: WebhookOverlay) -> Callable[[Emitted, Subscription, Store], Iterator[Notification]]:
    template: Any = _DEFAULT_BODY if declared.body is None else declared.body

    def notify(event: Emitted, subscription: Subscription, store: Store) -> Iterator[Notification]:
        is_own = declared.subscriptions is not None and declared.subscriptions.own
        if event.name == HANDSHAKE and str(event.payload.get("key")) != subscription.id:
            return
        wants = event.name == HANDSHAKE or _wants(subscription, event.name)
        if not wants or (is_own and str(event.payload.get("key")) != subscription.id):
            return
        about = f"{event.environment}.{event.seq}.{event.number}.{subscription.id}".encode()
        id = str(UUID(bytes=blake2b(about, digest_size=16).digest(), version=4))
        values = {
            **event.payload,
            "event": event.name,
            "id": id,
            "actor": event.actor,
            "time": event.at // SECOND,
            "iso_time": Clock(event.at).iso()[:19] + "Z",
            "subscription": subscription.id,
        }
        body: Any = fill_placeholders(template, lambda name: look_up(name, values))
        if event.name == HANDSHAKE:
            body = {}
        yield Notification(id, event.name, cast(dict[str, Any], body) if isinstance(body, dict) else {"data": body})

    return notify


def _make_sender(
    declared: WebhookOverlay,
) -> Callable[[Notification, Subscription, DeliveryAttempt], WebhookRequest]:
    def send(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
        fields = {name: "" if value is None else str(value) for name, value in notification.body.items()}
        body = urlencode(fields).encode() if declared.form else msgspec.json.encode(notification.body)
        values = {
            "event": notification.type,
            "id": notification.id,
            "timestamp": str(attempt.at // SECOND),
            "url": subscription.url,
            "body": body.decode(),
            "attempt": str(attempt.number + 1),
            "fields": "".join(f"{name}{fields[name]}" for name in sorted(fields)),
        }
        kind = "application/x-www-form-urlencoded" if declared.form else "application/json"
        headers = {"Content-Type": kind, **_fill_texts(declared.headers, values)}
        if notification.type == HANDSHAKE and declared.subscriptions:
            headers[declared.subscriptions.handshake] = subscription.secret
        elif declared.signature:
            headers |= _sign(declared.signature, subscription.secret, values)
        return WebhookRequest(subscription.url, tuple(headers.items()), body)

    return send


def _fill_texts(templates: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    return {name: str(fill_placeholders(each, values.get)) for name, each in templates.items()}


def _sign(declared: SignatureOverlay, secret: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that prove a request; a scheme `token` sends the secret itself."""
    signature = secret
    if declared.scheme != "token":
        signed = str(fill_placeholders(declared.signs, values.get)).encode()
        digest = sign_message(declared.scheme, secret, signed)
        signature = digest.hex() if declared.encoding == "hex" else b64encode(digest).decode()
    value = str(fill_placeholders(declared.value, {**values, "signature": signature}.get))
    stamped = {declared.timestamp_header: values["timestamp"]} if declared.timestamp_header else {}
    return {declared.header: value, **stamped}
