"""Queries and forms with brackets are nested values."""

from typing import Any
from urllib.parse import unquote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit import forms
from twindiff.kit.errors import InvalidParameter, MalformedBody
from twindiff.kit.forms import DEEPEST, MAX_FIELDS, MAX_PARTS, read_form, read_multipart, read_query
from twindiff.kit.http import Request
from twindiff.kit.parameter_sources import Upload


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("a=1&b=", {"a": "1", "b": ""}),
        ("a=1&a=2", {"a": "2"}),
        ("items[0][price]=p&items[0][quantity]=2&items[1][price]=q",
         {"items": [{"price": "p", "quantity": "2"}, {"price": "q"}]}),
        ("expand[]=a&expand[]=b", {"expand": ["a", "b"]}),
        ("items[][price]=p&items[][quantity]=2&items[][price]=q",
         {"items": [{"price": "p", "quantity": "2"}, {"price": "q"}]}),
        ("metadata[k]=&metadata[a%20b]=c", {"metadata": {"k": "", "a b": "c"}}),
        ("created%5Bgte%5D=5", {"created": {"gte": "5"}}),
        ("a[10]=k&a[9]=j&a[0]=a", {"a": ["a", "j", "k"]}),
        ("a[b][c][]=1", {"a": {"b": {"c": ["1"]}}}),
        ("a[=1&[b]=2&a]=3&a[b]c=4", {"a[": "1", "[b]": "2", "a]": "3", "a[b]c": "4"}),
    ],
)  # fmt: skip
def test_brackets_nest(query: str, value: Any):
    assert read_query(query) == value


def test_a_list_takes_each_value_of_its_name():
    assert read_query("to=a&to=b&one=c", lists={"to", "one"}) == {"to": ["a", "b"], "one": ["c"]}


def test_an_object_with_any_keys_may_have_numbers_for_keys():
    assert read_query("metadata[0]=a&items[0]=a", objects={"metadata"}) == {"metadata": {"0": "a"}, "items": ["a"]}


@pytest.mark.parametrize("query", ["a=1&a[b]=2", "a[b]=2&a=1", "a[b]=1&a[b][c]=2"])
def test_a_name_is_not_a_value_and_an_object(query: str):
    with pytest.raises(InvalidParameter, match="a: is given both as a value and as an object"):
        read_query(query)


def test_brackets_go_no_deeper_than_can_be_meant():
    assert read_query("a" + "[b]" * (DEEPEST - 1) + "=1")
    with pytest.raises(InvalidParameter, match="levels deep"):
        read_query("a" + "[b]" * DEEPEST + "=1")
    with pytest.raises(InvalidParameter, match="a: is nested more than 32 levels deep"):
        read_query("a" + "[b]" * 300_000 + "=1")


Leaf = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
Key = st.text("abcxyz", min_size=1, max_size=3)
Tree = st.recursive(
    Leaf,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(Key, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def flat(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(name, value)]
    items = enumerate(value) if isinstance(value, list) else value.items()
    return [pair for key, each in items for pair in flat(f"{name}[{key}]", each)]


@given(st.dictionaries(Key, Tree, max_size=4))
def test_what_was_nested_comes_back(value: dict[str, Any]):
    assert read_query(urlencode([pair for name, each in value.items() for pair in flat(name, each)])) == value


BOUNDARY = "multipart/form-data; boundary=cut"
PARTS = (
    b'--cut\r\ncontent-disposition: form-data; name="meta[kind]"\r\n\r\nphoto\r\n'
    b'--cut\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n'
    b"content-type: image/png\r\n\r\n\x89PNG\r\n"
    b'--cut\r\ncontent-disposition: form-data; name="file"; filename="b.txt"\r\n\r\n\r\n--cut--\r\n'
)


def multipart(body: bytes, kind: str = BOUNDARY) -> Request:
    return Request("POST", "/", headers={"content-type": kind}, body=body)


def test_a_multipart_form_has_texts_and_files():
    assert read_form(multipart(PARTS), lists={"file"}) == {
        "meta": {"kind": "photo"},
        "file": [Upload("a.png", "image/png", b"\x89PNG"), Upload("b.txt", "application/octet-stream", b"")],
    }


@pytest.mark.parametrize(
    "request_",
    [
        multipart(PARTS, "multipart/form-data"),
        multipart(b"junk"),
        multipart(b'--cut\r\ncontent-disposition: form-data; name="\xff"\r\n\r\n\xff\r\n--cut--\r\n'),
        multipart(b"--cut\r\n\r\nno name\r\n--cut--\r\n"),
        Request("POST", "/", headers={"content-type": "application/x-www-form-urlencoded"}, body=b"a=\xff"),
    ],
)
def test_a_form_that_cannot_be_read_is_refused(request_: Request):
    with pytest.raises(MalformedBody):
        read_form(request_)


def test_a_form_of_large_files_is_read():
    body = PARTS.replace(b"\x89PNG", b"x" * 3_000_000)
    assert len(read_multipart(multipart(body))[1][1].data) == 3_000_000


def test_a_form_has_no_more_values_than_can_be_read_quickly():
    part = b'--cut\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
    assert len(read_multipart(multipart(part * MAX_PARTS + b"--cut--\r\n"))) == MAX_PARTS
    with pytest.raises(MalformedBody, match="it has more than 1,000 parts"):
        read_multipart(multipart(part * (MAX_PARTS + 1) + b"--cut--\r\n"))
    assert len(read_query("&".join(f"a{n}=" for n in range(MAX_FIELDS)))) == MAX_FIELDS
    with pytest.raises(MalformedBody, match="More than 10,000 values were given"):
        read_query("a=&" * MAX_FIELDS + "a=")
    with pytest.raises(MalformedBody, match="More than 10,000 values were given"):
        read_query("&" * MAX_FIELDS)


Escaped = st.lists(st.sampled_from(["%", "%4", "%41", "%c3", "%C3%BC", "+", "a", "\u00fc", "=", "%%", "%zz"]))


@given(Escaped, st.integers(3, 10))
def test_a_long_value_is_read_in_pieces_to_the_same(parts: list[str], piece: int):
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "_PIECE", piece)
        assert read_query(f"a={text}") == {"a": unquote_plus(text)}
