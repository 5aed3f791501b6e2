"""Renders shared links.

https://developer.box.com/guides/shared-links
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.row_stamps import format_instant
from ..tables.item_tables import Item

HOST = "https://app.box.com"


def is_live(call: Call, link: dict[str, Any] | None) -> bool:
    """Return whether there is a shared link that has not expired."""
    return bool(link) and not (link.get("unshared_at") and link["unshared_at"] <= call.clock.iso())


def shared_link_object(call: Call, item: Item) -> dict[str, Any] | None:
    """Render the shared link of an item, without its password."""
    link: dict[str, Any] | None = item.shared_link
    if link is None or not is_live(call, link):
        return None
    access = link.get("access") or "open"
    given: dict[str, Any] = link.get("permissions") or {}
    may = {name: bool(given.get(name, name != "can_edit")) for name in ("can_preview", "can_download", "can_edit")}
    return {
        "url": link["url"],
        "download_url": _download_url(item, link) if may["can_download"] else None,
        "vanity_url": link.get("vanity_url"),
        "vanity_name": link.get("vanity_name"),
        "access": access,
        "effective_access": access,
        "effective_permission": _effective(may),
        "unshared_at": format_instant(link.get("unshared_at")),
        "is_password_enabled": bool(link.get("password_digest")),
        "permissions": may,
        "download_count": int(link.get("download_count", 0)),
        "preview_count": int(link.get("preview_count", 0)),
    }


def _download_url(item: Item, link: dict[str, Any]) -> str | None:
    if item.type != "file":
        return None
    extension = getattr(item, "extension", None)
    return link["url"].replace("/s/", "/shared/static/") + (f".{extension}" if extension else "")


def _effective(may: dict[str, bool]) -> str:
    return next((name for name in ("can_edit", "can_download", "can_preview") if may[name]), "no_access")
