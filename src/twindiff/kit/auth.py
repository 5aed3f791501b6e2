"""Resolves a token to the user that it acts as."""

from __future__ import annotations

from secrets import compare_digest
from typing import Literal

import msgspec

from .styles.base import Style


class Tokens(msgspec.Struct, frozen=True):
    """The credentials of one environment.

    `actors` maps a token to the id of its user. `users` maps the name of a twin to the id of its default user; `actor`
    is the default user of all other twins. In mode `lenient` an unknown or missing token acts as the default user; in
    mode `strict` it is refused with the vendor's error. `clients` maps the client id of an OAuth application to its
    secret, `refresh` maps a refresh token to the id of its user, and `signing` maps the name of a twin to the secret
    that signs its webhooks.
    """

    actor: str
    mode: Literal["lenient", "strict"] = "lenient"
    actors: dict[str, str] = {}
    users: dict[str, str] = {}
    clients: dict[str, str] = {}
    refresh: dict[str, str] = {}
    signing: dict[str, str] = {}

    def actor_of(self, token: str, twin: str, known: str | None, style: Style, *, trusted: bool = False) -> str:
        """The id of the user that a token acts as.

        `known` is the user according to the twin's own tables, if any; `trusted` accepts any token. Raises the style's
        error for a missing or unknown token in mode `strict`.
        """
        actor = self.actors.get(token) or known
        if actor:
            return actor
        if self.mode == "strict" and not trusted:
            raise style.refuse_token(token)
        return self.users.get(twin, self.actor)


def is_same_secret(given: str, known: str) -> bool:
    """Compare a secret that a caller gives, of any letters, in a time that tells nothing about the known one."""
    return compare_digest(given.encode("utf-8", "replace"), known.encode("utf-8", "replace"))
