"""The names of emoji. Each line of emoji_names.txt is one: its name, then its other names; `*` marks skin tones.

The names are facts of https://github.com/iamcal/emoji-data (MIT), which Slack takes its short names from.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

_ADDED = """
1000 alert blob-no blob-yes blob_help blob_smiley catjam check chefs-kiss cool-doge done dumpster-fire extreme-teamwork
facepalm finish_flag huh keanu-thanks loading mic-drop party_blob partyparrot thankyou thinking this_is_fine
"""
WORKSPACE_EMOJI = frozenset(_ADDED.split())
"""Emoji that the workspace has added to the standard ones, as most workspaces do."""

_TONES = frozenset(f"skin-tone-{tone}" for tone in range(2, 7))


class Emoji(NamedTuple):
    name: str
    has_tones: bool


@cache
def _standard() -> dict[str, Emoji]:
    """The standard emoji by each of their names."""
    lines = Path(__file__).with_name("emoji_names.txt").read_text(encoding="utf-8").splitlines()
    return {name: Emoji(line.split()[0].lstrip("*"), line[0] == "*") for line in lines for name in _names(line)}


def _names(line: str) -> list[str]:
    return line.lstrip("*").split()


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The one name of an emoji, so that `thumbsup` and `+1` are the same; colons and unknown names are let be."""
    plain, tones, tone = name.strip(":").partition("::")
    emoji = _standard().get(plain)
    return (emoji.name if emoji else plain) + tones + tone


def names_of(name: str) -> list[str]:
    """All names of the emoji that one name means, the name itself among them."""
    wanted = canonical(name)
    plain, tones, tone = wanted.partition("::")
    others = [other for other, emoji in _standard().items() if emoji.name == plain]
    return sorted({name, *(other + tones + tone for other in others)})


def is_emoji(name: str) -> bool:
    """Whether `name`, without colons, is an emoji here: `wave`, `wave::skin-tone-2`, never `rocket::skin-tone-2`."""
    plain, tones, tone = name.partition("::")
    if not tones:
        return plain in _standard() or plain in WORKSPACE_EMOJI
    emoji = _standard().get(plain)
    return bool(emoji and emoji.has_tones and tone in _TONES)
