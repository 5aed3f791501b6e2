"""Payments for connected accounts: destinations, the shop's fees, and what comes back by refunds."""

from typing import Any

import pytest
import stripe as sdk


@pytest.fixture
def account(stripe):
    return stripe.post("accounts", type="express", country="US", email="seller@shop.example")["id"]


def pay(stripe, account, **more):
    asked: Any = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    asked |= {"allowed_payment_method_types": ["card"], "transfer_data": {"destination": account}, **more}
    return stripe.post("payment_intents", **asked, expand=["latest_charge.transfer"])


def test_a_destination_is_paid_on_and_the_shop_keeps_its_fee(stripe, account):
    paid = pay(stripe, account, application_fee_amount=300)
    charge = paid["latest_charge"]
    transfer = charge["transfer"]
    assert (transfer["amount"], transfer["destination"], transfer["source_transaction"]) == (
        2000,
        account,
        charge["id"],
    )
    assert transfer["transfer_group"] == charge["transfer_group"] == f"group_{paid['id']}"
    fee = stripe.get(f"application_fees/{charge['application_fee']}")
    assert (fee["amount"], fee["account"], fee["charge"]) == (300, account, charge["id"])
    types = [each["type"] for each in stripe.get("balance_transactions")["data"]]
    assert types == ["application_fee", "transfer", "charge"]


def test_a_part_of_a_payment_is_paid_on(stripe, account):
    paid = pay(stripe, account, transfer_data={"destination": account, "amount": 1500})
    assert paid["latest_charge"]["transfer"]["amount"] == 1500
    assert stripe.get("application_fees")["data"] == []


def test_what_is_captured_later_is_paid_on_then(stripe, account):
    held = pay(stripe, account, capture_method="manual")
    assert stripe.get("transfers")["data"] == []
    stripe.post(f"payment_intents/{held['id']}/capture", amount_to_capture=1200)
    assert stripe.get("transfers")["data"][0]["amount"] == 1200


def test_a_refund_takes_back_transfer_and_fee_in_part(stripe, account):
    paid = pay(stripe, account, application_fee_amount=300)
    back = {"reverse_transfer": True, "refund_application_fee": True}
    refund = stripe.post("refunds", payment_intent=paid["id"], amount=1000, **back)
    transfer = stripe.get(f"transfers/{paid['latest_charge']['transfer']['id']}")
    assert transfer["amount_reversed"] == 1000
    assert transfer["reversals"]["data"][0]["id"] == refund["transfer_reversal"]
    fee = stripe.get(f"application_fees/{paid['latest_charge']['application_fee']}")
    assert (fee["amount_refunded"], fee["refunds"]["data"][0]["amount"]) == (150, 150)


@pytest.mark.parametrize("name", ["reverse_transfer", "refund_application_fee"])
def test_there_is_nothing_to_take_back_of_a_plain_payment(stripe, name):
    asked: Any = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    paid = stripe.post("payment_intents", **asked, allowed_payment_method_types=["card"])
    assert stripe.error("POST", "refunds", payment_intent=paid["id"], **{name: True})["param"] == name


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"application_fee_amount": 2001}, "application_fee_amount"),
        ({"transfer_data": {"destination": "acct_none"}}, "transfer_data[destination]"),
        ({"on_behalf_of": "acct_none"}, "on_behalf_of"),
    ],
)
def test_what_cannot_be_paid_on_is_refused(stripe, account, more, param):
    asked: Any = {"amount": 2000, "currency": "usd", "transfer_data": {"destination": account}, **more}
    assert stripe.error("POST", "payment_intents", **asked)["param"] == param


def test_a_fee_is_refunded_by_itself(stripe, account):
    charge = pay(stripe, account, application_fee_amount=300)["latest_charge"]
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    refunded = client.v1.application_fees.refunds.create(charge["application_fee"], {"amount": 100})
    assert (refunded.amount, refunded.fee) == (100, charge["application_fee"])
    assert [each.id for each in client.v1.application_fees.refunds.list(charge["application_fee"]).data] == [
        refunded.id
    ]
    error = stripe.error("POST", f"application_fees/{charge['application_fee']}/refunds", amount=201)
    assert error["param"] == "amount"


def subscribed(stripe, **more):
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    price = {"currency": "usd", "unit_amount": 1000, "recurring": {"interval": "month"}}
    price = stripe.post("prices", **price, product_data={"name": "Plan"})["id"]
    wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
    return stripe.post("subscriptions", **wanted, **more)


def test_a_subscription_pays_its_account_on(stripe, account):
    made = subscribed(stripe, transfer_data={"destination": account}, application_fee_percent=10)
    assert made["transfer_data"] == {"amount_percent": None, "destination": account}
    transfer = stripe.get("transfers")["data"][0]
    assert (transfer["amount"], transfer["destination"]) == (1000, account)
    assert stripe.get("application_fees")["data"][0]["amount"] == 100
    part = subscribed(stripe, transfer_data={"destination": account, "amount_percent": 25})
    assert stripe.get("transfers")["data"][0]["amount"] == 250
    stopped = stripe.post(f"subscriptions/{part['id']}", transfer_data="")
    assert stopped["transfer_data"] is None


def test_an_invoice_pays_its_account_on(stripe, account):
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    wanted = {"customer": customer, "transfer_data": {"destination": account}, "on_behalf_of": account}
    draft = stripe.post("invoices", **wanted, application_fee_amount=50)
    assert draft["on_behalf_of"] == account
    stripe.post("invoiceitems", customer=customer, invoice=draft["id"], amount=700, currency="usd")
    stripe.post(f"invoices/{draft['id']}/pay", payment_method=method)
    assert stripe.get("transfers")["data"][0]["amount"] == 700
    assert stripe.get("application_fees")["data"][0]["amount"] == 50
    unknown = {"transfer_data": {"destination": "acct_none"}}
    error = stripe.error("POST", "invoices", customer=customer, **unknown)
    assert error["param"] == "transfer_data[destination]"


def test_a_reversal_is_looked_at_and_changed(stripe, account):
    transfer = pay(stripe, account)["latest_charge"]["transfer"]["id"]
    made = stripe.post(f"transfers/{transfer}/reversals", amount=300)
    assert stripe.get(f"transfers/{transfer}/reversals/{made['id']}") == made
    changed = stripe.post(f"transfers/{transfer}/reversals/{made['id']}", metadata={"a": "b"})
    assert stripe.get(f"transfers/{transfer}")["reversals"]["data"] == [changed]


def test_a_subscription_goes_over_to_flexible_billing(stripe, account):
    made = subscribed(stripe, billing_mode={"type": "classic"})
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    moved = client.v1.subscriptions.migrate(made["id"], {"billing_mode": {"type": "flexible"}})
    assert moved.billing_mode.type == "flexible"
    again = stripe.error("POST", f"subscriptions/{made['id']}/migrate", billing_mode={"type": "flexible"})
    assert again["param"] == "billing_mode"


CARD = {"number": "4242 4242 4242 4242", "expiry": "12 / 34", "cvc": "123", "name": "Ada", "email": "ada@shop.example"}


@pytest.fixture
def prices(stripe):
    shared = {"currency": "usd", "unit_amount": 1000, "product_data": {"name": "Mug"}}
    again = stripe.post("prices", **shared, recurring={"interval": "month"})["id"]
    return {"once": stripe.post("prices", **shared)["id"], "again": again}


def passed_on(stripe):
    """The amounts that were transferred, and the fees that were kept."""
    transfers, fees = stripe.get("transfers")["data"], stripe.get("application_fees")["data"]
    return [each["amount"] for each in transfers], [each["amount"] for each in fees]


def test_a_page_s_subscription_begins_as_it_was_told_to(stripe, account, prices):
    client = stripe.environment.platform.client
    data = {
        "application_fee_percent": 10,
        "transfer_data": {"destination": account},
        "on_behalf_of": account,
        "trial_settings": {"end_behavior": {"missing_payment_method": "cancel"}},
        "billing_mode": {"type": "classic"},
        "invoice_settings": {"issuer": {"type": "self"}},
    }
    wanted = {"mode": "subscription", "line_items": [{"price": prices["again"], "quantity": 1}]}
    session = stripe.post("checkout/sessions", **wanted, success_url="https://shop.example", subscription_data=data)
    assert client.post(session["url"], data=CARD).status_code == 303
    made = stripe.get(f"checkout/sessions/{session['id']}", expand=["subscription"])["subscription"]
    assert (made["application_fee_percent"], made["on_behalf_of"]) == (10, account)
    assert made["trial_settings"]["end_behavior"]["missing_payment_method"] == "cancel"
    assert made["billing_mode"]["type"] == "classic"
    assert passed_on(stripe) == ([1000], [100])
    error = stripe.error("POST", "checkout/sessions", **wanted, success_url="https://shop.example",
                         subscription_data={"transfer_data": {"destination": "acct_none"}})  # fmt: skip
    assert error["param"] == "subscription_data[transfer_data][destination]"


@pytest.mark.parametrize(("behavior", "paid"), [("create_prorations", True), ("none", False)])
def test_a_page_s_subscription_may_begin_with_a_part_of_a_period(stripe, prices, behavior, paid):
    client = stripe.environment.platform.client
    now = stripe.post("customers")["created"]
    data = {"billing_cycle_anchor": now + 7 * 86_400, "proration_behavior": behavior}
    wanted = {"mode": "subscription", "line_items": [{"price": prices["again"], "quantity": 1}]}
    session = stripe.post("checkout/sessions", **wanted, success_url="https://shop.example", subscription_data=data)
    assert 0 < session["amount_total"] < 300 if paid else session["amount_total"] == 0
    client.post(session["url"], data=CARD)
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["subscription", "invoice"])
    assert done["subscription"]["billing_cycle_anchor"] == now + 7 * 86_400
    assert done["invoice"]["amount_paid"] == session["amount_total"]
    assert done["payment_status"] == ("paid" if paid else "no_payment_required")


@pytest.mark.parametrize(
    ("kind", "more", "kept"),
    [
        ("once", {"application_fee_amount": 300}, ([1000], [300])),
        ("once", {"amount": 700}, ([700], [])),
        ("again", {"application_fee_percent": 20}, ([1000], [200])),
    ],
)
def test_a_link_pays_on_what_it_sells(stripe, account, prices, kind, more, kept):
    part = {"amount": more["amount"]} if "amount" in more else {}
    fees = {name: value for name, value in more.items() if name != "amount"}
    items = [{"price": prices[kind], "quantity": 1}]
    transfer = {"destination": account, **part}
    link = stripe.post("payment_links", line_items=items, on_behalf_of=account, transfer_data=transfer, **fees)
    assert (link["on_behalf_of"], link["transfer_data"]["destination"]) == (account, account)
    assert "Thank you" in stripe.environment.platform.client.post(link["url"], data=CARD).text
    assert passed_on(stripe) == kept


@pytest.mark.parametrize("path", ["payment_links", "quotes"])
def test_fees_go_with_what_is_sold(stripe, prices, path):
    once, again = ({"line_items": [{"price": prices[kind], "quantity": 1}]} for kind in ("once", "again"))
    for items, name in ((again, "application_fee_amount"), (once, "application_fee_percent")):
        assert stripe.error("POST", path, **items, **{name: 10})["param"] == name
    assert "destination payment" in stripe.error("POST", path, **once, application_fee_amount=5)["message"]
    error = stripe.error("POST", path, **once, transfer_data={"destination": "acct_none"})
    assert error["param"] == "transfer_data[destination]"


@pytest.mark.parametrize(
    ("kind", "more", "kept"),
    [
        ("once", {"application_fee_amount": 300}, ([1000], [300])),
        ("again", {"application_fee_percent": 20}, ([1000], [200])),
        ("again", {"transfer_data": {"amount_percent": 60}}, ([600], [])),
    ],
)
def test_a_quote_pays_on_what_it_offers(stripe, account, prices, kind, more, kept):
    settings = {"default_payment_method": "pm_card_visa"}
    customer = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=settings)["id"]
    transfer = {"destination": account, **more.get("transfer_data", {})}
    wanted = {"customer": customer, "line_items": [{"price": prices[kind], "quantity": 1}], **more}
    quote = stripe.post("quotes", **{**wanted, "transfer_data": transfer})["id"]
    stripe.post(f"quotes/{quote}/finalize")
    accepted = stripe.post(f"quotes/{quote}/accept")
    if accepted["invoice"]:
        stripe.post(f"invoices/{accepted['invoice']}/pay")
    assert passed_on(stripe) == kept


def test_phases_of_a_schedule_pay_on(stripe, account, prices):
    settings = {"default_payment_method": "pm_card_visa"}
    customer = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=settings)["id"]
    items = [{"price": prices["again"], "quantity": 1}]
    phase = {"items": items, "application_fee_percent": 5, "transfer_data": {"destination": account}}
    made = stripe.post("subscription_schedules", customer=customer, start_date="now", phases=[phase])
    assert made["phases"][0]["transfer_data"] == {"amount_percent": None, "destination": account}
    stripe.advance(seconds=3700)
    assert passed_on(stripe) == ([1000], [50])


@pytest.mark.parametrize(
    ("data", "param"),
    [
        ({"billing_cycle_anchor": 5}, "billing_cycle_anchor"),
        ({"billing_cycle_anchor": 2**40}, "billing_cycle_anchor"),
        ({"billing_cycle_anchor_config": {"day_of_month": 1}, "billing_cycle_anchor": 9}, "billing_cycle_anchor"),
        ({"trial_end": 2**45}, "trial_end"),
        ({"trial_end": 1}, "trial_end"),
        ({"default_tax_rates": ["txr_none"]}, "default_tax_rates][0"),
        ({"application_fee_percent": 101}, "application_fee_percent"),
        ({"metadata": {"a": "x" * 501}}, "metadata][a"),
    ],
)
def test_a_page_s_subscription_is_checked_before_the_page_is_opened(stripe, prices, data, param):
    wanted = {"mode": "subscription", "line_items": [{"price": prices["again"], "quantity": 1}]}
    error = stripe.error("POST", "checkout/sessions", **wanted, success_url="https://a.b", subscription_data=data)
    assert error["param"] == f"subscription_data[{param}]"
