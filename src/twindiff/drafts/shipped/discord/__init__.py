"""Discord, served from its description with an overlay, a gateway and handlers of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.drafts.drafting import Draft
from twindiff.kit.call import Call
from twindiff.kit.gateways import EventGateway
from twindiff.kit.request_context import Middleware, RequestContext
from twindiff.kit.twin import Operations

from .. import ShippedDraft
from .application_commands import ApplicationCommands
from .gateway import make_gateway
from .guild_views import GuildViews
from .messages import DiscordMessages
from .operations import declare_operations
from .permissions import GuildPermissions
from .reactions import DiscordReaction, MessageReactions
from .wire_style import DiscordStyle


def _declare_operations(draft: Draft) -> list[Operations]:
    messages = DiscordMessages(draft, GuildPermissions(draft))
    commands, reactions = ApplicationCommands(draft), MessageReactions(draft)
    return [declare_operations(draft), messages.declare(), commands.declare(), reactions.declare()]


def _make_layer(draft: Draft) -> Middleware:
    permissions, reactions = GuildPermissions(draft), MessageReactions(draft)

    def layer(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
        return permissions.layer(exchange, call, lambda: reactions.mark_own(call, proceed()))

    return layer


def _make_gateway(draft: Draft) -> EventGateway:
    return make_gateway(GuildViews(draft))


draft = ShippedDraft(
    "discord",
    "Discord",
    stands_alone=False,
    description="https://github.com/discord/discord-api-spec",
    tables=(DiscordReaction,),
    unproven=("the refusal of a limit of listed users, and that a reaction that is not there can be removed",),
    written=_declare_operations,
    layer=_make_layer,
    style=DiscordStyle,
    gateway=_make_gateway,
)
