"""Error codes of calls, one class each.

https://docs.slack.dev/reference/methods?family=calls
"""

from __future__ import annotations

from twindiff.kit import ApiError


class BadUsers(ApiError):
    """Somebody who is added is in the call already, or somebody who is removed is not."""


class InactiveCall(ApiError):
    """The call is over."""


class InvalidCallId(ApiError):
    """There is no such call."""


class InvalidCreatedBy(ApiError):
    """Whoever made the call is not a person here; bots have to say who it was."""


class InvalidStartTime(ApiError):
    """The call begins at no time."""
