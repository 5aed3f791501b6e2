"""Changing what is different, as an update of a vendor's does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import UNSET

from .rows import Row
from .store import Store

R = TypeVar("R", bound=Row)


def revise(db: Store, row: R, /, *, stamp: Mapping[str, Any] | None = None, **wanted: Any) -> R:
    """Set the fields that are wanted otherwise than they are, and then those of `stamp` too; give the row as it is now.

    What is UNSET is left as it is. Nothing is written when nothing differs, so that an update that changes nothing
    leaves no trace: `revise(call.db, event, stamp={"updated": call.clock.iso()}, summary=summary, location=location)`.
    """
    different = {
        name: value for name, value in wanted.items() if value is not UNSET and getattr(row, name, UNSET) != value
    }
    return db.change(row, **{**(stamp or {}), **different}) if different else row
