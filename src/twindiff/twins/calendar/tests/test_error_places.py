"""Where an error says that the mistake is: https://developers.google.com/workspace/calendar/api/guides/errors"""

from __future__ import annotations

import pytest

from .conftest import at

EVENTS = "calendars/primary/events"
BACKWARDS = at("2018-06-18T10:00", "2018-06-18T09:00")
WINDOW = {"timeMin": "2018-06-18T10:00:00Z", "timeMax": "2018-06-18T09:00:00Z"}
PLACES = [
    ("GET", EVENTS, None, {"orderBy": "startTime"}, ("invalid", "orderBy")),
    ("GET", EVENTS, None, {"orderBy": "x"}, ("invalid", "orderBy")),
    ("POST", EVENTS, BACKWARDS, {}, ("timeRangeEmpty", "timeMax")),
    ("POST", f"{EVENTS}/import", {**BACKWARDS, "iCalUID": "a@b"}, {}, ("timeRangeEmpty", "timeMax")),
    ("GET", EVENTS, None, WINDOW, ("timeRangeEmpty", "timeMax")),
    ("POST", "freeBusy", WINDOW, {}, ("timeRangeEmpty", "timeMax")),
    ("POST", "freeBusy", {"timeMin": "2018-06-18", "timeMax": "2018-06-19"}, {}, ("badRequest", "timeMin")),
    ("GET", EVENTS, None, {"timeMin": "2018-06-18"}, ("badRequest", "timeMin")),
    ("GET", EVENTS, None, {"timeMax": "2018-06-18T00:00:00"}, ("badRequest", "timeMax")),
    ("GET", EVENTS, None, {"updatedMin": "now"}, ("badRequest", "updatedMin")),
    ("GET", EVENTS, None, {"updatedMin": "2010-01-01T00:00:00Z"}, ("updatedMinTooLongAgo", "updatedMin")),
    ("GET", EVENTS, None, {"syncToken": "x"}, ("fullSyncRequired", "syncToken")),
    ("GET", EVENTS, None, {"syncToken": "x", "timeMin": WINDOW["timeMin"]}, ("invalid", "syncToken")),
    ("GET", "users/me/calendarList", None, {"syncToken": "x", "minAccessRole": "owner"}, ("invalid", "syncToken")),
    ("GET", "calendars/primary/acl", None, {"syncToken": "x", "showDeleted": False}, ("invalid", "syncToken")),
    ("GET", EVENTS, None, {"timeZone": "Mars"}, ("invalid", "timeZone")),
    ("GET", EVENTS, None, {"pageToken": "x"}, ("invalid", "pageToken")),
    ("POST", f"{EVENTS}/quickAdd", None, {"text": " "}, ("required", "text")),
]


@pytest.mark.parametrize(("verb", "path", "body", "query", "wanted"), PLACES)
def test_an_error_names_the_parameter_at_fault(calendar, verb, path, body, query, wanted):
    (error,) = calendar.http(verb, path, body, **query).json()["error"]["errors"]
    assert (error["reason"], error["locationType"], error["location"]) == (wanted[0], "parameter", wanted[1])


@pytest.mark.parametrize(("updated_min", "status"), [("2018-05-29T07:00:00Z", 200), ("2018-05-27T07:00:00Z", 410)])
def test_changes_are_listed_for_twenty_days(world, updated_min, status):
    """https://github.com/googleapis/google-api-dotnet-client/issues/239"""
    calendar = world(clock={"mode": "offset", "start": "2018-06-17T07:00:00Z"})
    assert calendar.http("GET", EVENTS, updatedMin=updated_min).status_code == status


def test_a_mistake_in_a_window_is_a_bad_request(calendar):
    error = calendar.http("POST", "freeBusy", {"timeMin": "2018-06-18", "timeMax": "2018-06-19"}).json()["error"]
    assert error["message"] == "Bad Request"
