"""Meters: usage of customers, aggregated for metered prices.

https://docs.stripe.com/api/billing/meter
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record, update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, find, new, now, resource, retrieve
from ..core.pagination import equal, list_of, render_fixed_list
from ..core.params import Integer, ListParams, NestedParams, OptInteger, OptName, OptText, Params, collect_params
from ..core.test_clocks import use_clock_time
from ..tables.customer_tables import CUSTOMERS

api = Operations(prefix="/v1/billing")

DAY = 86400

USED: list[Callable[[Call, Meter, str], None]] = []
"""Callbacks of other modules, called with a meter and a customer whose usage has changed."""


class Meter(StripeObject, table="billing_meters", key=("id",), unique=(("seq",),), indexes=(("event_name",),)):
    customer_mapping: Column[Json]
    default_aggregation: Column[Json]
    display_name: Column[str]
    event_name: Column[str]
    event_time_window: Column[str | None] = column(default=None)
    status: Column[str] = column(default="active")
    status_transitions: Column[Json] = column(default={})
    updated: Column[int]
    value_settings: Column[Json]


def _status_transitions(row: Meter) -> Fields:
    return {"deactivated_at": None, **row.status_transitions}


meter_object = build_view(Meter, "billing.meter", status_transitions=_status_transitions)
METERS = resource(Meter, "billing.meter", "mtr_", meter_object, spoken="billing meter")


class MeterEvent(
    StripeObject,
    table="billing_meter_events",
    key=("id",),
    unique=(("seq",), ("identifier",)),
    indexes=(("event_name", "customer", "timestamp"),),
):
    event_name: Column[str]
    identifier: Column[str]
    payload: Column[Json]
    timestamp: Column[int]
    customer: Column[str]
    value: Column[str]


meter_event_object = build_view(MeterEvent, "billing.meter_event", "customer", "value", id=LEFT_OUT)


class Mapping(NestedParams):
    """The payload key of the customer."""

    event_payload_key: str
    type: Literal["by_id"]


class Aggregation(NestedParams):
    """The aggregation of values."""

    formula: Literal["count", "last", "sum"]


class ValueSettings(NestedParams):
    """The payload key of the value."""

    event_payload_key: str


class CreateMeter(Params):
    """The parameters of a new meter."""

    longest: ClassVar = {"display_name": 250, "event_name": 100}

    default_aggregation: Aggregation
    display_name: str
    event_name: str
    customer_mapping: Mapping | UnsetType = UNSET
    event_time_window: Literal["day", "hour"] | UnsetType = UNSET
    value_settings: ValueSettings | UnsetType = UNSET


class UpdateMeter(Params):
    """The parameters of an update."""

    longest: ClassVar = {"display_name": 250}

    display_name: OptName = UNSET


class ListMeters(ListParams):
    """The parameters of a list of meters."""

    status: Literal["active", "inactive"] | UnsetType = UNSET


class Summaries(ListParams):
    """The parameters of a list of summaries."""

    customer: str
    end_time: Integer
    start_time: Integer
    value_grouping_window: Literal["day", "hour"] | UnsetType = UNSET


class CreateMeterEvent(Params):
    """The parameters of a meter event."""

    event_name: str
    payload: dict[str, str]
    identifier: OptText = UNSET
    timestamp: OptInteger = UNSET


class CancelEvent(NestedParams):
    """The event to cancel."""

    identifier: OptText = UNSET


class CreateAdjustment(Params, kw_only=True):
    """The parameters of an adjustment."""

    event_name: str
    type: Literal["cancel"]
    cancel: CancelEvent | UnsetType = UNSET


@api.post("/meters")
def create_meter(call: Call, params: Annotated[CreateMeter, Body]) -> Fields:
    """Create a meter for an event name, which is unique among active meters."""
    if _metering(call, params.event_name):
        message = f"An active meter with event name '{params.event_name[:100]}' already exists."
        raise StripeError(message, param="event_name")
    fields = collect_params(params)
    fields.setdefault("customer_mapping", {"event_payload_key": "stripe_customer_id", "type": "by_id"})
    fields.setdefault("value_settings", {"event_payload_key": "value"})
    made = new(call, METERS, **fields, updated=now(call))
    record(call, "billing.meter.created", meter_object(made))
    return meter_object(made)


@api.get("/meters/{id}")
def retrieve_meter(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a meter."""
    return meter_object(retrieve(call, METERS, id))


@api.post("/meters/{id}")
def update_meter(call: Call, id: str, params: Annotated[UpdateMeter, Body]) -> Fields:
    """Update the name of a meter."""
    return meter_object(update(call, METERS, retrieve(call, METERS, id), **collect_params(params)))


@api.get("/meters")
def list_meters(call: Call, params: Annotated[ListMeters, Body]) -> Fields:
    """List meters."""
    return list_of(call, METERS, params, "/v1/billing/meters", *equal((Meter.status, params.status)))


@api.post("/meters/{id}/deactivate")
def deactivate_meter(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Deactivate a meter, which then takes no events."""
    return _become(call, id, "inactive", now(call))


@api.post("/meters/{id}/reactivate")
def reactivate_meter(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Reactivate a meter."""
    return _become(call, id, "active", None)


def _become(call: Call, id: str, status: str, at: int | None) -> Fields:
    meter = retrieve(call, METERS, id)
    if meter.status == status:
        raise StripeError(f"The meter is already {status}.")
    told = "billing.meter.deactivated" if at else "billing.meter.reactivated"
    return meter_object(update(call, METERS, meter, told, status=status, status_transitions={"deactivated_at": at}))


@api.get("/meters/{id}/event_summaries")
def list_event_summaries(call: Call, id: str, params: Annotated[Summaries, Body]) -> Fields:
    """List the aggregated usage of a customer between two times, in total, by hour or by day."""
    meter = retrieve(call, METERS, id)
    start, end = params.start_time, params.end_time
    step = {"day": DAY, "hour": 3600}.get(str(params.value_grouping_window), 60)
    width = step if params.value_grouping_window else end - start
    if start % step or end % step or end <= start:
        raise StripeError("The times must be aligned with minute boundaries, or with the windows.", param="start_time")
    windows: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for at, value in _events(call, meter, params.customer, start, end):
        windows[at - (at - start) % width].append((value,))
    sums = [(at, _together(meter, windows[at])) for at in sorted(windows, reverse=True)]
    data = [_summary(meter, value, at, at + width) for at, value in sums if value]
    return render_fixed_list(data, params, f"/v1/billing/meters/{id}/event_summaries", "billing meter event summary")


def _summary(meter: Meter, value: Decimal, start: int, end: int) -> Fields:
    return {
        "id": f"mtrusg_test_{meter.id[4:]}{start}",
        "object": "billing.meter_event_summary",
        "aggregated_value": float(value),
        "end_time": end,
        "livemode": False,
        "meter": meter.id,
        "start_time": start,
    }


@api.post("/meter_events")
def create_meter_event(call: Call, params: Annotated[CreateMeterEvent, Body]) -> Fields:
    """Report usage of a customer."""
    meter = _metering(call, params.event_name)
    if meter is None:
        raise StripeError(
            f'No active meter found for event name "{params.event_name[:100]}".',
            code="resource_missing",
            param="event_name",
        )
    customer = _customer(call, meter, params.payload)
    if known := find(call, CUSTOMERS, customer):
        use_clock_time(call, known.test_clock)
    when = params.timestamp if isinstance(params.timestamp, int) else now(call)
    _check_time(call, when)
    identifier = params.identifier or call.ids.uuid()
    if call.db.find(MeterEvent, MeterEvent.identifier == identifier):
        message = f"An event already exists with identifier {str(identifier)[:100]}."
        raise StripeError(message, param="identifier")
    made = new(
        call,
        METER_EVENTS,
        event_name=params.event_name,
        identifier=identifier,
        payload=params.payload,
        timestamp=when,
        customer=customer,
        value=str(_value(meter, params.payload)),
    )
    for follow in USED:
        follow(call, meter, customer)
    return meter_event_object(made)


@api.post("/meter_event_adjustments")
def create_adjustment(call: Call, params: Annotated[CreateAdjustment, Body]) -> Fields:
    """Cancel a meter event of the last 24 hours."""
    id = params.cancel.identifier if isinstance(params.cancel, CancelEvent) else ""
    if not id:
        name = "cancel[identifier]"
        raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)
    mine = (MeterEvent.identifier == id, MeterEvent.event_name == params.event_name)
    known = call.db.find(MeterEvent, *mine)
    if known is None:
        message = f"No meter event with the event name and the identifier '{str(id)[:100]}' was found."
        raise StripeError(message, code="resource_missing", param="cancel[identifier]")
    if known.created < now(call) - DAY:
        raise StripeError("Only events of the last 24 hours can be canceled.", param="cancel[identifier]")
    call.db.remove(known)
    said = {"cancel": {"identifier": id}, "event_name": params.event_name, "status": "pending", "type": params.type}
    return {"object": "billing.meter_event_adjustment", "livemode": False, **said}


METER_EVENTS = resource(MeterEvent, "billing.meter_event", "mev_", meter_event_object, spoken="billing meter event")


def _metering(call: Call, event_name: str) -> Meter | None:
    return call.db.find(Meter, Meter.event_name == event_name, Meter.status == "active")


def _customer(call: Call, meter: Meter, payload: dict[str, str]) -> str:
    key = meter.customer_mapping["event_payload_key"]
    if not payload.get(key):
        raise StripeError(f"Missing required param: payload[{key}].", code="parameter_missing", param=f"payload[{key}]")
    return payload[key]


def _value(meter: Meter, payload: dict[str, str]) -> Decimal:
    key = meter.value_settings["event_payload_key"]
    if meter.default_aggregation["formula"] == "count":
        return Decimal(1)
    try:
        value = Decimal(payload.get(key, ""))
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        message = f"Invalid value for payload[{key}]: must be a number."
        raise StripeError(message, param=f"payload[{key}]")
    return value


def _check_time(call: Call, when: int) -> None:
    """Raise StripeError for usage more than 35 days old or more than five minutes ahead."""
    least, most = now(call) - 35 * DAY, now(call) + 300
    if when < least:
        message = (
            "The event timestamp cannot be more than 35 days in past. Expected a timestamp greater than or equal to "
            f"{least}."
        )
        raise StripeError(message, param="timestamp")
    if when > most:
        message = (
            "The event timestamp cannot be more than 5 minutes in future. Expected a timestamp less than or equal to "
            f"{most}."
        )
        raise StripeError(message, param="timestamp")


def usage(call: Call, meter: Meter, customer: str, start: int, end: int) -> Decimal:
    """Return the aggregated usage of a customer from `start` to before `end`."""
    return _together(meter, [(value,) for _, value in _events(call, meter, customer, start, end)])


def _events(call: Call, meter: Meter, customer: str, start: int, end: int) -> list[tuple[int, str]]:
    """Return timestamps and values of a customer's events from `start` to before `end`."""
    return call.db.rows(
        MeterEvent,
        MeterEvent.event_name == meter.event_name,
        MeterEvent.customer == customer,
        MeterEvent.timestamp >= start,
        MeterEvent.timestamp < end,
        order=(MeterEvent.timestamp, MeterEvent.seq),
        columns=(MeterEvent.timestamp, MeterEvent.value),
    )


def sum_usage_since(call: Call, meter: Meter, customer: str, seq: int) -> Decimal:
    """Return the aggregated usage of a customer in events reported after `seq`."""
    rows: list[tuple[Any, ...]] = call.db.rows(
        MeterEvent,
        MeterEvent.event_name == meter.event_name,
        MeterEvent.customer == customer,
        MeterEvent.seq > seq,
        order=(MeterEvent.timestamp, MeterEvent.seq),
        columns=(MeterEvent.value,),
    )
    return _together(meter, rows)


def _together(meter: Meter, rows: list[tuple[Any, ...]]) -> Decimal:
    values = [Decimal(value) for (value,) in rows]
    if meter.default_aggregation["formula"] == "last":
        return values[-1] if values else Decimal(0)
    return sum(values, Decimal(0))
