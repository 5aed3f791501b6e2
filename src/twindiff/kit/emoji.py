"""Names of emoji. A line of emoji_names.txt has code points, name and aliases of one; `*` says that it has skin tones.

The names are facts of https://github.com/iamcal/emoji-data (MIT), whose short names Slack and Linear take.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

_TONES = frozenset(f"skin-tone-{tone}" for tone in range(2, 7))
_KEYCAPS = frozenset("0123456789#*")
_FIRST_TONE = 0x1F3FB - 2
"""`skin-tone-2` is the first."""
_VARIATION = "\ufe0f"
MAX_GAP = 0x100
"""Code points between two emoji of one range."""
_MARKS = frozenset(("Sk", "Cf", "Mn", "Me"))
"""Categories of the characters that modify and join pictures: skin tones, joiners, variation selectors, keycaps."""


class Emoji(NamedTuple):
    """A standard emoji: its first name, whether it comes in skin tones, and its code points, as in `1f1fa-1f1f8`."""

    name: str
    has_tones: bool
    code_points: str


@cache
def list_standard_emoji() -> dict[str, Emoji]:
    """Map each name and alias to its standard emoji."""
    emoji: dict[str, Emoji] = {}
    for line in Path(__file__).with_name("emoji_names.txt").read_text(encoding="utf-8").splitlines():
        code_points, first, *aliases = line.split()
        name = first.lstrip("*")
        emoji |= dict.fromkeys((name, *aliases), Emoji(name, first != name, code_points))
    return emoji


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


def name_pictures(text: str) -> str:
    """Return a text with each emoji as its name between colons: `:+1::skin-tone-4:` for `👍🏽`.

    What is no emoji stays, as does one with two skin tones and one that is newer than the table.
    """
    return text if text.isascii() else _sequences().sub(_name_of_picture, text)


def code_points_of(name: str, tone: int | None = None) -> str | None:
    """Return the code points of a standard emoji, as in `1f44d-1f3fc`; None for other names."""
    emoji = list_standard_emoji().get(name)
    if emoji is None or not tone:
        return emoji.code_points if emoji else None
    first, _, others = emoji.code_points.partition("-")
    others = others.removeprefix(f"{ord(_VARIATION):x}").removeprefix("-")
    return "-".join(filter(None, (first, f"{_FIRST_TONE + tone:x}", others)))


def _name_of_picture(match: re.Match[str]) -> str:
    tones = {each for each in match[0] if each in _TONE_SIGNS}
    plain = "".join(each for each in match[0] if each not in tones and each != _VARIATION)
    emoji = _names_of_pictures().get(plain)
    if emoji is None or len(tones) > 1 or (tones and not emoji.has_tones):
        return match[0]
    tone = f":skin-tone-{ord(tones.pop()) - _FIRST_TONE}:" if tones else ""
    return f":{emoji.name}:{tone}"


_TONE_SIGNS = frozenset(chr(_FIRST_TONE + tone) for tone in range(2, 7))


@cache
def _names_of_pictures() -> dict[str, Emoji]:
    """Map emoji as characters, without skin tones and variation selectors, to the emoji."""
    known = set(list_standard_emoji().values())
    return {_picture(each).replace(_VARIATION, ""): each for each in known}


def _picture(emoji: Emoji) -> str:
    return "".join(chr(int(each, 16)) for each in emoji.code_points.split("-"))


def _ranges_of(characters: str) -> str:
    """Return a few ranges, as in `\u203c-\u27bf\u2934-\u2b55`, that hold characters, and others between them."""
    points = sorted(map(ord, characters))
    breaks = [at for at in range(1, len(points)) if points[at] - points[at - 1] > MAX_GAP]
    starts, ends = [0, *breaks], [*(at - 1 for at in breaks), len(points) - 1]
    return "".join(f"{chr(points[start])}-{chr(points[end])}" for start, end in zip(starts, ends, strict=True))


@cache
def _sequences() -> re.Pattern[str]:
    """Return a pattern for emoji: keycaps, flags, and pictures with their marks, joined or not.

    It begins with a few ranges in which all emoji lie, so that a search skips other characters fast.
    """
    signs = {each for picture in _names_of_pictures() for each in picture if ord(each) > 127}
    flags = {chr(letter) for letter in range(0x1F1E6, 0x1F200)}
    tags = {chr(tag) for tag in range(0xE0020, 0xE0080)}
    joiner, keycap = "\u200d", "\u20e3"
    pictures = "".join(sorted(signs - flags - tags - _TONE_SIGNS - {joiner, keycap, _VARIATION}))
    flag, marks = "".join(sorted(flags)), rf"[{_VARIATION}{''.join(sorted(_TONE_SIGNS))}]*"
    return re.compile(
        rf"[0-9#*{_ranges_of(pictures + flag)}](?:(?<=[0-9#*]){_VARIATION}?{keycap}|(?<=[{flag}])[{flag}]"
        rf"|(?<=[{pictures}]){marks}(?:[{min(tags)}-{max(tags)}]+|(?:{joiner}[{pictures}]{marks})*))"
    )
