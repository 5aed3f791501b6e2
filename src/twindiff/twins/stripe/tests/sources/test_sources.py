"""Sources, and the cards and bank accounts of customers that are no payment methods.

https://docs.stripe.com/sources, https://docs.stripe.com/api/cards, https://docs.stripe.com/ach-deprecated
"""

from typing import Any

import pytest


@pytest.fixture(scope="module")
def old(shop):
    """A shop that takes card tokens."""
    return shop("stripe_card_tokens")


def customer_with(stripe, *sources):
    """A customer with sources, and their ids."""
    customer = stripe.post("customers")["id"]
    return customer, [stripe.post(f"customers/{customer}/sources", source=each)["id"] for each in sources]


def paid(stripe, **asked):
    return stripe.post("charges", **{"amount": 1000, "currency": "usd", **asked})


def refused(stripe, status=400, **asked):
    return stripe.error("POST", "charges", status, **{"amount": 1000, "currency": "usd", **asked})


def bancontact(stripe, **more):
    asked = {"type": "bancontact", "amount": 1000, "currency": "eur", "redirect": {"return_url": "https://a.b/done"}}
    return stripe.post("sources", **asked, **more)


def choose(stripe, source, outcome):
    """Press a button on the page of a redirect."""
    client = stripe.environment.platform.client
    return client.post(source["redirect"]["url"], data={"outcome": outcome}, follow_redirects=False)


def test_a_token_becomes_a_card_that_is_charged_by_default(old):
    customer, (card,) = customer_with(old, "tok_visa")
    shown = old.get(f"customers/{customer}", expand=["default_source", "sources"])
    assert (shown["default_source"]["id"], shown["default_source"]["last4"], shown["sources"]["total_count"]) == (
        card, "4242", 1,
    )  # fmt: skip
    charge = paid(old, customer=customer)
    assert (charge["source"]["id"], charge["payment_method"], charge["status"]) == (card, card, "succeeded")
    assert old.get(f"payment_methods/{card}")["customer"] == customer
    assert old.post("refunds", charge=charge["id"])["amount"] == 1000


def test_the_card_of_a_source_pays_invoices_and_intents(old):
    customer, (card,) = customer_with(old, "tok_visa")
    every = {"currency": "usd", "unit_amount": 900, "recurring": {"interval": "month"}, "product_data": {"name": "Tea"}}
    price = old.post("prices", **every)["id"]
    assert old.post("subscriptions", customer=customer, items=[{"price": price}])["status"] == "active"
    asked = {"amount": 700, "currency": "usd", "customer": customer, "payment_method": card, "confirm": True}
    assert old.post("payment_intents", **asked, allowed_payment_method_types=["card"])["status"] == "succeeded"


def test_sources_are_listed_changed_and_deleted_and_the_next_one_is_the_default(old):
    customer, (first, second) = customer_with(old, "tok_visa", "tok_mastercard")
    path = f"customers/{customer}/sources"
    assert [each["id"] for each in old.get(path, object="card")["data"]] == [second, first]
    assert old.get(path, object="bank_account")["data"] == []
    changed = old.post(f"{path}/{first}", name="Ada", exp_year=2040, metadata={"a": "b"})
    assert (changed["name"], changed["exp_year"], changed["metadata"]) == ("Ada", 2040, {"a": "b"})
    assert old.delete(f"{path}/{first}") == {"id": first, "object": "card", "deleted": True}
    assert old.get(f"customers/{customer}")["default_source"] == second
    old.post(f"payment_methods/{second}/detach")
    assert (old.get(path)["data"], old.get(f"customers/{customer}")["default_source"]) == ([], None)


def test_a_source_of_an_update_takes_the_place_of_the_default(old):
    customer, (first,) = customer_with(old, "tok_visa")
    now = old.post(f"customers/{customer}", source="tok_amex")["default_source"]
    assert [each["id"] for each in old.get(f"customers/{customer}/sources")["data"]] == [now] != [first]
    assert old.error("POST", f"customers/{customer}", default_source=first)["code"] == "resource_missing"


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({"source": "tok_chargeDeclined"}, 402, {"code": "card_declined", "decline_code": "generic_decline"}),
        ({"source": "tok_chargeDeclinedInsufficientFunds"}, 402, {"decline_code": "insufficient_funds"}),
        ({"source": "tok_nope"}, 400, {"message": "No such token: 'tok_nope'"}),
        ({"source": "card_nope"}, 400, {"message": "No such token: 'card_nope'"}),
        ({"source": "src_nope"}, 404, {"message": "No such source: 'src_nope'"}),
        ({"source": "tok_visa", "amount": 49}, 400, {"code": "amount_too_small"}),
        ({}, 400, {"message": "Must provide source or customer."}),
    ],
)
def test_what_cannot_be_charged_is_refused(old, given, status, said):
    error = refused(old, status, **given)
    assert said.items() <= error.items()
    assert ("charge" in error) == (status == 402)


def test_a_card_of_nobody_or_of_another_is_not_linked(old):
    customer, (card,) = customer_with(old, "tok_visa")
    other = old.post("customers")["id"]
    error = refused(old, 404, customer=other, source=card)
    assert error["message"] == f"Customer {other} does not have a linked source with ID {card}."
    assert refused(old, source=card)["message"] == f"No such token: '{card}'"
    assert "does not have a linked source" in refused(old, 404, customer=customer, source="tok_visa")["message"]


def test_a_charge_is_captured_later_and_once(old):
    charge = paid(old, source="tok_visa", capture=False)
    path = f"charges/{charge['id']}/capture"
    assert (charge["captured"], charge["status"]) == (False, "succeeded")
    assert old.error("POST", path, amount=1001)["param"] == "amount"
    assert old.post(path, amount=600)["amount_captured"] == 600
    assert old.error("POST", path)["code"] == "charge_already_captured"


def test_a_redirect_is_authorized_on_its_page_and_pays_once(stripe):
    source = bancontact(stripe)
    assert (source["status"], source["flow"], source["usage"]) == ("pending", "redirect", "single_use")
    assert "pending state" in refused(stripe, currency="eur", source=source["id"])["message"]
    unattached = stripe.error("GET", f"payment_methods/{source['id']}")
    assert unattached["message"] == "A source must be attached to a customer to be used as a `payment_method`."
    assert choose(stripe, source, "succeed").headers["location"].startswith(f"https://a.b/done?source={source['id']}")
    assert stripe.get("events", type="source.chargeable")["data"][0]["data"]["object"]["id"] == source["id"]
    assert paid(stripe, currency="eur", source=source["id"])["source"]["type"] == "bancontact"
    assert stripe.get(f"sources/{source['id']}")["status"] == "consumed"
    assert "already been used to make another payment" in refused(stripe, source=source["id"])["message"]


def test_a_source_is_charged_only_in_its_currency_and_up_to_its_amount(stripe):
    redirect = bancontact(stripe)
    choose(stripe, redirect, "succeed")
    given = {"type": "ach_credit_transfer", "currency": "usd", "owner": {"email": "amount_900@a.b"}}
    receiver = stripe.post("sources", **given)["id"]
    asks: tuple[tuple[dict[str, Any], str], ...] = (
        ({"source": redirect["id"]}, "currency"),
        ({"source": redirect["id"], "currency": "eur", "amount": 1001}, "amount"),
        ({"source": receiver, "amount": 901}, "amount"),
        ({"source": "btok_us_verified", "currency": "eur"}, "currency"),
    )
    for asked, param in asks:
        assert refused(stripe, **asked)["param"] == param
    assert stripe.get("charges")["data"] == []
    assert paid(stripe, source=receiver, amount=900)["status"] == "succeeded"


def test_a_redirect_that_is_not_authorized_has_failed(stripe):
    source = bancontact(stripe)
    choose(stripe, source, "fail")
    now = stripe.get(f"sources/{source['id']}")
    assert (now["status"], now["redirect"]["status"]) == ("failed", "failed")


def test_money_is_sent_to_a_receiver_by_the_address_of_its_owner(stripe):
    waiting = stripe.post("sources", type="ach_credit_transfer", currency="usd")
    paid_in = stripe.post("sources", type="ach_credit_transfer", currency="usd", owner={"email": "amount_4242@a.b"})
    assert (waiting["status"], paid_in["status"], paid_in["receiver"]["amount_received"]) == (
        "pending",
        "chargeable",
        4242,
    )
    assert stripe.get(f"sources/{paid_in['id']}/source_transactions")["data"][0]["amount"] == 4242


def test_a_reusable_source_is_charged_again_only_by_its_customer(stripe):
    sepa = {"type": "sepa_debit", "currency": "eur", "sepa_debit": {"iban": "DE89370400440532013000"}}
    kept, free = (stripe.post("sources", **sepa, owner={"name": "Ada"})["id"] for _ in range(2))
    customer, _ = customer_with(stripe, kept)
    for _ in range(2):
        charge = paid(stripe, currency="eur", customer=customer, source=kept)
        assert charge["status"] == "pending"
        stripe.advance(seconds=10)
        assert stripe.get(f"charges/{charge['id']}")["status"] == "succeeded"
    paid(stripe, currency="eur", source=free)
    assert "reusable source you provided is consumed" in refused(stripe, currency="eur", source=free)["message"]
    again = stripe.error("POST", f"customers/{customer}/sources", source=kept)
    assert again["message"] == "The source you provided has already been attached to a customer."
    assert stripe.delete(f"customers/{customer}/sources/{kept}")["status"] == "consumed"


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({}, "type"),
        ({"type": "carrier_pigeon"}, "type"),
        ({"type": "bancontact", "currency": "eur"}, "amount"),
        ({"type": "bancontact", "currency": "eur", "amount": 1000}, "redirect"),
        (
            {"type": "bancontact", "currency": "usd", "amount": 1000, "redirect": {"return_url": "https://a.b"}},
            "currency",
        ),
        (
            {"type": "ideal", "currency": "eur", "amount": 1000, "redirect": {"return_url": "here"}},
            "redirect[return_url]",
        ),
        ({"type": "sepa_debit", "currency": "eur"}, "sepa_debit"),
        ({"type": "ach_credit_transfer"}, "currency"),
        ({"type": "ach_credit_transfer", "currency": "usd", "flow": "redirect"}, "flow"),
        ({"type": "card"}, "token"),
    ],
)
def test_a_source_needs_what_its_type_needs(stripe, given, param):
    assert stripe.error("POST", "sources", **given)["param"] == param


def test_a_bank_account_is_charged_once_it_is_verified(stripe):
    number = {"country": "US", "currency": "USD", "routing_number": "110000000", "account_number": "000123456789"}
    tokens = [stripe.post("tokens", bank_account=number)["id"] for _ in range(2)]
    customer, (account,) = customer_with(stripe, tokens[0])
    path = f"customers/{customer}/sources"
    assert stripe.error("POST", path, source=tokens[1])["code"] == "bank_account_exists"
    assert stripe.error("POST", path, source=tokens[0])["code"] == "token_already_used"
    assert "must be verified" in refused(stripe, customer=customer)["message"]
    verify = f"{path}/{account}/verify"
    assert stripe.error("POST", verify, amounts=[1, 2])["code"] == "bank_account_verification_failed"
    assert stripe.post(verify, amounts=[32, 45])["status"] == "verified"
    assert stripe.error("POST", verify, amounts=[32, 45])["message"] == "This bank account has already been verified."
    charge = paid(stripe, customer=customer)
    assert (charge["source"]["object"], charge["status"], charge["paid"]) == ("bank_account", "pending", False)
    assert "is pending" in stripe.error("POST", "refunds", charge=charge["id"])["message"]
    stripe.advance(seconds=10)
    assert stripe.get(f"charges/{charge['id']}")["status"] == "succeeded"
    names = [each["type"] for each in stripe.get("events")["data"] if each["type"].startswith("charge.")]
    assert names == ["charge.succeeded", "charge.pending"]


def test_a_debit_of_a_closed_account_fails_later(stripe):
    number = {"country": "US", "currency": "usd", "routing_number": "110000000", "account_number": "000111111113"}
    customer, (account,) = customer_with(stripe, {"object": "bank_account", **number})
    stripe.post(f"customers/{customer}/sources/{account}/verify", amounts=[32, 45])
    charge = paid(stripe, customer=customer)
    stripe.advance(seconds=9)
    assert stripe.get(f"charges/{charge['id']}")["status"] == "pending"
    stripe.advance(seconds=1)
    failed = stripe.get(f"charges/{charge['id']}")
    assert (failed["status"], failed["failure_code"]) == ("failed", "account_closed")


def test_a_bank_account_is_added_by_its_number_without_a_token(stripe):
    number = {"country": "US", "currency": "usd", "routing_number": "110000000", "account_number": "000123456789"}
    given = {"object": "bank_account", "account_holder_name": "Ada", **number}
    customer, (account,) = customer_with(stripe, given)
    path = f"customers/{customer}/sources"
    shown = stripe.get(f"{path}/{account}")
    assert [shown[name] for name in ("last4", "account_holder_name", "status")] == ["6789", "Ada", "new"]
    assert stripe.error("POST", path, source=given)["code"] == "bank_account_exists"
    assert stripe.error("POST", path, source={**given, "object": "card"})["param"].startswith("source")
    made = stripe.post("customers", source={**given, "account_number": "000111111116"})
    assert stripe.get(f"customers/{made['id']}/sources")["data"][0]["id"] == made["default_source"]
    assert stripe.post(f"customers/{made['id']}", source=given)["default_source"] != made["default_source"]


def test_adding_and_taking_sources_is_told(old):
    customer, (card,) = customer_with(old, "tok_visa")
    old.post(f"customers/{customer}/sources/{card}", name="Ada")
    old.delete(f"customers/{customer}/sources/{card}")
    for what in ("deleted", "updated", "created"):
        told = old.get("events", type=f"customer.source.{what}")["data"][0]["data"]["object"]
        assert (told["id"], told["customer"]) == (card, customer)
