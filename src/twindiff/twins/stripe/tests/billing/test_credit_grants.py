"""Billing credits: granted, spent on what is used, expired, voided and given back."""

import pytest
import stripe as sdk

START = 1_769_850_000
DAY = 86_400
ALL = {"scope": {"price_type": "metered"}}


@pytest.fixture
def made(stripe):
    """A customer who is billed a dollar for each use, of which there were twenty."""
    clock = stripe.post("test_helpers/test_clocks", frozen_time=START)["id"]
    customer = stripe.post("customers", test_clock=clock)["id"]
    meter = {"display_name": "API", "event_name": "api", "default_aggregation": {"formula": "sum"}}
    meter = stripe.post("billing/meters", **meter)["id"]
    every = {"interval": "month", "usage_type": "metered", "meter": meter}
    price = {"currency": "usd", "unit_amount": 100, "recurring": every, "product_data": {"name": "API"}}
    price = stripe.post("prices", **price)["id"]
    due = {"collection_method": "send_invoice", "days_until_due": 7}
    stripe.post("subscriptions", customer=customer, items=[{"price": price}], **due)
    used = {"stripe_customer_id": customer, "value": "20"}
    stripe.post("billing/meter_events", event_name="api", payload=used, timestamp=START + 60)
    return {"clock": clock, "customer": customer, "price": price}


def grant(stripe, made, value, **more):
    amount = {"type": "monetary", "monetary": {"value": value, "currency": "usd"}}
    wanted = {"amount": amount, "applicability_config": ALL, "customer": made["customer"], **more}
    return stripe.post("billing/credit_grants", **wanted)["id"]


def renew(stripe, made):
    stripe.post(f"test_helpers/test_clocks/{made['clock']}/advance", frozen_time=START + 32 * DAY)
    return next(each for each in stripe.get("invoices")["data"] if each["subtotal"])


def held(stripe, made, **scope):
    wanted = {"type": "applicability_scope", "applicability_scope": scope or ALL["scope"]}
    seen = stripe.get("billing/credit_balance_summary", customer=made["customer"], filter=wanted)
    return [each["available_balance"]["monetary"]["value"] for each in seen["balances"]]


def test_credits_pay_what_was_used(stripe, made):
    id = grant(stripe, made, 1500, name="Welcome", category="paid")
    assert held(stripe, made) == [1500]
    invoice = renew(stripe, made)
    assert (invoice["subtotal"], invoice["total"], invoice["amount_due"]) == (2000, 500, 500)
    spent = invoice["total_pretax_credit_amounts"][0]
    assert spent["amount"] == 1500
    told = stripe.get(f"billing/credit_balance_transactions/{spent['credit_balance_transaction']}")
    assert told["debit"]["credits_applied"]["invoice"] == invoice["id"]
    moves = stripe.get("billing/credit_balance_transactions", customer=made["customer"], credit_grant=id)["data"]
    assert [move["type"] for move in moves] == ["debit", "credit"]
    assert held(stripe, made) == []


def test_the_first_by_priority_and_then_by_its_end_is_spent_first(stripe, made):
    late = grant(stripe, made, 1500)
    soon = grant(stripe, made, 1500, expires_at=START + 60 * DAY)
    first = grant(stripe, made, 300, priority=1)
    renew(stripe, made)
    moves = stripe.get("billing/credit_balance_transactions", customer=made["customer"])["data"]
    spent = [(each["credit_grant"], each["debit"]["amount"]["monetary"]["value"]) for each in moves if each["debit"]]
    assert spent == [(late, 200), (soon, 1500), (first, 300)]


def test_credits_of_other_prices_or_times_are_not_spent(stripe, made):
    grant(stripe, made, 100, effective_at=START + 90 * DAY)
    grant(stripe, made, 200, expires_at=START + 10 * DAY)
    mine = grant(stripe, made, 400, applicability_config={"scope": {"prices": [{"id": made["price"]}]}})
    assert held(stripe, made, prices=[{"id": made["price"]}]) == [600]
    assert renew(stripe, made)["total"] == 1600
    assert stripe.get(f"billing/credit_grants/{mine}")["amount"]["monetary"]["value"] == 400


def test_an_invoice_that_is_voided_gives_its_credits_back(stripe, made):
    grant(stripe, made, 1500)
    stripe.post(f"invoices/{renew(stripe, made)['id']}/void")
    assert held(stripe, made) == [1500]
    last = stripe.get("billing/credit_balance_transactions", customer=made["customer"])["data"][0]
    assert last["credit"]["type"] == "credits_application_invoice_voided"


def test_the_client_grants_changes_expires_and_voids(stripe, made):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    grants = client.v1.billing.credit_grants
    one, other = grant(stripe, made, 500), grant(stripe, made, 700)
    assert grants.update(one, {"metadata": {"a": "b"}}).metadata["a"] == "b"
    assert grants.expire(one).expires_at == START
    assert grants.void_grant(other).voided_at == START
    assert {each.id for each in grants.list({"customer": made["customer"]}).data} == {one, other}
    assert "was voided" in stripe.error("POST", f"billing/credit_grants/{other}/expire")["message"]


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"amount": {"type": "monetary", "monetary": {"value": 0, "currency": "usd"}}}, "amount[monetary][value]"),
        ({"amount": {"type": "monetary"}}, "amount[monetary]"),
        ({"customer": ""}, "customer"),
        ({"applicability_config": {"scope": {}}}, "applicability_config"),
        ({"priority": 101}, "priority"),
        ({"expires_at": 1}, "expires_at"),
    ],
)
def test_a_grant_says_how_much_for_whom_and_for_what(stripe, made, more, param):
    amount = {"type": "monetary", "monetary": {"value": 500, "currency": "usd"}}
    wanted = {"amount": amount, "applicability_config": ALL, "customer": made["customer"], **more}
    assert stripe.error("POST", "billing/credit_grants", **wanted)["param"].startswith(param)
