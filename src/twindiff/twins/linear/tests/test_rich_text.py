"""Rich text: documents of editors and texts say the same, and what is no document is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.graphql import InvalidInput
from twindiff.twins.linear.core.rich_text import document_of, read_text_input, text_of

parts = st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1).filter(lambda part: part.strip())


@given(st.lists(parts))
def test_a_text_comes_back_out_of_its_document(paragraphs):
    text = "\n\n".join(paragraphs)
    assert text_of(document_of(text)) == text


def test_blocks_inside_others_and_breaks_are_lines():
    item = {"type": "list_item", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "one"}]}]}
    broken = [{"type": "text", "text": "two"}, {"type": "hardBreak"}, {"type": "text", "text": "three"}]
    document = {
        "type": "doc",
        "content": [{"type": "bullet_list", "content": [item]}, {"type": "x", "content": broken}],
    }
    assert text_of(document) == "one\n\ntwo\nthree"


def test_a_text_wins_over_a_document():
    assert read_text_input({"body": "text", "bodyData": {}}) == "text"
    assert read_text_input({"health": "onTrack"}) is None


NO_DOCUMENTS = [
    {},
    {"a": 1},
    {"type": "text", "text": "x"},
    {"type": "doc", "content": "x"},
    {"type": "doc", "content": [1]},
    {"type": "doc", "content": [{"type": 5}]},
    {"type": "doc", "content": [{"type": "text", "text": 5}]},
    "plain words",
    "[1",
    [],
    5,
    True,
]


@pytest.mark.parametrize("data", NO_DOCUMENTS)
def test_what_is_no_document_is_refused_and_says_where(data):
    with pytest.raises(InvalidInput, match="contentData: "):
        text_of(data, "contentData")
