"""The categories of discussions that a repository begins with.

https://docs.github.com/en/discussions/managing-discussions-for-your-community/managing-categories-for-discussions
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.stamps import new_id
from ..tables.discussion_tables import DiscussionCategory
from ..tables.repository_tables import Repository

CATEGORIES = (
    ("Announcements", "announcements", ":mega:", "Updates from maintainers", False),
    ("General", "general", ":speech_balloon:", "Chat about anything and everything here", False),
    ("Ideas", "ideas", ":bulb:", "Share ideas for new features", False),
    ("Polls", "polls", ":ballot_box:", "Take a vote from the community", False),
    ("Q&A", "q-a", ":pray:", "Ask the community for help", True),
    ("Show and tell", "show-and-tell", ":raised_hands:", "Show off something you've made", False),
)
"""The categories that a repository begins with: name, slug, emoji, description, whether it has answers."""


def ensure_categories(call: Call, repo: Repository) -> None:
    """Make the categories that a repository with discussions begins with, unless it has some."""
    if call.db.find(DiscussionCategory, DiscussionCategory.repository_id == repo.id):
        return
    now = call.clock.iso()
    for name, slug, emoji, description, answerable in CATEGORIES:
        texts: dict[str, Any] = {"name": name, "slug": slug, "emoji": emoji, "description": description}
        times: dict[str, Any] = {"created_at": now, "updated_at": now}
        call.db.add(
            DiscussionCategory(id=new_id(call), repository_id=repo.id, is_answerable=answerable, **texts, **times)
        )
