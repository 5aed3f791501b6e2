"""Test clocks by themselves; what they make happen is in the tests of subscriptions."""


def test_a_clock_advances_and_is_ready(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_700_000_000, name="renewals")
    moved = stripe.post(f"test_helpers/test_clocks/{clock['id']}/advance", frozen_time=1_700_086_400)
    assert moved["status"] == "advancing"
    seen = stripe.get(f"test_helpers/test_clocks/{clock['id']}")
    assert (seen["status"], seen["frozen_time"]) == ("ready", 1_700_086_400)
    told = [each["type"].rpartition(".")[2] for each in stripe.get("events")["data"]]
    assert told == ["ready", "advancing", "created"]


def test_a_clock_does_not_go_back_nor_too_far(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_700_000_000)["id"]
    for time in (1_700_000_000, 1_600_000_000, 1_800_000_000):
        refused = stripe.error("POST", f"test_helpers/test_clocks/{clock}/advance", frozen_time=time)
        assert refused["param"] == "frozen_time"


def test_a_deleted_clock_is_gone(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_700_000_000)["id"]
    assert stripe.delete(f"test_helpers/test_clocks/{clock}")["deleted"] is True
    assert stripe.error("GET", f"test_helpers/test_clocks/{clock}", 404)["message"] == f"No such test clock: '{clock}'"


def subscribed(stripe, clock, *intervals):
    customer = stripe.post("customers", test_clock=clock, payment_method="pm_card_visa")["id"]
    card = stripe.get(f"customers/{customer}/payment_methods")["data"][0]["id"]
    for interval in intervals:
        data = {"currency": "usd", "unit_amount": 900, "product_data": {"name": "Box"}}
        price = stripe.post("prices", **data, recurring={"interval": interval})["id"]
        wanted = {"items": [{"price": price}], "default_payment_method": card}
        made = stripe.post("subscriptions", customer=customer, **wanted)["id"]
    return made


def test_a_clock_advances_by_two_periods_of_its_shortest_subscription_at_most(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_700_000_000)["id"]
    subscribed(stripe, clock, "year", "week")
    path, weeks = f"test_helpers/test_clocks/{clock}/advance", 14 * 86400
    assert stripe.error("POST", path, frozen_time=1_700_000_000 + weeks + 1)["param"] == "frozen_time"
    assert stripe.post(path, frozen_time=1_700_000_000 + weeks)["status"] == "advancing"


def test_subscriptions_end_in_the_time_of_the_clock_that_is_deleted(stripe):
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_700_000_000)["id"]
    subscribed(stripe, clock, "month")
    stripe.delete(f"test_helpers/test_clocks/{clock}")
    (ended,) = stripe.get("events", type="customer.subscription.deleted")["data"]
    assert ended["data"]["object"]["ended_at"] == 1_700_000_000


def test_payments_are_made_in_the_time_of_all_others(stripe):
    """https://github.com/stripe/stripe-python/issues/1183"""
    clock = stripe.post("test_helpers/test_clocks", frozen_time=1_700_000_000)
    subscribed(stripe, clock["id"], "month")
    (intent,) = stripe.get("payment_intents", expand=["data.latest_charge"])["data"]
    (invoice,) = stripe.get("invoices")["data"]
    assert invoice["created"] == 1_700_000_000
    assert min(intent["created"], intent["latest_charge"]["created"]) >= clock["created"]
