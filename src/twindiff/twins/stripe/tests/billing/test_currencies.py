"""Each way in which a price, coupon or amount reaches a subscription or invoice takes its currency alone."""

from typing import Any

import pytest

MONTH = {"interval": "month"}
ONLY_EUR = "The price specified only supports `eur`. This doesn't match the expected currency: `usd`."
COUPON = "only supports `eur`. This doesn't match the expected currency: `usd`."
COMBINED = "You cannot combine currencies on a single customer."


class Books:
    """A subscription in dollars, and what there is in euros."""

    def __init__(self, stripe: Any) -> None:
        self.stripe = stripe
        self.customer = stripe.post("customers", payment_method="pm_card_visa")["id"]
        method = stripe.get(f"customers/{self.customer}/payment_methods")["data"][0]["id"]
        stripe.post(f"customers/{self.customer}", invoice_settings={"default_payment_method": method})
        self.prices = {f"{currency}_{kind}": self.price(currency, kind) for currency in ("usd", "eur")
                       for kind in ("monthly", "once")}  # fmt: skip
        self.coupon = stripe.post("coupons", amount_off=100, currency="eur", duration="forever")["id"]
        made = stripe.post("subscriptions", customer=self.customer, items=[{"price": self.prices["usd_monthly"]}])
        self.subscription, self.item = made["id"], made["items"]["data"][0]["id"]

    def price(self, currency, kind):
        every = {"recurring": MONTH} if kind == "monthly" else {}
        made = {"currency": currency, "unit_amount": 1000, "product_data": {"name": "Plan"}}
        return self.stripe.post("prices", **made, **every)["id"]


@pytest.fixture(scope="module")
def books(shop):
    return Books(shop())


ROUTES = {
    "create": ("subscriptions", lambda b, p: {"customer": b.customer, "items": [{"price": p}]}, "items[0][price]"),
    "second item": (
        "subscriptions",
        lambda b, p: {"customer": b.customer, "items": [{"price": b.prices["usd_monthly"]}, {"price": p}]},
        "items[1][price]",
    ),
    "update": ("subscriptions/{subscription}", lambda b, p: {"items": [{"id": b.item, "price": p}]}, "items[0][price]"),
    "item": ("subscription_items", lambda b, p: {"subscription": b.subscription, "price": p}, "price"),
    "changed item": ("subscription_items/{item}", lambda b, p: {"price": p}, "price"),
    "preview": (
        "invoices/create_preview",
        lambda b, p: {"subscription": b.subscription, "subscription_details": {"items": [{"price": p}]}},
        "subscription_details[items][0][price]",
    ),
    "phase": (
        "subscription_schedules",
        lambda b, p: {"customer": b.customer, "phases": [
            {"items": [{"price": b.prices["usd_monthly"]}], "duration": MONTH},
            {"items": [{"price": p}], "duration": MONTH},
        ]},
        "phases[1][items][0][price]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("route", ROUTES)
def test_a_recurring_price_in_another_currency_is_refused(books, route):
    path, wanted, param = ROUTES[route]
    path = path.format(subscription=books.subscription, item=books.item)
    error = books.stripe.error("POST", path, **wanted(books, books.prices["eur_monthly"]))
    assert (error["message"], error["param"]) == (ONLY_EUR, param)


ONCE = {
    "create": ("subscriptions", lambda b, i: {
        "customer": b.customer, "items": [{"price": b.prices["usd_monthly"]}], "add_invoice_items": [i]}, ""),
    "update": ("subscriptions/{subscription}", lambda b, i: {"add_invoice_items": [i]}, ""),
    "phase": ("subscription_schedules", lambda b, i: {"customer": b.customer, "phases": [
        {"items": [{"price": b.prices["usd_monthly"]}], "add_invoice_items": [i]}]}, "phases[0]"),
}  # fmt: skip


@pytest.mark.parametrize("route", ONCE)
def test_a_one_time_item_has_a_one_time_price_in_the_subscriptions_currency(books, route):
    path, wanted, at = ONCE[route]
    path = path.format(subscription=books.subscription)
    param = f"{at}[add_invoice_items][0][price]" if at else "add_invoice_items[0][price]"
    error = books.stripe.error("POST", path, **wanted(books, {"price": books.prices["eur_once"]}))
    assert (error["message"], error["param"]) == (ONLY_EUR, param)
    error = books.stripe.error("POST", path, **wanted(books, {"price": books.prices["usd_monthly"]}))
    assert (error["message"].split(" but ")[0], error["param"]) == (
        "The price specified is set to `type=recurring`", param)  # fmt: skip


OFF = {
    "create": ("subscriptions", lambda b, d: {
        "customer": b.customer, "items": [{"price": b.prices["usd_monthly"]}], "discounts": d}),
    "item of create": ("subscriptions", lambda b, d: {
        "customer": b.customer, "items": [{"price": b.prices["usd_monthly"], "discounts": d}]}),
    "update": ("subscriptions/{subscription}", lambda b, d: {"discounts": d}),
    "item": ("subscription_items/{item}", lambda b, d: {"discounts": d}),
    "phase": ("subscription_schedules", lambda b, d: {"customer": b.customer, "phases": [
        {"items": [{"price": b.prices["usd_monthly"]}], "discounts": d}]}),
    "invoice": ("invoices", lambda b, d: {"customer": b.customer, "currency": "usd", "discounts": d}),
    "invoice item": ("invoiceitems", lambda b, d: {
        "customer": b.customer, "amount": 500, "currency": "usd", "discounts": d}),
    "preview": ("invoices/create_preview", lambda b, d: {"subscription": b.subscription, "discounts": d}),
    "checkout": ("checkout/sessions", lambda b, d: {"mode": "payment", "success_url": "https://shop.example",
        "line_items": [{"price": b.prices["usd_once"], "quantity": 1}], "discounts": d}),
    "quote": ("quotes", lambda b, d: {
        "customer": b.customer, "line_items": [{"price": b.prices["usd_once"]}], "discounts": d}),
}  # fmt: skip


@pytest.mark.parametrize("route", OFF)
def test_a_coupon_for_an_amount_in_another_currency_is_refused(books, route):
    path, wanted = OFF[route]
    path = path.format(subscription=books.subscription, item=books.item)
    error = books.stripe.error("POST", path, **wanted(books, [{"coupon": books.coupon}]))
    assert (error["message"].endswith(COUPON), "discounts" in error["param"]) == (True, True)


def test_an_invoice_item_in_a_currency_that_no_subscription_bills_is_refused(books):
    for more in ({}, {"subscription": books.subscription}):
        wanted = {"customer": books.customer, "amount": 500, "currency": "eur", **more}
        assert books.stripe.error("POST", "invoiceitems", **wanted)["message"].startswith(COMBINED)


def test_an_item_of_a_draft_has_the_drafts_currency(books):
    draft = books.stripe.post("invoices", customer=books.customer, currency="usd")["id"]
    wanted = {"customer": books.customer, "invoice": draft, "pricing": {"price": books.prices["eur_once"]}}
    error = books.stripe.error("POST", "invoiceitems", **wanted)
    assert error["message"] == ONLY_EUR.replace("expected currency", "invoice's currency")


SOLD = {
    "checkout": ("checkout/sessions", {"mode": "subscription", "success_url": "https://shop.example"}),
    "quote": ("quotes", {}),
}


@pytest.mark.parametrize("route", SOLD)
def test_a_customer_subscribes_in_one_currency(books, route):
    path, wanted = SOLD[route]
    items = [{"price": books.prices["eur_monthly"], "quantity": 1}]
    error = books.stripe.error("POST", path, **wanted, customer=books.customer, line_items=items)
    assert (error["message"], error["param"]) == (ONLY_EUR, "line_items[0][price]")


@pytest.mark.parametrize("path", ["checkout/sessions", "payment_links"])
def test_a_page_sells_in_the_currency_that_is_asked_for(books, path):
    options = {"eur": {"unit_amount": 900}}
    price = books.stripe.post("prices", currency="usd", unit_amount=1000, product_data={"name": "Cap"},
                              currency_options=options)["id"]  # fmt: skip
    wanted: Any = {"line_items": [{"price": price, "quantity": 2}], "currency": "eur"}
    wanted |= {"mode": "payment", "success_url": "https://shop.example"} if path == "checkout/sessions" else {}
    made = books.stripe.post(path, **wanted, expand=["line_items"])
    assert (made["currency"], made["line_items"]["data"][0]["amount_total"]) == ("eur", 1800)
    error = books.stripe.error("POST", path, **{**wanted, "currency": "gbp"})
    assert error["message"].startswith("The price specified supports currencies of `usd`, `eur`.")
