"""Retired labels, which stay where they are and are not put on anything new.  https://linear.app/docs/labels"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call, not_
from twindiff.kit.graphql.errors import InvalidInput


def check_retirement(call: Call, entity: Any, given: Sequence[str], present: Sequence[str]) -> None:
    """Raise InvalidInput if retired labels are among the given ids that are not present yet."""
    new, row = [key for key in given if key not in present], entity.row
    retired = call.db.find(row, row.id.in_(new), not_(row.retiredAt.is_null())) if new else None
    if retired:
        raise InvalidInput(f"labelIds: the label '{retired.name}' is retired.")
