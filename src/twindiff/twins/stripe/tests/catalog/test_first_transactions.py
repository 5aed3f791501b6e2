"""Promotion codes for a customer's first transaction, wherever one is given."""

import pytest

from ..payments.test_payment_intents import pay

PRIOR = "This promotion code cannot be redeemed because the associated customer has prior transactions."
ROUTES = {
    "subscription": ("subscriptions", lambda c, p: {"customer": c, "items": [{"price": p["monthly"]}]}),
    "invoice": ("invoices", lambda c, p: {"customer": c}),
    "quote": ("quotes", lambda c, p: {"customer": c, "line_items": [{"price": p["once"]}]}),
    "preview": ("invoices/create_preview", lambda c, p: {
        "customer": c, "subscription_details": {"items": [{"price": p["monthly"]}]}}),
    "checkout": ("checkout/sessions", lambda c, p: {"customer": c, "mode": "payment",
        "success_url": "https://shop.example", "line_items": [{"price": p["once"], "quantity": 1}]}),
}  # fmt: skip


def finished(stripe, customer, how):
    stripe.post("invoiceitems", customer=customer, amount=500, currency="usd")
    invoice = stripe.post("invoices", customer=customer, pending_invoice_items_behavior="include")["id"]
    for each in how:
        stripe.post(f"invoices/{invoice}/{each}")


HISTORIES = {
    "nothing": (lambda s, c: None, 200),
    "a draft": (lambda s, c: finished(s, c, []), 200),
    "a void invoice": (lambda s, c: finished(s, c, ["finalize", "void"]), 200),
    "an open invoice": (lambda s, c: finished(s, c, ["finalize"]), 400),
    "an uncollectible invoice": (lambda s, c: finished(s, c, ["finalize", "mark_uncollectible"]), 400),
    "a payment": (lambda s, c: pay(s, customer=c), 400),
}


@pytest.fixture
def prices(stripe):
    made = {"currency": "usd", "unit_amount": 1000, "product_data": {"name": "Plan"}}
    every = {"monthly": {"recurring": {"interval": "month"}}, "once": {}}
    return {name: stripe.post("prices", **made, **more)["id"] for name, more in every.items()}


def asked(stripe, prices, customer, route):
    coupon = stripe.post("coupons", percent_off=10, duration="once")["id"]
    promotion, first = {"type": "coupon", "coupon": coupon}, {"first_time_transaction": True}
    code = stripe.post("promotion_codes", promotion=promotion, restrictions=first)["id"]
    path, wanted = ROUTES[route]
    given = {**wanted(customer, prices), "discounts": [{"promotion_code": code}]}
    if route == "subscription":
        given["payment_behavior"] = "default_incomplete"
    return stripe.http("POST", path, **given)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("history", HISTORIES)
def test_a_first_transaction_is_one_without_charges_and_invoices_before(stripe, prices, history, route):
    customer = stripe.post("customers")["id"]
    arrange, status = HISTORIES[history]
    arrange(stripe, customer)
    answer = asked(stripe, prices, customer, route)
    assert answer.status_code == status, answer.text
    if status == 400:
        assert answer.json()["error"]["message"] == PRIOR


def test_a_running_subscription_takes_no_code_for_a_first_transaction(stripe, prices):
    customer = stripe.post("customers")["id"]
    wanted = {"items": [{"price": prices["monthly"]}], "collection_method": "send_invoice", "days_until_due": 3}
    made = stripe.post("subscriptions", customer=customer, **wanted)
    stripe.post(f"invoices/{made['latest_invoice']}/finalize")
    coupon = stripe.post("coupons", percent_off=10, duration="once")["id"]
    promotion = {"type": "coupon", "coupon": coupon}
    code = stripe.post("promotion_codes", promotion=promotion, restrictions={"first_time_transaction": True})["id"]
    error = stripe.error("POST", f"subscriptions/{made['id']}", discounts=[{"promotion_code": code}])
    assert error["message"] == PRIOR


MINIMUM = "This promotion code cannot be redeemed because it does not meet the minimum amount requirement."


@pytest.mark.parametrize("route", ["subscription", "quote", "checkout"])
@pytest.mark.parametrize(("least", "status"), [(1000, 200), (1001, 400)])
def test_a_code_for_a_least_amount_is_for_no_less(stripe, prices, route, least, status):
    customer = stripe.post("customers")["id"]
    promotion = {"type": "coupon", "coupon": stripe.post("coupons", percent_off=10, duration="once")["id"]}
    limits = {"minimum_amount": least, "minimum_amount_currency": "usd"}
    code = stripe.post("promotion_codes", promotion=promotion, restrictions=limits)["id"]
    path, wanted = ROUTES[route]
    more = {"payment_behavior": "default_incomplete"} if route == "subscription" else {}
    answer = stripe.http("POST", path, **wanted(customer, prices), discounts=[{"promotion_code": code}], **more)
    assert answer.status_code == status, answer.text
    if status == 400:
        assert answer.json()["error"]["message"] == MINIMUM
