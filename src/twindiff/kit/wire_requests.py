"""Builds requests from arguments by wire name: the reverse of parsing them."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote_plus, urlencode

import msgspec

from .errors import InvalidParameter, MissingParameter
from .http import Request
from .parameter_sources import Upload

if TYPE_CHECKING:
    from .twin import Operation

BOUNDARY = "twindiff-form-part"
JSON_TYPE = {"content-type": "application/json"}
FORM_TYPE = {"content-type": "application/x-www-form-urlencoded"}
_PLACEHOLDER = re.compile(r"\{(\w+)(:path)?\}")
_WITHOUT_BODY = ("GET", "HEAD", "DELETE")


def build_json_request(operation: Operation, arguments: Mapping[str, Any]) -> Request:
    """The request of a REST operation with a JSON body, a multipart form if it has a file.

    Raises MissingParameter for a placeholder of the path without a value, InvalidParameter for one with a slash.
    """
    given, bound = dict(arguments), operation.bound
    path = fill_path(operation, given)
    headers = {header: to_text(given.pop(name)) for name, header in bound.headers if given.get(name) is not None}
    verb = operation.declared.verb or "POST"
    if not bound.body and verb in _WITHOUT_BODY:
        return Request(verb, path, encode_query(given), headers)
    query = {name: given.pop(name) for name in bound.names if bound.body and name != bound.body and name in given}
    is_whole = bound.body in given and (
        isinstance(given[bound.body], Mapping) or not _has_field(bound.contract, bound.body)
    )
    content: Any = given[bound.body] if is_whole else None if bound.is_raw else given
    if bound.is_raw:
        return Request(verb, path, encode_query(query), headers, _to_bytes(content))
    if has_upload(operation):
        body = encode_multipart(content)
        kind = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
        return Request(verb, path, encode_query(query), headers | kind, body)
    return Request(verb, path, encode_query(query), headers | JSON_TYPE, msgspec.json.encode(content))


@lru_cache(maxsize=1024)
def _has_field(contract: type[msgspec.Struct], body: str) -> bool:
    """Whether the body has a field with the name of its own parameter, as GitHub's issues have `body`."""
    kind: Any = next(each.type for each in msgspec.structs.fields(contract) if each.encode_name == body)
    return body in getattr(getattr(kind, "__origin__", kind), "__struct_encode_fields__", ())


def fill_path(operation: Operation, given: dict[str, Any]) -> str:
    """The path of an operation with the values of its placeholders, which are removed from `given`."""

    def fill(match: re.Match[str]) -> str:
        name, is_tail = match.groups()
        value = given.pop(name, None)
        if value is None or value == "":
            raise MissingParameter(name)
        text = to_text(value)
        if "/" in text and not is_tail:
            raise InvalidParameter(name, f"'{text[:100]}' must not contain '/'")
        return text

    return _PLACEHOLDER.sub(fill, operation.declared.path)


def to_text(value: Any) -> str:
    """A value as a text of a query or a header: lists and objects are JSON."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def encode_query(given: Mapping[str, Any]) -> str:
    """A query: null is left out, and the items of a list repeat its name."""
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        several = cast("list[Any]", value) if isinstance(value, list) else [value]
        pairs += [(name, to_text(each)) for each in several if each is not None]
    return urlencode(pairs)


def encode_brackets(given: Mapping[str, Any]) -> str:
    """A form with brackets, which are not escaped: `{"a": {"b": 1}}` becomes `a[b]=1`; null is an empty text."""
    pairs = [pair for name, value in given.items() for pair in _bracketed_pairs(name, value)]
    return "&".join(f"{quote_plus(name, safe='[]')}={quote_plus(value)}" for name, value in pairs)


def _bracketed_pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, Any]", value).items():
            yield from _bracketed_pairs(f"{name}[{key}]", each)
    elif isinstance(value, list):
        for number, each in enumerate(cast("list[Any]", value)):
            yield from _bracketed_pairs(f"{name}[{number}]", each)
    else:
        yield name, "" if value is None else to_text(value)


@lru_cache(maxsize=4096)
def _upload_fields(contract: type[msgspec.Struct], body: str) -> bool:
    fields = {each.encode_name: each.type for each in msgspec.structs.fields(contract)}
    inner = fields.get(body)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return _upload_fields(inner, "")
    return any("Upload" in str(each) for each in fields.values())


def has_upload(operation: Operation) -> bool:
    """Whether an operation takes a file of a multipart form."""
    return _upload_fields(operation.bound.contract, operation.bound.body)


def encode_multipart(given: Mapping[str, Any]) -> bytes:
    """A multipart form, texts before files; a file is `{filename, content_type, data}`, with the data in base64."""
    texts = {name: value for name, value in given.items() if not _is_file(value)}
    parts = [_form_part(f'name="{name}"', "", to_text(value).encode()) for name, value in texts.items()]
    for name, value in given.items():
        if name not in texts:
            upload = _read_upload(name, value)
            named = f'name="{name}"; filename="{upload.filename.replace(chr(34), "%22")}"'
            parts.append(_form_part(named, upload.content_type, upload.data))
    return b"".join((*parts, f"--{BOUNDARY}--\r\n".encode()))


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and "data" in value


def _form_part(named: str, content_type: str, data: bytes) -> bytes:
    kind = f"Content-Type: {content_type}\r\n" if content_type else ""
    named = named.replace("\r", " ").replace("\n", " ")
    return f"--{BOUNDARY}\r\nContent-Disposition: form-data; {named}\r\n{kind}\r\n".encode() + data + b"\r\n"


def _read_upload(name: str, value: dict[str, Any]) -> Upload:
    try:
        return msgspec.convert({"filename": name, "content_type": "application/octet-stream", **value}, Upload)
    except (msgspec.ValidationError, binascii.Error) as error:
        raise InvalidParameter(name, str(error)) from None


def _to_bytes(content: Any) -> bytes:
    """The bytes of a raw body: JSON of a value, else what a text holds in base64, else the text."""
    if content is None:
        return b""
    if not isinstance(content, str):
        return msgspec.json.encode(content)
    try:
        return b64decode(content, validate=True)
    except ValueError:
        return content.encode()
