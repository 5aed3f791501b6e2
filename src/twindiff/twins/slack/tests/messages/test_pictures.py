"""Emoji sent as characters, which Slack shows by name, and blank lines around lists."""

from __future__ import annotations

import pytest

from tests.harness import GENERAL, JOHN


def shown(slack, ts):
    (message,) = slack("conversations.history", channel=GENERAL, latest=ts, inclusive="true", limit=1)["messages"]
    return message


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("\U0001f389 done", ":tada: done"),
        ("\U0001f44d\U0001f3fd", ":+1::skin-tone-4:"),
        ("\u2764\ufe0f and \u2764", ":heart: and :heart:"),
        ("1\ufe0f\u20e3 \U0001f1fa\U0001f1f8", ":one: :us:"),
        ("\U0001f469\u200d\U0001f4bb", ":female-technologist:"),
        ("`\U0001f389` \U0001f389", "`\U0001f389` :tada:"),
        ("https://x.test/\U0001f389 \U0001f389", "<https://x.test/\U0001f389> :tada:"),
        ("<https://x.test/\U0001f389|\U0001f389>", "<https://x.test/\U0001f389|:tada:>"),
        ("d\u00e9j\u00e0 \u2014 vu", "d\u00e9j\u00e0 \u2014 vu"),
    ],
)
def test_an_emoji_is_read_by_its_name_and_stored_as_sent(slack, sent, read):
    answer = slack("chat.postMessage", channel=GENERAL, text=sent)
    assert answer["message"]["text"] == read
    assert shown(slack, answer["ts"])["text"] == read
    assert slack.diff()["inserts"][0]["message_text"] == sent


def test_an_emoji_in_rich_text_has_its_code_points_and_its_tone(slack):
    ts = slack.as_user(JOHN)("chat.postMessage", channel=GENERAL, text="\U0001f389:wave::skin-tone-3::no_such:")["ts"]
    assert shown(slack, ts)["blocks"][0]["elements"][0]["elements"] == [
        {"type": "emoji", "name": "tada", "unicode": "1f389"},
        {"type": "emoji", "name": "wave", "unicode": "1f44b-1f3fc", "skin_tone": 3},
        {"type": "emoji", "name": "no_such"},
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ({"type": "mrkdwn", "text": "\U0001f389"}, ":tada:"),
        ({"type": "plain_text", "text": "\U0001f389", "emoji": True}, ":tada:"),
        ({"type": "plain_text", "text": "\U0001f389", "emoji": False}, "\U0001f389"),
    ],
)
def test_texts_of_blocks_have_names_of_emoji_unless_they_say_no(slack, text, read):
    blocks = [{"type": "section", "text": text}]
    ts = slack("chat.postMessage", channel=GENERAL, text="x", blocks=blocks)["ts"]
    assert shown(slack, ts)["blocks"][0]["text"]["text"] == read


def test_blank_lines_around_lists_are_no_empty_sections(slack):
    text = "intro\n\n\u2022 one\n\n\u2022 two\n\nend"
    ts = slack.as_user(JOHN)("chat.postMessage", channel=GENERAL, text=text)["ts"]
    sections = [
        "".join(part["text"] for part in each["elements"])
        for each in shown(slack, ts)["blocks"][0]["elements"]
        if each["type"] == "rich_text_section"
    ]
    assert sections == ["intro\n\n", "\n", "\nend"]
