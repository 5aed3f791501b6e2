"""Simulated bank transfers: cash that arrives from a customer, and the payments that it completes.

https://docs.stripe.com/api/cash_balance_transactions/fund_cash_balance
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record, record_row
from ..core.objects import Fields
from ..core.params import Integer, OptText, Params
from ..tables.customer_tables import Customer, existing
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent
from . import payment_lifecycle
from .cash_balances import cash_balance_object, cash_transaction_object, move_cash
from .transfer_instructions import TRANSFERS

api = Operations(prefix="/v1")


class Fund(Params):
    """Simulated cash from a customer."""

    amount: Integer
    currency: str
    reference: OptText = UNSET


@api.post("/test_helpers/customers/{customer}/fund_cash_balance")
def fund_cash_balance(call: Call, customer: str, params: Annotated[Fund, Body]) -> Fields:
    """Simulate an incoming bank transfer of a customer."""
    row, currency = existing(call, customer), parse_currency(params.currency)
    if params.amount < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")
    kind = TRANSFERS.get(currency, "us_bank_transfer")
    transfer: Fields = {"type": kind, "reference": params.reference or None, kind: {}}
    made = move_cash(call, row, params.amount, currency, "funded", {"bank_transfer": transfer})
    if row.reconciliation_mode != "manual":
        reconcile(call, row, currency)
    holder = existing(call, customer)
    if holder.cash[currency] > 0:
        record(call, "cash_balance.funds_available", cash_balance_object(holder))
    return cash_transaction_object(made)


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
