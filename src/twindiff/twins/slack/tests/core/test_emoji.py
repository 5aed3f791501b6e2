"""The names of emoji."""

import pytest

from twindiff.twins.slack.core.emoji import canonical, is_emoji, names_of

SOME = "+1 thumbsup white_check_mark eyes tada rocket raised_hands saluting_face face_palm flag-us skin-tone-3 100"


@pytest.mark.parametrize("name", SOME.split())
def test_a_standard_name_is_an_emoji(name):
    assert is_emoji(name)


@pytest.mark.parametrize(
    "name", ["", ":eyes:", "Eyes", "no_such", "🚀", "wave::", "wave::skin-tone-1", "*+1", "+1 thumbsup"]
)
def test_anything_else_is_none(name):
    assert not is_emoji(name)


def test_skin_tones_are_for_hands_not_for_rockets():
    assert is_emoji("wave::skin-tone-6")
    assert not is_emoji("rocket::skin-tone-6")


@pytest.mark.parametrize(
    ("one", "other"), [("thumbsup", "+1"), (":poop:", "hankey"), ("punch::skin-tone-2", "facepunch::skin-tone-2")]
)
def test_two_names_of_an_emoji_are_one(one, other):
    assert canonical(one) == canonical(other)


def test_an_emoji_has_all_its_names():
    assert names_of("thumbsup") == ["+1", "thumbsup"]
    assert names_of("partyparrot") == ["partyparrot"]
    assert names_of("+1::skin-tone-2") == ["+1::skin-tone-2", "thumbsup::skin-tone-2"]
