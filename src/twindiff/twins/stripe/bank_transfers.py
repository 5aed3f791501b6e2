"""Bank transfers: a customer sends cash to an account of their own, which pays what waits for it.

https://docs.stripe.com/payments/bank-transfers
"""

from __future__ import annotations

from twindiff.kit import Call
from twindiff.kit.styles.stripe import StripeError

from . import payments
from .customer_balances import move_cash
from .customers import CUSTOMERS, Customer
from .events import record_row
from .objects import Fields, retrieve
from .payments import PAYMENTS, PaymentIntent

TRANSFERS = {"usd": "us_bank_transfer", "eur": "eu_bank_transfer", "gbp": "gb_bank_transfer",
             "jpy": "jp_bank_transfer", "mxn": "mx_bank_transfer"}  # fmt: skip
_HOME = {"city": "San Francisco", "country": "US", "line1": "354 Oyster Point Blvd", "line2": None,
         "postal_code": "94080", "state": "CA"}  # fmt: skip
_SHARED: Fields = {"account_holder_address": _HOME, "account_holder_name": "Twindiff Test Shop", "bank_address": _HOME}


def lacking(call: Call, intent: PaymentIntent) -> Fields | None:
    """What a customer must send for a payment; None where their cash was enough, which is taken."""
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
    """Where cash is sent; each customer has a number of their own."""
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
    """Pay what waits for a customer's cash, the oldest first."""
    waits = (PaymentIntent.customer == customer.id, PaymentIntent.status == "requires_action")
    for intent in call.db.rows(PaymentIntent, *waits, order=PaymentIntent.seq):
        action: Fields = intent.next_action or {}
        if intent.currency != currency or action.get("type") != "display_bank_transfer_instructions":
            continue
        done, _ = payments.confirm(call, intent)
        if done.status == "requires_action":
            record_row(call, "payment_intent.partially_funded", PAYMENTS, done)
            return
