"""Scopes: what a downscoped token may do, and the single file or folder it may be limited to.

https://developer.box.com/guides/api-calls/permissions-and-errors/scopes
"""

from __future__ import annotations

from twindiff.kit import Call

from ..core.access import ROLES, Limit, Rights, find_file, find_folder
from ..core.errors import InsufficientScope
from ..tables.further_tables import AccessToken
from ..tables.item_tables import Item

_SEE = ("list", "preview")
_RIGHTS: dict[str, Rights] = {
    "root_readonly": frozenset((*_SEE, "download")),
    "root_readwrite": ROLES["owner"],
    "base_explorer": frozenset(_SEE),
    "base_picker": frozenset(_SEE),
    "base_preview": frozenset(_SEE),
    "base_sidebar": frozenset(_SEE),
    "base_upload": frozenset(("list", "upload", "revise")),
    "item_delete": frozenset(("list", "delete")),
    "item_download": frozenset((*_SEE, "download")),
    "item_preview": frozenset(_SEE),
    "item_rename": frozenset(("list", "edit")),
    "item_share": frozenset(("list", "share", "set_share_access")),
    "item_upload": frozenset(("list", "upload", "revise")),
}
_OTHERS = (
    *("annotation_edit", "annotation_view_all", "annotation_view_self", "manage_managed_users", "manage_app_users"),
    *("manage_groups", "manage_webhook", "manage_enterprise_properties", "manage_data_retention"),
    *("sign_requests.readwrite", "manage_triggers", "manage_legal_holds", "enterprise_content", "ai.readwrite"),
)
SCOPES = frozenset((*_RIGHTS, *_OTHERS))
_NEEDED = {
    "users": ("manage_managed_users", "manage_app_users"),
    "groups": ("manage_groups",),
    "group_memberships": ("manage_groups",),
    "webhooks": ("manage_webhook",),
    "metadata_templates": ("manage_enterprise_properties",),
    "sign_requests": ("sign_requests.readwrite",),
    "hubs": ("root_readwrite",),
    "collaboration_whitelist_entries": ("manage_enterprise_properties",),
    "collaboration_whitelist_exempt_targets": ("manage_enterprise_properties",),
    "retention_policies": ("manage_data_retention",),
    "retention_policy_assignments": ("manage_data_retention",),
    "file_version_retentions": ("manage_data_retention",),
    "legal_hold_policies": ("manage_legal_holds",),
    "legal_hold_policy_assignments": ("manage_legal_holds",),
    "file_version_legal_holds": ("manage_legal_holds",),
    "terms_of_services": ("manage_enterprise_properties",),
    "terms_of_service_user_statuses": ("manage_enterprise_properties",),
}
"""The scopes of which one is required for operations beyond files and folders, by the first word of their path."""


def limit_of(token: AccessToken) -> Limit | None:
    """Return the limit of a token, or None if the token allows everything that its user may do."""
    if not token.scopes:
        return None
    allowed = frozenset[str]().union(*(_RIGHTS.get(scope, frozenset()) for scope in token.scopes))
    kind, _, item_id = (token.resource or "").partition(" ")
    return Limit(allowed, (kind, item_id) if item_id else None, frozenset(token.scopes))


def check_scope(call: Call, path: str) -> None:
    """Raise InsufficientScope if the token's scopes do not cover `path`. The current user is always readable."""
    limit: Limit | None = call.memo.get("limit")
    word = path.removeprefix("/2.0/").partition("/")[0]
    if limit is not None and word in _NEEDED and path != "/2.0/users/me" and limit.scopes.isdisjoint(_NEEDED[word]):
        raise InsufficientScope


def resource_of(call: Call, url: str) -> Item:
    """Return the file or folder of a URL such as https://api.box.com/2.0/files/123; raise NotFound if there is none."""
    kind, _, item_id = url.rstrip("/").rpartition("/")
    return find_file(call, item_id) if kind.endswith("/files") else find_folder(call, item_id)
