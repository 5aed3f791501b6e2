"""Payments by bank transfer: instructions, cash that comes, and what it pays."""

import pytest


@pytest.fixture
def customer(stripe):
    return stripe.post("customers", email="ada@shop.example")["id"]


def ask(stripe, customer, currency="usd", **more):
    cash = {"funding_type": "bank_transfer", "bank_transfer": {"type": "us_bank_transfer"}}
    asked = {"amount": 2000, "currency": currency, "customer": customer, "payment_method_types": ["customer_balance"]}
    asked |= {"payment_method_data": {"type": "customer_balance"}, "payment_method_options": {"customer_balance": cash}}
    return stripe.post("payment_intents", **asked, confirm=True, **more)


def send(stripe, customer, amount):
    stripe.post(f"test_helpers/customers/{customer}/fund_cash_balance", amount=amount, currency="usd")


@pytest.mark.parametrize(("currency", "kind"), [("usd", "aba"), ("eur", "iban"), ("gbp", "sort_code")])
def test_a_transfer_waits_for_cash_and_says_where_to_send_it(stripe, customer, currency, kind):
    waiting = ask(stripe, customer, currency)
    said = waiting["next_action"]["display_bank_transfer_instructions"]
    assert (waiting["status"], said["amount_remaining"]) == ("requires_action", 2000)
    assert said["financial_addresses"][0]["type"] == kind


def test_cash_pays_what_waits_once_it_is_enough(stripe, customer):
    waiting = ask(stripe, customer)
    send(stripe, customer, 500)
    part = stripe.get(f"payment_intents/{waiting['id']}")
    assert part["next_action"]["display_bank_transfer_instructions"]["amount_remaining"] == 1500
    assert len(stripe.get("events", type="payment_intent.partially_funded")["data"]) == 1
    send(stripe, customer, 1600)
    paid = stripe.get(f"payment_intents/{waiting['id']}", expand=["latest_charge"])
    assert (paid["status"], paid["latest_charge"]["payment_method_details"]["type"]) == (
        "succeeded",
        "customer_balance",
    )
    assert stripe.get(f"customers/{customer}/cash_balance")["available"] == {"usd": 100}
    moves = stripe.get(f"customers/{customer}/cash_balance_transactions")["data"]
    assert [move["type"] for move in moves] == ["applied_to_payment", "funded", "funded"]


def told(stripe):
    """How often it was told that there is cash."""
    return len(stripe.get("events", type="cash_balance.funds_available")["data"])


def test_only_cash_that_is_left_is_told_of(stripe, customer):
    send(stripe, customer, 2000)
    assert told(stripe) == 1
    ask(stripe, customer)
    assert told(stripe) == 1
    ask(stripe, customer)
    send(stripe, customer, 2000)
    assert told(stripe) == 1


def test_cash_comes_by_the_banks_of_its_currency(stripe, customer):
    moved = stripe.post(f"test_helpers/customers/{customer}/fund_cash_balance", amount=5, currency="eur")
    assert moved["funded"]["bank_transfer"]["type"] == "eu_bank_transfer"


def test_cash_that_is_there_pays_at_once(stripe, customer):
    send(stripe, customer, 2000)
    assert ask(stripe, customer)["status"] == "succeeded"


def test_cash_waits_where_the_shop_reconciles_itself(stripe, customer):
    stripe.post(f"customers/{customer}/cash_balance", settings={"reconciliation_mode": "manual"})
    waiting = ask(stripe, customer)
    send(stripe, customer, 2000)
    assert stripe.get(f"payment_intents/{waiting['id']}")["status"] == "requires_action"


def test_a_transfer_needs_a_customer(stripe):
    asked = {"amount": 2000, "currency": "usd", "payment_method_types": ["customer_balance"], "confirm": True}
    error = stripe.error("POST", "payment_intents", **asked, payment_method_data={"type": "customer_balance"})
    assert (error["code"], error["param"]) == ("parameter_missing", "customer")


def test_the_shop_applies_cash_itself(stripe, customer):
    stripe.post(f"customers/{customer}/cash_balance", settings={"reconciliation_mode": "manual"})
    waiting = ask(stripe, customer)["id"]
    send(stripe, customer, 1999)
    assert stripe.error("POST", f"payment_intents/{waiting}/apply_customer_balance")["param"] == "amount"
    send(stripe, customer, 1)
    assert stripe.post(f"payment_intents/{waiting}/apply_customer_balance")["status"] == "succeeded"
    error = stripe.error("POST", f"payment_intents/{waiting}/apply_customer_balance")
    assert error["code"] == "payment_intent_unexpected_state"


def test_a_customer_is_told_where_to_send_cash_before_there_is_a_payment(stripe, customer):
    wanted = {"currency": "usd", "funding_type": "bank_transfer"}
    us = {"type": "us_bank_transfer"}
    said = stripe.post(f"customers/{customer}/funding_instructions", **wanted, bank_transfer=us)
    shown = ask(stripe, customer)["next_action"]["display_bank_transfer_instructions"]
    assert said["bank_transfer"]["financial_addresses"] == shown["financial_addresses"]
    other = {"type": "gb_bank_transfer"}
    error = stripe.error("POST", f"customers/{customer}/funding_instructions", **wanted, bank_transfer=other)
    assert error["param"] == "bank_transfer[type]"


def test_a_customer_may_have_a_way_of_its_own_to_apply_cash(stripe):
    path = f"customers/{stripe.post('customers')['id']}/cash_balance"
    assert stripe.get(path)["settings"] == {"reconciliation_mode": "automatic", "using_merchant_default": True}
    for mode, seen, is_default in (
        ("manual", "manual", False),
        ("automatic", "automatic", False),
        ("merchant_default", "automatic", True),
    ):
        settings = stripe.post(path, settings={"reconciliation_mode": mode})["settings"]
        assert settings == {"reconciliation_mode": seen, "using_merchant_default": is_default}


def test_attempts_are_listed_of_a_setup_intent_that_is_there(stripe):
    error = stripe.error("GET", "setup_attempts", setup_intent="seti_none")
    assert (error["code"], error["param"]) == ("resource_missing", "setup_intent")
