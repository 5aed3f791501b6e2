"""Updates that write only the fields that differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import UNSET

from .rows import Row
from .store import Store

R = TypeVar("R", bound=Row)


def revise(db: Store, row: R, /, *, stamp: Mapping[str, Any] | None = None, **wanted: Any) -> R:
    """Set the fields whose values differ from the row's, together with those of `stamp`, and return the current row.

    Fields that are UNSET stay as they are. If no field differs, nothing is written, not even `stamp`:
    `revise(call.db, event, stamp={"updated": call.clock.iso()}, summary=summary, location=location)`.
    """
    different = {
        name: value for name, value in wanted.items() if value is not UNSET and getattr(row, name, UNSET) != value
    }
    return db.change(row, **{**(stamp or {}), **different}) if different else row
