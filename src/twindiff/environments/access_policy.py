"""The access policy of a twin run: what its callers must send besides the vendor's own credentials."""

from __future__ import annotations

import msgspec


class EnvironmentAccessPolicy(msgspec.Struct, frozen=True):
    """Who may call the twins of a run.

    Every call to a private run needs the proxy token. In a public run only its admin API needs the token.
    """

    run_id: str
    proxy_token: str
    is_public: bool
