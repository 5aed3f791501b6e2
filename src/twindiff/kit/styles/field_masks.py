"""Partial responses: `fields=id,items(id,owner/email)`, as in the APIs of Google and Box.

https://developers.google.com/workspace/calendar/api/guides/performance#partial-response
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.kit.http import Response, ValueResponse

if TYPE_CHECKING:
    from twindiff.kit.call import Call
    from twindiff.kit.request_context import RequestContext

Mask = dict[str, "Mask"]
"""Selected fields, each with the mask of its value; an empty mask selects everything."""

DEEPEST = 32
_TOKEN = re.compile(r"[^,/()]+|[,/()]")


def parse_mask(text: str, name: str = "fields") -> Mask:
    """Parse a mask: `id,items(id)` becomes `{"id": {}, "items": {"id": {}}}`.

    Raises InvalidParameter for the parameter `name` if the text is malformed or nested more than `DEEPEST` levels.
    """
    reader = _TokenReader([token.strip() for token in _TOKEN.findall(text) if token.strip()], name)
    mask = reader.fields(0)
    if reader.tokens:
        raise reader.unexpected_token()
    return mask


class _TokenReader:
    """Reads tokens from left to right; they are stored in reverse so that `pop()` takes the next."""

    def __init__(self, tokens: Iterable[str], name: str) -> None:
        self.tokens = [*tokens][::-1]
        self.name = name

    def unexpected_token(self) -> InvalidParameter:
        token = f"'{self.tokens[-1]}'" if self.tokens else "the end"
        return InvalidParameter(self.name, f"expected a field where {token} is")

    def fields(self, depth: int) -> Mask:
        """`field,field,…`"""
        if depth > DEEPEST:
            raise InvalidParameter(self.name, f"is nested more than {DEEPEST} levels deep")
        mask: Mask = {}
        while True:
            self._field(mask, depth)
            if not self._takes(","):
                return mask

    def _field(self, mask: Mask, depth: int) -> None:
        """`field`, `field/field` or `field(field,…)`"""
        inner = mask.setdefault(self._word(), {})
        while self._takes("/"):
            inner = inner.setdefault(self._word(), {})
        if self._takes("("):
            inner.update(self.fields(depth + 1))
            if not self._takes(")"):
                raise self.unexpected_token()

    def _word(self) -> str:
        if not self.tokens or self.tokens[-1] in ",/()":
            raise self.unexpected_token()
        return self.tokens.pop()

    def _takes(self, sign: str) -> bool:
        if self.tokens and self.tokens[-1] == sign:
            self.tokens.pop()
            return True
        return False


def apply_mask(value: Any, mask: Mask) -> Any:
    """Select the fields of a JSON value that a mask names, in each item of a list; `*` names every field."""
    if not mask:
        return value
    if isinstance(value, list):
        return [apply_mask(each, mask) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    fields = cast(dict[str, Any], value)
    every = mask.get("*")
    return {
        name: apply_mask(each, inner) for name, each in fields.items() if (inner := mask.get(name, every)) is not None
    }


def partial(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """A middleware that reduces the handler's value to what the parameter `fields` selects.

    The parameter is parsed before the handler runs, so that a malformed one is refused before anything is written.
    """
    fields = exchange.parameters.get("fields")
    if not isinstance(fields, str) or not fields:
        return proceed()
    mask = parse_mask(fields)
    value = proceed()
    if isinstance(value, ValueResponse):
        return value._replace(value=apply_mask(value.value, mask))
    return value if isinstance(value, Response | ApiError) else apply_mask(value, mask)
