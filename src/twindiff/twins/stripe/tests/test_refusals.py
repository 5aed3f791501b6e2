"""Parameters that Stripe refuses, in its words."""

import pytest

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
    assert (error["code"], param in error["param"]) == ("parameter_invalid_string_length", True)
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
