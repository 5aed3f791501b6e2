"""Discussions of repositories, with their categories and comments."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .repository_tables import Repository
from .user_tables import User


class DiscussionCategory(Row, table="discussion_categories", key=("id",)):
    """A category of a repository's discussions; in an answerable one, a comment can be marked as the answer."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    name: Column[str]
    slug: Column[str]
    emoji: Column[str] = column(default=":speech_balloon:")
    description: Column[str | None] = column(default=None)
    is_answerable: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Discussion(
    Row, table="discussions", key=("id",), indexes=(("repository_id", "number"),), words=("title", "body")
):
    """A discussion; its number is of the sequence of issues, `labels` are names and `upvotes` logins.

    `poll` has the `question` and the `options` of a poll, each an `option` with the logins of its `votes`.
    """

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    number: Column[int]
    category_id: Column[int] = references(DiscussionCategory)
    user: Column[str] = references(User)
    title: Column[str]
    body: Column[str]
    labels: Column[Json] = column(default=[])
    upvotes: Column[Json] = column(default=[])
    comments: Column[int] = column(default=0, derived=True)
    locked: Column[bool] = column(default=False)
    active_lock_reason: Column[str | None] = column(default=None)
    state_reason: Column[str | None] = column(default=None)
    closed_at: Column[Timestamp | None] = column(default=None)
    answer_id: Column[int | None] = column(default=None)
    answer_chosen_by: Column[str | None] = column(default=None)
    answer_chosen_at: Column[Timestamp | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    poll: Column[Json] = column(default=None)


class DiscussionComment(Row, table="discussion_comments", key=("id",), words=("body",)):
    """A comment on a discussion, or with `parent_id` a reply to one; `upvotes` are logins."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    discussion_id: Column[int] = references(Discussion, on_delete="cascade")
    parent_id: Column[int | None] = column(default=None)
    user: Column[str] = references(User)
    body: Column[str]
    upvotes: Column[Json] = column(default=[])
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


TABLES = (DiscussionCategory, Discussion, DiscussionComment)
