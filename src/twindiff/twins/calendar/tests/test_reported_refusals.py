"""Requests that people report Google refused; the sources stand beside the code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import Platform

from .conftest import AGENT, TOKENS, Calendar, at

EVENTS = "calendars/primary/events"
TIMES = at("2018-06-18T09:00", "2018-06-18T10:00")
POPUP = {"overrides": [{"method": "popup", "minutes": 5}]}
DATES = {"start": {"date": "2018-06-18"}, "end": TIMES["end"]}


@pytest.fixture(scope="module")
def shared(platform: Platform) -> Calendar:
    """One calendar for all requests here; nothing that is refused changes it."""
    return Calendar(platform.environment("calendar:calendar_base", AGENT, tokens=TOKENS))


@pytest.mark.parametrize(
    ("fields", "reason", "message"),
    [
        (
            {"reminders": POPUP},
            "cannotUseDefaultRemindersAndSpecifyOverride",
            "Cannot specify both default reminders and overrides at the same time.",
        ),
        (DATES, "badRequest", "Bad Request"),
        (
            {"end": {"date": "2018-06-19"}},
            "invalid",
            "Start and end times must either both be date or both be dateTime.",
        ),
        (
            {"outOfOfficeProperties": {}},
            "eventTypeRestriction",
            "outOfOfficeProperties requires an event type of outOfOffice.",
        ),
        ({"id": "abcde01", "iCalUID": "u@x"}, "invalid", "Invalid resource id value."),
    ],
)
def test_an_event_is_refused_for_what_does_not_go_together(shared: Calendar, fields, reason, message):
    answer = shared.http("POST", EVENTS, {**TIMES, **fields})
    (error,) = answer.json()["error"]["errors"]
    assert (answer.status_code, error["reason"], error["message"]) == (400, reason, message)


def test_a_patch_with_overrides_alone_leaves_the_default_reminders_in_force(shared: Calendar):
    id = shared.insert()["id"]
    wanted = (400, "cannotUseDefaultRemindersAndSpecifyOverride")
    assert shared.refusal("PATCH", f"{EVENTS}/{id}", {"reminders": POPUP}) == wanted
    assert shared("PATCH", f"{EVENTS}/{id}", {"reminders": {"useDefault": False, **POPUP}})


@pytest.mark.parametrize(("days", "reason"), [(92, None), (93, "timeRangeTooLong")])
def test_free_busy_is_told_of_three_months_at_most(shared: Calendar, days: int, reason: str | None):
    span = {"timeMin": "2018-01-01T00:00:00Z", "timeMax": f"2018-04-{days - 90 + 1:02}T00:00:00Z"}
    body: dict[str, Any] = {**span, "items": [{"id": "primary"}]}
    if reason is None:
        assert shared("POST", "freeBusy", body)["calendars"]["primary"] == {"busy": []}
    else:
        assert shared.refusal("POST", "freeBusy", body) == (400, reason)


@pytest.mark.parametrize("id", ["a b", "a.b", "ü"])
@pytest.mark.parametrize("path", [EVENTS, "calendars/primary/acl", "users/me/calendarList", "users/me/settings"])
def test_a_channel_s_id_has_letters_digits_and_few_signs(shared: Calendar, path: str, id: str):
    channel = {"id": id, "type": "web_hook", "address": "https://example.com/hook"}
    assert shared.refusal("POST", f"{path}/watch", channel) == (400, "invalid")


def test_who_may_only_read_is_told_of_writer_access(world):
    agent = world("calendar_default")
    answer = agent.http("POST", "calendars/c_anchor@group.calendar.google.com/events", {**TIMES, "summary": "x"})
    assert answer.json()["error"]["message"] == "You need to have writer access to this calendar."


def test_addresses_in_other_letters_are_one_attendee(shared: Calendar):
    event = shared.insert(attendees=[{"email": "Guest@x.test"}, {"email": "guest@X.test", "optional": True}])
    assert [(each["email"], each.get("optional")) for each in event["attendees"]] == [("Guest@x.test", True)]
    again = shared("PATCH", f"{EVENTS}/{event['id']}", {"attendees": [{"email": "GUEST@x.test"}]})
    assert [each["email"] for each in again["attendees"]] == ["Guest@x.test"]


def test_what_an_owner_may_not_take_off_the_list_has_its_own_reason(shared: Calendar):
    """https://github.com/GAM-team/GAM has the reasons."""
    own = shared("POST", "calendars", {"summary": "Own"})["id"]
    assert shared.refusal("DELETE", f"users/me/calendarList/{own}") == (403, "cannotUnsubscribeFromOwnedCalendar")
    assert shared.refusal("DELETE", "users/me/calendarList/primary") == (403, "cannotChangeOwnPrimarySubscription")


@pytest.mark.parametrize("scope", [None, {}])
def test_a_rule_misses_the_type_of_its_scope(shared: Calendar, scope: dict[str, Any] | None):
    """https://github.com/google/google-api-javascript-client/issues/70"""
    answer = shared.http("POST", "calendars/primary/acl", {"role": "reader", "scope": scope})
    assert answer.json()["error"]["message"] == "Missing scope type."


def test_an_event_of_a_special_type_is_not_moved(shared: Calendar):
    other = shared("POST", "calendars", {"summary": "Other"})["id"]
    away = shared.insert(eventType="outOfOffice", outOfOfficeProperties={"autoDeclineMode": "declineNone"})
    refused = shared.refusal("POST", f"{EVENTS}/{away['id']}/move", destination=other)
    assert refused == (400, "eventTypeRestriction")
