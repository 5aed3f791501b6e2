"""Errors of GraphQL APIs; a vendor's style renders their messages and extensions."""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError


class InvalidInput(ApiError):
    """The input is not valid.

    `title` in the details is a vendor's short name of the problem, beside the message for people.
    """

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message, **details)


class UnfitReference(ApiError):
    """What an input refers to exists and cannot be used so. `title` in the details is the vendor's short name of it."""


class NullOperand(InvalidInput):
    """An operator on an id has a null operand. The whole request is refused."""

    def __init__(self, operator: str) -> None:
        super().__init__(f"{operator} must not be null.")


class EntityNotFound(ApiError):
    """There is no such entity, or the actor may not see it.

    `field` in the details names the field of an input that refers to it.
    """

    def __init__(self, kind: str, id: object = "", field: str = "") -> None:
        super().__init__(f"Entity not found: {kind}", kind=kind, id=id, field=field)


class IdTaken(ApiError):
    """A new entity has the id of another one."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"conflict on insert of {kind}", kind=kind, id=id)


class QuotaExceeded(ApiError):
    """There are as many as there may be; `quota` in the details is the vendor's name of the limit."""


class TwoOrders(ApiError):
    """Cannot use both sort and orderBy options"""


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


class QueryTooComplex(TooComplex):
    """The cost of a document exceeds the limit; both are in the vendor's points."""

    def __init__(self, cost: float, limit: float) -> None:
        super().__init__(f"The query is too complex. Complexity: {cost:.15g}. Maximum allowed complexity: {limit:g}.")
