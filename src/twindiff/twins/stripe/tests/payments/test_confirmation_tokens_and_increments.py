"""Confirmation tokens, and authorizations that are incremented."""

from typing import Any

import pytest
import stripe as sdk

HELD = {
    "amount": 1000,
    "currency": "usd",
    "payment_method": "pm_card_visa",
    "confirm": True,
    "capture_method": "manual",
}
MAY_GROW = {"card": {"request_incremental_authorization": "if_available"}}


def token(stripe, **more):
    return stripe.post("test_helpers/confirmation_tokens", **{"payment_method": "pm_card_visa", **more})


def test_a_token_shows_what_it_was_made_of(stripe):
    made = token(stripe, return_url="https://shop.example/done", setup_future_usage="off_session")
    assert made["payment_method_preview"]["card"]["last4"] == "4242"
    assert (made["return_url"], made["payment_intent"]) == ("https://shop.example/done", None)
    assert made["expires_at"] == made["created"] + 12 * 3600
    assert stripe.get(f"confirmation_tokens/{made['id']}") == made


@pytest.mark.parametrize("at_once", [True, False])
def test_a_payment_is_confirmed_with_a_token(stripe, at_once):
    address = {"line1": "1 Main St", "country": "US"}
    made = token(stripe, return_url="https://shop.example", shipping={"name": "Ada", "address": address})
    asked: Any = {"amount": 2000, "currency": "usd"}
    if at_once:
        paid = stripe.post("payment_intents", **asked, confirm=True, confirmation_token=made["id"])
    else:
        intent = stripe.post("payment_intents", **asked)["id"]
        paid = stripe.post(f"payment_intents/{intent}/confirm", confirmation_token=made["id"])
    assert (paid["status"], paid["shipping"]["name"]) == ("succeeded", "Ada")
    assert stripe.get(f"confirmation_tokens/{made['id']}")["payment_intent"] == paid["id"]


def test_a_token_is_of_a_card_by_its_data_too(stripe):
    card = {"type": "card", "card": {"token": "tok_mastercard"}, "billing_details": {"name": "Ada"}}
    made = stripe.post("test_helpers/confirmation_tokens", payment_method_data=card)
    assert made["payment_method_preview"]["billing_details"]["name"] == "Ada"
    done = stripe.post(
        "setup_intents", confirm=True, confirmation_token=made["id"], allowed_payment_method_types=["card"]
    )
    assert done["status"] == "succeeded"
    assert stripe.get(f"payment_methods/{done['payment_method']}")["card"]["brand"] == "mastercard"


def test_a_token_is_used_once_and_soon(stripe):
    asked: Any = {"amount": 2000, "currency": "usd", "confirm": True, "allowed_payment_method_types": ["card"]}
    used, old = token(stripe)["id"], token(stripe)["id"]
    stripe.post("payment_intents", **asked, confirmation_token=used)
    assert "already been used" in stripe.error("POST", "payment_intents", **asked, confirmation_token=used)["message"]
    stripe.advance(days=1)
    assert "expired" in stripe.error("POST", "payment_intents", **asked, confirmation_token=old)["message"]
    error = stripe.error("POST", "payment_intents", **asked, confirmation_token="ctoken_none")
    assert error["code"] == "resource_missing"


def test_a_token_needs_something_to_pay_with(stripe):
    error = stripe.error("POST", "test_helpers/confirmation_tokens")
    assert error["code"] == "parameter_missing"


def test_the_client_makes_a_token(stripe):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    made = client.v1.test_helpers.confirmation_tokens.create({"payment_method": "pm_card_visa"})
    assert client.v1.confirmation_tokens.retrieve(made.id).id == made.id


def held(stripe, **more):
    return stripe.post("payment_intents", **HELD, allowed_payment_method_types=["card"], **more)


def test_more_is_authorized_and_captured(stripe):
    intent = held(stripe, payment_method_options=MAY_GROW, expand=["latest_charge"])
    assert (
        intent["latest_charge"]["payment_method_details"]["card"]["incremental_authorization"]["status"] == "available"
    )
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    grown = client.v1.payment_intents.increment_authorization(intent["id"], {"amount": 1500})
    assert (grown.amount, grown.amount_capturable, grown.status) == (1500, 1500, "requires_capture")
    captured = stripe.post(f"payment_intents/{intent['id']}/capture")
    assert captured["amount_received"] == 1500


@pytest.mark.parametrize(
    ("amount", "options", "said"),
    [
        (1500, {}, {"message": "The authorization of this PaymentIntent cannot be incremented."}),
        (1000, MAY_GROW, {"code": "parameter_invalid_integer"}),
    ],
)
def test_only_more_is_authorized_where_it_was_asked_for(stripe, amount, options, said):
    intent = held(stripe, **({"payment_method_options": options} if options else {}))["id"]
    error = stripe.error("POST", f"payment_intents/{intent}/increment_authorization", amount=amount)
    assert {name: error.get(name) for name in said} == said
    assert ("code" in error) == ("code" in said)


def test_what_is_captured_cannot_grow(stripe):
    intent = held(stripe, payment_method_options=MAY_GROW)["id"]
    stripe.post(f"payment_intents/{intent}/capture")
    error = stripe.error("POST", f"payment_intents/{intent}/increment_authorization", amount=1500)
    assert error["code"] == "payment_intent_unexpected_state"


AMOUNT = {"amount": 2000, "currency": "usd"}
INTENTS = [("payment_intents", "PaymentIntent", AMOUNT), ("setup_intents", "SetupIntent", {})]
CONFIRMED_ALONE = [
    ("payment_intents", "PaymentIntent", {**AMOUNT, "off_session": True}, "off_session"),
    ("payment_intents", "PaymentIntent", {**AMOUNT, "error_on_requires_action": True}, "error_on_requires_action"),
    ("payment_intents", "PaymentIntent", {**AMOUNT, "return_url": "https://shop.example"}, "return_url"),
    ("setup_intents", "SetupIntent", {"return_url": "https://shop.example"}, "return_url"),
]


@pytest.mark.parametrize(("path", "kind", "asked", "name"), CONFIRMED_ALONE)
def test_what_is_of_a_confirmation_is_refused_without_one(stripe, path, kind, asked, name):
    refused = stripe.error("POST", path, **asked)
    expected = f"The parameter `{name}` cannot be passed when creating a {kind} unless `confirm` is set to true."
    assert (refused["message"], refused["param"]) == (expected, name)


@pytest.mark.parametrize(("path", "kind", "asked"), INTENTS)
def test_a_payment_method_of_a_type_that_an_intent_does_not_take_is_refused(stripe, path, kind, asked):
    card = {"payment_method": "pm_card_visa"}
    made = stripe.post(path, **asked, payment_method_types=["us_bank_account"])["id"]
    attempts = (
        (path, {**asked, **card, "payment_method_types": ["us_bank_account"]}),
        (f"{path}/{made}", card),
        (f"{path}/{made}/confirm", card),
    )
    for where, given in attempts:
        refused = stripe.error("POST", where, **given)
        assert refused["message"] == (
            f"The PaymentMethod provided (card) is not allowed for this {kind}. Please attach a PaymentMethod of one "
            "of the following types: us_bank_account. Alternatively, update the allowed payment_method_types for this "
            f'{kind} to include "card"'
        )


@pytest.mark.parametrize(("path", "asked"), [(path, asked) for path, _, asked in INTENTS])
def test_types_are_named_or_automatic(stripe, path, asked):
    both = {"payment_method_types": ["card"], "automatic_payment_methods": {"enabled": True}}
    assert stripe.error("POST", path, **asked, **both)["param"] == "automatic_payment_methods"
