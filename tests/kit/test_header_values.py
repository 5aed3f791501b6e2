"""Values of headers are what HTTP can carry, and what was given can be had back from them."""

from __future__ import annotations

import string
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.header_values import disposition_value, encode_headers, is_header_text, url_value

NAMES = ["location", "x-goog-channel-token", "content-disposition", "content-type"]


@given(st.sampled_from(NAMES), st.text(st.characters()))
def test_any_text_becomes_bytes_without_control_characters(name: str, text: str) -> None:
    [(_, value)] = encode_headers([(name, text)])
    assert not [byte for byte in value if (byte < 32 and byte != 9) or byte == 127]


@given(st.text(string.ascii_letters + string.digits + string.punctuation))
def test_a_plain_text_is_carried_as_it_is(text: str) -> None:
    assert encode_headers([("Location", text), ("ETag", text)])[0][1] == text.encode()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_files_name_can_be_had_back(name: str) -> None:
    value = disposition_value("attachment", name)
    _, _, encoded = value.partition("filename*=UTF-8''")
    assert is_header_text(value)
    assert (unquote(encoded) if encoded else value[len('attachment; filename="') : -1]) == name


@pytest.mark.parametrize("url", ["http://[", "http://[::1", "//", "http://" + "ä" * 300, "http://a.\u3002b/", ""])
def test_what_is_no_url_is_carried_all_the_same(url: str) -> None:
    assert url_value(url).isascii()
