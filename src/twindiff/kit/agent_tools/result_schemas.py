"""The JSON schemas of tools' results, derived from what their functions are annotated to return."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, is_typeddict

import msgspec

from twindiff.kit.http import Response

from .argument_schemas import describe_type

if TYPE_CHECKING:
    from .tools import Schema


def describe_result(returns: Any) -> Schema | None:
    """The JSON schema of a result, an object; None unless all that a function returns are Structs or TypedDicts.

    A Response beside them is one of them, encoded. Clients refuse a result that its schema does not allow, so responses
    that only their vendor describes have no schema.
    """
    types = [each for each in _list_alternatives(returns) if each is not Response]
    if not types or not all(_has_named_fields(each) for each in types):
        return None
    if len(types) == 1:
        return describe_type(types[0])
    return {"type": "object", "anyOf": [describe_type(each) for each in types]}


def _list_alternatives(returns: Any) -> tuple[Any, ...]:
    return get_args(returns) if isinstance(returns, UnionType) else (returns,)


def _has_named_fields(kind: Any) -> bool:
    return is_typeddict(kind) or (isinstance(kind, type) and issubclass(kind, msgspec.Struct))
