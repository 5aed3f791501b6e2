"""Charges: each attempt to pay.

https://docs.stripe.com/api/charges
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from twindiff.kit import OWN_ADDRESS, UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import DESCRIPTOR
from ..account.balance_transactions import enter, processing_fee, settles_on
from ..core.events import record_row, update
from ..core.objects import (
    RESOURCES,
    DeferredFill,
    Fields,
    StripeObject,
    build_view,
    new,
    now,
    refer,
    resource,
    retrieve,
    show,
)
from ..core.pagination import equal, list_object, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    MAX_DESCRIPTOR_CHARACTERS,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    SearchParams,
    Shipping,
    Unset,
    collect_params,
    merge_metadata,
)
from ..core.search import search_of
from ..customer.customers import CUSTOMERS, NO_TOKENS, Customer
from .charge_outcomes import render_outcome
from .payment_methods import DEBITS, DETAILS, NOWHERE, PaymentMethod, outcome_of
from .test_cards import Decline, decline_of

api = Operations(prefix="/v1/charges")

WEEK = 7 * 86_400
_OF_CUSTOMERS = "https://stripe.com/docs/payments/payment-intents/migration"


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


def _no_radar_options(row: Charge) -> Fields:
    return {}


charge_object = build_view(
    Charge,
    "charge",
    "special",
    application=None,
    calculated_statement_descriptor=_descriptor,
    destination=None,
    failure_balance_transaction=None,
    order=None,
    payment_method_details=_method_details,
    radar_options=_no_radar_options,
    receipt_number=None,
    receipt_url=_receipt_url,
    source=None,
    source_transfer=None,
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


def _refunds(call: Call, charge: Fields) -> Fields:
    from .refunds import REFUNDS, Refund

    rows = call.db.rows(Refund, Refund.charge == charge["id"], order=-Refund.seq, limit=10)
    data = [REFUNDS.show(row) for row in rows]
    count = call.db.count(Refund, Refund.charge == charge["id"])
    return list_object(data, f"/v1/charges/{charge['id']}/refunds", has_more=count > len(data), total_count=count)


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
    includes={"refunds": _refunds},
    fill=_fill,
    later=DeferredFill(_collect_event_data, _fill_later),
)


class FraudDetails(NestedParams):
    """The account's assessment of fraud."""

    user_report: Literal["", "fraudulent", "safe"] | UnsetType = UNSET


class UpdateCharge(Params):
    """The parameters of an update."""

    longest: ClassVar = {"description": 40000}

    customer: OptName = UNSET
    description: OptText = UNSET
    fraud_details: FraudDetails | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    receipt_email: OptText = UNSET
    shipping: Shipping | Unset | UnsetType = UNSET
    transfer_group: OptText = UNSET


class CreateCharge(Params):
    """The parameters of a charge without a PaymentIntent."""

    longest: ClassVar = {"customer": 500, "description": 40000}

    amount: OptInteger = UNSET
    currency: OptName = UNSET
    capture: bool | UnsetType = UNSET
    customer: OptName = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    payment_method: OptName = UNSET
    receipt_email: OptText = UNSET
    shipping: Shipping | Unset | UnsetType = UNSET
    source: OptText = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET
    transfer_group: OptText = UNSET


class CaptureCharge(Params):
    """The parameters of a capture."""

    amount: OptInteger = UNSET
    receipt_email: OptText = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET


class ListCharges(ListParams):
    """The parameters of a list of charges."""

    created: OptRange = UNSET
    customer: OptName = UNSET
    payment_intent: OptName = UNSET
    transfer_group: OptText = UNSET


@api.get("")
def list_charges(call: Call, params: Annotated[ListCharges, Body]) -> Fields:
    """List charges, including failed ones."""
    where = to_range_conditions(Charge.created, params.created) + equal((Charge.transfer_group, params.transfer_group))
    where += to_reference_conditions(
        call,
        (Charge.customer, params.customer, CUSTOMERS),
        (Charge.payment_intent, params.payment_intent, RESOURCES["pi_"]),
    )
    return list_of(call, CHARGES, params, "/v1/charges", *where)


SEARCHABLE = {
    "amount": Charge.amount,
    "billing_details.address.postal_code": Charge.billing_details.json("address", "postal_code"),
    "created": Charge.created,
    "currency": Charge.currency,
    "customer": Charge.customer,
    "disputed": Charge.disputed,
    "metadata": Charge.metadata,
    "payment_method_details.card.brand": Charge.payment_method_details.json("card", "brand"),
    "payment_method_details.card.exp_month": Charge.payment_method_details.json("card", "exp_month"),
    "payment_method_details.card.exp_year": Charge.payment_method_details.json("card", "exp_year"),
    "payment_method_details.card.fingerprint": Charge.payment_method_details.json("card", "fingerprint"),
    "payment_method_details.card.last4": Charge.payment_method_details.json("card", "last4"),
    "refunded": Charge.refunded,
    "status": Charge.status,
}


@api.get("/search")
def search_charges(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search charges."""
    return search_of(call, CHARGES, params, "/v1/charges/search", SEARCHABLE)


@api.get("/{id}")
def retrieve_charge(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a charge."""
    return show(call, CHARGES, retrieve(call, CHARGES, id))


@api.post("")
def create_charge(call: Call, params: Annotated[CreateCharge, Body]) -> Fields:
    """Reject a charge without a PaymentIntent, as Stripe does without legacy sources.

    https://docs.stripe.com/payments/payment-methods/integration-options
    """
    if isinstance(params.source, str):
        raise StripeError(NO_TOKENS)
    if not isinstance(params.customer, str):
        raise StripeError("Must provide source or customer.", code="parameter_missing")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    if call.db.count(PaymentMethod, PaymentMethod.customer == customer.id):
        message = (
            "This Customer doesn't have any legacy saved payment details, but does have a Payment Method attached. "
            f"Use a Payment Intent instead of creating a Charge: {_OF_CUSTOMERS}"
        )
    else:
        message = (
            "This Customer doesn't have any saved payment details. Attach a legacy Token, Card, Bank Account, or "
            "Source to this Customer and then try this request again, or use Payment Intents and Payment Methods "
            "instead."
        )
    raise StripeError(message, kind="card_error", status=402, code="missing", param="card")


@api.post("/{id}")
def update_charge(call: Call, id: str, params: Annotated[UpdateCharge, Body]) -> Fields:
    """Update the given fields of a charge."""
    charge = retrieve(call, CHARGES, id)
    if params.transfer_group is not UNSET and charge.payment_intent:
        raise StripeError(
            f"This Charge was created by a PaymentIntent ({charge.payment_intent}). You must update the "
            "`transfer_group` on the PaymentIntent instead of updating the Charge directly. See "
            "https://stripe.com/docs/api#update_payment_intent"
        )
    if isinstance(params.customer, str):
        refer(call, CUSTOMERS, params.customer, "customer")
    metadata = merge_metadata(charge.metadata, params.metadata)
    return show(call, CHARGES, update(call, CHARGES, charge, **collect_params(params), metadata=metadata))


@api.post("/{id}/capture")
def capture_charge(call: Call, id: str, params: Annotated[CaptureCharge, Body]) -> Fields:
    """Capture an authorized charge."""
    from .payment_lifecycle import PAYMENTS, capture

    charge = retrieve(call, CHARGES, id)
    if charge.captured or charge.status != "succeeded":
        raise StripeError(f"Charge {charge.id} has already been captured.", code="charge_already_captured")
    capture(call, retrieve(call, PAYMENTS, charge.payment_intent or ""), params.amount)
    return show(call, CHARGES, retrieve(call, CHARGES, id))


class Attempt(NamedTuple):
    """The amount and the payment method of an attempt."""

    amount: int
    currency: str
    method: PaymentMethod
    capture: bool = True
    off_session: bool = False
    may_increment: bool = False
    shared: Fields = {}  # noqa: RUF012 - never written to
    """Further columns of the charge: customer, description, payment_intent …"""


def attempt(call: Call, asked: Attempt, decline: Decline | None = None) -> tuple[Charge, Decline | None]:
    """Charge a card; returns the charge and the decline, or None. A given `decline` comes first."""
    outcome = outcome_of(asked.method)
    decline = decline or decline_of(outcome)
    charge = _create_charge(
        call,
        asked,
        decline,
        outcome=render_outcome(outcome, decline),
        special=outcome,
        status="failed" if decline else "succeeded",
        paid=decline is None,
        failure_code=decline and decline.code,
        failure_message=decline and decline.message,
    )
    if decline:
        record_row(call, "charge.failed", CHARGES, charge)
        return charge, decline
    if asked.capture:
        charge = settle(call, charge, charge.amount)
    record_row(call, "charge.succeeded", CHARGES, charge)
    return charge, None


def begin(call: Call, asked: Attempt) -> Charge:
    """Create the pending charge of a debit, whose result the bank reports later."""
    outcome = outcome_of(asked.method)
    charge = _create_charge(call, asked, None, outcome=render_outcome("", None), special=outcome, status="pending")
    record_row(call, "charge.pending", CHARGES, charge)
    return charge


def _create_charge(call: Call, asked: Attempt, decline: Decline | None, **fields: Any) -> Charge:
    return new(
        call,
        CHARGES,
        created=call.clock.unix(),
        amount=asked.amount,
        currency=asked.currency,
        payment_method=asked.method.id,
        billing_details=_billing(asked.method),
        payment_method_details=_details(call, asked, decline),
        **fields,
        **asked.shared,
    )


def conclude(call: Call, charge: Charge) -> tuple[Charge, Decline | None]:
    """Complete a pending debit; returns the charge and its failure, or None."""
    if decline := decline_of(charge.special):
        fields = {"failure_code": decline.code, "failure_message": decline.message}
        charge = call.db.change(charge, status="failed", outcome=render_outcome(charge.special, decline), **fields)
        record_row(call, "charge.failed", CHARGES, charge)
        return charge, decline
    charge = call.db.change(settle(call, charge, charge.amount), status="succeeded", paid=True)
    record_row(call, "charge.succeeded", CHARGES, charge)
    return charge, None


def is_of_card(charge: Charge) -> bool:
    """Return whether a charge was paid with a card."""
    details: Fields = charge.payment_method_details or {}
    return details.get("type", "card") == "card"


def settle(call: Call, charge: Charge, amount: int) -> Charge:
    """Capture an amount of a charge, enter it in the balance, and transfer it if the charge has a destination."""
    entered = enter(
        call,
        "charge" if is_of_card(charge) else "payment",
        amount,
        charge.currency,
        charge.id,
        description=charge.description,
        fee=processing_fee(amount),
        available_on=now(call) if charge.special == "bypass_pending" else settles_on(call),
    )
    settled = call.db.change(charge, captured=True, amount_captured=amount, balance_transaction=entered.id)
    if not settled.transfer_data:
        return settled
    from ..connect.destination_charges import transfer_to_destination

    return transfer_to_destination(call, settled)


def _billing(method: PaymentMethod) -> Fields:
    billing = {**DETAILS, **method.billing_details}
    return {**billing, "address": {**NOWHERE, **(billing["address"] or {})}}


def _details(call: Call, asked: Attempt, decline: Decline | None) -> Fields:
    method = asked.method
    if method.type != "card":
        return {"type": method.type, method.type: {**_plain_details(method), **_mandate(call, method)}}
    card = method.details
    return {"type": "card", "card": {**_shared_details(card), **_build_authorization(call, asked, decline)}}


def _mandate(call: Call, method: PaymentMethod) -> Fields:
    from .mandates import mandate_of

    return {"mandate": mandate_of(call, method)} if method.type in DEBITS else {}


def _plain_details(method: PaymentMethod) -> Fields:
    hidden = ("networks", "status_details", "financial_connections_account", "generated_from")
    return {name: value for name, value in method.details.items() if name not in hidden}


_OF_CARDS = (
    "brand",
    "checks",
    "country",
    "exp_month",
    "exp_year",
    "fingerprint",
    "funding",
    "last4",
    "regulated_status",
)


def _shared_details(card: Fields) -> Fields:
    return {**{name: card[name] for name in _OF_CARDS}, "network": card["brand"], "wallet": None}


def _build_authorization(call: Call, asked: Attempt, decline: Decline | None) -> Fields:
    """Return the authorization columns of a charge."""
    unavailable = {"status": "unavailable"}
    more = {"status": "available"} if asked.may_increment and not asked.capture else unavailable
    waiting = not asked.capture and decline is None
    return {
        "amount_authorized": None if decline else asked.amount,
        "authorization_code": None if decline else f"{asked.amount % 1_000_000:06d}",
        **({"capture_before": now(call) + WEEK} if waiting else {}),
        "electronic_commerce_indicator": "07",
        "extended_authorization": {"status": "disabled"},
        "incremental_authorization": more,
        "installments": None,
        "mandate": None,
        "multicapture": unavailable,
        "network_token": {"used": False},
        "overcapture": {"maximum_amount_capturable": asked.amount, **unavailable},
        "three_d_secure": None,
    }
