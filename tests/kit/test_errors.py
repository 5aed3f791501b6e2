"""Errors may come from a vendor's list."""

import pytest

from twindiff.kit import error_table
from twindiff.kit.errors import NotFound


def test_each_line_is_an_error():
    errors = error_table("""
        402 card_declined      Your card was declined.
        409 lock.timeout
    """)
    declined = errors["card_declined"]()
    assert (declined.status, declined.code, str(declined)) == (402, "card_declined", "Your card was declined.")
    assert errors["card_declined"].__name__ == "CardDeclined"
    assert (errors["lock.timeout"].status, str(errors["lock.timeout"]("Busy"))) == (409, "Busy")


def test_errors_may_be_of_a_kind():
    assert issubclass(error_table("404 gone It is gone", base=NotFound)["gone"], NotFound)


@pytest.mark.parametrize("text", ["card_declined 402", "402", "402 a\n402 a"])
def test_a_line_of_another_form_is_refused(text: str):
    with pytest.raises(ValueError, match="An error is a status, a code of its own and a message, unlike: "):
        error_table(text)
