"""Parses queries, forms and multipart bodies into nested values: `items[0][price]=p&expand[]=a&metadata[k]=v`."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, cast
from urllib.parse import unquote_plus, unquote_to_bytes

from python_multipart import parse_form  # pyright: ignore[reportUnknownVariableType]
from python_multipart.exceptions import FormParserError

from .errors import InvalidParameter, MalformedBody
from .http import Request
from .parameter_sources import Upload
from .throttling import yield_processor

DEEPEST = 32
"""The deepest nesting of brackets."""

MAX_FIELDS = 10_000
MAX_PARTS = 1_000
"""The most values of a query or form and the most parts of a multipart form, which take longer to parse."""

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
Names = Collection[str]
_NESTED = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])+)")
_KEY = re.compile(r"\[([^\[\]]*)\]")


def read_query(query: str, lists: Names = (), objects: Names = ()) -> dict[str, Any]:
    """The values of a query by name; a repeated name has its last value, or a list of all if it is in `lists`.

    `objects` are names whose value is never a list; see `parse_bracketed`. Raises MalformedBody for more than
    `MAX_FIELDS` values.
    """
    pairs = read_pairs(query)
    if not lists and "[" not in query and "%5" not in query:
        return dict(pairs)  # the most frequent case
    return parse_bracketed(pairs, lists, objects)


def read_pairs(query: str) -> list[tuple[str, str]]:
    """The decoded names and values of a query in order, blank values included.

    Raises MalformedBody for more than `MAX_FIELDS`.
    """
    if query.count("&") >= MAX_FIELDS:
        raise MalformedBody(f"More than {MAX_FIELDS:,} values were given")
    parts = [part.partition("=") for part in query.split("&") if part]
    if "%" not in query and "+" not in query:
        return [(name, value) for name, _, value in parts]
    return [(_name(name) if len(name) <= _SHORT else _plain(name), _plain(value)) for name, _, value in parts]


_SHORT = 100
_PIECE = 10_000
_name = lru_cache(1000)(unquote_plus)
"""Cached, since the same names recur."""


def _plain(value: str) -> str:
    if "%" not in value and "+" not in value:
        return value
    return unquote_plus(value) if len(value) <= _PIECE else _unquoted_in_pieces(value)


def _unquoted_in_pieces(value: str) -> str:
    """`unquote_plus` for a long text, in pieces that end before an escape, with a yield between them."""
    data = value.replace("+", " ").encode()
    pieces: list[bytes] = []
    start = 0
    while start < len(data):
        yield_processor()
        end = start + _PIECE
        escape = data.find(b"%", end - 2, end)
        end = escape if escape > start else end
        pieces.append(unquote_to_bytes(data[start:end]))
        start = end
    return b"".join(pieces).decode(errors="replace")


def read_form(request: Request, lists: Names = (), objects: Names = ()) -> dict[str, Any]:
    """The values of a URL-encoded or multipart form by name, as from `read_query`; files are Uploads.

    Raises MalformedBody.
    """
    if request.content_type == MULTIPART:
        return parse_bracketed(read_multipart(request), lists, objects)
    try:
        return read_query(request.body.decode(), lists, objects)
    except UnicodeDecodeError:
        raise MalformedBody("The form is not valid UTF-8") from None


def parse_bracketed(pairs: Iterable[tuple[str, Any]], lists: Names = (), objects: Names = ()) -> dict[str, Any]:
    """Nest the values of names with brackets: `a[b]=1` becomes `{"a": {"b": "1"}}`, `a[]=1` becomes `{"a": ["1"]}`.

    An object whose keys are all numbers becomes a list in their order, unless its name, at any depth, is in `objects`.
    Names in `lists` always have lists. Raises InvalidParameter for a name that has both a value and an object.
    """
    given: dict[str, Any] = {}
    has_brackets = False
    for name, value in pairs:
        if "[" in name and (path := _path(name) if len(name) <= _SHORT else _path_of(name)):
            _put(given, path, value)
            has_brackets = True
        elif name in lists:
            _put(given, [name, ""], value)
            has_brackets = True
        elif has_brackets and isinstance(given.get(name), _Tree):
            raise _both(name)
        else:
            given[name] = value
    return {name: _numbered_to_lists(value, name, objects) for name, value in given.items()} if has_brackets else given


def _path_of(name: str) -> tuple[str, ...] | None:
    """The keys of a name with brackets: `a[b][]` has `("a", "b", "")`; None for other names.

    Raises InvalidParameter for `DEEPEST` brackets or more.
    """
    if name.count("[") >= DEEPEST:
        raise InvalidParameter(name.partition("[")[0], f"is nested more than {DEEPEST} levels deep")
    path = _NESTED.fullmatch(name)
    return (path[1], *_KEY.findall(path[2])) if path else None


_path = lru_cache(1000)(_path_of)


class _Tree(dict[str, Any]):
    """An object made by brackets, as distinct from a value."""


def _put(given: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set a value at a path of keys; an empty key stands for the next number."""
    node = given
    *way, last = path
    for at, key in enumerate(way):
        node = node.setdefault(key or _open_place(node, path[at + 1]), _Tree())
        if not isinstance(node, _Tree):
            raise _both(path[0])
    node[last or str(len(node))] = value


def _open_place(node: dict[str, Any], key: str) -> str:
    """The number of `[]` before another key: the last item's, or the next one if the last item has that key."""
    last = node.get(str(len(node) - 1))
    is_open = isinstance(last, _Tree) and key not in last
    return str(len(node) - is_open)


def _both(name: str) -> InvalidParameter:
    return InvalidParameter(name, "is given both as a value and as an object")


class Sparse(list[Any]):
    """A list whose keys were not 0, 1, 2 and so on; `keys` are the given ones in numerical order."""

    def __init__(self, values: Iterable[Any], keys: list[str]) -> None:
        super().__init__(values)
        self.keys = keys


def _numbered_to_lists(value: Any, name: str, objects: Names) -> Any:
    if not isinstance(value, _Tree):
        return value
    if name not in objects and all(key.isdecimal() and key.isascii() for key in value):
        keys = sorted(value, key=_number)
        values = [_numbered_to_lists(value[key], "", objects) for key in keys]
        return values if keys == [*map(str, range(len(keys)))] else Sparse(values, keys)
    return {key: _numbered_to_lists(each, key, objects) for key, each in value.items()}


def _number(digits: str) -> tuple[int, str]:
    """A sort key for numbers of any length; `int` refuses very long ones."""
    digits = digits.lstrip("0")
    return len(digits), digits


def read_multipart(request: Request) -> list[tuple[str, Any]]:
    """The names and values of a multipart form in order, files as Uploads; raises MalformedBody."""
    try:
        parts = ((name.decode(), value) for name, value in read_parts(request))
        return [(name, value.decode() if isinstance(value, bytes) else value) for name, value in parts]
    except UnicodeDecodeError as error:
        raise _unreadable(error) from None


def read_parts(request: Request) -> list[tuple[bytes, bytes | Upload]]:
    """Like `read_multipart`, but names and texts are bytes; raises MalformedBody."""
    parts: list[tuple[bytes, bytes | Upload]] = []

    def add(name: bytes, value: bytes | Upload) -> None:
        yield_processor()
        if len(parts) == MAX_PARTS:
            raise ValueError(f"it has more than {MAX_PARTS:,} parts")
        parts.append((name, value))

    def on_field(field: Any) -> None:
        add(field.field_name, field.value or b"")

    def on_file(file: Any) -> None:
        add(file.field_name, _upload(file))

    headers = cast(Any, {"Content-Type": request.headers.get("content-type", "").encode("latin-1")})
    try:
        parse_form(headers, io.BytesIO(request.body), on_field, on_file)
    except (FormParserError, ValueError) as error:
        raise _unreadable(error) from None
    return parts


def _unreadable(error: Exception) -> MalformedBody:
    return MalformedBody(f"The multipart form could not be read: {error}")


def _upload(file: Any) -> Upload:
    file.file_object.seek(0)
    data = file.file_object.read()
    file.close()
    kind = file.content_type or "application/octet-stream"
    return Upload((file.file_name or b"").decode(), kind, data)
