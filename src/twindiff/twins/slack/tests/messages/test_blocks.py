"""What a message may be laid out with, and the text it has then."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.blocks import block_elements

from tests.harness import GENERAL
from twindiff.twins.slack.messages.blocks import ELEMENTS, problems
from twindiff.twins.slack.rendering.block_text import text_of_blocks


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}


def option(name: str) -> dict[str, Any]:
    return {"text": plain(name), "value": name}


def rich(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": list(elements)}


def run(*elements: dict[str, Any], kind: str = "rich_text_section", **also: Any) -> dict[str, Any]:
    return {"type": kind, "elements": list(elements), **also}


def said(text: str, **style: bool) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


IMAGE = {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "a chart"}
BUTTON = {"type": "button", "text": plain("Go"), "action_id": "go"}
SELECT = {"type": "static_select", "placeholder": plain("Pick"), "options": [option("a")]}
CELL = {"type": "raw_text", "text": "a"}
VIDEO = {
    "type": "video",
    "video_url": "https://example.com/v",
    "thumbnail_url": "https://example.com/t.png",
    "alt_text": "a film",
    "title": plain("A film"),
}

SDK_ELEMENTS = [
    each
    for each in vars(block_elements).values()
    if isinstance(each, type) and isinstance(each.__dict__.get("type"), str) and each.__dict__["type"] in ELEMENTS
]

GOOD: list[dict[str, Any]] = [
    {"type": "section", "text": mrkdwn("a"), "fields": [plain("b")], "accessory": BUTTON, "expand": True},
    {"type": "section", "fields": [mrkdwn("a")], "accessory": SELECT},
    {"type": "section", "text": mrkdwn("a"), "accessory": IMAGE},
    {"type": "header", "text": plain("a")},
    {"type": "divider", "block_id": "d1"},
    IMAGE,
    {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "a", "title": plain("b")},
    {"type": "context", "elements": [mrkdwn("a"), IMAGE]},
    {"type": "actions", "elements": [BUTTON, SELECT, {"type": "datepicker", "initial_date": "2026-01-31"}]},
    {"type": "actions", "elements": [{"type": "overflow", "options": [option("a")]}]},
    {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "positive_button": {"text": plain("Good"), "value": "1"},
                "negative_button": {"text": plain("Bad"), "value": "0"},
            }
        ],
    },
    {"type": "input", "label": plain("a"), "element": {"type": "plain_text_input", "multiline": True}},
    {"type": "file", "external_id": "a", "source": "remote"},
    VIDEO,
    {"type": "markdown", "text": "# a"},
    rich(run(said("a", bold=True), {"type": "user", "user_id": "U1"}, {"type": "brand_new", "of": 1})),
    rich(run(run(said("a")), kind="rich_text_list", style="bullet", indent=1)),
    {"type": "table", "rows": [[CELL, {"type": "raw_number", "value": 1}, rich(run(said("a")))]]},
    {"type": "table", "rows": [[CELL]], "column_settings": [{"align": "right", "is_wrapped": True}]},
    {"type": "data_table", "caption": "a", "rows": [[CELL], [CELL]], "page_size": 10},
    {"type": "alert", "text": mrkdwn("a"), "level": "warning"},
    {"type": "carousel", "elements": [{"type": "card", "title": plain("a")}]},
    {"type": "task_card", "task_id": "t", "title": "a", "status": "complete"},
    {"type": "plan", "title": "a", "tasks": [{"task_id": "t", "title": "b"}]},
    {"type": "container", "title": plain("a"), "child_blocks": [{"type": "divider"}]},
]

BAD: list[tuple[Any, str]] = [
    ({}, "missing required field: type [json-pointer:/blocks/0]"),
    ({"type": "sektion"}, "unsupported type: sektion [json-pointer:/blocks/0]"),
    ({"type": "section"}, "must define either `fields` or `text` [json-pointer:/blocks/0]"),
    ({"type": "section", "text": "a"}, "must be an object [json-pointer:/blocks/0/text]"),
    ({"type": "section", "text": mrkdwn("")}, "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    (
        {"type": "section", "text": mrkdwn("x" * 3001)},
        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ),
    ({"type": "section", "fields": []}, "no fewer than 1 items allowed [json-pointer:/blocks/0/fields]"),
    ({"type": "section", "fields": [plain("a")] * 11}, "no more than 10 items allowed [json-pointer:/blocks/0/fields]"),
    ({"type": "header", "text": mrkdwn("a")}, "must be one of plain_text [json-pointer:/blocks/0/text/type]"),
    ({"type": "header"}, "missing required field: text [json-pointer:/blocks/0]"),
    ({"type": "divider", "block_id": 1}, "must be a string [json-pointer:/blocks/0/block_id]"),
    ({"type": "image", "alt_text": "a"}, "must define either `image_url` or `slack_file` [json-pointer:/blocks/0]"),
    ({"type": "context", "elements": [BUTTON]}, "unsupported type: button [json-pointer:/blocks/0/elements/0]"),
    ({"type": "actions", "elements": [IMAGE]}, "unsupported type: image [json-pointer:/blocks/0/elements/0]"),
    ({"type": "actions", "elements": [BUTTON, BUTTON]}, "action_id must be unique [json-pointer:/blocks/0/elements]"),
    (
        {"type": "section", "text": plain("a"), "accessory": {"type": "overflow", "options": [option("a")] * 6}},
        "no more than 5 items allowed [json-pointer:/blocks/0/accessory/options]",
    ),
    ({"type": "markdown", "text": "x" * 12_001}, "must be less than 12001 characters [json-pointer:/blocks/0/text]"),
    (rich(run(kind="rich_text_sektion")), "unsupported type: rich_text_sektion [json-pointer:/blocks/0/elements/0]"),
    (
        rich(run({"type": "link"})),
        "missing required field: url [json-pointer:/blocks/0/elements/0/elements/0]",
    ),
    (
        rich(run(kind="rich_text_list", style="bullet", indent=9)),
        "must be from 0 to 8 [json-pointer:/blocks/0/elements/0/indent]",
    ),
    ({"type": "table", "rows": [[CELL] * 21]}, "no more than 20 items allowed [json-pointer:/blocks/0/rows/0]"),
    (
        {"type": "container", "child_blocks": [{"type": "sektion"}]},
        "unsupported type: sektion [json-pointer:/blocks/0/child_blocks/0]",
    ),
    ("divider", "missing required field: type [json-pointer:/blocks/0]"),
    (
        {"type": "actions", "elements": [{**BUTTON, "block_id": "b"}]},
        "invalid additional property: block_id [json-pointer:/blocks/0/elements/0]",
    ),
    (
        {"type": "actions", "elements": [{"type": "checkboxes", "options": [option("a")], "max_selected_items": 1}]},
        "invalid additional property: max_selected_items [json-pointer:/blocks/0/elements/0]",
    ),
    (
        {"type": "actions", "elements": [{"type": "users_select", "initial_users": ["U1"]}]},
        "invalid additional property: initial_users [json-pointer:/blocks/0/elements/0]",
    ),
    (
        {"type": "actions", "elements": [{"type": "overflow", "options": [{**option("a"), "selected": True}]}]},
        "invalid additional property: selected [json-pointer:/blocks/0/elements/0/options/0]",
    ),
]


@pytest.mark.parametrize("block", GOOD, ids=lambda block: block["type"])
def test_a_good_block_is_taken(block):
    assert list(problems([block], "/blocks")) == []


@pytest.mark.parametrize(("block", "problem"), BAD)
def test_a_bad_block_is_pointed_at(block, problem):
    assert next(iter(problems([block], "/blocks"))) == problem


@pytest.mark.parametrize("element", SDK_ELEMENTS, ids=lambda element: element.__name__)
def test_whatever_the_sdk_knows_of_an_element_is_taken(element):
    known = element.attributes.fget(object.__new__(element)) - {"type"}
    said = ELEMENTS[element.type]({"type": element.type, **dict.fromkeys(known, "x")}, "/element")
    assert [each for each in said if each.startswith("invalid additional property")] == []


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a value with every key of it."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in [(value, key), *places(value[key])]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text"]), inner),
    max_leaves=5,
)


@given(st.data())
def test_whatever_is_taken_has_a_text(data):
    """One value in a good block is replaced by any other: the check never breaks, and no text breaks what it let in."""
    block = deepcopy(data.draw(st.sampled_from(GOOD)))
    container, key = data.draw(st.sampled_from(places(block)))
    container[key] = data.draw(JSON)
    if not list(problems([block], "/blocks")):
        assert isinstance(text_of_blocks([block]), str)


def test_a_message_has_at_most_50_blocks():
    assert not list(problems([{"type": "divider"}] * 50, "/blocks"))
    assert list(problems([{"type": "divider"}] * 51, "/blocks")) == [
        "no more than 50 items allowed [json-pointer:/blocks]"
    ]


def test_a_block_id_is_used_once():
    twins = [{"type": "divider", "block_id": "a"}] * 2
    assert list(problems(twins, "/blocks")) == ["block_id must be unique [json-pointer:/blocks]"]


@pytest.mark.parametrize("size", [6000, 6001])
def test_markdown_blocks_share_their_limit(slack, size):
    blocks = [{"type": "markdown", "text": "x" * size}] * 2
    answer = slack("chat.postMessage", channel=GENERAL, blocks=blocks)
    assert answer.get("error") == (None if size == 6000 else "msg_blocks_too_long")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "section", "text": mrkdwn("a"), "fields": [plain("b"), mrkdwn("c")]}, "a\nb\nc"),
        ({"type": "header", "text": plain("a")}, "a"),
        ({"type": "context", "elements": [mrkdwn("a"), IMAGE, plain("b")]}, "a b"),
        ({"type": "divider"}, ""),
        ({"type": "actions", "elements": [BUTTON]}, ""),
        ({**IMAGE, "title": plain("Sales")}, "Sales\na chart"),
        (VIDEO, "A film"),
        ({"type": "markdown", "text": "# a"}, "# a"),
        ({"type": "table", "rows": [[CELL, CELL], [{"type": "raw_number", "value": 7}, CELL]]}, "a | a\n7 | a"),
        ({"type": "container", "title": plain("a"), "child_blocks": [{"type": "markdown", "text": "b"}]}, "a\nb"),
        (rich(run(said("see "), {"type": "link", "url": "https://a.b", "text": "this"})), "see <https://a.b|this>"),
        (rich(run({"type": "user", "user_id": "U1"}, said(" "), {"type": "emoji", "name": "eyes"})), "<@U1> :eyes:"),
        (rich(run({"type": "broadcast", "range": "here"}, {"type": "channel", "channel_id": "C1"})), "<!here><#C1>"),
        (rich(run(said("so "), said("very ", bold=True), said("x", code=True))), "so *very* `x`"),
        (rich(run(said("a\nb"), kind="rich_text_quote")), "> a\n> b"),
        (rich(run(said("a = 1"), kind="rich_text_preformatted")), "```a = 1```"),
        (rich(run(run(said("a")), run(said("b")), kind="rich_text_list", style="ordered")), "1. a\n2. b"),
        (rich(run(run(said("a")), kind="rich_text_list", style="bullet", indent=1)), "    • a"),
    ],
)
def test_a_block_says_something(block, text):
    assert list(problems([block], "/blocks")) == []
    assert text_of_blocks([block]) == text
