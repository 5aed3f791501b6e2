"""chat.postMessage, chat.update, chat.delete, chat.getPermalink and chat.scheduleMessage."""

import json

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"
MINE, ROBERTS = "1699564800.000123", "1699568400.000456"
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "hello *world*"}}
DIVIDER = {"type": "divider"}


@pytest.fixture
def private(slack_as):
    """A private channel that the caller is not in."""
    return slack_as(JOHN)("conversations.create", name="plans", is_private=True)["channel"]["id"]


@pytest.fixture
def archived(slack):
    channel = slack("conversations.create", name="old-plans")["channel"]["id"]
    slack("chat.postMessage", channel=channel, text="bye")
    slack("conversations.archive", channel=channel)
    return channel


def last(slack, channel=GENERAL):
    return slack("conversations.history", channel=channel, limit=1)["messages"][0]


def test_a_message_reaches_the_channel(slack):
    answer = slack("chat.postMessage", channel=GENERAL, text="hi")
    assert (answer["ok"], answer["channel"], answer["message"]["user"]) == (True, GENERAL, ME)
    assert last(slack)["ts"] == answer["ts"]


def test_a_message_adds_one_row_and_changes_nothing_that_is_shown(slack, diff):
    ts = slack("chat.postMessage", channel=GENERAL, text=f"hi <@{JOHN}>")["ts"]
    changes = diff()
    [row] = changes["inserts"]
    assert (row["__table__"], row["message_id"], row["ts"], row["blocks"]) == ("messages", ts, None, None)
    assert (changes["updates"], changes["deletes"]) == ([], [])


@pytest.mark.parametrize("name", ["general", "#general", "General", GENERAL])
def test_a_channel_goes_by_its_id_and_by_its_name(slack, name):
    assert slack("chat.postMessage", channel=name, text="hi")["channel"] == GENERAL


NAMED = [
    ("chat.postMessage", {"text": "hi"}),
    ("chat.scheduleMessage", {"text": "hi", "post_at": 2_000_000_000}),
    ("chat.meMessage", {"text": "hi"}),
    ("chat.postEphemeral", {"text": "hi", "user": JOHN}),
]
ASKED_BY_ID = [
    ("chat.update", {"ts": "1699564800.000123", "text": "hi"}),
    ("chat.getPermalink", {"message_ts": "1699564800.000123"}),
    ("chat.scheduledMessages.list", {}),
    ("conversations.history", {}),
    ("conversations.info", {}),
    ("conversations.members", {}),
    ("conversations.setTopic", {"topic": "Tea"}),
    ("reactions.add", {"timestamp": "1699564800.000123", "name": "eyes"}),
    ("pins.list", {}),
    ("files.list", {}),
]


@pytest.mark.parametrize(("method", "arguments"), NAMED)
def test_who_posts_may_name_a_channel_where_tokens_count_too(strict, method, arguments):
    """https://docs.slack.dev/reference/methods/chat.postMessage#channels"""
    answer = strict(method, channel="#general", **arguments)
    assert answer.get("error") != "channel_not_found", answer


@pytest.mark.parametrize(("method", "arguments"), ASKED_BY_ID)
def test_all_else_asks_for_a_channel_s_id_where_tokens_count(strict, slack, method, arguments):
    """https://docs.slack.dev/reference/methods/conversations.info"""
    refusals = [strict(method, channel=name, **arguments).get("error") for name in ("general", "#general")]
    assert set(refusals) <= {"channel_not_found", "invalid_channel"}
    assert strict(method, channel=GENERAL, **arguments)["ok"]
    assert slack(method, channel="#general", **arguments)["ok"]


@pytest.fixture
def strict(workspace):
    """The agent where tokens count."""
    return workspace(auth="strict")


@pytest.mark.parametrize("name", [JOHN, "@johndoe"])
def test_a_message_to_a_person_opens_the_direct_message_with_them(slack, name):
    answer = slack("chat.postMessage", channel=name, text="hi")
    assert answer["channel"].startswith("D")
    assert slack("conversations.members", channel=answer["channel"])["members"] == [ME, JOHN]


def test_a_direct_message_is_opened_once(slack):
    first, second = (slack("chat.postMessage", channel=JOHN, text="hi")["channel"] for _ in "ab")
    assert first == second


def test_a_message_to_oneself_is_a_conversation_of_one(slack):
    channel = slack("chat.postMessage", channel=ME, text="note")["channel"]
    assert slack("conversations.members", channel=channel)["members"] == [ME]


def test_a_message_needs_text_or_blocks_or_attachments(slack):
    assert slack("chat.postMessage", channel=GENERAL)["error"] == "no_text"
    assert slack("chat.postMessage", channel=GENERAL, text="", blocks=[])["error"] == "no_text"
    assert slack("chat.postMessage", channel=GENERAL, text=" \n ")["error"] == "no_text"


def test_a_message_without_a_channel_is_refused(slack):
    answer = slack("chat.postMessage", text="hi")
    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"] == ["[ERROR] missing required field: channel"]


def test_an_unknown_channel_is_refused(slack):
    assert slack("chat.postMessage", channel="C0NOPE000", text="hi")["error"] == "channel_not_found"


def test_a_private_channel_does_not_exist_for_strangers(slack, private):
    assert slack("chat.postMessage", channel=private, text="hi")["error"] == "channel_not_found"


def test_an_archived_channel_takes_no_messages(slack, archived):
    assert slack("chat.postMessage", channel=archived, text="hi")["error"] == "is_archived"


def test_only_members_post(slack):
    slack("conversations.leave", channel=RANDOM)
    assert slack("chat.postMessage", channel=RANDOM, text="hi")["error"] == "not_in_channel"


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update", "chat.scheduleMessage"])
def test_a_text_has_at_most_40000_characters(slack, method):
    arguments = {"channel": GENERAL, "ts": MINE, "post_at": 2_000_000_000}
    assert slack(method, **arguments, text="x" * 40_001)["error"] == "msg_too_long"


def test_markdown_text_is_the_text(slack):
    assert slack("chat.postMessage", channel=GENERAL, markdown_text="**hi**")["message"]["text"] == "**hi**"


def test_markdown_text_stands_alone(slack):
    answer = slack("chat.postMessage", channel=GENERAL, markdown_text="**hi**", text="hi")
    assert answer["error"] == "markdown_text_conflict"


def test_markdown_text_has_at_most_12000_characters(slack):
    assert slack("chat.postMessage", channel=GENERAL, markdown_text="x" * 12_001)["error"] == "msg_too_long"


def test_blocks_alone_give_the_message_their_text(slack):
    message = slack("chat.postMessage", channel=GENERAL, blocks=[SECTION, DIVIDER])["message"]
    assert message["text"] == "hello *world*"


def test_blocks_without_any_text_are_a_message_too(slack):
    assert slack("chat.postMessage", channel=GENERAL, blocks=[DIVIDER])["message"]["text"] == ""


def test_blocks_are_stored_as_sent_and_shown_with_ids(slack, diff):
    shown = slack("chat.postMessage", channel=GENERAL, blocks=[SECTION])["message"]["blocks"]
    assert diff()["inserts"][0]["blocks"] == [SECTION]
    assert {**SECTION, "block_id": shown[0]["block_id"]} == shown[0] == last(slack)["blocks"][0]


def test_blocks_that_are_no_list_are_refused(slack):
    for blocks in ({"blocks": [SECTION]}, ["section"], "not json"):
        assert slack("chat.postMessage", channel=GENERAL, blocks=blocks)["error"] == "invalid_blocks_format"


def test_a_wrong_block_is_pointed_at(slack):
    answer = slack("chat.postMessage", channel=GENERAL, blocks=[DIVIDER, {"type": "section"}])
    assert answer["error"] == "invalid_blocks"
    assert "[json-pointer:/blocks/1]" in answer["errors"][0]
    assert answer["response_metadata"]["messages"] == [f"[ERROR] {answer['errors'][0]}"]


def test_attachments_alone_are_a_message_and_come_back_numbered(slack):
    message = slack("chat.postMessage", channel=GENERAL, attachments=[{"text": "a"}, {"color": "#fff"}])["message"]
    assert [(each["id"], each["fallback"]) for each in message["attachments"]] == [
        (1, "a"),
        (2, "[no preview available]"),
    ]
    assert last(slack)["attachments"] == message["attachments"]


def test_at_most_100_attachments_are_taken(slack):
    answer = slack("chat.postMessage", channel=GENERAL, attachments=[{"text": "a"}] * 101)
    assert answer["error"] == "too_many_attachments"


def test_attachments_are_objects_with_valid_blocks(slack):
    for attachments in (["a"], [{"blocks": [{"type": "section"}]}], [{"blocks": "x"}]):
        answer = slack("chat.postMessage", channel=GENERAL, attachments=attachments)
        assert answer["error"] == "invalid_attachments"


def test_metadata_is_shown_to_those_who_ask(slack):
    metadata = {"event_type": "order_placed", "event_payload": {"id": 7}}
    answer = slack("chat.postMessage", channel=GENERAL, text="hi", metadata=metadata)
    assert answer["message"]["metadata"] == metadata
    assert last(slack)["metadata"] == {**metadata, "event_payload": {}}
    everything = slack("conversations.history", channel=GENERAL, limit=1, include_all_metadata=True)
    assert everything["messages"][0]["metadata"] == metadata


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ("not json", "invalid_metadata_format"),
        ({"event_type": "a"}, "invalid_metadata_schema"),
        ({"event_type": "", "event_payload": {}}, "invalid_metadata_schema"),
        ({"event_type": "a", "event_payload": {"text": "x" * 9000}}, "metadata_too_large"),
    ],
)
def test_metadata_has_a_type_and_a_small_payload(slack, metadata, error):
    assert slack("chat.postMessage", channel=GENERAL, text="hi", metadata=metadata)["error"] == error


def test_a_reply_hangs_on_its_thread(slack):
    reply = slack("chat.postMessage", channel=GENERAL, text="I am", thread_ts=ROBERTS)["message"]
    assert (reply["thread_ts"], reply["parent_user_id"]) == (ROBERTS, ROBERT)
    assert last(slack)["reply_count"] == 1


def test_a_reply_to_a_reply_hangs_on_the_root(slack, diff):
    first = slack("chat.postMessage", channel=GENERAL, text="one", thread_ts=ROBERTS)["ts"]
    slack("chat.postMessage", channel=GENERAL, text="two", thread_ts=first)
    assert [row["parent_id"] for row in diff()["inserts"]] == [ROBERTS, ROBERTS]


def test_a_reply_may_be_shown_in_the_channel_too(slack):
    reply = slack("chat.postMessage", channel=GENERAL, text="I am", thread_ts=ROBERTS, reply_broadcast=True)
    assert reply["message"]["subtype"] == "thread_broadcast"
    assert last(slack)["ts"] == reply["ts"]


@pytest.mark.parametrize("thread_ts", ["", "0", "yesterday"])
def test_a_thread_ts_looks_like_a_ts(slack, thread_ts):
    answer = slack("chat.postMessage", channel=GENERAL, text="hi", thread_ts=thread_ts)
    assert answer["error"] == "invalid_thread_ts"


def test_a_reply_to_what_is_no_message_of_the_channel_is_a_message_of_its_own(slack):
    for channel, thread_ts in (GENERAL, "1.000001"), (RANDOM, ROBERTS):
        answer = slack("chat.postMessage", channel=channel, text="hi", thread_ts=thread_ts, reply_broadcast=True)
        assert answer["ok"]
        assert not {"thread_ts", "subtype"} & answer["message"].keys()


def test_a_thread_lives_on_when_its_root_is_deleted(slack):
    slack("chat.postMessage", channel=GENERAL, text="one", thread_ts=MINE)
    slack("chat.delete", channel=GENERAL, ts=MINE)
    assert slack("chat.postMessage", channel=GENERAL, text="two", thread_ts=MINE)["ok"]
    shown = slack("conversations.replies", channel=GENERAL, ts=MINE)["messages"]
    assert [message.get("subtype") for message in shown] == ["tombstone", None, None]


def test_an_edit_changes_the_text(slack, diff):
    answer = slack("chat.update", channel=GENERAL, ts=MINE, text="new")
    assert (answer["text"], answer["message"]["edited"]["user"]) == ("new", ME)
    [update] = diff()["updates"]
    assert [name for name in update["changed"] if name not in update["derived"]] == ["message_text"]


def test_an_edit_leaves_blocks_that_are_not_sent(slack):
    ts = slack("chat.postMessage", channel=GENERAL, blocks=[SECTION])["ts"]
    slack("chat.update", channel=GENERAL, ts=ts, text="new")
    assert (last(slack)["text"], last(slack)["blocks"][0]["text"]) == ("new", SECTION["text"])


def test_an_edit_with_an_empty_list_takes_the_blocks_away(slack):
    ts = slack("chat.postMessage", channel=GENERAL, blocks=[SECTION])["ts"]
    slack("chat.update", channel=GENERAL, ts=ts, text="new", blocks=[])
    assert [block["type"] for block in last(slack)["blocks"]] == ["rich_text"]


def test_an_edit_by_blocks_alone_changes_the_text_too(slack):
    assert slack("chat.update", channel=GENERAL, ts=MINE, blocks=[SECTION])["text"] == "hello *world*"


def test_an_edit_to_the_same_text_changes_nothing(slack, diff):
    text = slack("conversations.replies", channel=GENERAL, ts=MINE)["messages"][0]["text"]
    assert slack("chat.update", channel=GENERAL, ts=MINE, text=text)["ok"]
    assert diff() == {"inserts": [], "updates": [], "deletes": []}


def test_a_reply_can_be_broadcast_later(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="I am", thread_ts=ROBERTS)["ts"]
    slack("chat.update", channel=GENERAL, ts=ts, text="I am", reply_broadcast=True)
    assert last(slack)["ts"] == ts


def test_only_a_reply_can_be_broadcast(slack):
    answer = slack("chat.update", channel=GENERAL, ts=MINE, text="new", reply_broadcast=True)
    assert answer["error"] == "cant_broadcast_message"


@pytest.mark.parametrize(
    ("method", "error"), [("chat.update", "cant_update_message"), ("chat.delete", "cant_delete_message")]
)
def test_only_its_author_changes_a_message(slack, method, error):
    assert slack(method, channel=GENERAL, ts=ROBERTS, text="new")["error"] == error


@pytest.mark.parametrize("method", ["chat.update", "chat.delete"])
def test_a_message_is_looked_for_in_its_channel(slack, method):
    for channel, ts in (GENERAL, "1.000001"), (RANDOM, MINE):
        assert slack(method, channel=channel, ts=ts, text="new")["error"] == "message_not_found"
    assert slack(method, channel="C0NOPE000", ts=MINE, text="new")["error"] == "channel_not_found"


def test_a_message_in_an_archived_channel_stays_as_it_is(slack, archived):
    ts = last(slack, archived)["ts"]
    assert slack("chat.update", channel=archived, ts=ts, text="new")["error"] == "is_inactive"


def test_an_edit_needs_something_to_say(slack):
    assert slack("chat.update", channel=GENERAL, ts=MINE)["error"] == "no_text"


def test_a_deleted_message_takes_its_reactions_with_it(slack, slack_as, diff):
    ts = slack("chat.postMessage", channel=GENERAL, text="hi")["ts"]
    slack_as(JOHN)("reactions.add", channel=GENERAL, timestamp=ts, name="eyes")
    assert slack("chat.delete", channel=GENERAL, ts=ts) == {"ok": True, "channel": GENERAL, "ts": ts}
    assert diff() == {"inserts": [], "updates": [], "deletes": []}


def test_a_permalink_leads_to_the_message(slack):
    link = slack("chat.getPermalink", channel=GENERAL, message_ts=MINE)["permalink"]
    assert link == f"https://test-workspace.slack.com/archives/{GENERAL}/p1699564800000123"


def test_the_permalink_of_a_reply_names_its_thread(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="hi", thread_ts=MINE)["ts"]
    link = slack("chat.getPermalink", channel=GENERAL, message_ts=ts)["permalink"]
    assert link.endswith(f"?thread_ts={MINE}&cid={GENERAL}")


def test_a_permalink_needs_a_message(slack):
    assert slack("chat.getPermalink", channel=GENERAL, message_ts="1.000001")["error"] == "message_not_found"
    assert slack("chat.getPermalink", channel="C0NOPE000", message_ts=MINE)["error"] == "channel_not_found"


def in_an_hour(slack):
    return int(float(slack("chat.postMessage", channel=RANDOM, text="what time is it?")["ts"])) + 3600


def test_a_scheduled_message_waits(slack):
    post_at = in_an_hour(slack)
    answer = slack("chat.scheduleMessage", channel=GENERAL, text="later", post_at=str(post_at))
    assert (answer["post_at"], answer["channel"], answer["message"]["text"]) == (post_at, GENERAL, "later")
    assert answer["scheduled_message_id"].startswith("Q")
    assert last(slack)["ts"] == ROBERTS


@pytest.mark.parametrize(
    ("post_at", "error"),
    [("soon", "invalid_time"), (1, "time_in_past"), (9_000_000_000, "time_too_far")],
)
def test_a_scheduled_message_has_a_time_within_120_days(slack, post_at, error):
    assert slack("chat.scheduleMessage", channel=GENERAL, text="later", post_at=post_at)["error"] == error


def test_at_most_30_messages_are_scheduled_within_five_minutes(slack):
    schedule = {"channel": GENERAL, "text": "later", "post_at": in_an_hour(slack)}
    assert all(slack("chat.scheduleMessage", **schedule)["ok"] for _ in range(30))
    assert slack("chat.scheduleMessage", **schedule)["error"] == "restricted_too_many"


def test_scheduling_refuses_what_posting_refuses(slack, archived):
    post_at = in_an_hour(slack)
    assert slack("chat.scheduleMessage", channel=GENERAL, post_at=post_at)["error"] == "no_text"
    for channel, error in ("C0NOPE000", "channel_not_found"), (archived, "is_archived"):
        assert slack("chat.scheduleMessage", channel=channel, text="x", post_at=post_at)["error"] == error
    slack("conversations.leave", channel=RANDOM)
    assert slack("chat.scheduleMessage", channel=RANDOM, text="x", post_at=post_at)["error"] == "not_in_channel"


def test_a_form_carries_blocks_as_json_text(slack):
    data = {"channel": GENERAL, "blocks": json.dumps([SECTION]), "reply_broadcast": "false"}
    answer = slack.http("POST", "chat.postMessage", data=data).json()
    assert (answer["ok"], answer["message"]["text"]) == (True, "hello *world*")


def test_a_message_is_sent_by_get_too(slack):
    answer = slack.http("GET", "chat.postMessage", params={"channel": "#random", "text": "hi & <bye>"}).json()
    assert (answer["channel"], answer["message"]["text"]) == (RANDOM, "hi &amp; &lt;bye&gt;")


def test_mentions_follow_the_text(slack, diff):
    ts = slack("chat.postMessage", channel=GENERAL, text=f"<@{JOHN}> and <@{ROBERT}|rob>, not <@U0NOPE000>")["ts"]
    slack("chat.update", channel=GENERAL, ts=ts, text=f"<@{ROBERT}> alone")
    rows = [row for row in diff(include="derived")["inserts"] if row["__table__"] == "user_mentions"]
    assert [(row["message_id"], row["user_id"]) for row in rows] == [(ts, ROBERT)]


def test_an_edit_remembers_what_was_said(slack, diff):
    ts = slack("chat.postMessage", channel=GENERAL, text="one")["ts"]
    for text in "two", "three":
        slack("chat.update", channel=GENERAL, ts=ts, text=text)
    rows = [row for row in diff(include="derived")["inserts"] if row["__table__"] == "message_edits"]
    assert {row["edited_text"] for row in rows} == {"one", "two"}


def test_those_who_subscribed_are_told(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="one")["ts"]
    slack("chat.update", channel=GENERAL, ts=ts, text="two")
    slack("chat.delete", channel=GENERAL, ts=ts)
    told = [event["payload"] for event in slack.events()]
    assert [(each["type"], each.get("subtype"), each["ts"]) for each in told] == [
        ("message", None, ts),
        ("message", "message_changed", ts),
        ("message", "message_deleted", ts),
    ]


@pytest.mark.parametrize("blocks", [None, [{"type": "divider", "block_id": "b1"}]])
def test_an_update_to_the_same_content_changes_nothing_and_tells_nobody(slack, blocks):
    content = {"text": "same", **({"blocks": blocks} if blocks else {})}
    ts = slack("chat.postMessage", channel=GENERAL, **content)["ts"]
    told, before = slack.events(), slack.diff("all")
    answer = slack("chat.update", channel=GENERAL, ts=ts, **content)
    assert (answer["ok"], answer["text"], "edited" in answer["message"]) == (True, "same", False)
    assert (slack.events(), slack.diff("all")) == (told, before)
