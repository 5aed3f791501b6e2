"""Pages on which customers pay, as a browser uses them: checkout, payment links, the portal, invoices."""

import re

import pytest

CARD = {"number": "4242 4242 4242 4242", "expiry": "12 / 34", "cvc": "123", "name": "Ada"}


@pytest.fixture
def prices(stripe):
    product = stripe.post("products", name="Mug & Cup")["id"]
    once = stripe.post("prices", product=product, currency="usd", unit_amount=1500)["id"]
    every = {"interval": "month"}
    again = stripe.post("prices", product=product, currency="usd", unit_amount=900, recurring=every)["id"]
    return {"once": once, "again": again}


@pytest.fixture
def browser(stripe):
    """Opens a page, or sends its form."""

    def visit(url, **form):
        client = stripe.environment.platform.client
        return client.post(url, data=form) if form else client.get(url)

    return visit


def opened(stripe, price, mode, **more):
    wanted = {
        "line_items": [{"price": price, "quantity": 2}],
        "success_url": "https://shop.example/ok?s={CHECKOUT_SESSION_ID}",
    }
    return stripe.post("checkout/sessions", mode=mode, **wanted, **more)


def test_a_session_is_paid_in_a_browser(stripe, prices, browser):
    session = opened(stripe, prices["once"], "payment", metadata={"order": "6735"})
    assert (session["amount_total"], session["payment_status"]) == (3000, "unpaid")
    shown = browser(session["url"])
    assert "Mug &amp; Cup" in shown.text
    assert "$30.00" in shown.text
    paid = browser(session["url"], email="ada@shop.example", **CARD)
    assert (paid.status_code, paid.headers["Location"]) == (303, f"https://shop.example/ok?s={session['id']}")
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["payment_intent", "line_items"])
    assert (done["status"], done["payment_status"], done["url"]) == ("complete", "paid", None)
    assert done["payment_intent"]["amount_received"] == 3000
    assert done["customer_details"]["email"] == "ada@shop.example"
    assert done["line_items"]["data"][0]["amount_total"] == 3000
    assert len(stripe.get("events", type="checkout.session.completed")["data"]) == 1


def test_a_declined_card_is_told_on_the_page_and_another_one_pays(stripe, prices, browser):
    session = opened(stripe, prices["once"], "payment")
    declined = browser(session["url"], email="ada@shop.example", **{**CARD, "number": "4000000000000002"})
    assert "Your card was declined." in declined.text
    assert stripe.get("charges")["data"][0]["status"] == "failed"
    assert browser(session["url"], email="ada@shop.example", **CARD).status_code == 303


def test_a_card_that_asks_its_holder_is_paid_after_that(stripe, prices, browser):
    session = opened(stripe, prices["once"], "payment")
    asked = browser(session["url"], email="ada@shop.example", **{**CARD, "number": "4000000000003220"})
    assert browser(asked.headers["Location"], outcome="succeed").status_code == 303
    assert stripe.get(f"checkout/sessions/{session['id']}")["status"] == "complete"
    assert len(stripe.get("events", type="checkout.session.completed")["data"]) == 1


def test_a_subscription_begins_on_the_page(stripe, prices, browser):
    session = opened(stripe, prices["again"], "subscription")
    assert browser(session["url"], email="ada@shop.example", **CARD).status_code == 303
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["subscription", "invoice", "customer"])
    assert (done["subscription"]["status"], done["invoice"]["amount_paid"]) == ("active", 1800)
    assert done["customer"]["email"] == "ada@shop.example"


def test_a_session_expires(stripe, prices, browser):
    session = opened(stripe, prices["once"], "payment")
    assert stripe.post(f"checkout/sessions/{session['id']}/expire")["status"] == "expired"
    assert "expired" in browser(session["url"]).text
    assert stripe.error("POST", f"checkout/sessions/{session['id']}/expire")["code"] == "resource_invalid_state"


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"success_url": ""}, "success_url"),
        ({"success_url": "shop.example"}, "success_url"),
        ({"mode": "subscription"}, "line_items"),
        ({"customer": "cus_none"}, "customer"),
        ({"expires_at": 5}, "expires_at"),
        ({"line_items": [{"price": "price_none"}]}, "line_items[0][price]"),
        ({"discounts": [{"coupon": "none"}]}, "discounts[0][coupon]"),
    ],
)
def test_a_session_is_checked(stripe, prices, change, param):
    wanted = {"mode": "payment", "line_items": [{"price": prices["once"]}], "success_url": "https://shop.example"}
    assert stripe.error("POST", "checkout/sessions", **{**wanted, **change})["param"] == param


def test_a_payment_link_sells_again_and_again(stripe, prices, browser):
    link = stripe.post("payment_links", line_items=[{"price": prices["once"], "quantity": 1}])
    for email in ("ada@shop.example", "bea@shop.example"):
        assert "Thank you" in browser(link["url"], email=email, **CARD).text
    sessions = stripe.get("checkout/sessions", payment_link=link["id"])["data"]
    assert [each["payment_status"] for each in sessions] == ["paid", "paid"]
    stripe.post(f"payment_links/{link['id']}", active=False)
    assert "no longer active" in browser(link["url"]).text
    assert len(stripe.get("charges")["data"]) == 2


def test_a_customer_pays_an_invoice_on_its_page(stripe, browser):
    customer = stripe.post("customers", email="ada@shop.example")["id"]
    stripe.post("invoiceitems", customer=customer, amount=700, currency="usd", description="<b>Repair</b>")
    draft = stripe.post("invoices", customer=customer, pending_invoice_items_behavior="include")["id"]
    final = stripe.post(f"invoices/{draft}/finalize")
    assert "&lt;b&gt;Repair&lt;/b&gt;" in browser(final["hosted_invoice_url"]).text
    assert "This invoice is paid" in browser(final["hosted_invoice_url"], **CARD).text
    assert stripe.get(f"invoices/{draft}")["status"] == "paid"


def test_a_customer_cancels_in_the_portal(stripe, prices, browser):
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    wanted = {"customer": customer, "items": [{"price": prices["again"]}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted)
    portal = stripe.post("billing_portal/sessions", customer=customer, return_url="https://shop.example/me")
    assert re.search(r"Cancel subscription", browser(portal["url"]).text)
    assert browser(portal["url"], subscription=made["id"], wish="cancel").status_code == 303
    assert stripe.get(f"subscriptions/{made['id']}")["cancel_at_period_end"] is True
    assert stripe.error("POST", "billing_portal/sessions")["param"] == "customer"
