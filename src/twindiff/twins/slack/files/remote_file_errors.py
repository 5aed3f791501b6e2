"""Error codes of remote files, one class each.

https://docs.slack.dev/reference/methods?family=files.remote
"""

from __future__ import annotations

from twindiff.kit import ApiError


class BadTitle(ApiError):
    """The title has more than 255 characters."""


class BotUserRequired(ApiError):
    """Remote files are added, changed and removed by bots alone."""


class InvalidArgs(ApiError):
    """A file is named by its id or by its external id."""


class InvalidExternalId(ApiError):
    """The external id has more than 255 characters."""


class InvalidTitle(ApiError):
    """The title is empty, or has more than 255 characters."""


class InvalidUrl(ApiError):
    """This is no address of the web."""


class TooManyIds(ApiError):
    """A file is named by its id or by its external id, not by both."""
