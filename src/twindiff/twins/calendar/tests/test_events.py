"""Events: made, changed, cancelled, moved, imported, listed."""

from __future__ import annotations

import pytest

from .conftest import ME, at

ATTIC = {
    "eventType": "workingLocation",
    "visibility": "public",
    "transparency": "transparent",
    "workingLocationProperties": {"type": "officeLocation", "officeLocation": {"label": "Attic", "deskId": "D7"}},
}
BIRTHDAY = {
    "eventType": "birthday",
    "visibility": "private",
    "transparency": "transparent",
    "recurrence": ["RRULE:FREQ=YEARLY"],
    **at("2018-06-18", "2018-06-19"),
}


def test_start_and_end_are_kept_as_given_and_shown_in_the_calendar_s_zone(calendar):
    made = calendar.insert(**at("2018-06-18T18:00", "2018-06-18T19:00", "Europe/Berlin"))
    assert made["start"] == {"dateTime": "2018-06-18T09:00:00-07:00", "timeZone": "Europe/Berlin"}
    (row,) = [row for row in calendar.diff()["inserts"] if row["__table__"] == "calendar_events"]
    assert row["start"] == {"dateTime": "2018-06-18T18:00:00", "timeZone": "Europe/Berlin"}


def test_an_answer_is_in_the_zone_that_is_asked_for(calendar):
    id = calendar.insert()["id"]
    shown = calendar("GET", f"calendars/primary/events/{id}", timeZone="Asia/Tokyo")
    assert shown["start"]["dateTime"] == "2018-06-19T01:00:00+09:00"


def test_a_time_with_an_offset_is_in_the_calendar_s_zone(calendar):
    times = {"start": {"dateTime": "2018-06-18T16:00:00Z"}, "end": {"dateTime": "2018-06-18T17:00:00Z"}}
    start = {"dateTime": "2018-06-18T09:00:00-07:00", "timeZone": "America/Los_Angeles"}
    assert calendar.insert(**times)["start"] == start


def test_all_day_events_have_days(calendar):
    made = calendar.insert(**at("2018-06-18", "2018-06-20"))
    assert (made["start"], made["end"]) == ({"date": "2018-06-18"}, {"date": "2018-06-20"})
    late = {"timeMin": "2018-06-20T06:00:00Z", "timeMax": "2018-06-20T06:30:00Z"}
    assert len(calendar.list(**late)) == 1  # still the nineteenth in Los Angeles
    assert calendar.list(timeMin="2018-06-20T07:00:00Z") == []


WRONG = [
    ({"start": {}}, "required"),
    ({"end": None}, "required"),
    (at("2018-06-18T10:00", "2018-06-18T09:00"), "timeRangeEmpty"),
    (at("2018-06-18", "2018-06-18"), "timeRangeEmpty"),
    ({"start": {"date": "2018-06-18"}}, "badRequest"),
    ({"start": {"date": "2018-02-30"}, "end": {"date": "2018-03-02"}}, "badRequest"),
    ({"start": {"dateTime": "tomorrow", "timeZone": "UTC"}}, "badRequest"),
    ({"start": {"dateTime": "2018-06-18T09:00:00"}}, "required"),
    ({"start": {"dateTime": "2018-06-18T09:00:00", "timeZone": "Mars/Base"}}, "invalid"),
    ({"status": "maybe"}, "invalid"),
    ({"colorId": "12"}, "invalid"),
    ({"id": "UPPER"}, "invalid"),
    ({"attendees": [{"email": "nobody"}]}, "invalid"),
    ({"attendees": [{"displayName": "Nobody"}]}, "required"),
    ({"attendees": [{"email": f"a{number}@example.com"} for number in range(201)]}, "limitExceeded"),
    ({"recurrence": ["RRULE:FREQ=SOMETIMES"]}, "invalid"),
    ({"recurrence": ["RRULE:FREQ=SECONDLY"]}, "invalid"),
    ({"recurrence": ["RRULE:FREQ=DAILY;COUNT=0"]}, "invalid"),
    ({"recurrence": ["DTSTART:20180618T090000"]}, "invalid"),
    ({"recurrence": ["EXDATE:20180618T090000Z"]}, "invalid"),
    ({"recurrence": ["RRULE:FREQ=DAILY;INTERVAL=99999999999999999999"]}, "invalid"),
    (
        {"reminders": {"useDefault": True, "overrides": [{"method": "email", "minutes": 5}]}},
        "cannotUseDefaultRemindersAndSpecifyOverride",
    ),
    ({"reminders": {"useDefault": False, "overrides": [{"method": "email", "minutes": "soon"}]}}, "invalid"),
    (
        {"reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 5}] * 6}},
        "eventRemindersCountExceedsLimit",
    ),
    ({"recurrence": ["RRULE:FREQ=DAILY;COUNT=3;UNTIL=20180630T000000Z"]}, "invalid"),
    ({"eventType": "outOfOffice", **at("2018-06-18", "2018-06-19")}, "malformedOutOfOfficeEvent"),
    ({"eventType": "outOfOffice", "description": "Bye"}, "malformedOutOfOfficeEvent"),
    ({"eventType": "outOfOffice", "location": "Sea"}, "malformedOutOfOfficeEvent"),
    ({"eventType": "outOfOffice", "outOfOfficeProperties": {"autoDeclineMode": "x"}}, "invalid"),
    ({"eventType": "focusTime", "transparency": "transparent"}, "malformedFocusTimeEvent"),
    ({"eventType": "focusTime", "attendees": [{"email": "a@b.c"}]}, "malformedFocusTimeEvent"),
    ({"eventType": "focusTime", "focusTimeProperties": {"chatStatus": "x"}}, "invalid"),
    ({**ATTIC, "visibility": "default"}, "malformedWorkingLocationEvent"),
    ({**ATTIC, "transparency": "opaque"}, "malformedWorkingLocationEvent"),
    ({**ATTIC, **at("2018-06-18", "2018-06-20")}, "malformedWorkingLocationEvent"),
    ({**ATTIC, "workingLocationProperties": {"type": "moon"}}, "invalid"),
    ({**BIRTHDAY, "recurrence": ["RRULE:FREQ=MONTHLY"]}, "eventTypeRestriction"),
    ({**BIRTHDAY, "visibility": "public"}, "eventTypeRestriction"),
    ({**BIRTHDAY, **at("2018-06-18", "2018-06-20")}, "eventTypeRestriction"),
    ({**BIRTHDAY, "birthdayProperties": {"type": "anniversary"}}, "invalid"),
    ({"eventType": "fromGmail"}, "invalid"),
    ({"eventType": "workingLocation"}, "required"),
    ({"summary": 7}, "invalid"),
    ({"extendedProperties": {"private": {"a": 1}}}, "invalid"),
]


@pytest.mark.parametrize(("wrong", "reason"), WRONG, ids=lambda value: str(value)[:60])
def test_what_no_event_can_be_is_refused_and_nothing_is_written(calendar, wrong, reason):
    body = {**at("2018-06-18T09:00", "2018-06-18T10:00"), **wrong}
    assert calendar.refusal("POST", "calendars/primary/events", body) == (400, reason)
    assert not any(calendar.diff("all").values())


def test_a_rule_that_never_comes_true_is_found_out_in_bounded_time(calendar):
    calendar.insert(recurrence=["RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"])
    assert len(calendar.list(singleEvents=True)) == 1  # the start that it was given


def test_an_id_is_used_once(calendar):
    calendar.insert(id="abcde12345")
    assert calendar.refusal(
        "POST", "calendars/primary/events", {**at("2018-06-18", "2018-06-19"), "id": "abcde12345"}
    ) == (
        409,
        "duplicate",
    )


def test_a_patch_merges_objects_and_an_update_replaces_all(calendar):
    path = (
        f"calendars/primary/events/{calendar.insert(location='Attic', extendedProperties={'shared': {'a': '1'}})['id']}"
    )
    patched = calendar("PATCH", path, {"extendedProperties": {"shared": {"b": "2"}}, "summary": "Audit"})
    assert (patched["location"], patched["extendedProperties"]["shared"]) == ("Attic", {"a": "1", "b": "2"})
    replaced = calendar("PUT", path, at("2018-06-19T09:00", "2018-06-19T10:00"))
    assert not {"location", "summary", "extendedProperties"} & replaced.keys()


def test_a_patch_of_the_start_alone_keeps_its_zone(calendar):
    id = calendar.insert(**at("2018-06-18T09:00", "2018-06-18T12:00", "Europe/Berlin"))["id"]
    start = calendar("PATCH", f"calendars/primary/events/{id}", {"start": {"dateTime": "2018-06-18T10:00:00"}})["start"]
    assert start == {"dateTime": "2018-06-18T01:00:00-07:00", "timeZone": "Europe/Berlin"}


def test_a_timed_event_becomes_one_of_a_whole_day(calendar):
    id = calendar.insert()["id"]
    days = {name: {**day, "dateTime": None} for name, day in at("2018-06-18", "2018-06-19").items()}
    assert calendar("PATCH", f"calendars/primary/events/{id}", days)["end"] == {"date": "2018-06-19"}


def test_a_cancelled_event_is_seen_by_who_asks_and_can_come_back(calendar):
    id = calendar.insert()["id"]
    path = f"calendars/primary/events/{id}"
    calendar("DELETE", path)
    assert (calendar.list(), calendar("GET", path)["status"]) == ([], "cancelled")
    assert [event["status"] for event in calendar.list(showDeleted=True)] == ["cancelled"]
    assert calendar.refusal("DELETE", path) == (410, "deleted")
    calendar("PATCH", path, {"status": "confirmed"})
    assert [event["id"] for event in calendar.list()] == [id]


def test_a_status_of_cancelled_cancels(calendar):
    calendar("PATCH", f"calendars/primary/events/{calendar.insert()['id']}", {"status": "cancelled"})
    assert calendar.list() == []


def test_a_move_changes_the_calendar_and_nothing_else(calendar):
    id, other = calendar.insert()["id"], calendar("POST", "calendars", {"summary": "Garden"})["id"]
    run = calendar.environment.platform.start(calendar.environment)
    moved = calendar("POST", f"calendars/primary/events/{id}/move", destination=other)
    assert moved["organizer"]["email"] == other
    (update,) = calendar.environment.platform.diff(run)["updates"]
    assert {*update["changed"]} - {"etag", "updated_at"} == {"calendar_id"}
    assert calendar.refusal("GET", f"calendars/primary/events/{id}") == (404, "notFound")
    assert calendar("GET", f"calendars/{other}/events/{id}")["id"] == id


def test_an_import_keeps_its_organizer_and_comes_again_as_an_update(calendar):
    people = {"organizer": {"email": "ann@else.com"}, "attendees": [{"email": ME}]}
    body = {**at("2018-06-18T09:00", "2018-06-18T10:00"), "iCalUID": "x@y", **people}
    first = calendar("POST", "calendars/primary/events/import", {**body, "summary": "One"})
    second = calendar("POST", "calendars/primary/events/import", {**body, "summary": "Two"})
    assert (first["id"], second["summary"]) == (second["id"], "Two")
    assert second["organizer"] == {"email": "ann@else.com"}
    assert calendar.refusal("POST", "calendars/primary/events/import", at("2018-06-18", "2018-06-19")) == (
        400,
        "required",
    )


def test_a_meeting_of_google_meet_is_made_on_request(calendar):
    wanted = {"createRequest": {"requestId": "r1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}}
    made = calendar.insert(conferenceData=wanted, query={"conferenceDataVersion": 1})
    assert made["hangoutLink"] == made["conferenceData"]["entryPoints"][0]["uri"]
    assert "conferenceData" not in calendar.insert(conferenceData=wanted)


def test_attachments_need_a_client_that_supports_them(calendar):
    attached = [{"fileUrl": "https://drive.google.com/x", "title": "Plan"}]
    assert "attachments" not in calendar.insert(attachments=attached)
    assert calendar.insert(attachments=attached, query={"supportsAttachments": True})["attachments"] == attached


def test_a_working_location_is_kept_on_a_primary_calendar_alone(calendar):
    assert calendar.insert(**ATTIC)["workingLocationProperties"] == ATTIC["workingLocationProperties"]
    other = calendar("POST", "calendars", {"summary": "Garden"})["id"]
    refused = calendar.refusal(
        "POST", f"calendars/{other}/events", {**at("2018-06-18T09:00", "2018-06-18T10:00"), **ATTIC}
    )
    assert refused == (400, "eventTypeRestriction")
    assert [event["eventType"] for event in calendar.list(eventTypes="workingLocation")] == ["workingLocation"]
    assert calendar.list(eventTypes="focusTime") == []


@pytest.mark.parametrize(
    ("event", "q"),
    [
        (ATTIC, "attic d7"),
        (ATTIC, "office"),
        ({"eventType": "outOfOffice"}, "out of OFFICE"),
        ({"attendees": [{"email": "x@y.z", "displayName": "Zoe"}]}, "zoe"),
    ],
)
def test_a_search_looks_at_places_kinds_and_guests(calendar, event, q):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/list#q"""
    made = calendar.insert(**event)
    calendar.insert(**BIRTHDAY)
    assert [each["id"] for each in calendar.list(q=q)] == [made["id"]]
    assert calendar.list(q=made["id"]) == calendar.list(q="creator@example.com") == []


def test_an_update_that_omits_attendees_answers_for_one_of_them(calendar):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events#attendeesOmitted"""
    id = calendar.insert(attendees=[{"email": "x@y.z"}, {"email": ME}])["id"]
    answer = {"attendeesOmitted": True, "attendees": [{"email": ME, "responseStatus": "declined"}]}
    event = calendar("PATCH", f"calendars/primary/events/{id}", answer)
    assert {each["email"]: each["responseStatus"] for each in event["attendees"]} == {
        "x@y.z": "needsAction",
        ME: "declined",
    }


def test_other_reminders_do_not_update_an_event(calendar):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events#updated"""
    before = calendar.insert()
    reminders = {"useDefault": False, "overrides": [{"method": "popup", "minutes": 5}]}
    after = calendar("PATCH", f"calendars/primary/events/{before['id']}", {"reminders": reminders})
    assert (after["reminders"], after["updated"], after["etag"] != before["etag"]) == (
        reminders,
        before["updated"],
        True,
    )


def test_of_many_attendees_the_participant_alone_is_given(calendar):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/get#maxAttendees"""
    people = [{"email": email} for email in ("x@y.z", ME, "u@v.w")]
    id, other = calendar.insert(attendees=people)["id"], calendar.insert(attendees=people[::2])["id"]
    event = calendar("GET", f"calendars/primary/events/{id}", maxAttendees=2)
    assert ([each["email"] for each in event["attendees"]], event["attendeesOmitted"]) == ([ME], True)
    assert "attendees" not in calendar("GET", f"calendars/primary/events/{other}", maxAttendees=1)


@pytest.mark.parametrize(
    "query",
    [
        {"timeMin": "2018-06-18T09:00:00"},
        {"timeMax": "2018-06-18"},
        {"updatedMin": "2018-06-18T09:00:00"},
        {"timeZone": "Mars/Olympus"},
        {"eventTypes": "party"},
    ],
)
def test_a_window_has_offsets_and_a_real_zone(calendar, query):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/list#timeMin"""
    is_time = not {"timeZone", "eventTypes"} & query.keys()
    wanted = "badRequest" if is_time else "invalid"
    assert calendar.refusal("GET", "calendars/primary/events", **query) == (400, wanted)


def test_what_was_deleted_since_a_time_is_listed_with_what_was_changed(calendar):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events/list#updatedMin"""
    id = calendar.insert()["id"]
    calendar("DELETE", f"calendars/primary/events/{id}")
    assert [event["status"] for event in calendar.list(updatedMin="2018-06-01T00:00:00Z")] == ["cancelled"]
    assert calendar.list() == calendar.list(updatedMin="2018-07-01T00:00:00Z") == []


def test_lists_are_filtered_by_what_stands_in_events(calendar):
    one = calendar.insert(summary="Oil the gripper", extendedProperties={"private": {"team": "blue"}})
    calendar.insert(summary="Paint", description="the gripper")
    names = lambda **query: sorted(event["summary"] for event in calendar.list(**query))  # noqa: E731
    assert names(q="GRIPPER") == ["Oil the gripper", "Paint"]
    assert names(q="gripper oil") == names(privateExtendedProperty="team=blue") == ["Oil the gripper"]
    assert names(iCalUID=one["iCalUID"]) == ["Oil the gripper"]
    assert names(privateExtendedProperty="team=red") == names(sharedExtendedProperty="team=blue") == []
    assert calendar.refusal("GET", "calendars/primary/events", privateExtendedProperty="x") == (400, "invalid")


def test_lists_are_ordered_on_request(calendar):
    late = calendar.insert(summary="Late", **at("2018-06-19T09:00", "2018-06-19T10:00"))
    calendar.insert(summary="Early")
    calendar("PATCH", f"calendars/primary/events/{late['id']}", {"location": "Attic"})
    order = lambda **query: [event["summary"] for event in calendar.list(**query)]  # noqa: E731
    assert order(orderBy="startTime", singleEvents=True) == ["Early", "Late"]
    assert order(orderBy="updated") == ["Early", "Late"]
    assert calendar.refusal("GET", "calendars/primary/events", orderBy="startTime") == (400, "invalid")
    assert calendar.refusal("GET", "calendars/primary/events", orderBy="size") == (400, "invalid")


def test_a_window_has_the_events_that_touch_it(calendar):
    calendar.insert()
    window = lambda low, high: len(calendar.list(timeMin=f"2018-06-18T{low}Z", timeMax=f"2018-06-18T{high}Z"))  # noqa: E731
    assert [window("15:00:00", "16:00:00"), window("15:00:00", "16:00:01"), window("17:00:00", "18:00:00")] == [0, 1, 0]
    query = {"timeMin": "2018-06-18T09:00:00Z", "timeMax": "2018-06-18T09:00:00Z"}
    assert calendar.refusal("GET", "calendars/primary/events", **query) == (400, "timeRangeEmpty")
    assert calendar.refusal("GET", "calendars/primary/events", timeMin="June") == (400, "badRequest")


def test_pages_go_on_where_the_last_one_ended(calendar):
    for hour in range(10, 15):
        calendar.insert(summary=str(hour), **at(f"2018-06-18T{hour}:00", f"2018-06-18T{hour}:30"))
    seen, token = [], ""
    while True:
        page = calendar("GET", "calendars/primary/events", maxResults=2, **({"pageToken": token} if token else {}))
        seen += [event["summary"] for event in page["items"]]
        token = page.get("nextPageToken", "")
        if not token:
            break
    assert seen == ["10", "11", "12", "13", "14"]
    assert calendar.refusal("GET", "calendars/primary/events", pageToken="x") == (400, "invalid")


def test_a_sync_tells_what_has_changed_and_what_was_cancelled(calendar):
    kept, gone = calendar.insert(), calendar.insert()
    token = calendar("GET", "calendars/primary/events")["nextSyncToken"]
    assert calendar.list(syncToken=token) == []
    calendar("PATCH", f"calendars/primary/events/{kept['id']}", {"location": "Attic"})
    calendar("DELETE", f"calendars/primary/events/{gone['id']}")
    assert {event["id"]: event["status"] for event in calendar.list(syncToken=token)} == {
        kept["id"]: "confirmed",
        gone["id"]: "cancelled",
    }
    assert calendar.refusal("GET", "calendars/primary/events", syncToken=token, q="x") == (400, "invalid")
    assert calendar.refusal("GET", "calendars/primary/events", syncToken="old") == (410, "fullSyncRequired")


def test_a_sync_token_of_a_time_that_was_rewound_is_refused(calendar):
    calendar.insert()
    token = calendar("GET", "calendars/primary/events")["nextSyncToken"]
    calendar.environment.platform.post(f"env/{calendar.environment.id}/rewind", {"to": 0})
    assert calendar.refusal("GET", "calendars/primary/events", syncToken=token) == (410, "fullSyncRequired")


def test_a_part_of_an_answer_is_given_on_request(calendar):
    calendar.insert(attendees=[{"email": "bea@example.com"}])
    assert calendar("GET", "calendars/primary/events", fields="items(summary,attendees/email)") == {
        "items": [{"summary": "Review", "attendees": [{"email": "bea@example.com"}]}]
    }


def test_the_organizer_who_is_invited_has_accepted(calendar):
    attendees = calendar.insert(attendees=[{"email": ME}, {"email": "bea@example.com"}])["attendees"]
    assert [(each["email"], each["responseStatus"]) for each in attendees] == [
        (ME, "accepted"),
        ("bea@example.com", "needsAction"),
    ]
    assert attendees[0]["self"] is attendees[0]["organizer"] is True
