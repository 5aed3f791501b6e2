"""Parameters that Stripe refuses, in its words."""

import pytest

from .payments.test_payment_intents import pay

TOO_LONG = "The statement descriptor must be at most 22 characters. A shop with a long name is 23 characters long."
PAYMENT = {"amount": 2000, "currency": "usd", "payment_method_types": ["card"]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("A shop with a long name", TOO_LONG),
        ("SHOP*1", "The statement descriptor cannot include *."),
        ("it's", "The statement descriptor cannot include '."),
        ("12345", "The statement descriptor must contain at least one Latin character."),
    ],
)
def test_a_statement_descriptor_is_one_that_banks_print(stripe, given, said):
    error = stripe.error("POST", "payment_intents", **PAYMENT, statement_descriptor_suffix=given)
    assert (error["message"], error["param"]) == (said, "statement_descriptor_suffix")


def test_cards_have_no_statement_descriptor_but_its_suffix(stripe):
    error = stripe.error("POST", "payment_intents", **PAYMENT, statement_descriptor="SHOP")
    assert "not supported for the payment_method_type `card`" in error["message"]
    debit = {**PAYMENT, "payment_method_types": ["us_bank_account"]}
    assert stripe.post("payment_intents", **debit, statement_descriptor="SHOP")["statement_descriptor"] == "SHOP"


@pytest.mark.parametrize("metadata", [{"a": "1", "b": {"c": "2"}}, {"a": "1", "b": ["2"]}])
def test_an_error_names_the_key_of_bad_metadata(stripe, metadata):
    assert stripe.error("POST", "customers", metadata=metadata)["param"] == "metadata[b]"


def test_an_error_names_an_unknown_parameter_of_a_currency(stripe):
    error = stripe.error("POST", "coupons/none", currency_options={"eur": {"amount_off": 1}, "usd": {"wat": 1}})
    assert (error["code"], error["param"]) == ("parameter_unknown", "currency_options[usd][wat]")


def test_events_are_asked_for_by_at_most_twenty_types(stripe):
    types = [f"charge.{number}" for number in range(21)]
    error = stripe.error("GET", "events", types=types)
    assert error["message"] == "Array types exceeded maximum 20 allowed elements."
    assert stripe.get("events", types=types[1:])["data"] == []


def test_prices_are_asked_for_by_at_most_ten_lookup_keys(stripe):
    error = stripe.error("GET", "prices", lookup_keys=[f"key_{number}" for number in range(11)])
    assert error["message"] == "Array lookup_keys exceeded maximum 10 allowed elements."


def test_an_anchor_is_no_later_than_the_next_natural_billing_date(stripe):
    product = {"currency": "usd", "recurring": {"interval": "month"}, "product_data": {"name": "Plan"}}
    price = stripe.post("prices", **product, unit_amount=1000)["id"]
    customer = stripe.post("customers")
    wanted = {"customer": customer["id"], "items": [{"price": price}], "payment_behavior": "default_incomplete"}
    late = customer["created"] + 40 * 86_400
    error = stripe.error("POST", "subscriptions", **wanted, billing_cycle_anchor=late)
    assert error["param"] == "billing_cycle_anchor"
    assert error["message"].startswith("billing_cycle_anchor cannot be later than next natural billing date (")
    stripe.post("subscriptions", **wanted, billing_cycle_anchor=customer["created"] + 20 * 86_400)


@pytest.mark.parametrize(
    ("kind", "given", "param", "most"),
    [
        ("customers", {"invoice_settings": {"custom_fields": [{"name": "n" * 41, "value": "1"}]}}, "name", 40),
        ("customers", {"invoice_settings": {"custom_fields": [{"name": "PO", "value": "v" * 141}]}}, "value", 140),
        ("products", {"name": "Cap", "marketing_features": [{"name": "n" * 81}]}, "name", 80),
        ("prices", {"currency": "usd", "unit_amount": 5, "product_data": {"name": "Cap"}, "lookup_key": "k" * 201},
         "lookup_key", 200),
    ],
)  # fmt: skip
def test_some_texts_are_shorter_than_others(stripe, kind, given, param, most):
    error = stripe.error("POST", kind, **given)
    assert ("code" in error, param in error["param"]) == (False, True)
    assert error["message"].endswith(f"must be at most {most} characters")


@pytest.mark.parametrize(
    ("kind", "given", "param", "most"),
    [
        ("customers", {"invoice_settings": {"custom_fields": [{"name": "PO", "value": "1"}] * 5}},
         "invoice_settings[custom_fields]", 4),
        ("products", {"name": "Cap", "images": ["https://shop.example/cap"] * 9}, "images", 8),
    ],
)  # fmt: skip
def test_there_are_only_so_many_of_some_things(stripe, kind, given, param, most):
    error = stripe.error("POST", kind, **given)
    assert error["message"] == f"Array {param} exceeded maximum {most} allowed elements."


@pytest.mark.parametrize(
    ("path", "given", "param", "most"),
    [
        ("customers", {"name": "a" * 257}, "name", 256),
        ("customers", {"phone": "1" * 21}, "phone", 20),
        ("payment_intents", {**PAYMENT, "description": "a" * 1001}, "description", 1000),
        ("products", {"name": "a", "unit_label": "a" * 13}, "unit_label", 12),
        ("shipping_rates", {"display_name": "a" * 101, "fixed_amount": {"amount": 1, "currency": "usd"}},
         "display_name", 100),
        ("tax_rates", {"display_name": "a" * 51, "percentage": 1, "inclusive": False}, "display_name", 50),
    ],
)  # fmt: skip
def test_some_texts_must_be_shorter_than_most(stripe, path, given, param, most):
    error = stripe.error("POST", path, **given)
    assert ("code" in error, error["param"]) == (False, param)
    assert error["message"].endswith(f"must be at most {most} characters")


def test_a_description_of_a_product_may_be_longer_than_most_texts(stripe):
    assert len(stripe.post("products", name="Novel", description="a" * 40_000)["description"]) == 40_000


@pytest.mark.parametrize(
    ("path", "made", "param"),
    [
        ("products", {"name": "Novel"}, "name"),
        ("tax_rates", {"display_name": "VAT", "percentage": 19, "inclusive": False}, "display_name"),
        ("entitlements/features", {"name": "Feature", "lookup_key": "feature"}, "name"),
        (
            "billing/meters",
            {"display_name": "M", "event_name": "m", "default_aggregation": {"formula": "sum"}},
            "display_name",
        ),
        ("customers", {}, "invoice_prefix"),
    ],
)
def test_what_every_object_has_cannot_be_unset(stripe, path, made, param):
    id = stripe.post(path, **made)["id"]
    error = stripe.error("POST", f"{path}/{id}", **{param: ""})
    assert (error["code"], error["param"]) == ("parameter_invalid_empty", param)


NO_SCHEME = "Invalid URL: An explicit scheme (such as https) must be provided."


@pytest.mark.parametrize(
    ("url", "said"),
    [("shop.example/back", NO_SCHEME), ("https://", "Not a valid URL"), ("http://[", "Not a valid URL")],
)
def test_the_portal_returns_to_an_address(stripe, url, said):
    customer = stripe.post("customers")["id"]
    error = stripe.error("POST", "billing_portal/sessions", customer=customer, return_url=url)
    assert (error["message"], error["code"], error["param"]) == (said, "url_invalid", "return_url")


@pytest.mark.parametrize("name", ["customer_update", "subscription_cancel", "subscription_update"])
def test_a_new_portal_configuration_says_whether_a_feature_is_on(stripe, name):
    field = {"customer_update": "allowed_updates", "subscription_cancel": "mode"}.get(name, "proration_behavior")
    value = {"allowed_updates": ["email"], "mode": "immediately"}.get(field, "none")
    error = stripe.error("POST", "billing_portal/configurations", features={name: {field: value}})
    assert (error["code"], error["param"]) == ("parameter_missing", f"features[{name}][enabled]")


def test_a_flow_of_the_portal_names_a_subscription_that_is_there(stripe):
    customer, kind = stripe.post("customers")["id"], "subscription_cancel"
    error = stripe.error("POST", "billing_portal/sessions", customer=customer, flow_data={"type": kind})
    assert (error["code"], error["param"]) == ("parameter_missing", "flow_data[subscription_cancel]")
    flow = {"type": kind, kind: {"subscription": "sub_none"}}
    error = stripe.error("POST", "billing_portal/sessions", customer=customer, flow_data=flow)
    assert (error["code"], error["param"]) == ("resource_missing", "flow_data[subscription_cancel][subscription]")


def test_a_promotion_code_for_a_least_amount_says_in_which_currency(stripe):
    coupon = {"type": "coupon", "coupon": stripe.post("coupons", percent_off=5, duration="once")["id"]}
    error = stripe.error("POST", "promotion_codes", promotion=coupon, restrictions={"minimum_amount": 500})
    assert error["message"] == "You must pass minimum_amount_currency when passing minimum_amount"
    error = stripe.error("POST", "promotion_codes", promotion=coupon, max_redemptions=0)
    assert (error["code"], error["param"]) == ("parameter_invalid_integer", "max_redemptions")


def test_two_choices_have_no_comma(stripe):
    error = stripe.error("POST", "setup_intents", usage="sometimes")
    assert error["message"] == "Invalid usage: must be one of off_session or on_session"


def test_a_file_of_evidence_must_be_there(stripe):
    pay(stripe, "pm_card_createDispute")
    (dispute,) = stripe.get("disputes")["data"]
    error = stripe.error("POST", f"disputes/{dispute['id']}", evidence={"receipt": "file_none"})
    assert (error["message"], error["param"]) == ("No such file upload: 'file_none'", "evidence[receipt]")


@pytest.mark.parametrize(
    ("query", "passed", "expected"), [("expand[1]=data", "`1`", 0), ("expand[0]=a&expand[2]=b", "`0`, `2`", 1)]
)
def test_the_keys_of_a_list_begin_with_0_and_have_no_gaps(stripe, query, passed, expected):
    error = stripe.environment.ask(f"v1/customers?{query}", twin="stripe", token=stripe.token).json()["error"]
    assert error["message"].endswith(
        f"You passed the keys {passed}, we expected to have a key with the value `{expected}`."
    )
    assert error["param"] == "expand"


def test_a_list_is_no_object(stripe):
    assert stripe.error("GET", "customers", expand={"a": "data"})["message"] == "Invalid array"


@pytest.mark.parametrize(("currency", "least"), [("cad", "$0.50"), ("jpy", "¥50")])
def test_amounts_are_spoken_of_with_the_sign_of_their_currency(stripe, currency, least):
    error = stripe.error("POST", "payment_intents", amount=5, currency=currency)
    assert error["message"] == f"Amount must be at least {least} {currency}"


def test_customers_of_a_clock_that_is_not_there_are_refused(stripe):
    assert stripe.error("GET", "customers", test_clock="clock_none")["param"] == "test_clock"


def test_a_customer_has_no_source_that_is_not_there(stripe):
    customer = stripe.post("customers")["id"]
    error = stripe.error("POST", f"customers/{customer}", default_source="card_none")
    assert (error["message"], error["param"]) == ("No such source: 'card_none'", "default_source")
