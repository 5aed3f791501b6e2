"""Variables in the texts of a compose file, https://docs.docker.com/reference/compose-file/interpolation/."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig

MAX_FILLS = 10
"""Variables within the default values of others."""
_DOLLAR = "\0"
"""Stands for a dollar sign of a value while variables are filled in; texts with a NUL are refused."""
_PLACE = re.compile(r"\$(?:(?P<dollar>\$)|(?P<plain>\w+)|\{(?P<name>\w+)(?:(?P<how>:?[-+?])(?P<text>[^{}]*))?\})")


class ComposeVariables:
    """The variables of one file; unless `is_strict`, missing ones are empty even where the file requires them."""

    def __init__(self, known: Mapping[str, str], file: str, *, is_strict: bool) -> None:
        self._known = known
        self._file = file
        self._is_strict = is_strict

    def fill_texts(self, value: Any) -> Any:
        """Fill the variables in all texts of a parsed file. Raises InvalidSandboxConfig."""
        if isinstance(value, dict):
            return {name: self.fill_texts(each) for name, each in cast(dict[Any, Any], value).items()}
        if isinstance(value, list):
            return [self.fill_texts(each) for each in cast(list[Any], value)]
        return self._fill_text(value) if isinstance(value, str) else value

    def _fill_text(self, text: str) -> str:
        if _DOLLAR in text:
            raise InvalidSandboxConfig(f"{self._file}: '{text[:200]}' has a NUL")
        filled = text
        for _ in range(MAX_FILLS):  # those within the default values of others come first
            filled, count = _PLACE.subn(self._find_value, filled)
            if not count:
                break
        if "${" in filled:
            form = "${NAME} or ${NAME:-default}"
            raise InvalidSandboxConfig(f"{self._file}: '{text[:200]}' has a variable that is not {form}")
        return filled.replace(_DOLLAR, "$")

    def _find_value(self, place: re.Match[str]) -> str:
        if place["dollar"]:
            return _DOLLAR
        name, how, text = place["plain"] or place["name"], place["how"] or "", place["text"] or ""
        value = self._known.get(name)
        is_there = bool(value) if how.startswith(":") else value is not None
        if how.endswith("+"):
            return text if is_there else ""
        if is_there or not how:
            return (value or "").replace("$", _DOLLAR)
        if how.endswith("-"):
            return text
        if self._is_strict:
            raise InvalidSandboxConfig(f"{self._file}: {name} is required: {text or 'it is not set'}; give it in env")
        return ""
