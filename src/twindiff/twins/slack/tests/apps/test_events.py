"""What subscribers are told of channels and their members."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"


def events(slack):
    """Name and payload of every event so far."""
    return [(event["name"], event["payload"]) for event in slack.events()]


@pytest.mark.parametrize(
    ("method", "arguments", "event"),
    [
        ("conversations.create", {"name": "plans"}, "channel_created"),
        ("conversations.rename", {"channel": RANDOM, "name": "offtopic"}, "channel_rename"),
        ("conversations.archive", {"channel": RANDOM}, "channel_archive"),
        ("conversations.kick", {"channel": RANDOM, "user": JOHN}, "member_left_channel"),
        ("conversations.leave", {"channel": RANDOM}, "member_left_channel"),
        ("conversations.open", {"users": JOHN}, "im_created"),
        ("pins.add", {"channel": GENERAL, "timestamp": "1699564800.000123"}, "pin_added"),
        ("chat.meMessage", {"channel": GENERAL, "text": "waves"}, "message"),
        ("usergroups.create", {"name": "Night"}, "subteam_created"),
        ("users.profile.set", {"profile": {"status_text": "out"}}, "user_profile_changed"),
        ("conversations.open", {"users": f"{JOHN},{ROBERT}"}, "group_open"),
    ],
)
def test_an_operation_tells_of_itself_once(slack, method, arguments, event):
    slack(method, **arguments)
    assert [name for name, _ in events(slack)] == [event]


def test_a_private_channel_is_made_in_silence_and_renamed_as_a_group(slack):
    channel = slack("conversations.create", name="hidden", is_private=True)["channel"]["id"]
    slack("conversations.rename", channel=channel, name="hidden-2")
    assert events(slack) == [("group_rename", {"channel": {"id": channel, "name": "hidden-2"}})]


def test_a_new_member_is_told_of_with_who_invited_them(slack):
    channel = slack("conversations.create", name="plans")["channel"]["id"]
    slack("conversations.invite", channel=channel, users=JOHN)
    [_, joined] = events(slack)
    where = {"channel": channel, "channel_type": "C", "team": "T01WORKSPACE"}
    assert joined == ("member_joined_channel", {"user": JOHN, "inviter": ME, **where})


def test_what_changes_nothing_is_not_told(slack):
    slack("conversations.join", channel=GENERAL)
    slack("conversations.rename", channel=RANDOM, name="random")
    slack("conversations.setTopic", channel=RANDOM, topic="Everything but work")
    assert slack.diff(include="all") == {"inserts": [], "updates": [], "deletes": []}
