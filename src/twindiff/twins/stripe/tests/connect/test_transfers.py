"""Transfers to connected accounts, and the charges that fund them."""

import pytest

from ..payments.test_payment_intents import pay

LIMIT = "Transfers using this transaction as a source must not exceed the source amount of"


@pytest.fixture
def account(stripe):
    return stripe.post("accounts", type="express", country="US")["id"]


def charged(stripe, **more):
    return pay(stripe, "pm_card_visa", **more)["latest_charge"]


def refused(stripe, account, amount, charge, currency="usd"):
    wanted = {"amount": amount, "currency": currency, "destination": account, "source_transaction": charge}
    return stripe.error("POST", "transfers", **wanted)


def test_transfers_come_to_no_more_than_their_source(stripe, account):
    charge = charged(stripe)
    assert refused(stripe, account, 2001, charge)["message"] == f"{LIMIT} $20.00."
    wanted = {"currency": "usd", "destination": account, "source_transaction": charge}
    stripe.post("transfers", amount=1500, **wanted)
    earlier = " (There is already a transfer using this source, amounting to $15.00.)"
    assert refused(stripe, account, 501, charge)["message"] == f"{LIMIT} $20.00.{earlier}"
    assert stripe.post("transfers", amount=500, **wanted)["amount"] == 500


def test_a_reversed_transfer_can_be_made_again(stripe, account):
    wanted = {"amount": 2000, "currency": "usd", "destination": account, "source_transaction": charged(stripe)}
    transfer = stripe.post("transfers", **wanted)["id"]
    stripe.post(f"transfers/{transfer}/reversals")
    assert stripe.post("transfers", **wanted)["amount"] == 2000


def test_a_destination_charge_funds_its_own_transfer_alone(stripe, account):
    charge = charged(stripe, transfer_data={"destination": account})
    assert refused(stripe, account, 1, charge)["message"].startswith(f"{LIMIT} $20.00. (There is already a transfer")


def test_a_refunded_charge_funds_nothing(stripe, account):
    charge = charged(stripe)
    stripe.post("refunds", charge=charge)
    assert refused(stripe, account, 1, charge)["message"] == f"{LIMIT} $0.00."


def test_a_charge_that_is_not_captured_funds_nothing(stripe, account):
    charge = charged(stripe, capture_method="manual")
    assert refused(stripe, account, 1, charge)["param"] == "source_transaction"


def test_a_transfer_has_the_currency_of_its_source(stripe, account):
    assert refused(stripe, account, 1, charged(stripe), "eur")["message"] == (
        "The currency of source_transaction's balance transaction (usd) must be the same as the transfer currency (eur)"
    )


def test_nobody_transfers_to_themselves(stripe):
    own = stripe.get("account")["id"]
    said = "The '{}' param cannot be set to your own account."
    error = stripe.error("POST", "transfers", amount=1, currency="usd", destination=own)
    assert error["message"] == said.format("destination")
    payment = {"amount": 2000, "currency": "usd"}
    for name, value in (("transfer_data[destination]", {"transfer_data": {"destination": own}}),
                        ("on_behalf_of", {"on_behalf_of": own})):  # fmt: skip
        error = stripe.error("POST", "payment_intents", **payment, **value)
        assert (error["message"], error["param"]) == (said.format(name), name)
