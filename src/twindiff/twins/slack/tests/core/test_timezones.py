"""What is said of a person's time zone."""

import time
from datetime import UTC, datetime

import pytest

from twindiff.twins.slack.core.timezones import zone_object

WINTER, SUMMER = datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 7, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "now", "label", "offset"),
    [
        ("Asia/Kolkata", WINTER, "India Standard Time", 19800),
        ("Asia/Jerusalem", WINTER, "Israel Standard Time", 7200),
        ("Europe/Kiev", WINTER, "Eastern European Time", 7200),
        ("America/Los_Angeles", WINTER, "Pacific Standard Time", -28800),
        ("America/Los_Angeles", SUMMER, "Pacific Daylight Time", -25200),
        ("America/Sao_Paulo", SUMMER, "-03", -10800),
    ],
)
def test_a_zone_is_as_far_from_utc_as_it_is_at_that_time(name, now, label, offset):
    assert zone_object(name, now) == {"tz": name, "tz_label": label, "tz_offset": offset}


def test_a_person_without_a_zone_is_at_utc():
    assert zone_object(None, WINTER) == {"tz": "Etc/UTC", "tz_label": "Coordinated Universal Time", "tz_offset": 0}


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "/etc/passwd", "x" * 300, "a\0b", "Europe"])
def test_a_zone_that_does_not_exist_counts_as_utc(name):
    assert zone_object(name, WINTER)["tz_offset"] == 0


def test_a_zone_that_does_not_exist_is_not_the_machine_s(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert zone_object("Mars/Olympus", WINTER)["tz_offset"] == 0
    finally:
        monkeypatch.undo()
        time.tzset()
