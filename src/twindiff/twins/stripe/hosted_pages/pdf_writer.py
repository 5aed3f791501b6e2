"""A minimal PDF 1.4 writer: pages of text in one monospaced font."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from twindiff.kit import Response

SIZES = {"a4": (595, 842), "letter": (612, 792)}
"""Width and height of page sizes, in points."""
_MARGIN = 54
_FONT_SIZE = 10
_LETTER_WIDTH = 6
_LINE_HEIGHT = 14
_AMOUNT = 16
"""Maximum characters of an amount."""
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"
_NUMBER_OF_FONT, _FIRST_PAGE = 3, 4


def columns(size: str) -> int:
    """Return the number of characters in a line of a page size."""
    return (SIZES[size][0] - 2 * _MARGIN) // _LETTER_WIDTH


def row(what: str, amount: str, size: str) -> list[str]:
    """Return the lines of a description, with its amount aligned to the right of the first line."""
    left = columns(size) - _AMOUNT
    first, *rest = wrap(what, left - 1) or [""]
    return [f"{first:<{left}}{amount:>{_AMOUNT}}", *rest]


def document(lines: Sequence[str], size: str) -> bytes:
    """Return a PDF of text lines; characters outside Windows-1252 become question marks."""
    height = SIZES[size][1]
    fitting = (height - 2 * _MARGIN) // _LINE_HEIGHT
    wrapped = [part for line in lines for part in (wrap(line, columns(size), drop_whitespace=False) or [""])]
    pages = [wrapped[at : at + fitting] for at in range(0, len(wrapped), fitting)] or [[]]
    return b"".join(_file([*_objects(pages, size)]))


def _objects(pages: Sequence[Sequence[str]], size: str) -> Iterator[bytes]:
    """Yield the PDF objects: catalog, page list, font, and each page followed by its content."""
    width, height = SIZES[size]
    kids = " ".join(f"{_FIRST_PAGE + 2 * at} 0 R" for at in range(len(pages)))
    yield b"<< /Type /Catalog /Pages 2 0 R >>"
    yield f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    yield _FONT
    for at, lines in enumerate(pages):
        fonts = f"<< /Font << /F {_NUMBER_OF_FONT} 0 R >> >>"
        box, contents = f"[0 0 {width} {height}]", f"{_FIRST_PAGE + 2 * at + 1} 0 R"
        yield (f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources {fonts} /Contents {contents} >>".encode())
        shown = b"\n".join(b"(" + _escape_line(line) + b") '" for line in lines)
        top = height - _MARGIN
        text = f"BT /F {_FONT_SIZE} Tf {_LINE_HEIGHT} TL {_MARGIN} {top} Td\n".encode() + shown + b"\nET"
        yield f"<< /Length {len(text)} >>\nstream\n".encode() + text + b"\nendstream"


def _escape_line(line: str) -> bytes:
    known = line.encode("cp1252", "replace")
    return known.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)").replace(b"\r", b" ")


def _file(objects: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the parts of a PDF file: objects, and the cross-reference table of their byte offsets."""
    yield (start := b"%PDF-1.4\n")
    at, places = len(start), list[int]()
    for number, each in enumerate(objects, 1):
        places.append(at)
        yield (part := b"%d 0 obj\n%s\nendobj\n" % (number, each))
        at += len(part)
    yield b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    yield b"".join(b"%010d 00000 n \n" % place for place in places)
    yield b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, at)


def pdf_answer(lines: Sequence[str], size: str, name: str) -> Response:
    """Build the response of a PDF document; `name` is its file name without extension."""
    shown = (("Content-Disposition", f'inline; filename="{name}.pdf"'),)
    return Response(document(lines, size), 200, "application/pdf", shown)
