"""Who a token acts as."""

from __future__ import annotations

from typing import Literal

import msgspec

from .styles.base import Style


class Tokens(msgspec.Struct, frozen=True):
    """The tokens of one environment.

    `lenient`: a token that is not listed acts as the default actor. `strict`: it is refused as the vendor refuses it.
    A request without any token is refused either way, as every vendor does.
    """

    actor: str
    mode: Literal["lenient", "strict"] = "lenient"
    actors: dict[str, str] = {}

    def actor_of(self, token: str | None, style: Style, *, trusted: bool = False) -> str:
        """The user a token acts as; raises the style's error for a missing or unknown token, unless it is trusted."""
        if not token and not trusted:
            raise style.missing_token
        actor = self.actors.get(token or "")
        if actor is None and self.mode == "strict" and not trusted:
            raise style.unknown_token
        return actor or self.actor
