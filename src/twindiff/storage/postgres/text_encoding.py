"""Text as PostgreSQL can hold it: any character but U+0000.

U+0000 to U+0003 are written as U+0001 and two of U+0002 and U+0003. No written character begins inside another, so that
order, equality, and what a text contains, begins and ends with are the same as without it.
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
    """A text as SQL takes any text."""
    return "'" + text.replace("'", "''") + "'"


def escape_text(text: str) -> str:
    """A text as it is stored."""
    return _PLAIN.sub(lambda character: _WRITTEN[character[0]], text)


def read(text: str) -> str:
    """A stored text as it was."""
    return _CODED.sub(lambda code: _READ[code[0]], text) if "\1" in text else text


def written_json(value: Any) -> str:
    """A JSON value as it is stored: canonical text, whose strings are written likewise."""
    text = json_text(value)
    if "\\u000" not in text:
        return text
    return _IN_JSON.sub(lambda match: _JSON_WRITTEN[match[1]] if match[1] else match[0], text)


def read_json(text: str) -> Any:
    """A stored JSON value as it was."""
    if "\\u0001" in text:
        text = _CODED_JSON.sub(lambda match: f"\\u000{_JSON_READ[match[1], match[2]]}" if match[1] else match[0], text)
    return decode_json(text)
