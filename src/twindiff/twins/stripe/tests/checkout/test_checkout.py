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


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (
            "https://shop.example/ありがとう?a=ü",
            "https://shop.example/%E3%81%82%E3%82%8A%E3%81%8C%E3%81%A8%E3%81%86?a=%C3%BC",
        ),
        ("https://münchen.example/ok", "https://xn--mnchen-3ya.example/ok"),
    ],
)
def test_who_has_paid_is_sent_to_an_address_of_any_letters(stripe, prices, browser, given, sent):
    wanted = {"line_items": [{"price": prices["once"], "quantity": 1}], "success_url": given}
    session = stripe.post("checkout/sessions", mode="payment", **wanted)
    paid = browser(session["url"], email="ada@shop.example", **CARD)
    assert (paid.status_code, paid.headers["Location"]) == (303, sent)


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
    error = stripe.error("POST", f"checkout/sessions/{session['id']}/expire")
    only_open = 'Only Checkout Sessions with a status in ["open"] can be expired.'
    assert error["message"] == f"{only_open} This Checkout Session has a status of `expired`."
    assert "code" not in error


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"success_url": ""}, "success_url"),
        ({"success_url": "shop.example"}, "success_url"),
        ({"mode": "subscription"}, "line_items"),
        ({"customer": "cus_none"}, "customer"),
        ({"expires_at": 5}, "expires_at"),
        ({"line_items": [{"price": "price_none", "quantity": 1}]}, "line_items[0][price]"),
        ({"discounts": [{"coupon": "none"}]}, "discounts[0][coupon]"),
    ],
)
def test_a_session_is_checked(stripe, prices, change, param):
    items = [{"price": prices["once"], "quantity": 1}]
    wanted = {"mode": "payment", "line_items": items, "success_url": "https://shop.example"}
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


HOME = {"name": "Ada", "line1": "1 Main Street", "city": "Springfield", "country": "US"}


def typed(**parts):
    """A form's fields in brackets: `typed(shipping={"city": "Rome"})`."""
    return {f"{name}[{key}]": value for name, values in parts.items() for key, value in values.items()}


class TestPromotionCodes:
    """https://docs.stripe.com/payments/checkout/discounts"""

    @pytest.fixture
    def code(self, stripe):
        coupon = stripe.post("coupons", percent_off=20, duration="once")["id"]
        return stripe.post("promotion_codes", promotion={"type": "coupon", "coupon": coupon}, code="MUGS")["id"]

    @pytest.mark.parametrize("mode", ["payment", "subscription"])
    def test_one_that_is_typed_takes_its_coupon_off(self, stripe, prices, browser, code, mode):
        price = prices["once" if mode == "payment" else "again"]
        session = opened(stripe, price, mode, allow_promotion_codes=True)
        assert "Promotion code" in browser(session["url"]).text
        paid = browser(session["url"], email="ada@shop.example", promotion_code="mugs", **CARD)
        assert paid.status_code == 303, paid.text
        done = stripe.get(f"checkout/sessions/{session['id']}")
        assert done["amount_total"] == session["amount_total"] * 8 // 10
        assert done["discounts"][0]["promotion_code"] == code
        assert stripe.get("charges")["data"][0]["amount"] == done["amount_total"]
        assert stripe.get(f"promotion_codes/{code}")["times_redeemed"] == 1

    def test_one_that_nobody_knows_is_told(self, stripe, prices, browser, code):
        session = opened(stripe, prices["once"], "payment", allow_promotion_codes=True)
        assert "This code is invalid." in browser(session["url"], email="a@b.c", promotion_code="CUPS", **CARD).text
        assert stripe.get("charges")["data"] == []

    def test_none_is_taken_where_the_shop_takes_none(self, stripe, prices, browser, code):
        session = opened(stripe, prices["once"], "payment")
        browser(session["url"], email="ada@shop.example", promotion_code="MUGS", **CARD)
        assert stripe.get("charges")["data"][0]["amount"] == 3000


class TestShipping:
    """https://docs.stripe.com/payments/during-payment/charge-shipping"""

    @pytest.fixture
    def session(self, stripe, prices):
        fast = stripe.post("shipping_rates", display_name="Fast", fixed_amount={"amount": 900, "currency": "usd"})["id"]
        slow = {"display_name": "Slow", "fixed_amount": {"amount": 500, "currency": "usd"}}
        options = [{"shipping_rate_data": slow}, {"shipping_rate": fast}]
        where = {"allowed_countries": ["US", "CA"]}
        made = opened(stripe, prices["once"], "payment", shipping_options=options, shipping_address_collection=where)
        return {**made, "fast": fast}

    def test_the_first_way_is_chosen_until_the_customer_chooses(self, session):
        assert (session["amount_total"], session["total_details"]["amount_shipping"]) == (3500, 500)
        assert session["shipping_cost"]["shipping_rate"] == session["shipping_options"][0]["shipping_rate"]

    def test_what_is_chosen_is_paid_and_sent_to_the_address(self, stripe, session, browser):
        form = {"email": "ada@shop.example", "shipping_rate": session["fast"], **typed(shipping=HOME), **CARD}
        assert browser(session["url"], **form).status_code == 303
        wanted = ["payment_intent", "shipping_cost.shipping_rate"]
        done = stripe.get(f"checkout/sessions/{session['id']}", expand=wanted)
        assert (done["amount_total"], done["shipping_cost"]["shipping_rate"]["display_name"]) == (3900, "Fast")
        assert done["collected_information"]["shipping_details"]["address"]["line1"] == "1 Main Street"
        assert done["payment_intent"]["shipping"]["name"] == "Ada"
        assert done["payment_intent"]["amount"] == 3900

    @pytest.mark.parametrize(
        ("home", "said"),
        [
            ({**HOME, "country": "FR"}, "does not ship"),
            ({**HOME, "line1": ""}, "address is incomplete"),
            ({}, "incomplete"),
        ],
    )
    def test_an_address_must_be_whole_and_near(self, stripe, session, browser, home, said):
        assert said in browser(session["url"], email="a@b.c", **typed(shipping=home), **CARD).text
        assert stripe.get("charges")["data"] == []

    def test_rates_are_kept_changed_and_listed(self, stripe, session):
        rate = session["fast"]
        assert stripe.post(f"shipping_rates/{rate}", active=False, metadata={"by": "air"})["metadata"] == {"by": "air"}
        assert [each["id"] for each in stripe.get("shipping_rates", active=False)["data"]] == [rate]
        assert stripe.get(f"shipping_rates/{rate}")["fixed_amount"] == {"amount": 900, "currency": "usd"}

    def test_a_rate_that_is_not_active_is_not_offered(self, stripe, session, prices):
        stripe.post(f"shipping_rates/{session['fast']}", active=False)
        items = [{"price": prices["once"], "quantity": 1}]
        asked = {"mode": "payment", "line_items": items, "success_url": "https://shop.example"}
        asked["shipping_options"] = [{"shipping_rate": session["fast"]}]
        assert stripe.error("POST", "checkout/sessions", **asked)["param"] == "shipping_options[0][shipping_rate]"


class TestCustomFields:
    """https://docs.stripe.com/payments/checkout/custom-fields"""

    FIELDS = (
        {"key": "engraving", "label": {"type": "custom", "custom": "Engraving"}, "type": "text",
         "text": {"maximum_length": 5}},
        {"key": "size", "label": {"type": "custom", "custom": "Size"}, "type": "dropdown",
         "dropdown": {"options": [{"label": "Small", "value": "s"}, {"label": "Large", "value": "l"}]}},
        {"key": "tax", "label": {"type": "custom", "custom": "Tax number"}, "type": "numeric", "optional": True},
    )  # fmt: skip

    @pytest.fixture
    def session(self, stripe, prices):
        return opened(stripe, prices["once"], "payment", custom_fields=list(self.FIELDS))

    def test_what_is_typed_is_kept(self, stripe, session, browser):
        shown = browser(session["url"]).text
        assert "Engraving" in shown
        assert '<option value="l">Large</option>' in shown
        form = {"email": "ada@shop.example", **typed(custom={"engraving": "A.", "size": "l"}), **CARD}
        assert browser(session["url"], **form).status_code == 303
        fields = stripe.get(f"checkout/sessions/{session['id']}")["custom_fields"]
        assert [each[each["type"]]["value"] for each in fields] == ["A.", "l", None]

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"size": "s"}, "Engraving is required."),
            ({"engraving": "Adelaide", "size": "s"}, "Engraving is invalid."),
            ({"engraving": "A.", "size": "xl"}, "Size is invalid."),
            ({"engraving": "A.", "size": "s", "tax": "x"}, "Tax number is invalid."),
        ],
    )
    def test_what_does_not_fit_is_told(self, stripe, session, browser, given, said):
        assert said in browser(session["url"], email="a@b.c", **typed(custom=given), **CARD).text
        assert stripe.get("charges")["data"] == []

    @pytest.mark.parametrize(
        ("fields", "param"),
        [
            ([FIELDS[0], FIELDS[0]], "custom_fields[1][key]"),
            ([{**FIELDS[0], "key": "a b"}], "custom_fields[0][key]"),
            ([{**FIELDS[1], "type": "dropdown", "dropdown": ""}], "custom_fields[0][dropdown]"),
        ],
    )
    def test_fields_that_cannot_be_are_refused(self, stripe, prices, fields, param):
        items = [{"price": prices["once"], "quantity": 1}]
        asked = {"mode": "payment", "line_items": items, "success_url": "https://shop.example"}
        refused = stripe.error("POST", "checkout/sessions", **asked, custom_fields=fields)
        assert refused["param"] == param


def test_a_session_keeps_the_settings_of_its_page(stripe, prices):
    customer = stripe.post("customers")["id"]
    settings = {
        "custom_text": {"submit": {"message": "Thank you"}},
        "saved_payment_method_options": {"payment_method_save": "enabled"},
        "payment_method_options": {"card": {"setup_future_usage": "on_session"}},
        "after_expiration": {"recovery": {"enabled": True}},
        "tax_id_collection": {"enabled": True},
        "automatic_tax": {"enabled": False},
        "customer_update": {"address": "auto", "name": "auto"},
    }
    session = opened(stripe, prices["once"], "payment", customer=customer, **settings)
    assert session["custom_text"]["submit"] == {"message": "Thank you"}
    assert session["saved_payment_method_options"]["payment_method_save"] == "enabled"
    assert session["payment_method_options"]["card"]["setup_future_usage"] == "on_session"
    assert session["after_expiration"]["recovery"]["enabled"] is True
    assert session["tax_id_collection"] == {"enabled": True, "required": "never"}


def test_a_page_asks_for_a_phone_number_and_for_agreeing(stripe, prices, browser):
    asks = {"phone_number_collection": {"enabled": True}, "consent_collection": {"terms_of_service": "required"}}
    session = opened(stripe, prices["once"], "payment", customer_creation="always", **asks)
    assert "Phone number" in browser(session["url"]).text
    typed = {"email": "ada@shop.example", **CARD}
    assert "phone number is incomplete" in browser(session["url"], **typed).text
    assert "agree to the terms" in browser(session["url"], phone="+15555550100", **typed).text
    assert browser(session["url"], phone="+15555550100", terms="accepted", **typed).status_code == 303
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["customer"])
    assert (done["customer_details"]["phone"], done["customer"]["phone"]) == ("+15555550100", "+15555550100")
    assert done["consent"] == {"promotions": None, "terms_of_service": "accepted"}


def test_settings_that_the_page_cannot_honour_are_refused(stripe, prices):
    wanted = {"mode": "payment", "line_items": [{"price": prices["once"], "quantity": 1}], "success_url": "https://a.b"}
    error = stripe.error("POST", "checkout/sessions", 400, **wanted, customer_update={"name": "auto"})
    assert error["param"] == "customer_update"


def test_a_payment_has_an_invoice_where_the_session_says_so(stripe, prices, browser):
    rate = stripe.post("shipping_rates", display_name="Post", fixed_amount={"amount": 500, "currency": "usd"})["id"]
    off = stripe.post("coupons", percent_off=10, duration="once", max_redemptions=2)["id"]
    said = {"description": "Order 6735", "metadata": {"order": "6735"}}
    session = opened(
        stripe, prices["once"], "payment", invoice_creation={"enabled": True, "invoice_data": said},
        shipping_options=[{"shipping_rate": rate}], discounts=[{"coupon": off}],
    )  # fmt: skip
    browser(session["url"], email="ada@shop.example", **CARD)
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["invoice.payments", "payment_intent"])
    invoice = done["invoice"]
    assert (invoice["status"], invoice["total"], invoice["amount_shipping"]) == ("paid", 3200, 500)
    assert (invoice["description"], invoice["metadata"]) == ("Order 6735", {"order": "6735"})
    assert invoice["payments"]["data"][0]["payment"]["payment_intent"] == done["payment_intent"]["id"]
    assert len(stripe.get("payment_intents")["data"]) == 1
    assert stripe.get(f"coupons/{off}")["times_redeemed"] == 1


def test_a_payment_has_what_the_session_says_of_it(stripe, prices, browser):
    seller = stripe.post("accounts", type="express", country="US")["id"]
    home = {"name": "Ada", "address": {"line1": "1 Main St", "country": "US"}}
    data = {"shipping": home, "transfer_data": {"destination": seller}, "application_fee_amount": 100}
    session = opened(stripe, prices["once"], "payment", payment_intent_data=data)
    browser(session["url"], email="ada@shop.example", **CARD)
    paid = stripe.get("payment_intents", expand=["data.latest_charge"])["data"][0]
    assert (paid["shipping"]["name"], paid["latest_charge"]["application_fee"][:4]) == ("Ada", "fee_")
    unknown = {"transfer_data": {"destination": "acct_none"}}
    items = [{"price": prices["once"], "quantity": 1}]
    wanted = {"mode": "payment", "line_items": items, "success_url": "https://shop.example"}
    error = stripe.error("POST", "checkout/sessions", **wanted, payment_intent_data=unknown)
    assert error["param"] == "payment_intent_data[transfer_data][destination]"


def shown_as(prices, **more):
    return {"mode": "payment", "line_items": [{"price": prices["once"], "quantity": 1}], **more}


@pytest.mark.parametrize(
    ("version", "mode"), [("2026-08-26.dahlia", "embedded_page"), ("2025-04-30.basil", "embedded")]
)
def test_an_embedded_session_has_a_secret_and_returns(stripe, prices, browser, version, mode):
    wanted = shown_as(prices, ui_mode=mode, return_url="https://shop.example/r?s={CHECKOUT_SESSION_ID}")
    made = stripe.http("POST", "checkout/sessions", headers={"Stripe-Version": version}, **wanted).json()
    assert (made["ui_mode"], made["url"], made["redirect_on_completion"]) == (mode, None, "always")
    assert made["client_secret"].startswith(f"{made['id']}_secret_")
    hosted = opened(stripe, prices["once"], "payment")
    paid = browser(hosted["url"].replace(hosted["id"], made["id"]), email="ada@shop.example", **CARD)
    assert paid.headers["location"] == f"https://shop.example/r?s={made['id']}"
    assert stripe.get(f"checkout/sessions/{made['id']}")["payment_status"] == "paid"


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"ui_mode": "embedded_page"}, "return_url"),
        ({"ui_mode": "embedded_page", "success_url": "https://shop.example"}, "success_url"),
        ({"success_url": "https://shop.example", "return_url": "https://shop.example"}, "return_url"),
        ({"ui_mode": "embedded", "return_url": "https://shop.example"}, "ui_mode"),
    ],
)
def test_each_way_to_show_a_session_has_its_addresses(stripe, prices, more, param):
    assert stripe.error("POST", "checkout/sessions", **shown_as(prices, **more))["param"] == param


def test_a_setup_session_names_its_intent(stripe, browser):
    data = {"description": "For later", "metadata": {"a": "b"}}
    wanted = {"mode": "setup", "currency": "usd", "success_url": "https://shop.example", "setup_intent_data": data}
    session = stripe.post("checkout/sessions", **wanted)
    browser(session["url"], email="ada@shop.example", **CARD)
    done = stripe.get(f"checkout/sessions/{session['id']}", expand=["setup_intent"])["setup_intent"]
    assert (done["status"], done["description"], done["metadata"]) == ("succeeded", "For later", {"a": "b"})


def test_a_session_has_discounts_or_asks_for_a_code(stripe, prices):
    half = stripe.post("coupons", percent_off=50, duration="once")["id"]
    wanted = {"success_url": "https://shop.example", "discounts": [{"coupon": half}], "allow_promotion_codes": True}
    refused = stripe.error("POST", "checkout/sessions", **shown_as(prices, **wanted))
    assert refused["param"] == "allow_promotion_codes"


def test_a_link_asks_for_what_it_says_and_is_used_up(stripe, prices, browser):
    field = {"key": "name", "label": {"type": "custom", "custom": "Engraving"}, "type": "text"}
    link = stripe.post(
        "payment_links",
        line_items=[{"price": prices["once"], "quantity": 1}],
        custom_fields=[field],
        custom_text={"submit": {"message": "Thanks"}},
        phone_number_collection={"enabled": True},
        restrictions={"completed_sessions": {"limit": 1}},
        tax_id_collection={"enabled": True},
    )
    assert (link["phone_number_collection"]["enabled"], link["custom_text"]["submit"]) == (True, {"message": "Thanks"})
    assert "Engraving" in browser(link["url"]).text
    typed = {"email": "ada@shop.example", "phone": "+15550100", "custom[name]": "Ada", **CARD}
    browser(link["url"], **typed)
    (session,) = stripe.get("checkout/sessions", payment_link=link["id"])["data"]
    assert (session["status"], session["custom_fields"][0]["text"]["value"]) == ("complete", "Ada")
    used = stripe.get(f"payment_links/{link['id']}")
    assert (used["active"], used["restrictions"]["completed_sessions"]) == (False, {"count": 1, "limit": 1})


def test_a_link_sends_things_where_it_may(stripe, prices, browser):
    cost = {"amount": 500, "currency": "usd"}
    rate = stripe.post("shipping_rates", display_name="Ground", type="fixed_amount", fixed_amount=cost)["id"]
    link = stripe.post(
        "payment_links",
        line_items=[{"price": prices["once"], "quantity": 1}],
        shipping_address_collection={"allowed_countries": ["US"]},
        shipping_options=[{"shipping_rate": rate}],
    )
    assert link["shipping_options"] == [{"shipping_amount": 500, "shipping_rate": rate}]
    changed = stripe.post(f"payment_links/{link['id']}", shipping_address_collection="")
    assert changed["shipping_address_collection"] is None
    assert "Ground" in browser(link["url"]).text


def test_a_session_with_a_trial_asks_for_nothing_now(stripe, prices):
    session = opened(stripe, prices["again"], "subscription", subscription_data={"trial_period_days": 7})
    assert (session["amount_total"], session["amount_subtotal"], session["currency"]) == (0, 0, "usd")


def test_a_payment_link_says_what_its_invoices_and_subscriptions_have(stripe, prices):
    made = stripe.post("payment_links", line_items=[{"price": prices["once"], "quantity": 1}])
    assert (made["invoice_creation"]["enabled"], made["invoice_creation"]["invoice_data"]["metadata"]) == (False, {})
    assert made["subscription_data"]["invoice_settings"] == {"issuer": {"type": "self"}}
    invoices = {"enabled": True, "invoice_data": {"footer": "Thanks"}}
    changed = stripe.post(f"payment_links/{made['id']}", invoice_creation=invoices)
    assert (changed["invoice_creation"]["enabled"], changed["invoice_creation"]["invoice_data"]["footer"]) == (
        True,
        "Thanks",
    )
    back = {"type": "redirect", "redirect": {"url": "shop.example"}}
    error = stripe.error("POST", f"payment_links/{made['id']}", after_completion=back)
    assert (error["code"], error["param"]) == ("url_invalid", "after_completion[redirect][url]")


def test_a_quote_is_shown_with_its_tax_rates(stripe):
    rate = stripe.post("tax_rates", display_name="VAT", percentage=19, inclusive=False)["id"]
    made = stripe.post("quotes", default_tax_rates=[rate], expand=["default_tax_rates"])
    assert made["default_tax_rates"][0]["display_name"] == "VAT"
