"""Fields that recordings of the real API show: https://github.com/pay-rails/pay has the sessions."""

from __future__ import annotations

import pytest

PAID = {
    "amount": 1000,
    "currency": "usd",
    "confirm": True,
    "payment_method": "pm_card_visa",
    "return_url": "https://a.b",
}


def test_the_shipping_of_a_payment_and_its_charge_has_all_fields(stripe):
    given = {"name": "Ada", "address": {"line1": "1 Road", "country": "US"}}
    paid = stripe.post("payment_intents", **PAID, shipping=given, expand=["latest_charge"])
    for shipping in (paid["shipping"], paid["latest_charge"]["shipping"]):
        assert shipping.keys() == {"address", "carrier", "name", "phone", "tracking_number"}
        assert (shipping["carrier"], shipping["phone"], shipping["tracking_number"]) == (None, None, None)
        assert shipping["address"]["city"] is None


def test_a_destination_charge_names_its_destination_and_groups_its_transfer(stripe):
    account = stripe.post("accounts", type="express", country="US", capabilities={"transfers": {"requested": True}})[
        "id"
    ]
    paid = stripe.post("payment_intents", **PAID, transfer_data={"destination": account}, expand=["latest_charge"])
    charge = paid["latest_charge"]
    assert (charge["destination"], charge["transfer_data"]) == (account, {"amount": None, "destination": account})
    assert paid["transfer_group"] == charge["transfer_group"] == f"group_{paid['id']}"
    assert stripe.post("payment_intents", **PAID)["transfer_group"] is None


def test_payments_of_invoices_are_none_for_a_payment_that_there_is_not(stripe):
    found = stripe.get("invoice_payments", payment={"type": "payment_intent", "payment_intent": "pi_none"})
    assert found["data"] == []


@pytest.mark.parametrize(("iban", "code"), [("DE89370400440532013000", "37040044"), ("DK5000400440116243", "0040")])
def test_the_bank_code_of_an_iban_is_as_long_as_its_country_says(stripe, iban, code):
    details = {"name": "Ada", "email": "ada@example.com"}
    made = stripe.post("payment_methods", type="sepa_debit", sepa_debit={"iban": iban}, billing_details=details)
    assert made["sepa_debit"]["bank_code"] == code
    assert made["sepa_debit"]["generated_from"] == {"charge": None, "setup_attempt": None}
