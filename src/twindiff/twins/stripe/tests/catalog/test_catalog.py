"""Products, prices, coupons, promotion codes and tax rates."""

import pytest


@pytest.fixture
def product(stripe):
    return stripe.post("products", name="Coffee")["id"]


def price(stripe, product, **more):
    return stripe.post("prices", **{"product": product, "currency": "usd", "unit_amount": 1200, **more})


def test_a_product_may_be_made_with_its_default_price(stripe):
    monthly = {"currency": "eur", "unit_amount": 900, "recurring": {"interval": "month"}}
    made = stripe.post("products", name="Tea", default_price_data=monthly, expand=["default_price"])
    assert made["default_price"]["recurring"]["interval"] == "month"
    assert made["default_price"]["unit_amount"] == 900


def test_a_product_with_prices_is_not_deleted(stripe, product):
    price(stripe, product)
    assert "one or more user-created prices" in stripe.error("DELETE", f"products/{product}")["message"]


def test_a_deleted_product_is_gone(stripe, product):
    assert stripe.delete(f"products/{product}") == {"id": product, "object": "product", "deleted": True}
    assert stripe.error("GET", f"products/{product}", 404)["code"] == "resource_missing"
    (event,) = stripe.get("events", type="product.deleted")["data"]
    assert event["data"]["object"]["active"] is False


def test_the_id_of_a_deleted_product_may_be_had_again(stripe):
    stripe.post("products", id="tea", name="Tea")
    assert stripe.error("POST", "products", id="tea", name="Tea")["code"] == "resource_already_exists"
    stripe.delete("products/tea")
    assert stripe.post("products", id="tea", name="Tea")["id"] == "tea"


@pytest.mark.parametrize(
    ("given", "shown", "whole"), [("123.45", "123.45", None), ("200.00", "200", 200), ("0.000000000001", None, None)]
)
def test_an_amount_may_have_decimals(stripe, product, given, shown, whole):
    made = stripe.post("prices", product=product, currency="usd", unit_amount_decimal=given)
    assert (made["unit_amount_decimal"], made["unit_amount"]) == (shown or given, whole)


def test_tiers_and_other_currencies_are_shown_when_they_are_asked_for(stripe, product):
    tiers = [{"up_to": 5, "unit_amount": 500, "flat_amount": 100}, {"up_to": "inf", "unit_amount_decimal": "0.5"}]
    made = stripe.post(
        "prices",
        product=product,
        currency="usd",
        billing_scheme="tiered",
        tiers_mode="volume",
        recurring={"interval": "year"},
        tiers=tiers,
    )
    assert "tiers" not in made
    seen = stripe.get(f"prices/{made['id']}", expand=["tiers", "currency_options"])
    assert [tier["up_to"] for tier in seen["tiers"]] == [5, None]
    assert seen["tiers"][1]["unit_amount_decimal"] == "0.5"
    assert list(seen["currency_options"]) == ["usd"]


@pytest.mark.parametrize("bounds", [[5, 5, "inf"], [5], ["inf", "inf"], [0, "inf"]])
def test_tiers_go_up_and_have_no_end(stripe, product, bounds):
    tiers = [{"up_to": bound, "unit_amount": 1} for bound in bounds]
    wanted = {"product": product, "currency": "usd", "recurring": {"interval": "month"}, "billing_scheme": "tiered"}
    assert stripe.error("POST", "prices", **wanted, tiers_mode="graduated", tiers=tiers)["param"].startswith("tiers")


def test_a_lookup_key_is_moved_on_request(stripe, product):
    first = price(stripe, product, lookup_key="standard")
    assert first["id"] in stripe.error("POST", "prices", product=product, currency="usd", unit_amount=1,
                                       lookup_key="standard")["message"]  # fmt: skip
    second = price(stripe, product, lookup_key="standard", transfer_lookup_key=True)
    assert stripe.get(f"prices/{first['id']}")["lookup_key"] is None
    assert [each["id"] for each in stripe.get("prices", lookup_keys=["standard"])["data"]] == [second["id"]]


def test_a_price_by_usage_needs_a_meter(stripe, product):
    metered = {"interval": "month", "usage_type": "metered"}
    wanted = {"product": product, "currency": "usd", "unit_amount": 2}
    assert "backed by meters" in stripe.error("POST", "prices", **wanted, recurring=metered)["message"]
    meter = stripe.post(
        "billing/meters", display_name="Calls", event_name="calls", default_aggregation={"formula": "sum"}
    )
    made = price(stripe, product, recurring={**metered, "meter": meter["id"]})
    assert made["recurring"]["meter"] == meter["id"]


def test_a_coupon_that_was_used_up_is_not_valid(stripe):
    late = stripe.error("POST", "coupons", percent_off=10, duration="once", redeem_by=1)
    assert late["param"] == "redeem_by"
    made = stripe.post("coupons", percent_off=12.5, duration="repeating", duration_in_months=3)
    assert (made["valid"], made["percent_off"], len(made["id"])) == (True, 12.5, 8)


@pytest.mark.parametrize(
    ("wanted", "param"),
    [
        ({"percent_off": 101}, "percent_off"),
        ({"amount_off": 0, "currency": "usd"}, "amount_off"),
        ({"percent_off": 5, "max_redemptions": 0}, "max_redemptions"),
        ({"percent_off": 5, "applies_to": {"products": ["prod_none"]}}, "applies_to[products][0]"),
        ({"percent_off": 5, "duration_in_months": 2}, "duration_in_months"),
    ],
)
def test_a_coupon_is_checked(stripe, wanted, param):
    assert stripe.error("POST", "coupons", **{"duration": "once", **wanted})["param"] == param


def test_a_code_may_be_used_again_when_the_first_one_is_not_active(stripe):
    coupon = stripe.post("coupons", percent_off=10)["id"]
    promotion = {"type": "coupon", "coupon": coupon}
    first = stripe.post("promotion_codes", promotion=promotion, code="SPRING")
    assert "already exists" in stripe.error("POST", "promotion_codes", promotion=promotion, code="SPRING")["message"]
    assert "`code: spring`" in stripe.error("POST", "promotion_codes", promotion=promotion, code="spring")["message"]
    assert [each["id"] for each in stripe.get("promotion_codes", code="spring")["data"]] == [first["id"]]
    stripe.post(f"promotion_codes/{first['id']}", active=False)
    second = stripe.post("promotion_codes", promotion=promotion, code="SPRING", expand=["promotion.coupon"])
    assert second["promotion"]["coupon"]["percent_off"] == 10
    assert "already exists" in stripe.error("POST", f"promotion_codes/{first['id']}", active=True)["message"]


def test_a_tax_rate_keeps_its_percentage(stripe):
    made = stripe.post("tax_rates", display_name="VAT", percentage=7.7, inclusive=True)
    assert (made["effective_percentage"], made["rate_type"]) == (7.7, "percentage")
    assert stripe.error("POST", f"tax_rates/{made['id']}", percentage=8)["code"] == "parameter_unknown"
    assert stripe.error("POST", "tax_rates", display_name="V", percentage=101, inclusive=True)["param"] == "percentage"


def test_usage_is_added_up_by_meter(stripe):
    stripe.post("billing/meters", display_name="Calls", event_name="calls", default_aggregation={"formula": "sum"})
    customer = stripe.post("customers")["id"]
    for value in (3, 4):
        payload = {"stripe_customer_id": customer, "value": value}
        made = stripe.post("billing/meter_events", event_name="calls", payload=payload)
    (meter,) = stripe.get("billing/meters")["data"]
    minute = made["timestamp"] // 60 * 60
    window = {"customer": customer, "start_time": minute - 60, "end_time": minute + 60}
    (summary,) = stripe.get(f"billing/meters/{meter['id']}/event_summaries", **window)["data"]
    assert summary["aggregated_value"] == 7
    again = stripe.error("POST", "billing/meter_events", event_name="calls", payload=payload,
                         identifier=made["identifier"])  # fmt: skip
    assert again["param"] == "identifier"


def test_usage_by_the_hour_comes_in_pages_newest_first(stripe):
    meter = stripe.post("billing/meters", display_name="C", event_name="c", default_aggregation={"formula": "last"})
    customer = stripe.post("customers")["id"]
    payload = {"stripe_customer_id": customer, "value": 1}
    hour = stripe.post("billing/meter_events", event_name="c", payload=payload)["timestamp"] // 3600 * 3600
    for value, moment in ((5, hour - 7200), (6, hour - 3601), (7, hour - 3600)):
        wanted = {"event_name": "c", "payload": {**payload, "value": value}, "timestamp": moment}
        stripe.post("billing/meter_events", **wanted)
    path = f"billing/meters/{meter['id']}/event_summaries"
    times = {"customer": customer, "start_time": hour - 36_000, "end_time": hour + 3600}
    first = stripe.get(path, **times, value_grouping_window="hour", limit=2)
    assert [(each["start_time"], each["aggregated_value"]) for each in first["data"]] == [(hour, 1), (hour - 3600, 7)]
    rest = stripe.get(path, **times, value_grouping_window="hour", starting_after=first["data"][-1]["id"])
    assert [each["aggregated_value"] for each in rest["data"]] == [6]
    assert (first["has_more"], rest["has_more"]) == (True, False)
    shifted = {**times, "start_time": hour - 1800, "end_time": hour + 1800, "value_grouping_window": "hour"}
    assert stripe.error("GET", path, **shifted)["param"] == "start_time"


@pytest.mark.parametrize(
    ("more", "param"),
    [({"timestamp": 1}, "timestamp"), ({"payload": {"value": 1}}, "payload[stripe_customer_id]"),
     ({"payload": {"stripe_customer_id": "cus_1", "value": "x"}}, "payload[value]"),
     ({"event_name": "no"}, "event_name")],
)  # fmt: skip
def test_usage_that_cannot_be_read_is_refused(stripe, more, param):
    stripe.post("billing/meters", display_name="Calls", event_name="calls", default_aggregation={"formula": "sum"})
    usage = {"event_name": "calls", "payload": {"stripe_customer_id": "cus_1", "value": 1}, **more}
    assert stripe.error("POST", "billing/meter_events", **usage)["param"] == param


@pytest.mark.parametrize(
    ("given", "param", "said"),
    [
        (
            {"transform_quantity": {"divide_by": 0, "round": "up"}},
            "transform_quantity[divide_by]",
            "This value must be",
        ),
        (
            {"custom_unit_amount": {"enabled": True}},
            "custom_unit_amount",
            "You may only specify one of these parameter",
        ),
    ],
)
def test_a_price_says_one_amount_and_divides_by_something(stripe, given, param, said):
    product = stripe.post("products", name="Mug")["id"]
    error = stripe.error("POST", "prices", product=product, currency="usd", unit_amount=5, **given)
    assert (error["param"], error["message"].startswith(said)) == (param, True)


def test_a_price_that_is_described_says_an_amount_too(stripe):
    error = stripe.error("POST", "products", name="Mug", default_price_data={"currency": "usd"})
    assert error["message"] == "Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set."


def test_how_a_price_is_taxed_is_said_once(stripe):
    data = {"currency": "usd", "unit_amount": 5, "tax_behavior": "exclusive", "product_data": {"name": "Mug"}}
    price = stripe.post("prices", **data)["id"]
    assert stripe.post(f"prices/{price}", tax_behavior="exclusive")["tax_behavior"] == "exclusive"
    assert stripe.error("POST", f"prices/{price}", tax_behavior="inclusive")["param"] == "tax_behavior"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"percentage": -5}, "This value must be greater than or equal to 0 (it currently is '-5.0')."),
        ({"percentage": 150}, "This value must be less than or equal to 100 (it currently is '150.0')."),
        ({"percentage": 5.12345}, "Invalid decimal: 5.12345; must contain at maximum four decimal places."),
        ({"percentage": 5, "country": "Germany"}, "Country 'Germany' is unknown. "),
    ],
)
def test_a_tax_rate_is_a_part_of_a_hundred_in_a_country(stripe, given, said):
    error = stripe.error("POST", "tax_rates", display_name="Tax", inclusive=False, **given)
    assert error["message"].startswith(said)


@pytest.mark.parametrize(
    ("given", "said"), [({"images": "x"}, "Invalid array"), ({"url": "x"}, "Invalid URL: An expl")]
)
def test_a_product_has_images_and_an_address(stripe, given, said):
    assert stripe.error("POST", "products", name="Mug", **given)["message"].startswith(said)


def test_a_product_changes_when_its_default_price_is_made_with_it(stripe):
    stripe.post("products", name="Box", default_price_data={"currency": "usd", "unit_amount": 900})
    events = stripe.get("events")["data"][::-1]
    assert [each["type"] for each in events] == ["product.created", "price.created", "product.updated"]
    assert events[2]["data"]["previous_attributes"]["default_price"] is None


@pytest.mark.parametrize(("kind", "given"), [
    ("coupons", {"percent_off": 5}),
    ("plans", {"amount": 900, "currency": "usd", "interval": "month", "product": {"name": "Box"}}),
])  # fmt: skip
def test_an_id_is_given_once(stripe, kind, given):
    stripe.post(kind, id="twice", **given)
    error = stripe.error("POST", kind, id="twice", **given)
    assert (error["code"], error["message"].endswith("already exists.")) == ("resource_already_exists", True)
    assert "param" not in error
