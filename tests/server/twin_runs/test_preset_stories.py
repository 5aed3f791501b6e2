"""The payments that people of the presets talk about in Slack are among the rows of Stripe."""

from datetime import UTC, datetime

import pytest

from tests.server.twin_runs.world_reader import WorldReader


@pytest.fixture
def world(live):
    """Asks Slack and Stripe of a preset."""

    def provide(preset):
        clock = {"mode": "offset", "start": "2026-01-05T09:00:00"}
        asked = {"twins": ["slack", "stripe"], "scenario_id": preset, "clock": clock}
        made = live.client.post("/twin-runs", json=asked).json()
        run = live.client.get(f"/twin-runs/{made['run_id']}").json()
        assert run["status"] == "ready", run["error"]
        return WorldReader(live.client, run)

    return provide


def day(seconds):
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def test_two_customers_paid_twice_and_both_were_refunded(world):
    shop = world("e-commerce-checkout")
    assert "Two customers paid twice after the page hung." in shop.texts()
    names = shop.names()
    refunded = [
        (names[each["customer"]], each["amount_refunded"]) for each in shop.stripe("charges") if each["refunded"]
    ]
    assert sorted(refunded) == [("Petra Lindqvist", 3900), ("Sam Oduya", 18900)]
    paid = [(each["customer"], each["amount"]) for each in shop.stripe("charges") if each["paid"]]
    assert all(paid.count(each) == 2 for each in paid if each[1] in (3900, 18900))


def test_three_cards_failed_again_last_night(world):
    shop = world("saas-billing-upgrades")
    assert "Three cards failed again last night." in shop.texts()
    failed = [each for each in shop.stripe("charges") if each["status"] == "failed"]
    nights = {}
    for each in failed:
        nights.setdefault(day(each["created"]), set()).add(each["customer"])
    assert {night: len(customers) for night, customers in nights.items()} == {"2026-01-01": 3, "2026-01-04": 3}
    late = {each["customer"] for each in shop.stripe("subscriptions") if each["status"] == "past_due"}
    assert late == nights["2026-01-04"]


def test_northlake_was_charged_a_full_month_three_weeks_ago(world):
    shop = world("saas-billing-upgrades")
    assert "Northlake upgraded three weeks ago and was charged a full month." in shop.texts()
    names = shop.names()
    charges = [each for each in shop.stripe("charges") if names[each["customer"]] == "Northlake"]
    assert (day(charges[0]["created"]), charges[0]["amount"]) == ("2025-12-14", 4900)


def test_atelier_sud_cancelled_and_paid_another_month(world):
    shop = world("saas-billing-upgrades")
    assert "Atelier Sud asks for a refund of their last month." in shop.texts()
    (ended,) = shop.stripe("subscriptions", status="canceled")
    paid = next(each for each in shop.stripe("charges") if each["description"] == "Team, last month")
    assert shop.names()[ended["customer"]] == shop.names()[paid["customer"]] == "Atelier Sud"
    assert (day(ended["canceled_at"]), day(paid["created"])) == ("2025-02-20", "2025-03-01")
    assert (paid["paid"], paid["refunded"]) == (True, False)


def test_forty_attempts_were_declined_within_a_minute(world):
    shop = world("payment-fraud-edge-cases")
    assert "Forty attempts from one address within a minute." in shop.texts()
    tried = [each for each in shop.stripe("charges") if each["metadata"].get("ip") == "203.0.113.7"]
    times = [each["created"] for each in tried]
    assert (len(tried), {each["status"] for each in tried}, max(times) - min(times) < 60) == (40, {"failed"}, True)


def test_the_evidence_for_the_harlow_dispute_is_due_tomorrow(world):
    shop = world("payment-fraud-edge-cases")
    assert "The evidence for the Harlow dispute is due tomorrow." in shop.texts()
    (dispute,) = shop.stripe("disputes")
    assert (day(dispute["evidence_details"]["due_by"]), dispute["status"]) == ("2026-01-06", "needs_response")
    charge = next(each for each in shop.stripe("charges") if each["id"] == dispute["charge"])
    assert shop.names()[charge["customer"]] == "T. Harlow"


def test_an_honest_traveller_was_blocked(world):
    shop = world("payment-fraud-edge-cases")
    assert "The new rule declines honest travellers." in shop.texts()
    names = shop.names()
    blocked = [each for each in shop.stripe("charges") if names.get(each["customer"]) == "Nomad Travel"]
    assert [each["outcome"]["type"] for each in blocked] == ["blocked"]


def test_everybody_whom_the_support_desk_serves_pays_for_support(world):
    shop = world("customer-support-portal")
    served = {each["customer"] for each in shop.stripe("subscriptions") if each["status"] == "active"}
    assert {shop.names()[each] for each in served} == {"Brightwell", "Corner Cafe", "Tallgrass"}
