"""Parameters of Checkout sessions and payment links that a mode, or another parameter, excludes."""

from typing import Any

import pytest

BACK = {"success_url": "https://shop.example"}


@pytest.fixture(scope="module")
def stripe(shop):
    return shop()


@pytest.fixture(scope="module")
def prices(stripe):
    made = {"currency": "usd", "unit_amount": 1000, "product_data": {"name": "Plan"}}
    every = {"subscription": {"recurring": {"interval": "month"}}, "payment": {}}
    return {name: stripe.post("prices", **made, **more)["id"] for name, more in every.items()}


def wanted(prices, mode, **more) -> Any:
    items = {"line_items": [{"price": prices[mode], "quantity": 1}]} if mode != "setup" else {"currency": "usd"}
    return {"mode": mode, **BACK, **items, **more}


NOT_HERE = "You can not pass `{}` in `{}` mode."
INVOICES = "You can only enable invoice creation when `mode` is set to `payment`."
RECURRING = "You can only set `payment_method_collection` if there are recurring prices."
CREATION = "`customer_creation` can only be used in `payment` mode."
SAVED = {"payment_method_save": "enabled"}
LINE = [{"price_data": {"currency": "usd", "unit_amount": 900, "product_data": {"name": "Cap"}}, "quantity": 1}]
REFUSED = [
    ("subscription", "customer_creation", "always", CREATION),
    ("subscription", "invoice_creation", {"enabled": True}, INVOICES),
    ("setup", "invoice_creation", {"enabled": True}, INVOICES),
    ("payment", "payment_method_collection", "if_required", RECURRING),
    ("setup", "payment_method_collection", "always", RECURRING),
    ("setup", "submit_type", "pay", NOT_HERE.format("submit_type", "setup")),
    ("setup", "line_items", LINE, NOT_HERE.format("line_items", "setup")),
    ("setup", "phone_number_collection", {"enabled": True}, NOT_HERE.format("phone_number_collection", "setup")),
    ("setup", "saved_payment_method_options", SAVED, NOT_HERE.format("saved_payment_method_options", "setup")),
    ("setup", "automatic_tax", {"enabled": True}, "You cannot set `automatic_tax[enabled]=true` in `setup` mode."),
    ("subscription", "payment_intent_data", {"description": "a"},
     NOT_HERE.format("payment_intent_data", "subscription")),
    ("payment", "subscription_data", {"description": "a"}, NOT_HERE.format("subscription_data", "payment")),
    ("payment", "setup_intent_data", {"description": "a"}, NOT_HERE.format("setup_intent_data", "payment")),
    ("payment", "locale", "xx", "Invalid locale: must be one of"),
]  # fmt: skip


@pytest.mark.parametrize(("mode", "name", "value", "said"), REFUSED)
def test_a_session_takes_what_its_mode_has(stripe, prices, mode, name, value, said):
    error = stripe.error("POST", "checkout/sessions", **wanted(prices, mode, **{name: value}))
    assert (error["message"][: len(said)], error["param"]) == (said, name)


TAKEN = [
    ("payment", {"customer_creation": "always", "invoice_creation": {"enabled": True}, "submit_type": "donate"}),
    ("payment", {"automatic_tax": {"enabled": False}, "phone_number_collection": {"enabled": True}}),
    ("subscription", {"payment_method_collection": "if_required", "invoice_creation": {"enabled": False}}),
    ("subscription", {"subscription_data": {"trial_period_days": 730}, "submit_type": "subscribe"}),
    ("setup", {"customer_creation": "always", "setup_intent_data": {"description": "a"}, "locale": "de"}),
]


@pytest.mark.parametrize(("mode", "more"), TAKEN)
def test_what_a_mode_has_is_taken(stripe, prices, mode, more):
    assert stripe.post("checkout/sessions", **wanted(prices, mode, **more))["mode"] == mode


def test_a_setup_session_has_a_currency_or_its_payment_methods(stripe):
    error = stripe.error("POST", "checkout/sessions", mode="setup", **BACK)
    assert (error["code"], error["param"]) == ("parameter_missing", "currency")
    assert stripe.post("checkout/sessions", mode="setup", payment_method_types=["card"], **BACK)["status"] == "open"


ANCHORS = [
    ({"billing_cycle_anchor": 20, "trial_end": 10}, "billing_cycle_anchor, trial_end"),
    ({"billing_cycle_anchor": 20, "trial_period_days": 7}, "billing_cycle_anchor, trial_period_days"),
    ({"billing_cycle_anchor_config": {"day_of_month": 1}, "trial_end": 10}, "billing_cycle_anchor_config, trial_end"),
    ({"billing_cycle_anchor_config": {"day_of_month": 1}, "trial_period_days": 7},
     "billing_cycle_anchor_config, trial_period_days"),
    ({"trial_end": 10, "trial_period_days": 7}, "trial_end, trial_period_days"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "names"), ANCHORS)
def test_a_page_has_one_way_to_say_when_billing_begins(stripe, prices, data, names):
    now = stripe.post("customers")["created"]
    days = {name: now + value * 86_400 if name in ("billing_cycle_anchor", "trial_end") else value
            for name, value in data.items()}  # fmt: skip
    error = stripe.error("POST", "checkout/sessions", **wanted(prices, "subscription", subscription_data=days))
    assert error["message"] == f"You may only specify one of these parameters: {names}."


@pytest.mark.parametrize(
    ("updates", "named"), [({}, "name"), ({"name": "auto"}, "address"), ({"address": "auto"}, "name")]
)
def test_tax_ids_of_a_known_customer_need_leave_to_change_name_and_address(stripe, prices, updates, named):
    customer = stripe.post("customers")["id"]
    more = {"customer": customer, "tax_id_collection": {"enabled": True}}
    more |= {"customer_update": updates} if updates else {}
    error = stripe.error("POST", "checkout/sessions", **wanted(prices, "payment", **more))
    assert error["message"].endswith(f"please set `customer_update[{named}]` to `auto`.")
    both = {"name": "auto", "address": "auto"}
    made = stripe.post("checkout/sessions", **wanted(prices, "payment", **{**more, "customer_update": both}))
    assert made["tax_id_collection"]["enabled"] is True


PAIRS = [
    ({"customer": "", "customer_creation": "always"}, "customer, customer_creation"),
    ({"customer": "", "customer_email": "ada@shop.example"}, "customer, customer_email"),
    ({"allow_promotion_codes": True, "discounts": [{"coupon": "none"}]}, "allow_promotion_codes, discounts"),
]


@pytest.mark.parametrize(("more", "names"), PAIRS)
def test_some_parameters_of_a_session_exclude_others(stripe, prices, more, names):
    given = {**more, "customer": stripe.post("customers")["id"]} if "customer" in more else more
    error = stripe.error("POST", "checkout/sessions", **wanted(prices, "payment", **given))
    assert error["message"] == f"You may only specify one of these parameters: {names}."


@pytest.mark.parametrize(("mode", "most"), [("payment", 100), ("subscription", 20)])
def test_a_session_has_so_many_items(stripe, prices, mode, most):
    each = {"price_data": {"currency": "usd", "unit_amount": 100, "product_data": {"name": "Cap"}}, "quantity": 1}
    if mode == "subscription":
        each["price_data"]["recurring"] = {"interval": "month"}
    more = {"mode": mode, **BACK}
    assert stripe.error("POST", "checkout/sessions", **more, line_items=[each] * (most + 1))["param"] == "line_items"
    assert stripe.post("checkout/sessions", **more, line_items=[each] * most)["mode"] == mode


def test_an_item_has_a_price_that_is_not_empty_or_its_data(stripe, prices):
    for item, code, param in (
        ({"price": "", "quantity": 1}, "parameter_invalid_empty", "line_items[0][price]"),
        ({**LINE[0], "price": prices["payment"]}, None, "line_items[0][price]"),
    ):
        error = stripe.error("POST", "checkout/sessions", mode="payment", **BACK, line_items=[item])
        assert (error.get("code"), error["param"]) == (code, param)


@pytest.mark.parametrize(("seconds", "said"), [(86_410, "less than 24 hours"), (1799, "at least 30 minutes")])
def test_a_session_says_whether_it_ends_too_late_or_too_soon(shop, prices, stripe, seconds, said):
    stopped = shop(clock={"mode": "steps"})
    now = stopped.post("customers")["created"]
    for off, status in ((0, 400), (-60 if seconds > 3600 else 60, 200)):
        given = {"mode": "payment", **BACK, "line_items": LINE, "expires_at": now + seconds + off}
        answer = stopped.http("POST", "checkout/sessions", **given)
        assert answer.status_code == status, answer.text
        if status == 400:
            text = f"The `expires_at` timestamp must be {said} from Checkout Session creation."
            assert answer.json()["error"]["message"] == text


def test_a_total_is_no_smaller_than_a_payment_can_be(stripe):
    cheap = {"currency": "usd", "unit_amount": 49, "product_data": {"name": "Cap"}}
    given = {"mode": "payment", **BACK, "line_items": [{"price_data": cheap, "quantity": 1}]}
    error = stripe.error("POST", "checkout/sessions", **given)
    assert error["message"] == "The Checkout Session's total amount due must add up to at least $0.50 usd"
    assert (error["code"], error.get("param")) == ("amount_too_small", None)


LINKS = [
    ("payment", "subscription_data", {"description": "a"}),
    ("payment", "payment_method_collection", "always"),
    ("subscription", "payment_intent_data", {"description": "a"}),
    ("subscription", "customer_creation", "always"),
    ("subscription", "invoice_creation", {"enabled": True}),
]


@pytest.mark.parametrize(("mode", "name", "value"), LINKS)
def test_a_link_takes_what_its_prices_allow(stripe, prices, mode, name, value):
    items = [{"price": prices[mode], "quantity": 1}]
    assert stripe.error("POST", "payment_links", line_items=items, **{name: value})["param"] == name
    link = stripe.post("payment_links", line_items=items)["id"]
    assert stripe.error("POST", f"payment_links/{link}", **{name: value})["param"] == name
