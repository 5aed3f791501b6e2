"""What a twin run asks of those who call its twins, besides the vendor's own credentials."""

from __future__ import annotations

import msgspec


class EnvironmentAccessPolicy(msgspec.Struct, frozen=True):
    """Of a private run every caller brings the proxy token; of a public one only who wants its admin plane."""

    run_id: str
    proxy_token: str
    is_public: bool
