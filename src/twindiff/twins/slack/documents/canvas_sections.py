"""Splitting of a canvas's markdown into sections (paragraphs, headings, lists and so on) at empty lines."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

_HEADING = re.compile(r"(#{1,6})\s")
_FENCE = "```"
_DEEP_HEADING = re.compile(r"#{4,6}\s")
_DELIMITERS = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")


class Section(NamedTuple):
    id: str
    text: str

    @property
    def heading(self) -> str:
        """The heading level: `h1`, `h2` or `h3`; empty for other text."""
        match = _HEADING.match(self.text)
        return f"h{min(3, len(match[1]))}" if match else ""


def sections_of(canvas_id: str, markdown: str) -> list[Section]:
    """Return the sections of a canvas; unchanged sections keep their ids when others change."""
    seen: dict[str, int] = {}
    sections: list[Section] = []
    for text in _paragraphs(markdown):
        seen[text] = seen.get(text, 0) + 1
        digest = blake2b(f"{canvas_id}/{seen[text]}/{text}".encode(), digest_size=14).hexdigest()
        sections.append(Section(f"temp:C:{digest}", text))
    return sections


def _paragraphs(markdown: str) -> list[str]:
    """Split at empty lines; a heading is a paragraph of its own, and code blocks stay whole."""
    paragraphs: list[list[str]] = [[]]
    in_code = False
    for line in markdown.splitlines():
        is_heading = not in_code and bool(_HEADING.match(line))
        if is_heading or (not line.strip() and not in_code):
            paragraphs.append([])
        if line.strip() or in_code:
            paragraphs[-1].append(line)
        if is_heading:
            paragraphs.append([])
        in_code ^= line.lstrip().startswith(_FENCE)
    return ["\n".join(lines) for lines in paragraphs if lines]


def find_unsupported_markdown(markdown: str) -> str | None:
    """Return Slack's words for what a canvas does not take: headings below the third level, and broken tables.

    https://github.com/slackapi/python-slack-sdk/issues/1720
    """
    lines, in_code = markdown.splitlines(), False
    for number, line in enumerate(lines, 1):
        in_code ^= line.lstrip().startswith(_FENCE)
        if in_code:
            continue
        if _DEEP_HEADING.match(line):
            depth = len(line) - len(line.lstrip("#"))
            return f"'content' error: line {number}: Unsupported heading depth ({depth})"
        is_delimiter = number > 1 and "|" in line and _DELIMITERS.fullmatch(line.strip())
        if is_delimiter and _count_cells(lines[number - 2]) != _count_cells(line):
            return f"'content' error: line {number - 1}: Unsupported table type"
    return None


def _count_cells(line: str) -> int:
    return line.strip().strip("|").count("|") + 1


def join_sections(texts: list[str]) -> str:
    """Join sections to markdown."""
    return "\n\n".join(text for text in texts if text.strip())
