"""Messages that come bit by bit, and what assistants say of their threads.

https://docs.slack.dev/reference/methods/chat.startStream
"""

import pytest
from slack_sdk import WebClient

GENERAL, JOHN, ROBERT = "C01ABCD1234", "U02JOHNDOE1", "U03ROBERT23"
TS, TEAM = "1699564800.000123", "T01WORKSPACE"
TO = {"recipient_user_id": JOHN, "recipient_team_id": TEAM}


@pytest.fixture
def streamed(slack):
    """The ts of a message that has begun."""
    return slack("chat.startStream", channel=GENERAL, thread_ts=TS, markdown_text="One", **TO)["ts"]


def test_a_reply_grows_until_it_is_stopped(slack, streamed):
    assert slack("chat.appendStream", channel=GENERAL, ts=streamed, markdown_text=" two")["ok"]
    last = slack("chat.stopStream", channel=GENERAL, ts=streamed, markdown_text=" three")
    assert (last["message"]["text"], last["message"]["thread_ts"]) == ("One two three", TS)
    refused = slack("chat.appendStream", channel=GENERAL, ts=streamed, markdown_text="!")
    assert refused["error"] == "message_not_in_streaming_state"


def test_the_sdk_s_helper_streams(slack, workspace):
    client = WebClient(token=slack.token, base_url=slack.url)
    stream = client.chat_stream(channel=GENERAL, thread_ts=TS, buffer_size=1, **TO)
    stream.append(markdown_text="Hello ")
    stream.append(markdown_text="world")
    ended = stream.stop()
    assert ended is not None
    assert ended.get("message", {})["text"] == "Hello world"


def test_tasks_are_cards_that_change_in_place(slack):
    begun = {"type": "task_update", "id": "t1", "title": "Look it up", "status": "in_progress"}
    ts = slack("chat.startStream", channel=GENERAL, thread_ts=TS, chunks=[begun], **TO)["ts"]
    done = [{**begun, "status": "complete"}, {"type": "markdown_text", "text": "Found."}]
    message = slack("chat.stopStream", channel=GENERAL, ts=ts, chunks=done)["message"]
    assert [(each["type"], each["status"]) for each in message["blocks"]] == [("task_card", "complete")]
    assert message["text"] == "Found."


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"recipient_team_id": TEAM}, "missing_recipient_user_id"),
        ({"recipient_user_id": JOHN}, "missing_recipient_team_id"),
        ({**TO, "recipient_user_id": "U0NOPE"}, "user_not_found"),
        ({**TO, "channel": "C0NOPE"}, "channel_not_found"),
        ({**TO, "chunks": [{"type": "smoke"}]}, "invalid_chunks"),
        ({**TO, "markdown_text": "a" * 12_001}, "msg_too_long"),
        (
            {**TO, "markdown_text": "a", "chunks": [{"type": "markdown_text", "text": "b"}]},
            "cannot_provide_both_markdown_text_and_chunks",
        ),
    ],
)
def test_a_stream_is_refused_with_nothing_written(slack, given, error):
    assert slack("chat.startStream", **{"channel": GENERAL, "thread_ts": TS, **given})["error"] == error
    assert slack.diff(include="all")["inserts"] == []


def test_a_stream_keeps_to_the_way_it_began_in(slack, streamed):
    chunks = [{"type": "markdown_text", "text": "two"}]
    answer = slack("chat.appendStream", channel=GENERAL, ts=streamed, chunks=chunks)
    assert answer["error"] == "streaming_mode_mismatch"


def test_nobody_goes_on_with_another_s_stream(slack, slack_as, streamed):
    answer = slack_as(ROBERT)("chat.appendStream", channel=GENERAL, ts=streamed, markdown_text="!")
    assert answer["error"] == "message_not_owned_by_app"


def test_what_an_assistant_is_doing_ends_with_its_reply(workspace_with):
    users = [{"user_id": "U0HELPER00", "username": "helper", "email": "h@example.com", "is_bot": True}]
    members = [{"channel_id": GENERAL, "user_id": "U0HELPER00"}]
    options = {"tokens": {"xoxp-U0HELPER00": "U0HELPER00"}}
    bot = workspace_with(users=users, channel_members=members, _options=options).as_user("U0HELPER00")
    assert bot("assistant.threads.setStatus", channel_id=GENERAL, thread_ts=TS, status="is thinking")["ok"]
    assert bot.diff()["inserts"][0]["status"] == "is thinking"
    bot("chat.postMessage", channel=GENERAL, thread_ts=TS, text="done")
    (thread,) = [row for row in bot.diff()["inserts"] if row["__table__"] == "assistant_threads"]
    assert thread["status"] == ""


def test_at_most_four_prompts_are_suggested(slack):
    prompt = {"title": "Why?", "message": "Why is it so?"}
    five = slack("assistant.threads.setSuggestedPrompts", channel_id=GENERAL, thread_ts=TS, prompts=[prompt] * 5)
    assert five["error"] == "invalid_prompts"
    assert slack("assistant.threads.setSuggestedPrompts", channel_id=GENERAL, thread_ts=TS, prompts=[prompt])["ok"]
