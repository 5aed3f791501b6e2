"""Counts over the relations of a batch of rows, with one statement for the whole batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from twindiff.kit import Call, Column, not_
from twindiff.kit.rows import Expression, table_of

from ..model.issues import Issue
from ..model.workflows import WorkflowState

COUNTED = ("backlog", "unstarted", "started", "completed")


def tally(call: Call, column: Column[Any], rows: list[Any], *where: Expression) -> list[int]:
    """Return, for each of `rows`, how many rows of the column's table refer to it."""
    keys = tuple(row.id for row in rows)
    # The order of the index on the relation, so that no sort is needed.
    order = (column, table_of(column.table).columns["createdAt"])
    pointing = call.db.rows(column.table, column.in_(keys), *where, order=order, columns=(column,))
    counts = Counter([key for (key,) in pointing])
    return [counts[key] for key in keys]


def compute_done_shares(call: Call, column: Column[Any], rows: list[Any]) -> list[float]:
    """Return, for each row, the share of its issues that are completed, from 0 to 1.

    Issues are weighted by estimate, or by 1 without one. Canceled issues are not counted.
    """
    issue, state = Issue.row, WorkflowState.row
    canceled = {key for (key,) in call.db.rows(state, not_(state.type.in_(COUNTED)), columns=(state.id,))}
    where = (column.in_(tuple(row.id for row in rows)), issue.archivedAt.is_null())
    columns = (column, issue.stateId, issue.completedAt, issue.estimate)
    whole: defaultdict[str, float] = defaultdict(float)
    done: defaultdict[str, float] = defaultdict(float)
    for key, state_id, completed, estimate in call.db.rows(
        issue, *where, order=(column, issue.createdAt), columns=columns
    ):
        if state_id not in canceled:
            whole[key] += estimate or 1.0
            done[key] += (estimate or 1.0) if completed else 0.0
    return [done[row.id] / whole[row.id] if whole[row.id] else 0.0 for row in rows]
