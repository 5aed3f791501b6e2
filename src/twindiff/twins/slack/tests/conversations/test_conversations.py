"""Channels as such, and conversations.open."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"


@pytest.fixture
def mine(slack):
    """A public channel that the caller made."""
    return slack("conversations.create", name="plans")["channel"]["id"]


@pytest.fixture
def johns(slack_as):
    """A public channel that the caller is not in."""
    return slack_as(JOHN)("conversations.create", name="johns")["channel"]["id"]


@pytest.fixture
def secret(slack_as):
    """A private channel that the caller is not in."""
    return slack_as(JOHN)("conversations.create", name="secret", is_private=True)["channel"]["id"]


@pytest.fixture
def direct(slack):
    """A direct message with John."""
    return slack("conversations.open", users=JOHN)["channel"]["id"]


def names(answer):
    return [channel.get("name") or channel["user"] for channel in answer["channels"]]


# conversations.list


def test_public_channels_are_listed_whether_or_not_the_caller_is_in_them(slack, johns):
    shown = {channel["id"]: channel["is_member"] for channel in slack("conversations.list")["channels"]}
    assert shown == {GENERAL: True, RANDOM: True, johns: False}


def test_a_list_counts_the_members(slack):
    assert [channel["num_members"] for channel in slack("conversations.list")["channels"]] == [3, 3]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("private_channel", {"hidden"}),
        ("im", {JOHN}),
        ("mpim", {f"mpdm-{ME}-{JOHN}-{ROBERT}"}),
        ("public_channel, im", {"general", "random", JOHN}),
        ('["im", "private_channel"]', {"hidden", JOHN}),
        (["im", "private_channel"], {"hidden", JOHN}),
        ("", {"general", "random"}),
    ],
)
def test_a_list_has_the_types_that_were_asked_for(slack, direct, types, expected):
    slack("conversations.open", users=f"{JOHN},{ROBERT}")
    slack("conversations.create", name="hidden", is_private=True)
    assert set(names(slack("conversations.list", types=types))) == expected


def test_what_others_have_in_private_is_not_listed(slack, slack_as, secret):
    slack_as(JOHN)("conversations.open", users=ROBERT)
    assert slack("conversations.list", types="private_channel,im,mpim")["channels"] == []


def test_a_list_can_leave_out_archived_channels(slack, mine):
    slack("conversations.archive", channel=mine)
    assert "plans" in names(slack("conversations.list"))
    assert "plans" not in names(slack("conversations.list", exclude_archived=True))


def test_pages_of_a_list_follow_each_other_while_channels_are_made(slack, mine):
    first = slack("conversations.list", limit=1)
    slack("conversations.create", name="later")
    cursor, channels = first["response_metadata"]["next_cursor"], first["channels"]
    while cursor:
        answer = slack("conversations.list", limit=1, cursor=cursor)
        cursor, channels = answer["response_metadata"]["next_cursor"], channels + answer["channels"]
    assert {"general", "random", "plans"} <= {channel["name"] for channel in channels}
    assert len({channel["id"] for channel in channels}) == len(channels)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"types": "public_channel,group"}, "invalid_types"),
        ({"limit": 0}, "invalid_limit"),
        ({"limit": 1001}, "invalid_limit"),
        ({"limit": "many"}, "invalid_limit"),
        ({"cursor": "garbage"}, "invalid_cursor"),
        ({"cursor": "dXNlcl9pZDpVMQ=="}, "invalid_cursor"),
    ],
)
@pytest.mark.parametrize("method", ["conversations.list", "users.conversations"])
def test_a_list_refuses_what_it_cannot_read(slack, method, arguments, error):
    assert slack(method, **arguments)["error"] == error


# conversations.info


def test_a_channel_is_described(slack):
    channel = slack("conversations.info", channel=GENERAL)["channel"]
    assert (channel["name"], channel["is_general"], channel["is_member"]) == ("general", True, True)
    assert "num_members" not in channel
    assert "locale" not in channel


def test_members_and_locale_are_told_when_asked_for(slack):
    channel = slack("conversations.info", channel=GENERAL, include_num_members=True, include_locale=True)["channel"]
    assert (channel["num_members"], channel["locale"]) == (3, "en-US")


def test_a_direct_message_names_the_other_person(slack, direct):
    channel = slack("conversations.info", channel=direct)["channel"]
    assert (channel["is_im"], channel["user"]) == (True, JOHN)


@pytest.mark.parametrize(
    "method",
    [
        "conversations.info",
        "conversations.history",
        "conversations.members",
        "conversations.join",
        "conversations.archive",
        "conversations.unarchive",
        "conversations.leave",
        "conversations.invite",
        "conversations.kick",
        "conversations.open",
    ],
)
@pytest.mark.parametrize("channel", ["C0NOPE000", "#nope", "#", "secret"])
def test_a_channel_that_the_caller_may_not_know_of_is_not_found(slack, secret, method, channel):
    assert slack(method, channel=channel)["error"] == "channel_not_found"


@pytest.mark.parametrize(("method", "field"), [("conversations.info", "channel"), ("conversations.create", "name")])
def test_a_missing_argument_is_named(slack, method, field):
    answer = slack(method)
    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"] == [f"[ERROR] missing required field: {field}"]


def test_the_workspace_s_settings_say_which_channel_everyone_is_in(workspace_with):
    slack = workspace_with(team_settings=[{"team_id": "T01WORKSPACE", "default_channel_id": RANDOM}])
    assert [channel["is_general"] for channel in slack("conversations.list")["channels"]] == [False, True]
    assert slack("conversations.archive", channel=RANDOM)["error"] == "cant_archive_general"
    assert slack("conversations.archive", channel=GENERAL)["ok"]


# conversations.create


def test_a_new_channel_has_its_maker_as_member(slack, diff):
    channel = slack("conversations.create", name="conf-1234567")["channel"]
    assert (channel["name"], channel["creator"], channel["is_member"]) == ("conf-1234567", ME, True)
    room, member = sorted(diff()["inserts"], key=lambda row: row["__table__"] != "channels")
    assert (room["channel_id"], room["is_private"], room["is_dm"]) == (channel["id"], False, False)
    assert (member["channel_id"], member["user_id"]) == (channel["id"], ME)


@pytest.mark.parametrize(("given", "private"), [("true", True), ("false", False), ("1", True), ("0", False)])
def test_a_channel_is_private_when_asked_for(slack, given, private):
    channel = slack("conversations.create", name="hidden", is_private=given)["channel"]
    assert (channel["is_private"], channel["is_group"], channel["is_channel"]) == (private, private, not private)


@pytest.mark.parametrize("name", ["plan-b", "plan_b", "2026", "über", "計画", "x" * 80])
def test_a_name_may_have_letters_of_any_script(slack, name):
    assert slack("conversations.create", name=name)["channel"]["name"] == name


BAD_NAMES = [
    ("", "invalid_name_required"),
    ("x" * 81, "invalid_name_maxlength"),
    ("Plans", "invalid_name_specials"),
    ("my plans", "invalid_name_specials"),
    ("#plans", "invalid_name_specials"),
    ("plans.", "invalid_name_specials"),
    ("-_-", "invalid_name_punctuation"),
    ("...", "invalid_name_punctuation"),
    ("general", "name_taken"),
]


@pytest.mark.parametrize(("name", "error"), BAD_NAMES)
def test_a_bad_name_is_refused(slack, mine, name, error):
    assert slack("conversations.create", name=name)["error"] == error
    assert slack("conversations.rename", channel=mine, name=name)["error"] == error


def test_the_name_of_an_archived_channel_stays_taken(slack, mine):
    slack("conversations.archive", channel=mine)
    assert slack("conversations.create", name="plans")["error"] == "name_taken"


# conversations.rename


def test_a_renamed_channel_remembers_its_former_name(slack, mine):
    channel = slack("conversations.rename", channel=mine, name="plans-2")["channel"]
    assert (channel["name"], channel["previous_names"]) == ("plans-2", ["plans"])


def test_a_rename_changes_one_column_that_is_not_derived(slack, diff):
    slack("conversations.rename", channel=RANDOM, name="offtopic")
    [update] = diff()["updates"]
    assert set(update["changed"]) - set(update["derived"]) == {"channel_name"}


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("conversations.setTopic", {"topic": "Tea"}),
        ("conversations.setPurpose", {"purpose": "Tea"}),
        ("conversations.rename", {"name": "tea"}),
        ("conversations.archive", {}),
    ],
)
def test_a_channel_says_in_milliseconds_when_it_was_changed(workspace, method, arguments):
    """https://docs.slack.dev/reference/objects/conversation-object"""
    slack = workspace(clock={"mode": "steps"})
    assert slack(method, channel=RANDOM, **arguments)["ok"]
    channel = slack("conversations.info", channel=RANDOM)["channel"]
    assert channel["updated"] > channel["created"] * 1000


def test_a_channel_keeps_its_name_without_a_fuss(slack, mine):
    assert slack("conversations.rename", channel=mine, name="plans")["channel"]["previous_names"] == []


def test_the_general_channel_keeps_its_name(slack):
    assert slack("conversations.rename", channel=GENERAL, name="all")["error"] == "not_authorized"


def test_a_channel_is_renamed_by_who_made_it_or_runs_the_workspace(slack, mine):
    slack("conversations.invite", channel=mine, users=f"{JOHN},{ROBERT}")
    assert slack.as_user(JOHN)("conversations.rename", channel=mine, name="his")["error"] == "not_authorized"
    assert slack.as_user(ROBERT)("conversations.rename", channel=mine, name="his")["ok"]


# conversations.setTopic


def test_a_topic_is_set_and_cleared(slack):
    topic = slack("conversations.setTopic", channel=RANDOM, topic="Soup & <bread>")["channel"]["topic"]
    assert (topic["value"], topic["creator"]) == ("Soup &amp; &lt;bread&gt;", ME)
    assert topic["last_set"] > 0
    assert slack("conversations.setTopic", channel=RANDOM, topic="")["channel"]["topic"]["value"] == ""


def test_a_topic_changes_one_column_that_is_not_derived(slack, diff):
    slack("conversations.setTopic", channel=RANDOM, topic="Soup")
    [update] = diff()["updates"]
    assert set(update["changed"]) - set(update["derived"]) == {"topic_text"}


def test_a_topic_has_at_most_250_characters(slack):
    assert slack("conversations.setTopic", channel=RANDOM, topic="x" * 250)["ok"]
    assert slack("conversations.setTopic", channel=RANDOM, topic="x" * 251)["error"] == "too_long"


CHANGES = [("conversations.setTopic", {"topic": "x"}), ("conversations.rename", {"name": "x"})]


@pytest.mark.parametrize(("method", "arguments"), CHANGES)
def test_a_channel_in_use_is_changed_by_its_members_only(slack, mine, johns, direct, method, arguments):
    slack("conversations.archive", channel=mine)
    assert slack(method, channel=mine, **arguments)["error"] == "is_archived"
    assert slack(method, channel=johns, **arguments)["error"] == "not_in_channel"
    assert slack(method, channel=direct, **arguments)["error"] == "method_not_supported_for_channel_type"


# conversations.archive, conversations.unarchive


def test_an_archived_channel_is_marked_and_nothing_else(slack, diff):
    assert slack("conversations.archive", channel=RANDOM) == {"ok": True}
    [update] = diff()["updates"]
    assert (update["after"]["channel_id"], update["changed"]) == (RANDOM, ["is_archived", "updated_at"])
    assert update["derived"] == ["updated_at"]
    assert slack("conversations.info", channel=RANDOM)["channel"]["is_archived"]


def test_an_unarchived_channel_is_as_it_was(slack, diff):
    slack("conversations.archive", channel=RANDOM)
    assert slack("conversations.unarchive", channel=RANDOM) == {"ok": True}
    assert diff() == {"inserts": [], "updates": [], "deletes": []}


def test_every_member_may_archive_a_channel_and_nobody_else(slack, johns):
    assert slack("conversations.archive", channel=johns)["error"] == "not_in_channel"
    slack("conversations.join", channel=johns)
    assert slack("conversations.archive", channel=johns) == {"ok": True}


def test_archiving_is_refused_where_it_makes_no_sense(slack, mine, direct):
    assert slack("conversations.unarchive", channel=mine)["error"] == "not_archived"
    slack("conversations.archive", channel=mine)
    assert slack("conversations.archive", channel=mine)["error"] == "already_archived"
    assert slack("conversations.archive", channel=GENERAL)["error"] == "cant_archive_general"
    for method in ("conversations.archive", "conversations.unarchive"):
        assert slack(method, channel=direct)["error"] == "method_not_supported_for_channel_type"


# conversations.open


def test_a_direct_message_is_one_conversation_with_two_members(slack, diff):
    channel = slack("conversations.open", users=JOHN)["channel"]
    room, *members = sorted(diff()["inserts"], key=lambda row: row["__table__"] != "channels")
    assert channel == {"id": room["channel_id"]}
    assert room["channel_id"].startswith("D")
    assert (room["is_dm"], room["is_gc"], room["is_private"]) == (True, False, True)
    assert {(member["channel_id"], member["user_id"]) for member in members} == {
        (channel["id"], ME),
        (channel["id"], JOHN),
    }


@pytest.mark.parametrize("users", [JOHN, f"{JOHN},{ROBERT}", ME, f'["{JOHN}"]', [JOHN], f"{ME},{JOHN}"])
def test_a_conversation_is_opened_once(slack, users):
    first, again = (slack("conversations.open", users=users) for _ in "ab")
    assert first["channel"] == again["channel"]
    assert "already_open" not in first
    assert (again["already_open"], again["no_op"]) == (True, True)


def test_it_does_not_matter_who_opens_a_conversation(slack, slack_as, direct):
    assert slack_as(JOHN)("conversations.open", users=ME)["channel"]["id"] == direct


def test_people_have_a_conversation_alone_and_another_in_company(slack, direct):
    group = slack("conversations.open", users=f"{JOHN},{ROBERT}")["channel"]["id"]
    assert group.startswith("G")
    assert slack("conversations.open", users=JOHN)["channel"]["id"] == direct


def test_a_group_message_is_no_direct_message(slack, diff):
    slack("conversations.open", users=f"{JOHN},{ROBERT}")
    [room] = [row for row in diff()["inserts"] if row["__table__"] == "channels"]
    assert (room["is_dm"], room["is_gc"], room["is_private"]) == (False, True, True)


def test_one_can_talk_to_oneself(slack):
    channel = slack("conversations.open", users=ME, return_im=True)["channel"]
    assert channel["user"] == ME
    assert slack("conversations.members", channel=channel["id"])["members"] == [ME]


def test_a_conversation_is_opened_by_its_id(slack, direct):
    assert slack("conversations.open", channel=direct)["channel"] == {"id": direct}


def test_an_opened_conversation_is_described_when_asked_for(slack, direct):
    ts = slack("chat.postMessage", channel=direct, text="hi")["ts"]
    channel = slack("conversations.open", users=JOHN, return_im=True)["channel"]
    assert (channel["user"], channel["is_im"], channel["is_open"]) == (JOHN, True, True)
    assert (channel["latest"]["ts"], channel["latest"]["text"]) == (ts, "hi")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "users_list_not_supplied"),
        ({"users": ","}, "users_list_not_supplied"),
        ({"users": "U0NOPE000"}, "user_not_found"),
        ({"users": ",".join(f"U{n}" for n in range(9))}, "too_many_users"),
        ({"users": JOHN, "prevent_creation": True}, "channel_not_found"),
        ({"channel": GENERAL}, "method_not_supported_for_channel_type"),
    ],
)
def test_a_conversation_that_cannot_be_opened(slack, arguments, error):
    assert slack("conversations.open", **arguments)["error"] == error


def test_a_conversation_that_exists_is_found_where_creation_is_prevented(slack, direct):
    assert slack("conversations.open", users=JOHN, prevent_creation=True)["channel"]["id"] == direct
