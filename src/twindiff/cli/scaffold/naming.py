"""Converts a vendor's names to valid Python names."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^0-9a-zA-Z]+")
_SOFT = {"l", "O", "I", "call", "self"}
"""Names that a linter or a handler reserves."""


def words(text: str) -> list[str]:
    """Split a name of any style into lower-case words."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return [word.lower() for part in _OTHER.split(plain) for word in _HUMP.split(part) if word]


def snake(text: str) -> str:
    """Return the name of a function, a module, a parameter or a column."""
    name = "_".join(words(text)) or "unnamed"
    name = f"n{name}" if name[0].isdigit() else name
    name = f"do_{name}" if name.startswith("test_") else name  # pytest and linters would take it for a test
    return f"{name}_" if keyword.iskeyword(name) or name in _SOFT else name


def camel(text: str) -> str:
    """Return the wire name that a style with `naming = "camel"` gives a parameter of this name."""
    first, *rest = text.rstrip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def class_name(text: str) -> str:
    """Return the name of a class."""
    name = "".join(word[:1].upper() + word[1:] for word in words(text)) or "Unnamed"
    return f"N{name}" if name[0].isdigit() else name


def unique_name(name: str, used: Container[str]) -> str:
    """Return a name, with the first number appended that makes it unique if necessary."""
    number, candidate = 2, name
    while candidate in used:
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def sentence(text: str, most: int) -> str:
    """Return the first sentence of a text, in characters that every editor displays, truncated to `most`."""
    plain = text.translate(_PLAIN).encode("ascii", "ignore").decode()
    line = " ".join(plain.replace("\\", "/").replace('"', "'").split())
    end = re.search(r"\.(?=\s|$)", line)
    line = line[: end.start()] if end else line
    line = line if len(line) <= most else line[: most - 3].rsplit(" ", 1)[0] + "..."
    return line if line.endswith((".", "!", "?")) or not line else f"{line}."


_PLAIN = {ord(fancy): plain for fancy, plain in zip("\u2018\u2019\u201c\u201d\u2013\u2014", "''''--", strict=True)}
