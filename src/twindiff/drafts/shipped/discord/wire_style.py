"""Reads ids in bodies as Discord does: as texts or as numbers."""

from __future__ import annotations

from typing import Any, cast

from twindiff.drafts.wire_style import DraftStyle
from twindiff.kit.http import Request

MIN_SNOWFLAKE = 1 << 53
"""Greater than every other number of a body; ids of Discord's first day have 17 digits."""


class DiscordStyle(DraftStyle):
    """Takes ids that are numbers, which discord.py sends in references to messages.

    Ids: https://docs.discord.com/developers/reference#snowflakes
    """

    def body(self, request: Request) -> Any:
        """The body as JSON, in which numbers as great as ids are texts."""
        return _write_out_ids(super().body(request))


def _write_out_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _write_out_ids(each) for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_write_out_ids(each) for each in cast(list[Any], value)]
    return str(value) if type(value) is int and value >= MIN_SNOWFLAKE else value
