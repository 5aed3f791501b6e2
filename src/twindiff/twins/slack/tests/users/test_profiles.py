"""What people say of themselves, and whether they are there."""

from datetime import UTC, datetime

import pytest

from tests.harness import AGENT, JOHN, ROBERT
from twindiff.twins.slack.core.quiet_hours import quiet_hours


def test_a_person_says_when_their_profile_was_changed(slack):
    """https://docs.slack.dev/reference/objects/user-object"""
    before = slack("users.info", user=AGENT)["user"]["updated"]
    slack("users.profile.set", profile={"status_text": "out"})
    assert slack("users.info", user=AGENT)["user"]["updated"] > before


def test_a_status_is_seen_by_others(slack, slack_as):
    slack("users.profile.set", profile={"status_text": "at lunch", "status_emoji": ":bread:"})
    profile = slack_as(JOHN)("users.profile.get", user=AGENT)["profile"]
    assert (profile["status_text"], profile["status_emoji"]) == ("at lunch", ":bread:")
    assert slack("users.info", user=AGENT)["user"]["profile"]["status_text"] == "at lunch"


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [
        ({f"field{number}": "x" for number in range(49)}, True),
        ({f"field{number}": "x" for number in range(50)}, False),
        ({"x" * 255: "x"}, True),
        ({"x" * 256: "x"}, False),
    ],
)
def test_a_profile_takes_fifty_fields_with_names_of_255_characters(slack, given, is_taken):
    """https://docs.slack.dev/reference/methods/users.profile.set"""
    answer = slack("users.profile.set", profile={"title": "x", **given})
    assert answer["ok"] if is_taken else answer["error"] == "invalid_profile"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("display_name", "Skip", "Skip"),
        ("title", "Helper", "Helper"),
        ("phone", "+351 1", "+351 1"),
        ("email", "new@example.com", "new@example.com"),
        ("pronouns", "they", "they"),
        ("status_expiration", "1900000000", 1900000000),
    ],
)
def test_one_line_is_changed_by_name(slack, name, value, shown):
    assert slack("users.profile.set", name=name, value=value)["profile"][name] == shown


def test_a_status_ends_with_its_time(workspace_with):
    past = {"user_id": AGENT, "status_text": "out", "status_emoji": ":eyes:", "status_expiration": 1_600_000_000}
    slack = workspace_with(user_profiles=[past])
    assert slack("users.profile.get")["profile"]["status_text"] == ""
    assert slack("users.info", user=AGENT)["user"]["profile"]["status_emoji"] == ""


def test_first_and_last_name_make_the_real_one(slack):
    profile = slack("users.profile.set", profile={"first_name": "Ada", "last_name": "Byron King"})["profile"]
    assert (profile["real_name"], profile["last_name"]) == ("Ada Byron King", "Byron King")


def test_an_administrator_changes_the_profile_of_others(slack_as):
    assert slack_as(ROBERT)("users.profile.set", profile={"title": "Boss"}, user=JOHN)["profile"]["title"] == "Boss"


def test_lines_of_the_workspace_are_kept_by_their_ids(workspace_with):
    slack = workspace_with(profile_fields=[{"field_id": "Xf1", "label": "Shoe size"}])
    [field] = slack("team.profile.get")["profile"]["fields"]
    slack("users.profile.set", profile={"fields": {field["id"]: {"value": "44", "alt": ""}}})
    assert slack("users.profile.get")["profile"]["fields"] == {"Xf1": {"value": "44", "alt": ""}}


def test_who_is_away_says_so(slack, slack_as):
    assert slack("users.getPresence", user=JOHN)["presence"] == "active"
    slack_as(JOHN)("users.setPresence", presence="away")
    assert slack("users.getPresence", user=JOHN) == {"ok": True, "presence": "away"}
    slack_as(JOHN)("users.setPresence", presence="auto")
    assert slack_as(JOHN)("users.getPresence")["online"]


def test_what_changes_nothing_leaves_no_row(slack):
    slack("users.setPresence", presence="auto")
    assert slack.diff()["inserts"] == []


def test_a_snooze_is_begun_seen_and_ended(slack, slack_as):
    assert 1700 < slack("dnd.setSnooze", num_minutes=30)["snooze_remaining"] <= 1800
    assert slack("dnd.info")["snooze_enabled"]
    assert "snooze_enabled" not in slack_as(JOHN)("dnd.info", user=AGENT)
    assert slack("dnd.endSnooze")["snooze_enabled"] is False
    assert slack("dnd.endSnooze")["error"] == "snooze_not_active"


@pytest.mark.parametrize(("hour", "day"), [(3, 13), (8, 14), (12, 14), (23, 14)])
def test_the_quiet_hours_are_those_that_last_or_come_next(hour, day):
    start, end = quiet_hours(datetime(2026, 1, 14, hour, tzinfo=UTC), UTC)
    assert datetime.fromtimestamp(start, UTC) == datetime(2026, 1, day, 22, tzinfo=UTC)
    assert end - start == 10 * 3600


def test_the_team_s_quiet_hours_are_told_of_each(slack):
    assert slack("dnd.teamInfo", users=f"{JOHN},{ROBERT}")["users"].keys() == {JOHN, ROBERT}


def test_identity_is_who_signed_in(slack):
    assert slack("users.identity")["user"]["id"] == AGENT


def test_a_bot_is_known_by_its_user(workspace_with):
    slack = workspace_with(users=[{"user_id": "U0BOT", "username": "bot", "email": "b@example.com", "is_bot": True}])
    profile = slack("users.info", user="U0BOT")["user"]["profile"]
    assert slack("bots.info", bot=profile["bot_id"])["bot"]["user_id"] == "U0BOT"
