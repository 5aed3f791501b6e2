"""Databases, data sources, their properties and views as rows."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


class Database(Row, table="notion_databases", key=("id",), indexes=(("parent_id", "position"),)):
    """A database: a container of data sources in a page, a block or the workspace."""

    id: Column[str]
    title: Column[str] = column(default="")
    rich_title: Column[Json] = column(default=None)
    description: Column[str] = column(default="")
    rich_description: Column[Json] = column(default=None)
    parent_type: Column[str] = column(default="workspace")
    parent_id: Column[str | None] = column(default=None)
    position: Column[str] = column(default="a0")
    icon: Column[Json] = column(default=None)
    cover: Column[Json] = column(default=None)
    is_inline: Column[bool] = column(default=False)
    is_locked: Column[bool] = column(default=False)
    in_trash: Column[bool] = column(default=False)
    created_by: Column[str | None] = column(default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_by: Column[str | None] = column(default=None, derived=True)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class DataSource(Row, table="notion_data_sources", key=("id",), indexes=(("database_id", "position"),)):
    """A data source: a table of pages with one schema."""

    id: Column[str]
    database_id: Column[str] = references(Database)
    title: Column[str] = column(default="")
    rich_title: Column[Json] = column(default=None)
    description: Column[str] = column(default="")
    rich_description: Column[Json] = column(default=None)
    position: Column[str] = column(default="a0")
    icon: Column[Json] = column(default=None)
    cover: Column[Json] = column(default=None)
    in_trash: Column[bool] = column(default=False)
    last_unique_id: Column[int] = column(default=0, derived=True)
    created_by: Column[str | None] = column(default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_by: Column[str | None] = column(default=None, derived=True)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class Property(Row, table="notion_properties", key=("data_source_id", "id")):
    """A property of a data source; `config` is what its type has beside, such as the options of a select."""

    data_source_id: Column[str] = references(DataSource)
    id: Column[str]
    name: Column[str]
    type: Column[str]
    config: Column[Json] = column(default={})
    description: Column[str | None] = column(default=None)
    position: Column[str] = column(default="a0")


class DatabaseView(Row, table="notion_views", key=("id",), indexes=(("database_id", "position"), ("data_source_id",))):
    """A view of a data source in a database."""

    id: Column[str]
    database_id: Column[str] = references(Database)
    data_source_id: Column[str] = references(DataSource)
    name: Column[str] = column(default="")
    type: Column[str] = column(default="table")
    filter: Column[Json] = column(default=None)
    sorts: Column[Json] = column(default=None)
    quick_filters: Column[Json] = column(default=None)
    configuration: Column[Json] = column(default=None)
    position: Column[str] = column(default="a0")
    created_by: Column[str | None] = column(default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_by: Column[str | None] = column(default=None, derived=True)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class ViewQuery(Row, table="notion_view_queries", key=("id",), visibility="bookkeeping"):
    """The result of running a view, kept for fifteen minutes."""

    id: Column[str]
    view_id: Column[str]
    page_ids: Column[Json]
    expires_at: Column[Timestamp]


TABLES = (Database, DataSource, Property, DatabaseView, ViewQuery)
