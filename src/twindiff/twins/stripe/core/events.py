"""Events: records of changes to objects, listed by the API and sent to webhook endpoints.

https://docs.stripe.com/api/events
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import is_not
from typing import Annotated, Any, Generic, Literal, NamedTuple, cast

import msgspec
from msgspec.structs import astuple

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Store, UnsetType, column, revise
from twindiff.twins.stripe.core.wire_style import StripeError

from .middleware import VERSION
from .objects import (
    RESOURCES,
    Fields,
    R,
    Resource,
    StripeObject,
    build_view,
    find,
    new,
    resource,
    retrieve,
    show,
    show_filled,
)
from .pagination import equal, list_of, to_range_conditions
from .params import ListParams, OptRange, OptText, Params, check_count
from .webhook_endpoints import listening

api = Operations(prefix="/v1/events")

MAX_EVENT_TYPES = 20
_encode = msgspec.json.Encoder().encode


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
    """JSON text, as it is never searched: a rendered object, or its row and the data that fills it.

    `since` is the id of an earlier event of the same operation, to which this one is a delta. `was` holds the former
    values, of the row's columns and of related rows that the object includes.
    """
    request: Column[Json] = column(default=None)
    pending_webhooks: Column[int] = column(default=0)
    api_version: Column[str] = column(default=VERSION)


class PreviousRow(NamedTuple, Generic[R]):
    """A row before its change, with the related data of `DeferredFill.keep` if that may have changed too."""

    row: R
    kept: Fields | None = None


class FirstEvent(NamedTuple):
    """The content of an object's first event in an operation; later events store the delta to it."""

    event: str
    row: StripeObject
    kept: Fields | None


def fill_data(db: Store, events: Sequence[Fields]) -> None:
    """Replace the stored text of each event by the data it describes.

    If the first event of a delta is missing, as in a template made from a subset of rows, the available columns are
    shown.
    """
    told: list[Fields] = [msgspec.json.decode(each["data"]) for each in events]
    since = {each["since"] for each in told if "since" in each}
    texts = dict(db.rows(Event, Event.id.in_(list(since)), columns=(Event.id, Event.data))) if since else {}
    for event, each in zip(events, told, strict=True):
        first: Fields = msgspec.json.decode(texts.get(each.get("since"), "{}"))
        if "row" not in each:
            event["data"] = each
        elif "kind" in each or first:
            event["data"] = _data(each, first)
        else:
            event["data"] = {"object": each["row"]}


def _data(told: Fields, first: Fields) -> Fields:
    """Return the `data` of an event; `first` is the content of the object's first event in the operation."""
    kind = RESOURCES[{**first, **told}["kind"]]
    row, kept = {**first.get("row", {}), **told["row"]}, told.get("kept", first.get("kept"))
    data: Fields = {"object": {**_object(kind, row, kept), **told.get("filled", {})}}
    if was := told.get("was"):
        has_kept = "kept" in was
        before = _object(kind, {**row, **was["row"]}, {**kept, **was["kept"]} if kept and has_kept else None)
        data["previous_attributes"] = _differences(before, data["object"] if has_kept else _object(kind, row, None))
    elif "previous_attributes" in told:  # as earlier releases wrote it
        data["previous_attributes"] = told["previous_attributes"]
    return data


def _object(kind: Resource[Any], row: Fields, kept: Fields | None) -> Fields:
    object = kind.show(msgspec.convert(row, kind.table))
    if kind.later and kept is not None:
        kind.later.fill(object, kept)
    return object


def _fill(call: Call, events: list[Fields]) -> None:
    fill_data(call.db, events)


def _request(row: Event) -> Fields:
    """Return the `request` of an event; events of scheduled jobs have none."""
    return row.request or {"id": None, "idempotency_key": None}


event_object = build_view(Event, "event", request=_request)
EVENTS = resource(Event, "event", "evt_", event_object, fill=_fill)


class ListEvents(ListParams):
    """The parameters of a list of events."""

    type: OptText = UNSET
    types: list[str] | UnsetType = UNSET
    created: OptRange = UNSET
    delivery_success: bool | UnsetType = UNSET


@api.get("")
def list_events(call: Call, params: Annotated[ListEvents, Body]) -> Fields:
    """List events, by types or by a prefix such as `charge.*`."""
    if params.type is not UNSET and params.types is not UNSET:
        raise StripeError("You may only specify one of these parameters: type, types.", param="type")
    check_count(params.types, "types", MAX_EVENT_TYPES)
    where = to_range_conditions(Event.created, params.created)
    if isinstance(params.type, str):
        is_family = params.type.endswith(".*")
        where += [Event.type.starts(params.type[:-1])] if is_family else equal((Event.type, params.type))
    if isinstance(params.types, list):
        where.append(Event.type.in_(params.types))
    return list_of(call, EVENTS, params, "/v1/events", *where)


@api.get("/{id}")
def retrieve_event(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an event."""
    return show(call, EVENTS, retrieve(call, EVENTS, id))


def record(call: Call, type: str, object: Fields) -> None:
    """Record an event of a rendered object, and notify webhook endpoints of it."""
    _write_event(call, type, {"object": object})


def record_row(
    call: Call, type: str, kind: Resource[R], row: R, before: PreviousRow[R] | None = None, *, also: Sequence[str] = ()
) -> None:
    """Record an event of an object's row; `before` is the row before an update.

    `also` are further event types with the same content.
    """
    kept = kind.later.keep(call, row) if kind.later else None
    rest: Fields = {}
    if kind.fill and kept is None:
        rest["filled"] = show_filled(call, kind, row).filled
    if before:
        rest["was"] = _was(before, row, kept)
    types = (type, *also)
    first = _find_first_event(call, row)
    if first is None:
        event = _write_event(call, type, {**_whole(kind, row, kept), **rest})
        first = call.memo[f"told {row.id}"] = FirstEvent(event, row, kept)
        types = also
    if types:
        told = {**_since(first, row, kept), **rest}
        for each in types:
            _write_event(call, each, told)


def _find_first_event(call: Call, row: StripeObject) -> FirstEvent | None:
    """Return the first event of a row in this operation, unless it was rolled back."""
    told: FirstEvent | None = call.memo.get(f"told {row.id}")
    return told if told and find(call, EVENTS, told.event) else None


def _whole(kind: Resource[R], row: R, kept: Fields | None) -> Fields:
    """Return the full content of a row's event: its non-default columns take half the bytes of the rendered object."""
    told: Fields = {"kind": kind.prefix, "row": row}
    return told if kept is None else {**told, "kept": kept}


def _since(first: FirstEvent, row: StripeObject, kept: Fields | None) -> Fields:
    """Return the delta to the first event."""
    told: Fields = {"since": first.event, "row": _diff_columns(row, first.row)}
    return told if kept == first.kept else {**told, "kept": kept}


def _was(before: PreviousRow[R], row: R, kept: Fields | None) -> Fields:
    """Return the former values as an event stores them: changed columns of the row, and changed related data."""
    was: Fields = {"row": _diff_columns(before.row, row)}
    if before.kept is not None and kept is not None:
        was["kept"] = {name: value for name, value in before.kept.items() if value != kept[name]}
    return was


def _diff_columns(row: StripeObject, other: StripeObject) -> Fields:
    """Return the columns of `row` that differ from `other`; identity is compared first, as most values are shared."""
    mine, others = astuple(row), astuple(other)
    apart = compress(zip(row.__struct_fields__, mine, others, strict=True), map(is_not, mine, others))
    return {name: value for name, value, was in apart if value != was}


def _write_event(call: Call, type: str, told: Fields) -> str:
    """Write an event and return its id."""
    data, request = _encode(told).decode(), call.memo.get("request")
    made = new(call, EVENTS, type=type, data=data, request=request, pending_webhooks=listening(call, type))
    call.emit(type, {"id": made.id})
    return made.id


def update(call: Call, kind: Resource[R], row: R, event: str | Literal[False] = "", **wanted: Any) -> R:
    """Update the columns of an object, and record an event with the former values if any of them changes.

    The event is `<object>.updated` unless another type is given; False records none. UNSET values are ignored.
    """
    revised = revise(call.db, row, **wanted)
    if revised is not row and event is not False:
        record_row(call, event or f"{kind.name}.updated", kind, revised, PreviousRow(row))
    return revised


def _differences(before: Fields, after: Fields) -> Fields:
    """Return the former values of the fields that differ; nested objects are compared by field."""
    previous: Fields = {}
    for name in before if before.keys() == after.keys() else {**before, **after}:
        old, now = before.get(name), after.get(name)
        if old == now:
            continue
        if not isinstance(old, dict) or not isinstance(now, dict):
            previous[name] = old
        elif inner := _differences(cast(Fields, old), cast(Fields, now)):
            previous[name] = inner
    return previous
