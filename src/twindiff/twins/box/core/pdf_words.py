"""The words of a PDF: `python pdf_words.py` reads it from its input and writes them page by page.

It is a process of its own, since a small PDF can keep a reader busy for ever or fill the memory: the system ends it
after two seconds of work or at half a gigabyte, and what has been read until then stands.
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
"""Letters that are looked for; pages after them are not read."""
CPU_SECONDS = 2
WALL_SECONDS = 10
MAX_MEMORY_BYTES = 512 * 2**20


def pdf_words(data: bytes) -> str:
    """What can be read of a PDF within bounds; "" for what is none."""
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
    """Read a PDF; a broken one ends the process, and has the words that came before."""
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
