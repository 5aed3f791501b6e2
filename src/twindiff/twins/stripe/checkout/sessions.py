"""Checkout sessions: their table, how they are rendered, and operations on them.

https://docs.stripe.com/api/checkout/sessions
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row
from ..core.middleware import version_of
from ..core.objects import Fields, StripeObject, build_view, resource, retrieve, show
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import ListParams, NestedParams, OptName, OptRange, OptText, Params
from ..sales.sale_amounts import total_details
from ..sales.sale_items import list_items, render_items
from ..tables.customer_tables import CUSTOMERS
from ..tables.payment_intent_tables import PAYMENTS
from ..tax import automatic_tax
from .session_settings import VIEWS, branding

api = Operations(prefix="/v1/checkout/sessions")

DAY = 86400
MIN_OPEN_SECONDS = 30 * 60


class CheckoutSession(
    StripeObject,
    table="checkout_sessions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("payment_intent",), ("payment_link", "seq"), ("subscription",)),
):
    allow_promotion_codes: Column[bool | None] = column(default=None)
    amount_subtotal: Column[int | None] = column(default=None)
    amount_total: Column[int | None] = column(default=None)
    automatic_tax: Column[Json] = column(default=None)
    billing_address_collection: Column[str | None] = column(default=None)
    cancel_url: Column[str | None] = column(default=None)
    client_reference_id: Column[str | None] = column(default=None)
    collected_information: Column[Json | None] = column(default=None)
    currency: Column[str | None] = column(default=None)
    custom_fields: Column[Json | None] = column(default=None)
    customer: Column[str | None] = column(default=None)
    customer_creation: Column[str | None] = column(default=None)
    customer_details: Column[Json] = column(default=None)
    customer_email: Column[str | None] = column(default=None)
    discounts: Column[Json] = column(default=[])
    expires_at: Column[int]
    invoice: Column[str | None] = column(default=None)
    locale: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    mode: Column[str]
    optional_items: Column[Json | None] = column(default=None)
    payment_intent: Column[str | None] = column(default=None)
    payment_link: Column[str | None] = column(default=None)
    payment_method_collection: Column[str | None] = column(default=None)
    payment_method_types: Column[Json]
    payment_status: Column[str] = column(default="unpaid")
    return_url: Column[str | None] = column(default=None)
    setup_intent: Column[str | None] = column(default=None)
    shipping_address_collection: Column[Json | None] = column(default=None)
    shipping_cost: Column[Json | None] = column(default=None)
    shipping_options: Column[Json | None] = column(default=None)
    status: Column[str] = column(default="open")
    submit_type: Column[str | None] = column(default=None)
    subscription: Column[str | None] = column(default=None)
    success_url: Column[str | None] = column(default=None)
    total_details: Column[Json] = column(default=None)
    ui_mode: Column[str] = column(default="hosted_page")
    client_secret: Column[str | None] = column(default=None, derived=True)
    redirect_on_completion: Column[str | None] = column(default=None)
    settings: Column[Json] = column(default={})
    payment_intent_data: Column[Json] = column(default={})
    subscription_data: Column[Json] = column(default={})


def _custom_fields(row: CheckoutSession) -> list[Any]:
    return row.custom_fields or []


def _details(row: CheckoutSession) -> Fields | None:
    return row.total_details and total_details(row.total_details, row.id, "session")


def _shipping_options(row: CheckoutSession) -> list[Any]:
    return row.shipping_options or []


session_object = build_view(
    CheckoutSession,
    "checkout.session",
    "settings",
    "payment_intent_data",
    "subscription_data",
    **VIEWS,
    allowed_payment_method_types=None,
    automatic_tax=automatic_tax.shown_as("enabled", "liability", "provider", "status"),
    currency_conversion=None,
    integration_identifier=None,
    custom_fields=_custom_fields,
    customer_account=None,
    payment_method_configuration_details=None,
    permissions=None,
    recovered_from=None,
    shipping_options=_shipping_options,
    total_details=_details,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the URL and the branding of each rendered session."""
    for each in objects:
        is_open = each["status"] == "open" and each["ui_mode"] == "hosted_page"
        each["branding_settings"] = {**branding(call), **(each["branding_settings"] or {})}
        each["url"] = f"{call.base_url}/c/pay/{each['id']}" if is_open else None
        if each["redirect_on_completion"] is None:
            del each["redirect_on_completion"]
        if version_of(call) < RENAMED:
            each["ui_mode"] = OLD_MODES.get(each["ui_mode"], each["ui_mode"])


def _items(call: Call, fields: Fields) -> Fields:
    return render_items(call, fields["id"], f"/v1/checkout/sessions/{fields['id']}/line_items")


SESSIONS = resource(
    CheckoutSession,
    "checkout.session",
    "cs_test_",
    session_object,
    spoken="checkout.session",
    param="session",
    id_length=58,
    expandable=(
        "customer",
        "invoice",
        "payment_intent",
        "payment_link",
        "setup_intent",
        "subscription",
        "shipping_cost.shipping_rate",
        "shipping_options.shipping_rate",
    ),
    includes={"line_items": _items},
    fill=_fill,
)


RENAMED = "2026-03-25"
"""First API version with the current names of `ui_mode`."""
OLD_MODES = {"embedded_page": "embedded", "elements": "custom", "hosted_page": "hosted"}
NEW_MODES = {old: new for new, old in OLD_MODES.items()}


class CustomerFilter(NestedParams):
    """Filter by customer details."""

    email: str


class ListSessions(ListParams, kw_only=True):
    """The parameters of a list of sessions."""

    created: OptRange = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    customer_details: CustomerFilter | UnsetType = UNSET
    payment_intent: OptName = UNSET
    payment_link: OptText = UNSET
    status: Literal["complete", "expired", "open"] | UnsetType = UNSET
    subscription: OptName = UNSET


@api.get("/{session}")
def retrieve_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a session."""
    return show(call, SESSIONS, retrieve(call, SESSIONS, session))


@api.post("/{session}/expire")
def expire_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Expire an open session."""
    row = retrieve(call, SESSIONS, session)
    if row.status != "open":
        raise StripeError(
            f'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of '
            f"`{row.status}`.",
        )
    return show(call, SESSIONS, _expire(call, row))


@api.get("/{session}/line_items")
def list_line_items(call: Call, session: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the line items of a session."""
    row = retrieve(call, SESSIONS, session)
    return list_items(call, row.id, params, f"/v1/checkout/sessions/{session}/line_items")


@api.get("")
def list_sessions(call: Call, params: Annotated[ListSessions, Body]) -> Fields:
    """List sessions."""
    where = to_range_conditions(CheckoutSession.created, params.created)
    where += equal((CheckoutSession.payment_link, params.payment_link), (CheckoutSession.status, params.status))
    where += to_reference_conditions(call, (CheckoutSession.customer, params.customer, CUSTOMERS))
    where += to_reference_conditions(call, (CheckoutSession.payment_intent, params.payment_intent, PAYMENTS))
    where += equal((CheckoutSession.subscription, params.subscription))
    if isinstance(params.customer_details, CustomerFilter):
        where += equal((CheckoutSession.customer_email, params.customer_details.email))
    return list_of(call, SESSIONS, params, "/v1/checkout/sessions", *where)


@api.due(CheckoutSession.expires_at, CheckoutSession.status == "open")
def close_session(call: Call, row: CheckoutSession) -> None:
    """Scheduled job: expire a session at its `expires_at`."""
    _expire(call, row)


def _expire(call: Call, row: CheckoutSession) -> CheckoutSession:
    expired = call.db.change(row, status="expired")
    record_row(call, "checkout.session.expired", SESSIONS, expired)
    return expired
