"""Which pairs of letters a text has, case and accents aside: a text that lacks a pair of a word does not contain it.

The pairs are bits of one number, and pairs share bits, so what has all of them has to be looked at still. An index
keeps the number beside the text; comparing it costs a twentieth of looking into the text.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from twindiff.kit.words import without_accents

BITS = 61
LONGEST_KEPT = 32
"""Letters of a word whose number is kept in memory."""


def letters(text: str) -> int:
    """The pairs of letters inside the words of a text."""
    found = 0
    for word in without_accents(text).split():
        found |= _kept(word) if len(word) <= LONGEST_KEPT else _pairs(word)
    return found


def _pairs(word: str) -> int:
    found = 0
    for first, second in {*pairwise(word)}:
        found |= 1 << (31 * ord(first) + ord(second)) % BITS
    return found


_kept = lru_cache(maxsize=65_536)(_pairs)
