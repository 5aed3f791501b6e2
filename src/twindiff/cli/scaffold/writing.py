"""Writes Python source in the formatter's style."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

WIDTH = 120

_TYPING = ("Annotated", "Any", "Literal")
_KIT = (
    *("UNSET", "ApiError", "Body", "Call", "Column", "Header", "Json", "Named", "Operations", "Row", "Struct", "Twin"),
    *("UnsetType", "Upload", "View", "column", "field"),
)


def quote(text: str) -> str:
    """Quote a text as the formatter does."""
    return json.dumps(text) if '"' not in text else repr(text)


def module(docstring: str, local: Iterable[str], body: str) -> str:
    """Return a module with imports of the names of `typing` and the kit that `body` uses, and the `local` ones."""
    blocks = [
        imports("typing", _used_names(body, _TYPING)),
        imports("twindiff.kit", _used_names(body, _KIT)),
        "\n".join(line for line in local if line),
    ]
    head = "\n\n".join(['"""' + docstring + '"""', "from __future__ import annotations", *filter(None, blocks)])
    gap = "\n\n\n" if body.startswith(("class ", "@", "def ")) else "\n\n"
    return f"{head}{gap}{body.strip()}\n"


def _used_names(body: str, names: Sequence[str]) -> list[str]:
    code = re.sub(r'"""[^"]*"""', "", body)
    return [name for name in names if re.search(rf"(?<![\w.\"]){name}(?![\w\"=])", code)]


def imports(source: str, names: Iterable[str]) -> str:
    """Return one import of these names, in the linter's order; empty without names."""
    ordered = sorted(names, key=_import_order)
    line = f"from {source} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return line if ordered else ""
    return "\n".join([f"from {source} import (", *(f"    {name}," for name in ordered), ")"])


def _import_order(name: str) -> tuple[int, str]:
    is_constant = name.isupper() and len(name) > 1
    return (0 if is_constant else 1 if name[:1].isupper() else 2), name.lower()


def several(before: str, items: Sequence[str], after: str, indent: str = "") -> str:
    """Write items between brackets: on one line, or one per line if that is too long."""
    line = f"{indent}{before}{', '.join(items)}{after}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{indent}{before}", *(fitting(f"{indent}    {item},") for item in items), f"{indent}{after}"])


def fitting(line: str) -> str:
    """Append a line-length exemption to a line that cannot be broken, unless it is a single word."""
    return f"{line}  # noqa: E501" if len(line) > WIDTH and " " in line.strip() else line


def tuple_of(before: str, items: Sequence[str]) -> str:
    """Write a tuple: on one line if it has one item or fits, else one item per line."""
    return f"{before}({items[0]},)" if len(items) == 1 else several(f"{before}(", items, ")")
