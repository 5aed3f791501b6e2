"""PDFs of invoices, credit notes and quotes, as a reader of PDF sees them."""

from io import BytesIO

import pytest
import stripe as sdk
from pypdf import PdfReader


def read(content):
    """The pages of a PDF as text, and the size of the first."""
    reader = PdfReader(BytesIO(content), strict=True)
    return [page.extract_text() for page in reader.pages], tuple(reader.pages[0].mediabox)[2:]


@pytest.fixture
def opened(stripe):
    """Gives what is at an address."""

    def get(url):
        answer = stripe.environment.platform.client.get(url)
        assert answer.headers["content-type"] == "application/pdf"
        return read(answer.content)

    return get


def invoice(stripe, items=1, **fields):
    customer = stripe.post("customers", name="Zoë (Ltd)", address={"city": "Berlin", "country": "DE"})["id"]
    rate = stripe.post("tax_rates", display_name="VAT", percentage=19, inclusive=False)["id"]
    draft = stripe.post("invoices", customer=customer, default_tax_rates=[rate], footer="Thanks!", **fields)["id"]
    for number in range(items):
        item = {"amount": 1000, "currency": "eur", "description": f"Item {number} \N{EN DASH} 茶"}
        stripe.post("invoiceitems", customer=customer, invoice=draft, **item)
    return stripe.post(f"invoices/{draft}/finalize")


def test_an_invoice_is_printed(stripe, opened):
    made = invoice(stripe, currency="eur")
    (text,), size = opened(made["invoice_pdf"])
    assert [float(each) for each in size] == [612, 792]
    for part in (made["number"], "Zoë (Ltd)", "Item 0 \N{EN DASH} ?", "VAT (19 %)", "€1.90", "€11.90", "Thanks!"):
        assert part in text


def test_a_long_invoice_has_several_pages_of_the_size_that_was_asked_for(stripe, opened):
    made = invoice(stripe, items=60, currency="eur", rendering={"pdf": {"page_size": "a4"}})
    pages, size = opened(made["invoice_pdf"])
    assert ([float(each) for each in size], len(pages)) == ([595, 842], 2)
    assert all(f"Item {number} " in "\n".join(pages) for number in range(60))


def test_a_credit_note_is_printed(stripe, opened):
    made = invoice(stripe, currency="eur")
    note = stripe.post("credit_notes", invoice=made["id"], amount=300, memo="Sorry")
    (text,), _ = opened(note["pdf"])
    for part in (note["number"], made["number"], "€3.00", "Sorry"):
        assert part in text


def test_a_quote_is_printed_once_it_is_final(stripe):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url, "files": stripe.url})
    price = stripe.post("prices", currency="usd", unit_amount=2500, product_data={"name": "Desk"})["id"]
    customer = stripe.post("customers", name="Ada")["id"]
    quote: str = stripe.post("quotes", customer=customer, line_items=[{"price": price, "quantity": 2}])["id"]
    assert "must be finalized" in stripe.error("GET", f"quotes/{quote}/pdf")["message"]
    number = stripe.post(f"quotes/{quote}/finalize")["number"]
    (text,), _ = read(client.v1.quotes.pdf(quote).io.read())
    for part in (number, "2 x Desk", "$50.00", "Ada"):
        assert part in text


def test_a_receipt_says_what_was_paid_and_given_back(stripe):
    wanted = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    intent = stripe.post("payment_intents", **wanted, allowed_payment_method_types=["card"], expand=["latest_charge"])
    stripe.post("refunds", payment_intent=intent["id"], amount=500)
    charge = stripe.get("charges")["data"][0]
    told = stripe.get("events", type="charge.succeeded")["data"][0]["data"]["object"]
    assert intent["latest_charge"]["receipt_url"] == charge["receipt_url"] == told["receipt_url"]
    shown = stripe.environment.platform.client.get(charge["receipt_url"]).text
    assert all(part in shown for part in ("$20.00", "$-5.00", "visa ending in 4242"))
