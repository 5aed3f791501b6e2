"""The table of charges, and how they are rendered.

https://docs.stripe.com/api/charges/object
"""

from __future__ import annotations

from hashlib import blake2b

from twindiff.kit import OWN_ADDRESS, Call, Column, Json, column, references

from ..account.accounts import DESCRIPTOR
from ..core.objects import DeferredFill, Fields, StripeObject, build_view, resource
from ..core.params import MAX_DESCRIPTOR_CHARACTERS
from .customer_tables import Customer
from .payment_method_tables import PaymentMethod


class Charge(
    StripeObject,
    table="charges",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("payment_intent", "seq"), ("created",)),
    entries=("metadata",),
):
    amount: Column[int]
    amount_captured: Column[int] = column(default=0)
    amount_refunded: Column[int] = column(default=0)
    balance_transaction: Column[str | None] = column(default=None, derived=True)
    billing_details: Column[Json] = column(default={}, derived=True)
    captured: Column[bool] = column(default=False)
    currency: Column[str]
    customer: Column[str | None] = references(Customer, default=None)
    description: Column[str | None] = column(default=None)
    dispute: Column[str | None] = column(default=None)
    disputed: Column[bool] = column(default=False)
    failure_code: Column[str | None] = column(default=None)
    failure_message: Column[str | None] = column(default=None)
    fraud_details: Column[Json] = column(default={})
    metadata: Column[Json] = column(default={})
    on_behalf_of: Column[str | None] = column(default=None)
    outcome: Column[Json] = column(default=None, derived=True)
    paid: Column[bool] = column(default=False)
    payment_intent: Column[str | None] = column(default=None)
    payment_method: Column[str | None] = references(PaymentMethod, default=None, derived=True)
    payment_method_details: Column[Json] = column(default=None, derived=True)
    receipt_email: Column[str | None] = column(default=None)
    refunded: Column[bool] = column(default=False)
    review: Column[str | None] = column(default=None)
    shipping: Column[Json] = column(default=None)
    statement_descriptor: Column[str | None] = column(default=None)
    statement_descriptor_suffix: Column[str | None] = column(default=None)
    status: Column[str]
    transfer_data: Column[Json] = column(default=None)
    transfer_group: Column[str | None] = column(default=None)
    application_fee: Column[str | None] = column(default=None)
    application_fee_amount: Column[int | None] = column(default=None)
    transfer: Column[str | None] = column(default=None)
    source: Column[Json] = column(default=None, derived=True)
    """The card, bank account or source that was charged without a PaymentIntent."""
    settles_at: Column[int] = column(default=0, derived=True)
    """The Unix timestamp at which a pending charge without a PaymentIntent completes, or 0."""
    special: Column[str] = column(default="", derived=True)
    """The special outcome of the test card it was paid with."""


def _receipt_url(row: Charge) -> str | None:
    return f"/receipts/payment/{row.id}" if row.paid else None


def _descriptor(row: Charge) -> str | None:
    suffix = f"* {row.statement_descriptor_suffix}" if row.statement_descriptor_suffix else ""
    return row.statement_descriptor or f"{DESCRIPTOR}{suffix}"[:MAX_DESCRIPTOR_CHARACTERS]


def _method_details(row: Charge) -> Fields | None:
    """Render the payment method; cards include the network's transaction id."""
    details: Fields | None = row.payment_method_details
    if not details or details["type"] != "card" or not row.paid:
        return details
    known = {"network_transaction_id": _network_transaction(row.id), "transaction_link_id": None}
    return {**details, "card": {**details["card"], **known}}


def _network_transaction(id: str) -> str:
    """Return the network's transaction id: fifteen digits derived from a charge's id."""
    return f"{int.from_bytes(blake2b(id.encode(), digest_size=8).digest()) % 9 * 10**14 + 10**14:015d}"


def _destination(row: Charge) -> str | None:
    return row.transfer_data["destination"] if row.transfer_data else None


def _transfer_data(row: Charge) -> Fields | None:
    return {"amount": None, **row.transfer_data} if row.transfer_data else None


def _no_radar_options(row: Charge) -> Fields:
    return {}


charge_object = build_view(
    Charge,
    "charge",
    "settles_at",
    "special",
    application=None,
    calculated_statement_descriptor=_descriptor,
    destination=_destination,
    failure_balance_transaction=None,
    order=None,
    payment_method_details=_method_details,
    radar_options=_no_radar_options,
    receipt_number=None,
    receipt_url=_receipt_url,
    source_transfer=None,
    transfer_data=_transfer_data,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the receipt URL of each rendered charge."""
    for each in objects:
        _fill_later(each, {})


def _collect_event_data(call: Call, row: Charge) -> Fields:
    return {}


def _fill_later(charge: Fields, kept: Fields) -> None:
    if charge["receipt_url"]:
        charge["receipt_url"] = OWN_ADDRESS + charge["receipt_url"]


CHARGES = resource(
    Charge,
    "charge",
    "ch_",
    charge_object,
    expandable=(
        "application_fee",
        "balance_transaction",
        "customer",
        "dispute",
        "on_behalf_of",
        "payment_intent",
        "payment_method",
        "review",
        "transfer",
        "transfer_data.destination",
    ),
    fill=_fill,
    later=DeferredFill(_collect_event_data, _fill_later),
)


def is_of_card(charge: Charge) -> bool:
    """Return whether a charge was paid with a card, online or in person."""
    details: Fields = charge.payment_method_details or {}
    return details.get("type", "card") in ("card", "card_present", "interac_present")
