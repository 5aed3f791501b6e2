"""Calls that other services hold: who is in them, when they are over, and how messages show them."""

import pytest

from tests.harness import GENERAL, JOHN, ROBERT
from twindiff.twins.slack.tests.calls import BOT, EDITED, ME, WORLD

CALL = {"external_unique_id": "025169F6", "join_url": "https://example.com/calls/1"}
KIM = {"external_id": "54321678", "display_name": "Kim Possible", "avatar_url": "https://example.com/kim.jpg"}
BLOCK = {"type": "call", "call_id": "R1"}


def shown(slack, ts):
    """The call in the first block of a message."""
    message = slack("conversations.history", channel=GENERAL, latest=ts, inclusive=True, limit=1)["messages"][0]
    return message["blocks"][0]["call"]


def test_a_call_is_answered_as_it_was_registered(world):
    """https://docs.slack.dev/reference/methods/calls.add"""
    more = {"external_display_id": "705-292-868", "date_start": 1562002086, "title": "Sync up"}
    made = world("calls.add", **CALL, **more, users=[{"slack_id": JOHN}, KIM])["call"]
    assert made == {**CALL, **more, "id": made["id"], "users": [{"slack_id": JOHN}, KIM]}
    assert world("calls.info", id=made["id"])["call"] == made


def test_people_come_into_a_call_and_leave_it(world):
    """https://docs.slack.dev/reference/methods/calls.participants.add"""
    assert len(world("calls.participants.add", id="R1", users=[{"slack_id": ROBERT}, KIM])["call"]["users"]) == 3
    left = world("calls.participants.remove", id="R1", users=[{"slack_id": JOHN}, {"external_id": KIM["external_id"]}])
    assert left["call"]["users"] == [{"slack_id": ROBERT}]


def test_a_call_that_is_over_lets_nobody_in(world):
    assert world("calls.end", id="R1", duration=90)["call"]["date_end"] == 90
    for method in ("calls.participants.add", "calls.participants.remove"):
        assert world(method, id="R1", users=[{"slack_id": ROBERT}])["error"] == "inactive_call"
    assert world("calls.end", id="R1")["error"] == "inactive_call"


def test_a_message_shows_the_call_as_it_is_now(world):
    """https://docs.slack.dev/apis/web-api/using-the-calls-api"""
    posted = world("chat.postMessage", channel=GENERAL, blocks=[BLOCK])
    assert posted["message"]["blocks"][0]["call"]["v1"]["name"] == "Sync"
    world("calls.update", id="R1", title="Weekly sync")
    world("calls.end", id="R1", duration=60)
    about = shown(world, posted["ts"])
    assert (about["media_backend_type"], about["v1"]["name"], about["v1"]["has_ended"]) == (
        "platform_call",
        "Weekly sync",
        True,
    )
    assert world("calls.info", id="R1")["call"]["channels"] == [GENERAL]


def test_a_link_unfurls_to_a_call(world):
    unfurls = {"https://example.com": {"blocks": [BLOCK]}}
    assert world("chat.unfurl", channel=GENERAL, ts=EDITED, unfurls=unfurls)["ok"]
    message = world("conversations.history", channel=GENERAL, latest=EDITED, inclusive=True, limit=1)["messages"][0]
    assert message["attachments"][0]["blocks"][0]["call"]["v1"]["id"] == "R1"


def test_a_bot_says_who_made_a_call(workspace_with):
    """https://docs.slack.dev/reference/methods/calls.add"""
    slack = workspace_with({"auth": "strict", "tokens": {f"xoxp-{BOT}": BOT}}, **WORLD).as_user(BOT)
    assert slack("calls.add", **CALL)["error"] == "invalid_created_by"
    assert slack("calls.add", **CALL, created_by=JOHN)["ok"]


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("calls.add", {**CALL, "created_by": "U0NOPE"}, "invalid_created_by"),
        ("calls.add", {**CALL, "date_start": "soon"}, "invalid_start_time"),
        ("calls.add", {**CALL, "date_start": -1}, "invalid_start_time"),
        ("calls.add", {**CALL, "users": [{"slack_id": "U0NOPE"}]}, "user_not_found"),
        ("calls.add", {**CALL, "users": [{"display_name": "Kim"}]}, "invalid_arguments"),
        ("calls.add", {**CALL, "external_unique_id": "e1"}, "invalid_arguments"),
        ("calls.add", {"join_url": "https://example.com"}, "invalid_arguments"),
        ("calls.info", {"id": "R0"}, "invalid_call_id"),
        ("calls.update", {"id": "R0", "title": "a"}, "invalid_call_id"),
        ("calls.end", {"id": "R0"}, "invalid_call_id"),
        ("calls.end", {"id": "R1", "duration": -1}, "invalid_arguments"),
        ("calls.participants.add", {"id": "R0", "users": [KIM]}, "invalid_call_id"),
        ("calls.participants.add", {"id": "R1", "users": []}, "missing_argument"),
        ("calls.participants.add", {"id": "R1", "users": [{"slack_id": JOHN}]}, "bad_users"),
        ("calls.participants.add", {"id": "R1", "users": [{"slack_id": "U0NOPE"}]}, "user_not_found"),
        ("calls.participants.remove", {"id": "R1", "users": [{"slack_id": BOT}]}, "bad_users"),
        ("calls.participants.remove", {"id": "R1", "users": []}, "missing_argument"),
        ("chat.postMessage", {"channel": GENERAL, "blocks": [{"type": "call", "call_id": "R0"}]}, "invalid_blocks"),
        ("chat.postMessage", {"channel": GENERAL, "blocks": [{"type": "call"}]}, "invalid_blocks"),
        (
            "chat.postEphemeral",
            {"channel": GENERAL, "user": ME, "blocks": [{"type": "call", "call_id": "R0"}]},
            "invalid_blocks",
        ),
    ],
)
def test_a_refusal_of_a_call_says_why_and_changes_nothing(world, method, arguments, error):
    assert world(method, **arguments)["error"] == error
    assert world.diff(include="all") == {"inserts": [], "updates": [], "deletes": []}
