"""Series: occurrences, exceptions, and the splitting of series."""

from __future__ import annotations

import pytest

from .conftest import at

WEEKLY = {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}


def starts(events):
    return [event["start"].get("dateTime", event["start"].get("date"))[:16] for event in events]


@pytest.fixture
def series(calendar):
    return calendar.insert(**WEEKLY)


@pytest.fixture
def path(series):
    return f"calendars/primary/events/{series['id']}"


def test_occurrences_have_ids_by_their_start_in_utc(calendar, series, path):
    first, *_ = items = calendar("GET", f"{path}/instances")["items"]
    assert len(items) == 4
    assert first["id"] == f"{series['id']}_20180618T160000Z"
    assert first["recurringEventId"] == series["id"]
    assert first["originalStartTime"] == first["start"]
    assert calendar("GET", f"calendars/primary/events/{first['id']}") == first


def test_a_meeting_stays_at_nine_when_the_clocks_change(calendar):
    id = calendar.insert(**at("2018-10-29T09:00", "2018-10-29T10:00"), **WEEKLY)["id"]
    items = calendar("GET", f"calendars/primary/events/{id}/instances")["items"]
    assert [item["id"].rpartition("_")[2] for item in items][:2] == ["20181029T160000Z", "20181105T170000Z"]
    assert items[1]["start"]["dateTime"] == "2018-11-05T09:00:00-08:00"


def test_a_series_of_days_has_ids_of_days(calendar):
    id = calendar.insert(**at("2018-06-18", "2018-06-19"), **WEEKLY)["id"]
    items = calendar("GET", f"calendars/primary/events/{id}/instances")["items"]
    assert [item["id"] for item in items][1] == f"{id}_20180625"
    assert items[1]["end"] == {"date": "2018-06-26"}


def test_a_series_needs_a_zone(calendar):
    times = {"start": {"dateTime": "2018-06-18T16:00:00Z"}, "end": {"dateTime": "2018-06-18T17:00:00Z"}}
    assert calendar.refusal("POST", "calendars/primary/events", {**times, **WEEKLY}) == (400, "required")


def test_an_occurrence_that_is_moved_becomes_an_exception(calendar, series, path):
    second = f"calendars/primary/events/{series['id']}_20180625T160000Z"
    moved = calendar("PATCH", second, at("2018-06-26T14:00", "2018-06-26T15:00"))
    assert moved["originalStartTime"]["dateTime"] == "2018-06-25T09:00:00-07:00"
    assert moved["id"] == second.rpartition("/")[2]
    assert starts(calendar.list(singleEvents=True, orderBy="startTime")) == [
        "2018-06-18T09:00",
        "2018-06-26T14:00",
        "2018-07-02T09:00",
        "2018-07-09T09:00",
    ]
    assert [event.get("recurringEventId") for event in calendar.list()] == [None, series["id"]]


def test_an_occurrence_that_is_cancelled_is_left_out(calendar, series, path):
    calendar("DELETE", f"calendars/primary/events/{series['id']}_20180625T160000Z")
    assert len(calendar("GET", f"{path}/instances")["items"]) == 3
    shown = calendar("GET", f"{path}/instances", showDeleted=True)["items"]
    (cancelled,) = [event for event in shown if event["status"] == "cancelled"]
    assert cancelled.keys() == {"kind", "etag", "id", "status", "recurringEventId", "originalStartTime"}
    assert calendar.refusal("DELETE", f"calendars/primary/events/{cancelled['id']}") == (410, "deleted")


def test_a_list_of_series_tells_which_occurrences_were_cancelled(calendar, series, path):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/list#showDeleted"""
    calendar("DELETE", f"calendars/primary/events/{series['id']}_20180625T160000Z")
    assert [(event["id"][-16:], event["status"]) for event in calendar.list()[1:]] == [
        ("20180625T160000Z", "cancelled")
    ]
    calendar("DELETE", path)
    assert calendar.list() == []


def test_of_a_series_that_was_deleted_single_occurrences_are_listed(calendar, series, path):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/list#showDeleted"""
    calendar("DELETE", path)
    listed = calendar.list(singleEvents=True, showDeleted=True)
    assert {(event["status"], event["recurringEventId"]) for event in listed} == {("cancelled", series["id"])}
    assert len(listed) == 4
    assert [event["id"] for event in calendar.list(showDeleted=True)] == [series["id"]]


def test_what_is_no_occurrence_is_not_found(calendar, series):
    for suffix in ("20180619T160000Z", "20180625T090000Z", "20180625", "x"):
        assert calendar.refusal("GET", f"calendars/primary/events/{series['id']}_{suffix}") == (404, "notFound")


def test_exceptions_follow_their_series_in_what_is_not_their_own(calendar, series, path):
    second = f"calendars/primary/events/{series['id']}_20180625T160000Z"
    calendar("PATCH", second, {"location": "Attic"})
    calendar("PATCH", path, {"summary": "Audit", "location": "Cellar"})
    shown = calendar("GET", second)
    assert (shown["summary"], shown["location"]) == ("Audit", "Attic")


def test_this_and_following_is_a_split(calendar, series, path):
    calendar("PATCH", f"calendars/primary/events/{series['id']}_20180709T160000Z", {"location": "Attic"})
    calendar("PATCH", path, {"recurrence": ["RRULE:FREQ=WEEKLY;UNTIL=20180702T155959Z"]})
    calendar.insert(
        summary="Later", **at("2018-07-02T11:00", "2018-07-02T12:00"), recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"]
    )
    listed = calendar.list(singleEvents=True, orderBy="startTime")
    assert starts(listed) == ["2018-06-18T09:00", "2018-06-25T09:00", "2018-07-02T11:00", "2018-07-09T11:00"]


def test_a_series_that_is_cancelled_takes_its_exceptions_along(calendar, series, path):
    calendar("PATCH", f"calendars/primary/events/{series['id']}_20180625T160000Z", {"location": "Attic"})
    calendar("DELETE", path)
    assert calendar.list(singleEvents=True) == calendar.list() == []


def test_a_series_that_is_moved_takes_its_exceptions_along(calendar, series, path):
    calendar("DELETE", f"calendars/primary/events/{series['id']}_20180625T160000Z")
    other = calendar("POST", "calendars", {"summary": "Garden"})["id"]
    calendar("POST", f"{path}/move", destination=other)
    assert (len(calendar.list(other, singleEvents=True)), calendar.list()) == (3, [])
    instance = f"calendars/{other}/events/{series['id']}_20180618T160000Z"
    assert calendar.refusal("POST", f"{instance}/move", destination="primary") == (
        400,
        "cannotChangeOrganizerOfInstance",
    )


def test_extra_days_and_days_left_out(calendar):
    lines = [
        "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE;TZID=America/Los_Angeles:20180619T090000",
        "RDATE:20180630T160000Z",
    ]
    calendar.insert(recurrence=lines)
    assert starts(calendar.list(singleEvents=True, orderBy="startTime")) == [
        "2018-06-18T09:00",
        "2018-06-20T09:00",
        "2018-06-30T09:00",
    ]


def test_an_endless_series_is_expanded_within_bounds(calendar):
    calendar.insert(recurrence=["RRULE:FREQ=DAILY"])
    page = calendar("GET", "calendars/primary/events", singleEvents=True, maxResults=2500)
    assert 700 < len(page["items"]) < 735
    far = {"timeMin": "2060-01-01T00:00:00Z", "timeMax": "2060-01-03T00:00:00Z"}
    assert len(calendar.list(singleEvents=True, **far)) == 2


def test_a_series_may_begin_where_a_century_on_is_beyond_all_dates(calendar):
    lines = ["RRULE:FREQ=DAILY;BYMONTH=12;BYMONTHDAY=31"]
    made = calendar.insert(**at("9899-12-30T09:00", "9899-12-30T10:00", "UTC"), recurrence=lines)
    assert made["recurrence"] == lines


def test_one_occurrence_is_found_by_its_original_start(calendar, path):
    items = calendar("GET", f"{path}/instances", originalStart="2018-06-25T09:00:00-07:00")["items"]
    assert starts(items) == ["2018-06-25T09:00"]


def test_a_single_event_has_no_instances(calendar):
    assert calendar.refusal("GET", f"calendars/primary/events/{calendar.insert()['id']}/instances") == (400, "invalid")


def test_a_sync_tells_of_exceptions(calendar, series):
    token = calendar("GET", "calendars/primary/events")["nextSyncToken"]
    calendar("DELETE", f"calendars/primary/events/{series['id']}_20180625T160000Z")
    (cancelled,) = calendar.list(syncToken=token)
    assert (cancelled["status"], cancelled["recurringEventId"]) == ("cancelled", series["id"])


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("FREQ=WEEKLY;BYDAY=TU,TH,SA;COUNT=5", ["18", "19", "21", "23", "26", "28"]),
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=2", ["18", "25"]),
        ("FREQ=WEEKLY;BYDAY=WE;UNTIL=20180628T000000Z", ["18", "20", "27"]),
    ],
)
def test_a_series_has_its_start_whatever_the_rule_and_count_counts_the_rest(calendar, rule, days):
    """https://github.com/googleapis/google-api-nodejs-client/issues/2214"""
    series = calendar.insert(recurrence=[f"RRULE:{rule}"])["id"]
    shown = calendar("GET", f"calendars/primary/events/{series}/instances")["items"]
    assert [each["start"]["dateTime"][8:10] for each in shown] == days
