"""Names of emoji. Each line of emoji_names.txt is an emoji: its name, then its aliases; `*` marks skin tones.

The names are facts of https://github.com/iamcal/emoji-data (MIT), whose short names Slack and Linear take.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

_TONES = frozenset(f"skin-tone-{tone}" for tone in range(2, 7))
_KEYCAPS = frozenset("0123456789#*")
_MARKS = frozenset(("Sk", "Cf", "Mn", "Me"))
"""Categories of the characters that modify and join pictures: skin tones, joiners, variation selectors, keycaps."""


class Emoji(NamedTuple):
    """A standard emoji: its first name, and whether it comes in skin tones."""

    name: str
    has_tones: bool


@cache
def list_standard_emoji() -> dict[str, Emoji]:
    """Map each name and alias to its standard emoji."""
    lines = Path(__file__).with_name("emoji_names.txt").read_text(encoding="utf-8").splitlines()
    return {name: Emoji(line.split()[0].lstrip("*"), line[0] == "*") for line in lines for name in _names(line)}


def _names(line: str) -> list[str]:
    return line.lstrip("*").split()


def is_standard_name(name: str) -> bool:
    """Whether `name` is an emoji's: `wave` and `wave::skin-tone-2` are, `rocket::skin-tone-2` is not."""
    plain, tones, tone = name.partition("::")
    emoji = list_standard_emoji().get(plain)
    return emoji is not None and (not tones or (emoji.has_tones and tone in _TONES))


def is_emoji(text: str) -> bool:
    """Whether a text is the name of a standard emoji or one emoji as characters."""
    return is_standard_name(text) or is_picture(text)


def is_picture(text: str) -> bool:
    """Whether a text consists of emoji characters alone, as `👍🏽` and `1️⃣` do."""
    kinds = [unicodedata.category(character) for character in text]
    pictures = [kind for kind in kinds if kind == "So"]
    keycap = text[:1] in _KEYCAPS and "\u20e3" in text
    others = kinds[1:] if keycap else kinds
    return bool(pictures or keycap) and all(kind == "So" or kind in _MARKS for kind in others)
