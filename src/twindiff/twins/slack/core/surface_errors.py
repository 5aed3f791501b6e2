"""Error codes of modals, home tabs and canvases, one class each.

https://docs.slack.dev/surfaces
"""

from __future__ import annotations

from twindiff.kit import ApiError


class CanvasCreationFailed(ApiError):
    """The canvas could not be made of the given text."""


class CanvasEditingFailed(ApiError):
    """The change could not be made to the canvas."""


class CanvasNotFound(ApiError):
    """There is no such canvas, or the caller may not know of it."""


class ChannelCanvasAlreadyExists(ApiError):
    """The channel has a canvas already."""


class DuplicateExternalId(ApiError):
    """Another view has this external id."""


class ExchangedTriggerId(ApiError):
    """The trigger was exchanged before; each opens one view."""


class HashConflict(ApiError):
    """The view was changed since the caller saw it."""


class InvalidParameters(ApiError):
    """Either people or channels must be named, not both."""


class InvalidTriggerId(ApiError):
    """The trigger is not of the form 123.456.abcdef."""


class PushLimitReached(ApiError):
    """A modal holds at most three views."""


class ViewTooLarge(ApiError):
    """A view has at most 250 kilobytes."""
