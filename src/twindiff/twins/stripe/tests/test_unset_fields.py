"""What objects show that nobody has given anything for, as answers of the API itself have it."""

import pytest

CARD = {"payment_method_types": ["card"], "payment_method": "pm_card_visa"}
UNMANAGED = {"enabled": False}


@pytest.fixture
def customer(stripe):
    """A customer with a card."""
    made = stripe.post("customers", email="ada@shop.example", name="Ada")
    card = stripe.post("payment_methods/pm_card_visa/attach", customer=made["id"])
    return stripe.post(f"customers/{made['id']}", invoice_settings={"default_payment_method": card["id"]})["id"]


@pytest.fixture
def price(stripe):
    """A monthly price of a product that is counted in users."""
    product = stripe.post("products", name="Plan", unit_label="user")["id"]
    return stripe.post("prices", product=product, currency="usd", unit_amount=2500, recurring={"interval": "month"})


def test_an_intent_says_that_its_shop_sells_for_itself(stripe):
    for kind in ("payment_intents", "setup_intents"):
        made = stripe.post(kind, **({"amount": 2000, "currency": "usd"} if kind == "payment_intents" else {}))
        assert (made["managed_payments"], made["allowed_payment_method_types"]) == (UNMANAGED, None)
        assert made["payment_method_configuration_details"] == {"id": "pmc_1TwindiffTestShop", "parent": None}


def test_an_intent_shows_which_types_it_was_allowed(stripe):
    made = stripe.post("payment_intents", amount=2000, currency="usd", allowed_payment_method_types=["card", "ideal"])
    assert made["allowed_payment_method_types"] == ["card", "ideal"]
    assert made["payment_method_types"] == ["card"]


def test_an_intent_shows_the_options_of_each_of_its_types(stripe):
    types = ["card", "link", "klarna", "us_bank_account"]
    options = stripe.post("payment_intents", amount=2000, currency="usd", payment_method_types=types)
    shown = options["payment_method_options"]
    assert (shown["link"], shown["klarna"]) == ({"persistent_token": None}, {"preferred_locale": None})
    assert shown["us_bank_account"]["verification_method"] == "automatic"
    debit = stripe.post("setup_intents", payment_method_types=["us_bank_account"])
    assert debit["payment_method_options"] == {
        "us_bank_account": {"mandate_options": {}, "verification_method": "automatic"}
    }


def test_a_cards_charge_is_known_to_its_network(stripe):
    paid = stripe.post("payment_intents", amount=2000, currency="usd", **CARD, confirm=True, expand=["latest_charge"])
    charge = paid["latest_charge"]
    assert len(charge["payment_method_details"]["card"]["network_transaction_id"]) == 15
    assert (charge["order"], charge["radar_options"]) == (None, {})
    refunds = stripe.get(f"charges/{charge['id']}", expand=["refunds"])["refunds"]
    assert (refunds["data"], refunds["total_count"]) == ([], 0)


def test_a_customer_shows_its_credit_by_currency(stripe, customer):
    path = f"customers/{customer}"
    assert stripe.get(path, expand=["invoice_credit_balance"])["invoice_credit_balance"] == {}
    stripe.post(f"{path}/balance_transactions", amount=-500, currency="usd")
    assert stripe.get(path, expand=["invoice_credit_balance"])["invoice_credit_balance"] == {"usd": 500}


def test_a_flexible_subscription_says_since_when(stripe, customer, price):
    made = stripe.post("subscriptions", customer=customer, items=[{"price": price["id"]}])
    assert made["billing_mode"]["updated_at"] == made["created"]
    assert made["managed_payments"] == UNMANAGED


def test_a_paid_invoice_advances_no_more_and_still_shows_its_secret(stripe, customer, price):
    expand = ["latest_invoice.confirmation_secret", "latest_invoice.payments"]
    made = stripe.post("subscriptions", customer=customer, items=[{"price": price["id"]}], expand=expand)
    invoice = made["latest_invoice"]
    assert (invoice["status"], invoice["auto_advance"]) == ("paid", False)
    assert invoice["webhooks_delivered_at"] == invoice["created"]
    assert "_secret_" in invoice["confirmation_secret"]["client_secret"]
    assert invoice["payments"]["url"] == "/v1/invoices/payments"


def test_a_line_counts_in_the_units_of_its_product(stripe, customer, price):
    made = stripe.post("subscriptions", customer=customer, items=[{"price": price["id"], "quantity": 3}])
    line = stripe.get(f"invoices/{made['latest_invoice']}")["lines"]["data"][0]
    assert line["description"] == "3 user \N{MULTIPLICATION SIGN} Plan (at $25.00 / month)"
    assert line["parent"]["invoice_item_details"] is None


@pytest.mark.parametrize(
    ("mode", "collection", "adaptive", "tax_exempt"),
    [("payment", "if_required", True, "none"), ("setup", "always", False, None)],
)
def test_a_session_knows_its_customer_at_once(stripe, customer, mode, collection, adaptive, tax_exempt):
    item = {"price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Cap"}}, "quantity": 1}
    sold = {"line_items": [item]} if mode == "payment" else {"currency": "usd"}
    wanted = {"mode": mode, "customer": customer, "success_url": "https://shop.example", **sold}
    session = stripe.post("checkout/sessions", **wanted)
    assert (session["payment_method_collection"], session["adaptive_pricing"]) == (collection, {"enabled": adaptive})
    details = session["customer_details"]
    assert (details["email"], details["tax_exempt"], details["name"]) == ("ada@shop.example", tax_exempt, None)
    assert session["collected_information"]["shipping_details"] is None
    assert session["branding_settings"]["display_name"] == "Twindiff Test Shop"


def test_a_credit_note_takes_effect_when_it_is_made(stripe, customer, price):
    made = stripe.post("subscriptions", customer=customer, items=[{"price": price["id"]}])
    note = stripe.post("credit_notes", invoice=made["latest_invoice"], amount=500, credit_amount=500)
    assert note["effective_at"] == note["created"]


def test_a_refund_says_whom_it_is_for_and_how_they_paid(stripe, customer):
    card = stripe.get(f"customers/{customer}")["invoice_settings"]["default_payment_method"]
    paid = stripe.post("payment_intents", **{**CARD, "payment_method": card}, amount=2000, currency="usd",
                       customer=customer, confirm=True)  # fmt: skip
    refund = stripe.post("refunds", payment_intent=paid["id"], expand=["customer"])
    assert (refund["customer"]["id"], refund["payment_method"]) == (customer, card)


def test_a_discount_of_an_item_is_a_credit_before_taxes_and_in_the_subtotal(stripe, customer):
    half = stripe.post("coupons", percent_off=50, duration="once")["id"]
    draft = stripe.post("invoices", customer=customer)["id"]
    item = {"customer": customer, "invoice": draft, "amount": 1900, "currency": "usd"}
    stripe.post("invoiceitems", **item, discounts=[{"coupon": half}])
    invoice = stripe.get(f"invoices/{draft}")
    (line,) = invoice["lines"]["data"]
    assert (invoice["subtotal"], invoice["total"], line["subtotal"]) == (950, 950, 1900)
    credit = {"amount": 950, "discount": line["discounts"][0], "type": "discount"}
    assert line["pretax_credit_amounts"] == invoice["total_pretax_credit_amounts"] == [credit]
    assert line["parent"]["invoice_item_details"]["proration_details"] == {"credited_items": None}


def test_pages_of_a_single_invoice_get_their_size_with_its_number(stripe, customer):
    draft = stripe.post("invoices", customer=customer)
    assert draft["rendering"]["pdf"] == {"page_size": "auto"}
    assert draft["webhooks_delivered_at"] == draft["created"]
    assert stripe.post(f"invoices/{draft['id']}/finalize")["rendering"]["pdf"] == {"page_size": "letter"}


def test_the_payment_of_a_new_subscription_lets_later_ones_be_paid(stripe, customer, price):
    made = stripe.post(
        "subscriptions", customer=customer, items=[{"price": price["id"]}], expand=["latest_invoice.payments"]
    )
    intent = made["latest_invoice"]["payments"]["data"][0]["payment"]["payment_intent"]
    assert stripe.get(f"payment_intents/{intent}")["setup_future_usage"] == "off_session"
