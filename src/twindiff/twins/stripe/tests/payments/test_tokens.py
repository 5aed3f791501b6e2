"""Tokens, customer sessions and ephemeral keys: what browsers and apps are given."""

import pytest

CARD = {"number": "4242424242424242", "exp_month": 5, "exp_year": 2040, "cvc": "314"}


def test_a_token_makes_one_payment_method(stripe):
    token = stripe.post("tokens", card={**CARD, "name": "Ada", "address_zip": "94103"})
    assert (token["type"], token["used"], token["card"]["brand"]) == ("card", False, "Visa")
    assert (token["card"]["name"], token["card"]["address_zip_check"]) == ("Ada", "unchecked")
    made = stripe.post("payment_methods", type="card", card={"token": token["id"]})
    assert (made["card"]["last4"], made["card"]["exp_year"]) == ("4242", 2040)
    assert stripe.get(f"tokens/{token['id']}")["used"] is True
    refused = stripe.error("POST", "payment_methods", type="card", card={"token": token["id"]})
    assert refused["code"] == "token_already_used"


def test_a_token_pays_in_the_data_of_a_payment(stripe):
    token = stripe.post("tokens", card=CARD)["id"]
    wanted = {"amount": 1000, "currency": "usd", "confirm": True, "payment_method_types": ["card"]}
    paid = stripe.post("payment_intents", **wanted, payment_method_data={"type": "card", "card": {"token": token}})
    assert paid["status"] == "succeeded"


@pytest.mark.parametrize(
    ("card", "code"),
    [
        ({"number": "4242424242424241"}, "incorrect_number"),
        ({"exp_month": 13}, "invalid_expiry_month"),
        ({"exp_year": 2012}, "invalid_expiry_year"),
        ({"cvc": "99"}, "invalid_cvc"),
    ],
)
def test_a_card_that_cannot_be_is_refused(stripe, card, code):
    assert stripe.error("POST", "tokens", 402, card={**CARD, **card})["code"] == code


def test_other_tokens_stand_for_accounts_and_numbers(stripe):
    bank = {"country": "US", "currency": "usd", "account_number": "000123456789", "routing_number": "110000000"}
    account = stripe.post("tokens", bank_account=bank)["bank_account"]
    assert (account["last4"], account["bank_name"], account["status"]) == ("6789", "STRIPE TEST BANK", "new")
    assert stripe.post("tokens", pii={"id_number": "000000000"})["type"] == "pii"
    assert stripe.post("tokens", cvc_update={"cvc": "123"})["type"] == "cvc_update"
    assert stripe.error("POST", "tokens")["param"] == "card"
    assert stripe.error("GET", "tokens/tok_nope", 404)["code"] == "resource_missing"


def test_a_customer_session_says_what_its_components_may_do(stripe):
    customer = stripe.post("customers")["id"]
    features = {"payment_method_save": "enabled"}
    components = {"payment_element": {"enabled": True, "features": features}}
    made = stripe.post("customer_sessions", customer=customer, components=components)
    assert made["expires_at"] - made["created"] == 1800
    assert made["components"]["payment_element"]["features"]["payment_method_save"] == "enabled"
    assert made["components"]["payment_element"]["features"]["payment_method_remove"] == "disabled"
    assert made["components"]["pricing_table"] == {"enabled": False}
    off = {"pricing_table": {"enabled": False}}
    assert stripe.error("POST", "customer_sessions", customer=customer, components=off)["param"] == "components"


def test_an_app_is_given_a_key_for_an_hour(stripe):
    customer = stripe.post("customers")["id"]
    made = stripe.post("ephemeral_keys", customer=customer)
    assert (made["expires"] - made["created"], made["secret"][:8]) == (3600, "ek_test_")
    assert made["associated_objects"] == [{"type": "customer", "id": customer}]
    assert stripe.delete(f"ephemeral_keys/{made['id']}")["id"] == made["id"]


@pytest.mark.parametrize(
    ("type", "said", "shown"),
    [
        ("boleto", {"tax_id": "000.000.000-00"}, {"tax_id": "000.000.000-00"}),
        ("eps", {"bank": "bks_bank_ag"}, {"bank": "bks_bank_ag"}),
        ("fpx", {"bank": "affin_bank"}, {"account_holder_type": None, "bank": "affin_bank"}),
        ("ideal", {"bank": "ing"}, {"bank": "ing", "bic": "INGBNL2A"}),
        ("ideal", {}, {"bank": None, "bic": None}),
        ("naver_pay", {}, {"buyer_id": None, "funding": "card"}),
        ("p24", {"bank": "ing"}, {"bank": "ing"}),
        ("sofort", {"country": "DE"}, {"country": "DE"}),
        ("klarna", {}, {}),
    ],
)
def test_a_payment_method_shows_what_is_said_of_its_type(stripe, type, said, shown):
    made = stripe.post("payment_methods", type=type, **{type: said})
    assert made[type] == shown


@pytest.mark.parametrize("type", ["boleto", "fpx", "sofort"])
def test_some_types_of_payment_methods_must_be_said_more_of(stripe, type):
    error = stripe.error("POST", "payment_methods", type=type)
    assert (error["code"], error["param"]) == ("parameter_missing", type)


def test_a_payment_with_ideal_names_a_bank_that_offers_it(stripe):
    error = stripe.error("POST", "payment_methods", type="ideal", ideal={"bank": "dzb"})
    assert (error["param"], error["message"][:37]) == ("ideal[bank]", "Invalid ideal[bank]: must be one of a")
