"""The HTML of text previews in Slack's clients: one element per line, without colors.

https://docs.slack.dev/reference/objects/file-object#previews
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MAX_LINES = 1000

_BEFORE = '<div class="CodeMirror cm-s-default CodeMirrorServer">\n<div class="CodeMirror-code">\n'


def highlight_lines(lines: Sequence[str]) -> str:
    """Return the HTML of the first `MAX_LINES` lines."""
    shown = "".join(f"<div><pre>{escape(line)}</pre></div>\n" for line in lines[:MAX_LINES])
    return f"{_BEFORE}{shown}</div>\n</div>\n"
