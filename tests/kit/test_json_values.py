"""JSON from a wire: what is read is what was written, and no more of it than is read quickly."""

import json
import re
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit import json_values
from twindiff.kit.json_values import MAX_STRUCTURAL_CHARACTERS, read_json

Text = st.text(st.sampled_from('ab,:[]{}"\\\u00fc9'), max_size=20)
Json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | Text,
    lambda inside: st.lists(inside, max_size=5) | st.dictionaries(Text, inside, max_size=5),
    max_leaves=20,
)


def structural(value: Any) -> int:
    """How many structural characters the JSON of a value has."""
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        return 2 + max(2 * len(members) - 1, 0) + sum(map(structural, members.values()))
    if isinstance(value, list):
        items = cast(list[Any], value)
        return 2 + max(len(items) - 1, 0) + sum(map(structural, items))
    return 0


def as_javascript(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: as_javascript(each) for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [as_javascript(each) for each in cast(list[Any], value)]
    is_long = type(value) is int and not -(2**63) <= value < 2**63
    return float(value) if is_long else value


@given(Json, st.booleans())
def test_a_value_is_what_was_written_but_for_integers_beyond_64_bits(value: Any, is_text: bool):
    text = json.dumps(value)
    assert read_json(text if is_text else text.encode()) == as_javascript(value)


@given(Json, st.booleans(), st.integers(1, 50))
def test_what_has_too_much_structure_is_refused_and_nothing_else(value: Any, is_ascii: bool, piece: int):
    text = json.dumps(value, ensure_ascii=is_ascii)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "_PIECE", piece)
        patch.setattr(json_values, "MAX_STRUCTURAL_CHARACTERS", structural(value))
        assert read_json(text) == as_javascript(value)
        patch.setattr(json_values, "MAX_STRUCTURAL_CHARACTERS", structural(value) - 1)
        if structural(value):
            with pytest.raises(msgspec.DecodeError, match="brackets, colons and commas"):
                read_json(text)


def measure(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inside is None else 1 + max(map(measure, inside), default=0)


@given(Json, st.booleans(), st.integers(1, 50))
def test_what_is_nested_too_deep_is_refused_and_nothing_else(value: Any, is_ascii: bool, piece: int):
    text = json.dumps(value, ensure_ascii=is_ascii)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "_PIECE", piece)
        patch.setattr(json_values, "MAX_NESTING", measure(value))
        assert read_json(text) == as_javascript(value)
        patch.setattr(json_values, "MAX_NESTING", measure(value) - 1)
        if measure(value):
            with pytest.raises(msgspec.DecodeError, match="nested more than"):
                read_json(text)


@pytest.mark.parametrize("item", [b"[]", b"{}", b"1", b'""', b'{"a":1}'])
def test_a_body_of_very_many_values_is_refused(item: bytes):
    with pytest.raises(msgspec.DecodeError, match=re.escape(f"{MAX_STRUCTURAL_CHARACTERS:,}")):
        read_json(b"[%s]" % b",".join([item] * MAX_STRUCTURAL_CHARACTERS))


@pytest.mark.parametrize("text", ["," * 900_000, '\\"' * 300_000, "[{:}]\\" * 100_000])
def test_a_long_text_is_read_whatever_stands_in_it(text: str):
    assert read_json(json.dumps([text])) == [text]
