"""What a page sells: items that customers add, and items that the shop changes while it is open."""

import pytest

from .test_checkout import CARD, opened


@pytest.fixture
def prices(stripe):
    mug = {"currency": "usd", "product_data": {"name": "Mug & Cup"}}
    again = stripe.post("prices", **mug, unit_amount=900, recurring={"interval": "month"})["id"]
    return {"once": stripe.post("prices", **mug, unit_amount=1500)["id"], "again": again}


@pytest.fixture
def browser(stripe):
    """Opens a page, or sends its form."""
    client = stripe.environment.platform.client
    return lambda url, **form: client.post(url, data=form) if form else client.get(url)


def test_a_customer_adds_what_is_optional(stripe, prices, browser):
    gift = stripe.post("prices", currency="usd", unit_amount=500, product_data={"name": "Gift wrap"})["id"]
    card = stripe.post("prices", currency="usd", unit_amount=200, product_data={"name": "Card"})["id"]
    options = [
        {"price": gift, "quantity": 1},
        {"price": card, "quantity": 1, "adjustable_quantity": {"enabled": True, "maximum": 5}},
    ]
    session = opened(stripe, prices["once"], "payment", optional_items=options)
    assert session["optional_items"][0] == {"adjustable_quantity": None, "price": gift, "quantity": 1}
    assert "Add Gift wrap ($5.00)" in browser(session["url"]).text
    assert "Choose from 1 to 5." in browser(session["url"], email="a@b.c", **CARD, **{f"optional[{card}]": "6"}).text
    declined = {**CARD, "number": "4000000000000002", f"optional[{card}]": "2"}
    browser(session["url"], email="a@b.c", **declined)
    browser(session["url"], email="a@b.c", **CARD, **{f"optional[{gift}]": "1", f"optional[{card}]": "3"})
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["payment_intent", "line_items"])
    assert done["amount_total"] == done["payment_intent"]["amount_received"] == 3000 + 500 + 600
    assert [each["description"] for each in done["line_items"]["data"]] == ["Mug & Cup", "Gift wrap", "Card"]


def test_a_link_offers_what_is_optional(stripe, prices, browser):
    items = [{"price": prices["again"], "quantity": 1}]
    link = stripe.post("payment_links", line_items=items, optional_items=[{"price": prices["once"], "quantity": 2}])
    browser(link["url"], email="a@b.c", **CARD, **{f"optional[{prices['once']}]": "2"})
    assert stripe.get("invoices")["data"][0]["amount_paid"] == 900 + 3000


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"price": "price_none"}, "optional_items[0][price]"),
        ({"quantity": 0}, "optional_items[0][quantity]"),
        ({"price": "again"}, "optional_items[0][price]"),
    ],
)
def test_what_is_optional_goes_with_what_is_sold(stripe, prices, change, param):
    option = {"price": prices["once"], "quantity": 1, **change}
    option["price"] = prices.get(option["price"], option["price"])
    wanted = {"line_items": [{"price": prices["once"], "quantity": 1}], "success_url": "https://shop.example"}
    error = stripe.error("POST", "checkout/sessions", mode="payment", optional_items=[option], **wanted)
    assert error["param"] == param


def embedded(stripe, price, **more):
    items = [{"price": price, "quantity": 2}]
    wanted = {"mode": "payment", "ui_mode": "elements", "return_url": "https://shop.example", "line_items": items}
    return stripe.post("checkout/sessions", **wanted, **more, expand=["line_items"])


def test_an_open_session_sells_something_else(stripe, prices):
    other = stripe.post("prices", currency="usd", unit_amount=200, product_data={"name": "Card"})["id"]
    session = embedded(stripe, prices["once"])
    path, first = f"checkout/sessions/{session['id']}", session["line_items"]["data"][0]["id"]
    items = [{"price": other, "quantity": 1}, {"id": first, "quantity": 3}]
    changed = stripe.post(path, line_items=items, expand=["line_items"])
    assert changed["amount_total"] == 200 + 3 * 1500
    assert [each["quantity"] for each in changed["line_items"]["data"]] == [1, 3]
    assert changed["line_items"]["data"][1]["id"] == first
    assert stripe.error("POST", path, line_items=[{"id": "li_none"}])["param"] == "line_items[0][id]"
    assert stripe.error("POST", path, line_items=[{"price": prices["again"]}])["param"] == "line_items"
    assert stripe.get(path)["amount_total"] == 200 + 3 * 1500


def test_an_open_session_is_sent_in_another_way_and_to_another_place(stripe, prices):
    rate = {"display_name": "Post", "type": "fixed_amount", "fixed_amount": {"amount": 500, "currency": "usd"}}
    session = embedded(stripe, prices["once"])
    path = f"checkout/sessions/{session['id']}"
    sent = stripe.post(path, shipping_options=[{"shipping_rate_data": rate}])
    assert (sent["amount_total"], sent["shipping_cost"]["amount_total"]) == (3500, 500)
    assert stripe.post(path, shipping_options="")["amount_total"] == 3000
    details = {"name": "Ada", "address": {"line1": "A 1", "country": "DE"}}
    known = stripe.post(path, collected_information={"shipping_details": details})["collected_information"]
    assert (known["shipping_details"]["name"], known["shipping_details"]["address"]["country"]) == ("Ada", "DE")
    hosted = opened(stripe, prices["once"], "payment")["id"]
    refused = stripe.error("POST", f"checkout/sessions/{hosted}", payment_intent_data={"description": "x"})
    assert refused["param"] == "payment_intent_data"
    stripe.post(f"{path}/expire")
    assert "Only open" in stripe.error("POST", path, shipping_options="")["message"]


def test_a_link_offers_something_else(stripe, prices):
    link = stripe.post("payment_links", line_items=[{"price": prices["once"], "quantity": 1}])
    options = [{"price": prices["once"], "quantity": 2}]
    path = f"payment_links/{link['id']}"
    assert stripe.post(path, optional_items=options)["optional_items"][0]["quantity"] == 2
    assert stripe.post(path, optional_items="")["optional_items"] is None
