"""An encoding of text for PostgreSQL, which cannot store U+0000.

U+0000 to U+0003 are each encoded as U+0001 followed by two of U+0002 and U+0003. No encoded character starts inside
another, so that order, equality, and tests for substrings, prefixes and suffixes have the same results.
"""

from __future__ import annotations

import re
from typing import Any

from twindiff.storage.values import decode_json, json_text

_WRITTEN = {"\0": "\1\2\2", "\1": "\1\2\3", "\2": "\1\3\2", "\3": "\1\3\3"}
_READ = {written: plain for plain, written in _WRITTEN.items()}
_PLAIN = re.compile("[\0-\3]")
_CODED = re.compile("\1[\2\3]{2}")
_IN_JSON = re.compile(r"\\\\|\\u000([0-3])")
_JSON_WRITTEN = {str(n): "".join(f"\\u000{ord(each)}" for each in _WRITTEN[chr(n)]) for n in range(4)}
_CODED_JSON = re.compile(r"\\\\|\\u0001\\u000([23])\\u000([23])")
_JSON_READ = {("2", "2"): "0", ("2", "3"): "1", ("3", "2"): "2", ("3", "3"): "3"}


def literal(text: str) -> str:
    """Quote a text as an SQL literal: `it's` becomes `'it''s'`."""
    return "'" + text.replace("'", "''") + "'"


def escape_text(text: str) -> str:
    """Encode a text for storage."""
    return _PLAIN.sub(lambda character: _WRITTEN[character[0]], text)


def read(text: str) -> str:
    """Decode a stored text."""
    return _CODED.sub(lambda code: _READ[code[0]], text) if "\1" in text else text


def written_json(value: Any) -> str:
    """Encode a JSON value for storage: canonical JSON whose strings are encoded in the same way."""
    text = json_text(value)
    if "\\u000" not in text:
        return text
    return _IN_JSON.sub(lambda match: _JSON_WRITTEN[match[1]] if match[1] else match[0], text)


def read_json(text: str) -> Any:
    """Decode a stored JSON value."""
    if "\\u0001" in text:
        text = _CODED_JSON.sub(lambda match: f"\\u000{_JSON_READ[match[1], match[2]]}" if match[1] else match[0], text)
    return decode_json(text)
