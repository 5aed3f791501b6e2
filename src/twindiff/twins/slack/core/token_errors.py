"""Error codes of tokens and apps, one class each.

https://docs.slack.dev/authentication/tokens
"""

from __future__ import annotations

from twindiff.kit import ApiError


class AccountInactive(ApiError):
    """The account that the token stands for is deactivated."""


class BadClientSecret(ApiError):
    """The secret is not that of this application."""


class BadRedirectUri(ApiError):
    """The address to return to is not the one that the code was given for."""


class CodeAlreadyUsed(ApiError):
    """The code was exchanged before."""


class FeatureNotEnabled(ApiError):
    """The workspace is on no Enterprise plan, which alone has organizations to administer."""


class InvalidClientId(ApiError):
    """There is no such application."""


class InvalidCode(ApiError):
    """There is no such code."""


class InvalidGrant(ApiError):
    """The code verifier is missing, or does not fit the code challenge."""


class MissingScope(ApiError):
    """The token lacks a scope that the method needs."""


class NotAllowedTokenType(ApiError):
    """The method takes no token of this kind."""


class TokenRevoked(ApiError):
    """The token has been revoked."""
