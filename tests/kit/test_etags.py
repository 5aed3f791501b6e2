"""A caller may ask for news only, or change only what they have seen."""

import pytest

from twindiff.kit import check_if_match, etag_of, not_modified
from twindiff.kit.errors import ApiError
from twindiff.kit.etags import PreconditionFailed
from twindiff.kit.http import Response


class Stale(ApiError):
    """It is stale."""


def test_equal_values_have_one_version():
    assert etag_of({"a": 1, "b": [2]}) == etag_of({"b": [2], "a": 1}) != etag_of({"a": 1, "b": [3]})
    assert etag_of(None).startswith('"')


@pytest.mark.parametrize("header", ["", '"1"', "1", 'W/"1"', '"0", "1"', "*"])
def test_the_version_that_was_seen_may_be_changed(header: str):
    check_if_match(header, '"1"')


@pytest.mark.parametrize("header", ['"2"', "2", '"11"', " ", ","])
def test_another_version_may_not(header: str):
    with pytest.raises(PreconditionFailed) as refused:
        check_if_match(header, '"1"')
    assert refused.value.status == 412
    with pytest.raises(Stale):
        check_if_match(header, "1", Stale)


def test_no_news_is_an_answer_without_a_body():
    assert not_modified('"0", W/"1"', '"1"') == Response(b"", 304, headers=(("ETag", '"1"'),))
    assert not_modified('"2"', '"1"') is None
    assert not_modified("", '"1"') is None
