"""Metadata filters of searches: one template, with values or ranges of its fields.

https://developer.box.com/guides/search/filters/metadata-filters
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from twindiff.kit.json_values import read_json
from twindiff.twins.box.wire_style import BadRequest

from ..tables.further_tables import MetadataInstance


def read_filters(text: str) -> dict[str, Any] | None:
    """Parse the parameter `mdfilters`; raise BadRequest unless it is a list of exactly one filter.

    The filter has the keys `scope`, `templateKey` and optionally `filters`. Returns None for an empty parameter.
    """
    if not text.strip():
        return None
    try:
        read: Any = read_json(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        read = None
    given: Any = cast(list[Any], read)[0] if isinstance(read, list) and len(cast(list[Any], read)) == 1 else None
    if not isinstance(given, dict) or not isinstance(given.get("filters", {}), dict):  # pyright: ignore[reportUnknownMemberType]
        raise BadRequest.of("invalid_parameter", "mdfilters", "It must be a list of one {scope, templateKey, filters}.")
    for name in ("scope", "templateKey"):
        if not isinstance(given.get(name), str):  # pyright: ignore[reportUnknownMemberType]
            raise BadRequest.of("missing_parameter", name, f"'{name}' is required in mdfilters")
    return cast(dict[str, Any], given)


def fits(instance: MetadataInstance, wanted: dict[str, Any]) -> bool:
    """Return whether an instance matches a filter."""
    scope: str = wanted["scope"]
    if instance.scope != scope and not (scope == "enterprise" and instance.scope.startswith("enterprise_")):
        return False
    filters: dict[str, Any] = wanted.get("filters") or {}
    return all(_is_as(instance.data.get(key), value) for key, value in filters.items())


def _is_as(held: Any, wanted: Any) -> bool:
    if held is None:
        return False
    if isinstance(wanted, dict):
        bounds = cast(dict[str, Any], wanted)
        try:
            return ("gt" not in bounds or held >= bounds["gt"]) and ("lt" not in bounds or held <= bounds["lt"])
        except TypeError:
            return False
    if isinstance(wanted, list):
        return any(_is_as(held, each) for each in cast(list[Any], wanted))
    if isinstance(held, list):
        return wanted in held
    if isinstance(held, str) and isinstance(wanted, str):
        return wanted.casefold() in held.casefold()
    return held == wanted
