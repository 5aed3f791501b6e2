"""Reminders, and the times that people write."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest

from tests.harness import JOHN
from twindiff.twins.slack.users.reminder_times import parse_reminder_time

# A Wednesday; in New York it is half past four in the morning.
NOW = datetime(2026, 1, 14, 9, 30, tzinfo=UTC)
NEW_YORK = ZoneInfo("America/New_York")


def told(text: str, zone: tzinfo = UTC):
    when = parse_reminder_time(text, NOW, zone)
    return when and datetime.fromtimestamp(when.at, zone).strftime("%a %d %H:%M")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("in 20 minutes", "Wed 14 09:50"),
        ("in an hour", "Wed 14 10:30"),
        ("in 2 weeks", "Wed 28 09:30"),
        ("600", "Wed 14 09:40"),
        ("1768471200", "Thu 15 10:00"),
        ("tomorrow", "Thu 15 09:00"),
        ("Tomorrow at 7am", "Thu 15 07:00"),
        ("today at 17:45", "Wed 14 17:45"),
        ("at noon", "Wed 14 12:00"),
        ("at 8am", "Thu 15 08:00"),
        ("12am", "Thu 15 00:00"),
        ("friday", "Fri 16 09:00"),
        ("on wednesday at 10 am", "Wed 21 10:00"),
        ("next monday at 3:05pm", "Mon 19 15:05"),
        ("every day at 9:31", "Wed 14 09:31"),
        ("every weekday", "Thu 15 09:00"),
        ("every sunday at midnight", "Sun 18 00:00"),
    ],
)
def test_a_time_is_understood(text, time):
    assert told(text) == time


@pytest.mark.parametrize("text", ["", "whenever", "at 25:00", "today at 8am", "13pm", "every blue moon"])
def test_a_time_is_not_understood(text):
    assert told(text) is None


def test_a_time_of_the_past_is_refused():
    assert parse_reminder_time("1000000000", NOW, UTC) is None


@pytest.mark.parametrize(("years", "is_taken"), [(4.99, True), (5.1, False)])
def test_a_time_is_up_to_five_years_ahead(slack, years, is_taken):
    """https://docs.slack.dev/reference/methods/reminders.add says so of timestamps."""
    ahead = int(datetime.now(UTC).timestamp() + years * 365.25 * 86400)
    answer = slack("reminders.add", text="x", time=ahead)
    assert answer["ok"] if is_taken else answer["error"] == "cannot_parse"
    assert (parse_reminder_time(f"in {int(years * 52.18)} weeks", NOW, UTC) is not None) == is_taken


def test_the_hour_is_that_of_the_one_who_is_reminded():
    assert told("at 9am", NEW_YORK) == "Wed 14 09:00"


@pytest.mark.parametrize(
    ("text", "recurrence"),
    [
        ("every day", {"frequency": "daily"}),
        ("every weekday", {"frequency": "weekdays"}),
        ("every mondays", {"frequency": "weekly", "weekdays": ["monday"]}),
        ("every week", {"frequency": "weekly", "weekdays": ["wednesday"]}),
        ("every month", {"frequency": "monthly"}),
    ],
)
def test_what_comes_again_says_how(text, recurrence):
    when = parse_reminder_time(text, NOW, UTC)
    assert when
    assert when.recurrence == recurrence


def test_a_reminder_lives_until_it_is_deleted(slack):
    made = slack("reminders.add", text="water", time="in 2 hours")["reminder"]
    assert slack("reminders.info", reminder=made["id"])["reminder"] == made
    slack("reminders.complete", reminder=made["id"])
    assert slack("reminders.list")["reminders"][0]["complete_ts"] > 0
    slack("reminders.delete", reminder=made["id"])
    assert slack("reminders.list")["reminders"] == []


def test_one_may_have_others_reminded_and_only_they_complete_it(slack, slack_as):
    made = slack("reminders.add", text="water", time="in 2 hours", user=JOHN)["reminder"]
    assert slack("reminders.complete", reminder=made["id"])["error"] == "cannot_complete_others"
    assert slack_as(JOHN)("reminders.complete", reminder=made["id"])["ok"]


def test_what_comes_again_is_never_complete(slack):
    made = slack("reminders.add", text="water", time="every day at 9am")["reminder"]
    assert (made["recurring"], "time" in made) == (True, False)
    assert slack("reminders.complete", reminder=made["id"])["error"] == "cannot_complete_recurring"
    assert slack("reminders.list")["reminders"][0]["recurrence"] == {"frequency": "daily"}
