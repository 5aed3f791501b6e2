"""Worlds of scenarios, prompts and configurations begin this week where the clock is the machine's."""

import time
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.harness import succeeded
from tests.server.twin_runs.conftest import web
from tests.server.twin_runs.world_reader import WorldReader

WEEK = 7 * 24 * 3600
REAL = {"clock": {"mode": "real"}}


def provide(client, **asked):
    made = succeeded(client.post("/twin-runs", json={"wait_seconds": 60, **asked}))
    return made, succeeded(client.get(f"/twin-runs/{made['run_id']}"))


def ask(run, twin, path, **query):
    url = run["twins"][twin]["path_url"]
    token = next(value for name, value in run["twins"][twin]["env_vars"].items() if name.endswith(("TOKEN", "API_KEY")))
    return succeeded(web.get(f"{url}{path}", params=query, headers={"Authorization": f"Bearer {token}"}))


@pytest.fixture(scope="module")
def billing(live):
    return provide(live.client, twins=["stripe", "slack"], scenario_id="saas-billing-upgrades", **REAL)[1]


def test_invoices_of_a_scenario_are_not_months_old_by_the_machines_clock(billing):
    created = [each["created"] for each in ask(billing, "stripe", "/v1/invoices", limit=100)["data"]]
    assert 0 <= time.time() - max(created) < 6 * WEEK


def test_messages_of_a_scenario_are_found_among_those_of_the_last_weeks(billing):
    channels = ask(billing, "slack", "/api/conversations.list")["channels"]
    since = time.time() - 6 * WEEK
    said = [ask(billing, "slack", "/api/conversations.history", channel=each["id"], oldest=since) for each in channels]
    assert any(each["messages"] for each in said)


def test_dates_of_a_configuration_of_ones_own_stay(live):
    event = {"calendar": "Team", "summary": "Launch", "start": "2026-03-02T10:00", "end": "2026-03-02T11:00"}
    config = {"google_calendar": {"calendars": ["Team"], "events": [event]}}
    _, run = provide(live.client, twins=["google_calendar"], seed_config=config, **REAL)
    assert [each["start"]["dateTime"][:16] for each in find_events(run, "Launch")] == ["2026-03-02T10:00"]


def find_events(run, summary):
    """The events of a name in all calendars."""
    calendars = [each["id"] for each in ask(run, "google_calendar", "/users/me/calendarList")["items"]]
    events = [
        event for each in calendars for event in ask(run, "google_calendar", f"/calendars/{each}/events")["items"]
    ]
    return [event for event in events if event["summary"] == summary]


@pytest.mark.parametrize(
    ("when", "asked", "is_warned"),
    [("tomorrow", REAL, False), ("on Friday", {}, False), ("in 2 days. A review on Friday", {}, True)],
)
def test_a_prompt_of_weekdays_that_depends_on_today_too_is_told_when_its_world_begins(live, when, asked, is_warned):
    prompt = f'A Google Calendar meeting "Launch" {when} at 10am'
    made, _ = provide(live.client, twins=["google_calendar"], scenario_prompt=prompt, **asked)
    assert any("the world begins on Monday" in each for each in made.get("warnings", [])) is is_warned


@pytest.mark.parametrize(("when", "days"), [("today", 0), ("tomorrow", 1), ("in 3 days", 3)])
def test_a_day_of_a_prompt_is_counted_from_the_machines_date(live, when, days):
    asked = {"scenario_prompt": f'A Google Calendar meeting "Launch" {when} at 10am'}
    (event,) = find_events(provide(live.client, twins=["google_calendar"], **asked)[1], "Launch")
    today = datetime.now(UTC).date()
    assert (datetime.fromisoformat(event["start"]["dateTime"]).date() - today).days == days


@pytest.mark.parametrize(
    ("clock", "year"),
    [(None, f"{datetime.now(UTC).year}"), ({"mode": "frozen", "start": "2024-02-29T09:00:00"}, "2024")],
)
def test_a_test_run_has_twins_of_the_machines_time_unless_it_says_another(live, clock, year):
    asked = {"prompt": 'Expect "A"', "twins": ["slack"], "scenario_prompt": "Slack with 2 channels", "clock": clock}
    run = succeeded(live.client.post("/test-runs", json={**asked, "start_url": "http://127.0.0.1:1/"}))
    environment = succeeded(live.client.get(f"/test-runs/{run['run_id']}"))["environment_id"]
    assert succeeded(live.client.get(f"/api/platform/env/{environment}/clock"))["now"][:4] == year


def test_a_meeting_of_a_prompt_lies_in_this_week(live):
    asked = {"scenario_prompt": 'A Google Calendar meeting "Launch" on Friday at 10am', **REAL}
    (event,) = find_events(provide(live.client, twins=["google_calendar"], **asked)[1], "Launch")
    start = datetime.fromisoformat(event["start"]["dateTime"])
    assert (start.weekday(), abs(start.timestamp() - time.time()) < WEEK) == (4, True)


@pytest.mark.parametrize(
    ("start", "monday"),
    [
        ("2026-01-05T09:00:00", "2026-01-05"),
        ("2026-01-05T08:59:59", "2025-12-29"),
        ("2026-03-01T09:00:00", "2026-02-23"),
        ("2024-02-29T12:00:00", "2024-02-26"),
    ],
)
def test_a_world_begins_on_the_monday_before_the_start_of_its_clock_and_nothing_is_months_overdue(live, start, monday):
    clock = {"mode": "offset", "start": start}
    _, run = provide(live.client, twins=["slack", "stripe"], scenario_id="saas-billing-upgrades", clock=clock)
    world = WorldReader(live.client, run)
    late = [each for each in world.stripe("charges") if each["status"] == "failed"]
    nights = {datetime.fromtimestamp(each["created"], UTC).date() for each in late}
    before = date.fromisoformat(monday) - max(night for night in nights if night.isoformat() < monday)
    assert timedelta() < before <= timedelta(days=3), "months have 28 to 31 days, so renewals move by up to three"
    begins = datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp()
    (active,) = [each for each in world.stripe("subscriptions") if each["status"] == "active"]
    assert active["created"] < begins < active["items"]["data"][0]["current_period_end"]


MONTHLY = {
    "customers": [{"name": "Ada", "email": "ada@example.com"}],
    "products": [{"name": "Pro", "prices": [{"unit_amount": 4900, "interval": "month"}]}],
}


def list_billing_days(live, created, clock):
    """The days of the invoices of a monthly subscription, newest first, and the run."""
    config = {"stripe": {**MONTHLY, "subscriptions": [{"customer": "Ada", "price": "Pro", "created": created}]}}
    _, run = provide(live.client, twins=["stripe"], seed_config=config, clock=clock)
    invoices = ask(run, "stripe", "/v1/invoices")["data"]
    return [datetime.fromtimestamp(each["created"], UTC).date().isoformat() for each in invoices], run


@pytest.mark.parametrize(
    ("start", "billed"),
    [
        ("2026-06-06T09:00:01", ["2026-06-06", "2026-05-06"]),
        ("2026-06-06T08:59:59", ["2026-05-06"]),
        ("2026-06-07T12:00:00", ["2026-06-06", "2026-05-06"]),
    ],
)
def test_what_fell_due_before_the_clock_of_a_run_starts_is_billed_already(live, start, billed):
    days, run = list_billing_days(live, "2026-05-06T09:00:00", {"mode": "frozen", "start": start})
    assert days == billed
    diff = succeeded(live.client.get(f"/api/platform/env/{run['environment_id']}/diff"))["diff"]
    assert not diff["inserts"] + diff["updates"], "it happened before the run"


def test_a_renewal_between_the_monday_of_a_generated_world_and_its_clock_is_billed_and_judged_as_of_the_clock(live):
    clock = {"mode": "frozen", "start": "2026-06-11T12:00:00"}
    _, run = provide(live.client, twins=["slack", "stripe"], scenario_id="saas-billing-upgrades", clock=clock)
    periods = [
        each["items"]["data"][0]["current_period_end"]
        for each in WorldReader(live.client, run).stripe("subscriptions")
        if each["status"] in ("active", "past_due")
    ]
    assert min(periods) > datetime(2026, 6, 11, 12, tzinfo=UTC).timestamp()


def test_dates_of_a_configuration_reach_the_hour_in_which_its_run_starts_and_later_ones_are_refused_by_that_hour(live):
    clock = {"mode": "frozen", "start": "2026-06-11T12:30:00"}
    assert list_billing_days(live, "2026-06-11T12:00:00", clock)[0] == ["2026-06-11"]
    config = {"stripe": {**MONTHLY, "subscriptions": [{"customer": "Ada", "price": "Pro", "created": "2026-06-12"}]}}
    refused = live.client.post("/twin-runs", json={"twins": ["stripe"], "seed_config": config, "clock": clock})
    assert refused.status_code == 422
    assert "later than the world's beginning, 2026-06-11T12:00" in refused.text


def test_a_scenario_of_ones_own_may_have_dates_of_this_year(live):
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    config = {"stripe": {**MONTHLY, "subscriptions": [{"customer": "Ada", "price": "Pro", "created": yesterday}]}}
    saved = succeeded(live.client.post("/scenarios", json={"name": "Renewals", "seed_config": config}))
    _, run = provide(live.client, twins=["stripe"], scenario_id=saved["id"])
    assert [each["status"] for each in ask(run, "stripe", "/v1/subscriptions")["data"]] == ["active"]
