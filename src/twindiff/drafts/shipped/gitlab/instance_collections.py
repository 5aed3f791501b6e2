"""The instance: topics, broadcast messages, applications and system hooks.

https://docs.gitlab.com/api/topics/
"""

from __future__ import annotations

from ..document_collections import DocumentCollection
from .planning_collections import HOOK_FIELDS
from .project_scopes import API, DATED, PLAIN


def list_instance_collections() -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    return [
        DocumentCollection(table="topics", path=f"{API}/topics", style=PLAIN, name="topic", updates_by=("PUT",),
                           required=("name", "title"), fields="name, title, description: text",
                           searched=("name", "title"), unique=("name",),
                           deleted=204,
                           defaults={"description": None, "total_projects_count": 0, "avatar_url": None}),
        DocumentCollection(table="broadcast_messages", path=f"{API}/broadcast_messages", style=PLAIN,
                           name="broadcast message", updates_by=("PUT",), required=("message",),
                           fields="message, color, font, target_path, theme: text; starts_at, ends_at: time;"
                                  "active, dismissable: boolean; target_access_levels: list;"
                                  "broadcast_type: banner|notification",
                           defaults={"active": True, "broadcast_type": "banner", "dismissable": False}),
        DocumentCollection(table="applications", path=f"{API}/applications", style=PLAIN, name="application",
                           required=("name", "redirect_uri", "scopes"),
                           fields="name, redirect_uri, scopes: text; confidential: boolean",
                           serves=frozenset(["list", "create", "delete"])),
        DocumentCollection(table="system_hooks", path=f"{API}/hooks", style=DATED, name="hook", required=("url",),
                           fields=HOOK_FIELDS,
                           updates_by=("PUT",),
                           defaults={"push_events": True, "tag_push_events": False, "enable_ssl_verification": True}),
    ]  # fmt: skip
