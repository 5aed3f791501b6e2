"""Scopes of OAuth tokens, which strict environments enforce. API keys may do what their user may.

https://linear.app/developers/oauth-2-0-authentication
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, RequestContext
from twindiff.kit.graphql.errors import Forbidden
from twindiff.kit.oauth import valid_token

ACCESS = "lin_oauth_"
"""The prefix of access tokens."""
SCOPES = frozenset(
    (
        *("read", "write", "issues:create", "comments:create", "timeSchedule:write", "admin"),
        *("app:assignable", "app:mentionable"),
        *("customer:read", "customer:write", "initiative:read", "initiative:write"),
    )
)
_WRITE = "write"
_CREATING_ISSUES = """
attachmentCreate attachmentLinkDiscord attachmentLinkGitHubIssue attachmentLinkGitHubPR attachmentLinkGitLabMR
attachmentLinkSlack attachmentLinkURL issueBatchCreate issueCreate
"""
_NARROW_SCOPES = {
    **dict.fromkeys(_CREATING_ISSUES.split(), "issues:create"),
    "commentCreate": "comments:create",
    "timeScheduleCreate": "timeSchedule:write",
    "timeScheduleDelete": "timeSchedule:write",
    "timeScheduleUpdate": "timeSchedule:write",
}
"""The scopes that allow a mutation without `write`."""


class InvalidScope(Forbidden):
    """The token lacks a scope. https://github.com/linear/linear/issues/895"""

    def __init__(self, scope: str) -> None:
        super().__init__(f"Invalid scope: `{scope}` required")


def has_scope(call: Call, scope: str) -> bool:
    """Whether the call's token has a scope; an API key has all."""
    if not call.token.startswith(ACCESS):
        return True
    known = valid_token(call, call.token, "access")
    return known is None or scope in known.scope.split()


def check_scopes(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that, in a strict environment, refuses mutations for which an OAuth token has no scope."""
    kind, _, names = exchange.operation.name.partition(" ")
    if exchange.strict and kind == "mutation" and not has_scope(call, _WRITE):
        for name in names.split(", "):
            if name not in _NARROW_SCOPES or not has_scope(call, _NARROW_SCOPES[name]):
                raise InvalidScope(_WRITE)
    return proceed()
