"""Determines the caller: the user of the token, or the user an administrator acts as, with an optional shared link.

https://developer.box.com/guides/authentication/jwt/as-user
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, RequestContext
from twindiff.twins.box.wire_style import Unauthorized

from ..core.access import acting_user, is_admin
from ..core.errors import Forbidden, InsufficientScope
from ..enterprise.terms_of_services import check_accepted
from ..sharing.shared_links import use_link
from ..tables.further_tables import AccessToken
from ..tables.item_tables import User
from .scopes import check_scope, limit_of


def actor_of(call: Call) -> str | None:
    """Return the id of the user that a token issued here acts as."""
    known = call.db.find(AccessToken, AccessToken.token == call.token)
    if known is None:
        return None
    if known.is_revoked or known.kind != "access":
        raise Unauthorized
    if limit := limit_of(known):
        call.memo["limit"] = limit
    return known.user_id


def guard(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Authenticate the caller, then apply As-User and the shared link of the request before the handler runs."""
    if exchange.operation.declared.open:
        return proceed()
    check_scope(call, exchange.operation.name.partition(" ")[2])
    if acting_user(call).status == "inactive":
        raise Forbidden("The user is inactive")
    headers = exchange.request.headers
    if as_user := headers.get("as-user"):
        _act_as(call, as_user)
    if (link := headers.get("boxapi")) and exchange.operation.reads:
        use_link(call, link)
    check_accepted(call, exchange.operation.name.partition(" ")[2])
    return proceed()


def _act_as(call: Call, user_id: str) -> None:
    if user_id == call.actor:
        return
    if not is_admin(call) or call.db.find(User, User.id == user_id) is None:
        raise InsufficientScope
    limit = call.memo.get("limit")
    call.actor = user_id
    call.memo.clear()
    if limit is not None:
        call.memo["limit"] = limit
