"""Discord's refusals. https://docs.discord.com/developers/topics/opcodes-and-status-codes#json"""

from __future__ import annotations

from typing import Any, ClassVar

from twindiff.kit.errors import ApiError, InvalidParameter, MissingParameter


class DiscordError(ApiError):
    """The request is refused with a `number` of Discord's."""

    number: ClassVar[int] = 0

    @property
    def body(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"message": str(self), "code": self.number}


class MissingAccess(DiscordError):
    """Missing Access"""

    status, number = 403, 50001


class OthersMessage(DiscordError):
    """Cannot edit a message authored by another user"""

    status, number = 403, 50005


class EmptyMessage(DiscordError):
    """Cannot send an empty message"""

    number = 50006


class MissingPermissions(DiscordError):
    """Missing Permissions"""

    status, number = 403, 50013


class InvalidWebhookToken(DiscordError):
    """Invalid Webhook Token"""

    status, number = 401, 50027


class InvalidFormBody(DiscordError):
    """Invalid Form Body"""

    number = 50035

    def __init__(self, field: str, code: str, problem: str) -> None:
        super().__init__(name=field)
        self._errors: dict[str, Any] = {"_errors": [{"code": code, "message": problem}]}
        for step in reversed(field.split(".") if field else []):
            self._errors = {step: self._errors}

    @property
    def body(self) -> dict[str, Any]:
        """The body of the answer, with the error at its field. The codes there are texts."""
        return {**super().body, "errors": self._errors}


def refuse_parameter(error: InvalidParameter) -> InvalidFormBody:
    """Return the refusal of a body that its schema refuses."""
    if isinstance(error, MissingParameter):
        return InvalidFormBody(error.name, "BASE_TYPE_REQUIRED", "This field is required")
    return InvalidFormBody(error.name, "BASE_TYPE_INVALID", error.problem)
