"""A message of a page says what a prompt says in other words only if it has all of its words of meaning."""

from __future__ import annotations

import pytest

from twindiff.browser.message_finder import is_said

SAID = [
    ("the invoice was deleted", "Invoice INV-7 deleted"),
    ("the settings have been saved", "Your settings have been saved."),
    ("the email or password is wrong", "Wrong email or password"),
    ("the login failed", "Login failed. Check your password."),
    ("there are no bookings", "You have no bookings"),
    ("this can not be undone", "This cannot be undone."),
    ("it was sent to ap@b.test", "Invoice sent to ap@b.test"),
]
NOT_SAID = [
    ("the invoice was deleted", "Invoice not deleted"),
    ("the invoice was deleted", "The invoice could not be deleted"),
    ("the invoice was deleted", "Delete this invoice?"),
    ("the invoice was deleted", "If the invoice is deleted, it is gone"),
    ("the invoice was deleted", "The invoice will be deleted"),
    ("the invoice was deleted", "Invoice archived"),
    ("the invoice was deleted", "Error: invoice deleted twice"),
    ("the invoice was not deleted", "Invoice deleted"),
    ("Ada invited Bob", "Bob invited Ada"),
    ("INV-7 was deleted", "INV-77 deleted"),
    ("room 101 is booked", "Room 102 is booked. Room 101 is free"),
    ("it is", "It is"),
    ("Ada was deleted", "Ada was invited, Bob was deleted"),
    ("INV-7 was deleted", "INV-7 and INV-8 kept: INV-9 deleted"),
    ("the invoice was deleted", "Deleted invoice restored"),
    ("the invoice was deleted", "The invoice is being deleted"),
    ("the total is 1", "The total is 1,000"),
    ("the balance is 5", "Your balance is -5"),
    ("the balance is $5", "Your balance is €5"),
    ("Ada invited Bob", "Bob and Ada invited Eve"),
]


@pytest.mark.parametrize(("claim", "text"), SAID)
def test_a_message_that_says_it_in_other_words_says_it(claim: str, text: str):
    assert is_said(claim, [(True, text)])


@pytest.mark.parametrize(("claim", "text"), NOT_SAID)
def test_a_message_that_says_something_else_does_not(claim: str, text: str):
    assert not is_said(claim, [(True, text)])


def test_a_text_that_is_no_message_must_have_no_other_words():
    assert is_said("the invoice was deleted", [(False, "The invoice is deleted")])
    assert not is_said("the invoice was deleted", [(False, "Invoice drafts deleted")])
