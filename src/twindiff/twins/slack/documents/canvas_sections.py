"""A canvas as a list of sections: paragraphs, headings, lists and the like, between empty lines of its markdown."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

_HEADING = re.compile(r"(#{1,6})\s")
_FENCE = "```"


class Section(NamedTuple):
    id: str
    text: str

    @property
    def heading(self) -> str:
        """`h1`, `h2`, `h3`; empty for all other text."""
        match = _HEADING.match(self.text)
        return f"h{min(3, len(match[1]))}" if match else ""


def sections_of(canvas_id: str, markdown: str) -> list[Section]:
    """The sections of a canvas; one that is not touched keeps its id when others change."""
    seen: dict[str, int] = {}
    sections: list[Section] = []
    for text in _paragraphs(markdown):
        seen[text] = seen.get(text, 0) + 1
        digest = blake2b(f"{canvas_id}/{seen[text]}/{text}".encode(), digest_size=14).hexdigest()
        sections.append(Section(f"temp:C:{digest}", text))
    return sections


def _paragraphs(markdown: str) -> list[str]:
    """Texts between empty lines; a heading is one of its own, and code is not cut."""
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


def join_sections(texts: list[str]) -> str:
    """The markdown of these sections."""
    return "\n\n".join(text for text in texts if text.strip())
