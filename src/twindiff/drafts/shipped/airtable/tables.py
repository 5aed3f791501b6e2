"""The tables of Airtable: bases, their tables with fields and views, and records."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class AirtableBase(Row, table="bases", key=("id",)):
    """A base. Of one whose `schema_is_hidden` the token may read records only; `is_listed` says if it is in lists."""

    id: Column[str]
    name: Column[str]
    permission_level: Column[str] = column(default="create")
    schema_is_hidden: Column[bool] = column(default=False)
    is_listed: Column[bool] = column(default=True)


class AirtableTable(Row, table="tables", key=("id",)):
    """A table of a base. Without `fields`, records may have any."""

    id: Column[str]
    base_id: Column[str]
    name: Column[str]
    description: Column[str | None] = column(default=None)
    primary_field_id: Column[str] = column(default="")
    fields: Column[Json] = column(default=[])
    views: Column[Json] = column(default=[])
    position: Column[int] = column(default=0)


class AirtableRecord(Row, table="records", key=("id",), indexes=(("table_id",),)):
    """A record; `fields` are its values by the names of fields, without empty ones."""

    id: Column[str]
    table_id: Column[str]
    fields: Column[Json] = column(default={})
    created_time: Column[Timestamp]
    position: Column[int] = column(default=0)


class AirtableComment(Row, table="comments", key=("id",)):
    """A comment on a record."""

    id: Column[str]
    record_id: Column[str]
    text: Column[str]
    author_id: Column[str]
    parent_id: Column[str | None] = column(default=None)
    created_time: Column[Timestamp]
    updated_time: Column[Timestamp | None] = column(default=None, derived=True)
    position: Column[int] = column(default=0)


TABLES = (AirtableBase, AirtableTable, AirtableRecord, AirtableComment)
