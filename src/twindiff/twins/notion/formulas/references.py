"""References to properties in formulas: `prop("Name")` as people write them, and the form that the API keeps.

The kept form holds a property by its id, so that renaming one breaks no formula.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

_PROP = re.compile(r"""prop\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\)""")


def link_names(expression: str, ids: Mapping[str, str], data_source_id: str, workspace_id: str) -> str:
    """Return a formula with the names of its own properties replaced by their ids; other names stay."""

    def link(match: re.Match[str]) -> str:
        name = re.sub(r"\\(.)", r"\1", match[1] or match[2] or "")
        if name not in ids:
            return match[0]
        return f"{{{{notion:block_property:{quote(ids[name], safe='~')}:{data_source_id}:{workspace_id}}}}}"

    return _PROP.sub(link, expression)
