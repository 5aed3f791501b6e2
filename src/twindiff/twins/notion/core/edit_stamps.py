"""Who made a row and who edited it last, and when: the columns of rows and the fields of answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call

from ..tables.content_tables import Block, Page
from ..tables.data_source_tables import Database, DatabaseView, DataSource
from .object_lookup import find_bot
from .user_objects import user_reference


def stamp(call: Call) -> dict[str, Any]:
    """Return the columns that say who edited a row last, and when."""
    return {"last_edited_by": find_bot(call).id, "last_edited_time": call.clock.iso()}


def stamp_new(call: Call) -> dict[str, Any]:
    """Return the columns that say who made a row, and when."""
    edited = stamp(call)
    return {"created_by": edited["last_edited_by"], "created_time": edited["last_edited_time"], **edited}


def minute(at: str | None) -> str:
    """Render an instant as most objects have it: rounded down to the minute."""
    return f"{(at or '1970-01-01T00:00')[:16]}:00.000Z"


def millis(at: str | None) -> str:
    """Render an instant to the millisecond."""
    text = at or "1970-01-01T00:00:00"
    return f"{text[:19]}.{(text[20:23] or '000'):0<3}+00:00"


def show_stamps(
    row: Page | Block | Database | DataSource | DatabaseView, show_time: Callable[[str | None], str] = minute
) -> dict[str, Any]:
    """Render who made a row and who edited it last, and when; what was never edited was edited when it was made."""
    return {
        "created_time": show_time(row.created_time),
        "created_by": user_reference(row.created_by),
        "last_edited_time": show_time(row.last_edited_time or row.created_time),
        "last_edited_by": user_reference(row.last_edited_by or row.created_by),
    }
