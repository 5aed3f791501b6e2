"""The types of balance transactions, and what reports call them.

https://docs.stripe.com/reports/reporting-categories
"""

from ..payments.test_bank_debits import pay as pay_by_bank
from ..payments.test_payment_intents import pay


def kinds(stripe):
    """The types and categories of what has come and gone, the oldest first."""
    entries = stripe.get("balance_transactions")["data"][::-1]
    return [(each["type"], each["reporting_category"]) for each in entries]


def test_what_is_paid_with_a_card_is_a_charge(stripe):
    stripe.post("refunds", payment_intent=pay(stripe)["id"])
    assert kinds(stripe) == [("charge", "charge"), ("refund", "refund")]


def test_what_is_paid_in_another_way_is_a_payment(stripe):
    paid = pay_by_bank(stripe, "pm_usBankAccount_success")["id"]
    stripe.advance(seconds=10)
    stripe.post("refunds", payment_intent=paid)
    assert kinds(stripe) == [("payment", "charge"), ("payment_refund", "refund")]


def test_a_payout_that_is_canceled_is_reversed(stripe):
    pay(stripe, "pm_card_bypassPending")
    made = stripe.post("payouts", amount=100, currency="usd")["id"]
    stripe.post(f"payouts/{made}/cancel")
    assert kinds(stripe)[1:] == [("payout", "payout"), ("payout_cancel", "payout_reversal")]


def test_a_refund_goes_where_the_payment_came_from(stripe):
    by_card = stripe.post("refunds", payment_intent=pay(stripe)["id"])
    assert by_card["destination_details"]["type"] == "card"
    by_bank = pay_by_bank(stripe, "pm_usBankAccount_success")["id"]
    stripe.advance(seconds=10)
    assert "card" not in stripe.post("refunds", payment_intent=by_bank).get("destination_details", {})


def test_what_is_refunded_to_klarna_is_said_to_go_there(stripe):
    asked = {"amount": 2000, "currency": "usd", "payment_method_data": {"type": "klarna"}, "confirm": True}
    asked |= {"payment_method_types": ["klarna"], "return_url": "https://shop.example"}
    made = stripe.post("payment_intents", **asked)
    chosen = {"client_secret": made["client_secret"], "outcome": "succeed"}
    page = f"twin/authenticate/{made['id']}"
    stripe.environment.ask(page, verb="POST", twin="stripe", token=stripe.token, data=chosen, follow_redirects=False)
    refund = stripe.post("refunds", payment_intent=made["id"])
    assert refund["destination_details"] == {"klarna": {}, "type": "klarna"}
