"""What Slack makes of a file's name: its type, the name of that type, and how it is shown.

https://docs.slack.dev/reference/objects/file-object#types
"""

from __future__ import annotations

import mimetypes
from collections.abc import Collection
from typing import NamedTuple

_PRETTY = {
    "binary": "Binary",
    "c": "C",
    "cpp": "C++",
    "css": "CSS",
    "csv": "CSV",
    "docx": "Word Document",
    "gif": "GIF",
    "go": "Go",
    "gzip": "Gzip",
    "html": "HTML",
    "java": "Java",
    "javascript": "JavaScript",
    "jpg": "JPEG",
    "json": "JSON",
    "markdown": "Markdown (raw)",
    "mp3": "MP3",
    "mp4": "MPEG 4 Video",
    "pdf": "PDF",
    "png": "PNG",
    "pptx": "PowerPoint Presentation",
    "python": "Python",
    "ruby": "Ruby",
    "rust": "Rust",
    "shell": "Shell",
    "sql": "SQL",
    "svg": "SVG",
    "text": "Plain Text",
    "typescript": "TypeScript",
    "xlsx": "Excel Spreadsheet",
    "xml": "XML",
    "yaml": "YAML",
    "zip": "Zip",
}
"""The types by their short names; a snippet may be of each that is text."""

_BY_ENDING = {
    **{name: name for name in _PRETTY},
    "gz": "gzip",
    "htm": "html",
    "jpeg": "jpg",
    "js": "javascript",
    "log": "text",
    "md": "markdown",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "shell",
    "ts": "typescript",
    "txt": "text",
    "yml": "yaml",
}
_NO_TEXT = frozenset(["binary", "docx", "gif", "gzip", "jpg", "mp3", "mp4", "pdf", "png", "pptx", "svg", "xlsx", "zip"])

IMAGES = ("gif", "jpg", "png", "svg")

FAMILIES: dict[str, tuple[str, ...]] = {
    "images": IMAGES,
    "pdfs": ("pdf",),
    "zips": ("zip", "gzip"),
    "snippets": tuple(sorted(_PRETTY.keys() - _NO_TEXT)),
    "spaces": (),
    "gdocs": (),
}
"""The kinds of files that files.list can be asked for, by the types that are of each."""


class Kind(NamedTuple):
    """`filetype` is Slack's short name, `mode` is snippet for text and hosted for the rest."""

    filetype: str
    mimetype: str
    pretty: str
    mode: str


def filetype_of(name: str) -> str:
    """The type of a file with this name; `binary` for an unknown one."""
    _, dot, ending = name.rpartition(".")
    return _BY_ENDING.get(ending.lower(), "binary") if dot else "binary"


def endings_of(filetypes: Collection[str]) -> list[str]:
    """The endings of names that files of these types have."""
    return [ending for ending, filetype in _BY_ENDING.items() if filetype in filetypes]


def kind_of(name: str, filetype: str) -> Kind:
    """What is known of a file by its name and type."""
    guessed = mimetypes.guess_type(name)[0]
    is_text = filetype in _PRETTY and filetype not in _NO_TEXT
    mimetype = "text/plain" if is_text else guessed or "application/octet-stream"
    pretty = _PRETTY.get(filetype, filetype.capitalize() or "Binary")
    return Kind(filetype, mimetype, pretty, "snippet" if is_text else "hosted")
