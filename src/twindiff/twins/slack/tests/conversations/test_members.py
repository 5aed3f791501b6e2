"""Who is in a channel: join, invite, kick, leave."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"
OTHER_TYPE = "method_not_supported_for_channel_type"


@pytest.fixture
def mine(slack):
    """A public channel that only the caller is in."""
    return slack("conversations.create", name="plans")["channel"]["id"]


@pytest.fixture
def johns(slack_as):
    """A public channel that the caller is not in."""
    return slack_as(JOHN)("conversations.create", name="johns")["channel"]["id"]


@pytest.fixture
def hidden(slack):
    """A private channel that only the caller is in."""
    return slack("conversations.create", name="hidden", is_private=True)["channel"]["id"]


@pytest.fixture
def direct(slack):
    """A direct message with John."""
    return slack("conversations.open", users=JOHN)["channel"]["id"]


def members(slack, channel):
    return slack("conversations.members", channel=channel)["members"]


# conversations.members


def test_the_members_of_a_channel_are_listed(slack):
    assert members(slack, GENERAL) == [ME, JOHN, ROBERT]


def test_the_members_of_a_direct_message_are_listed(slack, direct):
    assert members(slack, direct) == [ME, JOHN]


def test_members_come_in_pages(slack):
    first = slack("conversations.members", channel=GENERAL, limit=2)
    cursor = first["response_metadata"]["next_cursor"]
    rest = slack("conversations.members", channel=GENERAL, limit=2, cursor=cursor)
    assert (first["members"], rest["members"]) == ([ME, JOHN], [ROBERT])
    assert rest["response_metadata"]["next_cursor"] == ""


def test_a_cursor_of_another_list_is_refused(slack):
    cursor = slack("users.list", limit=1)["response_metadata"]["next_cursor"]
    assert slack("conversations.members", channel=GENERAL, cursor=cursor)["error"] == "invalid_cursor"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [({"limit": 0}, "invalid_limit"), ({"limit": "x"}, "invalid_limit"), ({"cursor": "x"}, "invalid_cursor")],
)
def test_a_list_of_members_refuses_what_it_cannot_read(slack, arguments, error):
    assert slack("conversations.members", channel=GENERAL, **arguments)["error"] == error


# conversations.join


def test_joining_adds_one_member(slack, johns, diff):
    before = len(diff()["inserts"])
    assert slack("conversations.join", channel=johns)["channel"]["is_member"]
    assert len(diff()["inserts"]) == before + 1
    assert members(slack, johns) == [ME, JOHN]


def test_joining_again_earns_a_warning(slack):
    answer = slack("conversations.join", channel=GENERAL)
    assert (answer["ok"], answer["warning"]) == (True, "already_in_channel")
    assert answer["response_metadata"] == {"warnings": ["already_in_channel"]}


def test_only_public_channels_in_use_can_be_joined(slack, slack_as, johns, hidden, direct):
    slack_as(JOHN)("conversations.archive", channel=johns)
    assert slack("conversations.join", channel=johns)["error"] == "is_archived"
    assert slack("conversations.join", channel=hidden)["error"] == OTHER_TYPE
    assert slack("conversations.join", channel=direct)["error"] == OTHER_TYPE


# conversations.invite


@pytest.mark.parametrize("users", [f"{JOHN},{ROBERT}", f'["{JOHN}", "{ROBERT}"]', [JOHN, ROBERT], f"{JOHN}, {ROBERT},"])
def test_the_invited_are_members(slack, mine, users):
    assert slack("conversations.invite", channel=mine, users=users)["channel"]["id"] == mine
    assert members(slack, mine) == [ME, JOHN, ROBERT]


def test_somebody_invited_twice_is_added_once(slack, mine):
    assert slack("conversations.invite", channel=mine, users=f"{JOHN},{JOHN}")["ok"]
    assert members(slack, mine) == [ME, JOHN]


def test_nobody_is_added_when_one_cannot_be(slack, mine):
    answer = slack("conversations.invite", channel=mine, users=f"{JOHN},U0NOPE000,{ME}")
    assert (answer["ok"], answer["error"]) == (False, "user_not_found")
    assert answer["errors"] == [
        {"user": "U0NOPE000", "ok": False, "error": "user_not_found"},
        {"user": ME, "ok": False, "error": "cant_invite_self"},
    ]
    assert members(slack, mine) == [ME]


def test_by_force_those_are_added_who_can_be(slack, mine):
    answer = slack("conversations.invite", channel=mine, users=f"{JOHN},U0NOPE000", force=True)
    assert answer["ok"]
    assert answer["errors"] == [{"user": "U0NOPE000", "ok": False, "error": "user_not_found"}]
    assert members(slack, mine) == [ME, JOHN]


def test_force_does_not_help_when_nobody_can_be_added(slack, mine):
    assert slack("conversations.invite", channel=mine, users=ME, force=True)["error"] == "cant_invite_self"


@pytest.mark.parametrize(
    ("channel", "users", "error"),
    [
        (GENERAL, "", "no_user"),
        (GENERAL, ",".join(f"U{n}" for n in range(1001)), "too_many_users"),
        (GENERAL, JOHN, "already_in_channel"),
        ("johns", ROBERT, "not_in_channel"),
    ],
)
def test_an_invitation_that_cannot_be_made(slack, johns, channel, users, error):
    assert slack("conversations.invite", channel=channel, users=users)["error"] == error


def test_nobody_is_invited_where_nothing_can_be_said(slack, mine, direct):
    slack("conversations.archive", channel=mine)
    assert slack("conversations.invite", channel=mine, users=JOHN)["error"] == "is_archived"
    assert slack("conversations.invite", channel=direct, users=ROBERT)["error"] == OTHER_TYPE


# conversations.kick


def test_a_kick_removes_one_member(slack, diff):
    assert slack("conversations.kick", channel=RANDOM, user=JOHN) == {"ok": True, "errors": {}}
    [row] = diff()["deletes"]
    assert (row["__table__"], row["channel_id"], row["user_id"]) == ("channel_members", RANDOM, JOHN)


@pytest.mark.parametrize(
    ("channel", "user", "error"),
    [
        (RANDOM, "", "no_user"),
        (RANDOM, "U0NOPE000", "user_not_found"),
        (RANDOM, ME, "cant_kick_self"),
        (GENERAL, JOHN, "cant_kick_from_general"),
        ("johns", ROBERT, "not_in_channel"),
    ],
)
def test_a_kick_that_is_refused(slack, johns, channel, user, error):
    assert slack("conversations.kick", channel=channel, user=user)["error"] == error


def test_nobody_is_kicked_out_of_a_conversation_that_is_no_channel_in_use(slack, direct):
    slack("conversations.archive", channel=RANDOM)
    assert slack("conversations.kick", channel=RANDOM, user=JOHN)["error"] == "is_archived"
    assert slack("conversations.kick", channel=direct, user=JOHN)["error"] == OTHER_TYPE


# conversations.leave


def test_leaving_removes_the_caller(slack, diff):
    assert slack("conversations.leave", channel=RANDOM) == {"ok": True}
    [row] = diff()["deletes"]
    assert (row["__table__"], row["user_id"]) == ("channel_members", ME)


def test_leaving_again_is_no_error_but_not_ok_either(slack, johns):
    assert slack("conversations.leave", channel=johns) == {"ok": False, "not_in_channel": True}


def test_nobody_leaves_the_general_channel(slack):
    assert slack("conversations.leave", channel=GENERAL)["error"] == "cant_leave_general"


def test_the_last_one_in_a_private_channel_stays(slack, hidden):
    assert slack("conversations.leave", channel=hidden)["error"] == "last_member"
    slack("conversations.invite", channel=hidden, users=JOHN)
    assert slack("conversations.leave", channel=hidden) == {"ok": True}


def test_nobody_leaves_a_conversation_that_is_no_channel_in_use(slack, mine, direct):
    slack("conversations.archive", channel=mine)
    assert slack("conversations.leave", channel=mine)["error"] == "is_archived"
    assert slack("conversations.leave", channel=direct)["error"] == OTHER_TYPE
