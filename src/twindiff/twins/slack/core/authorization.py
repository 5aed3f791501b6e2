"""Rights of tokens: token types, scopes, revocation and rate limits.

Types and scopes are checked in strict mode, or if the row `*` sets the rights of all tokens; revocation and rate limits
are checked in both modes.
https://docs.slack.dev/authentication/tokens
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from twindiff.kit import Call, RequestContext, Store
from twindiff.kit.twin import Operation
from twindiff.twins.slack.wire_style import InvalidAuth, Ratelimited, ignore_json

from . import enterprise_methods
from .rate_limits import most_a_minute
from .tables import AccessToken, User
from .text_limits import check_text_limits
from .token_errors import AccountInactive, MissingScope, NotAllowedTokenType, TokenRevoked

_REFUSED_TO_BOTS = """
dnd.endSnooze dnd.setSnooze files.revokePublicURL files.sharedPublicURL reminders.add reminders.complete
reminders.delete reminders.info reminders.list search.all search.files search.messages stars.add stars.list
stars.remove team.profile.get users.identity users.profile.set
"""
_FOR_PEOPLE_ONLY = frozenset((*_REFUSED_TO_BOTS.split(), *enterprise_methods.METHODS))
"""Methods that reject bot tokens."""

EVERY = "*"
_KNOWN = "access_token"
_STRICT = "strict"
_KINDS_OF_ROOM = ("channels", "groups", "im", "mpim")
_WRITING = ("manage", "write", "write.invites", "write.topic", "join")


def hash_token(token: str) -> str:
    """Hash a token that has no row of its own, so that the row of its revocation does not disclose it."""
    return blake2b(token.encode(), digest_size=16).hexdigest()


def find_token(call: Call) -> AccessToken | None:
    """Return the row with the rights of the call's token, or None."""
    return _rules(call)[0]


def _rules(call: Call) -> tuple[AccessToken | None, bool]:
    """Return the row with the rights of the call's token and whether rates are limited; cached per call."""
    if _KNOWN not in call.memo:
        call.memo[_KNOWN] = _looked_up(call.db, call.token)
    return call.memo[_KNOWN]


def _looked_up(db: Store, token: str) -> tuple[AccessToken | None, bool]:
    # Most workspaces have no token rows and every call gets here, so test with a count, the cheapest query.
    if not db.count(AccessToken):
        return None, False
    tokens = db.rows(AccessToken, AccessToken.token.in_((token, hash_token(token), EVERY)))
    known = next((each for each in tokens if each.token != EVERY), None)
    if known is None and token.startswith("xoxb-"):
        known = next((each for each in tokens if each.scopes is not None), None)
    return known, any(each.limits_rates for each in tokens)


def guard(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that raises an error if the call's token may not make the call, or exceeds a rate limit."""
    if not exchange.operation.declared.open:
        _check(exchange, call)
    return proceed()


def _check(exchange: RequestContext, call: Call) -> None:
    known, is_limited = _rules(call)
    call.memo[_STRICT] = exchange.strict
    if known and known.is_revoked:
        raise TokenRevoked
    if exchange.strict or (known and known.token == EVERY):
        _check_rights(call, exchange.operation, known)
    if exchange.strict:
        ignore_json(exchange)
    if is_limited:
        _check_rate(call, exchange)
    check_text_limits(exchange)


def actor_of(call: Call) -> str | None:
    """Return the id of the user that an issued token acts as; None for other tokens."""
    known = find_token(call)
    return known.user_id if known else None


def _check_rate(call: Call, exchange: RequestContext) -> None:
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
    """Whether the environment is in strict mode, in which it checks tokens and rights."""
    return bool(call.memo.get(_STRICT))


def check_scope(call: Call, needed: str) -> None:
    """Raise MissingScope if, in strict mode, the call's token lacks a scope that only some arguments need."""
    known = find_token(call)
    if is_strict(call) and known and known.scopes is not None and needed not in known.scopes.split(","):
        raise MissingScope(needed=needed, provided=known.scopes)


def _any_of(needed: str) -> set[str]:
    """Return the scopes that each satisfy `needed`.

    Scopes for other types of conversations count as well, and `write` scopes of user tokens for those of bot tokens.
    """
    what, _, verb = needed.partition(":")
    if what not in _KINDS_OF_ROOM:
        return {needed}
    verbs = _WRITING if verb in _WRITING else (verb,)
    return {f"{kind}:{each}" for kind in _KINDS_OF_ROOM for each in verbs}
