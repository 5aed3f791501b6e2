"""Events: what happened to which object, kept for all to read and sent to webhook endpoints.

https://docs.stripe.com/api/events
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

import msgspec

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, revise
from twindiff.kit.styles.stripe import StripeError

from .layer import VERSION
from .lists import equal, list_of, within
from .objects import RESOURCES, Fields, Filled, R, Resource, StripeObject, filled, new, resource, retrieve, shown
from .params import ListParams, OptRange, OptText, Params, check_count
from .webhook_endpoints import listening

api = Operations(prefix="/v1/events")

MOST_TYPES = 20


class Event(
    StripeObject,
    table="events",
    key=("id",),
    unique=(("seq",),),
    indexes=(("type", "seq"), ("created",)),
    visibility="derived",
):
    type: Column[str]
    data: Column[str]
    """JSON text, since nobody looks for what is in it: an object as it is shown, or its row and what fills that."""
    request: Column[Json] = column(default=None)
    pending_webhooks: Column[int] = column(default=0)
    api_version: Column[str] = column(default=VERSION)


def _data(row: Event) -> Fields:
    told: Fields = msgspec.json.decode(row.data)
    if "row" not in told:
        return told
    kind = RESOURCES[told.pop("kind")]
    object = kind.show(msgspec.convert(told.pop("row"), kind.table))
    if kind.later and "kept" in told:
        kind.later.fill(object, told.pop("kept"))
    return {"object": {**object, **told.pop("filled", {})}, **told}


event_object = shown(Event, "event", data=_data)
EVENTS = resource(Event, "event", "evt_", event_object)


class ListEvents(ListParams):
    """The parameters of a list of events."""

    type: OptText = UNSET
    types: list[str] | UnsetType = UNSET
    created: OptRange = UNSET
    delivery_success: bool | UnsetType = UNSET


@api.get("")
def list_events(call: Call, params: Annotated[ListEvents, Body]) -> Fields:
    """List events, of some types or of all that begin alike, as in `charge.*`."""
    if params.type is not UNSET and params.types is not UNSET:
        raise StripeError("You may only specify one of these parameters: type, types.", param="type")
    check_count(params.types, "types", MOST_TYPES)
    where = within(Event.created, params.created)
    if isinstance(params.type, str):
        is_family = params.type.endswith(".*")
        where += [Event.type.starts(params.type[:-1])] if is_family else equal((Event.type, params.type))
    if isinstance(params.types, list):
        where.append(Event.type.in_(params.types))
    return list_of(call, EVENTS, params, "/v1/events", *where)


@api.get("/{id}")
def retrieve_event(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Look at an event."""
    return event_object(retrieve(call, EVENTS, id))


def record(call: Call, type: str, object: Fields, previous: Fields | None = None) -> None:
    """Note that something happened to an object, which is given as it is shown now, and tell webhook endpoints."""
    _note(call, type, _text({"object": object}, previous))


def record_row(
    call: Call,
    type: str,
    kind: Resource[R],
    row: R,
    previous: Fields | None = None,
    *,
    object: Filled | None = None,
    also: Sequence[str] = (),
) -> None:
    """Note that something happened to the object of a row, which is given where it has been shown already.

    `also` are the types of further events that tell the same.
    """
    told: Fields = {"kind": kind.prefix, "row": row}
    if kind.later and (kept := kind.later.keep(call, row)):
        told["kept"] = kept
    elif kind.fill:
        told["filled"] = (object or filled(call, kind, row)).filled
    text = _text(told, previous)
    for each in (type, *also):
        _note(call, each, text)


def _text(told: Fields, previous: Fields | None) -> str:
    """What an event holds; a row is told without its defaults, in half the bytes of the object that it is shown as."""
    if previous is not None:
        told["previous_attributes"] = previous
    return msgspec.json.encode(told).decode()


def _note(call: Call, type: str, data: str) -> None:
    """Write an event."""
    pending = listening(call, type)
    request = call.memo.get("request") or {"id": None, "idempotency_key": None}
    made = new(call, EVENTS, type=type, data=data, request=request, pending_webhooks=pending)
    call.emit(type, {"id": made.id})


def update(call: Call, kind: Resource[R], row: R, event: str | Literal[False] = "", **wanted: Any) -> R:
    """Set fields of an object, and note what they were if that changes any of them.

    The event is `<object>.updated` unless another is named; False is for none. What is UNSET stays as it is.
    """
    revised = revise(call.db, row, **wanted)
    if revised is not row and event is not False:
        previous = differences(kind.show(row), kind.show(revised))
        record_row(call, event or f"{kind.name}.updated", kind, revised, previous)
    return revised


def differences(before: Fields, after: Fields) -> Fields:
    """The values before of the fields that differ; of objects in both, what differs inside."""
    previous: Fields = {}
    for name in before if before.keys() == after.keys() else {**before, **after}:
        old, now = before.get(name), after.get(name)
        if old == now:
            continue
        if not isinstance(old, dict) or not isinstance(now, dict):
            previous[name] = old
        elif inner := differences(cast(Fields, old), cast(Fields, now)):
            previous[name] = inner
    return previous
