"""Users. https://developers.notion.com/reference/get-users"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..core.object_lookup import find_bot, not_found, parse_id
from ..core.user_objects import render_user
from ..tables.content_tables import User
from ..tables.workspace_tables import CustomEmoji

api = Operations(prefix="/v1")
ADVICE = (
    "Make sure your integration has capabilities to read user information. With those capabilities, only members and "
    "guests in the integration's workspace are visible."
)


@api.get("/users", scope="read_users")
def list_users(call: Call, start_cursor: str | None = None, page_size: str | int = MAX_PAGE_SIZE) -> dict[str, Any]:
    """List the people and bots of the workspace."""
    users = call.db.rows(User, order=(-User.type, User.id))
    users, cursor = slice_list(users, start_cursor, check_page_size(page_size))
    return list_answer("user", [render_user(call, user) for user in users], cursor)


@api.get("/users/me")
def get_self(call: Call) -> dict[str, Any]:
    """Get the bot of the token."""
    return render_user(call, find_bot(call))


@api.get("/users/{user_id}", scope="read_users")
def get_user(call: Call, user_id: str) -> dict[str, Any]:
    """Get a person or a bot."""
    id = parse_id(user_id, "user_id")
    user = call.db.find(User, User.id == id)
    if user is None:
        raise not_found(call, "user", id, ADVICE)
    return render_user(call, user)


@api.get("/custom_emojis")
def list_custom_emojis(
    call: Call, name: str | None = None, start_cursor: str | None = None, page_size: str | int = MAX_PAGE_SIZE
) -> dict[str, Any]:
    """List the custom emojis of the workspace."""
    where = [CustomEmoji.name == name.strip(":")] if name else []
    emojis = call.db.rows(CustomEmoji, *where, order=CustomEmoji.name)
    emojis, cursor = slice_list(emojis, start_cursor, check_page_size(page_size))
    shown = [{"id": each.id, "name": each.name, "url": each.url} for each in emojis]
    return list_answer("custom_emoji", shown, cursor)
