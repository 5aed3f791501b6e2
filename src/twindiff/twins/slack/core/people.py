"""People by the names that others call them."""

from __future__ import annotations

from collections.abc import Collection

from twindiff.kit import Store, any_of

from .errors import UserNotFound
from .tables import User


def find_person(db: Store, name: str) -> User | None:
    """The user with this id, else with this user name, email address, display name or full name, in any case."""
    if not name:
        return None
    columns = (User.username, User.email, User.display_name, User.real_name)
    alike = db.rows(User, any_of(User.user_id == name, *(column.starts(name, fold=True) for column in columns)))
    ranked = [(rank, user) for user in alike if (rank := _rank(user, name)) is not None]
    return min(ranked, key=lambda each: each[0])[1] if ranked else None


def _rank(user: User, name: str) -> int | None:
    """By which of a user's names this one means them, the surest first; None when by none."""
    if user.user_id == name:
        return 0
    names = (user.username, user.email, user.display_name, user.real_name)
    folded = name.casefold()
    return next((rank for rank, each in enumerate(names, 1) if each and each.casefold() == folded), None)


def bots_among(db: Store, users: Collection[str]) -> dict[str, User]:
    """Those of the users who are bots, by id."""
    bots = db.rows(User, User.user_id.in_(users), User.is_bot.in_((True,))) if users else []
    return {user.user_id: user for user in bots}


def bot_of(db: Store, user_id: str) -> User | None:
    """The user of this id, if it is a bot's."""
    try:
        user = db.get(User, user_id, missing=UserNotFound)
    except UserNotFound:
        return None
    return user if user.is_bot else None
