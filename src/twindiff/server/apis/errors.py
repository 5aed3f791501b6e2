"""Errors that several of the server's own APIs and pages raise."""

from __future__ import annotations

from twindiff.kit.errors import ApiError


class NotSignedIn(ApiError):
    """Open this page with the token that belongs to it."""

    status = 401


class TooManyStreams(ApiError):
    """As many pages are kept up to date as this server allows; load the page again instead."""

    status = 503
