"""What sessions, links and ways of shipping say of themselves, and what must be said of them."""

import pytest

from .test_checkout import opened


@pytest.fixture
def prices(stripe):
    mug = {"currency": "usd", "product_data": {"name": "Mug & Cup"}}
    again = stripe.post("prices", **mug, unit_amount=900, recurring={"interval": "month"})["id"]
    return {"once": stripe.post("prices", **mug, unit_amount=1500)["id"], "again": again}


def test_a_session_says_how_many_of_each_thing_it_sells(stripe, prices):
    """https://github.com/stripe/openapi/issues/93"""
    items = [{"price": prices["once"], "quantity": 1}, {"price": prices["once"]}]
    wanted = {"mode": "payment", "line_items": items, "success_url": "https://shop.example"}
    error = stripe.error("POST", "checkout/sessions", **wanted)
    assert (error["message"], error["param"]) == (
        "Quantity is required. Add `quantity` to `line_items[1]`",
        "line_items[1]",
    )
    assert "code" not in error


@pytest.mark.parametrize(
    ("mode", "name"),
    [("subscription", "payment_intent_data"), ("payment", "subscription_data"), ("payment", "setup_intent_data")],
)
def test_what_is_said_of_what_a_session_makes_goes_by_its_mode(stripe, prices, mode, name):
    """https://github.com/stripe/stripe-dotnet/issues/3278"""
    items = [{"price": prices["once" if mode == "payment" else "again"], "quantity": 1}]
    wanted = {"mode": mode, "line_items": items, "success_url": "https://shop.example", name: {"description": "Mugs"}}
    error = stripe.error("POST", "checkout/sessions", **wanted)
    assert (error["message"], error["param"]) == (f"You can not pass `{name}` in `{mode}` mode.", name)


def test_the_issuer_of_a_payment_s_invoice_is_the_shop_itself(stripe, prices):
    session = opened(stripe, prices["once"], "payment", invoice_creation={"enabled": True})
    assert session["invoice_creation"]["invoice_data"]["issuer"] == {"type": "self"}


def test_a_link_says_all_of_what_comes_after_it_and_of_its_payments(stripe, prices):
    wanted = {"line_items": [{"price": prices["once"], "quantity": 1, "adjustable_quantity": {"enabled": True}}]}
    link = stripe.post(
        "payment_links",
        **wanted,
        after_completion={"type": "hosted_confirmation"},
        payment_intent_data={"description": "Mugs"},
        expand=["line_items"],
    )
    nothing = {"type": "hosted_confirmation", "hosted_confirmation": {"custom_message": None}}
    assert link["after_completion"] == nothing
    said = {name: value for name, value in link["payment_intent_data"].items() if value is not None}
    assert said == {"description": "Mugs", "metadata": {}}
    assert link["line_items"]["data"][0]["adjustable_quantity"] == {"enabled": True, "maximum": None, "minimum": None}


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"line_items": [{"price": "price_none"}]}, "line_items[0][quantity]"),
        ({"after_completion": {"type": "redirect"}}, "after_completion[redirect]"),
    ],
)
def test_a_link_is_told_what_it_lacks(stripe, prices, change, param):
    wanted = {"line_items": [{"price": prices["once"], "quantity": 1}], **change}
    error = stripe.error("POST", "payment_links", **wanted)
    assert (error["code"], error["param"]) == ("parameter_missing", param)


def test_a_way_of_shipping_has_no_latest_day_unless_it_is_said(stripe):
    least = {"unit": "business_day", "value": 5}
    rate = {"display_name": "Slow", "fixed_amount": {"amount": 500, "currency": "usd"}}
    made = stripe.post("shipping_rates", **rate, delivery_estimate={"minimum": least})
    assert made["delivery_estimate"] == {"maximum": None, "minimum": least}
