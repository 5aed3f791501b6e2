"""Refusals and states whose words were recorded from the real API, at its version 2026-08-26."""

from __future__ import annotations

import pytest

DECLINED = "pm_card_visa_chargeDeclinedInsufficientFunds"


@pytest.fixture
def shopper(stripe):
    """A customer whose card pays."""
    customer = stripe.post("customers")["id"]
    card = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    stripe.post(f"customers/{customer}", invoice_settings={"default_payment_method": card})
    return customer


@pytest.fixture
def draft(stripe, shopper):
    """A draft of one line."""
    made = stripe.post("invoices", customer=shopper)["id"]
    stripe.post("invoiceitems", customer=shopper, invoice=made, amount=1000, currency="usd")
    return made


def pay(stripe, card="pm_card_visa", **more):
    asked = {"amount": 5000, "currency": "usd", "confirm": True, "payment_method_types": ["card"], **more}
    return stripe.post("payment_intents", payment_method=card, **asked)


def priced(stripe):
    asked = {"currency": "usd", "unit_amount": 2000, "product_data": {"name": "P"}}
    return stripe.post("prices", **asked, recurring={"interval": "month"})["id"]


def said(error):
    return error["message"], error.get("code"), error.get("param")


def test_a_refund_that_went_through_is_not_canceled(stripe):
    made = stripe.post("refunds", payment_intent=pay(stripe)["id"])["id"]
    error = stripe.error("POST", f"refunds/{made}/cancel")
    assert said(error) == ("Canceling this refund is unsupported.", None, None)


def test_a_dispute_is_told_of_before_the_payment(stripe):
    paid = pay(stripe, "pm_card_createDispute")
    types = [each["type"] for each in stripe.get("events", limit=100)["data"]][::-1]
    assert types[types.index("charge.succeeded") :][:4] == [
        "charge.succeeded",
        "charge.dispute.created",
        "charge.dispute.funds_withdrawn",
        "payment_intent.succeeded",
    ]
    assert stripe.get("disputes", payment_intent=paid["id"])["data"][0]["id"].startswith("du_")


def test_a_charge_without_a_dispute_has_none(stripe):
    charge = pay(stripe)["latest_charge"]
    error = stripe.error("GET", f"charges/{charge}/dispute", 404)
    assert said(error) == (f"No dispute for charge: {charge}", None, None)


def test_an_unknown_dispute_is_named_as_such(stripe):
    assert stripe.error("GET", "disputes/du_nope", 404)["param"] == "dispute"


def test_an_expired_card_is_told_of_by_its_month_in_a_setup(stripe):
    asked = {"payment_method_types": ["card"], "payment_method": "pm_card_chargeDeclinedExpiredCard", "confirm": True}
    error = stripe.error("POST", "setup_intents", 402, **asked)
    assert (error["code"], error["param"]) == ("expired_card", "exp_month")
    assert "param" not in stripe.error("POST", "setup_intents", 402, **{**asked, "payment_method": DECLINED})


def test_an_invoice_paid_elsewhere_was_not_attempted(stripe, draft):
    stripe.post(f"invoices/{draft}/finalize")
    paid = stripe.post(f"invoices/{draft}/pay", paid_out_of_band=True)
    assert (paid["status"], paid["attempted"]) == ("paid", False)


def test_a_setup_that_is_over_says_why_it_is_not_canceled(stripe):
    asked = {"payment_method_types": ["card"]}
    done = stripe.post("setup_intents", **asked, payment_method="pm_card_visa", confirm=True)["id"]
    error = stripe.error("POST", f"setup_intents/{done}/cancel")
    assert error["message"].endswith("`requires_payment_method`, `requires_confirmation`, or `requires_action`.")
    gone = stripe.post("setup_intents", **asked)["id"]
    stripe.post(f"setup_intents/{gone}/cancel")
    error = stripe.error("POST", f"setup_intents/{gone}/cancel")
    assert error["message"] == "You cannot cancel this SetupIntent because it is already canceled."
    assert "missing a payment method" in stripe.error("POST", f"setup_intents/{gone}/confirm")["message"]
    error = stripe.error("POST", f"setup_intents/{done}/verify_microdeposits", amounts=[32, 45])
    assert (error["code"], error["setup_intent"]["id"]) == ("intent_invalid_state", done)


def test_a_method_is_attached_to_a_customer(stripe):
    error = stripe.error("POST", "payment_methods/pm_card_visa/attach")
    assert said(error) == ("Must provide customer or customer_account.", "parameter_missing", None)


def test_a_balance_gives_a_customer_the_currency_of_the_account(stripe):
    assert stripe.post("customers", balance=-500)["currency"] == "usd"
    later = stripe.post("customers", balance=0)
    assert later["currency"] is None
    assert stripe.post(f"customers/{later['id']}", balance=5)["currency"] == "usd"


def test_only_a_paused_subscription_is_resumed(stripe, shopper):
    made = stripe.post("subscriptions", customer=shopper, items=[{"price": priced(stripe)}])["id"]
    text = "You can only resume a subscription if it is `paused`."
    assert stripe.error("POST", f"subscriptions/{made}/resume")["message"] == text
    resumed = {"subscription": made, "subscription_details": {"resume_at": "now"}}
    assert stripe.error("POST", "invoices/create_preview", **resumed)["message"] == text
    stripe.delete(f"subscriptions/{made}")
    error = stripe.error("POST", "subscription_items", 404, subscription=made, price=priced(stripe))
    assert (error["code"], error["param"]) == ("resource_missing", "subscription")


def test_an_invoice_is_marked_uncollectible_once(stripe, draft):
    stripe.post(f"invoices/{draft}/finalize")
    stripe.post(f"invoices/{draft}/mark_uncollectible")
    error = stripe.error("POST", f"invoices/{draft}/mark_uncollectible")
    assert error["message"] == "This invoice has already been marked uncollectible."


def test_a_paid_invoice_is_not_sent(stripe, draft):
    stripe.post(f"invoices/{draft}/pay")
    assert stripe.error("POST", f"invoices/{draft}/send")["message"].startswith(
        "This invoice cannot be sent right now."
    )


def test_a_finalized_invoice_names_what_stays(stripe, draft):
    stripe.post(f"invoices/{draft}/finalize")
    error = stripe.error("POST", f"invoices/{draft}", description="x")
    assert said(error) == ("Finalized invoices can't be updated in this way", None, "description")
    error = stripe.error("POST", f"invoices/{draft}/add_lines", lines=[{"amount": 5}])
    assert said(error)[:2] == ("Invalid invoice: This invoice is no longer editable", "invoice_not_editable")


def test_an_amount_has_no_quantity_beside_it(stripe, shopper, draft):
    both = {"amount": 5, "quantity": 2}
    line = stripe.get(f"invoices/{draft}")["lines"]["data"][0]["id"]
    text = "You may only specify one of these parameters: amount, quantity."
    for path, asked, param in (
        (f"invoices/{draft}/add_lines", {"lines": [both]}, "lines[0][amount]"),
        (f"invoices/{draft}/update_lines", {"lines": [{"id": line, **both}]}, "lines[0][amount]"),
        (f"invoices/{draft}/lines/{line}", both, "amount"),
        ("invoiceitems", {"customer": shopper, "currency": "usd", **both}, "amount"),
    ):
        assert said(stripe.error("POST", path, **asked)) == (text, None, param)
    stripe.post(f"invoices/{draft}/add_lines", lines=[{"amount": 5}])


@pytest.mark.parametrize(
    ("verb", "path", "param"),
    [
        ("GET", "", "invoice"),
        ("DELETE", "", "invoice"),
        ("POST", "/send", "invoice"),
        ("POST", "", "id"),
        ("POST", "/pay", "id"),
        ("POST", "/finalize", "id"),
        ("POST", "/void", "id"),
        ("POST", "/mark_uncollectible", "id"),
    ],
)
def test_an_unknown_invoice_is_named_as_the_route_names_it(stripe, verb, path, param):
    assert stripe.error(verb, f"invoices/in_nope{path}", 404)["param"] == param


def test_a_due_date_is_for_invoices_that_are_sent(stripe, shopper):
    text = "You can only specify 'due_date' or 'days_until_due' if invoice collection method is 'send_invoice'."
    for asked in ({"days_until_due": 5}, {"due_date": 2_000_000_000}):
        assert said(stripe.error("POST", "invoices", customer=shopper, **asked)) == (text, None, None)
    error = stripe.http("GET", "invoices", status="bogus").json()["error"]
    assert error["message"] == "Invalid status: must be one of draft, open, void, paid, or uncollectible"


def test_usage_for_no_meter_is_refused_by_its_name(stripe, shopper):
    usage = {"event_name": "nope", "payload": {"stripe_customer_id": shopper, "value": "1"}}
    error = stripe.error("POST", "billing/meter_events", **usage)
    assert error["message"] == 'No active meter found for event name "nope".'


def test_what_belongs_to_a_test_clock_is_listed_by_it(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_800_000_000)["id"]
    customer = stripe.post("customers", test_clock=clock)["id"]
    stripe.post("quotes", customer=customer, line_items=[{"price": priced(stripe), "quantity": 1}])
    asked = {"customer": customer, "collection_method": "send_invoice", "days_until_due": 5}
    stripe.post("subscriptions", **asked, items=[{"price": priced(stripe)}])
    assert [each["id"] for each in stripe.get("customers", test_clock=clock)["data"]] == [customer]
    for kind in ("customers", "subscriptions", "quotes"):
        assert stripe.get(kind)["data"] == []
        assert len(stripe.get(kind, test_clock=clock)["data"]) == 1
    for kind in ("subscriptions", "quotes"):
        assert len(stripe.get(kind, customer=customer)["data"]) == 1


def test_a_tax_id_of_a_calculation_has_the_form_of_its_type(stripe):
    stripe.post("tax/settings", head_office={"address": {"country": "IE"}}, defaults={"tax_code": "txcd_10000000"})
    sold = {"currency": "eur", "line_items": [{"amount": 100, "reference": "a", "tax_behavior": "exclusive"}]}
    buyer = {"address": {"country": "IE"}, "address_source": "billing"}

    def number(value):
        return {"customer_details": {**buyer, "tax_ids": [{"type": "eu_vat", "value": value}]}}

    error = stripe.error("POST", "tax/calculations", **sold, **number("nope"))
    assert said(error) == ("Invalid value for eu_vat.", "tax_id_invalid", "customer_details[tax_ids][0][value]")
    assert stripe.post("tax/calculations", **sold, **number("DE123456789"))["object"] == "tax.calculation"


def test_an_account_that_takes_no_transfers_is_not_paid(stripe):
    pay(stripe, "pm_card_bypassPending")
    asked = {"type": "express", "country": "US"}
    cards = stripe.post("accounts", **asked, capabilities={"card_payments": {"requested": True}})["id"]
    sent = {"amount": 100, "currency": "usd"}
    code = "insufficient_capabilities_for_transfer"
    assert stripe.error("POST", "transfers", **sent, destination=cards)["code"] == code
    assert stripe.error("POST", "payment_intents", **sent, transfer_data={"destination": cards})["code"] == code
    stripe.post(f"accounts/{cards}/capabilities/transfers", requested=True)
    assert stripe.post("transfers", **sent, destination=cards)["destination"] == cards
