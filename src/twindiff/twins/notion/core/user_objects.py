"""Users and bots as objects. https://developers.notion.com/reference/user"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..tables.content_tables import User, Workspace
from ..wire_style import ValidationError
from .body_rules import as_uuid

MAX_UPLOAD_BYTES = 5 * 1024 * 1024


def find_user(call: Call, id: str) -> User | None:
    """Return a user; each is read once in a request."""
    known = call.memo.setdefault("users", {})
    if id not in known:
        known[id] = call.db.find(User, User.id == id)
    return known[id]


def check_user(call: Call, id: str) -> str:
    """Return the id of a user in its usual form; raise ValidationError for one that the workspace does not have."""
    id = as_uuid(id) or id
    if find_user(call, id) is None:
        raise ValidationError(f"Could not find user with ID: {id}.")
    return id


def find_workspace(call: Call) -> Workspace:
    """Return the workspace."""
    return call.db.find(Workspace) or Workspace(id="00000000-0000-4000-8000-0000000000f0", name="Workspace")


def user_object(call: Call, id: str | None) -> dict[str, Any]:
    """Render a user in full, or in part if there is none with that id."""
    user = find_user(call, id) if id else None
    return render_user(call, user) if user else {"object": "user", "id": id}


def user_reference(id: str | None) -> dict[str, Any]:
    """Render a user in part, as `created_by` has it."""
    return {"object": "user", "id": id}


def render_user(call: Call, user: User) -> dict[str, Any]:
    """Render a user in full."""
    shown: dict[str, Any] = {"object": "user", "id": user.id, "name": user.name, "avatar_url": user.avatar_url}
    shown["type"] = user.type
    if user.type == "person":
        return {**shown, "person": {"email": user.email, "email_verified": True} if user.email else {}}
    workspace = find_workspace(call)
    owner = {"type": "user", "user": user_object(call, user.owner_id)} if user.owner_id else None
    bot = {
        "owner": owner or {"type": "workspace", "workspace": True},
        "workspace_name": workspace.name,
        "workspace_id": workspace.id,
        "workspace_limits": {"max_file_upload_size_in_bytes": MAX_UPLOAD_BYTES},
    }
    return {**shown, "bot": bot}
