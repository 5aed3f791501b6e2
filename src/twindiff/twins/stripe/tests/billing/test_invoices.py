"""Invoices by hand: drafts and their lines, payments, ends, taxes, discounts, balances."""

import pytest


@pytest.fixture
def customer(stripe):
    made = stripe.post("customers", email="ada@shop.example")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=made)["id"]
    stripe.post(f"customers/{made}", invoice_settings={"default_payment_method": method})
    return made


def draft(stripe, customer, *amounts, **more):
    for amount in amounts:
        stripe.post("invoiceitems", customer=customer, amount=amount, currency="usd")
    wanted = {"pending_invoice_items_behavior": "include", **more}
    return stripe.post("invoices", customer=customer, **wanted)


def test_what_waits_is_billed_and_paid(stripe, customer):
    made = draft(stripe, customer, 1500, 500)
    assert (made["status"], made["total"], made["lines"]["total_count"]) == ("draft", 2000, 2)
    final = stripe.post(f"invoices/{made['id']}/finalize")
    assert (final["status"], final["amount_remaining"]) == ("open", 2000)
    assert final["number"].endswith("-0001")
    paid = stripe.post(f"invoices/{made['id']}/pay", expand=["payments.data.payment.payment_intent"])
    assert (paid["status"], paid["amount_paid"], paid["amount_remaining"]) == ("paid", 2000, 0)
    assert paid["payments"]["data"][0]["payment"]["payment_intent"]["amount_received"] == 2000
    told = [each["type"] for each in stripe.get("events", types=["invoice.paid", "invoice_payment.paid"])["data"]]
    assert sorted(told) == ["invoice.paid", "invoice_payment.paid"]


def test_pending_items_stay_out_unless_they_are_asked_for(stripe, customer):
    stripe.post("invoiceitems", customer=customer, amount=500, currency="usd")
    made = stripe.post("invoices", customer=customer)
    assert made["lines"]["data"] == []
    assert len(stripe.get("invoiceitems", customer=customer, pending=True)["data"]) == 1


def test_lines_come_newest_first_in_pages(stripe, customer):
    made = draft(stripe, customer, *range(100, 1300, 100))
    assert made["lines"]["has_more"] is True
    assert [line["amount"] for line in made["lines"]["data"]][:2] == [1200, 1100]
    rest = stripe.get(f"invoices/{made['id']}/lines", starting_after=made["lines"]["data"][-1]["id"])
    assert [line["amount"] for line in rest["data"]] == [200, 100]


def test_an_item_may_be_changed_until_its_invoice_is_final(stripe, customer):
    made = draft(stripe, customer)
    item = stripe.post("invoiceitems", customer=customer, amount=700, currency="usd", invoice=made["id"])
    stripe.post(f"invoiceitems/{item['id']}", amount=900)
    assert stripe.get(f"invoices/{made['id']}")["total"] == 900
    stripe.post(f"invoices/{made['id']}/finalize")
    assert "finalized invoice" in stripe.error("POST", f"invoiceitems/{item['id']}", amount=1)["message"]
    assert "finalized invoice" in stripe.error("DELETE", f"invoiceitems/{item['id']}")["message"]


def test_events_of_an_invoice_show_the_lines_that_it_had_then(stripe, customer):
    made = draft(stripe, customer)
    item = stripe.post("invoiceitems", customer=customer, amount=700, currency="usd", invoice=made["id"])
    stripe.post(f"invoiceitems/{item['id']}", amount=900)
    told = [each["data"]["object"] for each in stripe.get("events", type="invoice.updated")["data"]]
    assert [[line["amount"] for line in each["lines"]["data"]] for each in told] == [[900], [700]]
    assert told[0] == stripe.get(f"invoices/{made['id']}")


def test_events_of_an_invoice_show_the_tax_rates_that_it_had_then(stripe, customer):
    rate = stripe.post("tax_rates", display_name="VAT", percentage=19, inclusive=False)
    made = draft(stripe, customer, 1000, default_tax_rates=[rate["id"]])
    stripe.post(f"tax_rates/{rate['id']}", display_name="Sales tax")
    (told,) = stripe.get("events", type="invoice.created")["data"]
    assert told["data"]["object"] == made
    assert made["default_tax_rates"] == [rate]


def test_a_deleted_item_leaves_its_draft(stripe, customer):
    made = draft(stripe, customer, 300, 400)
    (item, _) = stripe.get("invoiceitems", customer=customer)["data"]
    stripe.delete(f"invoiceitems/{item['id']}")
    assert stripe.get(f"invoices/{made['id']}")["total"] == 300


def test_a_deleted_draft_keeps_its_items_from_being_billed(stripe, customer):
    made = draft(stripe, customer, 300)
    (item,) = stripe.get("invoiceitems", customer=customer)["data"]
    assert stripe.delete(f"invoices/{made['id']}")["deleted"] is True
    assert stripe.get("invoiceitems", customer=customer, pending=True)["data"] == []
    for refused in (stripe.error("POST", f"invoiceitems/{item['id']}", amount=5),
                    stripe.error("DELETE", f"invoiceitems/{item['id']}")):  # fmt: skip
        assert refused["message"] == "This invoice item has been deleted."
    assert stripe.error("GET", f"invoices/{made['id']}", 404)["param"] == "invoice"


def test_an_invoice_too_small_to_charge_rolls_to_the_balance(stripe, customer):
    made = draft(stripe, customer, 1)
    final = stripe.post(f"invoices/{made['id']}/finalize")
    assert (final["status"], final["amount_due"], final["ending_balance"]) == ("paid", 0, 1)
    assert stripe.get(f"customers/{customer}")["balance"] == 1


def test_credit_is_taken_up_and_given_back_when_the_invoice_is_voided(stripe, customer):
    stripe.post(f"customers/{customer}/balance_transactions", amount=-800, currency="usd")
    made = draft(stripe, customer, 2000)
    assert (made["starting_balance"], made["amount_due"]) == (-800, 1200)
    stripe.post(f"invoices/{made['id']}/finalize")
    assert stripe.get(f"customers/{customer}")["balance"] == 0
    voided = stripe.post(f"invoices/{made['id']}/void")
    assert (voided["status"], voided["amount_remaining"]) == ("void", 1200)
    assert stripe.get(f"customers/{customer}")["balance"] == -800


def test_a_balance_that_changes_while_an_invoice_is_a_draft_counts(stripe, customer):
    made = draft(stripe, customer, 2000)
    stripe.post(f"customers/{customer}/balance_transactions", amount=-800, currency="usd")
    assert stripe.get(f"invoices/{made['id']}")["amount_due"] == 2000
    final = stripe.post(f"invoices/{made['id']}/finalize")
    assert (final["starting_balance"], final["amount_due"], final["ending_balance"]) == (-800, 1200, 0)


def test_a_declined_card_leaves_a_failed_attempt(stripe, customer):
    made = draft(stripe, customer, 2000)
    bad = stripe.post("payment_methods/pm_card_chargeCustomerFail/attach", customer=customer)["id"]
    refused = stripe.error("POST", f"invoices/{made['id']}/pay", 402, payment_method=bad)
    assert refused["code"] == "card_declined"
    seen = stripe.get(f"invoices/{made['id']}")
    assert (seen["status"], seen["attempt_count"], seen["attempted"]) == ("open", 1, True)
    assert stripe.post(f"invoices/{made['id']}/pay")["status"] == "paid"


def test_an_invoice_may_be_paid_elsewhere(stripe, customer):
    made = draft(stripe, customer, 2000)
    paid = stripe.post(f"invoices/{made['id']}/pay", paid_out_of_band=True)
    assert (paid["status"], paid["amount_paid"]) == ("paid", 2000)
    assert stripe.get("charges")["data"] == []


@pytest.mark.parametrize(
    ("first", "then"),
    [("finalize", "finalize"), ("pay", "pay"), ("pay", "void"), ("void", "pay"), ("void", "mark_uncollectible")],
)
def test_what_is_over_is_over(stripe, customer, first, then):
    made = draft(stripe, customer, 2000)
    stripe.post(f"invoices/{made['id']}/finalize")
    if first != "finalize":
        stripe.post(f"invoices/{made['id']}/{first}")
    assert stripe.error("POST", f"invoices/{made['id']}/{then}")["message"]


def test_an_invoice_that_is_sent_has_a_due_date(stripe, customer):
    assert (
        "due_date" in stripe.error("POST", "invoices", customer=customer, collection_method="send_invoice")["message"]
    )
    made = draft(stripe, customer, 2000, collection_method="send_invoice", days_until_due=30)
    assert made["due_date"] == made["created"] + 30 * 86400
    sent = stripe.post(f"invoices/{made['id']}/send")
    assert (sent["status"], sent["hosted_invoice_url"] is not None) == ("open", True)
    assert stripe.get("events", type="invoice.sent")["data"]


def test_an_uncollectible_invoice_may_still_be_paid(stripe, customer):
    made = draft(stripe, customer, 2000)
    stripe.post(f"invoices/{made['id']}/finalize")
    assert stripe.post(f"invoices/{made['id']}/mark_uncollectible")["status"] == "uncollectible"
    assert stripe.post(f"invoices/{made['id']}/pay")["status"] == "paid"


def test_taxes_are_added_or_are_within(stripe, customer):
    vat = stripe.post("tax_rates", display_name="VAT", percentage=20, inclusive=True)["id"]
    sales = stripe.post("tax_rates", display_name="Sales", percentage=10, inclusive=False)["id"]
    stripe.post("invoiceitems", customer=customer, amount=1200, currency="usd", tax_rates=[vat])
    made = draft(stripe, customer, 1000, default_tax_rates=[sales])
    assert (made["subtotal"], made["subtotal_excluding_tax"]) == (2200, 2000)
    assert (made["total"], made["total_excluding_tax"]) == (2300, 2000)
    assert sorted((tax["tax_behavior"], tax["amount"]) for tax in made["total_taxes"]) == [
        ("exclusive", 100),
        ("inclusive", 200),
    ]


def test_discounts_are_shared_by_the_lines(stripe, customer):
    coupon = stripe.post("coupons", amount_off=100, currency="usd", duration="once")["id"]
    made = draft(stripe, customer, 333, 667, discounts=[{"coupon": coupon}])
    assert made["total"] == 900
    offs = [line["discount_amounts"][0]["amount"] for line in made["lines"]["data"]]
    assert sum(offs) == 100
    assert made["total_discount_amounts"][0]["amount"] == 100


@pytest.mark.parametrize(
    ("wanted", "param"),
    [
        ({}, "customer"),
        ({"customer": "cus_none"}, "customer"),
        ({"customer": "OWN", "currency": "xxx"}, "currency"),
        ({"customer": "OWN", "default_tax_rates": ["txr_none"]}, "default_tax_rates[0]"),
        ({"customer": "OWN", "subscription": "sub_none"}, "subscription"),
    ],
)
def test_an_invoice_is_checked(stripe, customer, wanted, param):
    given = {name: customer if value == "OWN" else value for name, value in wanted.items()}
    assert stripe.error("POST", "invoices", **given)["param"] == param


def test_lines_are_put_on_a_draft_several_at_once(stripe):
    customer = stripe.post("customers")["id"]
    product = stripe.post("products", name="Mug")["id"]
    price = stripe.post("prices", product=product, currency="usd", unit_amount=700)["id"]
    waits = stripe.post("invoiceitems", customer=customer, amount=50, currency="usd")["id"]
    draft = stripe.post("invoices", customer=customer, pending_invoice_items_behavior="exclude")["id"]
    lines = [
        {"amount": 100, "description": "Fee"},
        {"pricing": {"price": price}, "quantity": 2},
        {"invoice_item": waits},
    ]
    added = stripe.post(f"invoices/{draft}/add_lines", lines=lines)
    assert (added["total"], sorted(each["amount"] for each in added["lines"]["data"])) == (1550, [50, 100, 1400])
    again = stripe.error("POST", f"invoices/{draft}/add_lines", 400, lines=[{"invoice_item": waits}])
    assert again["param"] == "lines[0][invoice_item]"
    stripe.post(f"invoices/{draft}/finalize")
    refused = stripe.error("POST", f"invoices/{draft}/add_lines", 400, lines=[{"amount": 1}])
    assert refused["code"] == "invoice_not_editable"


def test_credit_that_pays_a_part_is_applied(stripe, customer):
    stripe.post(f"customers/{customer}/balance_transactions", amount=-400, currency="usd")
    made = draft(stripe, customer, 1000)
    final = stripe.post(f"invoices/{made['id']}/finalize")
    assert (final["amount_due"], final["starting_balance"], final["ending_balance"]) == (600, -400, 0)
    applied = stripe.get(f"customers/{customer}/balance_transactions")["data"][0]
    assert (applied["type"], applied["amount"]) == ("applied_to_invoice", 400)


def test_a_discount_of_an_item_is_taken_off_once(stripe, customer):
    fifth = stripe.post("coupons", percent_off=20, duration="once")["id"]
    wanted = {"customer": customer, "amount": 1000, "currency": "usd", "discounts": [{"coupon": fifth}]}
    stripe.post("invoiceitems", **wanted)
    made = draft(stripe, customer, 500, discounts=[{"coupon": fifth}])
    assert (made["subtotal"], made["total"]) == (800 + 500, 800 - 160 + 400)


def test_an_item_by_amount_has_a_price_of_its_own(stripe, customer):
    item = stripe.post("invoiceitems", customer=customer, amount=700, currency="usd", description="Fee")
    assert item["pricing"]["price_details"]["price"].startswith("price_")
    assert (item["pricing"]["type"], item["pricing"]["unit_amount_decimal"]) == ("price_details", "700")
    line = draft(stripe, customer)["lines"]["data"][0]
    assert (line["pricing"], line["amount"]) == (item["pricing"], 700)


def test_only_automatic_attempts_count_after_the_first(stripe, customer):
    bad = stripe.post("payment_methods/pm_card_chargeCustomerFail/attach", customer=customer)["id"]
    made = stripe.post(f"invoices/{draft(stripe, customer, 900)['id']}/finalize")
    path = f"invoices/{made['id']}"
    for _ in range(2):
        stripe.error("POST", f"{path}/pay", 402, payment_method=bad)
    assert stripe.get(path)["attempt_count"] == 1
    assert stripe.post(f"{path}/pay")["attempt_count"] == 1


def test_a_final_invoice_keeps_what_it_says(stripe, customer):
    path = f"invoices/{draft(stripe, customer, 900)['id']}"
    stripe.post(f"{path}/finalize")
    for late in ({"description": "Late"}, {"footer": "Late"}, {"statement_descriptor": "LATE"}):
        assert stripe.error("POST", path, **late)["message"] == "Finalized invoices can't be updated in this way"
    assert stripe.post(path, metadata={"order": "7"})["metadata"] == {"order": "7"}


def test_what_is_charged_automatically_is_not_sent(stripe, customer):
    made = draft(stripe, customer, 900)
    error = stripe.error("POST", f"invoices/{made['id']}/send")
    assert error["message"] == "You can only manually send an invoice if its collection method is 'send_invoice'."
    assert stripe.get(f"invoices/{made['id']}")["status"] == "draft"


def test_an_invoice_is_in_one_currency(stripe, customer):
    made = stripe.post("invoices", customer=customer, currency="mxn")
    error = stripe.error("POST", "invoiceitems", customer=customer, amount=1, currency="usd", invoice=made["id"])
    assert error["message"] == (
        "You cannot combine currencies on a single invoice. This invoice has invoice items currency usd that conflicts "
        "with the invoice currency mxn."
    )


def test_a_draft_that_advances_is_charged_as_soon_as_it_is_final(stripe, customer):
    made = stripe.post("invoices", customer=customer, auto_advance=True)
    assert made["next_payment_attempt"] == made["automatically_finalizes_at"] == made["created"] + 3600
    assert stripe.post(f"invoices/{made['id']}", auto_advance=False)["next_payment_attempt"] is None
    sent = stripe.post(
        "invoices", customer=customer, auto_advance=True, collection_method="send_invoice", days_until_due=3
    )
    assert sent["next_payment_attempt"] is None


@pytest.mark.parametrize(
    ("path", "given", "param"),
    [
        ("invoices", {"default_payment_method": "pm_none"}, "default_payment_method"),
        ("invoices", {"collection_method": "send_invoice", "days_until_due": -1}, "days_until_due"),
        (
            "invoices",
            {"collection_method": "send_invoice", "days_until_due": 1, "due_date": 1900000000},
            "days_until_due",
        ),
        ("invoiceitems", {"amount": 5, "unit_amount_decimal": "5"}, "amount"),
        ("invoiceitems", {"amount": 5, "subscription": "sub_none"}, "subscription"),
    ],
)
def test_an_invoice_is_for_what_is_there_and_says_one_thing(stripe, customer, path, given, param):
    assert stripe.error("POST", path, customer=customer, **given)["param"] == param
    assert stripe.get(path, customer=customer)["data"] == []


def test_a_payment_that_waits_for_the_customer_is_an_error_that_leaves_the_invoice_open(stripe, customer):
    method = stripe.post("payment_methods/pm_card_authenticationRequired/attach", customer=customer)["id"]
    path = f"invoices/{draft(stripe, customer, 1500)['id']}"
    refused = stripe.error("POST", f"{path}/pay", 402, payment_method=method, off_session=False)
    assert (refused["type"], refused["code"]) == ("card_error", "invoice_payment_intent_requires_action")
    seen = stripe.get(path, expand=["payments.data.payment.payment_intent"])
    assert seen["status"] == "open"
    assert seen["payments"]["data"][0]["payment"]["payment_intent"]["status"] == "requires_action"


def test_an_invoice_s_number_is_its_own(stripe, customer):
    first = draft(stripe, customer, 1500, number="A-1")
    assert stripe.error("POST", "invoices", customer=customer, number="A-1")["param"] == "number"
    assert stripe.post(f"invoices/{first['id']}", number="A-1")["number"] == "A-1"


def test_payments_are_listed_of_an_invoice_that_is_there(stripe):
    assert stripe.error("GET", "invoice_payments", invoice="in_1")["param"] == "invoice"


def test_an_item_that_is_not_there_is_missing_in_stripe_s_odd_words(stripe):
    error = stripe.error("GET", "invoiceitems/ii_none", 404)
    assert (error["message"], error["param"]) == ("No such Invoice Item: 'ii_none'(livemode=false)", "id")


def test_what_was_made_for_a_draft_is_deleted_with_it(stripe, customer):
    draft = stripe.post("invoices", customer=customer)["id"]
    item = stripe.post("invoiceitems", customer=customer, amount=900, currency="usd", invoice=draft)["id"]
    stripe.delete(f"invoices/{draft}")
    assert stripe.error("GET", f"invoiceitems/{item}", 404)["code"] == "resource_missing"


def test_an_invoice_of_a_subscription_takes_what_waits_for_it_alone(stripe, customer):
    month = {"currency": "usd", "recurring": {"interval": "month"}, "product_data": {"name": "Plan"}}
    items = [{"price": stripe.post("prices", **month, unit_amount=1000)["id"]}]
    sent = {"collection_method": "send_invoice", "days_until_due": 3}
    owner = stripe.post("subscriptions", customer=customer, items=items, **sent)["id"]
    stripe.post("invoiceitems", customer=customer, amount=900, currency="usd")
    stripe.post("invoiceitems", customer=customer, amount=500, currency="usd", subscription=owner)
    assert stripe.post("invoices", customer=customer, subscription=owner)["total"] == 500
    assert stripe.post("invoices", customer=customer, pending_invoice_items_behavior="include")["total"] == 900


def test_a_paid_invoice_is_not_voided(stripe):
    customer = stripe.post("customers", payment_method="pm_card_visa")
    card = stripe.get(f"customers/{customer['id']}/payment_methods")["data"][0]["id"]
    invoice = stripe.post("invoices", customer=customer["id"], default_payment_method=card)["id"]
    stripe.post("invoiceitems", customer=customer["id"], invoice=invoice, amount=500, currency="usd")
    draft = stripe.error("POST", f"invoices/{invoice}/void")["message"]
    assert draft == "You can only pass in open invoices. This invoice isn't open."
    stripe.post(f"invoices/{invoice}/pay")
    paid = stripe.error("POST", f"invoices/{invoice}/void")["message"]
    assert paid == "Invoices with `paid` payments cannot be voided."
