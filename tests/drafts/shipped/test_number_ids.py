"""Ids in paths are whole numbers that a column holds; nothing else names an object, and nothing fails for it."""

import pytest

from twindiff.drafts.shipped.number_ids import read_number_id


@pytest.mark.parametrize(
    ("said", "number"), [("7", 7), (7, 7), ("1200000000500002", 1200000000500002), ("9" * 18, 10**18 - 1)]
)
def test_an_id_of_up_to_eighteen_digits_is_read(said, number):
    assert read_number_id(said) == number


@pytest.mark.parametrize("said", ["", "9" * 19, "-1", "1.5", "²", "٣", "me", None])
def test_what_is_no_such_number_names_nothing(said):
    assert read_number_id(said) == 0
