"""Labels that are not put on anything new: retired ones, which stay where they are, and groups.

https://linear.app/docs/labels
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql.errors import InvalidInput, UnfitReference

_BEARERS = {"IssueLabel": "issues", "ProjectLabel": "projects", "InitiativeLabel": "initiatives"}


def check_added_labels(call: Call, entity: Any, given: Sequence[str], present: Sequence[str]) -> None:
    """Raise an error if retired labels or groups of labels are among the given ids that are not present yet.

    Raises InvalidInput for a retired label and UnfitReference for a group.
    """
    added, row = [key for key in given if key not in present], entity.row
    for label in call.db.rows(row, row.id.in_(added)) if added else ():
        if label.retiredAt:
            raise InvalidInput(f"labelIds: the label '{label.name}' is retired.")
        if label.isGroup:
            raise UnfitReference(
                f"The label '{label.name}' is a group and cannot be assigned to {_BEARERS[entity.__name__]} directly.",
                title="labelIds contain parent labels",
            )
