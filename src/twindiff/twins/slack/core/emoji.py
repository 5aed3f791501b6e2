"""Names of emoji in a Slack workspace: the standard ones and the workspace's own."""

from __future__ import annotations

from functools import lru_cache

from twindiff.kit.emoji import is_standard_name, list_standard_emoji

_ADDED = """
1000 alert blob-no blob-yes blob_help blob_smiley catjam check chefs-kiss cool-doge done dumpster-fire extreme-teamwork
facepalm finish_flag huh keanu-thanks loading mic-drop party_blob partyparrot thankyou thinking this_is_fine
"""
WORKSPACE_EMOJI = frozenset(_ADDED.split())
"""Custom emoji of the workspace, as most workspaces have some."""


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """Return the canonical name of an emoji, which is the same for `thumbsup` and `+1`.

    Colons around the name are ignored; unknown names stay.
    """
    plain, tones, tone = name.strip(":").partition("::")
    emoji = list_standard_emoji().get(plain)
    return (emoji.name if emoji else plain) + tones + tone


def names_of(name: str) -> list[str]:
    """Return all aliases of an emoji, including `name`."""
    wanted = canonical(name)
    plain, tones, tone = wanted.partition("::")
    others = [other for other, emoji in list_standard_emoji().items() if emoji.name == plain]
    return sorted({name, *(other + tones + tone for other in others)})


def is_emoji(name: str) -> bool:
    """Whether `name`, without colons, is an emoji: `wave` and `wave::skin-tone-2` are, `rocket::skin-tone-2` is not."""
    return is_standard_name(name) or name in WORKSPACE_EMOJI
