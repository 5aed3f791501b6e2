"""Which labels can be put on a thing: none that is retired, no group, and at most one label of a group.

https://linear.app/docs/labels
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql.errors import InvalidInput, UnfitReference

_BEARERS = {"IssueLabel": "issue", "ProjectLabel": "project", "InitiativeLabel": "initiative"}


def check_combined_labels(call: Call, entity: Any, given: Sequence[str], present: Sequence[str] = ()) -> None:
    """Raise an error if the given labels cannot be on one thing.

    Raises InvalidInput for a retired label that is not `present` yet, and UnfitReference for a group that is not, or
    for two labels of one group.
    """
    row, bearer = entity.row, _BEARERS[entity.__name__]
    by_id = {label.id: label for label in (call.db.rows(row, row.id.in_(tuple(given))) if given else ())}
    by_group: dict[str, Any] = {}
    for label in (by_id[key] for key in given if key in by_id):
        if label.retiredAt and label.id not in present:
            raise InvalidInput(f"labelIds: the label '{label.name}' is retired.")
        if label.isGroup and label.id not in present:
            raise UnfitReference(
                f"The label '{label.name}' is a group and cannot be assigned to {bearer}s directly.",
                title="labelIds contain parent labels",
            )
        if label.parentId and label.parentId in by_group and by_group[label.parentId].id != label.id:
            raise UnfitReference(
                f"The label '{label.name}' is in the same group as '{by_group[label.parentId].name}'. "
                f"Only one label in a group can be applied to {'a' if bearer == 'project' else 'an'} {bearer}.",
                title="labelIds not exclusive child labels",
            )
        if label.parentId:
            by_group[label.parentId] = label
