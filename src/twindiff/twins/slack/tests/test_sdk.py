"""Every method through the vendor's own client: slack_sdk, as it comes, against a server on a loopback port."""

import time
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"
MINE = "1699564800.000123"
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "hello *world*"}}


@pytest.fixture
def client(slack):
    return WebClient(token=slack.token, base_url=slack.url)


@pytest.fixture
def plans(client):
    """A public channel that only the caller is in."""
    return client.conversations_create(name="plans")["channel"]["id"]


def refusal(act, *args, **arguments):
    with pytest.raises(SlackApiError) as refused:
        act(*args, **arguments)
    return refused.value.response["error"]


def test_auth_test(client):
    assert client.auth_test()["user_id"] == ME


def test_without_a_token_nobody_is_let_in_where_tokens_are_taken_seriously(workspace):
    strict = workspace(auth="strict")
    assert refusal(WebClient(token="", base_url=strict.url).auth_test) == "not_authed"


def test_chat_post_message(client):
    answer = client.chat_postMessage(channel=GENERAL, text="hi", blocks=[SECTION])
    assert answer["message"]["blocks"][0]["text"] == SECTION["text"]
    with pytest.warns(UserWarning, match="text"):
        assert refusal(client.chat_postMessage, channel=GENERAL) == "no_text"


def test_chat_update(client):
    assert client.chat_update(channel=GENERAL, ts=MINE, text="edited")["text"] == "edited"
    assert refusal(client.chat_update, channel=GENERAL, ts="1.000001", text="x") == "message_not_found"


def test_chat_delete(client):
    assert client.chat_delete(channel=GENERAL, ts=MINE)["ts"] == MINE


def test_chat_get_permalink(client):
    permalink = client.chat_getPermalink(channel=GENERAL, message_ts=MINE)["permalink"]
    assert permalink.endswith(f"/archives/{GENERAL}/p1699564800000123")


def test_chat_schedule_message(client):
    soon = int(time.time()) + 3600
    assert client.chat_scheduleMessage(channel=GENERAL, text="later", post_at=soon)["post_at"] == soon


def test_conversations_list(client):
    names = [page["channels"][0]["name"] for page in client.conversations_list(types=["public_channel", "im"], limit=1)]
    assert names == ["general", "random"]


def test_conversations_info(client):
    assert client.conversations_info(channel=GENERAL, include_num_members=True)["channel"]["num_members"] == 3
    assert refusal(client.conversations_info, channel="C0NOPE000") == "channel_not_found"


def test_conversations_history(client):
    listed = [
        page["messages"][0]["ts"] for page in client.conversations_history(channel=GENERAL, limit=1, inclusive=False)
    ]
    assert listed == ["1699568400.000456", MINE]


def test_conversations_replies(client):
    reply = client.chat_postMessage(channel=GENERAL, text="hi", thread_ts=MINE)["ts"]
    messages = client.conversations_replies(channel=GENERAL, ts=MINE)["messages"]
    assert [message["ts"] for message in messages] == [MINE, reply]


def test_conversations_members(client):
    pages = [page["members"] for page in client.conversations_members(channel=GENERAL, limit=2)]
    assert pages == [[ME, JOHN], [ROBERT]]


def test_conversations_create(client):
    assert client.conversations_create(name="hidden", is_private=True)["channel"]["is_private"]
    assert not client.conversations_create(name="open", is_private=False)["channel"]["is_private"]


def test_conversations_join(client):
    assert client.conversations_join(channel=GENERAL)["warning"] == "already_in_channel"


@pytest.mark.parametrize("users", [f"{JOHN},{ROBERT}", [JOHN, ROBERT]])
def test_conversations_invite(client, plans, users):
    assert client.conversations_invite(channel=plans, users=users)["channel"]["id"] == plans
    assert client.conversations_members(channel=plans)["members"] == [ME, JOHN, ROBERT]


def test_conversations_open(client):
    first = client.conversations_open(users=[JOHN], return_im=True)["channel"]
    assert (first["user"], client.conversations_open(users=JOHN)["channel"]["id"]) == (JOHN, first["id"])


def test_conversations_archive_and_unarchive(client, plans):
    assert client.conversations_archive(channel=plans)["ok"]
    assert refusal(client.chat_postMessage, channel=plans, text="hi") == "is_archived"
    assert client.conversations_unarchive(channel=plans)["ok"]


def test_conversations_kick(client):
    assert client.conversations_kick(channel=RANDOM, user=JOHN)["ok"]
    assert JOHN not in client.conversations_members(channel=RANDOM)["members"]


def test_conversations_leave(client):
    assert client.conversations_leave(channel=RANDOM)["ok"]
    with pytest.raises(SlackApiError) as refused:
        client.conversations_leave(channel=RANDOM)
    assert refused.value.response["not_in_channel"]


def test_conversations_rename(client, plans):
    assert client.conversations_rename(channel=plans, name="plans-2")["channel"]["name"] == "plans-2"


def test_conversations_set_topic(client):
    assert client.conversations_setTopic(channel=GENERAL, topic="News & more")["channel"]["topic"]["creator"] == ME


def test_users_list(client):
    ids = [user["id"] for page in client.users_list(limit=2) for user in page["members"]]
    assert ids == [ME, JOHN, ROBERT]


def test_users_info(client):
    assert client.users_info(user=JOHN, include_locale=True)["user"]["locale"] == "en-US"
    assert refusal(client.users_info, user="U0NOPE000") == "user_not_found"


def test_users_profile_get(client):
    assert client.users_profile_get(user=JOHN)["profile"]["display_name"] == "John"


def test_users_lookup_by_email(client):
    assert client.users_lookupByEmail(email="john@example.com")["user"]["id"] == JOHN


def test_users_conversations(client):
    assert len(client.users_conversations(types="public_channel,im", exclude_archived=True)["channels"]) == 2


def test_reactions(client):
    item: dict[str, Any] = {"channel": GENERAL, "timestamp": MINE}
    client.reactions_add(**item, name="thumbsup")
    assert client.reactions_get(**item, full=True)["message"]["reactions"][0]["users"] == [ME]
    client.reactions_remove(**item, name="thumbsup")
    assert "reactions" not in client.reactions_get(**item)["message"]


def test_search_messages(client):
    [match] = client.search_messages(query="billing", count=5)["messages"]["matches"]
    assert (match["ts"], match["channel"]["id"]) == (MINE, GENERAL)


def test_search_all(client):
    assert client.search_all(query="billing")["messages"]["total"] == 1


def test_an_unknown_method_is_named(client):
    assert refusal(client.api_call, "pins.dance") == "unknown_method"
