"""People."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"


def ids(answer):
    return [user["id"] for user in answer["members"]]


# users.list


def test_everyone_is_listed(slack):
    answer = slack("users.list")
    assert ids(answer) == [ME, JOHN, ROBERT]
    assert (answer["cache_ts"] > 0, answer["response_metadata"]["next_cursor"]) == (True, "")


def test_people_come_in_pages(slack):
    first = slack("users.list", limit=2)
    rest = slack("users.list", limit=2, cursor=first["response_metadata"]["next_cursor"])
    assert ids(first) + ids(rest) == [ME, JOHN, ROBERT]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [({"limit": -1}, "invalid_limit"), ({"limit": 1001}, "invalid_limit"), ({"cursor": "x"}, "invalid_cursor")],
)
def test_a_list_of_people_refuses_what_it_cannot_read(slack, arguments, error):
    assert slack("users.list", **arguments)["error"] == error


# users.info


def test_a_person_is_described(slack):
    user = slack("users.info", user=JOHN)["user"]
    assert (user["name"], user["real_name"], user["team_id"]) == ("johndoe", "John Doe", "T01WORKSPACE")
    assert (user["is_admin"], user["deleted"], user["is_bot"]) == (False, False, False)
    assert (user["profile"]["email"], user["profile"]["title"]) == ("john@example.com", "Product engineer")


def test_an_admin_is_told_from_a_member(slack):
    assert {user["id"]: user["is_admin"] for user in slack("users.list")["members"]} == {
        ME: False,
        JOHN: False,
        ROBERT: True,
    }


def test_a_locale_is_told_when_asked_for(slack):
    assert "locale" not in slack("users.info", user=JOHN)["user"]
    assert slack("users.info", user=JOHN, include_locale=True)["user"]["locale"] == "en-US"
    assert slack("users.list", include_locale=True)["members"][0]["locale"] == "en-US"


def test_a_person_who_is_not_there(slack):
    for method in ("users.info", "users.profile.get", "users.conversations"):
        assert slack(method, user="U0NOPE000")["error"] == "user_not_found"


def test_the_person_must_be_named(slack):
    assert slack("users.info")["error"] == "user_not_found"


# users.profile.get


def test_the_caller_s_own_profile_is_the_default(slack):
    assert slack("users.profile.get")["profile"]["email"] == "agent@example.com"
    assert slack("users.profile.get", user=JOHN)["profile"]["first_name"] == "John"


# users.lookupByEmail


@pytest.mark.parametrize("email", ["john@example.com", "John@Example.com", " john@example.com "])
def test_a_person_is_found_by_email(slack, email):
    assert slack("users.lookupByEmail", email=email)["user"]["id"] == JOHN


@pytest.mark.parametrize("email", ["nobody@example.com", "john@example.co", "john", ""])
def test_nobody_has_this_email(slack, email):
    assert slack("users.lookupByEmail", email=email)["error"] == "users_not_found"


def test_the_email_must_be_given(slack):
    assert slack("users.lookupByEmail")["error"] == "invalid_arguments"


# users.conversations


def test_the_caller_s_own_channels_are_the_default(slack, slack_as):
    slack_as(JOHN)("conversations.create", name="johns")
    assert [channel["name"] for channel in slack("users.conversations")["channels"]] == ["general", "random"]


def test_somebody_else_s_channels_are_those_that_the_caller_may_know_of(slack, slack_as):
    slack_as(JOHN)("conversations.create", name="johns")
    slack_as(JOHN)("conversations.create", name="secret", is_private=True)
    shared = slack("conversations.open", users=JOHN)["channel"]["id"]
    channels = slack("users.conversations", user=JOHN, types="public_channel,private_channel,im")["channels"]
    assert {channel.get("name", channel["id"]) for channel in channels} == {"general", "random", "johns", shared}


def test_one_s_direct_messages_are_listed_by_the_other_person(slack):
    slack("conversations.open", users=JOHN)
    slack("conversations.open", users=ME)
    channels = slack("users.conversations", types="im")["channels"]
    assert {channel["user"] for channel in channels} == {JOHN, ME}


def test_left_and_archived_channels_are_not_listed(slack):
    slack("conversations.leave", channel=RANDOM)
    assert len(slack("users.conversations")["channels"]) == 1
    slack("conversations.join", channel=RANDOM)
    slack("conversations.archive", channel=RANDOM)
    assert len(slack("users.conversations", exclude_archived=True)["channels"]) == 1


def test_who_is_active_is_paid_for(slack):
    """https://docs.slack.dev/reference/methods/team.billableInfo"""
    billable = slack("team.billableInfo")["billable_info"]
    assert billable["U02JOHNDOE1"] == {"billing_active": True}
    assert slack("team.billableInfo", user="U03ROBERT23")["billable_info"] == {"U03ROBERT23": {"billing_active": True}}
    assert slack("team.billableInfo", user="U0NOBODY")["error"] == "user_not_found"
