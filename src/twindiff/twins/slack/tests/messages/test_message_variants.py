"""Ephemeral and /me messages, unfurls, scheduled messages, read marks, closed conversations, tokens of applications."""

import time

from tests.harness import AGENT, GENERAL, JOHN

MINE = "1699564800.000123"


def test_an_ephemeral_message_is_in_no_history(slack):
    slack("chat.postEphemeral", channel=GENERAL, user=JOHN, text="psst", thread_ts=MINE)
    assert "psst" not in str(slack("conversations.history", channel=GENERAL))
    [row] = slack.diff()["inserts"]
    assert (row["__table__"], row["recipient_id"], row["parent_id"]) == ("ephemeral_messages", JOHN, MINE)


def test_a_deed_is_of_its_own_subtype(slack):
    ts = slack("chat.meMessage", channel=GENERAL, text="waves")["ts"]
    [message, *_] = slack("conversations.history", channel=GENERAL)["messages"]
    assert (message["ts"], message["subtype"]) == (ts, "me_message")


def test_a_link_is_unfurled_as_an_attachment(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="see https://example.com")["ts"]
    slack("chat.unfurl", channel=GENERAL, ts=ts, unfurls={"https://example.com": {"text": "An example"}})
    [message, *_] = slack("conversations.history", channel=GENERAL)["messages"]
    assert message["attachments"] == [
        {"fallback": "An example", "text": "An example", "from_url": "https://example.com", "id": 1}
    ]


def test_a_request_to_sign_in_needs_no_links(slack):
    ts = slack("chat.postMessage", channel=GENERAL, text="see https://example.com")["ts"]
    for asked in ({"user_auth_required": "true"}, {"user_auth_url": "https://a.example"}, {"user_auth_message": "Hi"}):
        assert slack("chat.unfurl", channel=GENERAL, ts=ts, **asked)["ok"]
    refused = slack("chat.unfurl", channel=GENERAL, ts=ts, user_auth_required="false")
    assert refused["error"] == "missing_unfurls"


def test_scheduled_messages_are_listed_by_page_and_time(slack, slack_as):
    soon = int(time.time()) + 600
    made = [slack("chat.scheduleMessage", channel=GENERAL, text="a", post_at=soon + at) for at in range(3)]
    ids = {each["scheduled_message_id"] for each in made}
    first = slack("chat.scheduledMessages.list", limit=2)
    rest = slack("chat.scheduledMessages.list", cursor=first["response_metadata"]["next_cursor"])
    assert {each["id"] for page in (first, rest) for each in page["scheduled_messages"]} == ids
    window = slack("chat.scheduledMessages.list", channel=GENERAL, oldest=soon + 1, latest=soon + 1)
    assert len(window["scheduled_messages"]) == 1
    assert slack_as(JOHN)("chat.scheduledMessages.list")["scheduled_messages"] == []


def test_a_mark_is_where_one_has_read_to(slack, slack_as):
    slack("conversations.mark", channel=GENERAL, ts=MINE)
    assert slack("conversations.info", channel=GENERAL)["channel"]["last_read"] == MINE
    assert slack_as(JOHN)("conversations.info", channel=GENERAL)["channel"]["last_read"] == "0000000000.000000"
    assert slack.diff() == {"inserts": [], "updates": [], "deletes": []}


def test_a_closed_conversation_opens_again(slack):
    channel = slack("conversations.open", users=JOHN)["channel"]["id"]
    assert slack("conversations.close", channel=channel) == {"ok": True}
    assert slack("conversations.close", channel=channel)["already_closed"]
    assert "already_open" not in slack("conversations.open", users=JOHN)
    assert slack("conversations.open", users=JOHN)["already_open"]


def test_a_closed_conversation_comes_back_when_something_is_said_in_it(slack, slack_as):
    channel = slack("conversations.open", users=JOHN)["channel"]["id"]
    slack("conversations.close", channel=channel)
    slack_as(JOHN)("chat.postMessage", channel=channel, text="hey")
    assert slack("conversations.open", users=JOHN)["already_open"]
    assert slack("conversations.close", channel=channel) == {"ok": True}


def test_a_purpose_says_who_set_it(slack):
    purpose = slack("conversations.setPurpose", channel=GENERAL, purpose="To talk")["channel"]["purpose"]
    assert (purpose["value"], purpose["creator"]) == ("To talk", AGENT)


def test_a_code_is_exchanged_once_for_tokens_that_work(world):
    wanted = {"code": "c", "client_id": "1.2", "client_secret": "s"}
    answer = world("oauth.v2.access", **wanted)
    scopes = (answer["scope"], answer["authed_user"]["scope"])
    assert (answer["token_type"], *scopes) == ("bot", "chat:write", "search:read")
    assert world("oauth.v2.access", **wanted)["error"] == "code_already_used"


def test_a_connection_is_opened_for_application_tokens_only(slack):
    assert slack.http("POST", "apps.connections.open", token="xapp-1").json()["url"].startswith("ws://")
