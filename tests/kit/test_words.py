"""Whole words, whatever their case, accents and form."""

import pytest

from twindiff.kit.full_text import SearchTerm, has_word


@pytest.mark.parametrize(
    ("text", "forms", "has_it"),
    [
        ("The cat sat.", ["cat"], True),
        ("A category", ["cat"], False),
        ("A concat", ["cat"], False),
        ("Menu_v2.pdf", ["menu"], True),
        ("At the CAFÉ", ["cafe"], True),
        ("At the cafe", ["Café"], True),
        ("two  \n words", ["two words"], True),
        ("he is running", ["run", "running"], True),
        ("<@U02JOHNDOE1> hi", ["U02JOHNDOE1"], True),
        ("C++ and v4.0", ["c++"], True),
        ("C++ and v4.0", ["v4.0"], True),
        ("well done 🎉!", ["🎉"], True),
        ("東京都に行く", ["京都"], True),
        ("Größe", ["grösse"], True),
        ("", ["a"], False),
    ],
)
def test_a_text_has_a_whole_word(text: str, forms: list[str], has_it: bool):
    assert has_word(text, SearchTerm(tuple(forms)).pattern) is has_it


def test_the_start_of_a_word_has_any_ending():
    start = SearchTerm(("sandw",), is_start=True)
    assert has_word("two sandwiches", start.pattern)
    assert not has_word("a quicksandw", start.pattern)
