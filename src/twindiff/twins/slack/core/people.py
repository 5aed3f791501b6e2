"""Lookup of users by name, and of bots."""

from __future__ import annotations

from collections.abc import Collection

from twindiff.kit import Call, Store, any_of

from .errors import UserNotFound
from .tables import User

BOT_TOKEN = "xoxb-"  # noqa: S105 - a prefix, no token
"""The prefix of bots' tokens."""


def find_person(db: Store, name: str) -> User | None:
    """Return the user with this id, else username, email address, display name or full name, ignoring case; or None."""
    if not name:
        return None
    columns = (User.username, User.email, User.display_name, User.real_name)
    alike = db.rows(User, any_of(User.user_id == name, *(column.starts(name, fold=True) for column in columns)))
    ranked = [(rank, user) for user in alike if (rank := _rank(user, name)) is not None]
    return min(ranked, key=lambda each: each[0])[1] if ranked else None


def _rank(user: User, name: str) -> int | None:
    """Rank which of a user's names equals `name`, lower is better; None if none does."""
    if user.user_id == name:
        return 0
    names = (user.username, user.email, user.display_name, user.real_name)
    folded = name.casefold()
    return next((rank for rank, each in enumerate(names, 1) if each and each.casefold() == folded), None)


def bots_among(db: Store, users: Collection[str], acting: Collection[str] = ()) -> dict[str, User]:
    """Map ids to those of the users that are bots, and to the users in `acting`, who wrote with bots' tokens."""
    is_bot = any_of(User.is_bot.in_((True,)), User.user_id.in_(acting)) if acting else User.is_bot.in_((True,))
    bots = db.rows(User, User.user_id.in_(users), is_bot) if users else []
    return {user.user_id: user for user in bots}


def acting_bot(call: Call) -> User | None:
    """Return the caller if it is a bot or uses a bot's token, else None."""
    if call.token.startswith(BOT_TOKEN):
        return call.db.find(User, User.user_id == call.actor)
    return bot_of(call.db, call.actor)


def bot_of(db: Store, user_id: str) -> User | None:
    """Return the user with this id if it is a bot, else None."""
    try:
        user = db.get(User, user_id, missing=UserNotFound)
    except UserNotFound:
        return None
    return user if user.is_bot else None
