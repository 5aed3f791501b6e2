"""The tables of a Box enterprise. Columns that are not derived are those that public suites read.

Values that Box computes are derived columns: who changed a row last, its etag, its size and its path. `path` of items
and `size` of folders are never written: responses compute them.
"""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


class User(Row, table="box_users", key=("id",), indexes=(("login",),)):
    id: Column[str]
    type: Column[str] = column(default="user")
    name: Column[str | None] = column(default=None)
    login: Column[str | None] = column(default=None)
    status: Column[str] = column(default="active")
    job_title: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    address: Column[str | None] = column(default=None)
    avatar_url: Column[str | None] = column(default=None)
    language: Column[str | None] = column(default=None)
    timezone: Column[str | None] = column(default=None)
    space_amount: Column[int | None] = column(default=10737418240)
    space_used: Column[int | None] = column(default=0, derived=True)
    max_upload_size: Column[int | None] = column(default=5368709120)
    notification_email: Column[Json | None] = column(default=None)
    role: Column[str | None] = column(default="user")
    enterprise: Column[Json | None] = column(default=None)
    tracking_codes: Column[Json | None] = column(default=None)
    can_see_managed_users: Column[bool | None] = column(default=None)
    is_sync_enabled: Column[bool | None] = column(default=None)
    is_external_collab_restricted: Column[bool | None] = column(default=None)
    is_exempt_from_device_limits: Column[bool | None] = column(default=None)
    is_exempt_from_login_verification: Column[bool | None] = column(default=None)
    is_platform_access_only: Column[bool | None] = column(default=False)
    my_tags: Column[Json | None] = column(default=None)
    hostname: Column[str | None] = column(default=None)
    external_app_user_id: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class Collection(Row, table="box_collections", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="collection")
    name: Column[str]
    collection_type: Column[str]
    user_id: Column[str | None] = references(User, default=None, derived=True)


LABELS = ("owned_by_id", "item_status", "parent_id")
"""The facets of the full-text index: they decide who finds an item in a search, and where."""


class Folder(
    Row,
    table="box_folders",
    key=("id",),
    indexes=(
        ("parent_id", "item_status", "folded_name"),
        ("item_status", "trashed_at"),
        ("owned_by_id",),
        ("modified_at", "id"),
        ("modified_at", "created_at"),
        ("created_at",),
    ),
    words=("search_text",),
    labels=LABELS,
):
    id: Column[str]
    type: Column[str] = column(default="folder")
    name: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    size: Column[int] = column(default=0, derived=True)
    item_status: Column[str] = column(default="active")
    parent_id: Column[str | None] = references("self", default=None)
    path: Column[str | None] = column(default="/", derived=True)
    created_by_id: Column[str | None] = references(User, default=None)
    modified_by_id: Column[str | None] = references(User, default=None, derived=True)
    owned_by_id: Column[str | None] = references(User, default=None, derived=True)
    etag: Column[str | None] = column(default=None, derived=True)
    sequence_id: Column[str | None] = column(default=None, derived=True)
    tags: Column[Json | None] = column(default=[])
    collections: Column[Json | None] = column(default=[])
    shared_link: Column[Json | None] = column(default=None)
    folder_upload_email: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)
    trashed_at: Column[Timestamp | None] = column(default=None, derived=True)
    placed_at: Column[Timestamp | None] = column(default=None, derived=True)
    """When it was moved to its current folder."""
    purged_at: Column[Timestamp | None] = column(default=None, derived=True)
    content_created_at: Column[Timestamp | None] = column(default=None, derived=True)
    content_modified_at: Column[Timestamp | None] = column(default=None, derived=True)
    sync_state: Column[str | None] = column(default=None)
    has_collaborations: Column[bool | None] = column(default=None, derived=True)
    can_non_owners_invite: Column[bool | None] = column(default=None)
    is_externally_owned: Column[bool | None] = column(default=None, derived=True)
    is_collaboration_restricted_to_enterprise: Column[bool | None] = column(default=None)
    can_non_owners_view_collaborators: Column[bool | None] = column(default=None)
    is_accessible_via_shared_link: Column[bool | None] = column(default=None, derived=True)
    is_associated_with_app_item: Column[bool | None] = column(default=None, derived=True)
    permissions: Column[Json | None] = column(default=None, derived=True)
    allowed_shared_link_access_levels: Column[Json | None] = column(default=None, derived=True)
    allowed_invitee_roles: Column[Json | None] = column(default=None, derived=True)
    watermark_info: Column[Json | None] = column(default=None)
    classification: Column[Json | None] = column(default=None)
    box_metadata: Column[Json | None] = column(default=None)
    folded_name: Column[str | None] = column(default=None, derived=True)
    """The case-folded name, which is unique in a folder and orders lists."""
    search_text: Column[str | None] = column(default=None, derived=True)
    """Its name, description and tags, for searches."""


class File(
    Row,
    table="box_files",
    key=("id",),
    indexes=(
        ("parent_id", "item_status", "folded_name"),
        ("item_status", "trashed_at"),
        ("owned_by_id",),
        ("modified_at", "id"),
        ("modified_at", "created_at"),
        ("created_at",),
        ("sha_1", "id", "item_status", "parent_id", "owned_by_id"),
        ("size",),
    ),
    words=("search_text",),
    labels=(*LABELS, "extension"),
):
    id: Column[str]
    type: Column[str] = column(default="file")
    name: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    size: Column[int] = column(default=0)
    item_status: Column[str] = column(default="active")
    parent_id: Column[str | None] = references(Folder, default=None)
    path: Column[str | None] = column(default="/0/", derived=True)
    created_by_id: Column[str | None] = references(User, default=None)
    modified_by_id: Column[str | None] = references(User, default=None, derived=True)
    owned_by_id: Column[str | None] = references(User, default=None, derived=True)
    etag: Column[str | None] = column(default=None, derived=True)
    sequence_id: Column[str | None] = column(default=None, derived=True)
    sha_1: Column[str | None] = column(default=None)
    file_version_id: Column[str | None] = column(default=None)
    version_number: Column[str | None] = column(default=None)
    comment_count: Column[int] = column(default=0, derived=True)
    extension: Column[str | None] = column(default=None)
    lock: Column[Json | None] = column(default=None)
    tags: Column[Json | None] = column(default=[])
    collections: Column[Json | None] = column(default=[])
    shared_link: Column[Json | None] = column(default=None)
    permissions: Column[Json | None] = column(default=None, derived=True)
    is_package: Column[bool | None] = column(default=None, derived=True)
    is_accessible_via_shared_link: Column[bool | None] = column(default=None, derived=True)
    is_externally_owned: Column[bool | None] = column(default=None, derived=True)
    has_collaborations: Column[bool | None] = column(default=None, derived=True)
    is_associated_with_app_item: Column[bool | None] = column(default=None, derived=True)
    allowed_invitee_roles: Column[Json | None] = column(default=None, derived=True)
    shared_link_permission_options: Column[Json | None] = column(default=None, derived=True)
    expiring_embed_link: Column[Json | None] = column(default=None, derived=True)
    watermark_info: Column[Json | None] = column(default=None)
    box_metadata: Column[Json | None] = column(default=None)
    representations: Column[Json | None] = column(default=None, derived=True)
    classification: Column[Json | None] = column(default=None)
    uploader_display_name: Column[str | None] = column(default=None, derived=True)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)
    trashed_at: Column[Timestamp | None] = column(default=None, derived=True)
    placed_at: Column[Timestamp | None] = column(default=None, derived=True)
    """When it was moved to its current folder."""
    purged_at: Column[Timestamp | None] = column(default=None, derived=True)
    content_created_at: Column[Timestamp | None] = column(default=None, derived=True)
    content_modified_at: Column[Timestamp | None] = column(default=None, derived=True)
    expires_at: Column[Timestamp | None] = column(default=None)
    disposition_at: Column[Timestamp | None] = column(default=None)
    folded_name: Column[str | None] = column(default=None, derived=True)
    """The case-folded name, which is unique in a folder and orders lists."""
    search_text: Column[str | None] = column(default=None, derived=True)
    """Its name, description and tags, for searches."""


class FileVersion(Row, table="box_file_versions", key=("id",), indexes=(("file_id", "version_number"),)):
    id: Column[str]
    type: Column[str] = column(default="file_version")
    file_id: Column[str] = references(File)
    version_number: Column[int] = column(default=1)
    sha_1: Column[str | None] = column(default=None)
    size: Column[int] = column(default=0)
    name: Column[str | None] = column(default=None)
    uploader_display_name: Column[str | None] = column(default=None)
    modified_by_id: Column[str | None] = references(User, default=None)
    trashed_by_id: Column[str | None] = references(User, default=None)
    trashed_at: Column[Timestamp | None] = column(default=None)
    restored_by_id: Column[str | None] = references(User, default=None)
    restored_at: Column[Timestamp | None] = column(default=None)
    purged_at: Column[Timestamp | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None)


class FileContent(Row, table="box_file_contents", key=("id",), unique=(("version_id",),), visibility="bookkeeping"):
    """The bytes of a version: their digest or, in templates, the bytes themselves as Base64 text."""

    id: Column[str]
    version_id: Column[str] = references(FileVersion)
    content: Column[str | None] = column(default=None)
    content_type: Column[str | None] = column(default=None)
    digest: Column[str | None] = column(default=None)


class Comment(Row, table="box_comments", key=("id",), indexes=(("file_id", "id"),), words=("message",)):
    id: Column[str]
    type: Column[str] = column(default="comment")
    message: Column[str | None] = column(default=None)
    tagged_message: Column[str | None] = column(default=None)
    file_id: Column[str] = references(File)
    item_id: Column[str]
    item_type: Column[str] = column(default="file")
    is_reply_comment: Column[bool] = column(default=False)
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)


class Task(Row, table="box_tasks", key=("id",), indexes=(("item_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="task")
    message: Column[str | None] = column(default=None)
    action: Column[str] = column(default="review")
    is_completed: Column[bool] = column(default=False, derived=True)
    completion_rule: Column[str] = column(default="all_assignees")
    item_id: Column[str] = references(File)
    item_type: Column[str] = column(default="file")
    due_at: Column[Timestamp | None] = column(default=None)
    created_by_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class TaskAssignment(Row, table="box_task_assignments", key=("id",), indexes=(("task_id", "id"),)):
    id: Column[str]
    type: Column[str] = column(default="task_assignment")
    task_id: Column[str] = references(Task)
    item_id: Column[str | None] = references(File, default=None)
    item_type: Column[str | None] = column(default="file")
    assigned_to_id: Column[str] = references(User)
    assigned_by_id: Column[str | None] = references(User, default=None)
    message: Column[str | None] = column(default=None)
    resolution_state: Column[str] = column(default="incomplete")
    assigned_at: Column[Timestamp | None] = column(default=None)
    reminded_at: Column[Timestamp | None] = column(default=None, derived=True)
    completed_at: Column[Timestamp | None] = column(default=None, derived=True)


class Hub(Row, table="box_hubs", key=("id",)):
    id: Column[str]
    type: Column[str] = column(default="hubs")
    title: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    is_ai_enabled: Column[bool] = column(default=True)
    is_collaboration_restricted_to_enterprise: Column[bool] = column(default=False)
    can_non_owners_invite: Column[bool] = column(default=True)
    can_shared_link_be_created: Column[bool] = column(default=True)
    view_count: Column[int] = column(default=0, derived=True)
    created_by_id: Column[str | None] = references(User, default=None)
    updated_by_id: Column[str | None] = references(User, default=None, derived=True)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class HubItem(Row, table="box_hub_items", key=("id",), indexes=(("hub_id", "position"), ("item_id", "id"))):
    id: Column[str]
    type: Column[str] = column(default="hub_item")
    hub_id: Column[str] = references(Hub)
    item_id: Column[str]
    item_type: Column[str]
    item_name: Column[str | None] = column(default=None)
    position: Column[int] = column(default=0)
    added_by_id: Column[str | None] = references(User, default=None)
    added_at: Column[Timestamp | None] = column(default=None)


class WebLink(
    Row,
    table="box_web_links",
    key=("id",),
    indexes=(
        ("parent_id", "item_status", "folded_name"),
        ("item_status", "trashed_at"),
        ("owned_by_id",),
        ("modified_at", "id"),
        ("modified_at", "created_at"),
        ("created_at",),
    ),
    words=("search_text",),
    labels=LABELS,
):
    id: Column[str]
    type: Column[str] = column(default="web_link")
    name: Column[str | None] = column(default=None)
    url: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    item_status: Column[str] = column(default="active")
    parent_id: Column[str | None] = references(Folder, default=None)
    created_by_id: Column[str | None] = references(User, default=None)
    modified_by_id: Column[str | None] = references(User, default=None, derived=True)
    owned_by_id: Column[str | None] = references(User, default=None, derived=True)
    etag: Column[str | None] = column(default=None, derived=True)
    sequence_id: Column[str | None] = column(default=None, derived=True)
    tags: Column[Json | None] = column(default=[])
    collections: Column[Json | None] = column(default=[])
    shared_link: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    modified_at: Column[Timestamp | None] = column(default=None, derived=True)
    trashed_at: Column[Timestamp | None] = column(default=None, derived=True)
    purged_at: Column[Timestamp | None] = column(default=None, derived=True)
    folded_name: Column[str | None] = column(default=None, derived=True)
    """The case-folded name, which is unique in a folder and orders lists."""
    search_text: Column[str | None] = column(default=None, derived=True)
    """Its name, description and tags, for searches."""


Item = File | Folder | WebLink
