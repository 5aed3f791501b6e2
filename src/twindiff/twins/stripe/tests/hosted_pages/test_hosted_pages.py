"""The pages that Stripe hosts, paid in a real browser: checkout, 3-D Secure, payment links, invoices, the portal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.receiver import PATIENCE_SECONDS
from twindiff.browser.chromium import NoBrowser, chromium

from ..conftest import Stripe

CARD = {"Card number": "4242 4242 4242 4242", "Expiration (MM / YY)": "12 / 34", "CVC": "123", "Name on card": "Ada"}
SCREENSHOT = os.environ.get("TWINDIFF_SCREENSHOT")
"""Where a picture of the checkout page is kept for the documentation, if it is to be."""


@pytest.fixture(scope="module")  # an event loop runs as long as Playwright does
def browser() -> Iterator[Browser]:
    try:
        path = chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    expect.set_options(timeout=1000 * PATIENCE_SECONDS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=[*flags, "--disable-component-update"])
        yield opened
        opened.close()


class Thanks(BaseHTTPRequestHandler):
    """The shop's own site, which is one page."""

    def do_GET(self) -> None:
        page = b"<title>Shop</title><link rel=icon href=data:,>Thanks"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def shop_url() -> Iterator[str]:
    """The address of the shop."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Thanks) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser, which must not complain."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 900, "height": 700})
    context.set_default_timeout(1000 * PATIENCE_SECONDS)
    opened = context.new_page()
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


@pytest.fixture
def prices(stripe: Stripe) -> dict[str, str]:
    product = stripe.post("products", name="Mug & Cup")["id"]
    every = {"interval": "month"}
    once = stripe.post("prices", product=product, currency="usd", unit_amount=1500)["id"]
    again = stripe.post("prices", product=product, currency="usd", unit_amount=900, recurring=every)["id"]
    return {"once": once, "again": again}


def opened(stripe: Stripe, shop_url: str, price: str, mode: str) -> dict[str, str]:
    """A new checkout session."""
    items = [{"price": price, "quantity": 2}]
    return stripe.post(
        "checkout/sessions", mode=mode, line_items=items, success_url=f"{shop_url}/ok?s={{CHECKOUT_SESSION_ID}}"
    )


def pay(page: Page, button: str, email: str = "", **typed: str) -> None:
    """Fill the form for a card, and send it."""
    for label, value in {**CARD, **typed, **({"Email": email} if email else {})}.items():
        page.get_by_label(label).fill(value)
    page.get_by_role("button", name=button).click()


@pytest.mark.parametrize(
    ("mode", "price", "button"), [("payment", "once", "Pay $30.00"), ("subscription", "again", "Subscribe")]
)
def test_a_checkout_session_is_paid(
    stripe: Stripe, shop_url: str, prices: dict[str, str], page: Page, mode: str, price: str, button: str
):
    session = opened(stripe, shop_url, prices[price], mode)
    page.goto(session["url"])
    expect(page.get_by_role("cell", name="2 x Mug & Cup")).to_be_visible()
    if SCREENSHOT and mode == "payment":
        page.screenshot(path=SCREENSHOT)
    pay(page, button, "ada@shop.example")
    page.wait_for_url(f"{shop_url}/ok?s={session['id']}")
    assert stripe.get(f"checkout/sessions/{session['id']}")["payment_status"] == "paid"


def test_a_declined_card_is_told_and_one_that_must_authenticate_pays(
    stripe: Stripe, shop_url: str, prices: dict[str, str], page: Page
):
    session = opened(stripe, shop_url, prices["once"], "payment")
    page.goto(session["url"])
    pay(page, "Pay $30.00", "ada@shop.example", **{"Card number": "4000000000000002"})
    expect(page.get_by_role("alert")).to_have_text("Your card was declined.")
    pay(page, "Pay $30.00", "ada@shop.example", **{"Card number": "4000002760003184"})
    expect(page.get_by_role("heading", name="3D Secure 2 Test Page")).to_be_visible()
    page.get_by_role("button", name="Complete").click()
    page.wait_for_url(f"{shop_url}/ok**")
    assert stripe.get(f"checkout/sessions/{session['id']}")["status"] == "complete"


def test_a_cardholder_who_fails_to_authenticate_pays_nothing(stripe: Stripe, shop_url: str, page: Page):
    asked = {"amount": 900, "currency": "usd", "payment_method": "pm_card_authenticationRequired", "confirm": True}
    intent = stripe.post("payment_intents", **asked, payment_method_types=["card"], return_url=f"{shop_url}/back")
    page.goto(intent["next_action"]["redirect_to_url"]["url"])
    page.get_by_role("button", name="Fail").click()
    page.wait_for_url(re.compile(f"{shop_url}/back\\?payment_intent={intent['id']}&.*"))
    failed = stripe.get(f"payment_intents/{intent['id']}")
    assert (failed["status"], failed["amount_received"]) == ("requires_payment_method", 0)


def test_a_payment_link_is_paid(stripe: Stripe, prices: dict[str, str], page: Page):
    items = [{"price": prices["once"], "quantity": 1}]
    page.goto(stripe.post("payment_links", line_items=items)["url"])
    pay(page, "Pay $15.00", "ada@shop.example")
    expect(page.get_by_text("Thank you.")).to_be_visible()
    assert stripe.get("payment_intents")["data"][0]["amount_received"] == 1500


def test_an_invoice_is_paid(stripe: Stripe, page: Page):
    customer = stripe.post("customers", email="ada@shop.example", name="Ada")["id"]
    invoice = stripe.post("invoices", customer=customer, collection_method="send_invoice", days_until_due=30)["id"]
    stripe.post("invoiceitems", customer=customer, invoice=invoice, amount=4200, currency="usd", description="Sails")
    page.goto(stripe.post(f"invoices/{invoice}/finalize")["hosted_invoice_url"])
    pay(page, "Pay $42.00")
    expect(page.get_by_text("This invoice is paid.")).to_be_visible()
    assert stripe.get(f"invoices/{invoice}")["status"] == "paid"


def test_a_subscription_is_ended_and_kept_in_the_portal(
    stripe: Stripe, shop_url: str, prices: dict[str, str], page: Page
):
    card = {"default_payment_method": "pm_card_visa"}
    customer = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=card)["id"]
    made = stripe.post("subscriptions", customer=customer, items=[{"price": prices["again"]}])["id"]
    page.goto(stripe.post("billing_portal/sessions", customer=customer, return_url=f"{shop_url}/account")["url"])
    page.get_by_role("button", name="Cancel subscription").click()
    expect(page.get_by_role("button", name="Don't cancel")).to_be_visible()
    assert stripe.get(f"subscriptions/{made}")["cancel_at_period_end"]
    page.get_by_role("button", name="Don't cancel").click()
    expect(page.get_by_role("button", name="Cancel subscription")).to_be_visible()
    page.get_by_role("link", name="Return").click()
    page.wait_for_url(f"{shop_url}/account")
    assert not stripe.get(f"subscriptions/{made}")["cancel_at_period_end"]
