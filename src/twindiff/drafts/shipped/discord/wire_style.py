"""Reads ids in bodies as Discord does, as texts or as numbers, and forms with their JSON; shows Discord's errors."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from twindiff.drafts.wire_style import DRAFTED_HEADER, DraftStyle
from twindiff.kit.binding import Bound
from twindiff.kit.errors import ApiError, InvalidParameter, MalformedBody
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.json_values import read_json
from twindiff.kit.request_context import RequestContext

from .refusals import DiscordError, refuse_parameter

MIN_SNOWFLAKE = 1 << 53
"""Greater than every other number of a body; ids of Discord's first day have 17 digits."""


class DiscordStyle(DraftStyle):
    """Takes ids that are numbers, which discord.py sends in references to messages, and forms with `payload_json`.

    Ids: https://docs.discord.com/developers/reference#snowflakes
    Forms: https://docs.discord.com/developers/reference#uploading-files
    """

    def body(self, request: Request) -> Any:
        """The body as JSON, in which numbers as great as ids are texts."""
        return _write_out_ids(super().body(request))

    def _given_in_body(self, request: Request, bound: Bound) -> dict[str, Any]:
        given = super()._given_in_body(request, bound)
        form: Any = given.get(bound.body) if bound.body else None
        if not isinstance(form, dict) or not isinstance(cast(dict[str, Any], form).get("payload_json"), str):
            return given
        fields = cast(dict[str, Any], form)
        try:
            told: Any = _write_out_ids(read_json(fields.pop("payload_json").encode()))
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise MalformedBody(f"payload_json is not valid JSON: {error}") from None
        return {**given, bound.body: {**fields, **cast(dict[str, Any], told)} if isinstance(told, dict) else told}

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """The error with Discord's number and message."""
        if isinstance(error, InvalidParameter):
            error = refuse_parameter(error)
        if isinstance(error, DiscordError):
            return json_answer(error.body, error.status, ((DRAFTED_HEADER, "refused"),))
        return super().error(error, exchange)


def _write_out_ids(value: Any) -> Any:
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value)
        return {name: _write_out_id(each) if _is_id(name) else _write_out_ids(each) for name, each in fields.items()}
    if isinstance(value, list):
        return [_write_out_ids(each) for each in cast(list[Any], value)]
    return str(value) if type(value) is int and value >= MIN_SNOWFLAKE else value


def _is_id(name: str) -> bool:
    return name == "id" or name.endswith("_id")


def _write_out_id(value: Any) -> Any:
    return str(value) if type(value) is int else _write_out_ids(value)
