"""Error codes of streamed messages and assistant threads, one class each.

https://docs.slack.dev/reference/methods/chat.stopStream
"""

from __future__ import annotations

from twindiff.kit import ApiError


class CannotProvideBothMarkdownTextAndChunks(ApiError):
    """A request carries markdown_text or chunks, not both."""


class InvalidChunks(ApiError):
    """The chunks are not of the types that a stream takes."""


class InvalidPrompts(ApiError):
    """Each prompt has a title and a message, and there are four of them at most."""


class MessageNotInStreamingState(ApiError):
    """The message is not being streamed, or not any more."""


class MessageNotOwnedByApp(ApiError):
    """The message was not written by the caller."""


class MissingRecipientTeamId(ApiError):
    """A stream into a channel names the workspace of the person it is for."""


class MissingRecipientUserId(ApiError):
    """A stream into a channel names the person it is for."""


class StreamingModeMismatch(ApiError):
    """A stream that began with markdown_text goes on with it, and one that began with chunks with those."""
