"""The tables of a Dropbox: accounts, files and folders, shared links, shared folders, and open upload sessions."""

from __future__ import annotations

from twindiff.kit.rows import Column, Row, Timestamp, column


class DropboxAccount(Row, table="accounts", key=("account_id",)):
    """An account; the first is the caller's."""

    account_id: Column[str]
    email: Column[str]
    display_name: Column[str]


class DropboxEntry(Row, table="entries", key=("id",), indexes=(("path_lower",), ("parent_lower",))):
    """A file or folder; `parent_lower` is the lower-case path of its folder, empty for the root."""

    id: Column[str]
    tag: Column[str]
    name: Column[str]
    path_lower: Column[str]
    path_display: Column[str]
    parent_lower: Column[str]
    rev: Column[str | None] = column(default=None, derived=True)
    size: Column[int | None] = column(default=None)
    content_hash: Column[str | None] = column(default=None)
    client_modified: Column[Timestamp | None] = column(default=None)
    server_modified: Column[Timestamp | None] = column(default=None, derived=True)
    blob: Column[str | None] = column(default=None, derived=True)
    change_number: Column[int] = column(default=0, derived=True)


class DropboxSharedLink(Row, table="shared_links", key=("url",)):
    """A link to a file or folder."""

    url: Column[str]
    entry_id: Column[str]
    visibility: Column[str] = column(default="public")
    expires: Column[str | None] = column(default=None)


class DropboxSharedFolder(Row, table="shared_folders", key=("shared_folder_id",)):
    """A folder that others may enter."""

    shared_folder_id: Column[str]
    entry_id: Column[str]
    acl_update_policy: Column[str] = column(default="owner")
    shared_link_policy: Column[str] = column(default="anyone")
    member_policy: Column[str] = column(default="anyone")
    time_invited: Column[Timestamp]


class DropboxMember(Row, table="members", key=("shared", "email")):
    """Somebody to whom a folder (by its `shared_folder_id`) or a file (by its id) is shared."""

    shared: Column[str]
    email: Column[str]
    access_level: Column[str] = column(default="viewer")


class DropboxUploadSession(Row, table="upload_sessions", key=("session_id",), visibility="bookkeeping"):
    """An upload in parts."""

    session_id: Column[str]
    blob: Column[str]
    size: Column[int]
    is_closed: Column[bool] = column(default=False)


TABLES = (
    DropboxAccount,
    DropboxEntry,
    DropboxSharedLink,
    DropboxSharedFolder,
    DropboxMember,
    DropboxUploadSession,
)
