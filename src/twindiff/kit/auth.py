"""Who a token acts as."""

from __future__ import annotations

from typing import Literal

import msgspec

from .styles.base import Style


class Tokens(msgspec.Struct, frozen=True):
    """The tokens of one environment.

    `actors` are listed tokens with the user each acts as; `users` are the users that calls act as by default, by twin,
    and `actor` where a twin is not among them. `lenient`: a token that nobody knows, or none, acts as that user.
    `strict`: either is refused as the vendor refuses it. `clients` are the secrets of OAuth applications by client id,
    `refresh` are refresh tokens with the user whom they renew access for, `signing` are the secrets by which twins sign
    what they tell of events, by twin.
    """

    actor: str
    mode: Literal["lenient", "strict"] = "lenient"
    actors: dict[str, str] = {}
    users: dict[str, str] = {}
    clients: dict[str, str] = {}
    refresh: dict[str, str] = {}
    signing: dict[str, str] = {}

    def actor_of(self, token: str, twin: str, known: str | None, style: Style, *, trusted: bool = False) -> str:
        """The user a token acts as; `known` is whom the twin's own tables say, `trusted` lets any token pass.

        Raises the style's error for a missing or unknown token.
        """
        actor = self.actors.get(token) or known
        if actor:
            return actor
        if self.mode == "strict" and not trusted:
            raise style.refuse_token(token)
        return self.users.get(twin, self.actor)
