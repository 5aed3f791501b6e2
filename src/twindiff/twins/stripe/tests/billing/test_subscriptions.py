"""Subscriptions in the time of a test clock: periods, trials, prorations, failed payments, usage."""

from datetime import UTC, datetime

import pytest

DAY = 86400
START = int(datetime(2026, 1, 31, 9, tzinfo=UTC).timestamp())


def day(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


class Club:
    """A customer under a test clock, and prices."""

    def __init__(self, stripe, card="pm_card_visa"):
        self.stripe = stripe
        self.clock = stripe.post("test_helpers/test_clocks", frozen_time=START)["id"]
        self.customer = stripe.post("customers", test_clock=self.clock, email="ada@shop.example")["id"]
        if card:
            self.pay_with(card)
        self.product = stripe.post("products", name="Box")["id"]
        self.price = self.priced(1000)

    def pay_with(self, card):
        method = self.stripe.post(f"payment_methods/{card}/attach", customer=self.customer)["id"]
        settings = {"default_payment_method": method}
        self.stripe.post(f"customers/{self.customer}", invoice_settings=settings)
        return method

    def priced(self, amount, interval="month", **recurring):
        every = {"interval": interval, **recurring}
        wanted = {"product": self.product, "currency": "usd", "unit_amount": amount, "recurring": every}
        return self.stripe.post("prices", **wanted)["id"]

    def subscribe(self, **more):
        wanted = {"customer": self.customer, "items": [{"price": self.price}], **more}
        return self.stripe.post("subscriptions", **wanted)

    def until(self, moment):
        self.stripe.post(f"test_helpers/test_clocks/{self.clock}/advance", frozen_time=moment)

    def invoices(self):
        return self.stripe.get("invoices", customer=self.customer, limit=100)["data"][::-1]

    def events(self, prefix=""):
        events = self.stripe.get("events", limit=100)["data"][::-1]
        return [each["type"] for each in events if each["type"].startswith(prefix)]


@pytest.fixture
def club(stripe):
    return Club(stripe)


def test_a_month_is_renewed_on_the_day_of_its_anchor(club):
    made = club.subscribe()
    for moment in ("2026-02-28T12:00", "2026-03-31T12:00", "2026-04-30T12:00"):
        club.until(day(moment))
    reasons = [each["billing_reason"] for each in club.invoices()]
    assert reasons == ["subscription_create"] + 3 * ["subscription_cycle"]
    assert {(each["status"], each["amount_paid"]) for each in club.invoices()} == {("paid", 1000)}
    (item,) = club.stripe.get(f"subscriptions/{made['id']}")["items"]["data"]
    assert (item["current_period_start"], item["current_period_end"]) == (
        day("2026-04-30T09:00"),
        day("2026-05-31T09:00"),
    )


def test_a_renewal_is_a_draft_for_an_hour(club):
    club.subscribe()
    club.until(day("2026-02-28T09:30"))
    draft = club.invoices()[-1]
    assert (draft["status"], draft["number"], draft["amount_due"]) == ("draft", None, 1000)
    assert draft["automatically_finalizes_at"] == day("2026-02-28T10:00")
    club.until(day("2026-02-28T10:00"))
    assert club.invoices()[-1]["status"] == "paid"


def test_a_trial_ends_with_the_first_payment(club):
    made = club.subscribe(trial_period_days=14)
    assert (made["status"], club.invoices()[0]["total"]) == ("trialing", 0)
    club.until(START + 12 * DAY)
    assert club.events("customer.subscription.trial_will_end")
    club.until(START + 15 * DAY)
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "active"
    assert [each["amount_paid"] for each in club.invoices()] == [0, 1000]


@pytest.mark.parametrize(
    ("behavior", "status"), [("pause", "paused"), ("cancel", "canceled"), ("create_invoice", "past_due")]
)
def test_a_trial_without_a_payment_method_ends_as_it_was_told(stripe, behavior, status):
    club = Club(stripe, card="")
    settings = {"end_behavior": {"missing_payment_method": behavior}}
    made = club.subscribe(trial_period_days=7, trial_settings=settings)
    assert made["pending_setup_intent"].startswith("seti_")
    club.until(START + 8 * DAY)
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == status


def test_a_paused_subscription_goes_on_when_it_is_paid(stripe):
    club = Club(stripe, card="")
    settings = {"end_behavior": {"missing_payment_method": "pause"}}
    made = club.subscribe(trial_period_days=7, trial_settings=settings)
    club.until(START + 8 * DAY)
    club.pay_with("pm_card_visa")
    resumed = stripe.post(f"subscriptions/{made['id']}/resume")
    assert (resumed["status"], resumed["pending_update"]) == ("active", None)
    assert resumed["billing_cycle_anchor"] == START + 8 * DAY
    assert club.events("customer.subscription.resumed")


def test_a_subscription_ends_at_the_end_of_its_period(club):
    made = club.subscribe()
    club.stripe.post(f"subscriptions/{made['id']}", cancel_at_period_end=True)
    club.until(day("2026-03-15"))
    ended = club.stripe.get(f"subscriptions/{made['id']}")
    assert (ended["status"], ended["ended_at"]) == ("canceled", day("2026-02-28T09:00"))
    assert len(club.invoices()) == 1


def test_an_upgrade_is_prorated_to_the_second_on_the_next_invoice(club):
    made = club.subscribe()
    club.until(START + 14 * DAY)
    item = made["items"]["data"][0]["id"]
    club.stripe.post(f"subscriptions/{made['id']}", items=[{"id": item, "price": club.priced(3000)}])
    club.until(day("2026-03-01"))
    renewal = club.invoices()[-1]
    assert [line["amount"] for line in renewal["lines"]["data"]] == [-500, 1500, 3000]
    assert renewal["amount_paid"] == 4000


def test_a_downgrade_leaves_credit_that_later_invoices_take_up(club):
    club.price = club.priced(3000)
    made = club.subscribe()
    item = made["items"]["data"][0]["id"]
    club.until(START + 14 * DAY)
    wanted = {"items": [{"id": item, "price": club.priced(1000)}], "proration_behavior": "always_invoice"}
    club.stripe.post(f"subscriptions/{made['id']}", **wanted)
    credit = club.invoices()[-1]
    assert (credit["total"], credit["amount_due"], credit["status"]) == (-1000, 0, "paid")
    assert club.stripe.get(f"customers/{club.customer}")["balance"] == -1000
    club.until(day("2026-03-01"))
    renewal = club.invoices()[-1]
    assert (renewal["total"], renewal["amount_due"], renewal["ending_balance"]) == (1000, 0, 0)
    entries = club.stripe.get(f"customers/{club.customer}/balance_transactions")["data"]
    assert [each["amount"] for each in entries] == [1000, -1000]


def test_another_interval_begins_at_once(club):
    made = club.subscribe()
    club.until(START + 14 * DAY)
    item = made["items"]["data"][0]["id"]
    changed = club.stripe.post(
        f"subscriptions/{made['id']}", items=[{"id": item, "price": club.priced(10_000, "year")}]
    )
    assert changed["billing_cycle_anchor"] == START + 14 * DAY
    assert changed["items"]["data"][0]["current_period_end"] == day("2027-02-14T09:00")
    assert club.invoices()[-1]["amount_paid"] == 10_000 - 500


def test_what_was_used_is_billed_afterwards(club):
    meter = club.stripe.post(
        "billing/meters", display_name="Calls", event_name="calls", default_aggregation={"formula": "sum"}
    )
    club.subscribe(items=[{"price": club.priced(7, usage_type="metered", meter=meter["id"])}])
    assert club.invoices()[0]["total"] == 0
    for value, moment in ((30, START + DAY), (12, START + 2 * DAY), (99, START + 29 * DAY)):
        payload = {"stripe_customer_id": club.customer, "value": value}
        club.until(moment)
        club.stripe.post("billing/meter_events", event_name="calls", payload=payload, timestamp=moment)
    club.until(day("2026-03-02"))
    (line,) = club.invoices()[-1]["lines"]["data"]
    assert (line["amount"], line["quantity"]) == (7 * 42, 42)
    assert line["period"] == {"start": START, "end": day("2026-02-28T09:00")}


def test_usage_of_the_second_in_which_a_subscription_is_cancelled_is_billed(club):
    meter = club.stripe.post(
        "billing/meters", display_name="Calls", event_name="calls", default_aggregation={"formula": "sum"}
    )
    made = club.subscribe(items=[{"price": club.priced(7, usage_type="metered", meter=meter["id"])}])
    club.until(START + DAY)
    payload = {"stripe_customer_id": club.customer, "value": 6}
    club.stripe.post("billing/meter_events", event_name="calls", payload=payload, timestamp=START + DAY)
    club.stripe.delete(f"subscriptions/{made['id']}", invoice_now=True)
    (line,) = club.invoices()[-1]["lines"]["data"]
    assert (line["amount"], line["period"]) == (42, {"start": START, "end": START + DAY})


def test_a_coupon_for_three_months_is_taken_off_three_invoices(club):
    coupon = club.stripe.post("coupons", percent_off=25, duration="repeating", duration_in_months=3)["id"]
    club.subscribe(discounts=[{"coupon": coupon}])
    for moment in ("2026-03-15", "2026-05-15"):
        club.until(day(moment))
    assert [each["total"] for each in club.invoices()] == [750, 750, 750, 1000]


def test_a_coupon_for_once_is_gone_after_the_first_invoice(club):
    coupon = club.stripe.post("coupons", amount_off=300, currency="usd", duration="once")["id"]
    made = club.subscribe(discounts=[{"coupon": coupon}])
    assert made["discounts"] == []
    club.until(day("2026-03-15"))
    assert [each["total"] for each in club.invoices()] == [700, 1000]


def test_a_first_payment_that_needs_the_customer_leaves_it_incomplete_until_it_expires(stripe):
    club = Club(stripe, card="pm_card_threeDSecure2Required")
    made = club.subscribe()
    assert made["status"] == "incomplete"
    club.until(START + DAY)
    assert stripe.get(f"subscriptions/{made['id']}")["status"] == "incomplete_expired"
    assert club.invoices()[0]["status"] == "void"


def test_a_first_payment_that_the_customer_confirms_makes_it_active(club):
    made = club.subscribe(payment_behavior="default_incomplete", expand=["latest_invoice.payments"])
    assert made["status"] == "incomplete"
    intent = made["latest_invoice"]["payments"]["data"][0]["payment"]["payment_intent"]
    club.stripe.post(f"payment_intents/{intent}/confirm", payment_method="pm_card_visa")
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "active"
    assert club.invoices()[0]["status"] == "paid"


@pytest.mark.parametrize(
    ("behavior", "status"), [("keep_as_draft", "draft"), ("void", "void"), ("mark_uncollectible", "uncollectible")]
)
def test_collection_may_pause(club, behavior, status):
    made = club.subscribe()
    paused = {"behavior": behavior, "resumes_at": day("2026-03-15")}
    club.stripe.post(f"subscriptions/{made['id']}", pause_collection=paused)
    club.until(day("2026-03-01"))
    assert club.invoices()[-1]["status"] == status
    club.until(day("2026-04-01"))
    assert club.stripe.get(f"subscriptions/{made['id']}")["pause_collection"] is None
    assert club.invoices()[-1]["status"] == "paid"


def test_the_environment_renews_what_no_test_clock_holds(club):
    stripe = club.stripe
    customer = stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    stripe.post("subscriptions", customer=customer, items=[{"price": club.price}], default_payment_method=method)
    stripe.environment.platform.post(f"env/{stripe.environment.id}/clock", {"advance": 62 * DAY})
    invoices = stripe.get("invoices", customer=customer)["data"]
    assert [each["status"] for each in invoices] == ["paid", "paid", "paid"]
    assert len(club.stripe.get("events", type="invoice.paid")["data"]) == 3


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"items": [{"id": "si_none", "quantity": 2}]}, "items[0][id]"),
        ({"cancel_at": 5}, "cancel_at"),
        ({"trial_end": "soon"}, "trial_end"),
        ({"proration_date": 5, "items": [{"price": "PRICE"}]}, "items[0][price]"),
        ({"default_payment_method": "pm_none"}, "default_payment_method"),
        ({"discounts": [{"coupon": "none"}]}, "discounts[0][coupon]"),
    ],
)
def test_a_change_is_checked_and_leaves_nothing_half_done(club, change, param):
    made = club.subscribe()
    refused = club.stripe.error("POST", f"subscriptions/{made['id']}", **change)
    assert refused["param"] == param
    assert club.stripe.get(f"subscriptions/{made['id']}") == made


class TestPauses:
    """https://docs.stripe.com/billing/subscriptions/pause"""

    def test_nothing_is_asked_for_while_it_is_paused(self, club):
        made = club.subscribe()
        club.until(START + 14 * DAY)
        paused = club.stripe.post(f"subscriptions/{made['id']}/pause")
        details = {
            "subscription": {"type": "pause_requested"},
            "transitioned_at": START + 14 * DAY,
            "type": "subscription",
        }
        assert (paused["status"], paused["status_details"]) == ("paused", {"paused": details})
        assert club.events("customer.subscription.paused")
        for days in (60, 90):
            club.until(START + days * DAY)
        assert [each["amount_paid"] for each in club.invoices()] == [1000]

    def test_the_time_that_is_left_is_given_back_when_it_goes_on(self, club):
        made = club.subscribe()
        club.until(START + 14 * DAY)
        club.stripe.post(f"subscriptions/{made['id']}/pause")
        club.until(START + 40 * DAY)
        resumed = club.stripe.post(f"subscriptions/{made['id']}/resume", payment_behavior="resume_on_payment_success")
        assert (resumed["status"], resumed["status_details"]) == ("active", None)
        assert [each["amount_paid"] for each in club.invoices()] == [1000, 500]

    @pytest.mark.parametrize("since", [("none", []), ("item_current_period_start", [-1000])])
    def test_it_is_said_from_when_on_time_is_given_back(self, club, since):
        made = club.subscribe()
        club.until(START + 14 * DAY)
        club.stripe.post(f"subscriptions/{made['id']}/pause", bill_for={"unused_time_from": {"type": since[0]}})
        waiting = club.stripe.get("invoiceitems", customer=club.customer)["data"]
        assert [each["amount"] for each in waiting] == since[1]

    def test_what_waits_is_put_on_an_invoice_if_that_is_wanted(self, club):
        made = club.subscribe()
        club.until(START + 14 * DAY)
        club.stripe.post(f"subscriptions/{made['id']}/pause", invoicing_behavior="invoice")
        assert [each["total"] for each in club.invoices()] == [1000, -500]

    @pytest.mark.parametrize("more", [{"billing_mode": {"type": "classic"}}, {"trial_period_days": 7}])
    def test_only_active_ones_in_the_flexible_mode_are_paused(self, club, more):
        made = club.subscribe(**more)
        club.stripe.error("POST", f"subscriptions/{made['id']}/pause")
        assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == made["status"]


def test_a_setup_intent_that_succeeds_pays_its_subscription_from_then_on(stripe):
    club = Club(stripe, card="")
    made = club.subscribe(trial_period_days=7)
    intent = {"payment_method": "pm_card_visa", "return_url": "https://shop.example"}
    done = stripe.post(f"setup_intents/{made['pending_setup_intent']}/confirm", **intent)
    now = stripe.get(f"subscriptions/{made['id']}")
    assert (now["pending_setup_intent"], now["default_payment_method"]) == (None, done["payment_method"])
    club.until(START + 8 * DAY)
    assert stripe.get(f"subscriptions/{made['id']}")["status"] == "active"


def test_periods_begin_on_a_day_of_the_month(club):
    made = club.subscribe(billing_cycle_anchor_config={"day_of_month": 15, "hour": 0, "minute": 0, "second": 0})
    assert made["billing_cycle_anchor"] == day("2026-02-15")
    assert made["billing_cycle_anchor_config"]["day_of_month"] == 15
    assert 0 < club.invoices()[0]["total"] < 1000
    yearly = [{"price": club.priced(12000, "year")}]
    later = club.subscribe(items=yearly, billing_cycle_anchor_config={"day_of_month": 31, "month": 6})
    assert later["billing_cycle_anchor"] == day("2026-06-30T09:00")


def test_a_day_of_the_month_is_for_months_and_years(club):
    wanted = {"customer": club.customer, "billing_cycle_anchor_config": {"day_of_month": 1}}
    for more in ({"items": [{"price": club.priced(100, "week")}]}, {"billing_cycle_anchor": START + 9 * DAY}):
        asked = {"items": [{"price": club.price}], **wanted, **more}
        assert club.stripe.error("POST", "subscriptions", 400, **asked)["param"] == "billing_cycle_anchor_config"


def test_a_trial_without_a_card_begins_in_the_newest_version_too(stripe):
    club = Club(stripe, card="")
    headers = {"Stripe-Version": "2026-10-28.endive"}
    wanted = {"customer": club.customer, "items": [{"price": club.price}], "trial_period_days": 7}
    made = stripe.http("POST", "subscriptions", headers=headers, **wanted).json()
    assert made["pending_setup_intent"].startswith("seti_")


def test_each_of_a_list_of_discounts_is_expanded(club):
    coupons = [club.stripe.post("coupons", percent_off=percent, duration="forever")["id"] for percent in (10, 20)]
    made = club.subscribe(discounts=[{"coupon": coupon} for coupon in coupons], expand=["discounts.source.coupon"])
    assert [each["source"]["coupon"]["percent_off"] for each in made["discounts"]] == [10, 20]
    (listed,) = club.stripe.get("subscriptions", customer=club.customer, expand=["data.discounts"])["data"]
    assert [each["id"] for each in listed["discounts"]] == [each["id"] for each in made["discounts"]]


def test_a_first_invoice_that_is_left_to_its_customer_is_not_collected(club):
    made = club.subscribe(payment_behavior="default_incomplete")
    (invoice,) = club.invoices()
    assert (invoice["status"], invoice["next_payment_attempt"]) == ("open", None)
    club.until(START + DAY)
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "incomplete_expired"
    assert club.invoices()[0]["status"] == "void"


def test_a_discount_of_an_item_is_for_that_item(club):
    half = club.stripe.post("coupons", percent_off=50, duration="once")["id"]
    other = club.priced(3000)
    made = club.subscribe(items=[{"price": club.price, "discounts": [{"coupon": half}]}, {"price": other}])
    (invoice,) = club.invoices()
    assert (invoice["subtotal"], invoice["total"]) == (3500, 3500)
    off = [[each["amount"] for each in line["discount_amounts"]] for line in invoice["lines"]["data"]]
    assert off == [[], [500]]
    items = club.stripe.get(f"subscriptions/{made['id']}")["items"]["data"]
    assert [item["discounts"] for item in items] == [[], []]


def test_a_schedule_that_is_over_lets_its_subscription_go(club):
    phase = {"items": [{"price": club.price}], "duration": {"interval": "month"}}
    made = club.stripe.post("subscription_schedules", customer=club.customer, start_date="now", phases=[phase])
    club.until(START + 40 * DAY)
    over = club.stripe.get(f"subscription_schedules/{made['id']}")
    assert (over["status"], over["released_subscription"]) == ("released", made["subscription"])
    assert club.stripe.get(f"subscriptions/{made['subscription']}")["status"] == "active"


def lines(invoice):
    """The amounts and periods of an invoice's lines, the oldest first."""
    days = [[datetime.fromtimestamp(line["period"][name], UTC).strftime("%m-%d") for name in ("start", "end")]
            for line in invoice["lines"]["data"]]  # fmt: skip
    return [(line["amount"], *day) for line, day in zip(invoice["lines"]["data"], days, strict=True)][::-1]


@pytest.mark.parametrize(
    ("wanted", "billed"),
    [
        ({}, [(516, "12-15", "12-31"), (1000, "12-31", "01-31"), (1000, "01-31", "02-28")]),
        ({"proration_behavior": "none"}, [(1000, "01-31", "02-28")]),
        ({"billing_mode": {"type": "classic"}}, [(1516, "12-15", "01-31"), (1000, "01-31", "02-28")]),
    ],
)
def test_a_subscription_that_began_before_is_billed_for_that_too(club, wanted, billed):
    began = START - 47 * DAY
    made = club.subscribe(backdate_start_date=began, **wanted)
    assert (made["start_date"], made["billing_cycle_anchor"]) == (began, START)
    assert made["items"]["data"][0]["current_period_start"] == START
    (invoice,) = club.invoices()
    assert lines(invoice) == billed


@pytest.mark.parametrize(
    ("mode", "billed"),
    [
        ("flexible", [(1000, "12-15", "01-15"), (1000, "01-15", "02-15")]),
        ("classic", [(2000, "12-15", "02-15")]),
    ],
)
def test_a_subscription_that_began_before_may_go_on_as_it_did(club, mode, billed):
    began, anchor = START - 47 * DAY, START + 15 * DAY
    wanted = {"backdate_start_date": began, "billing_cycle_anchor": anchor, "billing_mode": {"type": mode}}
    made = club.subscribe(**wanted)
    assert made["items"]["data"][0]["current_period_end"] == anchor
    assert lines(club.invoices()[0]) == billed
    club.until(anchor + DAY)
    assert lines(club.invoices()[1]) == [(1000, "02-15", "03-15")]


def test_a_subscription_began_in_the_past(club):
    wanted = {"customer": club.customer, "items": [{"price": club.price}], "backdate_start_date": START + DAY}
    assert club.stripe.error("POST", "subscriptions", **wanted)["param"] == "backdate_start_date"


def test_what_waits_is_billed_at_an_interval_of_its_own(stripe):
    start = 1_769_850_000
    clock = stripe.post("test_helpers/test_clocks", frozen_time=start)["id"]
    customer = stripe.post("customers", test_clock=clock)["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    price = {"currency": "usd", "unit_amount": 9000, "recurring": {"interval": "year"}}
    price = stripe.post("prices", **price, product_data={"name": "Plan"})["id"]
    wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted, pending_invoice_item_interval={"interval": "week"})
    assert made["next_pending_invoice_item_invoice"] == start + 7 * 86400
    stripe.post("invoiceitems", customer=customer, subscription=made["id"], amount=500, currency="usd")
    stripe.post(f"test_helpers/test_clocks/{clock}/advance", frozen_time=start + 16 * 86400)
    totals = [each["total"] for each in stripe.get("invoices", subscription=made["id"])["data"]]
    assert totals == [500, 9000]
    stopped = stripe.post(f"subscriptions/{made['id']}", pending_invoice_item_interval="")
    assert stopped["next_pending_invoice_item_invoice"] is None


def test_a_trial_that_does_not_go_on_cannot_be_ended(club):
    made = club.subscribe()
    club.until(START + 14 * DAY)
    item = {"id": made["items"]["data"][0]["id"], "quantity": 2}
    changed = {"items": [item], "proration_behavior": "always_invoice", "trial_end": "now"}
    club.stripe.post(f"subscriptions/{made['id']}", **changed)
    assert [invoice["billing_reason"] for invoice in club.invoices()] == ["subscription_create", "subscription_update"]


def test_an_invoice_of_a_change_is_for_the_time_since_the_last_one(club):
    made = club.subscribe()
    club.until(START + 14 * DAY)
    item = {"id": made["items"]["data"][0]["id"], "quantity": 2}
    club.stripe.post(f"subscriptions/{made['id']}", items=[item], proration_behavior="always_invoice")
    invoice = club.invoices()[-1]
    assert (invoice["period_start"], invoice["period_end"]) == (START, START + 14 * DAY)
