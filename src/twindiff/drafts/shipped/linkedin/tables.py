"""The tables of LinkedIn: members, their posts, comments and reactions."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column, references


class LinkedInMember(Row, table="members", key=("id",)):
    """A member."""

    id: Column[str]
    name: Column[str]
    email: Column[str]
    headline: Column[str] = column(default="")
    vanity_name: Column[str] = column(default="")


class LinkedInPost(Row, table="posts", key=("urn",)):
    """A post by a member or an organization; `author` is a URN."""

    urn: Column[str]
    author: Column[str]
    commentary: Column[str]
    visibility: Column[str] = column(default="PUBLIC")
    lifecycle_state: Column[str] = column(default="PUBLISHED")
    content: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class LinkedInComment(Row, table="comments", key=("id",)):
    """A comment on a post."""

    id: Column[str]
    post: Column[str] = references(LinkedInPost, on_delete="cascade")
    actor: Column[str]
    text: Column[str]
    created_at: Column[Timestamp]


class LinkedInReaction(Row, table="reactions", key=("post", "actor")):
    """A reaction to a post, one of each member."""

    post: Column[str] = references(LinkedInPost, on_delete="cascade")
    actor: Column[str]
    type: Column[str] = column(default="LIKE")


TABLES = (LinkedInMember, LinkedInPost, LinkedInComment, LinkedInReaction)
