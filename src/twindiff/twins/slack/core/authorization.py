"""What a token may do. It matters in strict mode; a revoked one is refused in either, and so are calls over a limit.

https://docs.slack.dev/authentication/tokens
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from twindiff.kit import Call, Exchange, Store
from twindiff.kit.twin import Operation
from twindiff.twins.slack.wire_style import InvalidAuth, Ratelimited

from . import enterprise_methods
from .rate_limits import most_a_minute
from .tables import AccessToken, User
from .token_errors import AccountInactive, MissingScope, NotAllowedTokenType, TokenRevoked

_REFUSED_TO_BOTS = """
dnd.endSnooze dnd.setSnooze files.revokePublicURL files.sharedPublicURL reminders.add reminders.complete
reminders.delete reminders.info reminders.list search.all search.files search.messages stars.add stars.list
stars.remove team.profile.get users.identity users.profile.set
"""
_FOR_PEOPLE_ONLY = frozenset((*_REFUSED_TO_BOTS.split(), *enterprise_methods.METHODS))
"""Methods that take no bot token."""

EVERY = "*"
_KNOWN = "access_token"
_STRICT = "strict"
_KINDS_OF_ROOM = ("channels", "groups", "im", "mpim")
_WRITING = ("manage", "write", "write.invites", "write.topic", "join")


def hash_token(token: str) -> str:
    """A token as it is kept that no template has told: nobody can use what they read."""
    return blake2b(token.encode(), digest_size=16).hexdigest()


def find_token(call: Call) -> AccessToken | None:
    """What is known of the rights of a call's token."""
    return _rules(call)[0]


def _rules(call: Call) -> tuple[AccessToken | None, bool]:
    """What is known of the rights of a call's token, and whether rates are limited; looked up once."""
    if _KNOWN not in call.memo:
        call.memo[_KNOWN] = _looked_up(call.db, call.token)
    return call.memo[_KNOWN]


def _looked_up(db: Store, token: str) -> tuple[AccessToken | None, bool]:
    # Most workspaces know of no token, and every call asks: counting none is the least that can be asked.
    if not db.count(AccessToken):
        return None, False
    tokens = db.rows(AccessToken, AccessToken.token.in_((token, hash_token(token), EVERY)))
    known = next((each for each in tokens if each.token != EVERY), None)
    if known is None and token.startswith("xoxb-"):
        known = next((each for each in tokens if each.scopes is not None), None)
    return known, any(each.limits_rates for each in tokens)


def guard(exchange: Exchange, call: Call, proceed: Callable[[], Any]) -> Any:
    """Refuse a call that its token may not make, or not now."""
    if not exchange.operation.declared.open:
        _check(exchange, call)
    return proceed()


def _check(exchange: Exchange, call: Call) -> None:
    known, is_limited = _rules(call)
    call.memo[_STRICT] = exchange.strict
    if known and known.is_revoked:
        raise TokenRevoked
    if exchange.strict or (known and known.token == EVERY):
        _check_rights(call, exchange.operation, known)
    if is_limited:
        _check_rate(call, exchange)


def actor_of(call: Call) -> str | None:
    """Whom a token that was issued here acts as."""
    known = find_token(call)
    return known.user_id if known else None


def _check_rate(call: Call, exchange: Exchange) -> None:
    name, most = f"{call.token}/{exchange.operation.name}", most_a_minute(exchange.operation.name)
    if exchange.meter and (wait := exchange.meter.wait(name, most, call.clock.micros)):
        raise Ratelimited(wait)


def _check_rights(call: Call, operation: Operation, known: AccessToken | None) -> None:
    user = call.db.get(User, call.actor, missing=InvalidAuth)
    if user.is_active is False:
        raise AccountInactive
    if call.token.startswith("xoxb-") and operation.name in _FOR_PEOPLE_ONLY:
        raise NotAllowedTokenType
    needed = operation.declared.scope
    if known is None or known.scopes is None or not needed:
        return
    provided = [scope for scope in known.scopes.split(",") if scope]
    if not _any_of(needed).intersection(provided):
        raise MissingScope(needed=needed, provided=known.scopes)


def is_strict(call: Call) -> bool:
    """Whether the environment takes tokens and rights seriously."""
    return bool(call.memo.get(_STRICT))


def check_scope(call: Call, needed: str) -> None:
    """Refuse a call whose token lacks a scope that only some of its arguments need."""
    known = find_token(call)
    if is_strict(call) and known and known.scopes is not None and needed not in known.scopes.split(","):
        raise MissingScope(needed=needed, provided=known.scopes)


def _any_of(needed: str) -> set[str]:
    """The scopes of which one will do: those for other kinds of conversations are as good, and people's for bots'."""
    what, _, verb = needed.partition(":")
    if what not in _KINDS_OF_ROOM:
        return {needed}
    verbs = _WRITING if verb in _WRITING else (verb,)
    return {f"{kind}:{each}" for kind in _KINDS_OF_ROOM for each in verbs}
