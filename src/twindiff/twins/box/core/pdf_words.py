"""Extracts the words of a PDF: `python pdf_words.py` reads a PDF from stdin and writes its words page by page.

It runs as a separate process, because a small PDF can loop a parser endlessly or exhaust memory. The operating system
ends the process after two seconds of CPU time or at half a gigabyte. What was extracted until then is used.
"""

from __future__ import annotations

import io
import logging
import resource
import subprocess
import sys

MAX_PAGES = 20
MAX_FILE_BYTES = 10_000_000
MAX_TEXT_CHARACTERS = 10_000
"""Number of characters after which no further pages are read."""
CPU_SECONDS = 2
WALL_SECONDS = 10
MAX_MEMORY_BYTES = 512 * 2**20


def pdf_words(data: bytes) -> str:
    """Return the words of a PDF that can be extracted within the bounds, or "" if it is not a PDF."""
    if len(data) > MAX_FILE_BYTES or not data.startswith(b"%PDF-"):
        return ""
    command = [sys.executable, "-I", __file__]
    try:
        done = subprocess.run(
            command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=WALL_SECONDS
        )
        output = done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
    return output.decode("utf-8", "replace")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Extract the words of a PDF. A broken PDF ends the process after the words before the defect."""
    _limit()
    from pypdf import PdfReader

    logging.disable(logging.CRITICAL)
    written = 0
    for number, page in enumerate(PdfReader(io.BytesIO(sys.stdin.buffer.read())).pages):
        if number == MAX_PAGES or written >= MAX_TEXT_CHARACTERS:
            return
        words = page.extract_text()
        written += len(words)
        sys.stdout.buffer.write(f"{words[:MAX_TEXT_CHARACTERS]} ".encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
