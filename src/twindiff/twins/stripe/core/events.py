"""Events: what happened to which object, kept for all to read and sent to webhook endpoints.

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
    """JSON text, since nobody looks for what is in it: an object as it is shown, or its row and what fills that.

    `since` is an event of the same operation, of whose object only what differs is told here; `was` is what differed
    before, in columns of the row and in other rows that it shows.
    """
    request: Column[Json] = column(default=None)
    pending_webhooks: Column[int] = column(default=0)
    api_version: Column[str] = column(default=VERSION)


class PreviousRow(NamedTuple, Generic[R]):
    """A row before it was changed, and what it kept of other rows (`Later.keep`) where that may have changed too."""

    row: R
    kept: Fields | None = None


class FirstEvent(NamedTuple):
    """What the first event of an operation has told of an object; those after it tell only what differs from that."""

    event: str
    row: StripeObject
    kept: Fields | None


def fill_data(db: Store, events: Sequence[Fields]) -> None:
    """Put what each event tells of in place of the text that holds it.

    One whose first event is not there, as in a template of some rows of another world, shows the columns that it has.
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
    """What an event tells, given what the first one of its operation that is of the same object does."""
    kind = RESOURCES[{**first, **told}["kind"]]
    row, kept = {**first.get("row", {}), **told["row"]}, told.get("kept", first.get("kept"))
    data: Fields = {"object": {**_object(kind, row, kept), **told.get("filled", {})}}
    if was := told.get("was"):
        has_kept = "kept" in was
        before = _object(kind, {**row, **was["row"]}, {**kept, **was["kept"]} if kept and has_kept else None)
        data["previous_attributes"] = _differences(before, data["object"] if has_kept else _object(kind, row, None))
    elif "previous_attributes" in told:  # as releases before this one wrote it
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
    """The request that an event is of; billing's own work is of none."""
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
    """List events, of some types or of all that begin alike, as in `charge.*`."""
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
    """Note that something happened to an object, which is given as it is shown now, and tell webhook endpoints."""
    _write_event(call, type, {"object": object})


def record_row(
    call: Call, type: str, kind: Resource[R], row: R, before: PreviousRow[R] | None = None, *, also: Sequence[str] = ()
) -> None:
    """Note that something happened to the object of a row, and what it was before that, if it is told.

    `also` are the types of further events that tell the same.
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
    """What the operation has told of a row, unless that was undone."""
    told: FirstEvent | None = call.memo.get(f"told {row.id}")
    return told if told and find(call, EVENTS, told.event) else None


def _whole(kind: Resource[R], row: R, kept: Fields | None) -> Fields:
    """All that is told of a row: its columns without defaults, half the bytes of the object that it is shown as."""
    told: Fields = {"kind": kind.prefix, "row": row}
    return told if kept is None else {**told, "kept": kept}


def _since(first: FirstEvent, row: StripeObject, kept: Fields | None) -> Fields:
    """What differs from what was told first."""
    told: Fields = {"since": first.event, "row": _diff_columns(row, first.row)}
    return told if kept == first.kept else {**told, "kept": kept}


def _was(before: PreviousRow[R], row: R, kept: Fields | None) -> Fields:
    """What differed before."""
    was: Fields = {"row": _diff_columns(before.row, row)}
    if before.kept is not None and kept is not None:
        was["kept"] = {name: value for name, value in before.kept.items() if value != kept[name]}
    return was


def _diff_columns(row: StripeObject, other: StripeObject) -> Fields:
    """The columns in which a row differs from another one, with which it has most values in common."""
    mine, others = astuple(row), astuple(other)
    apart = compress(zip(row.__struct_fields__, mine, others, strict=True), map(is_not, mine, others))
    return {name: value for name, value, was in apart if value != was}


def _write_event(call: Call, type: str, told: Fields) -> str:
    """Write an event; gives its id."""
    data, request = _encode(told).decode(), call.memo.get("request")
    made = new(call, EVENTS, type=type, data=data, request=request, pending_webhooks=listening(call, type))
    call.emit(type, {"id": made.id})
    return made.id


def update(call: Call, kind: Resource[R], row: R, event: str | Literal[False] = "", **wanted: Any) -> R:
    """Set fields of an object, and note what they were if that changes any of them.

    The event is `<object>.updated` unless another is named; False is for none. What is UNSET stays as it is.
    """
    revised = revise(call.db, row, **wanted)
    if revised is not row and event is not False:
        record_row(call, event or f"{kind.name}.updated", kind, revised, PreviousRow(row))
    return revised


def _differences(before: Fields, after: Fields) -> Fields:
    """The values before of the fields that differ; of objects in both, what differs inside."""
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
