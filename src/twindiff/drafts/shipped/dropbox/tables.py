"""The tables of a Dropbox: accounts, files and folders with what they were, sharing, file requests, and open jobs."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column, references


class DropboxAccount(Row, table="accounts", key=("account_id",)):
    """An account; the first is the caller's."""

    account_id: Column[str]
    email: Column[str]
    display_name: Column[str]
    account_type: Column[str] = column(default="basic")
    country: Column[str] = column(default="US")
    locale: Column[str] = column(default="en")


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


class DropboxRevision(Row, table="revisions", key=("rev",), indexes=(("path_lower",),), visibility="bookkeeping"):
    """What a file was before it was replaced or deleted."""

    rev: Column[str]
    id: Column[str]
    path_lower: Column[str]
    path_display: Column[str]
    size: Column[int | None] = column(default=None)
    content_hash: Column[str | None] = column(default=None)
    client_modified: Column[Timestamp | None] = column(default=None)
    server_modified: Column[Timestamp | None] = column(default=None)
    blob: Column[str | None] = column(default=None)
    change_number: Column[int] = column(default=0)


class DropboxDeletion(Row, table="deletions", key=("path_lower",), visibility="bookkeeping"):
    """A path at which something was deleted and nothing is now."""

    path_lower: Column[str]
    path_display: Column[str]
    change_number: Column[int] = column(default=0)


class DropboxFileRequest(Row, table="file_requests", key=("id",)):
    """A page on which others may upload to a folder."""

    id: Column[str]
    title: Column[str]
    destination: Column[str]
    created: Column[Timestamp]
    is_open: Column[bool] = column(default=True)
    file_count: Column[int] = column(default=0)
    description: Column[str | None] = column(default=None)
    deadline: Column[Json] = column(default=None)


class DropboxCopyReference(Row, table="copy_references", key=("reference",), visibility="bookkeeping"):
    """A reference by which a file or folder may be copied."""

    reference: Column[str]
    entry_id: Column[str]


class DropboxJob(Row, table="jobs", key=("async_job_id",), visibility="bookkeeping"):
    """A job that is complete, with what came of it."""

    async_job_id: Column[str]
    kind: Column[str]
    result: Column[Json]


class DropboxTag(Row, table="tags", key=("entry_id", "tag_text")):
    """A tag of a file or folder."""

    entry_id: Column[str] = references(DropboxEntry, on_delete="cascade")
    tag_text: Column[str]
    position: Column[int] = column(default=0, derived=True)


class DropboxFileLock(Row, table="file_locks", key=("entry_id",)):
    """A lock of a file, which its holder alone may change."""

    entry_id: Column[str] = references(DropboxEntry, on_delete="cascade")
    account_id: Column[str]
    created_at: Column[Timestamp]


class DropboxTemplate(Row, table="property_templates", key=("template_id",)):
    """A template of properties."""

    template_id: Column[str]
    name: Column[str]
    description: Column[str]
    fields: Column[Json] = column(default=[])
    position: Column[int] = column(default=0, derived=True)


class DropboxProperties(Row, table="properties", key=("entry_id", "template_id")):
    """The properties of a file that are of a template."""

    entry_id: Column[str] = references(DropboxEntry, on_delete="cascade")
    template_id: Column[str]
    fields: Column[Json] = column(default=[])


TABLES = (
    DropboxAccount,
    DropboxEntry,
    DropboxSharedLink,
    DropboxSharedFolder,
    DropboxMember,
    DropboxUploadSession,
    DropboxRevision,
    DropboxDeletion,
    DropboxFileRequest,
    DropboxCopyReference,
    DropboxJob,
    DropboxTag,
    DropboxFileLock,
    DropboxTemplate,
    DropboxProperties,
)
