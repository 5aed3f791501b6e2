"""The numbers of reactions of an object."""

from __future__ import annotations

from collections import Counter
from typing import Any

from twindiff.kit import Call

from ..tables.issue_tables import Reaction

CONTENTS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def note_plain(call: Call, kind: str, ids: set[int], known: set[int]) -> None:
    """Note that of some ids only the `known` ones have rows of a kind, so that the others need no query."""
    call.memo[f"plain {kind}"] = ids - known


def is_plain(call: Call, kind: str, number: int) -> bool:
    """Return whether an id is noted to have no rows of a kind."""
    return number in call.memo.get(f"plain {kind}", ())


def show_reactions(call: Call, subject: str, subject_id: int, url: str) -> dict[str, Any]:
    """Render the numbers of reactions of an object, which is given by its table and its id."""
    if is_plain(call, subject, subject_id):
        return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(CONTENTS, 0)}
    where = (Reaction.subject == subject, Reaction.subject_id == subject_id)
    counts = Counter(row[0] for row in call.db.rows(Reaction, *where, columns=(Reaction.content,)))
    numbers = {content: counts[content] for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": counts.total(), **numbers}
