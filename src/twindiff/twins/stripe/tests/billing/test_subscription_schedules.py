"""What phases of subscription schedules make of their subscriptions, in the time of a test clock."""

import pytest

from .test_subscriptions import DAY, START, Club

MONTH = {"interval": "month"}


@pytest.fixture
def club(stripe):
    return Club(stripe)


def planned(club, *phases, **more):
    wanted = {"customer": club.customer, "start_date": "now", "phases": [*phases], **more}
    return club.stripe.post("subscription_schedules", **wanted)


def phase(club, **more):
    return {"items": [{"price": club.price}], "duration": MONTH, **more}


def subscription(club, made):
    return club.stripe.get(f"subscriptions/{made['subscription']}")


def test_a_discount_is_for_its_phase(club):
    half = club.stripe.post("coupons", percent_off=50, duration="forever")["id"]
    made = planned(club, phase(club, discounts=[{"coupon": half}]), phase(club))
    assert made["phases"][0]["discounts"] == [{"coupon": half, "discount": None, "promotion_code": None}]
    club.until(START + 40 * DAY)
    assert [each["total"] for each in club.invoices()] == [500, 1000]
    assert subscription(club, made)["discounts"] == []


def test_the_first_invoice_of_a_schedule_is_a_draft_for_an_hour(club):
    made = planned(club, phase(club), phase(club))
    (first,) = club.invoices()
    assert (subscription(club, made)["status"], first["status"]) == ("active", "draft")
    assert (first["billing_reason"], first["automatically_finalizes_at"]) == ("subscription_create", START + 3600)
    club.until(START + 3600)
    assert [each["status"] for each in club.invoices()] == ["paid"]


def test_a_schedule_begins_though_there_is_nothing_to_pay_with(club):
    poor = club.stripe.post("customers", test_clock=club.clock)["id"]
    made = planned(club, phase(club), customer=poor, start_date=START + DAY)
    club.until(START + 2 * DAY)
    begun = club.stripe.get(f"subscription_schedules/{made['id']}", expand=["subscription.latest_invoice"])
    invoice = begun["subscription"]["latest_invoice"]
    assert (begun["status"], begun["subscription"]["status"]) == ("active", "past_due")
    assert (invoice["status"], invoice["attempt_count"]) == ("open", 1)
    assert invoice["next_payment_attempt"] == START + DAY + 3600 + 3 * DAY


def test_a_phase_may_be_a_trial(club):
    trial = {"items": [{"price": club.price}], "trial": True, "end_date": START + 7 * DAY}
    made = planned(club, trial, phase(club))
    assert (made["phases"][0]["trial_end"], subscription(club, made)["status"]) == (START + 7 * DAY, "trialing")
    club.until(START + 8 * DAY)
    assert subscription(club, made)["status"] == "active"
    assert [each["total"] for each in club.invoices()] == [0, 1000]


def test_phases_have_what_their_schedule_has_by_default(club):
    settings = {"collection_method": "send_invoice", "invoice_settings": {"days_until_due": 14}}
    made = planned(club, phase(club, description="First"), phase(club), default_settings=settings)
    assert made["default_settings"]["collection_method"] == "send_invoice"
    begun = subscription(club, made)
    assert (begun["collection_method"], begun["days_until_due"], begun["description"]) == ("send_invoice", 14, "First")


def test_a_change_of_the_running_phase_is_made_at_once(club):
    other = club.priced(3000)
    made = planned(club, phase(club))
    running = made["phases"][0]
    dates = {"start_date": running["start_date"], "end_date": running["end_date"]}
    wanted = {"items": [{"price": other, "quantity": 2}], "metadata": {"a": "b"}, "proration_behavior": "none", **dates}
    club.stripe.post(f"subscription_schedules/{made['id']}", phases=[wanted])
    changed = subscription(club, made)
    (item,) = changed["items"]["data"]
    assert (item["price"]["id"], item["quantity"], changed["metadata"]) == (other, 2, {"a": "b"})


def test_a_phase_sells_some_things_once_and_taxes_its_items(club):
    vat = club.stripe.post("tax_rates", display_name="VAT", percentage=10, inclusive=False)["id"]
    once = {"product": club.product, "currency": "usd", "unit_amount": 500}
    setup = club.stripe.post("prices", **once)["id"]
    monthly = {"product": club.product, "currency": "usd", "unit_amount": 2000, "recurring": MONTH}
    items = [{"price_data": monthly, "tax_rates": [vat]}]
    planned(club, {"items": items, "duration": MONTH, "add_invoice_items": [{"price": setup}]})
    (invoice,) = club.invoices()
    assert (invoice["subtotal"], invoice["total"]) == (2500, 2700)


def test_a_phase_may_begin_new_periods(club):
    first = {"items": [{"price": club.price}], "end_date": START + 10 * DAY}
    made = planned(club, first, phase(club, billing_cycle_anchor="phase_start"))
    club.until(START + 11 * DAY)
    assert subscription(club, made)["billing_cycle_anchor"] == START + 10 * DAY


def test_a_schedule_takes_over_what_its_subscription_has(club):
    half = club.stripe.post("coupons", percent_off=50, duration="forever")["id"]
    begun = club.subscribe(discounts=[{"coupon": half}])
    made = club.stripe.post("subscription_schedules", from_subscription=begun["id"])
    (kept,) = made["phases"][0]["discounts"]
    assert kept["discount"] == begun["discounts"][0]
    again = [
        {**phase(club), "start_date": made["phases"][0]["start_date"], "discounts": [{"discount": kept["discount"]}]}
    ]
    club.stripe.post(f"subscription_schedules/{made['id']}", phases=again)
    assert club.stripe.get(f"subscriptions/{begun['id']}")["discounts"] == begun["discounts"]


def test_a_schedule_that_is_over_is_not_changed_any_more(club):
    made = planned(club, phase(club))
    club.stripe.post(f"subscription_schedules/{made['id']}/release")
    for how, done in (("cancel", "canceled"), ("release", "released")):
        error = club.stripe.error("POST", f"subscription_schedules/{made['id']}/{how}")
        said = f"You cannot {how} a subscription schedule that is currently in the `released` status. "
        assert error["message"] == f"{said}It must be in `not_started, active` status to be {done}."


@pytest.mark.parametrize("end", [{"cancel_at_period_end": True}, {"cancel_at": "min_period_end"}, {"cancel_at": ""}])
def test_the_end_of_a_subscription_with_a_schedule_is_the_schedules_to_say(club, end):
    made = planned(club, phase(club))
    error = club.stripe.error("POST", f"subscriptions/{made['subscription']}", **end)
    assert error["message"] == (
        f"The subscription is managed by the subscription schedule `{made['id']}`, and updating any cancelation "
        "behavior directly is not allowed. Please update the schedule instead."
    )


def test_other_phases_begin_at_a_time_that_is_said(club):
    made = planned(club, phase(club))
    error = club.stripe.error("POST", f"subscription_schedules/{made['id']}", phases=[phase(club)])
    assert error["message"] == (
        "The subscription schedule update is missing at least one phase with a `start_date` to anchor end dates to."
    )


@pytest.mark.parametrize("start", ["now", START + DAY])
def test_the_running_phase_keeps_its_start(club, start):
    made = planned(club, phase(club))
    club.until(START + 2 * DAY)
    error = club.stripe.error("POST", f"subscription_schedules/{made['id']}", phases=[phase(club, start_date=start)])
    assert error["message"] == "You can not modify the start date of the current phase."
    same = club.stripe.post(f"subscription_schedules/{made['id']}", phases=[phase(club, start_date=START)])
    assert same["current_phase"]["start_date"] == START


def test_a_phase_lasts_for_a_duration_and_not_for_iterations(club):
    wanted = {"items": [{"price": club.price}], "iterations": 2}
    error = club.stripe.error("POST", "subscription_schedules", customer=club.customer, phases=[wanted])
    assert (error["code"], error["param"]) == ("parameter_unknown", "phases[0][iterations]")


def test_a_subscription_is_shown_with_its_schedule(club):
    made = planned(club, phase(club))
    shown = club.stripe.get(f"subscriptions/{made['subscription']}", expand=["schedule"])
    assert shown["schedule"]["id"] == made["id"]


def told(club, type):
    return [each["data"] for each in club.stripe.get("events", type=f"subscription_schedule.{type}")["data"]]


def test_the_first_invoice_of_a_phase_is_a_draft_for_an_hour(club):
    made = planned(club, phase(club))
    (draft,) = club.invoices()
    assert (draft["status"], draft["billing_reason"]) == ("draft", "subscription_create")
    assert subscription(club, made)["status"] == "active"
    club.until(START + 3700)
    assert [each["status"] for each in club.invoices()] == ["paid"]


def test_a_first_invoice_that_cannot_be_paid_leaves_the_subscription_past_due(club):
    poor = club.stripe.post("customers", test_clock=club.clock)["id"]
    made = planned(club, phase(club), customer=poor)
    club.until(START + 3700)
    assert subscription(club, made)["status"] == "past_due"


def test_the_plan_of_a_phase_has_the_id_of_its_price(club):
    made = planned(club, phase(club))
    (item,) = made["phases"][0]["items"]
    assert (item["plan"], item["price"]) == (club.price, club.price)
    expanded = club.stripe.get(f"subscription_schedules/{made['id']}", expand=["phases.items.plan"])
    (item,) = expanded["phases"][0]["items"]
    assert (item["plan"]["object"], item["plan"]["id"], item["price"]) == ("plan", club.price, club.price)


def test_a_schedule_says_that_tax_is_not_automatic(club):
    off = {"disabled_reason": None, "enabled": False, "liability": None}
    assert planned(club, phase(club))["default_settings"]["automatic_tax"] == off


def test_what_a_schedule_was_before_it_began_is_told(club):
    planned(club, phase(club))
    (begun,) = told(club, "updated")
    assert begun["previous_attributes"] == {"current_phase": None, "status": "not_started", "subscription": None}


def test_the_phases_of_a_schedule_go_on_with_the_settings_of_its_subscription(club):
    vat = club.stripe.post("tax_rates", display_name="VAT", percentage=10, inclusive=False)["id"]
    items = [{"price": club.price, "tax_rates": [vat]}]
    begun = club.subscribe(
        items=items, collection_method="send_invoice", days_until_due=5, billing_mode={"type": "classic"}
    )
    made = club.stripe.post("subscription_schedules", from_subscription=begun["id"])
    settings = made["default_settings"]
    assert (settings["collection_method"], settings["invoice_settings"]["days_until_due"]) == ("send_invoice", 5)
    assert made["phases"][0]["items"][0]["tax_rates"][0]["id"] == vat
    assert made["billing_mode"]["type"] == "classic"


@pytest.mark.parametrize(
    "more", [{"end_behavior": "cancel"}, {"metadata": {"a": "b"}}, {"default_settings": {"description": "x"}}]
)
def test_a_schedule_made_from_a_subscription_is_that_alone(club, more):
    begun = club.subscribe()
    error = club.stripe.error("POST", "subscription_schedules", from_subscription=begun["id"], **more)
    assert error["param"] == next(iter(more))


def test_it_is_told_a_week_before_a_schedule_is_over(club):
    made = planned(club, phase(club), phase(club))
    club.until(made["phases"][1]["end_date"] - 8 * DAY)
    assert told(club, "expiring") == []
    club.until(made["phases"][1]["end_date"] - 6 * DAY)
    assert [each["object"]["id"] for each in told(club, "expiring")] == [made["id"]]


def test_a_schedule_is_aborted_with_a_subscription_that_was_not_paid(club):
    club.pay_with("pm_card_chargeCustomerFail")
    made = planned(club, phase(club), phase(club))
    club.until(START + 25 * DAY)
    assert [each["object"]["status"] for each in told(club, "aborted")] == ["canceled"]
    assert (subscription(club, made)["status"], told(club, "canceled")) == ("canceled", [])


def test_schedules_are_listed_by_when_they_were_over(club):
    made, other = planned(club, phase(club)), planned(club, phase(club))
    club.stripe.post(f"subscription_schedules/{made['id']}/release")
    club.stripe.post(f"subscription_schedules/{other['id']}/cancel")
    for name, id in (("released_at", made["id"]), ("canceled_at", other["id"])):
        assert [each["id"] for each in club.stripe.get("subscription_schedules", **{name: START})["data"]] == [id]
    assert club.stripe.get("subscription_schedules", completed_at={"gt": 0})["data"] == []
