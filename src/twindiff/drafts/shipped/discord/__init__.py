"""Discord, served from its description with an overlay, a gateway and handlers of its own."""

from __future__ import annotations

from twindiff.drafts.drafting import Draft
from twindiff.kit.gateways import EventGateway

from .. import ShippedDraft
from .gateway import make_gateway
from .guild_views import GuildViews
from .operations import declare_operations
from .wire_style import DiscordStyle


def _make_gateway(draft: Draft) -> EventGateway:
    return make_gateway(GuildViews(draft))


draft = ShippedDraft(
    "discord",
    "Discord",
    stands_alone=False,
    description="https://github.com/discord/discord-api-spec",
    written=declare_operations,
    style=DiscordStyle,
    gateway=_make_gateway,
)
