"""The table of PaymentIntents, and how they are rendered.

https://docs.stripe.com/api/payment_intents/object
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Column, Json, column, references

from ..core.objects import Fields, PartWith, StripeObject, build_view, render_unmanaged_payments, resource
from ..core.pagination import list_object
from .customer_tables import Customer
from .payment_method_tables import PaymentMethod

SHOWN_ITEMS = 10


def render_details(intent: str, details: Fields) -> Fields:
    """Render the amount details of an intent, with line items when expanded."""
    fields = {name: value for name, value in details.items() if name != "line_items"}
    items = details.get("line_items", [])
    return PartWith({**fields, "tip": details.get("tip", {})}, line_items=lambda _: _line_items(intent, items))


def items_url(intent: str) -> str:
    """Return the path of the list of an intent's line items."""
    return f"/v1/payment_intents/{intent}/amount_details_line_items"


def _line_items(intent: str, items: list[Fields]) -> Fields:
    return list_object(items[:SHOWN_ITEMS], items_url(intent), has_more=len(items) > SHOWN_ITEMS)


AUTOMATIC = {"enabled": True, "allow_redirects": "always"}


class PaymentIntent(
    StripeObject,
    table="payment_intents",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("created",)),
    entries=("metadata",),
):
    allowed_payment_method_types: Column[Json | None] = column(default=None)
    amount: Column[int]
    amount_capturable: Column[int] = column(default=0, derived=True)
    amount_details: Column[Json | None] = column(default=None)
    amount_received: Column[int] = column(default=0)
    application_fee_amount: Column[int | None] = column(default=None)
    automatic_payment_methods: Column[Json] = column(default=None)
    canceled_at: Column[int | None] = column(default=None)
    cancellation_reason: Column[str | None] = column(default=None)
    capture_method: Column[str] = column(default="automatic_async")
    client_secret: Column[str] = column(derived=True)
    confirmation_method: Column[str] = column(default="automatic")
    currency: Column[str]
    customer: Column[str | None] = references(Customer, default=None)
    description: Column[str | None] = column(default=None)
    excluded_payment_method_types: Column[Json | None] = column(default=None)
    last_payment_error: Column[Json] = column(default=None, derived=True)
    latest_charge: Column[str | None] = column(default=None, derived=True)
    metadata: Column[Json] = column(default={})
    next_action: Column[Json] = column(default=None)
    on_behalf_of: Column[str | None] = column(default=None)
    payment_method: Column[str | None] = references(PaymentMethod, default=None)
    payment_method_options: Column[Json] = column(default={})
    payment_method_types: Column[Json] = column(derived=True)
    processing: Column[Json] = column(default=None, derived=True)
    receipt_email: Column[str | None] = column(default=None)
    review: Column[str | None] = column(default=None)
    setup_future_usage: Column[str | None] = column(default=None)
    shipping: Column[Json] = column(default=None)
    statement_descriptor: Column[str | None] = column(default=None)
    statement_descriptor_suffix: Column[str | None] = column(default=None)
    status: Column[str]
    transfer_data: Column[Json] = column(default=None)
    transfer_group: Column[str | None] = column(default=None)
    invoice: Column[str | None] = column(default=None, derived=True)
    """The invoice that it pays; current API versions no longer show it."""
    return_url: Column[str | None] = column(default=None)
    settles_at: Column[int] = column(default=0, derived=True)
    """The Unix timestamp at which a processing debit completes, or 0."""


OPTIONS: Fields = {
    "amazon_pay": {"express_checkout_element_session_id": None},
    "card": {"installments": None, "mandate_options": None, "network": None, "request_three_d_secure": "automatic"},
    "cashapp": {},
    "klarna": {"preferred_locale": None},
    "link": {"persistent_token": None},
    "us_bank_account": {
        "mandate_options": {},
        "transaction_purpose": "unspecified",
        "verification_method": "automatic",
    },
}
"""Default `payment_method_options` of each type."""


def options_of(types: Sequence[str], given: Fields, defaults: Fields) -> Fields:
    """Return the `payment_method_options` of an intent's types: the given ones over `defaults`."""
    shared: Fields = {name: defaults[name] for name in defaults if name in types}
    return {name: {**shared.get(name, {}), **(given.get(name) or {})} for name in {**shared, **given}}


def _options(row: PaymentIntent) -> Fields:
    return options_of(row.payment_method_types, row.payment_method_options, OPTIONS)


def configuration(row: Any) -> Fields | None:
    """Return the payment method configuration of an intent, or None if its types were given."""
    return {"id": "pmc_1TwindiffTestShop", "parent": None} if row.automatic_payment_methods else None


def _amount_details(row: PaymentIntent) -> Fields:
    return render_details(row.id, row.amount_details or {})


payment_intent_object = build_view(
    PaymentIntent,
    "payment_intent",
    "invoice",
    "return_url",
    "settles_at",
    amount_details=_amount_details,
    application=None,
    customer_account=None,
    managed_payments=render_unmanaged_payments,
    payment_method_configuration_details=configuration,
    payment_method_options=_options,
    payment_record=None,
    shared_payment_granted_token=None,
    source=None,
)

PAYMENTS = resource(
    PaymentIntent,
    "payment_intent",
    "pi_",
    payment_intent_object,
    spoken="payment_intent",
    param="intent",
    expandable=("customer", "latest_charge", "payment_method", "on_behalf_of", "review"),
)
