"""The numbers of reactions of an object."""

from __future__ import annotations

from collections import Counter
from typing import Any

from twindiff.kit import Call

from ..tables.issue_tables import Reaction

CONTENTS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def show_reactions(call: Call, subject: str, subject_id: int, url: str) -> dict[str, Any]:
    """Render the numbers of reactions of an object, which is given by its table and its id."""
    where = (Reaction.subject == subject, Reaction.subject_id == subject_id)
    counts = Counter(row[0] for row in call.db.rows(Reaction, *where, columns=(Reaction.content,)))
    numbers = {content: counts[content] for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": counts.total(), **numbers}
