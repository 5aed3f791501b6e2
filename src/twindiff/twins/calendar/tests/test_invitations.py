"""Invitations, rights, mails, reminders: what several people see of one event."""

from __future__ import annotations

import json

import pytest

from .conftest import BASE, BEA, ME, at

CEM = "cem@example.com"


@pytest.fixture
def invited(colleagues):
    agent, _, _ = colleagues
    return agent.insert(attendees=[{"email": BEA}, {"email": CEM}], colorId="3")


def mails(calendar, kind=None):
    rows = [row for row in calendar.diff()["inserts"] if row["__table__"] == "calendar_outgoing_mail"]
    return sorted(row["recipient"] for row in rows if kind in (None, row["kind"]))


def test_who_is_invited_sees_the_event_in_their_own_calendar_and_zone(colleagues, invited):
    _, bea, _ = colleagues
    (seen,) = bea.list()
    assert (seen["id"], seen["organizer"]["email"]) == (invited["id"], ME)
    assert seen["start"]["dateTime"] == "2018-06-18T18:00:00+02:00"
    assert "colorId" not in seen
    assert [each["email"] for each in seen["attendees"] if each.get("self")] == [BEA]


def test_an_answer_is_seen_by_all(colleagues, invited):
    agent, bea, _ = colleagues
    answer = {"attendees": [{"email": BEA, "responseStatus": "accepted", "comment": "Gladly"}]}
    bea("PATCH", f"calendars/primary/events/{invited['id']}", answer, sendUpdates="all")
    attendees = agent("GET", f"calendars/primary/events/{invited['id']}")["attendees"]
    assert [(each["email"], each["responseStatus"]) for each in attendees] == [(BEA, "accepted"), (CEM, "needsAction")]
    assert mails(agent) == [ME]


def test_what_all_share_is_the_organizer_s_to_change(colleagues, invited):
    agent, bea, _ = colleagues
    path = f"calendars/primary/events/{invited['id']}"
    assert bea.refusal("PATCH", path, {"summary": "Mine"}) == (403, "forbiddenForNonOrganizer")
    agent("PATCH", path, {"guestsCanModify": True})
    assert bea("PATCH", path, {"summary": "Ours"})["summary"] == agent("GET", path)["summary"] == "Ours"


def test_each_copy_has_a_colour_of_its_own(colleagues, invited):
    agent, bea, _ = colleagues
    path = f"calendars/primary/events/{invited['id']}"
    assert bea("PATCH", path, {"colorId": "7"})["colorId"] == "7"
    assert agent("GET", path)["colorId"] == "3"


def test_who_takes_an_event_off_their_calendar_has_declined(colleagues, invited):
    agent, bea, cem = colleagues
    path = f"calendars/primary/events/{invited['id']}"
    bea("DELETE", path)
    assert (bea.list(), len(cem.list())) == ([], 1)
    responses = {each["email"]: each["responseStatus"] for each in agent("GET", path)["attendees"]}
    assert responses[BEA] == "declined"
    assert bea.refusal("DELETE", path) == (410, "deleted")


def test_who_is_no_longer_invited_is_told_so_by_a_sync(colleagues, invited):
    agent, bea, _ = colleagues
    token = bea("GET", "calendars/primary/events")["nextSyncToken"]
    agent("PATCH", f"calendars/primary/events/{invited['id']}", {"attendees": [{"email": CEM}]})
    assert [(event["id"], event["status"]) for event in bea.list(syncToken=token)] == [(invited["id"], "cancelled")]
    assert bea.list() == []


def test_invitations_are_hidden_until_they_are_answered_from_who_wants_it_so(world, platform):
    """https://developers.google.com/workspace/calendar/api/v3/reference/settings#hideInvitations"""
    bea = {"id": "bea", "email": BEA}
    seed = json.loads(BASE.read_text())
    seed["calendar_users"].append(bea)
    seed["calendars"].append({"id": BEA, "summary": BEA, "owner_id": "bea"})
    seed["calendar_settings"] = [{"user_id": "bea", "setting_id": "hideInvitations", "value": "true"}]
    platform.post("import", {"files": {"calendar_hides.json": seed}})
    agent = world("calendar_hides", tokens={"ya29.agent": "user_agent", "ya29.bea": "bea"})
    bea, id = agent.as_user("ya29.bea"), agent.insert(attendees=[{"email": BEA}])["id"]
    assert bea.list() == []
    assert [event["id"] for event in bea.list(showHiddenInvitations=True)] == [id]
    answer = {"attendees": [{"email": BEA, "responseStatus": "tentative"}]}
    bea("PATCH", f"calendars/primary/events/{id}", answer)
    assert [event["id"] for event in bea.list()] == [id]


def test_who_is_no_longer_invited_reads_nothing_of_an_event(colleagues, invited):
    agent, bea, _ = colleagues
    agent("PATCH", f"calendars/primary/events/{invited['id']}", {"attendees": [], "summary": "Secret"})
    (event,) = bea.list(showDeleted=True)
    assert event.keys() == {"kind", "etag", "id", "status"}


def test_one_occurrence_without_somebody_leaves_their_other_ones(colleagues):
    agent, bea, _ = colleagues
    series = agent.insert(attendees=[{"email": BEA}], recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    agent("PATCH", f"calendars/primary/events/{series['id']}_20180619T160000Z", {"attendees": []})
    assert len(bea.list(singleEvents=True)) == 2
    assert len(agent.list(singleEvents=True)) == 3


def test_mails_are_sent_as_far_as_they_are_asked_for(colleagues):
    agent, _, _ = colleagues
    guests = [{"email": BEA}, {"email": "out@side.org"}]
    agent.insert(attendees=guests)
    assert mails(agent) == []
    agent.insert(attendees=guests, query={"sendUpdates": "externalOnly"})
    assert mails(agent, "invitation") == ["out@side.org"]
    made = agent.insert(attendees=guests, query={"sendNotifications": True})
    agent("DELETE", f"calendars/primary/events/{made['id']}", sendUpdates="all")
    assert mails(agent, "cancellation") == [BEA, "out@side.org"]


def test_an_answer_goes_to_the_calendar_that_an_event_was_moved_to(colleagues, invited):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/move"""
    agent, bea, _ = colleagues
    garden = agent("POST", "calendars", {"summary": "Garden"})["id"]
    agent("POST", f"calendars/primary/events/{invited['id']}/move", destination=garden)
    answer = {"attendees": [{"email": BEA, "responseStatus": "accepted"}]}
    bea("PATCH", f"calendars/primary/events/{invited['id']}", answer, sendUpdates="all")
    assert mails(agent, "response") == [garden]


def test_strangers_see_nothing_and_learn_nothing(colleagues, invited):
    _, bea, _ = colleagues
    for verb, path in (
        ("GET", f"calendars/{ME}"),
        ("GET", f"calendars/{ME}/events"),
        ("GET", f"calendars/{ME}/acl"),
        ("DELETE", f"calendars/{ME}/events/{invited['id']}"),
        ("POST", f"calendars/{ME}/clear"),
    ):
        assert bea.refusal(verb, path) == (404, "notFound")


ALLOWED = {"freeBusyReader": 2, "reader": 2, "writerWithoutPrivateAccess": 4, "writer": 5, "owner": 6}
"""How many of the calls below: https://developers.google.com/workspace/calendar/api/v3/reference/acl#role"""


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_grants_so_much_and_no_more(colleagues, invited, role):
    agent, bea, _ = colleagues
    agent("POST", "calendars/primary/acl", {"role": role, "scope": {"type": "user", "value": BEA}})
    event = f"calendars/{ME}/events/{invited['id']}"
    calls = [
        ("GET", f"calendars/{ME}/events", None),
        ("GET", event, None),
        ("PATCH", event, {"summary": "Hers"}),
        ("POST", f"calendars/{ME}/events", at("2018-06-18T09:00", "2018-06-18T10:00")),
        ("GET", f"calendars/{ME}/acl", None),
        ("PATCH", f"calendars/{ME}", {"description": "Hers"}),
    ]
    answers = [bea.http(*call) for call in calls]
    allowed = ALLOWED[role]
    assert [answer.status_code for answer in answers] == [200] * allowed + [403] * (len(calls) - allowed)
    reasons = {answer.json()["error"]["errors"][0]["reason"] for answer in answers[allowed:]}
    assert reasons <= {"requiredAccessLevel"}


def test_readers_do_not_see_what_is_private(colleagues):
    agent, bea, _ = colleagues
    agent.insert(summary="Secret", visibility="private")
    agent.insert(summary="Open")
    rule = agent(
        "POST", "calendars/primary/acl", {"role": "reader", "scope": {"type": "domain", "value": "example.com"}}
    )
    assert sorted(str(event.get("summary")) for event in bea.list(ME)) == ["None", "Open"]
    agent("PATCH", f"calendars/primary/acl/{rule['id']}", {"role": "freeBusyReader"})
    assert [event.get("summary") for event in bea.list(ME)] == [None, None]


def test_free_and_busy_times_respect_what_is_transparent_declined_or_hidden(colleagues, invited):
    agent, bea, _ = colleagues
    agent.insert(transparency="transparent", **at("2018-06-18T11:00", "2018-06-18T12:00"))
    agent("POST", "calendars/primary/acl", {"role": "freeBusyReader", "scope": {"type": "default"}})
    window = {"timeMin": "2018-06-18T00:00:00Z", "timeMax": "2018-06-19T00:00:00Z"}
    asked = {**window, "items": [{"id": ME}, {"id": "primary"}, {"id": CEM}]}
    calendars = bea("POST", "freeBusy", asked)["calendars"]
    assert (
        calendars[ME]["busy"]
        == calendars["primary"]["busy"]
        == [{"start": "2018-06-18T16:00:00Z", "end": "2018-06-18T17:00:00Z"}]
    )
    assert calendars[CEM]["errors"] == [{"domain": "global", "reason": "notFound"}]
    bea(
        "PATCH",
        f"calendars/primary/events/{invited['id']}",
        {"attendees": [{"email": BEA, "responseStatus": "declined"}]},
    )
    assert bea("POST", "freeBusy", asked)["calendars"]["primary"]["busy"] == []


def test_bad_questions_about_free_times_are_refused(calendar):
    window = {"timeMin": "2018-06-18T00:00:00Z", "timeMax": "2018-06-19T00:00:00Z"}
    for body, reason in (
        ({}, "required"),
        ({**window, "timeMax": window["timeMin"]}, "timeRangeEmpty"),
        ({**window, "timeZone": "Mars/Base"}, "invalid"),
        ({**window, "calendarExpansionMax": 51}, "invalid"),
    ):
        assert calendar.refusal("POST", "freeBusy", body) == (400, reason)


def test_a_reminder_by_mail_is_sent_at_its_time_once(calendar):
    reminders = {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]}
    calendar.insert(reminders=reminders)
    calendar.advance(86_400)
    assert mails(calendar, "reminder") == []
    calendar.advance(9 * 3_600)
    (mail,) = [row for row in calendar.diff()["inserts"] if row["__table__"] == "calendar_outgoing_mail"]
    assert (mail["recipient"], mail["sent_at"][:16]) == (ME, "2018-06-18T15:00")
    calendar.advance(86_400)
    assert mails(calendar, "reminder") == [ME]


def test_each_occurrence_is_reminded_of_and_a_cancelled_one_is_not(calendar):
    reminders = {"useDefault": False, "overrides": [{"method": "email", "minutes": 30}]}
    series = calendar.insert(reminders=reminders, recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    calendar("DELETE", f"calendars/primary/events/{series['id']}_20180619T160000Z")
    calendar.advance(5 * 86_400)
    assert mails(calendar, "reminder") == [ME, ME]


def test_defaults_of_the_list_remind_too(calendar):
    calendar("PATCH", "users/me/calendarList/primary", {"defaultReminders": [{"method": "email", "minutes": 10}]})
    calendar.insert()
    calendar.advance(3 * 86_400)
    assert mails(calendar, "reminder") == [ME]


def test_other_defaults_of_the_list_hold_for_what_is_there(calendar):
    own = {"useDefault": False, "overrides": [{"method": "popup", "minutes": 5}]}
    calendar.insert(recurrence=["RRULE:FREQ=DAILY;COUNT=2"])
    calendar.insert(reminders=own)
    entry = "users/me/calendarList/primary"
    calendar("PATCH", entry, {"defaultReminders": [{"method": "email", "minutes": 30}]})
    calendar("PATCH", entry, {"defaultReminders": [{"method": "email", "minutes": 120}]})
    calendar.advance(86_400 + 8 * 3_600)
    (mail,) = [row for row in calendar.diff()["inserts"] if row["__table__"] == "calendar_outgoing_mail"]
    assert mail["sent_at"][:16] == "2018-06-18T14:00"
    calendar("PATCH", entry, {"defaultReminders": []})
    calendar.advance(5 * 86_400)
    assert mails(calendar, "reminder") == [ME]


def test_ownership_goes_to_somebody_else(colleagues):
    agent, bea, _ = colleagues
    id = agent("POST", "calendars", {"summary": "Garden"})["id"]
    agent("POST", f"calendars/{id}/transferOwnership", newDataOwner=BEA, useAdminAccess=True)
    assert bea("GET", f"calendars/{id}/acl")["items"][0]["role"] == "owner"
    assert agent("GET", f"calendars/{id}")["dataOwner"] == BEA
    agent_rule = f"calendars/{id}/acl/user:{ME}"
    bea("DELETE", agent_rule)
    assert agent.refusal("GET", f"calendars/{id}/acl") == (404, "notFound")


@pytest.mark.parametrize(
    ("id", "owner", "admin", "refusal"),
    [
        ("garden", "x@y.z", True, (404, "notFound")),
        ("garden", BEA, False, (400, "invalid")),
        ("primary", BEA, True, (400, "invalid")),
        ("nowhere", BEA, True, (404, "notFound")),
    ],
)
def test_ownership_of_secondary_calendars_alone_goes_to_the_same_organization_by_admins(
    colleagues, id, owner, admin, refusal
):
    """https://developers.google.com/workspace/calendar/api/v3/reference/calendars/transferOwnership"""
    agent, _, _ = colleagues
    ids = {"garden": agent("POST", "calendars", {"summary": "Garden"})["id"]}
    asked = {"newDataOwner": owner, "useAdminAccess": admin}
    assert agent.refusal("POST", f"calendars/{ids.get(id, id)}/transferOwnership", **asked) == refusal


def test_who_writes_without_private_access_sees_and_changes_nothing_private(colleagues):
    """https://developers.google.com/workspace/calendar/api/v3/reference/acl#role"""
    agent, bea, _ = colleagues
    rule = {"role": "writerWithoutPrivateAccess", "scope": {"type": "user", "value": BEA}}
    agent("POST", "calendars/primary/acl", rule)
    event = f"calendars/{ME}/events/{agent.insert(visibility='private')['id']}"
    assert "summary" not in bea("GET", event)
    assert bea.refusal("PATCH", event, {"summary": "Hers"}) == (403, "requiredAccessLevel")
    listed = agent("GET", "users/me/calendarList", minAccessRole="writerWithoutPrivateAccess")
    assert [entry["accessRole"] for entry in listed["items"]] == ["owner"]
