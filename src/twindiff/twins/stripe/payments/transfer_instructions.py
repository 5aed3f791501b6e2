"""Instructions for bank transfers: the accounts to which a customer sends cash, and the cash that a payment lacks.

https://docs.stripe.com/payments/bank-transfers
"""

from __future__ import annotations

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, retrieve
from ..tables.customer_tables import CUSTOMERS
from ..tables.payment_intent_tables import PaymentIntent
from .cash_balances import move_cash

TRANSFERS = {"usd": "us_bank_transfer", "eur": "eu_bank_transfer", "gbp": "gb_bank_transfer",
             "jpy": "jp_bank_transfer", "mxn": "mx_bank_transfer"}  # fmt: skip

_HOME = {"city": "San Francisco", "country": "US", "line1": "354 Oyster Point Blvd", "line2": None,
         "postal_code": "94080", "state": "CA"}  # fmt: skip

_SHARED: Fields = {"account_holder_address": _HOME, "account_holder_name": "Twindiff Test Shop", "bank_address": _HOME}


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
        "financial_addresses": build_bank_addresses(intent.customer or "", type),
        "hosted_instructions_url": f"https://payments.stripe.com/bank_transfers/instructions/{intent.id}",
        "reference": intent.id[-12:].upper(),
        "type": type,
    }
    return {"type": kind, kind: said}


def build_bank_addresses(customer: str, type: str) -> list[Fields]:
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
