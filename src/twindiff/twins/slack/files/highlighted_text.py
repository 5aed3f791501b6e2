"""Texts of files as the HTML that Slack's windows show: a line each, in no colors.

https://docs.slack.dev/reference/objects/file-object#previews
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MAX_LINES = 1000

_BEFORE = '<div class="CodeMirror cm-s-default CodeMirrorServer">\n<div class="CodeMirror-code">\n'


def highlight_lines(lines: Sequence[str]) -> str:
    """The first 1,000 lines of a text."""
    shown = "".join(f"<div><pre>{escape(line)}</pre></div>\n" for line in lines[:MAX_LINES])
    return f"{_BEFORE}{shown}</div>\n</div>\n"
