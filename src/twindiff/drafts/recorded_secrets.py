"""Takes secrets out of recorded calls before anything is learnt of them, and out of reports on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast
from urllib.parse import quote

from .documents import Schema
from .names import snake
from .recordings import RecordedCall

MASK = "masked"
_NAME = re.compile(
    r"(^|_)(password|passwd|secret|access_token|refresh_token|id_token|api_key|h?apikey|private_key|token)$"
)
_VALUE = re.compile(r"(sk|rk|pk)_(live|test)_\w{8,}|xox[a-z]-[\w-]{8,}|gh[pousr]_\w{20,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*")
_NO_SECRET = re.compile(r"(page|next|sync|continuation|csrf)_?token$")


class CleanedCalls(NamedTuple):
    """Calls without secrets, and how many values were taken out."""

    calls: list[RecordedCall]
    masked: int


def mask_secrets(calls: list[RecordedCall]) -> CleanedCalls:
    """Return calls whose bodies and answers have `masked` for what is a secret by its field's name or its form."""
    count = [0]
    cleaned = [call._replace(body=_mask(call.body, "", count), answer=_mask(call.answer, "", count)) for call in calls]
    return CleanedCalls(cleaned, count[0])


def _mask(value: Any, name: str, count: list[int]) -> Any:
    if isinstance(value, dict):
        return {each: _mask(inner, str(each), count) for each, inner in cast(Schema, value).items()}
    if isinstance(value, list):
        return [_mask(each, name, count) for each in cast(list[Any], value)]
    if isinstance(value, str) and value and _is_secret(snake(name), value):
        count[0] += 1
        return MASK
    return value


class SecretMask:
    """Masks in texts the secrets that calls hold anywhere, and what is a secret by its form."""

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        secrets = {each for call in calls for each in _secrets_in(call)}
        every = sorted({text for each in secrets for text in (each, quote(each, safe=""))}, key=len, reverse=True)
        known = rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, every))})(?![A-Za-z0-9])|" if every else ""
        self._pattern = re.compile(known + _VALUE.pattern)

    def mask(self, text: str) -> str:
        """Return a text with `masked` for each secret."""
        return self._pattern.sub(MASK, text)


def _secrets_in(call: RecordedCall) -> Iterator[str]:
    for name, value in (*call.query, *call.headers.items()):
        if value and _is_secret(snake(name), value):
            yield value
    for each in (call.body, call.answer):
        yield from _secrets_inside(each, "")


def _secrets_inside(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for each, inner in cast(Schema, value).items():
            yield from _secrets_inside(inner, str(each))
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _secrets_inside(each, name)
    elif isinstance(value, str) and value and _is_secret(snake(name), value):
        yield value


def _is_secret(name: str, value: str) -> bool:
    is_named = bool(_NAME.search(name)) and not _NO_SECRET.search(name)
    return is_named or bool(_VALUE.fullmatch(value))
