"""Bank transfers: a customer sends cash to a virtual account, and it pays the intents that wait for it.

https://docs.stripe.com/payments/bank-transfers
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.objects import Fields, retrieve
from ..core.params import NestedParams, OptInteger, OptName, Params
from ..tables.customer_tables import CUSTOMERS, existing
from ..tables.payment_intent_tables import PAYMENTS, payment_intent_object
from . import payment_lifecycle
from .payment_lifecycle import build_unexpected_state_error, with_intent
from .transfer_instructions import TRANSFERS, build_bank_addresses

api = Operations(prefix="/v1")


class BankTransfer(NestedParams, kw_only=True):
    """The type of bank transfer."""

    type: Literal[
        "eu_bank_transfer", "gb_bank_transfer", "jp_bank_transfer", "mx_bank_transfer", "us_bank_transfer"
    ]  # fmt: skip
    eu_bank_transfer: dict[str, str] | UnsetType = UNSET
    requested_address_types: list[Literal["iban", "sort_code", "spei", "zengin"]] | UnsetType = UNSET


class FundingParams(Params, kw_only=True):
    """The parameters of funding instructions."""

    bank_transfer: BankTransfer
    currency: str
    funding_type: Literal["bank_transfer"]


class ApplyBalance(Params):
    """The amount of a customer's cash to apply."""

    amount: OptInteger = UNSET
    currency: OptName = UNSET


@api.post("/customers/{customer}/funding_instructions")
def create_funding_instructions(call: Call, customer: str, params: Annotated[FundingParams, Body]) -> Fields:
    """Create the bank account details to which a customer sends cash."""
    row = existing(call, customer)
    currency = parse_currency(params.currency)
    if TRANSFERS.get(currency) != params.bank_transfer.type:
        message = f"Bank transfers of the type {params.bank_transfer.type[:50]} are not supported in {currency}."
        raise StripeError(message, param="bank_transfer[type]")
    shared = {"country": {"usd": "US", "gbp": "GB", "jpy": "JP", "mxn": "MX"}.get(currency, "IE")}
    addresses = build_bank_addresses(row.id, params.bank_transfer.type)
    transfer = {**shared, "financial_addresses": addresses, "type": params.bank_transfer.type}
    said = {"bank_transfer": transfer, "currency": currency, "funding_type": "bank_transfer", "livemode": False}
    return {"object": "funding_instructions", **said}


@api.post("/payment_intents/{intent}/apply_customer_balance", layers=[with_intent])
def apply_customer_balance(call: Call, intent: str, params: Annotated[ApplyBalance, Body]) -> Fields:
    """Apply a customer's cash to an intent that waits for it, under manual reconciliation."""
    row = retrieve(call, PAYMENTS, intent)
    action: Fields = row.next_action or {}
    if row.status != "requires_action" or action.get("type") != "display_bank_transfer_instructions":
        raise build_unexpected_state_error(
            f"This PaymentIntent does not wait for a bank transfer; its status is {row.status}."
        )
    customer = retrieve(call, CUSTOMERS, row.customer or "")
    wanted = params.amount if isinstance(params.amount, int) else row.amount
    held: int = customer.cash.get(row.currency, 0)
    if wanted != row.amount or held < wanted:
        message = f"The customer's cash balance of {held} must cover the whole amount of {row.amount} at once."
        raise StripeError(message, param="amount")
    return payment_intent_object(payment_lifecycle.confirm(call, row)[0])
