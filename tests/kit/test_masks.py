"""A mask leaves of an answer what a client asked for."""

from typing import Any

import pytest

from twindiff.kit import apply_mask, parse_mask
from twindiff.kit.errors import InvalidParameter

LIST = {
    "kind": "list",
    "items": [
        {"id": 1, "owner": {"name": "A", "email": "a@b"}, "tags": ["x"]},
        {"id": 2, "owner": None, "tags": []},
    ],
}


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ("kind", {"kind": "list"}),
        ("items/id", {"items": [{"id": 1}, {"id": 2}]}),
        ("items(id,owner/email)", {"items": [{"id": 1, "owner": {"email": "a@b"}}, {"id": 2, "owner": None}]}),
        ("items/owner/name, kind", {"kind": "list", "items": [{"owner": {"name": "A"}}, {"owner": None}]}),
        ("items/tags,items/id", {"items": [{"id": 1, "tags": ["x"]}, {"id": 2, "tags": []}]}),
        ("*/id", {"kind": "list", "items": [{"id": 1}, {"id": 2}]}),
        ("*", LIST),
        ("nothing", {}),
    ],
)
def test_a_mask_leaves_what_it_names(fields: str, left: Any):
    assert apply_mask(LIST, parse_mask(fields)) == left


@pytest.mark.parametrize("fields", ["", ",", "a,", "a(", "a(b", "a)", "a/(b)", "/a", "a//b", "(a)", "a(b))", "a b(c"])
def test_what_is_no_mask_is_refused(fields: str):
    with pytest.raises(InvalidParameter, match="fields: expected a field where") as refused:
        parse_mask(fields)
    assert refused.value.name == "fields"


def test_a_mask_goes_no_deeper_than_can_be_meant():
    with pytest.raises(InvalidParameter, match="levels deep"):
        parse_mask("a(" * 40 + "b" + ")" * 40)
