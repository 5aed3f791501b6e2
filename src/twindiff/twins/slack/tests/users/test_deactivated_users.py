"""People whose account is deactivated, in a workspace that has one."""

import pytest

ME, GONE, OLD = "U01AGENBOT9", "U09GONE0000", "D09GONE0000"


@pytest.fixture
def slack(workspace_with):
    return workspace_with(
        users=[{"user_id": GONE, "username": "gone", "email": "gone@example.com", "is_active": False}],
        channels=[{"channel_id": OLD, "channel_name": "dm-gone", "is_dm": True, "is_private": True}],
        channel_members=[{"channel_id": OLD, "user_id": user} for user in (ME, GONE)],
    )


def test_they_are_listed_as_deleted(slack):
    assert {user["id"]: user["deleted"] for user in slack("users.list")["members"]}[GONE]
    assert slack("users.info", user=GONE)["user"]["deleted"]


def test_they_are_not_found_by_email(slack):
    assert slack("users.lookupByEmail", email="gone@example.com")["error"] == "users_not_found"


def test_they_cannot_be_invited(slack):
    channel = slack("conversations.create", name="plans")["channel"]["id"]
    assert slack("conversations.invite", channel=channel, users=GONE)["error"] == "cant_invite"


def test_they_cannot_be_written_to(slack):
    assert slack("conversations.open", users=GONE)["error"] == "user_disabled"


def test_an_old_conversation_with_them_says_so(slack):
    [listed] = slack("conversations.list", types="im")["channels"]
    described = slack("conversations.info", channel=OLD)["channel"]
    assert (listed["is_user_deleted"], described["is_user_deleted"]) == (True, True)
