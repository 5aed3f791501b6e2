"""Errors of GraphQL APIs; a vendor's style renders their messages and extensions."""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError


class InvalidInput(ApiError):
    """The input is not valid."""

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message, **details)


class EntityNotFound(ApiError):
    """There is no such entity, or the actor may not see it."""

    def __init__(self, kind: str, id: object = "") -> None:
        super().__init__(f"Entity not found: {kind}", kind=kind, id=id)


class Forbidden(ApiError):
    """The actor may not do this."""

    status = 403


class NotImplementedHere(ApiError):
    """The vendor has this and the twin does not."""

    code = "not_implemented"

    def __init__(self, what: str, why: str = "") -> None:
        super().__init__(f"{what} is not implemented in this twin{f': {why}' if why else ''}")


class InvalidDocument(ApiError):
    """The document cannot be parsed or does not fit the schema; `details["errors"]` has one entry per problem."""

    def __init__(self, *errors: Any) -> None:
        super().__init__(str(errors[0].message) if errors else "", errors=errors)
        self.errors = errors


class TooComplex(ApiError):
    """The document asks for too much."""


class InternalError(ApiError):
    """Something went wrong inside."""

    status = 500
