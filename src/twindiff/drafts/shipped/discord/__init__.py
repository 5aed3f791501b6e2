"""Discord, served from its description with an overlay."""

from __future__ import annotations

from .. import ShippedDraft

draft = ShippedDraft(
    "discord", "Discord", stands_alone=False, description="https://github.com/discord/discord-api-spec"
)
