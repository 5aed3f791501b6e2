"""Extracts the text of files for searches, up to Box's own limits and within bounded work.

https://support.box.com/hc/en-us/articles/360043696314-Searching-for-Files-Folders-and-Content
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from html import unescape
from zipfile import BadZipFile, ZipFile

from .pdf_words import MAX_TEXT_CHARACTERS, pdf_words
from .row_stamps import extension_of

MAX_READ_BYTES = 1_000_000
"""Number of bytes of a packed document that are unpacked. The text after them is not searchable."""

_PLAIN_KINDS = """
txt md markdown csv tsv json xml html htm log yaml yml ini cfg py js ts css sql sh rtf mhtml eml tex ics vcf
"""
_PLAIN = frozenset(_PLAIN_KINDS.split())
_PARTS = {
    "docx": re.compile(r"word/(document|footnotes|header\d*|footer\d*)\.xml"),
    "xlsx": re.compile(r"xl/(sharedStrings|worksheets/sheet\d+)\.xml"),
    "pptx": re.compile(r"ppt/slides/slide\d+\.xml"),
}
"""The parts of Office documents that hold words, in elements named `t`."""
_TEXT = re.compile(rb"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</|<(/)(?:\w+:)?(?:p|si|row)>")
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def text_of(data: bytes, name: str) -> str:
    """Return the text at the beginning of a file; "" if it has none or does not match its extension."""
    kind = extension_of(name).lower()
    reader = _reader(kind)
    return re.sub(r"\s+", " ", reader(data, kind))[:MAX_TEXT_CHARACTERS].strip() if reader else ""


def has_text(name: str) -> bool:
    """Return whether files with that name's extension have a text."""
    return _reader(extension_of(name).lower()) is not None


def whole_text_of(data: bytes, name: str) -> str:
    """Return the whole text of a plain-text file, with its lines; of other files, the text that searches use."""
    return data.decode("utf-8", "replace") if extension_of(name).lower() in _PLAIN else text_of(data, name)


def _reader(kind: str) -> Callable[[bytes, str], str] | None:
    if kind in _PLAIN:
        return _plain
    if kind in _PARTS:
        return _extract_office_words
    return _pdf if kind == "pdf" else None


def _plain(data: bytes, kind: str) -> str:
    text = data[: 8 * MAX_TEXT_CHARACTERS].decode("utf-8", "replace")
    return unescape(_TAG.sub(" ", text)) if kind in ("html", "htm", "xml") else text


def _extract_office_words(data: bytes, kind: str) -> str:
    """Return the words of an Office document. Libraries for them would unpack the whole document into memory."""
    try:
        with ZipFile(io.BytesIO(data)) as package:
            names = [name for name in package.namelist()[:10_000] if _PARTS[kind].fullmatch(name)]
            return " ".join(_words(_beginnings(package, sorted(names))))
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError):
        return ""


def _beginnings(package: ZipFile, names: list[str]) -> Iterator[bytes]:
    """Yield parts of a package, in total no more than the limit for unpacking."""
    room = MAX_READ_BYTES
    for name in names:
        with package.open(name) as part:
            data = part.read(room)
        room -= len(data)
        yield data
        if room <= 0:
            return


def _words(parts: Iterator[bytes]) -> Iterator[str]:
    for part in parts:
        run: list[str] = []
        for match in _TEXT.finditer(part):
            if match[2]:
                yield "".join(run)
                run = []
            else:
                run.append(unescape(match[1].decode("utf-8", "replace")))
        yield "".join(run)


def _pdf(data: bytes, kind: str) -> str:
    return pdf_words(data)
