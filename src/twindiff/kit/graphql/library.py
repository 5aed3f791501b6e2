"""Functions of graphql-core whose type stubs are incomplete, as `Any`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import graphql
from graphql import utilities

_graphql = cast(Any, graphql)
_utilities = cast(Any, utilities)

execute_sync = _graphql.execute_sync
value_from_ast = _graphql.value_from_ast
type_from_ast = _utilities.type_from_ast


@lru_cache(maxsize=16_384)
def named_type(kind: Any) -> Any:
    """The named type inside lists and `!`."""
    while hasattr(kind, "of_type"):
        kind = kind.of_type
    return kind


@lru_cache(maxsize=16_384)
def is_leaf(kind: Any) -> bool:
    """Whether a type, without its lists and `!`, is a scalar or an enum."""
    return _graphql.is_leaf_type(named_type(kind))
