"""Credit notes, quotes, subscription schedules and searches of billing's objects."""

import pytest

DAY = 86400


@pytest.fixture
def customer(stripe):
    made = stripe.post("customers", email="ada@shop.example")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=made)["id"]
    stripe.post(f"customers/{made}", invoice_settings={"default_payment_method": method})
    return made


@pytest.fixture
def product(stripe):
    return stripe.post("products", name="Box")["id"]


def priced(stripe, product, amount, interval="month"):
    every = {"interval": interval} if interval else ""
    wanted = {"product": product, "currency": "usd", "unit_amount": amount}
    return stripe.post("prices", **wanted, **({"recurring": every} if every else {}))["id"]


def invoice(stripe, customer, amount, *, paid):
    stripe.post("invoiceitems", customer=customer, amount=amount, currency="usd")
    draft = stripe.post("invoices", customer=customer, pending_invoice_items_behavior="include")["id"]
    return stripe.post(f"invoices/{draft}/{'pay' if paid else 'finalize'}")


def test_less_is_to_be_paid_of_an_open_invoice(stripe, customer):
    open_ = invoice(stripe, customer, 2000, paid=False)
    note = stripe.post("credit_notes", invoice=open_["id"], amount=500)
    assert (note["type"], note["number"]) == ("pre_payment", f"{open_['number']}-CN-01")
    assert stripe.get(f"invoices/{open_['id']}")["amount_remaining"] == 1500
    stripe.post(f"credit_notes/{note['id']}/void")
    assert stripe.get(f"invoices/{open_['id']}")["amount_remaining"] == 2000
    stripe.post("credit_notes", invoice=open_["id"], lines=[
        {"type": "invoice_line_item", "invoice_line_item": open_["lines"]["data"][0]["id"]}])  # fmt: skip
    assert stripe.get(f"invoices/{open_['id']}")["status"] == "paid"


def test_money_is_given_back_of_a_paid_invoice(stripe, customer):
    paid = invoice(stripe, customer, 2000, paid=True)
    note = stripe.post("credit_notes", invoice=paid["id"], amount=900, refund_amount=400, credit_amount=500)
    assert (note["post_payment_amount"], note["refunds"][0]["amount_refunded"]) == (900, 400)
    assert stripe.get("refunds")["data"][0]["amount"] == 400
    assert stripe.get(f"customers/{customer}")["balance"] == -500
    refused = stripe.error("POST", "credit_notes", invoice=paid["id"], amount=1200, refund_amount=1200)
    assert refused["param"] == "amount"
    refused = stripe.error("POST", "credit_notes", invoice=paid["id"], amount=100, refund_amount=50)
    assert "must equal the credit note amount" in refused["message"]


def partly_paid(stripe, customer, amount, part):
    open_ = invoice(stripe, customer, amount, paid=False)
    wanted = {
        "currency": "usd",
        "customer": customer,
        "payment_method": "pm_card_visa",
        "payment_method_types": ["card"],
    }
    intent = stripe.post("payment_intents", amount=part, confirm=True, **wanted)["id"]
    return stripe.post(f"invoices/{open_['id']}/attach_payment", payment_intent=intent)


def test_a_note_takes_what_is_left_to_pay_first_and_gives_back_the_rest(stripe, customer):
    path = f"invoices/{partly_paid(stripe, customer, 2000, 600)['id']}"
    note = stripe.post("credit_notes", invoice=path[9:], amount=1700, refund_amount=300)
    assert (note["type"], note["pre_payment_amount"], note["post_payment_amount"]) == ("mixed", 1400, 300)
    seen = stripe.get(path)
    assert (seen["status"], seen["amount_due"], seen["amount_remaining"]) == ("paid", 600, 0)
    assert (seen["pre_payment_credit_notes_amount"], seen["post_payment_credit_notes_amount"]) == (1400, 300)
    assert stripe.get("refunds")["data"][0]["amount"] == 300


def test_only_what_was_paid_of_an_open_invoice_is_given_back(stripe, customer):
    part = partly_paid(stripe, customer, 2000, 600)
    refused = stripe.error("POST", "credit_notes", invoice=part["id"], amount=1000, refund_amount=300)
    assert "refund amount and out of band amount ($3.00)" in refused["message"]
    assert stripe.post("credit_notes", invoice=part["id"], amount=1000)["type"] == "pre_payment"


def test_a_refund_that_was_made_before_counts_whole_unless_a_part_is_named(stripe, customer):
    paid = invoice(stripe, customer, 2000, paid=True)
    made = stripe.post("refunds", payment_intent=_intent_of(stripe, paid["id"]), amount=700)["id"]
    note = stripe.post("credit_notes", invoice=paid["id"], amount=700, refunds=[{"refund": made}])
    assert [(each["refund"], each["amount_refunded"]) for each in note["refunds"]] == [(made, 700)]


def test_an_invoice_s_own_payment_asks_for_what_credit_notes_leave(stripe, customer):
    path = f"invoices/{invoice(stripe, customer, 2000, paid=False)['id']}"
    stripe.post("credit_notes", invoice=path[9:], amount=500)
    (own,) = stripe.get(path, expand=["payments.data.payment.payment_intent"])["payments"]["data"]
    assert (own["amount_requested"], own["payment"]["payment_intent"]["amount"]) == (1500, 1500)
    stripe.post("credit_notes", invoice=path[9:], amount=1500)
    (own,) = stripe.get(path, expand=["payments.data.payment.payment_intent"])["payments"]["data"]
    assert (own["status"], own["payment"]["payment_intent"]["status"]) == ("canceled", "canceled")


def test_a_credit_note_changes_its_invoice(stripe, customer):
    open_ = invoice(stripe, customer, 2000, paid=False)
    stripe.post("credit_notes", invoice=open_["id"], amount=500)
    told = stripe.get("events", type="invoice.updated")["data"][0]["data"]
    was = {"amount_due": 2000, "amount_remaining": 2000, "pre_payment_credit_notes_amount": 0}
    assert (told["previous_attributes"], told["object"]["amount_due"]) == (was, 1500)


def test_a_line_that_is_of_no_line_of_the_invoice_names_none(stripe, customer):
    open_ = invoice(stripe, customer, 2000, paid=False)
    lines = [{"type": "custom_line_item", "description": "Late", "unit_amount": 100, "quantity": 1}]
    (line,) = stripe.post("credit_notes", invoice=open_["id"], lines=lines)["lines"]["data"]
    assert "invoice_line_item" not in line


def test_an_accepted_quote_becomes_a_subscription(stripe, customer, product):
    items = [{"price": priced(stripe, product, 1000), "quantity": 2}]
    made = stripe.post("quotes", customer=customer, line_items=items)
    assert (made["status"], made["amount_total"]) == ("draft", 2000)
    assert made["computed"]["recurring"]["interval"] == "month"
    stripe.post(f"quotes/{made['id']}/finalize")
    accepted = stripe.post(f"quotes/{made['id']}/accept", expand=["subscription"])
    assert accepted["subscription"]["items"]["data"][0]["quantity"] == 2
    error = stripe.error("POST", f"quotes/{made['id']}/cancel")
    assert ("code" in error, error["message"]) == (False, "You cannot cancel a quote that is accepted.")


def test_an_accepted_quote_for_once_becomes_an_invoice(stripe, customer, product):
    made = stripe.post("quotes", customer=customer, line_items=[{"price": priced(stripe, product, 700, "")}])
    stripe.post(f"quotes/{made['id']}/finalize")
    accepted = stripe.post(f"quotes/{made['id']}/accept", expand=["invoice"])
    assert (accepted["invoice"]["status"], accepted["invoice"]["total"]) == ("draft", 700)


def test_a_schedule_moves_a_customer_to_yearly_at_the_end_of_the_period(stripe, product):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_769_850_000)
    customer = stripe.post("customers", test_clock=clock["id"])["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    monthly, yearly = priced(stripe, product, 1000), priced(stripe, product, 9000, "year")
    wanted = {"customer": customer, "items": [{"price": monthly}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted)
    plan = stripe.post("subscription_schedules", from_subscription=made["id"])
    (now,) = plan["phases"]
    phases = [
        {"items": [{"price": monthly, "quantity": 1}], "start_date": now["start_date"], "end_date": now["end_date"]},
        {"items": [{"price": yearly, "quantity": 1}], "duration": {"interval": "year"}},
    ]
    stripe.post(f"subscription_schedules/{plan['id']}", phases=phases)
    advanced = now["end_date"] + DAY
    stripe.post(f"test_helpers/test_clocks/{clock['id']}/advance", frozen_time=advanced)
    seen = stripe.get(f"subscriptions/{made['id']}")
    assert seen["items"]["data"][0]["price"]["id"] == yearly
    assert seen["items"]["data"][0]["current_period_end"] > now["end_date"] + 364 * DAY
    assert [each["amount_paid"] for each in stripe.get("invoices", customer=customer)["data"]] == [9000, 1000]
    released = stripe.post(f"subscription_schedules/{plan['id']}/release")
    assert (released["status"], released["released_subscription"]) == ("released", made["id"])


def test_a_schedule_begins_a_subscription(stripe, customer, product):
    phases = [{"items": [{"price": priced(stripe, product, 1000)}], "duration": {"interval": "month"}}]
    wanted = {"customer": customer, "start_date": "now", "phases": phases}
    plan = stripe.post("subscription_schedules", **wanted, end_behavior="cancel")
    assert (plan["status"], plan["phases"][0]["items"][0]["quantity"]) == ("active", 1)
    assert stripe.get(f"subscriptions/{plan['subscription']}")["schedule"] == plan["id"]
    assert stripe.post(f"subscription_schedules/{plan['id']}/cancel")["status"] == "canceled"
    assert stripe.get(f"subscriptions/{plan['subscription']}")["status"] == "canceled"


def test_billing_is_searched(stripe, customer, product):
    price = priced(stripe, product, 1000)
    stripe.post("subscriptions", customer=customer, items=[{"price": price}], metadata={"team": "a"})
    assert len(stripe.get("invoices/search", query=f'customer:"{customer}" AND status:"paid"')["data"]) == 1
    assert len(stripe.get("subscriptions/search", query='metadata["team"]:"a"')["data"]) == 1
    assert len(stripe.get("products/search", query='name~"box" AND active:"true"')["data"]) == 1
    assert len(stripe.get("prices/search", query=f'product:"{product}"')["data"]) == 1


def taxed(stripe, customer, discounts=()):
    vat = stripe.post("tax_rates", display_name="VAT", percentage=10, inclusive=False)["id"]
    stripe.post("invoiceitems", customer=customer, amount=1000, currency="usd", tax_rates=[vat])
    wanted = {"pending_invoice_items_behavior": "include", **({"discounts": [*discounts]} if discounts else {})}
    draft = stripe.post("invoices", customer=customer, **wanted)["id"]
    return stripe.post(f"invoices/{draft}/finalize")


def test_a_part_of_a_line_comes_back_with_its_tax_and_discount(stripe, customer):
    fifth = stripe.post("coupons", percent_off=20, duration="once")["id"]
    final = taxed(stripe, customer, [{"coupon": fifth}])
    assert final["total"] == 880
    lines = [{"type": "invoice_line_item", "invoice_line_item": final["lines"]["data"][0]["id"], "amount": 500}]
    note = stripe.post("credit_notes", invoice=final["id"], lines=lines)
    assert (note["subtotal"], note["discount_amount"], note["total"]) == (500, 100, 440)
    assert (note["total_excluding_tax"], note["total_taxes"][0]["amount"]) == (400, 40)
    assert note["lines"]["data"][0]["taxes"][0]["taxable_amount"] == 400
    assert stripe.get(f"invoices/{final['id']}")["amount_remaining"] == 440


def test_what_is_on_no_line_may_be_taxed(stripe, customer):
    final = taxed(stripe, customer)
    (tax,) = final["total_taxes"]
    custom = {"type": "custom_line_item", "description": "Late", "unit_amount_decimal": "100", "quantity": 2}
    lines = [{**custom, "tax_rates": [tax["tax_rate_details"]["tax_rate"]]}]
    note = stripe.post("credit_notes", invoice=final["id"], lines=lines)
    assert (note["subtotal"], note["total"], note["lines"]["data"][0]["unit_amount"]) == (200, 220, 100)


def test_a_preview_leaves_nothing(stripe, customer):
    final = taxed(stripe, customer)
    line = final["lines"]["data"][0]["id"]
    lines = [{"type": "invoice_line_item", "invoice_line_item": line, "quantity": 1}]
    preview = stripe.get("credit_notes/preview", invoice=final["id"], lines=lines)
    assert (preview["total"], preview["status"]) == (1100, "issued")
    (shown,) = stripe.get("credit_notes/preview/lines", invoice=final["id"], lines=lines)["data"]
    assert (shown["amount"], shown["invoice_line_item"]) == (1000, line)
    assert stripe.get("credit_notes")["data"] == []
    assert stripe.get(f"invoices/{final['id']}")["status"] == "open"


def test_a_preview_that_credits_the_customer_has_no_transaction(stripe, customer):
    paid = invoice(stripe, customer, 2000, paid=True)
    preview = stripe.get("credit_notes/preview", invoice=paid["id"], amount=500, credit_amount=500)
    assert (preview["post_payment_amount"], preview["customer_balance_transaction"]) == (500, None)


def test_a_quote_of_a_plan_and_a_fee_bills_both_at_once(stripe):
    product = stripe.post("products", name="Plan")["id"]
    every = {"product": product, "currency": "usd", "recurring": {"interval": "month"}}
    plan = stripe.post("prices", **every, unit_amount=2000)["id"]
    fee = stripe.post("prices", product=product, currency="usd", unit_amount=500)["id"]
    half = stripe.post("coupons", percent_off=50, duration="once")["id"]
    customer = stripe.post("customers")["id"]
    wanted = {"customer": customer, "collection_method": "send_invoice", "invoice_settings": {"days_until_due": 7}}
    items = [{"price": plan}, {"price": fee}]
    quote = stripe.post("quotes", **wanted, line_items=items, discounts=[{"coupon": half}])
    assert (quote["amount_subtotal"], quote["amount_total"]) == (2500, 1250)
    assert quote["computed"]["recurring"]["amount_total"] == 2000
    upfront = stripe.get(f"quotes/{quote['id']}/computed_upfront_line_items")["data"]
    assert [item["amount_subtotal"] for item in upfront] == [2000, 500]
    stripe.post(f"quotes/{quote['id']}/finalize")
    accepted = stripe.post(f"quotes/{quote['id']}/accept", expand=["subscription.latest_invoice"])
    invoice = accepted["subscription"]["latest_invoice"]
    assert (invoice["subtotal"], invoice["total"]) == (2500, 1250)


def test_quotes_are_numbered_by_customer_and_revision(stripe, customer, product):
    items = [{"price": priced(stripe, product, 1000), "quantity": 2}]
    prefix = stripe.get(f"customers/{customer}")["invoice_prefix"]
    first, second = (stripe.post("quotes", customer=customer, line_items=items)["id"] for _ in range(2))
    assert stripe.post(f"quotes/{first}/finalize")["number"] == f"QT-{prefix}-0001-1"
    assert stripe.post(f"quotes/{second}/finalize")["number"] == f"QT-{prefix}-0002-1"
    revision = stripe.post("quotes", from_quote={"quote": first, "is_revision": True}, description="Better")
    assert (revision["from_quote"], revision["amount_total"]) == ({"is_revision": True, "quote": first}, 2000)
    assert stripe.post(f"quotes/{revision['id']}/finalize")["number"] == f"QT-{prefix}-0001-2"
    assert stripe.get(f"quotes/{first}")["status"] == "canceled"


def test_a_quote_like_another_one_leaves_that_as_it_is(stripe, customer, product):
    items = [{"price": priced(stripe, product, 1000)}]
    made = stripe.post("quotes", customer=customer, line_items=items, header="Offer")
    copy = stripe.post("quotes", from_quote={"quote": made["id"]})
    assert (copy["header"], copy["status"], copy["from_quote"]["is_revision"]) == ("Offer", "draft", False)
    assert stripe.error("POST", "quotes", from_quote={"quote": made["id"], "is_revision": True})["param"] == (
        "from_quote[quote]"
    )
    stripe.post(f"quotes/{copy['id']}/finalize")
    assert stripe.get(f"quotes/{made['id']}")["status"] == "draft"


def test_a_quote_for_a_later_day_becomes_a_schedule(stripe, customer, product):
    day = stripe.get(f"customers/{customer}")["created"] + 10 * DAY
    wanted = {"line_items": [{"price": priced(stripe, product, 1000)}], "subscription_data": {"effective_date": day}}
    made = stripe.post("quotes", customer=customer, **wanted)
    assert made["subscription_data"]["effective_date"] == day
    stripe.post(f"quotes/{made['id']}/finalize")
    accepted = stripe.post(f"quotes/{made['id']}/accept", expand=["subscription_schedule"])
    plan = accepted["subscription_schedule"]
    assert (plan["status"], plan["phases"][0]["start_date"], accepted["subscription"]) == ("not_started", day, None)


def shipped(stripe, customer):
    """A paid invoice of 2000, and 500 for shipping."""
    rate = {"display_name": "Post", "type": "fixed_amount", "fixed_amount": {"amount": 500, "currency": "usd"}}
    rate = stripe.post("shipping_rates", **rate)["id"]
    draft = stripe.post("invoices", customer=customer, shipping_cost={"shipping_rate": rate})["id"]
    stripe.post("invoiceitems", customer=customer, invoice=draft, amount=2000, currency="usd")
    return stripe.post(f"invoices/{draft}/pay"), rate


def test_the_cost_of_shipping_is_given_back_once(stripe, customer):
    paid, rate = shipped(stripe, customer)
    cost = {"invoice": paid["id"], "shipping_cost": {"shipping_rate": rate}}
    note = stripe.post("credit_notes", **cost, refund_amount=500)
    assert (note["amount"], note["subtotal"], note["amount_shipping"]) == (500, 0, 500)
    assert (note["shipping_cost"]["shipping_rate"], note["lines"]["data"]) == (rate, [])
    assert stripe.error("POST", "credit_notes", **cost, refund_amount=500)["param"] == "shipping_cost"
    other, rate = shipped(stripe, customer)
    line = {"type": "invoice_line_item", "invoice_line_item": other["lines"]["data"][0]["id"], "amount": 300}
    both = {"invoice": other["id"], "lines": [line], "shipping_cost": {"shipping_rate": rate}}
    assert stripe.post("credit_notes", **both, credit_amount=800)["amount"] == 800


def test_a_credit_note_is_for_money_that_can_be_given_back(stripe, customer):
    paid, _ = shipped(stripe, customer)
    elsewhere = invoice(stripe, customer, 700, paid=False)["id"]
    stripe.post(f"invoices/{elsewhere}/pay", paid_out_of_band=True)
    charged = {"amount": 900, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    other = stripe.post("payment_intents", **charged, allowed_payment_method_types=["card"])["id"]
    strange = stripe.post("refunds", payment_intent=other)["id"]
    mine = stripe.post("refunds", payment_intent=_intent_of(stripe, paid["id"]), amount=400)["id"]
    for wanted, param in (
        ({"invoice": paid["id"], "amount": 100, "credit_amount": -100}, "credit_amount"),
        ({"invoice": elsewhere, "amount": 100, "refund_amount": 100}, "refund_amount"),
        ({"invoice": paid["id"], "amount": 100, "refunds": [{"refund": strange}]}, "refunds[0][refund]"),
        (
            {"invoice": paid["id"], "amount": 500, "refunds": [{"refund": mine, "amount_refunded": 500}]},
            "refunds[0][amount_refunded]",
        ),
        ({"invoice": paid["id"], "shipping_cost": {"shipping_rate": "shr_1"}}, "shipping_cost[shipping_rate]"),
    ):
        assert stripe.error("POST", "credit_notes", **wanted)["param"] == param
    linked = [{"refund": mine, "amount_refunded": 400}]
    assert stripe.post("credit_notes", invoice=paid["id"], amount=400, refunds=linked)["refunds"][0]["refund"] == mine


def _intent_of(stripe, id):
    payments = stripe.get(f"invoices/{id}", expand=["payments"])["payments"]["data"]
    return payments[0]["payment"]["payment_intent"]


def test_what_a_credit_note_gives_back_is_all_of_it(stripe):
    customer = stripe.post("customers")["id"]
    stripe.post("invoiceitems", customer=customer, amount=1000, currency="usd")
    made = stripe.post("invoices", customer=customer, pending_invoice_items_behavior="include")["id"]
    stripe.post(f"invoices/{made}/pay", paid_out_of_band=True)
    error = stripe.error("POST", "credit_notes", invoice=made, amount=200, credit_amount=100)
    said = "refund amount and out of band amount ($1.00) must equal the credit note amount ($2.00)."
    assert error["message"] == f"The sum of credit amount, {said}"


def test_a_draft_quote_keeps_the_items_that_are_named(stripe, customer, product):
    items = [{"price": priced(stripe, product, 1000), "quantity": 2}, {"price": priced(stripe, product, 500)}]
    made = stripe.post("quotes", customer=customer, line_items=items, expand=["line_items"])
    first = made["line_items"]["data"][0]["id"]
    changed = stripe.post(f"quotes/{made['id']}", line_items=[{"id": first, "quantity": 5}], expand=["line_items"])
    assert [(each["id"], each["quantity"]) for each in changed["line_items"]["data"]] == [(first, 5)]
    assert changed["amount_total"] == 5000


def test_a_quote_keeps_its_customer(stripe, customer, product):
    made = stripe.post("quotes", line_items=[{"price": priced(stripe, product, 1000)}])
    path, other = f"quotes/{made['id']}", stripe.post("customers")["id"]
    assert stripe.post(path, customer=customer)["customer"] == customer
    assert stripe.post(path, customer=customer, header="Offer")["header"] == "Offer"
    assert stripe.error("POST", path, customer=other)["param"] == "customer"
