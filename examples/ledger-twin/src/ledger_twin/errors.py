"""What Ledger refuses: the class name is the code on the wire, the docstring the message."""

from __future__ import annotations

from twindiff.kit import ApiError


class AccountNotFound(ApiError):
    """There is no such account."""

    status = 404


class EntryNotFound(ApiError):
    """There is no such entry."""

    status = 404


class AccountClosed(ApiError):
    """The account is closed; nothing can be posted to it or from it."""

    status = 409


class InvalidAmount(ApiError):
    """An amount is a number of cents, at least 1."""
