"""Further tables of a Box enterprise: those that public suites do not read and that no response contains."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .item_tables import (
    Collection,
    Comment,
    File,
    FileContent,
    FileVersion,
    Folder,
    Hub,
    HubItem,
    Task,
    TaskAssignment,
    User,
    WebLink,
)


class Group(Row, table="box_groups", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="group")
    name: Column[str]
    group_type: Column[str] = column(default="managed_group")
    description: Column[str | None] = column(default=None)
    provenance: Column[str | None] = column(default=None)
    external_sync_identifier: Column[str | None] = column(default=None)
    invitability_level: Column[str | None] = column(default="all_managed_users")
    member_viewability_level: Column[str | None] = column(default="all_managed_users")
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class GroupMembership(
    Row, table="box_group_memberships", key=("id",), unique=(("group_id", "user_id"),), indexes=(("user_id", "id"),)
):
    id: Column[str]
    type: Column[str] = column(default="group_membership")
    user_id: Column[str] = references(User, on_delete="cascade")
    group_id: Column[str] = references(Group, on_delete="cascade")
    role: Column[str] = column(default="member")
    configurable_permissions: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class Collaboration(
    Row, table="box_collaborations", key=("id",), indexes=(("accessible_by_id", "status"), ("item_id", "id"))
):
    """Access of a user or a group to a file, or to a folder with everything in it; without a grantee, an invitation."""

    id: Column[str]
    type: Column[str] = column(default="collaboration")
    item_id: Column[str]
    item_type: Column[str]
    accessible_by_id: Column[str | None] = column(default=None)
    accessible_by_type: Column[str] = column(default="user")
    role: Column[str]
    status: Column[str] = column(default="accepted")
    invite_email: Column[str | None] = column(default=None)
    expires_at: Column[Timestamp | None] = column(default=None)
    is_access_only: Column[bool | None] = column(default=False)
    can_view_path: Column[bool | None] = column(default=False)
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)
    acknowledged_at: Column[Timestamp | None] = column(default=None, derived=True)


class HubCollaboration(Row, table="box_hub_collaborations", key=("id",), indexes=(("hub_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="hub_collaboration")
    hub_id: Column[str] = references(Hub, on_delete="cascade")
    accessible_by_id: Column[str]
    accessible_by_type: Column[str] = column(default="user")
    role: Column[str]
    status: Column[str] = column(default="accepted")


class MetadataTemplate(Row, table="box_metadata_templates", key=("id",), unique=(("scope", "template_key"),)):
    id: Column[str]
    type: Column[str] = column(default="metadata_template")
    scope: Column[str]
    template_key: Column[str]
    display_name: Column[str | None] = column(default=None)
    hidden: Column[bool | None] = column(default=False)
    copy_instance_on_item_copy: Column[bool | None] = column(default=False)
    fields: Column[Json] = column(default=[])


class MetadataInstance(
    Row,
    table="box_metadata_instances",
    key=("id",),
    unique=(("item_id", "item_type", "scope", "template_key"),),
    indexes=(("scope", "template_key", "id"),),
):
    id: Column[str]
    item_id: Column[str]
    item_type: Column[str]
    scope: Column[str]
    template_key: Column[str]
    data: Column[Json] = column(default={})
    version: Column[int] = column(default=0, derived=True)
    type_version: Column[int] = column(default=0, derived=True)
    applied_at: Column[Timestamp | None] = column(default=None, derived=True)


class CascadePolicy(
    Row, table="box_metadata_cascade_policies", key=("id",), unique=(("folder_id", "scope", "template_key"),)
):
    """A policy that applies a folder's metadata to everything in it."""

    id: Column[str]
    folder_id: Column[str] = references(Folder, on_delete="cascade")
    scope: Column[str]
    template_key: Column[str]


class FolderLock(Row, table="box_folder_locks", key=("id",), indexes=(("folder_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="folder_lock")
    folder_id: Column[str] = references(Folder)
    move: Column[bool] = column(default=True)
    delete: Column[bool] = column(default=True)
    lock_type: Column[str] = column(default="freeze")
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class Webhook(Row, table="box_webhooks", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="webhook")
    target_id: Column[str]
    target_type: Column[str]
    address: Column[str]
    triggers: Column[Json] = column(default=[])
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class SignRequest(Row, table="box_sign_requests", key=("id",)):
    """A request for signatures. Its status changes only if its row is changed."""

    id: Column[str]
    type: Column[str] = column(default="sign-request")
    status: Column[str] = column(default="created")
    name: Column[str | None] = column(default=None)
    signers: Column[Json] = column(default=[])
    source_files: Column[Json] = column(default=[])
    parent_folder_id: Column[str | None] = references(Folder, default=None)
    settings: Column[Json] = column(default={})
    """The other fields of the request: subject, message, days until it expires."""
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class SignTemplate(Row, table="box_sign_templates", key=("id",)):
    """A template for requests for signatures. They are created in Box's web app, here by a template."""

    id: Column[str]
    type: Column[str] = column(default="sign-template")
    name: Column[str | None] = column(default=None)
    email_subject: Column[str | None] = column(default=None)
    email_message: Column[str | None] = column(default=None)
    days_valid: Column[int | None] = column(default=None)
    parent_folder_id: Column[str | None] = references(Folder, default=None)
    source_files: Column[Json] = column(default=[])
    signers: Column[Json] = column(default=[])
    are_fields_locked: Column[bool] = column(default=False)
    are_options_locked: Column[bool] = column(default=False)
    are_recipients_locked: Column[bool] = column(default=False)
    are_email_settings_locked: Column[bool] = column(default=False)
    are_files_locked: Column[bool] = column(default=False)
    additional_info: Column[Json | None] = column(default=None)
    ready_sign_link: Column[Json | None] = column(default=None)
    custom_branding: Column[Json | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)


class DocGenTemplate(Row, table="box_docgen_templates", key=("file_id",)):
    """A file from which documents can be generated."""

    file_id: Column[str] = references(File, on_delete="cascade")
    type: Column[str] = column(default="docgen_template")
    created_by_id: Column[str | None] = references(User, default=None)


class FileRequest(Row, table="box_file_requests", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="file_request")
    title: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    status: Column[str] = column(default="active")
    folder_id: Column[str] = references(Folder)
    is_email_required: Column[bool | None] = column(default=False)
    is_description_required: Column[bool | None] = column(default=False)
    expires_at: Column[Timestamp | None] = column(default=None)
    url: Column[str | None] = column(default=None)
    etag: Column[str | None] = column(default="0", derived=True)
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_by_id: Column[str | None] = references(User, default=None, derived=True)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class UploadSession(Row, table="box_upload_sessions", key=("id",), visibility="bookkeeping"):
    id: Column[str]
    user_id: Column[str] = references(User)
    folder_id: Column[str | None] = references(Folder, default=None)
    file_id: Column[str | None] = references(File, default=None)
    file_name: Column[str]
    file_size: Column[int]
    part_size: Column[int]
    expires_at: Column[Timestamp]
    is_committed: Column[bool] = column(default=False)
    """Whether the session is committed. A committed session can only be aborted, which has no effect."""


class UploadPart(Row, table="box_upload_parts", key=("session_id", "offset"), visibility="bookkeeping"):
    session_id: Column[str] = references(UploadSession, on_delete="cascade")
    offset: Column[int]
    size: Column[int]
    part_id: Column[str]
    sha1: Column[str]
    digest: Column[str]


class ZipDownload(Row, table="box_zip_downloads", key=("id",), visibility="bookkeeping"):
    id: Column[str]
    user_id: Column[str] = references(User)
    name: Column[str]
    items: Column[Json]
    is_downloaded: Column[bool] = column(default=False)
    expires_at: Column[Timestamp]


class StreamEvent(
    Row, table="box_events", key=("position",), visibility="bookkeeping", indexes=(("created_at", "position"),)
):
    """An event, in the order of the event stream."""

    position: Column[int]
    event_id: Column[str]
    event_type: Column[str]
    created_by_id: Column[str]
    owned_by_id: Column[str | None] = column(default=None)
    source_type: Column[str | None] = column(default=None)
    source_id: Column[str | None] = column(default=None)
    source: Column[Json]
    created_at: Column[Timestamp]


class RecentItem(Row, table="box_recent_items", key=("user_id", "item_id"), visibility="bookkeeping"):
    user_id: Column[str] = references(User)
    item_id: Column[str] = references(File)
    interaction_type: Column[str]
    interacted_at: Column[Timestamp]


class Application(Row, table="box_applications", key=("client_id",), visibility="bookkeeping"):
    """An application that may get tokens, and the user it acts as by default."""

    client_id: Column[str]
    client_secret: Column[str]
    user_id: Column[str] = references(User)
    primary_key: Column[str | None] = column(default=None)
    secondary_key: Column[str | None] = column(default=None)
    """The keys that sign its webhooks."""
    public_keys: Column[Json | None] = column(default=None)
    """Its registered public keys: PEM text by key id. If it has any, its assertions must be signed with one."""


class Assertion(Row, table="box_assertions", key=("client_id", "jti"), visibility="bookkeeping"):
    """A used assertion, which is not accepted again."""

    client_id: Column[str] = references(Application)
    jti: Column[str]


class AccessToken(Row, table="box_access_tokens", key=("token",), visibility="bookkeeping"):
    """A token that was issued here."""

    token: Column[str]
    kind: Column[str] = column(default="access")
    user_id: Column[str] = references(User)
    is_revoked: Column[bool] = column(default=False)
    scopes: Column[Json] = column(default=[])
    """The scopes it is limited to; empty for a token that allows everything its user may do."""
    resource: Column[str | None] = column(default=None)
    """The one item it is limited to: `file 123` or `folder 123`."""


class ContentText(Row, table="box_content_texts", key=("sha_1",), words=("text",), visibility="bookkeeping"):
    """The words of a content by the SHA-1 of its bytes, as many as Box indexes for searches."""

    sha_1: Column[str]
    text: Column[str]


TABLES: tuple[type[Row], ...] = (
    User,
    Collection,
    Folder,
    File,
    FileVersion,
    FileContent,
    Comment,
    Task,
    TaskAssignment,
    Hub,
    HubItem,
    WebLink,
    Group,
    GroupMembership,
    Collaboration,
    HubCollaboration,
    MetadataTemplate,
    MetadataInstance,
    CascadePolicy,
    FolderLock,
    Webhook,
    SignRequest,
    SignTemplate,
    DocGenTemplate,
    FileRequest,
    UploadSession,
    UploadPart,
    ZipDownload,
    StreamEvent,
    RecentItem,
    Application,
    AccessToken,
    Assertion,
    ContentText,
)
