"""Previews: what would be billed, with nothing done."""

import pytest

DAY = 86400
START = 1_769_850_000
OLD = {"Stripe-Version": "2025-02-24.acacia"}


@pytest.fixture
def made(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=START)["id"]
    customer = stripe.post("customers", test_clock=clock)["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    product = stripe.post("products", name="Box")["id"]
    wanted = {"product": product, "currency": "usd", "recurring": {"interval": "month"}}
    small, large = (stripe.post("prices", **wanted, unit_amount=amount)["id"] for amount in (1000, 3000))
    begun = {"customer": customer, "items": [{"price": small}], "default_payment_method": method}
    subscription = stripe.post("subscriptions", **begun)
    stripe.post(f"test_helpers/test_clocks/{clock}/advance", frozen_time=START + 14 * DAY)
    return {"customer": customer, "subscription": subscription, "large": large, "clock": clock}


def test_the_next_invoice_is_shown_and_not_made(stripe, made):
    seen = stripe.post("invoices/create_preview", subscription=made["subscription"]["id"])
    assert (seen["amount_due"], seen["status"], seen["billing_reason"]) == (1000, "draft", "upcoming")
    assert (seen["id"][:12], seen["webhooks_delivered_at"]) == ("upcoming_in_", None)
    assert len(stripe.get("invoices")["data"]) == 1
    assert stripe.get(f"subscriptions/{made['subscription']['id']}") == made["subscription"]


def test_a_preview_of_an_upgrade_is_what_is_billed_then(stripe, made):
    item = made["subscription"]["items"]["data"][0]["id"]
    change = {"items": [{"id": item, "price": made["large"]}], "proration_behavior": "always_invoice"}
    id = made["subscription"]["id"]
    seen = stripe.post("invoices/create_preview", subscription=id, subscription_details=change)
    stripe.post(f"subscriptions/{id}", **change)
    billed = stripe.get("invoices")["data"][0]
    assert seen["amount_due"] == billed["amount_due"] == 1000
    assert [line["amount"] for line in seen["lines"]["data"]] == [line["amount"] for line in billed["lines"]["data"]]


def test_a_preview_says_from_when_a_change_is_prorated(stripe, made):
    item, id = made["subscription"]["items"]["data"][0]["id"], made["subscription"]["id"]
    change = {"items": [{"id": item, "price": made["large"]}]}
    seen = stripe.post("invoices/create_preview", subscription=id, subscription_details=change)
    details = seen["parent"]["subscription_details"]
    assert (details["subscription"], details["subscription_proration_date"]) == (id, START + 14 * DAY)
    dated = {**change, "proration_date": START + 7 * DAY}
    seen = stripe.post("invoices/create_preview", subscription=id, subscription_details=dated)
    assert seen["parent"]["subscription_details"]["subscription_proration_date"] == START + 7 * DAY
    seen = stripe.post("invoices/create_preview", subscription=id)
    assert seen["parent"]["subscription_details"]["subscription_proration_date"] is None


def test_the_lines_of_a_preview_are_of_it(stripe, made):
    seen = stripe.post("invoices/create_preview", subscription=made["subscription"]["id"])
    assert [line["invoice"] for line in seen["lines"]["data"]] == [seen["id"]]
    assert seen["lines"]["url"] == f"/v1/invoices/{seen['id']}/lines"


def test_what_is_refused_of_a_previewed_change_is_named_as_the_preview_has_it(stripe, made):
    wanted = {"items": [{"id": "si_nope", "price": made["large"]}]}
    refused = stripe.error(
        "POST", "invoices/create_preview", subscription=made["subscription"]["id"], subscription_details=wanted
    )
    assert refused["param"] == "subscription_details[items][0][id]"


def test_a_first_invoice_is_previewed_before_there_is_a_subscription(stripe, made):
    customer = stripe.post("customers")["id"]
    details = {"items": [{"price": made["large"], "quantity": 2}]}
    seen = stripe.post("invoices/create_preview", customer=customer, subscription_details=details)
    assert seen["total"] == 6000
    assert stripe.get("subscriptions", customer=customer)["data"] == []


def test_what_nobody_would_be_billed_for_is_not_shown(stripe, made):
    customer = stripe.post("customers")["id"]
    error = stripe.error("POST", "invoices/create_preview", 404, headers=OLD, customer=customer)
    assert error["code"] == "invoice_upcoming_none"
    extra = [{"amount": 500, "currency": "usd"}]
    assert stripe.post("invoices/create_preview", customer=customer, invoice_items=extra)["total"] == 500
    assert stripe.get("invoiceitems", customer=customer)["data"] == []


def test_a_customer_alone_has_the_invoice_that_is_next_in_old_versions(stripe):
    customer = stripe.post("customers", payment_method="pm_card_visa")["id"]
    method = stripe.get("payment_methods", customer=customer)["data"][0]["id"]
    for amount, interval in ((9000, "year"), (1000, "month")):
        every = {"currency": "usd", "unit_amount": amount, "recurring": {"interval": interval}}
        price = stripe.post("prices", **every, product_data={"name": interval})["id"]
        wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
        stripe.post("subscriptions", **wanted)
    assert stripe.post("invoices/create_preview", headers=OLD, customer=customer)["total"] == 1000
    half = stripe.post("coupons", percent_off=50, duration="once")["id"]
    off = [{"coupon": half}]
    assert stripe.post("invoices/create_preview", headers=OLD, customer=customer, discounts=off)["total"] == 500
    nobody = stripe.post("customers")["id"]
    error = stripe.error("POST", "invoices/create_preview", 404, headers=OLD, customer=nobody)
    assert error["code"] == "invoice_upcoming_none"


def test_a_preview_needs_no_customer_who_is_there(stripe):
    every = {"currency": "usd", "unit_amount": 1000, "recurring": {"interval": "month"}}
    price = stripe.post("prices", **every, product_data={"name": "Box"})["id"]
    vat = stripe.post("tax_rates", display_name="VAT", percentage=20, inclusive=False)["id"]
    items = {"items": [{"price": price, "quantity": 2}], "default_tax_rates": [vat]}
    preview = stripe.post(
        "invoices/create_preview", customer_details={"tax_exempt": "none"}, subscription_details=items
    )
    assert (preview["subtotal"], preview["total"]) == (2000, 2400)
    assert stripe.get("customers")["data"] == []


def test_what_is_left_comes_back_where_a_subscription_ends_now(stripe):
    customer = stripe.post("customers", payment_method="pm_card_visa")["id"]
    method = stripe.get("payment_methods", customer=customer)["data"][0]["id"]
    every = {"currency": "usd", "unit_amount": 1000, "recurring": {"interval": "month"}}
    price = stripe.post("prices", **every, product_data={"name": "Box"})["id"]
    wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted)["id"]
    ends = {"subscription": made, "subscription_details": {"cancel_now": True}}
    assert stripe.post("invoices/create_preview", **ends)["total"] == -1000
    kept = {"subscription": made, "subscription_details": {"cancel_now": True, "proration_behavior": "none"}}
    assert stripe.post("invoices/create_preview", **kept)["total"] == 0


def test_a_customer_alone_does_not_say_what_is_to_be_seen(stripe):
    customer = stripe.post("customers")["id"]
    message = stripe.error("POST", "invoices/create_preview", customer=customer)["message"]
    assert message.startswith("You must provide at least one of: `subscription`, `schedule`,")


def test_upcoming_invoices_have_no_address_any_more(stripe):
    message = stripe.error("GET", "invoices/upcoming", 404, customer="cus_any")["message"]
    assert message.startswith("Unrecognized request URL (GET: /v1/invoices/upcoming).")


def planned(price, **more):
    return {"items": [{"price": price, "quantity": 1}], "duration": {"interval": "month"}, **more}


def test_a_schedule_is_previewed_before_it_is_made(stripe, made):
    customer = stripe.post("customers")
    begins = customer["created"] + 30 * DAY
    coupon = stripe.post("coupons", percent_off=50, duration="forever")["id"]
    details = {"phases": [planned(made["large"], start_date=begins)]}
    wanted = {"customer": customer["id"], "schedule_details": details, "discounts": [{"coupon": coupon}]}
    seen = stripe.post("invoices/create_preview", **wanted)
    assert (seen["total"], seen["status"]) == (1500, "draft")
    assert stripe.get("subscription_schedules", customer=customer["id"])["data"] == []


def test_a_schedule_that_has_not_begun_is_previewed(stripe, made):
    phases = [planned(made["large"])]
    begins = START + 20 * DAY
    schedule = stripe.post("subscription_schedules", customer=made["customer"], start_date=begins, phases=phases)
    seen = stripe.post("invoices/create_preview", schedule=schedule["id"])
    assert (seen["total"], seen["lines"]["data"][0]["period"]["start"]) == (3000, begins)
    assert stripe.get(f"subscription_schedules/{schedule['id']}") == schedule


@pytest.mark.parametrize(("behavior", "total"), [("always_invoice", 1000), ("none", 3000)])
def test_a_change_of_a_schedule_is_previewed(stripe, made, behavior, total):
    schedule = stripe.post("subscription_schedules", from_subscription=made["subscription"]["id"])
    start = schedule["current_phase"]["start_date"]
    details = {"phases": [planned(made["large"], start_date=start)], "proration_behavior": behavior}
    seen = stripe.post("invoices/create_preview", schedule=schedule["id"], schedule_details=details)
    assert seen["total"] == total
    assert stripe.get(f"subscription_schedules/{schedule['id']}") == schedule
    stripe.post(f"subscription_schedules/{schedule['id']}", **details)
    billed = stripe.get("invoices")["data"][0]
    assert (billed["total"] == total) == (behavior == "always_invoice")


@pytest.mark.parametrize(
    ("phase", "param"),
    [
        ({"start_date": 9_999_999_999_999}, "start_date"),
        ({"end_date": 9_999_999_999_999}, "phases[0][end_date]"),
        ({"duration": {"interval": "year", "interval_count": 2**50}}, "phases[0][duration][interval_count]"),
    ],
)
def test_no_phase_is_beyond_all_times(stripe, made, phase, param):
    details = {"phases": [{"items": [{"price": made["large"], "quantity": 1}], **phase}]}
    wanted = {"customer": made["customer"], "schedule_details": details}
    assert stripe.error("POST", "invoices/create_preview", **wanted)["param"] == param


def test_the_next_invoice_of_a_paused_subscription_is_that_of_its_resumption(stripe):
    month = {"currency": "usd", "recurring": {"interval": "month"}, "product_data": {"name": "Plan"}}
    items = [{"price": stripe.post("prices", **month, unit_amount=1000)["id"]}]
    made = stripe.post(
        "subscriptions", customer=stripe.post("customers")["id"], items=items, collection_method="send_invoice",
        days_until_due=3,
    )  # fmt: skip
    early = stripe.error(
        "POST", "invoices/create_preview", subscription=made["id"], subscription_details={"resume_at": "now"}
    )
    stripe.post(f"subscriptions/{made['id']}/pause")
    error = stripe.error("POST", "invoices/create_preview", subscription=made["id"])
    assert "will not generate invoices until it has been resumed" in error["message"]
    seen = stripe.post("invoices/create_preview", subscription=made["id"], subscription_details={"resume_at": "now"})
    assert (early["param"], seen["lines"]["data"][-1]["amount"]) == ("subscription_details[resume_at]", 1000)
    assert stripe.get(f"subscriptions/{made['id']}")["status"] == "paused"
