"""File types by file name, with the name of each type and the display mode.

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
"""Display names by file type; each text type can be the type of a snippet."""

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
"""The file types in each kind that files.list filters by."""


class Kind(NamedTuple):
    """A file type: `filetype` is Slack's short name, `mode` is `snippet` for text and `hosted` otherwise."""

    filetype: str
    mimetype: str
    pretty: str
    mode: str


def filetype_of(name: str) -> str:
    """Return the file type for a file name; `binary` if unknown."""
    _, dot, ending = name.rpartition(".")
    return _BY_ENDING.get(ending.lower(), "binary") if dot else "binary"


def endings_of(filetypes: Collection[str]) -> list[str]:
    """Return the file name extensions of these file types."""
    return [ending for ending, filetype in _BY_ENDING.items() if filetype in filetypes]


def kind_of(name: str, filetype: str) -> Kind:
    """Return type, MIME type, display name and mode of a file."""
    guessed = mimetypes.guess_type(name)[0]
    is_text = filetype in _PRETTY and filetype not in _NO_TEXT
    mimetype = "text/plain" if is_text else guessed or "application/octet-stream"
    pretty = _PRETTY.get(filetype, filetype.capitalize() or "Binary")
    return Kind(filetype, mimetype, pretty, "snippet" if is_text else "hosted")
