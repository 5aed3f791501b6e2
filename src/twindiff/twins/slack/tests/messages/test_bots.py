"""What applications write: who it is by, and how it reads.

https://docs.slack.dev/reference/methods/chat.postMessage
"""

import pytest

from twindiff.twins.slack.rendering.rich_text import rich_text_block

GENERAL, JOHN = "C01ABCD1234", "U02JOHNDOE1"
BOT = "U0HELPER00"
WORLD = {
    "users": [{"user_id": BOT, "username": "helper", "email": "helper@example.com", "is_bot": True}],
    "channel_members": [{"channel_id": GENERAL, "user_id": BOT}],
}


@pytest.fixture
def bot(workspace_with):
    """A bot in #general."""
    return workspace_with(**WORLD, _options={"tokens": {f"xoxp-{BOT}": BOT, f"xoxp-{JOHN}": JOHN}}).as_user(BOT)


def test_a_bot_s_message_says_which_bot_and_application_wrote_it(bot):
    answer = bot("chat.postMessage", channel=GENERAL, text="hi")
    (listed,) = bot("conversations.history", channel=GENERAL, limit=1)["messages"]
    for message in (answer["message"], listed):
        assert (message["user"], message["bot_id"], message["app_id"]) == (BOT, "B0HELPER00", "A0HELPER00")
        assert message["bot_profile"]["name"] == "helper"
        assert message["blocks"][0]["elements"][0]["elements"] == [{"type": "text", "text": "hi"}]


def test_a_person_s_message_is_no_bot_s(bot):
    message = bot.as_user(JOHN)("chat.postMessage", channel=GENERAL, text="hi")["message"]
    assert not {"bot_id", "bot_profile"} & message.keys()


def test_a_bot_s_message_may_bear_another_name(bot):
    given = {"username": "Night watch", "icon_emoji": ":owl:"}
    message = bot("chat.postMessage", channel=GENERAL, text="hoo", **given)["message"]
    assert (message["subtype"], message["username"]) == ("bot_message", "Night watch")
    assert (message["icons"], message["bot_id"]) == ({"emoji": ":owl:"}, "B0HELPER00")
    assert "user" not in message


def test_a_person_s_message_bears_their_own_name(bot):
    message = bot.as_user(JOHN)("chat.postMessage", channel=GENERAL, text="hi", username="Somebody")["message"]
    assert (message["user"], "username" in message) == (JOHN, False)


@pytest.fixture
def strict_bot(workspace_with):
    slack = workspace_with(
        _options={"auth": "strict", "tokens": {"xoxb-1": BOT, f"xoxp-{JOHN}": JOHN}},
        **WORLD,
        channels=[{"channel_id": "C09OTHER", "channel_name": "other", "team_id": "T01WORKSPACE"}],
        messages=[{"message_id": "1699580000.000001", "channel_id": "C09OTHER", "user_id": JOHN, "message_text": "hi"}],
        access_tokens=[{"token": "xoxb-1", "scopes": "chat:write,channels:history,reactions:write"}],
    )
    slack.token = "xoxb-1"
    return slack


def test_another_name_needs_a_scope_of_its_own(strict_bot):
    answer = strict_bot("chat.postMessage", channel=GENERAL, text="hi", username="Night watch")
    assert (answer["error"], answer["needed"]) == ("missing_scope", "chat:write.customize")


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("conversations.history", {}),
        ("conversations.replies", {"ts": "1699580000.000001"}),
        ("reactions.add", {"timestamp": "1699580000.000001", "name": "eyes"}),
    ],
)
def test_a_strict_workspace_lets_bots_read_and_react_where_they_are_members(strict_bot, method, given):
    assert strict_bot(method, channel="C09OTHER", **given)["error"] == "not_in_channel"
    assert strict_bot.as_user(JOHN)("conversations.history", channel="C09OTHER")["ok"]


def test_texts_are_shown_with_entities_and_stored_as_they_were_sent(bot, diff):
    text = f"R&D < sales &amp; <@{JOHN}> <https://a.b?c&d|x> > 1"
    shown = bot("chat.postMessage", channel=GENERAL, text=text)["message"]["text"]
    assert shown == f"R&amp;D &lt; sales &amp; <@{JOHN}> <https://a.b?c&d|x> &gt; 1"
    assert bot.diff()["inserts"][0]["message_text"] == text


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("*bold* and _it_", [("bold", "bold"), (None, " and "), ("italic", "it")]),
        ("`a*b*c`", [("code", "a*b*c")]),
        ("2*3*4 a_b_c", [(None, "2*3*4 a_b_c")]),
        ("*_both_*", [("bold italic", "both")]),
    ],
)
def test_marks_become_styles(text, elements):
    (section,) = rich_text_block(text)["elements"]
    assert [(" ".join(each.get("style", {})) or None, each["text"]) for each in section["elements"]] == elements


def test_references_become_elements():
    text = f"<@{JOHN}> <#{GENERAL}|general> <!here> <!subteam^S1> :tada: <https://a.b|site>"
    (section,) = rich_text_block(text)["elements"]
    kinds = [each["type"] for each in section["elements"] if each["type"] != "text"]
    assert kinds == ["user", "channel", "broadcast", "usergroup", "emoji", "link"]


def test_quotations_and_preformatted_texts_are_parts_of_their_own():
    parts = rich_text_block("before\n> said\n```x < 1```\nafter")["elements"]
    kinds = ["rich_text_section", "rich_text_quote", "rich_text_preformatted", "rich_text_section"]
    assert [part["type"] for part in parts] == kinds
    assert parts[2]["elements"][0]["text"] == "x < 1"


def test_slackbot_is_known_though_no_template_has_it(slack):
    person = slack("users.info", user="USLACKBOT")["user"]
    assert (person["name"], person["is_bot"], person["profile"]["real_name"]) == ("slackbot", False, "Slackbot")


def test_a_pinned_message_says_where_it_is_pinned(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="keep")["ts"]
    slack("pins.add", channel=GENERAL, timestamp=ts)
    first, second, *_ = slack("conversations.history", channel=GENERAL)["messages"]
    assert (first["pinned_to"], "pinned_to" in second) == ([GENERAL], False)


@pytest.mark.parametrize("method", ["channels.list", "groups.history", "im.open", "mpim.list", "rtm.start"])
def test_methods_of_old_are_said_to_be_deprecated(slack, method):
    assert slack(method)["error"] == "method_deprecated"
