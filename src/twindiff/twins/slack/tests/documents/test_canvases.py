"""Canvases: sections, changes, and who may make them."""

import pytest

from tests.harness import GENERAL, JOHN, ROBERT
from twindiff.twins.slack.documents.canvas_sections import sections_of

MORE = {"operation": "insert_at_end", "document_content": {"type": "markdown", "markdown": "more"}}
TEXT = "# One\nfirst\n\n## Two\n\nsecond\n\n```\na\n\nb\n```"


@pytest.fixture
def canvas(slack):
    document = {"type": "markdown", "markdown": TEXT}
    return slack("canvases.create", title="Plan", document_content=document)["canvas_id"]


@pytest.fixture
def edit(slack, canvas):
    def edit(operation, text=None, **change):
        content = {"document_content": {"type": "markdown", "markdown": text}} if text else {}
        changes = [{"operation": operation, **content, **change}]
        answer = slack("canvases.edit", canvas_id=canvas, changes=changes)
        assert answer["ok"], answer
        [row] = slack.diff()["inserts"]
        return row["title"], row["markdown"]

    return edit


def section(slack, canvas, **criteria):
    [only] = slack("canvases.sections.lookup", canvas_id=canvas, criteria=criteria)["sections"]
    return only["id"]


def test_a_canvas_is_a_list_of_sections():
    texts = [section.text for section in sections_of("F1", TEXT)]
    assert texts == ["# One", "first", "## Two", "second", "```\na\n\nb\n```"]


def test_equal_sections_have_ids_of_their_own_that_last():
    before, after = sections_of("F1", "a\n\nb\n\na"), sections_of("F1", "new\n\na\n\nb\n\na")
    assert len({section.id for section in before}) == 3
    assert [section.id for section in after][1:] == [section.id for section in before]


def test_text_is_put_in_at_both_ends(edit):
    assert edit("insert_at_start", "zero")[1].startswith("zero\n\n# One")
    assert edit("insert_at_end", "last")[1].endswith("```\n\nlast")


def test_text_is_put_in_beside_a_section(slack, canvas, edit):
    at = section(slack, canvas, contains_text="SECOND")
    assert "\n\nnew\n\nsecond\n\n" in edit("insert_before", "new", section_id=at)[1]
    assert "\n\nsecond\n\nnewer\n\n" in edit("insert_after", "newer", section_id=at)[1]


def test_a_section_is_replaced_or_deleted(slack, canvas, edit):
    assert "\n\n1st\n\n" in edit("replace", "1st", section_id=section(slack, canvas, contains_text="first"))[1]
    assert "## Two" not in edit("delete", section_id=section(slack, canvas, section_types=["h2"]))[1]


def test_without_a_section_everything_is_replaced(edit):
    assert edit("replace", "all new") == ("Plan", "all new")


def test_a_canvas_is_renamed(edit):
    assert edit("rename", title_content={"type": "markdown", "markdown": "Plans"})[0] == "Plans"


def test_any_heading_is_found(slack, canvas):
    answer = slack("canvases.sections.lookup", canvas_id=canvas, criteria={"section_types": ["any_header"]})
    assert len(answer["sections"]) == 2


def test_access_is_given_to_people_and_to_channels(slack, slack_as, canvas):
    lookup = {"canvas_id": canvas, "criteria": {"contains_text": "first"}}
    slack("canvases.access.set", canvas_id=canvas, access_level="read", user_ids=[JOHN])
    assert slack_as(JOHN)("canvases.sections.lookup", **lookup)["ok"]
    assert slack_as(ROBERT)("canvases.sections.lookup", **lookup)["error"] == "canvas_not_found"
    slack("canvases.access.set", canvas_id=canvas, access_level="write", channel_ids=[GENERAL])
    assert slack_as(ROBERT)("canvases.delete", canvas_id=canvas)["ok"]


def test_only_the_owner_hands_a_canvas_over(slack, slack_as, canvas):
    john = slack_as(JOHN)
    slack("canvases.access.set", canvas_id=canvas, access_level="write", user_ids=[JOHN])
    own = {"canvas_id": canvas, "access_level": "owner"}
    assert john("canvases.access.set", **own, user_ids=[JOHN])["error"] == "restricted_action"
    assert slack("canvases.access.set", **own, user_ids=[JOHN])["ok"]
    assert slack("canvases.access.set", **own, user_ids=[ROBERT])["error"] == "restricted_action"
    assert slack("canvases.edit", canvas_id=canvas, changes=[MORE])["ok"]
    assert john("canvases.access.set", **own, user_ids=[ROBERT])["ok"]


def test_the_owner_of_a_canvas_cannot_be_made_less(slack, slack_as, canvas):
    slack("canvases.access.set", canvas_id=canvas, access_level="write", user_ids=[JOHN])
    slack_as(JOHN)("canvases.access.set", canvas_id=canvas, access_level="read", user_ids=[slack.token[5:]])
    assert slack("canvases.edit", canvas_id=canvas, changes=[MORE])["ok"]


def test_the_canvas_of_a_channel_is_its_members(slack, slack_as):
    canvas = slack("conversations.canvases.create", channel_id=GENERAL)["canvas_id"]
    assert slack_as(JOHN)("canvases.delete", canvas_id=canvas)["ok"]


def test_a_channel_has_one_canvas(slack):
    slack("conversations.canvases.create", channel_id=GENERAL)
    assert slack("conversations.canvases.create", channel_id=GENERAL)["error"] == "channel_canvas_already_exists"
