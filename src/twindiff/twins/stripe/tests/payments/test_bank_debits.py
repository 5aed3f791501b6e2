"""Bank accounts: test tokens, microdeposits, mandates, and what becomes of debits."""

from typing import Any

import pytest
import stripe as sdk

ACCOUNT = {"account_number": "000123456789", "routing_number": "110000000", "account_holder_type": "individual"}
BILLING = {"name": "Jenny Rosen", "email": "jenny@shop.example"}
ONLINE = {"customer_acceptance": {"type": "online", "online": {"ip_address": "127.0.0.1", "user_agent": "Tests"}}}


def pay(stripe, method, currency="usd", **more):
    types = ["sepa_debit" if "sepa" in method else "us_bank_account"]
    asked = {"amount": 2000, "currency": currency, "payment_method": method, "confirm": True}
    return stripe.post("payment_intents", **asked, allowed_payment_method_types=types, mandate_data=ONLINE, **more)


def unverified(stripe):
    asked = {"type": "us_bank_account", "us_bank_account": ACCOUNT, "billing_details": BILLING}
    return stripe.post("payment_methods", **asked)["id"]


@pytest.mark.parametrize(
    ("method", "currency"), [("pm_usBankAccount_success", "usd"), ("pm_sepaDebit_success_de", "eur")]
)
def test_a_debit_is_processed_and_then_paid(stripe, method, currency):
    waiting = pay(stripe, method, currency)
    assert waiting["status"] == "processing"
    assert stripe.get(f"charges/{waiting['latest_charge']}")["status"] == "pending"
    stripe.advance(seconds=10)
    paid = stripe.get(f"payment_intents/{waiting['id']}", expand=["latest_charge"])
    assert (paid["status"], paid["latest_charge"]["status"], paid["amount_received"]) == (
        "succeeded",
        "succeeded",
        2000,
    )


@pytest.mark.parametrize(
    ("method", "currency", "code"),
    [
        ("pm_usBankAccount_accountClosed", "usd", "account_closed"),
        ("pm_usBankAccount_noAccount", "usd", "no_account"),
        ("pm_usBankAccount_insufficientFunds", "usd", "insufficient_funds"),
        ("pm_usBankAccount_debitNotAuthorized", "usd", "debit_not_authorized"),
        ("pm_sepaDebit_insufficientFunds_fr", "eur", "insufficient_funds"),
        ("pm_sepaDebit_exceedsWeeklyVolumeLimit_at", "eur", "charge_exceeds_source_limit"),
    ],
)
def test_a_debit_fails_days_later_as_its_account_says(stripe, method, currency, code):
    waiting = pay(stripe, method, currency)
    stripe.advance(seconds=10)
    failed = stripe.get(f"payment_intents/{waiting['id']}")
    assert (failed["status"], failed["last_payment_error"]["code"]) == ("requires_payment_method", code)
    assert stripe.get(f"charges/{failed['latest_charge']}")["failure_code"] == code


def test_a_disputed_debit_succeeds_first(stripe):
    paid = pay(stripe, "pm_usBankAccount_dispute")
    stripe.advance(seconds=10)
    dispute = stripe.get("disputes", payment_intent=paid["id"])["data"][0]
    assert (dispute["reason"], dispute["amount"]) == ("debit_not_authorized", 2000)


def test_what_stays_in_processing_can_be_canceled(stripe):
    waiting = pay(stripe, "pm_usBankAccount_processing")
    stripe.advance(days=30)
    assert stripe.get(f"payment_intents/{waiting['id']}")["status"] == "processing"
    assert stripe.post(f"payment_intents/{waiting['id']}/cancel")["status"] == "canceled"


@pytest.mark.parametrize("proof", [{"amounts": [32, 45]}, {"descriptor_code": "SM11AA"}])
def test_microdeposits_verify_an_account(stripe, proof):
    waiting = pay(stripe, unverified(stripe))
    assert (waiting["status"], waiting["next_action"]["type"]) == ("requires_action", "verify_with_microdeposits")
    verified = stripe.post(f"payment_intents/{waiting['id']}/verify_microdeposits", **proof)
    assert (verified["status"], verified["next_action"]) == ("processing", None)


@pytest.mark.parametrize(
    ("proof", "code", "status"),
    [
        ({"amounts": [1, 2]}, "verification_amounts_mismatch", "requires_action"),
        ({"amounts": [1]}, "verification_amounts_invalid", "requires_action"),
        ({"descriptor_code": "SM22BB"}, "verification_descriptor_code_mismatch", "requires_action"),
        ({"amounts": [10, 11]}, "verification_attempts_exceeded", "requires_payment_method"),
        ({"descriptor_code": "SM44DD"}, "verification_timeout", "requires_payment_method"),
    ],
)
def test_microdeposits_that_do_not_fit_verify_nothing(stripe, proof, code, status):
    waiting = pay(stripe, unverified(stripe))["id"]
    answer = stripe.http("POST", f"payment_intents/{waiting}/verify_microdeposits", **proof)
    assert answer.json()["error"]["code"] == f"payment_method_microdeposit_{code}"
    assert stripe.get(f"payment_intents/{waiting}")["status"] == status


def test_only_what_awaits_microdeposits_is_verified(stripe):
    paid = stripe.post("payment_intents", amount=2000, currency="usd")["id"]
    error = stripe.error("POST", f"payment_intents/{paid}/verify_microdeposits", amounts=[32, 45])
    assert (error["code"], error["message"]) == (
        "intent_invalid_state",
        (
            "This PaymentIntent cannot be actioned on because it has a status of requires_payment_method. Only a "
            'PaymentIntent with one of the following statuses may be actioned on: ["requires_action"].'
        ),
    )


def test_a_setup_of_an_account_has_a_mandate_and_an_attempt(stripe):
    customer = stripe.post("customers")["id"]
    asked = {"customer": customer, "payment_method": unverified(stripe), "confirm": True, "mandate_data": ONLINE}
    waiting = stripe.post("setup_intents", **asked, allowed_payment_method_types=["us_bank_account"])
    assert waiting["next_action"]["type"] == "verify_with_microdeposits"
    done = stripe.post(f"setup_intents/{waiting['id']}/verify_microdeposits", descriptor_code="SM11AA")
    mandate = stripe.get(f"mandates/{done['mandate']}")
    assert (done["status"], mandate["status"], mandate["type"]) == ("succeeded", "active", "multi_use")
    assert mandate["customer_acceptance"]["online"]["ip_address"] == "127.0.0.1"
    attempts = stripe.get("setup_attempts", setup_intent=done["id"])["data"]
    assert [(each["id"], each["status"]) for each in attempts] == [(done["latest_attempt"], "succeeded")]


def test_each_try_to_set_up_a_card_is_an_attempt(stripe):
    made = stripe.post("setup_intents", allowed_payment_method_types=["card"])["id"]
    stripe.error("POST", f"setup_intents/{made}/confirm", 402, payment_method="pm_card_chargeDeclined")
    stripe.post(f"setup_intents/{made}/confirm", payment_method="pm_card_visa")
    attempts = stripe.get("setup_attempts", setup_intent=made)["data"]
    assert [each["status"] for each in attempts] == ["succeeded", "failed"]
    assert attempts[1]["setup_error"]["code"] == "card_declined"
    assert attempts[0]["payment_method_details"]["card"]["last4"] == "4242"


def test_the_charge_of_a_debit_names_its_mandate(stripe):
    waiting = pay(stripe, "pm_usBankAccount_success", expand=["latest_charge"])
    mandate = stripe.get(f"mandates/{waiting['latest_charge']['payment_method_details']['us_bank_account']['mandate']}")
    assert mandate["single_use"] == {"amount": 2000, "currency": "usd"}


def test_an_iban_that_cannot_be_debited_makes_no_payment_method(stripe):
    iban = {"iban": "DE91370400440000055555"}
    error = stripe.error("POST", "payment_methods", type="sepa_debit", sepa_debit=iban, billing_details=BILLING)
    assert error["code"] == "sepa_debit_bank_not_supported"


def test_the_client_verifies_an_account(stripe):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    waiting = pay(stripe, unverified(stripe))["id"]
    asked: Any = {"amounts": [32, 45]}
    assert client.v1.payment_intents.verify_microdeposits(waiting, asked).status == "processing"
    setup: Any = {"setup_intent": client.v1.setup_intents.create().id}
    assert client.v1.setup_attempts.list(setup).data == []


def test_an_invoice_is_paid_by_debit_where_its_subscription_says_so(stripe):
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_usBankAccount_success/attach", customer=customer)["id"]
    price = {"currency": "usd", "unit_amount": 900, "recurring": {"interval": "month"}}
    price = stripe.post("prices", **price, product_data={"name": "Plan"})["id"]
    settings = {"payment_method_types": ["us_bank_account"]}
    wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted, payment_settings=settings)
    invoice = stripe.get(f"invoices/{made['latest_invoice']}", expand=["payments.data.payment.payment_intent"])
    intent = invoice["payments"]["data"][0]["payment"]["payment_intent"]
    assert (intent["status"], intent["payment_method_types"]) == ("processing", ["us_bank_account"])
    stripe.advance(seconds=10)
    assert stripe.get(f"invoices/{invoice['id']}")["status"] == "paid"
    assert stripe.get(f"subscriptions/{made['id']}")["status"] == "active"


def bill_in(stripe, currency, **more):
    """An open invoice of a customer whose default is an American bank account, which pays in dollars only."""
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_usBankAccount_success/attach", customer=customer)["id"]
    stripe.post(f"customers/{customer}", invoice_settings={"default_payment_method": method})
    invoice = stripe.post("invoices", customer=customer, currency=currency, **more)["id"]
    stripe.post("invoiceitems", customer=customer, invoice=invoice, amount=2000, currency=currency)
    return stripe.post(f"invoices/{invoice}/finalize")["id"]


def test_an_invoice_is_not_paid_from_an_account_of_another_currency(stripe):
    invoice = bill_in(stripe, "eur")
    said = stripe.error("POST", f"invoices/{invoice}/pay")
    assert said["message"].startswith("The currency provided (eur) is invalid. Payments with us_bank_account support")
    assert stripe.get(f"invoices/{invoice}")["status"] == "open"
    assert stripe.post(f"invoices/{bill_in(stripe, 'usd')}/pay")["status"] == "open"
    assert stripe.get("charges")["data"][0]["currency"] == "usd"


def test_an_invoice_that_is_collected_from_an_account_of_another_currency_has_failed(stripe):
    invoice = bill_in(stripe, "eur", auto_advance=True)
    stripe.advance(seconds=3600)
    now = stripe.get(f"invoices/{invoice}")
    assert (now["status"], now["attempted"], now["attempt_count"]) == ("open", True, 1)
    assert stripe.get("charges")["data"] == []


def test_types_and_currency_of_an_intent_fit_after_an_update_too(stripe):
    asked = {"amount": 2000, "currency": "usd", "payment_method_types": ["us_bank_account"]}
    version = {"Stripe-Version": "2026-07-29.dahlia"}
    made = stripe.http("POST", "payment_intents", headers=version, **asked).json()["id"]
    assert stripe.error("POST", f"payment_intents/{made}", currency="eur")["param"] == "currency"
    other = stripe.http("POST", f"payment_intents/{made}", headers=version, payment_method_types=["sepa_debit"])
    assert other.json()["error"]["param"] == "currency"
    unknown = stripe.http("POST", f"payment_intents/{made}", headers=version, payment_method_types=["pigeon"])
    assert unknown.json()["error"]["param"] == "payment_method_types[0]"
    assert stripe.post(f"payment_intents/{made}", amount=2100)["amount"] == 2100
