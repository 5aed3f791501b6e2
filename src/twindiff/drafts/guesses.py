"""Which columns of a drafted twin's tables hold what it makes up."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from twindiff.kit.twin import Twin


def list_guessed_columns(twin: Twin) -> Mapping[str, Collection[str]]:
    """Return the columns by table whose fields answers guess unless a request gave them; {} for a twin of code."""
    from .drafting import DraftedTwin

    columns: dict[str, set[str]] = {}
    if isinstance(twin, DraftedTwin):
        for plan in twin.plans:
            if plan.stored is not None:
                known = plan.stored.columns
                columns.setdefault(plan.stored.table, set()).update(
                    known[name] for name in plan.guessed if name in known
                )
    return columns
