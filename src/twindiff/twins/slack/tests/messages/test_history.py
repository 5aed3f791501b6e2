"""conversations.history and conversations.replies."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN = "U01AGENBOT9", "U02JOHNDOE1"
FIRST, SECOND = "1699564800.000123", "1699568400.000456"


@pytest.fixture
def say(slack):
    """Post to #random and give the ts."""
    return lambda text, **more: slack("chat.postMessage", channel=RANDOM, text=text, **more)["ts"]


def texts(answer):
    return [message["text"] for message in answer["messages"]]


def ids(answer):
    return [message["ts"] for message in answer["messages"]]


def pages(slack, method, **arguments):
    """The messages of every page."""
    answer = slack(method, **arguments)
    yield answer["messages"]
    while answer["has_more"]:
        answer = slack(method, **arguments, cursor=answer["response_metadata"]["next_cursor"])
        yield answer["messages"]


# conversations.history


def test_history_begins_with_the_newest_message(slack, say):
    say("one")
    say("two")
    assert texts(slack("conversations.history", channel=RANDOM))[:2] == ["two", "one"]


def test_messages_of_the_seed_are_found_by_time(slack):
    ask = {"channel": GENERAL, "oldest": FIRST, "latest": SECOND}
    assert ids(slack("conversations.history", **ask)) == []
    assert ids(slack("conversations.history", **ask, inclusive=True)) == [SECOND, FIRST]


@pytest.mark.parametrize("oldest", ["1699564801", 1699564801, "1699564800.5", 1699564800.5])
def test_a_time_may_be_written_without_its_fraction(slack, oldest):
    assert ids(slack("conversations.history", channel=GENERAL, oldest=oldest)) == [SECOND]


def test_history_tells_the_window_it_was_asked_for(slack):
    answer = slack("conversations.history", channel=GENERAL, oldest="1", latest=SECOND)
    assert (answer["oldest"], answer["latest"], answer["has_more"]) == ("1", SECOND, False)


def test_history_since_a_time_begins_next_to_it(slack, say):
    first, *later = [say(str(n)) for n in range(6)]
    ask = {"channel": RANDOM, "limit": 2, "oldest": first}
    found = [[message["ts"] for message in page] for page in pages(slack, "conversations.history", **ask)]
    assert found == [[later[1], later[0]], [later[3], later[2]], [later[4]]]
    bounded = slack("conversations.history", **ask, latest=later[4], inclusive=True)
    assert ids(bounded) == [later[4], later[3]]


@pytest.mark.parametrize(("oldest", "newest_first"), [("0", True), (0, True), ("0.000000", True), ("0.000001", False)])
def test_history_since_zero_begins_with_the_newest_as_without_a_time(slack, say, oldest, newest_first):
    say("older")
    newest = say("newest")
    assert (ids(slack("conversations.history", channel=RANDOM, limit=1, oldest=oldest)) == [newest]) is newest_first


def test_history_since_a_time_has_threads_and_what_replies_outlive(slack, say):
    start, root, gone = say("a"), say("b"), say("c")
    for parent in (root, gone):
        say("reply", thread_ts=parent)
    slack("chat.delete", channel=RANDOM, ts=gone)
    last = say("d")
    ask = {"channel": RANDOM, "limit": 1, "oldest": start}
    shown = [message for page in pages(slack, "conversations.history", **ask) for message in page]
    assert [message["ts"] for message in shown] == [root, gone, last]
    assert [message.get("reply_count") for message in shown] == [1, 1, None]


def test_history_comes_in_pages_that_do_not_shift(slack, say):
    expected = [say(str(n)) for n in range(5)][::-1]
    listed = []
    for page in pages(slack, "conversations.history", channel=RANDOM, limit=2):
        listed += [message["ts"] for message in page]
        say("later")
    assert listed[:5] == expected


def test_the_last_page_has_no_cursor(slack):
    answer = slack("conversations.history", channel=GENERAL)
    assert (answer["has_more"], "response_metadata" in answer) == (False, False)


def test_a_limit_beyond_the_most_is_the_most(slack):
    assert slack("conversations.history", channel=GENERAL, limit=5000)["ok"]


def test_replies_are_not_in_the_history_unless_they_were_sent_there_too(slack, say):
    root = say("root")
    say("hidden", thread_ts=root)
    say("shown", thread_ts=root, reply_broadcast=True)
    newest = slack("conversations.history", channel=RANDOM, limit=2)["messages"]
    assert [message["text"] for message in newest] == ["shown", "root"]
    assert (newest[0]["subtype"], newest[0]["thread_ts"]) == ("thread_broadcast", root)


def test_a_message_tells_of_its_thread(slack, say):
    root = say("root")
    replies = [say("reply", thread_ts=root) for _ in range(2)]
    [message] = slack("conversations.history", channel=RANDOM, limit=1)["messages"]
    assert (message["thread_ts"], message["reply_count"], message["latest_reply"]) == (root, 2, replies[-1])
    assert (message["reply_users"], message["reply_users_count"]) == ([ME], 1)


def test_a_message_tells_of_its_edit_and_its_reactions(slack, say):
    ts = say("mispelled")
    slack("chat.update", channel=RANDOM, ts=ts, text="misspelled")
    slack("reactions.add", channel=RANDOM, timestamp=ts, name="eyes")
    [message] = slack("conversations.history", channel=RANDOM, limit=1)["messages"]
    assert (message["text"], message["edited"]["user"]) == ("misspelled", ME)
    assert message["reactions"] == [{"name": "eyes", "users": [ME], "count": 1}]


def test_metadata_is_told_when_asked_for(slack, say):
    metadata = {"event_type": "shipped", "event_payload": {"order": 1}}
    say("shipped", metadata=metadata)
    ask = {"channel": RANDOM, "limit": 1}
    shown = slack("conversations.history", **ask)["messages"][0]["metadata"]
    assert shown == {"event_type": "shipped", "event_payload": {}}
    assert slack("conversations.history", **ask, include_all_metadata=True)["messages"][0]["metadata"] == metadata


def test_a_deleted_message_with_replies_leaves_a_tombstone(slack, say):
    root = say("root")
    say("reply", thread_ts=root)
    say("newer")
    slack("chat.delete", channel=RANDOM, ts=root)
    newer, tombstone, *_ = slack("conversations.history", channel=RANDOM)["messages"]
    assert (newer["text"], tombstone["ts"], tombstone["subtype"]) == ("newer", root, "tombstone")
    assert (tombstone["user"], tombstone["reply_count"]) == ("USLACKBOT", 1)


def test_a_tombstone_has_its_place_in_the_pages(slack, say):
    roots = [say(str(n)) for n in range(5)]
    for root in roots[1], roots[3]:
        say("reply", thread_ts=root)
        slack("chat.delete", channel=RANDOM, ts=root)
    listed = [m["ts"] for page in pages(slack, "conversations.history", channel=RANDOM, limit=2) for m in page]
    assert listed[:5] == roots[::-1]


@pytest.mark.parametrize("size", range(1, 8))
def test_pages_of_any_size_put_together_are_the_whole(slack, say, size):
    roots = [say(str(n)) for n in range(4)]
    for root in roots:
        say("reply", thread_ts=root)
        say("broadcast", thread_ts=root, reply_broadcast=True)
    slack("chat.delete", channel=RANDOM, ts=roots[0])
    slack("chat.delete", channel=RANDOM, ts=roots[2])
    whole = slack("conversations.history", channel=RANDOM)["messages"]
    listed = [message for page in pages(slack, "conversations.history", channel=RANDOM, limit=size) for message in page]
    assert listed == whole
    assert [message["reply_count"] for message in whole if message["ts"] in roots] == [2] * 4


def test_a_deleted_message_without_replies_is_gone(slack, say):
    ts = say("gone")
    slack("chat.delete", channel=RANDOM, ts=ts)
    assert ts not in ids(slack("conversations.history", channel=RANDOM))


def test_an_archived_channel_can_be_read(slack, say):
    say("last words")
    slack("conversations.archive", channel=RANDOM)
    assert texts(slack("conversations.history", channel=RANDOM))[0] == "last words"


def test_everyone_reads_a_public_channel(slack, slack_as):
    channel = slack_as(JOHN)("conversations.create", name="johns")["channel"]["id"]
    slack_as(JOHN)("chat.postMessage", channel=channel, text="hi")
    assert texts(slack("conversations.history", channel=channel)) == ["hi"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"limit": 0}, "invalid_limit"),
        ({"limit": "x"}, "invalid_limit"),
        ({"cursor": "x"}, "invalid_cursor"),
        ({"oldest": "yesterday"}, "invalid_ts_oldest"),
        ({"latest": "-1"}, "invalid_ts_latest"),
    ],
)
@pytest.mark.parametrize("method", ["conversations.history", "conversations.replies"])
def test_messages_are_not_listed_for_what_cannot_be_read(slack, method, arguments, error):
    assert slack(method, channel=GENERAL, ts=FIRST, **arguments)["error"] == error


# conversations.replies


@pytest.fixture
def thread(say):
    """A root and three replies, by ts."""
    root = say("root")
    return [root, *(say(f"reply {n}", thread_ts=root) for n in range(3))]


def test_a_thread_is_known_by_its_first_message(slack, thread):
    assert ids(slack("conversations.replies", channel=RANDOM, ts=thread[0])) == thread


@pytest.mark.parametrize("limit", [1, 100])
def test_of_a_reply_there_is_that_reply_alone(slack, thread, limit):
    answer = slack("conversations.replies", channel=RANDOM, ts=thread[2], limit=limit)
    assert ids(answer) == [thread[2]]
    assert answer["has_more"] is False


def test_a_reply_names_its_root_and_who_wrote_it(slack, thread):
    _, reply, *_ = slack("conversations.replies", channel=RANDOM, ts=thread[0])["messages"]
    assert (reply["thread_ts"], reply["parent_user_id"]) == (thread[0], ME)


def test_a_message_without_replies_is_a_thread_of_its_own(slack):
    [message] = slack("conversations.replies", channel=GENERAL, ts=FIRST)["messages"]
    assert message["ts"] == FIRST
    assert "reply_count" not in message


def test_every_page_of_a_thread_begins_with_the_root(slack, thread):
    root, *replies = thread
    listed = [
        [m["ts"] for m in page] for page in pages(slack, "conversations.replies", channel=RANDOM, ts=root, limit=2)
    ]
    assert listed == [[root, reply] for reply in replies]


def test_pages_of_one_get_to_the_end(slack, thread):
    root, *replies = thread
    listed = [
        [m["ts"] for m in page] for page in pages(slack, "conversations.replies", channel=RANDOM, ts=root, limit=1)
    ]
    assert listed == [[root], *([root, reply] for reply in replies)]


def test_a_window_of_time_holds_for_replies_and_not_for_the_root(slack, thread):
    root, _, second, third = thread
    assert ids(slack("conversations.replies", channel=RANDOM, ts=root, oldest=second)) == [root, third]
    answer = slack("conversations.replies", channel=RANDOM, ts=root, oldest=second, inclusive=True)
    assert ids(answer) == [root, second, third]


def test_the_thread_of_a_deleted_message_begins_with_its_tombstone(slack, thread):
    slack("chat.delete", channel=RANDOM, ts=thread[0])
    tombstone, reply, *_ = slack("conversations.replies", channel=RANDOM, ts=thread[0])["messages"]
    assert (tombstone["ts"], tombstone["subtype"]) == (thread[0], "tombstone")
    assert reply["parent_user_id"] == "USLACKBOT"


@pytest.mark.parametrize("ts", ["1.000001", "nonsense", ""])
def test_a_thread_that_is_not_there(slack, ts):
    assert slack("conversations.replies", channel=GENERAL, ts=ts)["error"] == "thread_not_found"


def test_a_thread_is_looked_for_in_its_channel_only(slack, thread):
    assert slack("conversations.replies", channel=GENERAL, ts=thread[0])["error"] == "thread_not_found"


def test_a_thread_needs_a_ts(slack):
    assert slack("conversations.replies", channel=GENERAL)["error"] == "invalid_arguments"
