"""Billing alerts: notifications when a customer's usage of a meter reaches a threshold.

Only usage reported after the creation of an alert counts. An alert triggers once per customer, and ignores customers
under test clocks.

https://docs.stripe.com/api/billing/alert, https://docs.stripe.com/billing/subscriptions/usage-based/alerts
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Meta, Operations, Row, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, find, new, now, refer, resource, retrieve
from ..core.pagination import list_of, to_reference_conditions
from ..core.params import ListParams, NestedParams, OptName, OptText, Params
from ..tables.customer_tables import CUSTOMERS
from .meters import METERS, USED, Meter, sum_usage_since

api = Operations(prefix="/v1/billing/alerts")

MAX_ALERTS = 25


class BillingAlert(
    StripeObject, table="billing_alerts", key=("id",), unique=(("seq",),), indexes=(("meter", "status"),)
):
    alert_type: Column[str]
    customer: Column[str | None] = column(default=None)
    gte: Column[int]
    meter: Column[str]
    recurrence: Column[str] = column(default="one_time")
    status: Column[str] = column(default="active")
    title: Column[str]


class AlertTriggered(Row, table="billing_alerts_triggered", key=("alert", "customer"), visibility="derived"):
    """The customers for whom an alert has triggered."""

    alert: Column[str]
    customer: Column[str]


def _threshold(row: BillingAlert) -> Fields:
    filters = [{"customer": row.customer, "type": "customer"}] if row.customer else None
    return {"filters": filters, "gte": row.gte, "meter": row.meter, "recurrence": row.recurrence}


alert_object = build_view(
    BillingAlert,
    "billing.alert",
    "customer",
    "gte",
    "meter",
    "recurrence",
    created=LEFT_OUT,
    usage_threshold=_threshold,
)
ALERTS = resource(
    BillingAlert,
    "billing.alert",
    "alrt_",
    alert_object,
    spoken="billing alert",
    expandable=("usage_threshold.meter", "filters.customer"),
)


class Filter(NestedParams):
    """The customer whose usage counts."""

    type: Literal["customer"]
    customer: OptName = UNSET


class UsageThreshold(NestedParams, kw_only=True):
    """The meter and the threshold."""

    gte: Annotated[int, Meta(ge=1, le=2**53)]
    meter: str
    recurrence: Literal["one_time"]
    filters: list[Filter] | UnsetType = UNSET


class CreateAlert(Params, kw_only=True):
    """The parameters of a new alert."""

    longest: ClassVar = {"title": 256}

    alert_type: Literal["usage_threshold"]
    title: str
    usage_threshold: UsageThreshold | UnsetType = UNSET


class ListAlerts(ListParams):
    """The parameters of a list of alerts."""

    alert_type: Literal["usage_threshold"] | UnsetType = UNSET
    meter: OptText = UNSET


@api.post("")
def create_alert(call: Call, params: Annotated[CreateAlert, Body]) -> Fields:
    """Create an alert for all customers or for one."""
    wanted = params.usage_threshold
    if not isinstance(wanted, UsageThreshold):
        raise StripeError("Missing required param: usage_threshold.", code="parameter_missing", param="usage_threshold")
    meter = refer(call, METERS, wanted.meter, "usage_threshold[meter]")
    customer = _customer(call, wanted.filters or [])
    others = (BillingAlert.meter == meter.id, BillingAlert.customer == customer, BillingAlert.status != "archived")
    if call.db.count(BillingAlert, *others) >= MAX_ALERTS:
        message = f"You can have up to {MAX_ALERTS} alerts for each combination of a meter and a customer."
        raise StripeError(message, param="usage_threshold")
    fields: Fields = {"alert_type": params.alert_type, "title": params.title, "gte": wanted.gte}
    return alert_object(new(call, ALERTS, **fields, meter=meter.id, customer=customer))


def _customer(call: Call, filters: list[Filter]) -> str | None:
    if len(filters) > 1:
        raise StripeError("You can only specify up to one filter.", param="usage_threshold[filters]")
    at = "usage_threshold[filters][0][customer]"
    if not filters:
        return None
    if not filters[0].customer:
        raise StripeError(f"Missing required param: {at}.", code="parameter_missing", param=at)
    return refer(call, CUSTOMERS, str(filters[0].customer), at).id


@api.get("/{id}")
def retrieve_alert(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an alert."""
    return alert_object(_retrieve_unarchived_alert(call, id))


@api.get("")
def list_alerts(call: Call, params: Annotated[ListAlerts, Body]) -> Fields:
    """List alerts that are not archived, of all meters or of one."""
    where = to_reference_conditions(call, (BillingAlert.meter, params.meter, METERS))
    return list_of(call, ALERTS, params, "/v1/billing/alerts", BillingAlert.status != "archived", *where)


@api.post("/{id}/activate")
def activate_alert(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Activate an alert."""
    return _become(call, id, "active")


@api.post("/{id}/deactivate")
def deactivate_alert(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Deactivate an alert."""
    return _become(call, id, "inactive")


@api.post("/{id}/archive")
def archive_alert(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Archive an alert, which can no longer be retrieved."""
    return _become(call, id, "archived")


def _retrieve_unarchived_alert(call: Call, id: str) -> BillingAlert:
    row = retrieve(call, ALERTS, id)
    if row.status == "archived":
        raise ALERTS.missing(id)
    return row


def _become(call: Call, id: str, status: str) -> Fields:
    row = _retrieve_unarchived_alert(call, id)
    if row.status == status:
        raise StripeError(f"The billing alert {row.id} is already {status}.")
    return alert_object(call.db.change(row, status=status))


def check_usage(call: Call, meter: Meter, customer: str) -> None:
    """Trigger the alerts whose threshold a customer has reached."""
    watching = (BillingAlert.meter == meter.id, BillingAlert.status == "active")
    alerts = [row for row in call.db.rows(BillingAlert, *watching) if row.customer in (None, customer)]
    known = find(call, CUSTOMERS, customer) if alerts else None
    if known is None or known.test_clock:
        return
    for alert in alerts:
        done = (AlertTriggered.alert == alert.id, AlertTriggered.customer == customer)
        value = sum_usage_since(call, meter, customer, alert.seq)
        if value >= alert.gte and call.db.find(AlertTriggered, *done) is None:
            call.db.add(AlertTriggered(alert=alert.id, customer=customer))
            told = {"alert": alert_object(alert), "created": now(call), "customer": customer, "value": int(value)}
            record(call, "billing.alert.triggered", {"object": "billing.alert_triggered", "livemode": False, **told})


USED.append(check_usage)
