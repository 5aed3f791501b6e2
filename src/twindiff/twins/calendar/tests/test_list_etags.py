"""Entity tags of lists: a list that would be read otherwise now is never answered 304."""

from __future__ import annotations

import pytest

from .conftest import ME

WEEK = {"timeMin": "2018-06-17T00:00:00Z", "timeMax": "2018-06-24T00:00:00Z", "singleEvents": True}
EVENTS, RULES, LIST = "calendars/primary/events", "calendars/primary/acl", "users/me/calendarList"


def status(calendar, path, etag, **query):
    return calendar.http("GET", path, headers={"If-None-Match": etag}, **query).status_code


def insert(calendar):
    calendar.insert()


def share(calendar):
    calendar("POST", RULES, {"role": "reader", "scope": {"type": "user", "value": "bea@example.com"}})


def colour(calendar):
    calendar("PATCH", f"{LIST}/primary", {"colorId": "9"})


def rename(calendar):
    calendar("PATCH", "calendars/primary", {"summary": "Other", "timeZone": "Asia/Tokyo"})


def remind(calendar):
    calendar("PATCH", f"{LIST}/primary", {"defaultReminders": [{"method": "popup", "minutes": 5}]})


def answer(calendar):
    (event,) = calendar.list(q="Answered")
    calendar("PATCH", f"{EVENTS}/{event['id']}", {"attendees": [{"email": ME, "responseStatus": "declined"}]})


CHANGES = [
    (EVENTS, {}, insert),
    (EVENTS, WEEK, insert),
    (EVENTS, {"q": "Review"}, insert),
    (EVENTS, {"orderBy": "updated"}, insert),
    (EVENTS, {"maxResults": 1}, insert),
    (EVENTS, WEEK, answer),
    (EVENTS, {}, rename),
    (EVENTS, {}, remind),
    (RULES, {}, share),
    (RULES, {"showDeleted": True}, share),
    (LIST, {}, colour),
    (LIST, {}, rename),
    (LIST, {"minAccessRole": "owner"}, rename),
    (f"{LIST}/primary", {}, rename),
    ("calendars/primary", {}, rename),
]


@pytest.mark.parametrize(("path", "query", "change"), CHANGES)
def test_the_tag_of_a_list_moves_with_what_it_shows(calendar, path, query, change):
    calendar.insert(summary="Answered", attendees=[{"email": ME}])
    before = calendar("GET", path, **query)
    assert status(calendar, path, before["etag"], **query) == 304
    change(calendar)
    assert status(calendar, path, before["etag"], **query) == 200
    assert calendar("GET", path, **query)["etag"] != before["etag"]


@pytest.mark.parametrize(
    ("path", "change"), [(EVENTS, insert), (RULES, share), (LIST, colour), ("users/me/settings", None)]
)
def test_the_tag_of_one_query_is_not_the_tag_of_another(calendar, path, change):
    whole = calendar("GET", path)
    tags = {
        whole["etag"],
        *(calendar("GET", path, **query)["etag"] for query in ({"maxResults": 1}, {"maxResults": 7})),
    }
    assert len(tags) == 3
    since = {"syncToken": whole["nextSyncToken"]}
    none = calendar("GET", path, **since)
    assert (none["items"], status(calendar, path, whole["etag"], **since)) == ([], 200)
    assert status(calendar, path, none["etag"], **since) == 304
    if change:
        change(calendar)
        assert status(calendar, path, none["etag"], **since) == 200


def test_a_role_that_changes_changes_the_tag_of_the_list_entry(colleagues):
    agent, bea, _ = colleagues
    rule = {"role": "reader", "scope": {"type": "user", "value": "bea@example.com"}}
    agent("POST", RULES, rule)
    entry = bea("POST", LIST, {"id": ME})
    whole = bea("GET", LIST)["etag"]
    agent("POST", RULES, {**rule, "role": "writer"})
    assert status(bea, f"{LIST}/{ME}", entry["etag"]) == 200
    assert status(bea, LIST, whole) == 200


def test_a_list_says_when_its_events_last_changed(calendar):
    before = calendar("GET", EVENTS)["updated"]
    calendar.advance(60)
    made = calendar.insert()
    assert calendar("GET", EVENTS)["updated"] == made["updated"] > before


def test_the_tag_of_a_list_entry_guards_its_changes(calendar):
    entry = calendar("GET", f"{LIST}/primary")
    calendar("PATCH", f"{LIST}/primary", {"colorId": "9"}, headers={"If-Match": entry["etag"]})
    refused = calendar.refusal("PUT", f"{LIST}/primary", {"colorId": "8"}, headers={"If-Match": entry["etag"]})
    assert refused == (412, "conditionNotMet")
