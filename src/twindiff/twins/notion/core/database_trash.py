"""Databases in the trash."""

from __future__ import annotations

from twindiff.kit import Call

from ..tables.data_source_tables import Database, DataSource


def trash_database(call: Call, database: Database) -> None:
    """Restore the data sources of a database that is restored; those of one in the trash say nothing of it."""
    if not database.in_trash:
        for row in call.db.rows(DataSource, DataSource.database_id == database.id, DataSource.in_trash.is_true):
            call.db.change(row, in_trash=False)
