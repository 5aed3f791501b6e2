"""What a token may do. It matters in strict mode; a revoked one is refused in either, and so are calls over a limit.

https://docs.slack.dev/authentication/tokens
"""

from __future__ import annotations

from hashlib import blake2b

from twindiff.kit import Call, Store
from twindiff.kit.styles.slack import InvalidAuth, Ratelimited
from twindiff.kit.twin import Operation, Rules

from .tables import AccessToken, User
from .tiers import most_a_minute
from .token_errors import AccountInactive, MissingScope, NotAllowedTokenType, TokenRevoked

_REFUSED_TO_BOTS = """
dnd.endSnooze dnd.setSnooze files.revokePublicURL files.sharedPublicURL reminders.add reminders.complete
reminders.delete reminders.info reminders.list search.all search.files search.messages stars.add stars.list
stars.remove team.profile.get users.identity users.profile.set
"""
_FOR_PEOPLE_ONLY = frozenset(_REFUSED_TO_BOTS.split())
"""Methods that take no bot token."""

_EVERY = "*"
_KINDS_OF_ROOM = ("channels", "groups", "im", "mpim")
_WRITING = ("manage", "write", "write.invites", "write.topic", "join")


def sealed(token: str) -> str:
    """A token as it is kept that no template has told: nobody can use what they read."""
    return blake2b(token.encode(), digest_size=16).hexdigest()


def known_token(db: Store, token: str) -> AccessToken | None:
    """What is known of a token's rights."""
    return _rules(db, token)[0]


def _rules(db: Store, token: str) -> tuple[AccessToken | None, bool]:
    """What is known of a token's rights, and whether rates are limited."""
    # Most workspaces know of no token, and every call asks: counting none is the least that can be asked.
    if not db.count(AccessToken):
        return None, False
    found = db.rows(AccessToken, AccessToken.token.in_((token, sealed(token), _EVERY)))
    known = next((each for each in found if each.token != _EVERY), None)
    return known, any(each.limits_rates for each in found)


def guard(call: Call, operation: Operation, rules: Rules) -> None:
    """Refuse a call that its token may not make, or not now."""
    known, is_limited = _rules(call.db, call.token)
    if known and known.is_revoked:
        raise TokenRevoked
    if rules.strict:
        _check_rights(call, operation, known)
    if is_limited:
        _check_rate(call, operation, rules)


def _check_rate(call: Call, operation: Operation, rules: Rules) -> None:
    name, most = f"{call.token}/{operation.name}", most_a_minute(operation.name)
    if wait := rules.meter.wait(name, most, call.clock.micros):
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


def _any_of(needed: str) -> set[str]:
    """The scopes of which one will do: those for other kinds of conversations are as good, and people's for bots'."""
    what, _, verb = needed.partition(":")
    if what not in _KINDS_OF_ROOM:
        return {needed}
    verbs = _WRITING if verb in _WRITING else (verb,)
    return {f"{kind}:{each}" for kind in _KINDS_OF_ROOM for each in verbs}
