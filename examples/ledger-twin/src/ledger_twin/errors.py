"""What Ledger refuses: the class name is the code on the wire, the docstring the message."""

from __future__ import annotations

from twindiff.kit import ApiError


class AccountNotFound(ApiError):
    """There is no such account."""

    status = 404


class EntryNotFound(ApiError):
    """There is no such entry."""

    status = 404


class ReceiptNotFound(ApiError):
    """There is no such receipt."""

    status = 404


class StandingOrderNotFound(ApiError):
    """There is no such standing order."""

    status = 404


class AccountClosed(ApiError):
    """The account is closed; nothing can be posted to it or from it."""

    status = 409


class AccountInUse(ApiError):
    """The account has entries; it can be closed, but not deleted."""

    status = 409


class AccountChanged(ApiError):
    """The account is not any more as the version in If-Match was."""

    status = 412


class InvalidAmount(ApiError):
    """An amount is a number of cents, at least 1."""


class KeyReused(ApiError):
    """The idempotency key was used before, for another request."""

    status = 409
