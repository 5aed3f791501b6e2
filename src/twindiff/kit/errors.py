"""Errors that a twin raises and its style renders in the vendor's format.

A class is one entry of the vendor's error table: its name is the wire code (`ChannelNotFound` becomes
`channel_not_found`) and its docstring the message.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, ClassVar


class ApiError(Exception):
    """The request could not be fulfilled."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "error"

    def __init_subclass__(cls) -> None:
        cls.code = cls.__dict__.get("code") or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message or inspect.getdoc(self) or self.code)
        self.details = details

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Headers of the response in addition to the style's: `raise Busy(headers=(("Retry-After", "1"),))`."""
        return tuple(self.details.get("headers", ()))


class NotFound(ApiError):
    """There is no such object."""

    status = 404

    def __init__(self, kind: str, *key: object) -> None:
        super().__init__(f"No such {kind.lower()}: '{','.join(map(str, key))}'", kind=kind, key=key)


class AlreadyExists(ApiError):
    """There is such an object already."""

    status = 409


class MalformedBody(ApiError):
    """The body could not be read."""


class InvalidParameter(ApiError):
    """A parameter has the wrong type or value."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}" if name else problem, name=name, problem=problem)
        self.name = name
        self.problem = problem


class MissingParameter(InvalidParameter):
    """A required parameter is missing. `names` are all that are, for vendors that list them."""

    def __init__(self, name: str, names: Sequence[str] = ()) -> None:
        super().__init__(name, "is required but missing")
        self.names = tuple(names) or (name,)


class MissingToken(ApiError):
    """No token was given."""

    status = 401


class UnknownToken(ApiError):
    """The token is not known here."""

    status = 401


class MissingOperation(ApiError):
    """The vendor has this operation, and the twin lacks it; the call log says so, whatever the style answers."""

    status = 501


class UnknownOperation(ApiError):
    """The vendor has no such operation, or this twin does not have it."""

    status = 501


class TooLarge(ApiError):
    """The operation asks for more at once than can be looked up at once."""


class TooSlow(ApiError):
    """The operation took longer than an operation may take."""

    status = 503


class Unavailable(TooSlow):
    """The service is unavailable; try again."""


class RateLimited(ApiError):
    """Too many requests; try again after the seconds that the Retry-After header tells."""

    status = 429


class InternalError(ApiError):
    """internal server error"""

    status = 500


class NotServed(ApiError):
    """What the storage refuses, whatever the vendor would say."""


def error_table(text: str, base: type[ApiError] = ApiError) -> dict[str, type[ApiError]]:
    """Make error classes from a vendor's list, by code; each line has a status, a code and an optional message.

    With `ERRORS = error_table(…)`, the line `402 card_declined  Your card was declined.` becomes the subclass
    `ERRORS["card_declined"]` of `base`. Raises ValueError for a line of another form and for a repeated code.
    """
    errors: dict[str, type[ApiError]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        status, code, message = [*line.split(None, 2), "", ""][:3]
        if not (status.isdecimal() and code) or code in errors:
            raise ValueError(f"An error is a status, a code of its own and a message, unlike: {line}")
        name = "".join(part.capitalize() for part in re.split(r"\W|_", code))
        errors[code] = type(name, (base,), {"__doc__": message or None, "code": code, "status": int(status)})
    return errors
