"""Search for whole words, without regard to case and accents, in any of several forms.

The characters of a word are defined here once, as a pattern that has the same meaning in Python and PostgreSQL.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from os.path import commonprefix
from typing import Any, NamedTuple

_LATIN = "0-9a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff"
_OTHERS = "\u2c00-\u2dff\ua4d0-\uabff\ud7a4-\ud7ff\ufb00-\ufdff\uff10-\uff19\uff41-\uff5a\uff66-\uffdc"
_BEYOND = "\U00010000-\U0001efff\U00040000-\U0010ffff"
LETTERS = _LATIN + _OTHERS + _BEYOND
"""Characters of words after folding case and accents: letters and digits, but no punctuation and no emoji."""
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
"""Letters of scripts without spaces between words: each letter counts as a word."""
_WORD = re.compile(f"[{LETTERS}]+")
_PART = re.compile(f"[{LETTERS}]+|[{UNSPACED}]")
_SPACE = " \t\n\r\x0b\x0c\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_SPECIAL = re.compile(r"([\\.^$*+?(){}\[\]|])")


class IndexTerm(NamedTuple):
    """A word of an index; with `is_start`, a prefix of such words."""

    text: str
    is_start: bool = False


class SearchTerm(NamedTuple):
    """A term to search for in any of its forms; with `is_start`, the form is a prefix, as in `sandw*`.

    A form may be a phrase with spaces and punctuation. A space matches any white space.
    """

    forms: tuple[str, ...]
    is_start: bool = False

    @property
    def pattern(self) -> str:
        """A regular expression that finds the term in the result of `without_accents(text)`."""
        return _pattern(self)

    @property
    def parts(self) -> list[list[IndexTerm]]:
        """For each form, the words that a matching text has in an index of `index_words`."""
        return [_parts(without_accents(form), self.is_start) for form in self.forms]

    @property
    def is_plain(self) -> bool:
        """Whether an index of words suffices to find the texts: each form is a single word."""
        return all(_WORD.fullmatch(without_accents(form)) for form in self.forms)

    @property
    def beginning(self) -> str:
        """The common prefix of all forms up to their first white space, folded by `without_accents`."""
        starts = [(without_accents(form).split(maxsplit=1) or [""])[0] for form in self.forms]
        return commonprefix(starts)  # noqa: RUF071 - of letters, not of folders


def without_accents(text: Any) -> Any:
    """Fold a text to lower case without accents; return any other value unchanged."""
    if not isinstance(text, str):
        return text
    if text.isascii():
        return text.lower()
    return _BEYOND_ASCII.sub(_strip_marks, text.casefold())


def _strip_marks(marked: re.Match[str]) -> str:
    parts = unicodedata.normalize("NFD", marked[0])
    return "".join([each for each in parts if not unicodedata.combining(each)])


def index_words(text: str) -> list[str]:
    """The words of a text for an index, folded by `without_accents`, in order and with repetitions."""
    return _PART.findall(without_accents(text))


def _parts(form: str, is_start: bool) -> list[IndexTerm]:
    parts = [IndexTerm(text) for text in _PART.findall(form)]
    if is_start and _is_bounded(form[-1:]):
        parts[-1] = IndexTerm(parts[-1].text, is_start=True)
    return parts


def has_word(text: Any, pattern: str) -> bool | None:
    """Whether a text matches the `pattern` of a SearchTerm; None for a value that is not a text."""
    return _compiled(pattern).search(without_accents(text)) is not None if isinstance(text, str) else None


_compiled = lru_cache(maxsize=1024)(re.compile)


@lru_cache(maxsize=4096)
def _pattern(word: SearchTerm) -> str:
    return "|".join(_form(without_accents(form), word.is_start) for form in word.forms)


def _form(form: str, is_start: bool) -> str:
    """The pattern of one form. The lookbehind follows the first letter, because `re` finds a literal prefix quickly.

    `plan b` becomes `p(?<![…]p)lan[…]+b(?![…])`.
    """
    first, *more = form.split() or [""]
    letter = _SPECIAL.sub(r"\\\1", first[:1])
    before = f"(?<![{LETTERS}]{letter})" if _is_bounded(first[:1]) else ""
    after = f"(?![{LETTERS}])" if _is_bounded(form[-1:]) and not is_start else ""
    rest = [_SPECIAL.sub(r"\\\1", part) for part in (first[1:], *more)]
    return letter + before + f"[{_SPACE}]+".join(rest) + after


def _is_bounded(letter: str) -> bool:
    return bool(_WORD.match(letter))
