"""Calendars, the list of them, their rules, settings and colours."""

from __future__ import annotations

import pytest

from .conftest import ME


def test_a_calendar_that_is_made_is_owned_and_listed(calendar):
    made = calendar("POST", "calendars", {"summary": "Garden", "timeZone": "Europe/Berlin"})
    entry = calendar("GET", f"users/me/calendarList/{made['id']}")
    assert (entry["accessRole"], entry["timeZone"]) == ("owner", "Europe/Berlin")
    assert sorted({row["__table__"] for row in calendar.diff()["inserts"]}) == [
        "calendar_acl_rules",
        "calendar_list_entries",
        "calendars",
    ]


def test_a_calendar_needs_a_summary_and_a_real_zone(calendar):
    assert calendar.refusal("POST", "calendars", {}) == (400, "required")
    assert calendar.refusal("POST", "calendars", {"summary": "X", "timeZone": "Mars/Base"}) == (400, "invalid")
    assert calendar.diff()["inserts"] == []


def test_a_patch_changes_what_it_names_and_an_update_clears_the_rest(calendar):
    path = f"calendars/{calendar('POST', 'calendars', {'summary': 'Garden', 'location': 'Shed'})['id']}"
    assert calendar("PATCH", path, {"description": "Beds"})["location"] == "Shed"
    assert "location" not in calendar("PUT", path, {"summary": "Orchard"})


def test_a_deleted_calendar_is_not_found(calendar):
    path = f"calendars/{calendar('POST', 'calendars', {'summary': 'Garden'})['id']}"
    calendar("DELETE", path)
    assert calendar.refusal("GET", path) == (404, "notFound")


def test_a_primary_calendar_can_be_cleared_and_not_deleted(calendar):
    calendar.insert()
    assert calendar.refusal("DELETE", "calendars/primary")[0] == 403
    calendar("POST", "calendars/primary/clear")
    assert calendar.list() == []


def test_an_older_version_is_not_overwritten(calendar):
    made = calendar("POST", "calendars", {"summary": "Garden"})
    calendar("PATCH", f"calendars/{made['id']}", {"summary": "Orchard"})
    stale = {"If-Match": made["etag"]}
    change = calendar.refusal("PATCH", f"calendars/{made['id']}", {"summary": "Field"}, headers=stale)
    assert change == (412, "conditionNotMet")


def test_who_has_seen_a_version_is_told_that_it_is_the_same(calendar):
    etag = calendar.http("GET", "calendars/primary").headers["ETag"]
    assert calendar.http("GET", "calendars/primary", headers={"If-None-Match": etag}).status_code == 304


def test_an_update_that_changes_nothing_leaves_no_trace(calendar):
    before = calendar("GET", "calendars/primary")
    assert calendar("PATCH", "calendars/primary", {"summary": ME})["etag"] == before["etag"]
    assert not any(calendar.diff("all").values())


def test_a_list_entry_has_colours_of_its_own(calendar):
    entry = calendar("PATCH", "users/me/calendarList/primary", {"colorId": "9", "summaryOverride": "Mine"})
    assert (entry["backgroundColor"], entry["summaryOverride"]) == ("#7bd148", "Mine")
    rgb = {"backgroundColor": "#0088aa", "foregroundColor": "#ffffff"}
    shown = calendar("PATCH", "users/me/calendarList/primary", rgb, colorRgbFormat=True)
    assert shown["backgroundColor"] == "#0088aa"
    assert calendar.refusal("PATCH", "users/me/calendarList/primary", {"colorId": "25"}) == (400, "invalid")


def test_hidden_calendars_are_listed_on_request(calendar):
    id = calendar("POST", "calendars", {"summary": "Garden"})["id"]
    calendar("PATCH", f"users/me/calendarList/{id}", {"hidden": True})
    assert [entry["id"] for entry in calendar("GET", "users/me/calendarList")["items"]] == [ME]
    assert len(calendar("GET", "users/me/calendarList", showHidden=True)["items"]) == 2


def test_the_list_tells_what_has_changed_since_a_sync(calendar):
    token = calendar("GET", "users/me/calendarList")["nextSyncToken"]
    id = calendar("POST", "calendars", {"summary": "Garden"})["id"]
    news = calendar("GET", "users/me/calendarList", syncToken=token)
    assert [entry["id"] for entry in news["items"]] == [id]
    assert calendar("GET", "users/me/calendarList", syncToken=news["nextSyncToken"])["items"] == []
    assert calendar.refusal("GET", "users/me/calendarList", syncToken="x") == (410, "fullSyncRequired")


def test_a_sync_of_the_list_leaves_out_what_is_read_only_there(calendar):
    """https://developers.google.com/workspace/calendar/api/v3/reference/calendarList/list#syncToken"""
    id = calendar("POST", "calendars", {"summary": "Garden"})["id"]
    token = calendar("GET", "users/me/calendarList")["nextSyncToken"]
    calendar("PATCH", f"calendars/{id}", {"summary": "Yard"})
    calendar("POST", f"calendars/{id}/acl", {"role": "reader", "scope": {"type": "default"}})
    assert calendar("GET", "users/me/calendarList", syncToken=token)["items"] == []
    calendar("PATCH", f"users/me/calendarList/{id}", {"hidden": True})
    (entry,) = calendar("GET", "users/me/calendarList", syncToken=token)["items"]
    assert (entry["summary"], entry["hidden"], entry["dataOwner"]) == ("Yard", True, ME)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("users/me/calendarList", {"showDeleted": False}),
        ("users/me/calendarList", {"showHidden": False}),
        ("users/me/calendarList", {"minAccessRole": "reader"}),
        ("users/me/calendarList", {"showOwnOrganizationOnly": True}),
        ("calendars/primary/acl", {"showDeleted": False}),
        ("calendars/primary/events", {"showDeleted": False}),
    ],
)
def test_a_sync_is_of_everything(calendar, path, query):
    """https://developers.google.com/workspace/calendar/api/guides/sync"""
    token = calendar("GET", path)["nextSyncToken"]
    assert calendar.refusal("GET", path, syncToken=token, **query) == (400, "invalid")


def test_the_list_has_the_organization_s_own_calendars_on_request(calendar):
    calendar("POST", "calendars", {"summary": "Garden"})
    assert len(calendar("GET", "users/me/calendarList", showOwnOrganizationOnly=True)["items"]) == 2


def test_lists_come_in_pages(calendar):
    for number in range(3):
        calendar("POST", "calendars", {"summary": f"Bed {number}"})
    first = calendar("GET", "users/me/calendarList", maxResults=3)
    rest = calendar("GET", "users/me/calendarList", maxResults=3, pageToken=first["nextPageToken"])
    assert (len(first["items"]), len(rest["items"]), "nextPageToken" in rest) == (3, 1, False)
    assert calendar.refusal("GET", "users/me/calendarList", pageToken="x") == (400, "invalid")
    assert calendar.refusal("GET", "users/me/calendarList", maxResults=0) == (400, "invalidParameter")


def test_rules_are_inserted_changed_and_taken_back(calendar):
    path = f"calendars/{calendar('POST', 'calendars', {'summary': 'Garden'})['id']}/acl"
    rule = calendar("POST", path, {"role": "reader", "scope": {"type": "user", "value": "bea@example.com"}})
    assert rule["id"] == "user:bea@example.com"
    assert calendar("PATCH", f"{path}/{rule['id']}", {"role": "writer"})["role"] == "writer"
    calendar("DELETE", f"{path}/{rule['id']}")
    assert [each["role"] for each in calendar("GET", path)["items"]] == ["owner"]
    deleted = calendar("GET", path, showDeleted=True)["items"]
    assert {each["id"]: each["role"] for each in deleted}["user:bea@example.com"] == "none"
    assert calendar.refusal("DELETE", f"{path}/{rule['id']}") == (404, "notFound")


def test_sharing_is_told_by_mail_unless_it_is_declined(calendar):
    path = f"calendars/{calendar('POST', 'calendars', {'summary': 'Garden'})['id']}/acl"
    for name, mails in (("bea", True), ("cem", False)):
        rule = {"role": "reader", "scope": {"type": "user", "value": f"{name}@example.com"}}
        calendar("POST", path, rule, sendNotifications=mails)
    sent = [row["recipient"] for row in calendar.diff()["inserts"] if row["__table__"] == "calendar_outgoing_mail"]
    assert sent == ["bea@example.com"]


def test_bad_rules_are_refused(calendar):
    path = "calendars/primary/acl"
    for body, reason in (
        ({}, "required"),
        ({"role": "king", "scope": {"type": "default"}}, "invalid"),
        ({"role": "reader", "scope": {"type": "user", "value": "nobody"}}, "invalid"),
        ({"role": "reader", "scope": {"type": "default", "value": "x"}}, "invalid"),
        ({"role": "reader"}, "required"),
    ):
        assert calendar.refusal("POST", path, body) == (400, reason)
    assert calendar.refusal("DELETE", f"{path}/user:{ME}")[0] == 403


def test_settings_that_nobody_changed_have_their_defaults(calendar):
    settings = {each["id"]: each["value"] for each in calendar("GET", "users/me/settings")["items"]}
    assert (settings["timezone"], settings["weekStart"]) == ("America/Los_Angeles", "0")
    assert calendar("GET", "users/me/settings/locale")["value"] == "en"
    assert calendar.refusal("GET", "users/me/settings/mood") == (404, "notFound")


def test_there_are_24_colours_of_calendars_and_11_of_events(calendar):
    colors = calendar("GET", "colors")
    assert (len(colors["calendar"]), len(colors["event"])) == (24, 11)


def test_only_json_is_answered(calendar):
    assert calendar("GET", "colors", alt="json", quotaUser="x", prettyPrint="false")["kind"] == "calendar#colors"
    assert calendar.refusal("GET", "colors", alt="atom") == (400, "invalid")


def test_unknown_methods_are_refused_in_google_s_form(calendar):
    assert calendar.refusal("GET", "calendars/primary/people") == (404, "notFound")
    assert calendar.http("POST", "calendars", headers={"Content-Type": "application/json"}).status_code == 400


def test_strict_worlds_ask_for_a_known_token(world):
    strict = world(auth="strict")
    assert strict("GET", "calendar/v3/calendars/primary")["id"] == ME
    assert strict.as_user("ya29.other").refusal("GET", "calendars/primary") == (401, "authError")
    assert strict.as_user("").refusal("GET", "calendars/primary") == (401, "required")


def test_the_world_s_clock_is_the_template_s(calendar):
    assert calendar.insert()["created"].startswith("2018-06-17T07:0")


BEST = [("#0088aa", "8"), ("#ffffff", "14"), ("#000000", "8"), ("#7bd148", "9"), ("#F83A22", "3")]


@pytest.mark.parametrize(("background", "color"), BEST)
@pytest.mark.parametrize("verb", ["PATCH", "PUT", "POST"])
def test_a_colour_in_rgb_sets_the_most_similar_id(calendar, verb, background, color):
    """https://developers.google.com/workspace/calendar/api/v3/reference/calendarList/patch#colorRgbFormat"""
    path = "users/me/calendarList" + ("" if verb == "POST" else "/primary")
    body = {"backgroundColor": background, "foregroundColor": "#000000", "colorId": "2", "id": ME}
    entry = calendar(verb, path, body, colorRgbFormat=True)
    assert (entry["backgroundColor"], entry["foregroundColor"], entry["colorId"]) == (background, "#000000", color)


@pytest.mark.parametrize("verb", ["PATCH", "PUT", "POST"])
def test_a_colour_by_its_id_replaces_one_in_rgb(calendar, verb):
    rgb = {"backgroundColor": "#0088aa", "foregroundColor": "#ffffff"}
    calendar("PATCH", "users/me/calendarList/primary", rgb, colorRgbFormat=True)
    path = "users/me/calendarList" + ("" if verb == "POST" else "/primary")
    entry = calendar(verb, path, {"colorId": "9", "id": ME})
    assert (entry["backgroundColor"], entry["foregroundColor"], entry["colorId"]) == ("#7bd148", "#1d1d1d", "9")
