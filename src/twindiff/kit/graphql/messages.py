"""Converts messages of graphql-core about documents and variables to those of graphql-js, which most vendors run.

The messages differ in how names and values are quoted, and in the word for null. https://github.com/graphql/graphql-js
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any, cast

_GIVEN = re.compile(
    r"(?P<before>.*? got invalid value )(?P<value>.*?)"
    r"(?P<after>(?: at '[^']*')?; (?:Field|Expected|Value|Enum|\w+ cannot) .*)",
    re.DOTALL,
)
_OF_VALUE = re.compile(r"(?P<before>\b\w+ cannot represent [\w\- ]+(?:value|string): )(?P<value>.*)", re.DOTALL)
MAX_CONVERTED_LETTERS = 10_000
"""A longer message repeats a long value of the caller, and keeps Python's quotes."""
_OF_SCALAR = "; Unable to parse "
_NAME = re.compile(r"'([^'\"]*)'")


def as_graphql_js(message: str) -> str:
    """Rewrite a message of graphql-core, with names in double quotes and values in JavaScript's notation."""
    if len(message) > MAX_CONVERTED_LETTERS:
        return message
    if _OF_SCALAR in message:  # a scalar's own message keeps its quotes
        before, mark, scalar_message = message.partition(_OF_SCALAR)
        return as_graphql_js(before) + mark + scalar_message
    match = _GIVEN.fullmatch(message)
    if match:
        return _quote_names(match["before"]) + _value(match["value"]) + as_graphql_js(match["after"])
    match = _OF_VALUE.search(message)
    if match:
        return _quote_names(message[: match.start()] + match["before"]) + _value(match["value"])
    return _quote_names(message)


def _quote_names(text: str) -> str:
    return _NAME.sub(r'"\1"', text).replace(" not to be None.", " not to be null.")


def _value(text: str) -> str:
    """Convert a value in Python's notation, perhaps truncated by the library, to JavaScript's notation."""
    try:
        return _print_value(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _quote_names(text)


def _print_value(value: Any) -> str:
    if isinstance(value, dict):
        items = [f"{key}: {_print_value(each)}" for key, each in cast(dict[str, Any], value).items()]
        return f"{{ {', '.join(items)} }}" if items else "{}"
    if isinstance(value, list):
        items = cast(list[Any], value)
        return "[Array]" if items == [...] else f"[{', '.join(map(_print_value, items))}]"
    return "[Object]" if value == {...} else "..." if value is ... else json.dumps(value, ensure_ascii=False)
