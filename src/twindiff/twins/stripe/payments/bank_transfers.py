"""Bank transfers: a customer sends cash to a virtual account, and it pays the intents that wait for it.

https://docs.stripe.com/payments/bank-transfers
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record_row
from ..core.objects import Fields, retrieve
from ..core.params import NestedParams, OptInteger, OptName, Params
from ..customer.customers import CUSTOMERS, Customer, existing
from . import payment_lifecycle
from .customer_balances import move_cash
from .payment_lifecycle import (
    PAYMENTS,
    PaymentIntent,
    build_unexpected_state_error,
    payment_intent_object,
    with_intent,
)

api = Operations(prefix="/v1")

TRANSFERS = {"usd": "us_bank_transfer", "eur": "eu_bank_transfer", "gbp": "gb_bank_transfer",
             "jpy": "jp_bank_transfer", "mxn": "mx_bank_transfer"}  # fmt: skip
_HOME = {"city": "San Francisco", "country": "US", "line1": "354 Oyster Point Blvd", "line2": None,
         "postal_code": "94080", "state": "CA"}  # fmt: skip
_SHARED: Fields = {"account_holder_address": _HOME, "account_holder_name": "Twindiff Test Shop", "bank_address": _HOME}


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
    addresses = _addresses(row.id, params.bank_transfer.type)
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


def find_missing_funds(call: Call, intent: PaymentIntent) -> Fields | None:
    """Return the next action of a payment that shows transfer instructions for the missing cash.

    Returns None if the customer's cash suffices, which is then deducted.
    """
    if not intent.customer:
        message = "A PaymentIntent that is paid by `customer_balance` needs a `customer`."
        raise StripeError(message, code="parameter_missing", param="customer")
    if intent.currency not in TRANSFERS:
        message = f"Bank transfers are not supported in {intent.currency}."
        raise StripeError(message, param="currency")
    customer = retrieve(call, CUSTOMERS, intent.customer)
    held: int = customer.cash.get(intent.currency, 0)
    if held < intent.amount:
        return _instructions(call, intent, intent.amount - held)
    details = {"payment_intent": intent.id}
    move_cash(call, customer, -intent.amount, intent.currency, "applied_to_payment", details)
    return None


def _instructions(call: Call, intent: PaymentIntent, remaining: int) -> Fields:
    type = TRANSFERS[intent.currency]
    kind = "display_bank_transfer_instructions"
    said = {
        "amount_remaining": remaining,
        "currency": intent.currency,
        "financial_addresses": _addresses(intent.customer or "", type),
        "hosted_instructions_url": f"https://payments.stripe.com/bank_transfers/instructions/{intent.id}",
        "reference": intent.id[-12:].upper(),
        "type": type,
    }
    return {"type": kind, kind: said}


def _addresses(customer: str, type: str) -> list[Fields]:
    """Return the bank accounts to send cash to; each customer has its own account number."""
    number = f"{int.from_bytes(customer.encode()[-5:], 'big') % 10**12:012d}"
    if type == "us_bank_transfer":
        account = {**_SHARED, "account_number": number, "account_type": "checking", "bank_name": "STRIPE TEST BANK"}
        aba = {**account, "routing_number": "110000000"}
        return [{"type": "aba", "aba": aba, "supported_networks": ["ach", "domestic_wire_us"]}]
    if type == "eu_bank_transfer":
        iban = {**_SHARED, "bic": "TESTIE2DXXX", "country": "IE", "iban": f"IE29TEST{number}00"}
        return [{"type": "iban", "iban": iban, "supported_networks": ["sepa"]}]
    if type == "gb_bank_transfer":
        code = {**_SHARED, "account_number": number[-8:], "sort_code": "108800"}
        return [{"type": "sort_code", "sort_code": code, "supported_networks": ["bacs", "fps"]}]
    return []


def reconcile(call: Call, customer: Customer, currency: str) -> None:
    """Pay the intents that wait for a customer's cash, oldest first."""
    waits = (PaymentIntent.customer == customer.id, PaymentIntent.status == "requires_action")
    for intent in call.db.rows(PaymentIntent, *waits, order=PaymentIntent.seq):
        action: Fields = intent.next_action or {}
        if intent.currency != currency or action.get("type") != "display_bank_transfer_instructions":
            continue
        done, _ = payment_lifecycle.confirm(call, intent)
        if done.status == "requires_action":
            record_row(call, "payment_intent.partially_funded", PAYMENTS, done)
            return
