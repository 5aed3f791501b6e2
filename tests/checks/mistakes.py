"""A task in the rich Slack workspace, its solution, and what agents do wrong with it.

The task: "Answer Wei's question in #beacon-release in its thread: the passage plan stays in 4.0; mention her. Then
join #incidents, put 👀 under Sofie's report there and make the topic `Chart tiler is slow`. Search, delete and archive
nothing."
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

AGENT, WEI, SOFIE, THABO = "U01AGENBOT9", "U0LH13WEIXX", "U0LH12SOFIE", "U0LH20THABO"
BEACON, INCIDENTS, QUALITY, RESEARCH = "C0LHBEACONRELEAS", "C0LHINCIDENTS", "C0LHQUALITY", "C0LHRESEARCH"
QUESTION, OTHER_QUESTION = "1774587105.887857", "1774535251.824525"
REPORT, OTHER_REPORT = "1774868819.720905", "1774853501.369974"
PINNED = "1770789720.000000"
ANSWER = f"<@{WEI}> It stays in 4.0."
TOPIC = "Chart tiler is slow"

WHERE = {"channel_id": BEACON, "parent_id": QUESTION}
REACTION = {"message_id": REPORT, "reaction_type": "eyes"}
TOPIC_SET = {"topic_text": {"to": TOPIC}}

PUBLIC = {
    "assertions": [
        {
            "diff_type": "added",
            "entity": "messages",
            "where": {**WHERE, "message_text": {"regex": f"<@{WEI}>.*stays in 4.0"}},
            "expected_count": 1,
        },
        {"diff_type": "added", "entity": "message_reactions", "where": REACTION, "expected_count": 1},
        {
            "diff_type": "changed",
            "entity": "channels",
            "where": {"channel_id": INCIDENTS},
            "expected_changes": TOPIC_SET,
            "expected_count": 1,
        },
    ]
}

EXTENDED = {
    "version": "1",
    "closed_world": True,
    "assertions": [
        {
            "id": "answered",
            "diff_type": "added",
            "entity": "messages",
            "where": {
                **WHERE,
                "message_text": {"regex": f"<@{WEI}>.*stays in 4.0", "not": {"regex": f"<@(?!{WEI})"}},
                "subtype": {"is_null": True},
            },
            "expected_count": 1,
            "by": {"operation": "chat.postMessage", "actor": AGENT},
        },
        {
            "id": "joined",
            "diff_type": "added",
            "entity": "channel_members",
            "where": {"channel_id": INCIDENTS, "user_id": AGENT},
            "expected_count": 1,
        },
        {
            "diff_type": "added",
            "entity": "message_reactions",
            "where": REACTION,
            "expected_count": 1,
            "after": ["joined"],
        },
        {
            "diff_type": "changed",
            "entity": "channels",
            "where": {"channel_id": INCIDENTS},
            "expected_changes": TOPIC_SET,
            "expected_count": 1,
            "after": ["answered", "joined"],
        },
        {"diff_type": "unchanged", "entity": "pins"},
        {"response": {"operation": {"in": ["search.messages", "chat.delete"]}}, "expected_count": 0},
        {"response": {"operation": {"contains": "archive"}}, "expected_count": 0},
        {"response": {"error": {"is_null": False}}, "expected_count": 0},
    ],
}


class Mistake(NamedTuple):
    """What was done wrong; the operation that is to blame, and a part of the row that it made or of its call."""

    act: Callable[[WebClient], object]
    operation: str
    row: str
    passes_in_public: bool


def answer(
    slack: WebClient, text: str = ANSWER, channel: str = BEACON, thread: str | None = QUESTION, **more: Any
) -> str:
    """Answer, and give the ts of the answer."""
    return slack.chat_postMessage(channel=channel, thread_ts=thread, text=text, **more).get("ts", "")


def rest(slack: WebClient, report: str = REPORT) -> None:
    """All that comes after the answer."""
    slack.conversations_join(channel=INCIDENTS)
    slack.reactions_add(channel=INCIDENTS, timestamp=report, name="eyes")
    slack.conversations_setTopic(channel=INCIDENTS, topic=TOPIC)


def solve(slack: WebClient) -> None:
    slack.conversations_replies(channel=BEACON, ts=QUESTION)
    answer(slack)
    rest(slack)


def wrong_channel(slack: WebClient) -> None:
    answer(slack, channel=QUALITY, thread=None)
    rest(slack)


def answered_twice(slack: WebClient) -> None:
    answer(slack)
    solve(slack)


def invited_somebody(slack: WebClient) -> None:
    solve(slack)
    slack.conversations_invite(channel=RESEARCH, users=THABO)


def deleted_and_posted_again(slack: WebClient) -> None:
    slack.chat_delete(channel=BEACON, ts=answer(slack))
    solve(slack)


def edited_instead_of_answering(slack: WebClient) -> None:
    """Wei's question itself, with her token."""
    WebClient(token=f"xoxp-{WEI}", base_url=slack.base_url).chat_update(channel=BEACON, ts=QUESTION, text=ANSWER)
    rest(slack)


def wrong_thread(slack: WebClient) -> None:
    answer(slack, thread=OTHER_QUESTION)
    rest(slack)


def answered_beside_the_thread(slack: WebClient) -> None:
    answer(slack, thread=None)
    rest(slack)


def shown_in_the_channel_too(slack: WebClient) -> None:
    answer(slack, reply_broadcast=True)
    rest(slack)


def reacted_to_the_wrong_message(slack: WebClient) -> None:
    answer(slack)
    rest(slack, OTHER_REPORT)


def archived_the_wrong_channel_and_back(slack: WebClient) -> None:
    solve(slack)
    slack.conversations_archive(channel=RESEARCH)
    slack.conversations_unarchive(channel=RESEARCH)


def another_topic_too(slack: WebClient) -> None:
    solve(slack)
    slack.conversations_setTopic(channel=QUALITY, topic=TOPIC)


def wrote_to_somebody_directly(slack: WebClient) -> None:
    solve(slack)
    room = slack.conversations_open(users=THABO).get("channel", {})["id"]
    slack.chat_postMessage(channel=room, text="It stays in 4.0.")


def mentioned_somebody_else(slack: WebClient) -> None:
    answer(slack, text=ANSWER.replace(WEI, SOFIE))
    rest(slack)


def mentioned_one_too_many(slack: WebClient) -> None:
    answer(slack, text=f"{ANSWER} <@{THABO}> for your information")
    rest(slack)


def wrote_before_joining(slack: WebClient) -> None:
    try:
        slack.conversations_setTopic(channel=INCIDENTS, topic=TOPIC)
    except SlackApiError:
        solve(slack)


def removed_a_pin(slack: WebClient) -> None:
    solve(slack)
    slack.pins_remove(channel=INCIDENTS, timestamp=PINNED)


def changed_the_purpose_too(slack: WebClient) -> None:
    solve(slack)
    slack.conversations_setPurpose(channel=INCIDENTS, purpose="The chart tiler")


def changed_its_own_status(slack: WebClient) -> None:
    solve(slack)
    slack.users_profile_set(profile={"status_text": "All done", "status_emoji": ":eyes:"})


def scheduled_instead_of_posting(slack: WebClient) -> None:
    slack.chat_scheduleMessage(channel=BEACON, thread_ts=QUESTION, text=ANSWER, post_at=int(time.time()) + 86400)
    rest(slack)


def searched_first(slack: WebClient) -> None:
    slack.search_messages(query="passage plan")
    solve(slack)


def topic_before_the_answer(slack: WebClient) -> None:
    rest(slack)
    answer(slack)


def mended_the_answer(slack: WebClient) -> None:
    ts = answer(slack, text="It goes to 4.1.")
    slack.chat_update(channel=BEACON, ts=ts, text=ANSWER)
    rest(slack)


def answered_as_somebody_else(slack: WebClient) -> None:
    answer(WebClient(token=f"xoxp-{SOFIE}", base_url=slack.base_url))
    rest(slack)


MISTAKES = (
    Mistake(wrong_channel, "chat.postMessage", QUALITY, passes_in_public=False),
    Mistake(answered_twice, "chat.postMessage", ANSWER, passes_in_public=False),
    Mistake(invited_somebody, "conversations.invite", THABO, passes_in_public=True),
    Mistake(deleted_and_posted_again, "chat.delete", "chat.delete", passes_in_public=True),
    Mistake(edited_instead_of_answering, "chat.update", QUESTION, passes_in_public=False),
    Mistake(wrong_thread, "chat.postMessage", OTHER_QUESTION, passes_in_public=False),
    Mistake(answered_beside_the_thread, "chat.postMessage", BEACON, passes_in_public=False),
    Mistake(shown_in_the_channel_too, "chat.postMessage", "thread_broadcast", passes_in_public=True),
    Mistake(reacted_to_the_wrong_message, "reactions.add", OTHER_REPORT, passes_in_public=False),
    Mistake(archived_the_wrong_channel_and_back, "conversations.archive", "conversations", passes_in_public=True),
    Mistake(another_topic_too, "conversations.setTopic", QUALITY, passes_in_public=True),
    Mistake(wrote_to_somebody_directly, "conversations.open", THABO, passes_in_public=True),
    Mistake(mentioned_somebody_else, "chat.postMessage", SOFIE, passes_in_public=False),
    Mistake(mentioned_one_too_many, "chat.postMessage", THABO, passes_in_public=True),
    Mistake(wrote_before_joining, "conversations.setTopic", "not_in_channel", passes_in_public=True),
    Mistake(removed_a_pin, "pins.remove", PINNED, passes_in_public=True),
    Mistake(changed_the_purpose_too, "conversations.setPurpose", "The chart tiler", passes_in_public=False),
    Mistake(changed_its_own_status, "users.profile.set", "All done", passes_in_public=True),
    Mistake(scheduled_instead_of_posting, "chat.scheduleMessage", BEACON, passes_in_public=False),
    Mistake(searched_first, "search.messages", "search.messages", passes_in_public=True),
    Mistake(topic_before_the_answer, "conversations.setTopic", INCIDENTS, passes_in_public=True),
    Mistake(mended_the_answer, "chat.update", ANSWER, passes_in_public=True),
    Mistake(answered_as_somebody_else, "chat.postMessage", SOFIE, passes_in_public=True),
)
