"""Charges of sources, without a PaymentIntent, and captures of charges.

https://docs.stripe.com/api/charges/create
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..connect.destination_charges import check_destination
from ..core.currencies import check_charge, parse_currency
from ..core.events import record_row
from ..core.objects import Fields, find, new, refer, retrieve, show
from ..core.params import (
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    Parcel,
    Unset,
    collect_params,
    merge_metadata,
)
from ..payments.charge_attempts import Attempt, attempt, begin, conclude, settle, settling_time
from ..tables.charge_tables import CHARGES, Charge
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tables.payment_method_tables import DEBITS, METHODS, PaymentMethod
from ..tables.source_tables import SOURCES, PaymentSource, source_object
from .customer_sources import read_token

api = Operations(prefix="/v1/charges")

_OF_CUSTOMERS = "https://stripe.com/docs/payments/payment-intents/migration"

REUSED = (
    "The reusable source you provided is consumed because it was previously charged without being attached to a "
    "customer or was detached from a customer. To charge a reusable source multiple time you must attach it to a "
    "customer first."
)
USED = (
    "The provided source has already been used to make another payment. You cannot reuse sources without attaching "
    "them to a Customer object first."
)


class TransferData(NestedParams, kw_only=True):
    """The connected account that an amount is transferred to."""

    amount: OptInteger = UNSET
    destination: str


class CreateCharge(Params):
    """The parameters of a charge without a PaymentIntent."""

    longest: ClassVar = {"customer": 500, "description": 40000}

    amount: OptInteger = UNSET
    application_fee_amount: OptInteger = UNSET
    currency: OptName = UNSET
    capture: OptBool = UNSET
    customer: OptName = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    on_behalf_of: OptText = UNSET
    payment_method: OptName = UNSET
    receipt_email: OptText = UNSET
    shipping: Parcel | Unset | UnsetType = UNSET
    source: OptText = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET
    transfer_data: TransferData | UnsetType = UNSET
    transfer_group: OptText = UNSET


class CaptureCharge(Params):
    """The parameters of a capture."""

    amount: OptInteger = UNSET
    receipt_email: OptText = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET


@api.post("")
def create_charge(call: Call, params: Annotated[CreateCharge, Body]) -> Any:
    """Charge a source without a PaymentIntent: a token, a source, or what a customer has.

    https://docs.stripe.com/payments/payment-methods/integration-options
    """
    customer = refer(call, CUSTOMERS, params.customer, "customer") if isinstance(params.customer, str) else None
    source = params.source or (customer.default_source if customer else None)
    if not source:
        raise _no_source(call, customer)
    payer, shown = _find_payer(call, source, customer)
    for name in ("amount", "currency"):
        if getattr(params, name) is UNSET:
            raise StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)
    amount, currency = int(params.amount or 0), parse_currency(str(params.currency))
    check_charge(amount, currency)
    _check_money(shown, amount, currency)
    check_destination(call, params, amount)
    fields = collect_params(params, "amount", "currency", "capture", "customer", "metadata", "payment_method", "source")
    fields |= {"customer": customer and customer.id, "metadata": merge_metadata({}, params.metadata)}
    capture = params.capture is not False
    charge, refused = _charge_source(call, payer, shown, amount=amount, currency=currency, capture=capture, **fields)
    return refused or show(call, CHARGES, charge)


def _no_source(call: Call, customer: Customer | None) -> StripeError:
    """Build the error of a charge for which there is nothing to charge."""
    if customer is None:
        return StripeError("Must provide source or customer.", code="parameter_missing")
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
    return StripeError(message, kind="card_error", status=402, code="missing", param="card")


@api.post("/{id}/capture")
def capture_charge(call: Call, id: str, params: Annotated[CaptureCharge, Body]) -> Fields:
    """Capture a charge of a source; one that belongs to a PaymentIntent is captured by that."""
    charge = retrieve(call, CHARGES, id)
    if charge.captured or charge.status != "succeeded":
        raise StripeError(f"Charge {charge.id} has already been captured.", code="charge_already_captured")
    if not charge.payment_intent:
        amount = params.amount if isinstance(params.amount, int) else None
        return show(call, CHARGES, _capture_source_charge(call, charge, amount))
    raise StripeError(
        f"This uncaptured Charge was created by a PaymentIntent ({charge.payment_intent}). You must capture the "
        "PaymentIntent instead. For more information, see "
        "https://stripe.com/docs/payments/place-a-hold-on-a-payment-method"
    )


def _find_payer(call: Call, source: str, customer: Customer | None) -> tuple[PaymentMethod, Fields]:
    """Return the payment method that a charge's `source` stands for, and the rendered source.

    Raises StripeError for what the customer does not have, and for sources that cannot be charged.
    """
    if source.startswith("src_"):
        row = retrieve(call, SOURCES, source, param="source", status=404)
        return _payer_of_source(call, row, customer), source_object(row)
    row = find(call, SOURCES, source)
    if customer:
        if row is None or row.customer != customer.id:
            raise _not_linked(customer, source)
        _check_bank(row)
        return retrieve(call, METHODS, row.id), source_object(row)
    if row is not None or not source.startswith(("tok_", "btok_")):
        raise StripeError(f"No such token: '{source[:500]}'", code="resource_missing", param="source")
    fields, method = read_token(call, source)
    shown = source_object(PaymentSource(seq=0, created=0, **fields))
    return new(call, METHODS, id=fields["id"], **method), shown


def _payer_of_source(call: Call, row: PaymentSource, customer: Customer | None) -> PaymentMethod:
    if row.status == "consumed":
        raise StripeError(REUSED if row.usage == "reusable" else USED)
    if row.status != "chargeable":
        raise StripeError(
            f"The source you provided is in the {row.status} state. Only sources in the chargeable state can be "
            "charged."
        )
    if row.customer and (customer is None or customer.id != row.customer):
        raise StripeError("You must pass the customer that the source is attached to.", param="customer")
    if not row.customer and customer and row.usage == "reusable":
        raise _not_linked(customer, row.id)
    return find(call, METHODS, row.id) or new(call, METHODS, id=row.id, **row.method)


def _not_linked(customer: Customer, source: str) -> StripeError:
    message = f"Customer {customer.id} does not have a linked source with ID {source[:500]}."
    return StripeError(message, status=404, code="missing", param="source")


def _check_bank(row: PaymentSource) -> None:
    if row.object == "bank_account" and row.status != "verified":
        message = "The customer's bank account must be verified in order to create an ACH payment."
        raise StripeError(message, param="source")


def _check_money(source: Fields, amount: int, currency: str) -> None:
    """Raise StripeError for another currency than a source's, and for more than its amount or what it received.

    The message about amounts is inferred from that about currencies.
    """
    own = source.get("currency") if source["object"] != "card" else None
    if own and currency != own:
        raise StripeError(
            f"The currency specified ({currency}) does not match the currency on the source ({own}). A payment can "
            "only be created for the same currency as the corresponding source.",
            param="currency",
        )
    most = source.get("amount") if source.get("usage") == "single_use" else None
    if "receiver" in source:
        most = source["receiver"]["amount_received"]
    if most is not None and amount > most:
        message = f"The amount specified ({amount}) is greater than the amount of the source ({most})."
        raise StripeError(message, param="amount")


def _charge_source(call: Call, payer: PaymentMethod, source: Fields, **asked: Any) -> tuple[Charge, StripeError | None]:
    """Charge a source; returns the charge, and the error if it was declined.

    `asked` are `amount`, `currency`, `capture` and the further columns of the charge. A debit is pending until the bank
    responds: https://stripe.com/docs/ach-deprecated
    """
    capture = asked.pop("capture")
    asked["source"] = source
    wanted = Attempt(asked.pop("amount"), asked.pop("currency"), payer, capture=capture, shared=asked)
    if payer.type in DEBITS:
        charge, decline = _begin_debit(call, wanted), None
    else:
        charge, decline = attempt(call, wanted)
    if decline is None:
        _consume(call, source)
        return charge, None
    said = {"charge": charge.id, "code": decline.code, "decline_code": decline.decline_code or None}
    more = {"advice_code": decline.advice_code, "network_decline_code": decline.network_decline_code}
    said = {name: value for name, value in (said | more).items() if value is not None}
    return charge, StripeError(decline.message, kind="card_error", status=402, **said)


def _begin_debit(call: Call, wanted: Attempt) -> Charge:
    charge = begin(call, wanted)
    return call.db.change(charge, settles_at=settling_time(call, charge))


@api.due(Charge.settles_at, Charge.status == "pending")
def settle_source_debit(call: Call, charge: Charge) -> None:
    """Scheduled job: complete a pending debit of a source with the bank's result."""
    conclude(call, call.db.change(charge, settles_at=0))


def _consume(call: Call, source: Fields) -> None:
    """Mark a source as used up, unless it is attached to a customer and can be used again."""
    row = find(call, SOURCES, source["id"]) if source["object"] == "source" else None
    if row and (row.usage == "single_use" or not row.customer):
        call.db.change(row, status="consumed")


def _capture_source_charge(call: Call, charge: Charge, amount: int | None) -> Charge:
    """Capture a charge without a PaymentIntent, or a part of it."""
    wanted = charge.amount if amount is None else amount
    if not 1 <= wanted <= charge.amount:
        raise StripeError(f"You cannot capture more than the amount of the charge, {charge.amount}.", param="amount")
    captured = settle(call, charge, wanted)
    record_row(call, "charge.captured", CHARGES, captured)
    return captured
