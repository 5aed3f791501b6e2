"""Pages, blocks and comments as rows.

A text without formats is stored as plain text alone; `rich_text` holds the pieces of any other. The order of siblings
is a fractional index (`position`), so moving one of them changes one row.
"""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


class User(Row, table="notion_users", key=("id",)):
    """A person or a bot; `owner_id` is the person who owns a bot, None for one that the workspace owns.

    `shared_with` has the ids of the pages and databases that are shared with a bot: it sees them and what is in them.
    None is the whole workspace.
    """

    id: Column[str]
    name: Column[str | None] = column(default=None)
    type: Column[str] = column(default="person")
    email: Column[str | None] = column(default=None)
    avatar_url: Column[str | None] = column(default=None)
    owner_id: Column[str | None] = references("self", default=None)
    capabilities: Column[Json] = column(default=None)
    shared_with: Column[Json] = column(default=None)


class Workspace(Row, table="notion_workspaces", key=("id",)):
    """The workspace; there is one in an environment."""

    id: Column[str]
    name: Column[str]


class Page(
    Row,
    table="notion_pages",
    key=("id",),
    indexes=(("parent_id", "position"), ("data_source_id", "created_time"), ("parent_type", "last_edited_time")),
    words=("title",),
):
    """A page. `properties` has the values by id of their property, each in the shortest form; empty ones are left out.

    A page in a data source has its id in `parent_id` and in `data_source_id`, which indexes the rows of a data source.
    """

    id: Column[str]
    title: Column[str] = column(default="")
    parent_type: Column[str] = column(default="workspace")
    parent_id: Column[str | None] = column(default=None)
    data_source_id: Column[str | None] = column(default=None, derived=True)
    position: Column[str] = column(default="a0")
    properties: Column[Json] = column(default={})
    icon: Column[Json] = column(default=None)
    cover: Column[Json] = column(default=None)
    is_locked: Column[bool] = column(default=False)
    is_template: Column[bool] = column(default=False)
    in_trash: Column[bool] = column(default=False)
    created_by: Column[str | None] = references(User, default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_by: Column[str | None] = column(default=None, derived=True)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class Block(Row, table="notion_blocks", key=("id",), indexes=(("parent_id", "position"),)):
    """A block; `content` has its fields other than text that differ from the defaults of its type."""

    id: Column[str]
    type: Column[str]
    text: Column[str] = column(default="")
    rich_text: Column[Json] = column(default=None)
    content: Column[Json] = column(default={})
    parent_type: Column[str] = column(default="page_id")
    parent_id: Column[str]
    position: Column[str] = column(default="a0")
    in_trash: Column[bool] = column(default=False)
    created_by: Column[str | None] = references(User, default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_by: Column[str | None] = column(default=None, derived=True)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class Comment(Row, table="notion_comments", key=("id",), indexes=(("parent_id", "created_time"), ("discussion_id",))):
    """A comment on a page or a block; `answers_id` is the comment that began its discussion, None for that itself."""

    id: Column[str]
    discussion_id: Column[str] = column(derived=True)
    answers_id: Column[str | None] = references("self", default=None)
    parent_type: Column[str] = column(default="page_id")
    parent_id: Column[str]
    text: Column[str] = column(default="")
    rich_text: Column[Json] = column(default=None)
    attachments: Column[Json] = column(default=None)
    display_name: Column[Json] = column(default=None)
    number: Column[int] = column(default=0, derived=True)
    created_by: Column[str | None] = references(User, default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


TABLES = (Workspace, User, Page, Block, Comment)
