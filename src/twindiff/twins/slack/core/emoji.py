"""Names of emoji. Each line of emoji_names.txt is an emoji: its name, then its aliases; `*` marks skin tones.

The names are facts of https://github.com/iamcal/emoji-data (MIT), from which Slack takes its short names.
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
"""Custom emoji of the workspace, as most workspaces have some."""

_TONES = frozenset(f"skin-tone-{tone}" for tone in range(2, 7))


class Emoji(NamedTuple):
    name: str
    has_tones: bool


@cache
def _standard() -> dict[str, Emoji]:
    """Map each name and alias to its standard emoji."""
    lines = Path(__file__).with_name("emoji_names.txt").read_text(encoding="utf-8").splitlines()
    return {name: Emoji(line.split()[0].lstrip("*"), line[0] == "*") for line in lines for name in _names(line)}


def _names(line: str) -> list[str]:
    return line.lstrip("*").split()


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """Return the canonical name of an emoji, which is the same for `thumbsup` and `+1`.

    Colons around the name are ignored; unknown names stay.
    """
    plain, tones, tone = name.strip(":").partition("::")
    emoji = _standard().get(plain)
    return (emoji.name if emoji else plain) + tones + tone


def names_of(name: str) -> list[str]:
    """Return all aliases of an emoji, including `name`."""
    wanted = canonical(name)
    plain, tones, tone = wanted.partition("::")
    others = [other for other, emoji in _standard().items() if emoji.name == plain]
    return sorted({name, *(other + tones + tone for other in others)})


def is_emoji(name: str) -> bool:
    """Whether `name`, without colons, is an emoji: `wave` and `wave::skin-tone-2` are, `rocket::skin-tone-2` is not."""
    plain, tones, tone = name.partition("::")
    if not tones:
        return plain in _standard() or plain in WORKSPACE_EMOJI
    emoji = _standard().get(plain)
    return bool(emoji and emoji.has_tones and tone in _TONES)
