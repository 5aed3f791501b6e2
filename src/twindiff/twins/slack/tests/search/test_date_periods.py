"""Days as people write them in a search."""

from datetime import date

import pytest

from twindiff.twins.slack.core.timezones import zone_of
from twindiff.twins.slack.search.date_periods import period_of, start_of

A_THURSDAY = date(2026, 1, 15)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-01-31", "2026-01-31", "2026-01-31"),
        ("2026/01/31", "2026-01-31", "2026-01-31"),
        ("01/31/2026", "2026-01-31", "2026-01-31"),
        ("1769817600", "2026-01-31", "2026-01-31"),
        ("today", "2026-01-15", "2026-01-15"),
        ("Yesterday", "2026-01-14", "2026-01-14"),
        ("thursday", "2026-01-15", "2026-01-15"),
        ("fri", "2026-01-09", "2026-01-09"),
        ("week", "2026-01-12", "2026-01-18"),
        ("month", "2026-01-01", "2026-01-31"),
        ("january", "2026-01-01", "2026-01-31"),
        ("feb", "2025-02-01", "2025-02-28"),
        ("2025-12", "2025-12-01", "2025-12-31"),
        ("year", "2026-01-01", "2026-12-31"),
        ("2024", "2024-01-01", "2024-12-31"),
    ],
)
def test_a_text_means_days(text, first, last):
    period = period_of(text, A_THURSDAY)
    assert period
    assert (period.first.isoformat(), period.after.toordinal() - 1) == (first, date.fromisoformat(last).toordinal())


@pytest.mark.parametrize("text", ["", "someday", "2026-13-01", "2026-13", "0000", "9999", "99999999999", "ja"])
def test_other_texts_mean_none(text):
    assert period_of(text, A_THURSDAY) is None


@pytest.mark.parametrize(
    ("zone", "start"),
    [("America/New_York", "1768453200"), ("Asia/Kolkata", "1768415400"), ("Nowhere/Land", "1768435200")],
)
def test_a_day_begins_where_one_is(zone, start):
    assert start_of(A_THURSDAY, zone_of(zone)) == f"{start}.000000"
