"""PaymentIntents: declines, 3-D Secure, capture, debits, and the ledger below them."""

import pytest

CARD = {"payment_method_types": ["card"]}


def pay(stripe, card="pm_card_visa", amount=2000, currency="usd", **parameters):
    """A payment with a test card."""
    asked = {"amount": amount, "currency": currency, "payment_method": card, "confirm": True, **CARD, **parameters}
    return stripe.post("payment_intents", **asked)


def declined(stripe, card, **parameters):
    """The error of a payment with a test card."""
    asked = {"amount": 2000, "currency": "usd", "payment_method": card, "confirm": True, **CARD, **parameters}
    return stripe.error("POST", "payment_intents", 402, **asked)


def test_a_payment_succeeds_and_is_charged_once(stripe):
    paid = pay(stripe)
    assert (paid["status"], paid["amount_received"]) == ("succeeded", 2000)
    (charge,) = stripe.get("charges", payment_intent=paid["id"])["data"]
    assert (charge["paid"], charge["captured"], charge["amount_captured"]) == (True, True, 2000)


@pytest.mark.parametrize(
    ("card", "code", "decline_code"),
    [
        ("pm_card_visa_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_visa_chargeDeclinedLostCard", "card_declined", "lost_card"),
        ("pm_card_visa_chargeDeclinedStolenCard", "card_declined", "stolen_card"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", "expired_card"),
        ("pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"),
        ("pm_card_chargeDeclinedProcessingError", "processing_error", "processing_error"),
        ("pm_card_visa_chargeDeclinedVelocityLimitExceeded", "card_declined", "card_velocity_exceeded"),
        ("pm_card_radarBlock", "card_declined", "fraudulent"),
    ],
)
def test_each_card_that_is_declined_says_why(stripe, card, code, decline_code):
    refused = declined(stripe, card)
    assert (refused["type"], refused["code"], refused["decline_code"]) == ("card_error", code, decline_code)
    intent = stripe.get(f"payment_intents/{refused['payment_intent']['id']}")
    assert (intent["status"], intent["payment_method"]) == ("requires_payment_method", None)
    assert stripe.get(f"charges/{refused['charge']}")["status"] == "failed"


def test_a_declined_payment_can_be_paid_with_another_card(stripe):
    intent = declined(stripe, "pm_card_visa_chargeDeclined")["payment_intent"]["id"]
    paid = stripe.post(f"payment_intents/{intent}/confirm", payment_method="pm_card_mastercard")
    assert (paid["status"], paid["last_payment_error"]) == ("succeeded", None)
    assert len(stripe.get("charges", payment_intent=intent)["data"]) == 2


def test_a_number_is_as_good_as_a_token(stripe):
    card = {"number": "4242 4242 4242 4242", "exp_month": 12, "exp_year": 40, "cvc": "123"}
    method = stripe.post("payment_methods", type="card", card=card)
    assert (method["card"]["last4"], method["card"]["exp_year"]) == ("4242", 2040)
    assert pay(stripe, method["id"])["status"] == "succeeded"


@pytest.mark.parametrize(
    ("card", "code"),
    [
        ({"number": "4242424242424241"}, "incorrect_number"),
        ({"number": "4111111111111111"}, "card_declined"),
        ({"exp_month": 13}, "invalid_expiry_month"),
        ({"exp_year": 2001}, "invalid_expiry_year"),
    ],
)
def test_a_card_that_is_none_is_refused(stripe, card, code):
    given = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2040, **card}
    assert stripe.error("POST", "payment_methods", 402, type="card", card=given)["code"] == code


class TestAuthentication:
    """https://docs.stripe.com/payments/3d-secure"""

    def test_a_card_asks_for_its_holder(self, stripe):
        waiting = pay(stripe, "pm_card_threeDSecure2Required", return_url="https://shop.example/done")
        assert (waiting["status"], waiting["latest_charge"]) == ("requires_action", None)
        assert waiting["next_action"]["redirect_to_url"]["return_url"] == "https://shop.example/done"

    def test_its_page_completes_the_payment(self, stripe):
        waiting = pay(stripe, "pm_card_threeDSecure2Required", return_url="https://shop.example/done")
        page = waiting["next_action"]["redirect_to_url"]["url"]
        client = stripe.environment.platform.client
        assert "Complete" in client.get(page).text
        done = client.post(page, data={"outcome": "succeed"}, follow_redirects=False)
        assert done.headers["Location"].startswith("https://shop.example/done?payment_intent=pi_")
        assert stripe.get(f"payment_intents/{waiting['id']}")["status"] == "succeeded"

    def test_its_page_can_fail_the_payment(self, stripe):
        waiting = pay(stripe, "pm_card_threeDSecure2Required", return_url="https://shop.example/done")
        page = waiting["next_action"]["redirect_to_url"]["url"]
        stripe.environment.platform.client.post(page, data={"outcome": "fail"})
        failed = stripe.get(f"payment_intents/{waiting['id']}")
        error = failed["last_payment_error"]
        assert (error["type"], error["code"]) == ("invalid_request_error", "payment_intent_authentication_failure")
        assert error["message"].startswith("The provided PaymentMethod has failed authentication.")
        assert "decline_code" not in error

    def test_a_page_with_another_secret_is_refused(self, stripe):
        waiting = pay(stripe, "pm_card_threeDSecure2Required", return_url="https://shop.example/done")
        page = waiting["next_action"]["redirect_to_url"]["url"].partition("?")[0]
        answer = stripe.environment.platform.client.get(page, params={"client_secret": "guess"})
        assert answer.status_code == 404

    def test_it_is_refused_when_nobody_is_there(self, stripe):
        refused = declined(stripe, "pm_card_threeDSecure2Required", off_session=True)
        assert refused["code"] == "authentication_required"
        assert refused["payment_intent"]["latest_charge"] is None

    def test_a_card_that_was_set_up_pays_when_nobody_is_there(self, stripe):
        customer = stripe.post("customers")["id"]
        setup = stripe.post(
            "setup_intents", customer=customer, payment_method="pm_card_authenticationRequiredOnSetup", confirm=True,
            payment_method_types=["card"], return_url="https://shop.example/done",
        )  # fmt: skip
        page = setup["next_action"]["redirect_to_url"]["url"]
        stripe.environment.platform.client.post(page, data={"outcome": "succeed"})
        assert pay(stripe, setup["payment_method"], customer=customer, off_session=True)["status"] == "succeeded"


class TestCapture:
    """https://docs.stripe.com/payments/place-a-hold-on-a-payment-method"""

    def test_what_is_held_is_taken_in_part(self, stripe):
        held = pay(stripe, capture_method="manual")
        assert (held["status"], held["amount_capturable"]) == ("requires_capture", 2000)
        assert stripe.get("balance_transactions")["data"] == []
        taken = stripe.post(f"payment_intents/{held['id']}/capture", amount_to_capture=1500)
        assert (taken["status"], taken["amount_received"]) == ("succeeded", 1500)
        assert stripe.get("balance_transactions")["data"][0]["amount"] == 1500

    def test_what_is_canceled_is_released(self, stripe):
        held = pay(stripe, capture_method="manual")
        stripe.post(f"payment_intents/{held['id']}/cancel", cancellation_reason="abandoned")
        assert stripe.get(f"charges/{held['latest_charge']}")["refunded"] is True
        assert stripe.get("balance_transactions")["data"] == []


@pytest.mark.parametrize(
    ("amount", "currency", "code"),
    [
        (0, "usd", "parameter_invalid_integer"),
        (49, "usd", "amount_too_small"),
        (100_000_000, "usd", "amount_too_large"),
        (49, "jpy", "amount_too_small"),
        (5125, "kwd", "parameter_invalid_integer"),
    ],
)
def test_amounts_have_bounds(stripe, amount, currency, code):
    assert stripe.error("POST", "payment_intents", amount=amount, currency=currency)["code"] == code


def test_redirecting_methods_need_an_address_to_return_to(stripe):
    asked = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    assert "return_url" in stripe.error("POST", "payment_intents", **asked)["message"]
    assert stripe.get("payment_intents")["data"] == []
    never = {"enabled": True, "allow_redirects": "never"}
    assert stripe.post("payment_intents", **asked, automatic_payment_methods=never)["status"] == "succeeded"


def test_a_card_is_kept_for_the_customer_when_it_is_to_be_used_again(stripe):
    customer = stripe.post("customers")["id"]
    pay(stripe, customer=customer, setup_future_usage="off_session")
    assert len(stripe.get(f"customers/{customer}/payment_methods")["data"]) == 1


def test_a_payment_tells_of_itself(stripe):
    paid = pay(stripe)
    types = [event["type"] for event in stripe.get("events")["data"]]
    assert types == ["payment_intent.succeeded", "charge.succeeded", "payment_intent.created"]
    assert paid["latest_charge"]


def test_an_event_shows_its_object_as_it_was_then(stripe):
    paid = pay(stripe, metadata={"order": "6735"})
    stripe.post(f"payment_intents/{paid['id']}", description="Later", metadata={"order": ""})
    *_, made = stripe.get("events")["data"]
    then = {"status": "requires_confirmation", "amount_received": 0, "latest_charge": None, "description": None}
    assert made["data"]["object"] == {**paid, **then}


def test_objects_are_expanded_in_lists_and_inside_each_other(stripe):
    pay(stripe, customer=stripe.post("customers", name="Ada")["id"])
    paths = ["data.latest_charge.balance_transaction.source", "data.customer", "data.payment_method"]
    (intent,) = stripe.get("payment_intents", expand=paths)["data"]
    assert intent["customer"]["name"] == "Ada"
    assert intent["latest_charge"]["balance_transaction"]["source"]["id"] == intent["latest_charge"]["id"]
    refunds = stripe.get(f"charges/{intent['latest_charge']['id']}", expand=["refunds"])["refunds"]
    assert refunds["data"] == []


def test_a_publishable_key_with_the_secret_sees_and_confirms(stripe):
    made = stripe.post("payment_intents", amount=2000, currency="usd", **CARD)
    stripe.token = "pk_test_shop"
    assert stripe.error("GET", f"payment_intents/{made['id']}")["param"] == "client_secret"
    secret = {"client_secret": made["client_secret"]}
    path = f"payment_intents/{made['id']}/confirm"
    assert stripe.post(path, payment_method="pm_card_visa", **secret)["status"] == "succeeded"


ENDIVE = {"Stripe-Version": "2026-10-28.endive"}


class TestAllowedTypes:
    """https://docs.stripe.com/changelog/dahlia/2026-07-29/allowed-payment-method-types-parameter"""

    def test_those_that_do_not_suit_the_currency_are_left_out(self, stripe):
        types = ["card", "ideal", "us_bank_account"]
        made = stripe.post("payment_intents", amount=2000, currency="eur", allowed_payment_method_types=types)
        assert (made["payment_method_types"], made["automatic_payment_methods"]) == (["card", "ideal"], None)
        changed = stripe.post(f"payment_intents/{made['id']}", allowed_payment_method_types=["ideal"])
        assert changed["payment_method_types"] == ["ideal"]

    def test_a_card_is_set_up_as_one_of_them(self, stripe):
        asked = {"payment_method": "pm_card_visa", "confirm": True, "allowed_payment_method_types": ["card"]}
        assert stripe.post("setup_intents", **asked)["payment_method_types"] == ["card"]

    def test_excluded_types_are_not_offered(self, stripe):
        made = stripe.post("payment_intents", amount=2000, currency="eur", excluded_payment_method_types=["klarna"])
        assert made["payment_method_types"] == ["card", "link"]
        assert made["excluded_payment_method_types"] == ["klarna"]

    @pytest.mark.parametrize("path", ["payment_intents", "setup_intents"])
    @pytest.mark.parametrize("other", ["payment_method_types", "excluded_payment_method_types"])
    def test_they_stand_alone(self, stripe, path, other):
        payment = {"amount": 2000, "currency": "usd"} if path == "payment_intents" else {}
        asked = {**payment, "allowed_payment_method_types": ["card"], other: ["link"]}
        assert stripe.error("POST", path, **asked)["message"].endswith(f"allowed_payment_method_types, {other}.")

    def test_one_must_suit(self, stripe):
        asked = {"amount": 2000, "currency": "eur", "allowed_payment_method_types": ["us_bank_account"]}
        assert stripe.error("POST", "payment_intents", **asked)["param"] == "allowed_payment_method_types"

    def test_they_replace_payment_method_types_from_endive_on(self, stripe):
        intent = stripe.post("payment_intents", amount=2000, currency="usd")["id"]
        for path in ("payment_intents", f"payment_intents/{intent}", "setup_intents"):
            asked = {"amount": 2000, "currency": "usd"} if path == "payment_intents" else {}
            refused = stripe.error("POST", path, headers=ENDIVE, **asked, payment_method_types=["card"])
            assert refused["code"] == "payment_method_types_no_longer_supported"


def test_a_payment_method_that_was_detached_is_not_used_again(stripe):
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    stripe.post(f"payment_methods/{method}/detach")
    refused = stripe.error("POST", f"payment_methods/{method}/attach", 400, customer=customer)
    assert "may not be used again" in refused["message"]
    asked = {"amount": 2000, "currency": "usd", "payment_method": method, "confirm": True, **CARD}
    assert "was detached from a Customer" in stripe.error("POST", "payment_intents", 400, **asked)["message"]


def test_a_payment_for_an_account_that_is_not_there_is_refused(stripe):
    asked = {"amount": 2000, "currency": "usd"}
    refused = stripe.error("POST", "payment_intents", 400, **asked, transfer_data={"destination": "acct_none"})
    assert refused["message"] == "No such destination: 'acct_none'"
    refused = stripe.error("POST", "payment_intents", 400, **asked, application_fee_amount=10)
    assert refused["param"] == "application_fee_amount"


@pytest.mark.parametrize(
    ("card", "country", "funding"),
    [
        ("pm_card_hu", "HU", "credit"),
        ("pm_card_th_debit", "TH", "debit"),
        ("pm_card_visa_cartesBancaires", "FR", "credit"),
    ],
)
def test_cards_of_other_countries_pay(stripe, card, country, funding):
    paid = pay(stripe, card, expand=["payment_method"])
    assert (paid["status"], paid["payment_method"]["card"]["country"]) == ("succeeded", country)
    assert paid["payment_method"]["card"]["funding"] == funding


def test_what_is_authorized_is_captured_once(stripe):
    held = pay(stripe, capture_method="manual")["id"]
    wanted = {"amount_to_capture": 500, "final_capture": False}
    assert stripe.error("POST", f"payment_intents/{held}/capture", **wanted)["param"] == "final_capture"
    assert stripe.get(f"payment_intents/{held}")["amount_capturable"] == 2000


@pytest.mark.parametrize("card", ["authenticationRequired", "authenticationRequiredOnSetup"])
def test_an_issuer_declines_a_charge_that_nobody_authenticates(stripe, card):
    customer = stripe.post("customers")["id"]
    error = declined(stripe, f"pm_card_{card}", customer=customer, off_session=True)
    charge = stripe.get(f"charges/{error['charge']}")
    assert (error["code"], error["payment_intent"]["latest_charge"]) == ("authentication_required", charge["id"])
    assert (charge["status"], charge["failure_code"]) == ("failed", "authentication_required")
    outcome = charge["outcome"]
    assert (outcome["type"], outcome["network_status"]) == ("issuer_declined", "declined_by_network")
    assert "charge.failed" in [each["type"] for each in stripe.get("events")["data"]]


def test_stripe_makes_no_charge_that_nobody_authenticates(stripe):
    customer = stripe.post("customers")["id"]
    error = declined(stripe, "pm_card_threeDSecure2Required", customer=customer, off_session=True)
    assert (error["code"], "charge" in error, stripe.get("charges")["data"]) == ("authentication_required", False, [])


def test_a_method_that_paid_without_a_customer_is_used_up(stripe):
    """https://docs.stripe.com/payments/payment-methods#usage"""
    method = stripe.post("payment_methods", type="card", card={"token": "tok_visa"})["id"]
    asked = {"amount": 1000, "currency": "usd", "payment_method": method, "confirm": True}
    asked["allowed_payment_method_types"] = ["card"]
    assert stripe.post("payment_intents", **asked)["status"] == "succeeded"
    customer = stripe.post("customers")["id"]
    said = stripe.error("POST", f"payment_methods/{method}/attach", customer=customer)["message"]
    assert said.startswith("This PaymentMethod was previously used without being attached to a Customer")
    assert "It may not be used again." in stripe.error("POST", "payment_intents", **asked)["message"]


def test_a_method_that_is_kept_for_later_or_was_declined_can_be_used_again(stripe):
    customer = stripe.post("customers")["id"]
    asked = {"amount": 1000, "currency": "usd", "confirm": True, "allowed_payment_method_types": ["card"]}
    kept = stripe.post("payment_methods", type="card", card={"token": "tok_visa"})["id"]
    for _ in range(2):
        more = {"payment_method": kept, "customer": customer, "setup_future_usage": "off_session"}
        assert stripe.post("payment_intents", **asked, **more)["status"] == "succeeded"
    declined = stripe.post("payment_methods", type="card", card={"token": "tok_chargeDeclined"})["id"]
    for _ in range(2):
        assert stripe.error("POST", "payment_intents", 402, **asked, payment_method=declined)["code"] == "card_declined"
