"""Normalises, searches and cuts the texts that a page shows."""

from __future__ import annotations

import re

MAX_SEEN_CHARACTERS = 600


def count_words(text: str, wanted: str) -> int:
    """Count the occurrences of a text as whole words: `Ada` is not in `Adam`."""
    begin, end = (r"(?<!\w)" if wanted[0].isalnum() else "", r"(?!\w)" if wanted[-1].isalnum() else "")
    return len(re.findall(f"{begin}{re.escape(wanted)}{end}", text))


def normalize_blanks(text: str) -> str:
    """Normalise whitespace, so that line breaks of the page do not matter."""
    return " ".join(text.split())


def cut_around(seen: str, wanted: str) -> str:
    """Return an excerpt of what was seen, around the first word of the expected text."""
    text = normalize_blanks(seen)
    words = wanted.split()
    at = text.lower().find(words[0].lower()) if words else 0
    begin = max(0, at - 100)
    return text[begin : begin + MAX_SEEN_CHARACTERS] or "nothing"
