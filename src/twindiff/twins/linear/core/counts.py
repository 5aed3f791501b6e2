"""How much belongs to each of a batch of rows, in one statement for all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from twindiff.kit import Call, Column, not_
from twindiff.kit.rows import Expression, table_of

from ..model.issues import Issue
from ..model.workflows import WorkflowState

COUNTED = ("backlog", "unstarted", "started", "completed")


def tally(call: Call, column: Column[Any], rows: list[Any], *where: Expression) -> list[int]:
    """How many rows of the column's table point to each of these rows."""
    keys = tuple(row.id for row in rows)
    # In the order of the index that relations are read by, so that nothing is sorted.
    order = (column, table_of(column.table).columns["createdAt"])
    pointing = call.db.rows(column.table, column.in_(keys), *where, order=order, columns=(column,))
    counts = Counter([key for (key,) in pointing])
    return [counts[key] for key in keys]


def compute_done_shares(call: Call, column: Column[Any], rows: list[Any]) -> list[float]:
    """The share of each row's issues that are done, weighed by estimate; one without counts 1, a canceled one 0."""
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
