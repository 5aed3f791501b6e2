"""Tax that Stripe reckons by itself: https://docs.stripe.com/tax/invoicing, https://docs.stripe.com/tax/checkout"""

import pytest
import stripe as sdk

ON = {"automatic_tax": {"enabled": True}}
GERMANY = {"country": "DE"}


@pytest.fixture
def shop_in_berlin(stripe):
    """A shop in Berlin that is registered there and in California, and whose prices are without taxes."""
    stripe.post(
        "tax/settings", head_office={"address": {"country": "DE"}}, defaults={"tax_behavior": "inferred_by_currency"}
    )
    stripe.post("tax/registrations", country="DE", country_options={"de": {"type": "standard"}}, active_from="now")
    american = {"us": {"type": "state_sales_tax", "state": "CA"}}
    stripe.post("tax/registrations", country="US", country_options=american, active_from="now")
    return stripe


@pytest.fixture
def price(shop_in_berlin):
    recurring = {"interval": "month"}
    data = {"unit_amount": 1000, "currency": "usd", "recurring": recurring, "product_data": {"name": "Plan"}}
    return shop_in_berlin.post("prices", **data)["id"]


def paying(stripe, **fields) -> str:
    settings = {"default_payment_method": "pm_card_visa"}
    return stripe.post("customers", payment_method="pm_card_visa", invoice_settings=settings, **fields)["id"]


def test_an_invoice_is_taxed_by_where_its_customer_is(shop_in_berlin):
    stripe = shop_in_berlin
    customer = paying(stripe, address=GERMANY)
    draft = stripe.post("invoices", customer=customer, currency="usd", **ON)["id"]
    stripe.post("invoiceitems", customer=customer, invoice=draft, amount=1000, currency="usd")
    invoice = stripe.post(f"invoices/{draft}/finalize")
    assert (invoice["total"], invoice["total_excluding_tax"], invoice["automatic_tax"]["status"]) == (
        1190, 1000, "complete")  # fmt: skip
    (tax,) = invoice["lines"]["data"][0]["taxes"]
    assert (tax["amount"], tax["taxability_reason"], tax["taxable_amount"]) == (190, "standard_rated", 1000)
    assert invoice["total_taxes"] == [tax]
    rate = stripe.get(f"tax_rates/{tax['tax_rate_details']['tax_rate']}")
    assert [rate[name] for name in ("active", "percentage", "country", "jurisdiction_level")] == [
        False, 19.0, "DE", "country"]  # fmt: skip
    again = stripe.post("invoices", customer=customer, currency="eur", **ON)["id"]
    stripe.post("invoiceitems", customer=customer, invoice=again, amount=1190, currency="eur")
    assert stripe.get(f"invoices/{again}")["total_excluding_tax"] == 1000


def test_renewals_are_taxed_as_the_first_period_was(shop_in_berlin, price: str):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": shop_in_berlin.url})
    customer = paying(shop_in_berlin, address={"country": "US", "postal_code": "94111"})
    made = client.v1.subscriptions.create(
        {"customer": customer, "items": [{"price": price}], "automatic_tax": {"enabled": True}}
    )
    assert (made.automatic_tax.enabled, made.status) == (True, "active")
    shop_in_berlin.advance(days=32)
    totals = [(each.total, each.status, each.automatic_tax.status) for each in client.v1.invoices.list().data]
    assert totals == [(1073, "paid", "complete"), (1073, "paid", "complete")]


@pytest.mark.parametrize(
    ("fields", "total", "reason"),
    [
        ({"address": GERMANY, "tax_exempt": "exempt"}, 1000, "customer_exempt"),
        ({"address": GERMANY, "tax_exempt": "reverse"}, 1000, "reverse_charge"),
        ({"address": {"country": "FR"}}, 1000, "not_collecting"),
        ({"address": {"country": "FR"}, "shipping": {"name": "A", "address": GERMANY}}, 1190, "standard_rated"),
    ],
)
def test_why_something_is_taxed_or_not_is_said(shop_in_berlin, price, fields, total, reason):
    customer = paying(shop_in_berlin, **fields)
    wanted = {"customer": customer, "subscription_details": {"items": [{"price": price}]}}
    seen = shop_in_berlin.post("invoices/create_preview", **wanted, **ON)
    (tax,) = seen["lines"]["data"][0]["taxes"]
    assert (seen["total"], tax["taxability_reason"]) == (total, reason)


def test_a_subscription_needs_a_customer_whose_location_is_known(shop_in_berlin, price):
    stripe = shop_in_berlin
    customer = stripe.post("customers", address={"country": "US"})["id"]
    wanted = {"customer": customer, "items": [{"price": price}]}
    assert stripe.error("POST", "subscriptions", **wanted, **ON)["code"] == "customer_tax_location_invalid"
    checked = {"address": {"country": "US"}, "tax": {"validate_location": "immediately"}}
    assert stripe.error("POST", "customers", **checked)["code"] == "customer_tax_location_invalid"


def test_a_draft_without_a_location_stays_a_draft(shop_in_berlin):
    stripe = shop_in_berlin
    customer = stripe.post("customers")["id"]
    draft = stripe.post("invoices", customer=customer, **ON)
    assert draft["automatic_tax"]["status"] == "requires_location_inputs"
    path = f"invoices/{draft['id']}"
    assert stripe.error("POST", f"{path}/finalize")["code"] == "customer_tax_location_invalid"
    failed = stripe.get("events", type="invoice.finalization_failed")["data"][0]["data"]["object"]
    assert failed["last_finalization_error"]["code"] == "customer_tax_location_invalid"
    query = "last_finalization_error_code:'customer_tax_location_invalid'"
    assert [each["id"] for each in stripe.get("invoices/search", query=query)["data"]] == [failed["id"]]
    stripe.post(f"customers/{customer}", address=GERMANY)
    final = stripe.post(f"{path}/finalize")
    assert (final["status"], final["automatic_tax"]["status"]) == ("paid", "complete")
    assert final["last_finalization_error"] is None


def test_a_subscription_goes_on_untaxed_when_its_customer_s_location_is_lost(shop_in_berlin, price):
    stripe = shop_in_berlin
    customer = paying(stripe, address=GERMANY)
    made = stripe.post("subscriptions", customer=customer, items=[{"price": price}], **ON)["id"]
    stripe.post(f"customers/{customer}", address={"country": "US"})
    stripe.advance(days=32)
    renewed = stripe.get("invoices", subscription=made)["data"][0]
    assert (renewed["status"], renewed["total"]) == ("paid", 1000)
    assert renewed["automatic_tax"]["disabled_reason"] == "finalization_requires_location_inputs"
    assert stripe.get(f"subscriptions/{made}")["automatic_tax"] == {
        "disabled_reason": "requires_location_inputs", "enabled": False, "liability": None}  # fmt: skip


def test_what_says_nothing_of_taxes_is_not_taxed_automatically(stripe):
    stripe.post("tax/settings", head_office={"address": {"country": "DE"}})
    recurring = {"recurring": {"interval": "month"}, "unit_amount": 1000, "currency": "usd"}
    price = stripe.post("prices", **recurring, product_data={"name": "Plan"})["id"]
    customer = paying(stripe, address=GERMANY)
    error = stripe.error("POST", "subscriptions", customer=customer, items=[{"price": price}], **ON)
    assert error["message"].startswith(f"The price `{price}` does not have a `tax_behavior` set")
    rate = stripe.post("tax_rates", display_name="VAT", inclusive=False, percentage=7)["id"]
    error = stripe.error("POST", "invoices", customer=customer, default_tax_rates=[rate], **ON)
    assert error["param"] == "automatic_tax[enabled]"


CARD = {"number": "4242 4242 4242 4242", "expiry": "12 / 34", "cvc": "123", "name": "Ada", "email": "ada@shop.example"}


@pytest.fixture
def browser(shop_in_berlin):
    """Sends the form of a page; gives its status."""
    client = shop_in_berlin.environment.platform.client
    return lambda url, **form: client.post(url, data={**CARD, **form})


def session_of(stripe, price, mode="subscription", **more):
    items = [{"price": price, "quantity": 1}]
    wanted = {"mode": mode, "line_items": items, "success_url": "https://shop.example", **ON}
    return stripe.post("checkout/sessions", **wanted, **more)


def test_a_page_asks_where_its_customer_is_and_adds_the_tax(shop_in_berlin, price, browser):
    stripe = shop_in_berlin
    session = session_of(stripe, price)
    assert (session["amount_total"], session["automatic_tax"]["status"]) == (1000, "requires_location_inputs")
    assert "Your billing address is incomplete." in browser(session["url"]).text
    assert browser(session["url"], **{"billing[country]": "DE"}).status_code == 303
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["invoice", "subscription", "customer"])
    assert (done["amount_total"], done["total_details"]["amount_tax"], done["invoice"]["amount_paid"]) == (
        1190, 190, 1190)  # fmt: skip
    assert (done["automatic_tax"]["status"], done["subscription"]["automatic_tax"]["enabled"]) == ("complete", True)
    assert done["customer"]["address"]["country"] == done["customer_details"]["address"]["country"] == "DE"


def test_a_known_customer_is_taxed_before_the_page_is_opened(shop_in_berlin, price):
    stripe = shop_in_berlin
    known = stripe.post("customers", address=GERMANY)["id"]
    session = session_of(stripe, price, customer=known)
    assert (session["amount_total"], session["automatic_tax"]["status"]) == (1190, "complete")
    wanted = {"mode": "subscription", "success_url": "https://shop.example", "customer": stripe.post("customers")["id"]}
    error = stripe.error("POST", "checkout/sessions", **wanted, line_items=[{"price": price, "quantity": 1}], **ON)
    assert error["code"] == "customer_tax_location_invalid"


def test_a_link_taxes_whoever_buys(shop_in_berlin, browser):
    stripe = shop_in_berlin
    data = {"unit_amount": 1000, "currency": "usd", "product_data": {"name": "Mug"}}
    items = [{"price": stripe.post("prices", **data)["id"], "quantity": 2}]
    link = stripe.post("payment_links", line_items=items, invoice_creation={"enabled": True}, **ON)
    assert link["automatic_tax"] == {"enabled": True, "liability": {"type": "self"}}
    for country in ("DE", "FR"):
        assert "Thank you" in browser(link["url"], **{"billing[country]": country}).text
    invoices = stripe.get("invoices")["data"]
    assert [(each["total"], each["amount_paid"], each["status"]) for each in invoices] == [
        (2000, 2000, "paid"), (2380, 2380, "paid")]  # fmt: skip


def test_a_quote_is_reckoned_with_the_tax_of_its_subscription(shop_in_berlin, price):
    stripe = shop_in_berlin
    customer = stripe.post("customers")["id"]
    quote = stripe.post("quotes", customer=customer, line_items=[{"price": price, "quantity": 1}], **ON)
    assert (quote["amount_total"], quote["automatic_tax"]["status"]) == (1000, "requires_location_inputs")
    path = f"quotes/{quote['id']}"
    assert stripe.error("POST", f"{path}/finalize")["code"] == "customer_tax_location_invalid"
    stripe.post(f"customers/{customer}", address=GERMANY)
    assert stripe.post(path, description="Taxed")["amount_total"] == 1190
    stripe.post(f"{path}/finalize")
    stripe.post(f"customers/{customer}", address=GERMANY)
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    stripe.post(f"customers/{customer}", invoice_settings={"default_payment_method": method})
    accepted = stripe.post(f"{path}/accept", expand=["subscription.latest_invoice"])
    assert accepted["subscription"]["latest_invoice"]["total"] == 1190


def test_a_schedule_lets_its_subscription_be_taxed(shop_in_berlin, price):
    phases = [{"items": [{"price": price, "quantity": 1}], "duration": {"interval": "month"}, **ON}]
    customer = paying(shop_in_berlin, address=GERMANY)
    made = shop_in_berlin.post(
        "subscription_schedules", customer=customer, start_date="now", phases=phases, expand=["subscription"]
    )
    assert made["phases"][0]["automatic_tax"]["enabled"] is True
    assert made["subscription"]["automatic_tax"]["enabled"] is True


def shipping_rate(stripe, **more):
    wanted = {"display_name": "Post", "type": "fixed_amount", "fixed_amount": {"amount": 500, "currency": "usd"}}
    return stripe.post("shipping_rates", **wanted, **more)["id"]


def test_shipping_is_taxed_with_the_invoice(shop_in_berlin):
    stripe = shop_in_berlin
    customer = paying(stripe, address=GERMANY)
    rate = {"shipping_rate": shipping_rate(stripe)}
    draft = stripe.post("invoices", customer=customer, currency="usd", shipping_cost=rate, **ON)["id"]
    stripe.post("invoiceitems", customer=customer, invoice=draft, amount=1000, currency="usd")
    seen = stripe.get(f"invoices/{draft}")
    assert (seen["total"], seen["total_excluding_tax"], seen["amount_shipping"]) == (1785, 1500, 500)
    assert [seen["shipping_cost"][name] for name in ("amount_subtotal", "amount_tax", "amount_total")] == [500, 95, 595]
    assert [(each["amount"], each["taxable_amount"]) for each in seen["total_taxes"]] == [(285, 1500)]
    off = stripe.post(f"invoices/{draft}", automatic_tax={"enabled": False})
    assert (off["total"], off["shipping_cost"]["amount_tax"]) == (1500, 0)
    stripe.post(f"invoices/{draft}", **ON)
    paid = stripe.post(f"invoices/{draft}/pay")
    assert paid["amount_paid"] == 1785
    page = stripe.environment.platform.client.get(paid["hosted_invoice_url"]).text
    assert all(part in page for part in ("$5.00", "VAT (19 %)", "$2.85", "$17.85"))
    note = stripe.post("credit_notes", invoice=draft, shipping_cost=rate, refund_amount=595)
    assert (note["amount"], note["amount_shipping"], note["total_excluding_tax"]) == (595, 500, 500)


def test_shipping_is_taxed_on_the_page(shop_in_berlin, browser):
    stripe = shop_in_berlin
    data = {"unit_amount": 1000, "currency": "usd", "product_data": {"name": "Mug"}}
    option = {"shipping_rate": shipping_rate(stripe, tax_code="txcd_00000000")}
    more = {"shipping_options": [option], "shipping_address_collection": {"allowed_countries": ["DE"]}}
    for options, total in (([option], 1690), ([{"shipping_rate": shipping_rate(stripe)}], 1785)):
        more["shipping_options"] = options
        session = session_of(stripe, stripe.post("prices", **data)["id"], "payment", **more)
        assert session["amount_total"] == 1500
        to = {"shipping[name]": "Ada", "shipping[line1]": "A 1", "shipping[country]": "DE"}
        assert browser(session["url"], **to).status_code == 303
        done = stripe.get(f"checkout/sessions/{session['id']}", expand=["payment_intent"])
        assert done["amount_total"] == done["payment_intent"]["amount"] == total
        assert done["total_details"]["amount_tax"] == total - 1500


def test_an_item_without_a_price_says_itself_how_it_is_taxed(stripe):
    stripe.post("tax/settings", head_office={"address": {"country": "DE"}})
    stripe.post("tax/registrations", country="DE", country_options={"de": {"type": "standard"}}, active_from="now")
    customer = paying(stripe, address=GERMANY)
    draft = stripe.post("invoices", customer=customer, currency="usd", **ON)["id"]
    item = {"customer": customer, "invoice": draft, "amount": 1190, "currency": "usd"}
    assert "tax_behavior" in stripe.error("POST", "invoiceitems", **item)["message"]
    stripe.post("invoiceitems", **item, tax_behavior="inclusive")
    stripe.post("invoiceitems", **item, tax_behavior="exclusive", tax_code="txcd_00000000")
    seen = stripe.get(f"invoices/{draft}")
    assert (seen["total"], seen["total_excluding_tax"]) == (2380, 2190)
    assert [each["taxes"][0]["taxability_reason"] for each in seen["lines"]["data"]] == [
        "product_exempt", "standard_rated"]  # fmt: skip


def test_a_schedule_begins_untaxed_when_its_customer_s_location_is_lost(shop_in_berlin, price):
    stripe = shop_in_berlin
    phases = [{"items": [{"price": price, "quantity": 1}], "duration": {"interval": "month"}, **ON}]
    customer = stripe.post("customers")
    begins = {"customer": customer["id"], "start_date": customer["created"] + 86_400, "phases": phases}
    assert stripe.error("POST", "subscription_schedules", **begins)["code"] == "customer_tax_location_invalid"
    begins["customer"] = paying(stripe, address=GERMANY)
    stripe.post("subscription_schedules", **begins)
    stripe.post(f"customers/{begins['customer']}", address={"country": "US"})
    stripe.advance(days=2)
    assert stripe.get("subscriptions")["data"][0]["automatic_tax"]["enabled"] is False


def test_a_revision_is_taxed_as_its_original_was(shop_in_berlin):
    stripe = shop_in_berlin
    customer = paying(stripe, address=GERMANY)
    draft = stripe.post("invoices", customer=customer, currency="usd", **ON)["id"]
    stripe.post("invoiceitems", customer=customer, invoice=draft, amount=1190, currency="usd", tax_behavior="inclusive")
    stripe.post(f"invoices/{draft}/finalize")
    revised = stripe.post("invoices", from_invoice={"action": "revision", "invoice": draft})
    assert (revised["automatic_tax"]["status"], revised["total"], revised["total_excluding_tax"]) == (
        "complete", 1190, 1000)  # fmt: skip
