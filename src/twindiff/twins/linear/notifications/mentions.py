"""Mentions: the URL of a person's profile in a text mentions and notifies that person.

https://linear.app/docs/comment-on-issues
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from twindiff.kit import Call, any_of

from ..core.rich_text import Node
from ..model.users import User

_PROFILE = re.compile(r"https://linear\.app/[\w-]+/profiles/[\w.%+-]*[\w%+-]")


def find_mentions(call: Call, text: str | None) -> dict[str, Any]:
    """Return the active users whose profile URLs are in a text, by URL."""
    urls = dict.fromkeys(_PROFILE.findall(text or ""))
    people: dict[str, Any] = {}
    for url in urls:
        user = User.row
        named = any_of(user.url == url, user.displayName.equals(unquote(url.rsplit("/", 1)[1])))
        person = call.db.find(user, named, user.active)
        if person:
            people[url] = person
    return people


def mention_nodes(mentions: dict[str, Any]) -> dict[str, Node]:
    """Return the node of a rich text document that each mentioned profile URL becomes."""
    return {
        url: {"type": "suggestion_userMentions", "attrs": {"id": user.id, "label": user.displayName, "href": url}}
        for url, user in mentions.items()
    }
