"""Parts of an answer: `fields=id,items(id,owner/email)`, as Google's and Box's clients ask for.

https://developers.google.com/workspace/calendar/api/guides/performance#partial-response
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from .errors import ApiError, InvalidParameter
from .http import Response, ValueResponse

if TYPE_CHECKING:
    from .call import Call
    from .request_context import Exchange

Mask = dict[str, "Mask"]
"""The fields that are wanted, each with what is wanted inside it; an empty one wants all."""

DEEPEST = 32
_TOKEN = re.compile(r"[^,/()]+|[,/()]")


def parse_mask(text: str, name: str = "fields") -> Mask:
    """The mask that a text means; raises InvalidParameter for the parameter called `name`."""
    reader = _TokenReader([token.strip() for token in _TOKEN.findall(text) if token.strip()], name)
    mask = reader.fields(0)
    if reader.tokens:
        raise reader.unexpected_token()
    return mask


class _TokenReader:
    """Reads tokens from the left; they are kept the other way round."""

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
    """The part of a JSON value that a mask wants, in each item of a list; `*` is every field."""
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


def partial(exchange: Exchange, call: Call, proceed: Callable[[], Any]) -> Any:
    """A layer: of what the handler gives, the part that the parameter `fields` asks for.

    The parameter is read before the handler runs, so that nothing is written for one that is refused.
    """
    fields = exchange.parameters.get("fields")
    if not isinstance(fields, str) or not fields:
        return proceed()
    mask = parse_mask(fields)
    value = proceed()
    if isinstance(value, ValueResponse):
        return value._replace(value=apply_mask(value.value, mask))
    return value if isinstance(value, Response | ApiError) else apply_mask(value, mask)
