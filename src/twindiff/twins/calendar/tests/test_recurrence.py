"""Recurrence against oracles: python-dateutil in the event's zone, and free times minute by minute."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise, repeat
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from twindiff.twins.calendar.freebusy import merge_spans
from twindiff.twins.calendar.recurrence import Schedule, occurrences
from twindiff.twins.calendar.rule_days import WEEKDAYS, can_occur
from twindiff.twins.calendar.times import micros_of

from .conftest import AGENT, TOKENS, Calendar

ZONES = ("America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC")
LAST = datetime.fromisoformat("2020-12-31T23:59:59")


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    one = st.integers(low, high).filter(bool)
    return st.lists(one, min_size=1, max_size=3, unique=True).map(lambda each: ",".join(map(str, each)))


days = st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=3, unique=True).map(",".join)


@st.composite
def rules(draw: st.DrawFn) -> dict[str, str]:
    """The parts of a rule that dateutil takes."""
    rule = {"FREQ": draw(st.sampled_from(("DAILY", "WEEKLY", "MONTHLY", "YEARLY")))}
    optional = {
        "INTERVAL": st.integers(1, 5).map(str),
        "COUNT": st.integers(1, 40).map(str),
        "WKST": st.sampled_from(WEEKDAYS),
        "BYDAY": days,
        "BYMONTH": numbers(1, 12),
        "BYMONTHDAY": numbers(-31, 31),
    }
    for name, values in optional.items():
        if draw(st.integers(0, 2)) == 0:
            rule[name] = draw(values)
    if "BYDAY" in rule and rule["FREQ"] in ("MONTHLY", "YEARLY") and draw(st.booleans()):
        rule["BYDAY"] = f"{draw(st.sampled_from((1, 2, 4, -1)))}{rule['BYDAY'][:2]}"
    if {"BYDAY", "BYMONTHDAY"} & rule.keys() and draw(st.integers(0, 3)) == 0:
        rule["BYSETPOS"] = draw(numbers(-3, 3))
    return rule


moments = st.datetimes(datetime.fromisoformat("2016-01-01"), datetime.fromisoformat("2018-12-31")).map(
    lambda each: each.replace(microsecond=0)
)


def text(rule: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in rule.items())


@settings(max_examples=200, deadline=None)
@given(rules(), moments, st.sampled_from(ZONES), st.lists(st.integers(0, 20), max_size=3))
def test_a_series_is_what_dateutil_says_in_its_zone(rule, start, zone, left_out):
    if not can_occur(rule, start.date()):
        return
    own = ZoneInfo(zone)
    expected = [start.replace(tzinfo=own)]  # Google shows the start of a series, in the pattern or not
    for each in rrulestr(text(rule), dtstart=expected[0]):
        if each.replace(tzinfo=None) > LAST:
            break
        expected.append(each)
    without = {expected[at].replace(tzinfo=None) for at in left_out if at < len(expected)}
    lines = [f"RRULE:{text(rule)}", *(f"EXDATE;TZID={zone}:{each:%Y%m%dT%H%M%S}" for each in without)]
    starts = occurrences(Schedule(zone, start.isoformat(), False, tuple(lines)).text(), 2020)
    assert [*starts] == sorted({micros_of(each) for each in expected if each.replace(tzinfo=None) not in without})


@settings(max_examples=200, deadline=None)
@given(rules(), st.dates(date(2016, 1, 1), date(2018, 12, 31)))
def test_a_rule_that_cannot_come_true_does_not_for_a_century(rule, start):
    if can_occur(rule, start):
        return
    # The calendar repeats after 400 years, and dateutil looks on up to the year 9999.
    begins = datetime.combine(start.replace(year=start.year + 19 * 400), datetime.min.time())
    if rule["FREQ"] != "DAILY":  # of those it takes dateutil long to say so
        first = next(iter(rrulestr(text(rule), dtstart=begins)), None)
        assert first is None or first > begins.replace(year=begins.year + 100, day=min(begins.day, 28))


def test_every_other_monday_a_29th_of_february_comes_after_56_years():
    rule = {"FREQ": "WEEKLY", "INTERVAL": "2", "BYDAY": "MO", "BYMONTH": "2", "BYMONTHDAY": "29"}
    assert can_occur(rule, date(2016, 3, 1))
    _start, first = occurrences(
        Schedule("UTC", "2016-03-01T09:00:00", False, (f"RRULE:{text(rule)};COUNT=1",)).text(), 2100
    )
    assert first == micros_of(datetime(2072, 2, 29, 9, tzinfo=UTC))


def instant(time: str) -> datetime:
    return datetime.fromisoformat(time).astimezone(UTC)


def basic(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y%m%dT%H%M%SZ}"


LENGTH, WINDOW = timedelta(minutes=90), timedelta(days=88)
changes = st.dictionaries(st.integers(0, 30), st.sampled_from((None, -26, -1, 1, 50)), max_size=4)
"""Which occurrences are cancelled (None), or moved by how many hours."""


@pytest.fixture(scope="module")
def agent(platform):
    return Calendar(platform.environment("calendar:calendar_base", AGENT, tokens=TOKENS))


@settings(max_examples=40, deadline=None)
@given(rules(), moments.map(lambda each: each.replace(second=0)), st.sampled_from(ZONES), changes)
def test_lists_and_busy_times_are_an_oracle_s_with_what_was_moved_and_cancelled(agent, rule, start, zone, changed):
    if not can_occur(rule, start.date()):
        return
    first = start.replace(tzinfo=ZoneInfo(zone))
    low, high = first.astimezone(UTC) - timedelta(days=3), first.astimezone(UTC) + WINDOW
    begins: dict[str, datetime | None] = {basic(first): first.astimezone(UTC)}
    for each in rrulestr(text(rule), dtstart=first):
        if each > high:
            break
        begins[basic(each)] = each.astimezone(UTC)
    calendar = f"calendars/{agent('POST', 'calendars', {'summary': 'Series'})['id']}/events"
    times = {"start": start.isoformat(), "end": (first.astimezone(UTC) + LENGTH).isoformat()}
    body = {name: {"dateTime": time, "timeZone": zone} for name, time in times.items()}
    series = agent("POST", calendar, {**body, "recurrence": [f"RRULE:{text(rule)}"]})["id"]
    for (name, begin), hours in zip([*begins.items()], map(changed.get, range(31), repeat(0)), strict=False):
        begins[name] = _changed(agent, f"{calendar}/{series}_{name}", begin, hours)
    window = {"timeMin": low.isoformat(), "timeMax": high.isoformat()}
    listed = agent("GET", calendar, singleEvents=True, maxResults=2500, **window)["items"]
    spans = [(each, each + LENGTH) for each in begins.values() if each and each < high and each + LENGTH > low]
    assert sorted((instant(each["start"]["dateTime"]), instant(each["end"]["dateTime"])) for each in listed) == sorted(
        spans
    )
    id = calendar.split("/")[1]
    busy = agent("POST", "freeBusy", {**window, "items": [{"id": id}]})["calendars"][id]["busy"]
    assert _minutes((instant(each["start"]), instant(each["end"])) for each in busy) == _minutes(
        (max(begin, low), min(end, high)) for begin, end in spans
    )


def _changed(agent, path, begin, hours):
    """Cancel or move an occurrence; gives when it begins now."""
    if hours is None:
        agent("DELETE", path)
        return None
    if hours:
        begin += timedelta(hours=hours)
        agent(
            "PATCH", path, {"start": {"dateTime": begin.isoformat()}, "end": {"dateTime": (begin + LENGTH).isoformat()}}
        )
    return begin


def _minutes(spans):
    """All minutes in which somebody is busy."""
    return {
        begin + timedelta(minutes=at) for begin, end in spans for at in range((end - begin) // timedelta(minutes=1))
    }


spans = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 60)).map(lambda each: (each[0], sum(each))), max_size=12)


@given(spans, st.integers(0, 200), st.integers(1, 150))
def test_busy_times_are_those_minutes_that_an_event_covers(busy, low, length):
    high = low + length
    joined = [*merge_spans(busy, low, high)]
    covered = {minute for start, stop in busy for minute in range(max(start, low), min(stop, high))}
    assert {minute for start, stop in joined for minute in range(start, stop)} == covered
    assert all(before[1] < after[0] for before, after in pairwise(joined))


@settings(max_examples=60, deadline=None)
@given(moments, st.sampled_from(ZONES), st.integers(1, 12))
def test_a_daily_meeting_is_at_the_same_local_time_for_ever(start, zone, count):
    starts = occurrences(Schedule(zone, start.isoformat(), False, (f"RRULE:FREQ=DAILY;COUNT={count}",)).text(), 2020)
    own = ZoneInfo(zone)
    local = [datetime.fromtimestamp(each / 1_000_000, UTC).astimezone(own).replace(tzinfo=None) for each in starts]
    expected = [start + timedelta(days=number) for number in range(count)]
    there = [each for each in expected if _exists(each, own)]
    assert [each for each in local if each in there] == there


def _exists(local: datetime, zone: ZoneInfo) -> bool:
    """Whether clocks of a zone ever show a time; some are skipped in spring."""
    return local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local
