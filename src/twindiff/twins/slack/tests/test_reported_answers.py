"""What people report of Slack's API: threads without a root, limits, warnings, content types, entities and bots.

Sources stand beside the code: https://github.com/slackapi/bolt-js/issues/2509 (long blocks), #2115 (channel ids),
https://github.com/slackapi/python-slack-sdk/issues/692 (charsets), https://github.com/slack-edge/slack-edge/pull/10.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.harness import AGENT, GENERAL, JOHN, RANDOM, ROBERT

SEED = Path(__file__).parents[1] / "seeds" / "slack_default.json"

GONE = "1699564800.999999"
AS_JSON, AS_FORM = "application/json", "application/x-www-form-urlencoded"
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3000}}


@pytest.fixture
def strict(workspace):
    """The agent where tokens and content types are taken seriously."""
    return workspace(auth="strict")


# Threads


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("chat.postMessage", {"text": "x"}),
        ("chat.postMessage", {"text": "x", "reply_broadcast": True}),
        ("chat.postEphemeral", {"text": "x", "user": JOHN}),
        ("chat.scheduleMessage", {"text": "x", "post_at": int(time.time()) + 3600}),
    ],
)
def test_a_reply_to_a_deleted_message_is_a_message_of_its_own(slack, diff, method, given):
    ts = slack("chat.postMessage", channel=GENERAL, text="root")["ts"]
    slack("chat.delete", channel=GENERAL, ts=ts)
    assert slack(method, channel=GENERAL, thread_ts=ts, **given)["ok"]
    (row,) = diff()["inserts"]
    assert row["parent_id"] is None


def test_a_stream_needs_a_thread_that_there_is(slack):
    given = {"channel": GENERAL, "recipient_user_id": JOHN, "recipient_team_id": "T01WORKSPACE"}
    assert slack("chat.startStream", thread_ts=GONE, **given)["error"] == "invalid_thread_ts"


def test_a_deleted_root_becomes_a_tombstone_and_goes_with_the_last_reply(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="root")["ts"]
    reply = slack("chat.postMessage", channel=GENERAL, text="reply", thread_ts=ts)["ts"]
    slack("chat.delete", channel=GENERAL, ts=ts)
    slack("chat.delete", channel=GENERAL, ts=reply)
    told = [each["payload"] for each in slack.events() if "subtype" in each["payload"]]
    assert [(each["subtype"], each["ts"]) for each in told] == [
        ("message_changed", ts),
        ("message_deleted", reply),
        ("message_deleted", ts),
    ]
    assert (told[0]["message"]["subtype"], told[0]["message"]["reply_count"]) == ("tombstone", 1)
    assert (told[2]["previous_message"]["subtype"], told[2]["previous_message"]["reply_count"]) == ("tombstone", 0)


# Limits


@pytest.mark.parametrize(("length", "error"), [(4000, None), (4001, "msg_too_long")])
def test_an_edit_has_a_shorter_text_than_a_message(slack, length, error):
    ts = slack("chat.postMessage", channel=GENERAL, text="x" * 4001)["ts"]
    assert slack("chat.update", channel=GENERAL, ts=ts, text="x" * length).get("error") == error


@pytest.mark.parametrize(("count", "error"), [(4, None), (5, "msg_blocks_too_long")])
def test_blocks_are_not_too_long_together(slack, count, error):
    ts = slack("chat.postMessage", channel=GENERAL, text="x")["ts"]
    for method, more in (
        ("chat.postMessage", {}),
        ("chat.update", {"ts": ts}),
        ("chat.postEphemeral", {"user": JOHN}),
        ("chat.scheduleMessage", {"post_at": int(time.time()) + 3600}),
    ):
        assert slack(method, channel=GENERAL, blocks=[SECTION] * count, **more).get("error") == error, method


@pytest.mark.parametrize(("seconds", "is_taken"), [(60, True), (59, False), (30, False)])
def test_a_message_is_taken_back_until_a_minute_before_it_is_sent(workspace, seconds, is_taken):
    slack = workspace(clock={"mode": "steps", "start": "2026-01-01T00:00:00"})
    made = slack("chat.scheduleMessage", channel=GENERAL, text="x", post_at=1767225600 + 2 + seconds)
    given = {"channel": GENERAL, "scheduled_message_id": made["scheduled_message_id"]}
    answer = slack("chat.deleteScheduledMessage", **given)
    assert answer.get("error") == (None if is_taken else "invalid_scheduled_message_id")


# The wire


@pytest.mark.parametrize(
    ("kind", "warning"),
    [
        (AS_JSON, "missing_charset"),
        (f"{AS_JSON}; charset=utf-8", None),
        (AS_FORM, None),
        (f"{AS_FORM}; charset=utf-8", "superfluous_charset"),
    ],
)
@pytest.mark.parametrize("text", ["hi", ""])
def test_a_charset_that_is_missing_or_too_much_is_warned_of(slack, kind, warning, text):
    bodies = {AS_JSON: f'{{"channel": "{GENERAL}", "text": "{text}"}}', AS_FORM: f"channel={GENERAL}&text={text}"}
    body = bodies[kind.partition(";")[0]]
    answer = slack.http("POST", "chat.postMessage", content=body, headers={"Content-Type": kind}).json()
    assert answer["ok"] is bool(text)
    assert answer.get("warning") == warning
    assert answer.get("response_metadata", {}).get("warnings") == ([warning] if warning else None)


@pytest.mark.parametrize(
    ("method", "given", "error"),
    [
        ("users.info", {"user": JOHN}, "user_not_found"),
        ("conversations.replies", {"channel": GENERAL, "ts": "1699564800.000123"}, "invalid_arguments"),
        ("conversations.info", {"channel": GENERAL}, "invalid_arguments"),
        ("users.lookupByEmail", {"email": "john@example.com"}, "invalid_arguments"),
        ("search.messages", {"query": "billing"}, "invalid_arguments"),
        ("files.getUploadURLExternal", {"filename": "a", "length": 1}, "invalid_arguments"),
        ("users.list", {"limit": 1}, None),
        ("conversations.history", {"channel": GENERAL}, None),
        ("chat.postMessage", {"channel": GENERAL, "text": "x"}, None),
    ],
)
def test_a_method_for_forms_does_not_see_json_in_a_strict_environment(strict, slack, method, given, error):
    answer = strict.environment.slack(method, token=strict.token, **given)
    assert answer.get("error") == error
    if method == "users.list":
        assert len(answer["members"]) > 1
    assert slack.environment.slack(method, token=slack.token, **given)["ok"]
    form = {name: str(value) for name, value in given.items()}
    assert strict.http("POST", method, data=form).json()["ok"]


def test_basic_authorization_is_no_token(strict):
    headers = {"Authorization": "Basic eG94cDp4"}
    assert strict.http("POST", "auth.test", token="", headers=headers).json()["error"] == "not_authed"


# Texts


@pytest.mark.parametrize(
    ("method", "given", "path"),
    [
        ("conversations.setTopic", {"channel": GENERAL, "topic": "a & <b>"}, ("channel", "topic", "value")),
        ("conversations.setPurpose", {"channel": GENERAL, "purpose": "a & <b>"}, ("channel", "purpose", "value")),
        ("users.profile.set", {"profile": {"status_text": "a & <b>"}}, ("profile", "status_text")),
        ("usergroups.create", {"name": "a & <b>", "handle": "ab"}, ("usergroup", "name")),
        (
            "bookmarks.add",
            {"channel_id": GENERAL, "title": "a & <b>", "type": "link", "link": "https://a.example"},
            ("bookmark", "title"),
        ),
        ("chat.postMessage", {"channel": GENERAL, "text": "a & <b>"}, ("message", "text")),
        (
            "chat.postMessage",
            {"channel": GENERAL, "text": "x", "attachments": [{"text": "a & <b>"}]},
            ("message", "attachments", 0, "text"),
        ),
        (
            "chat.postMessage",
            {"channel": GENERAL, "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "a & <b>"}}]},
            ("message", "blocks", 0, "text", "text"),
        ),
        (
            "chat.scheduleMessage",
            {"channel": GENERAL, "text": "a & <b>", "post_at": int(time.time()) + 3600},
            ("message", "text"),
        ),
    ],
)
def test_a_text_comes_back_with_entities(slack, method, given, path):
    shown = slack(method, **given)
    for step in path:
        shown = shown[step]
    assert shown == "a &amp; &lt;b&gt;"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("See https://a.example/x?b=1&c=2.", "See <https://a.example/x?b=1&amp;c=2>."),
        ("<https://a.example|here>", "<https://a.example|here>"),
        ("`https://a.example` & more", "`https://a.example` &amp; more"),
        ("no address", "no address"),
    ],
)
def test_a_plain_address_comes_back_as_a_link(slack, said, shown):
    assert slack("chat.postMessage", channel=GENERAL, text=said)["message"]["text"] == shown
    assert slack("conversations.history", channel=GENERAL)["messages"][0]["text"] == shown


def test_every_plain_message_has_its_text_as_rich_text(slack):
    for message in slack("conversations.history", channel=GENERAL)["messages"]:
        (block,) = message["blocks"]
        assert block["type"] == "rich_text"
        assert block["elements"][0]["elements"][0]["text"] == message["text"]
    (match,) = slack("search.messages", query="billing")["messages"]["matches"]
    assert match["blocks"][0]["type"] == "rich_text"


# People, groups, files and canvases


ENTITY = {
    "entity_type": "slack#/entities/task",
    "url": "https://a.example/1",
    "external_ref": {"id": "1"},
    "entity_payload": {"attributes": {"title": {"text": "Oil the gripper"}}},
}


@pytest.mark.parametrize(
    ("entities", "error"),
    [([ENTITY], None), ([], "invalid_metadata_schema"), ([{**ENTITY, "url": 5}], "invalid_metadata_schema")],
)
def test_a_message_carries_entities_as_metadata(slack, entities, error):
    answer = slack("chat.postMessage", channel=GENERAL, text="x", metadata={"entities": entities})
    assert answer.get("error") == error
    assert error or answer["message"]["metadata"] == {"entities": [ENTITY]}


def test_an_empty_list_empties_a_user_group(slack):
    group = slack("usergroups.create", name="Crew", handle="crew")["usergroup"]["id"]
    slack("usergroups.users.update", usergroup=group, users=[JOHN])
    assert slack("usergroups.users.update", usergroup=group, users="")["error"] == "no_users_provided"
    assert slack("usergroups.users.update", usergroup=group, users=[])["usergroup"]["users"] == []


def test_a_file_is_not_shared_with_a_person_by_their_id(slack):
    ticket = slack("files.getUploadURLExternal", filename="a", length=1)
    answer = slack("files.completeUploadExternal", files=[{"id": ticket["file_id"]}], channel_id=JOHN)
    assert answer["error"] == "invalid_arguments"
    (message,) = answer["response_metadata"]["messages"]
    assert message.endswith("must match regex pattern: ^[CGDZ][A-Z0-9]{8,}$ [json-pointer:/channel_id]")


@pytest.mark.parametrize("method", ["canvases.create", "conversations.canvases.create"])
@pytest.mark.parametrize(
    ("markdown", "detail"),
    [
        ("# a\n\n#### b", "line 3: Unsupported heading depth (4)"),
        ("|a|b|\n|--|--|--|\n|1|2|", "line 1: Unsupported table type"),
        ("### a\n\n|a|b|\n|--|--|\n|1|2|\n\n```\n#### b\n```", None),
    ],
)
def test_a_canvas_takes_three_levels_of_headings_and_whole_tables(slack, method, markdown, detail):
    given = {"document_content": {"type": "markdown", "markdown": markdown}, "channel_id": RANDOM}
    answer = slack(method, **given)
    assert answer.get("error") == (detail and "canvas_creation_failed")
    assert (answer.get("detail") or "").endswith(detail or "")


def test_who_has_a_bot_s_token_is_one_bot_everywhere(workspace):
    bot = workspace(tokens={"xoxb-agent": AGENT})
    bot.token = "xoxb-agent"
    bot_id = bot("auth.test")["bot_id"]
    assert bot("bots.info", bot=bot_id)["bot"]["user_id"] == AGENT
    user = bot("users.info", user=AGENT)["user"]
    assert (user["is_bot"], user["profile"]["bot_id"]) == (True, bot_id)
    posted = bot("chat.postMessage", channel=GENERAL, text="hi")["message"]
    listed = bot.as_user(JOHN)("conversations.history", channel=GENERAL)["messages"][0]
    assert posted["bot_id"] == listed["bot_id"] == bot_id
    assert not bot("users.info", user=JOHN)["user"]["is_bot"]


def test_who_has_a_person_s_token_is_no_bot(slack):
    assert "bot_id" not in slack("auth.test")
    assert "bot_id" not in slack("chat.postMessage", channel=GENERAL, text="hi")["message"]


# Membership and content types


@pytest.mark.parametrize(("kind", "error"), [("application/xml", "invalid_post_type"), ("", "missing_post_type")])
@pytest.mark.parametrize("method", ["chat.postMessage", "users.info"])
def test_a_body_of_another_type_is_refused(slack, method, kind, error):
    headers = {"Content-Type": kind} if kind else {}
    answer = slack.http("POST", method, content=b"channel=C1", headers=headers)
    assert answer.json()["error"] == error


@pytest.fixture
def outsider(workspace):
    """A bot's token in a strict environment, and a channel that the bot is not in, with a message."""
    bot = workspace(auth="strict", tokens={"xoxb-agent": AGENT, f"xoxp-{JOHN}": JOHN})
    bot.token = "xoxb-agent"
    john = bot.as_user(JOHN)
    room = john("conversations.create", name="elsewhere")["channel"]["id"]
    return bot, room, john("chat.postMessage", channel=room, text="hi")["ts"]


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("conversations.history", {}),
        ("conversations.replies", {"ts": ...}),
        ("reactions.add", {"timestamp": ..., "name": "tada"}),
        ("conversations.kick", {"user": JOHN}),
    ],
)
def test_a_bot_s_token_reads_reacts_and_removes_in_its_channels_only(outsider, method, given):
    bot, room, ts = outsider
    filled = {name: ts if value is ... else value for name, value in given.items()}
    assert bot(method, channel=room, **filled)["error"] == "not_in_channel"


# Requests


@pytest.mark.parametrize("scheme", ["bearer ", "BEARER ", "token ", "Basic ", "Bearer\t", "Bearer"])
def test_no_scheme_but_bearer_carries_a_token(strict, scheme):
    authorization = {"Authorization": f"{scheme}xoxp-{AGENT}"}
    assert strict.http("GET", "auth.test", token="", headers=authorization).json()["error"] == "not_authed"


def test_the_headers_of_an_answer_name_the_request_and_the_failure(slack):
    fine, refused = (slack.http("POST", method, json={}) for method in ("auth.test", "chat.postMessage"))
    assert len(fine.headers["x-slack-req-id"]) == 32
    assert "x-slack-failure" not in fine.headers
    assert refused.headers["x-slack-failure"] == refused.json()["error"] == "invalid_arguments"
    assert slack.http("GET", "no.such").headers["x-slack-failure"] == "unknown_method"


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.postEphemeral", "chat.meMessage"])
def test_attachments_that_do_not_parse_are_dropped(slack, method):
    given = {"channel": GENERAL, "user": JOHN, "attachments": '[{title:"cnn"}]'}
    assert slack(method, **given)["error"] in ("no_text", "invalid_arguments")
    assert slack(method, **given, text="x")["ok"]


def test_an_attachment_with_blocks_has_no_keys_of_its_own(slack):
    attachment = {"indent": False, "blocks": [{"type": "divider"}]}
    answer = slack("chat.postMessage", channel=GENERAL, attachments=[attachment])
    assert (answer["error"], answer["response_metadata"]["messages"]) == (
        "invalid_attachments",
        ["[ERROR] invalid_keys"],
    )
    assert slack("chat.postMessage", channel=GENERAL, attachments=[{"indent": False, "text": "x"}])["ok"]


@pytest.mark.parametrize("emoji", ["\U0001f9f6", "rocket", ":rocket", ": rocket:"])
def test_the_emoji_of_a_status_stands_between_colons(slack, emoji):
    answer = slack("users.profile.set", profile={"status_emoji": emoji})
    assert answer["error"] == "profile_status_set_failed_not_emoji_syntax"
    assert slack("users.profile.set", profile={"status_emoji": ":wave::skin-tone-2:"})["ok"]


# What readers see, as people measured it: https://github.com/brekkylab/backlot


def test_those_who_write_in_a_thread_follow_it(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="root")["ts"]
    slack.as_user(JOHN)("chat.postMessage", channel=GENERAL, text="reply", thread_ts=ts)
    seen = [
        slack.as_user(user)("conversations.replies", channel=GENERAL, ts=ts)["messages"][0]["subscribed"]
        for user in (AGENT, JOHN, ROBERT)
    ]
    assert seen == [True, True, False]


def test_lines_with_bullets_are_a_list(slack):
    ts = slack.as_user(JOHN)("chat.postMessage", channel=GENERAL, text="\u2022 one\n\u2022 two\nend")["ts"]
    (message,) = slack("conversations.history", channel=GENERAL, latest=ts, inclusive="true", limit=1)["messages"]
    items, end = message["blocks"][0]["elements"]
    assert (items["type"], items["style"], items["indent"], items["border"]) == ("rich_text_list", "bullet", 0, 0)
    assert [each["elements"][0]["text"] for each in items["elements"]] == ["one", "two"]
    assert end["type"] == "rich_text_section"


@pytest.mark.parametrize(("text", "said"), [("> a > b <c>", "a > b <c>"), ("\u2022 a \u2022 b", "a \u2022 b")])
def test_only_the_beginning_of_a_line_makes_it_a_quote_or_an_item(slack, text, said):
    ts = slack("chat.postMessage", channel=GENERAL, text=text.replace("<", "&lt;").replace(">", "&gt;"))["ts"]
    (message,) = slack("conversations.history", channel=GENERAL, latest=ts, inclusive="true", limit=1)["messages"]
    (element,) = message["blocks"][0]["elements"][0]["elements"]
    assert element.get("text") == said or element["elements"] == [{"type": "text", "text": said}]


def test_a_status_is_cleared_as_a_whole(slack):
    assert slack("users.profile.set", profile={"status_text": "a"})["profile"]["status_emoji"] == ":speech_balloon:"
    assert not slack("users.profile.set", profile={"status_emoji": ""})["ok"]
    cleared = slack("users.profile.set", profile={"status_text": "", "status_emoji": ""})["profile"]
    assert (cleared["status_text"], cleared["status_emoji"]) == ("", "")


def test_two_bots_have_no_direct_message(slack):
    """https://github.com/HubSpot/slack-client/pull/90"""
    seed = json.loads(SEED.read_text())
    seed["users"].append({"user_id": "U0OTHERBOT", "username": "other", "email": "other@a.example", "is_bot": True})
    platform = slack.environment.platform
    platform.post("import", {"files": {"slack_two_bots.json": seed}})
    environment = platform.environment("slack:slack_two_bots", AGENT)
    for method, given in (
        ("conversations.open", {"users": "U0OTHERBOT"}),
        ("chat.postMessage", {"channel": "U0OTHERBOT", "text": "x"}),
    ):
        answer = environment.ask(f"api/{method}", verb="POST", twin="slack", token="xoxb-a", json=given)
        assert answer.json()["error"] == "cannot_dm_bot"
    opened = environment.ask("api/conversations.open", verb="POST", twin="slack", token="xoxb-a", json={"users": JOHN})
    assert opened.json()["ok"]
