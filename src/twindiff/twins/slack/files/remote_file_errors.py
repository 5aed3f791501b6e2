"""Error codes of remote files, one class each.

https://docs.slack.dev/reference/methods?family=files.remote
"""

from __future__ import annotations

from twindiff.kit import ApiError


class BotUserRequired(ApiError):
    """Remote files are added, changed and removed by bots alone."""


class InvalidArgs(ApiError):
    """A file is named by its id or by its external id."""


class InvalidUrl(ApiError):
    """This is no address of the web."""


class TooManyIds(ApiError):
    """A file is named by its id or by its external id, not by both."""
