"""The trash: moving pages, blocks, databases and data sources to it and back."""

from __future__ import annotations

from typing import TypeVar

from twindiff.kit import Call

from ..core.edit_stamps import stamp
from ..core.object_lookup import check_editable
from ..event_delivery.event_emission import emit_trash
from ..tables.content_tables import Block, Page
from ..tables.data_source_tables import Database, DataSource

T = TypeVar("T", bound=Page | Block | Database | DataSource)


def move_to_trash(call: Call, row: T, in_trash: bool | None) -> T:
    """Move a row to the trash or back; None leaves it where it is.

    A database that comes back brings its data sources; those of one in the trash say nothing of it.
    """
    if in_trash is None or in_trash == row.in_trash:
        return row
    moved = call.db.change(row, in_trash=in_trash, **stamp(call))
    if isinstance(moved, Database) and not in_trash:
        for source in call.db.rows(DataSource, DataSource.database_id == moved.id, DataSource.in_trash.is_true):
            call.db.change(source, in_trash=False)
    emit_trash(call, moved)
    return moved


def check_change(call: Call, before: Page | Block | Database | DataSource, row: T) -> T:
    """Return a row that a request changes; raise ValidationError for one in the trash that was there before."""
    if before.in_trash or not row.in_trash:
        check_editable(call, row)
    return row
