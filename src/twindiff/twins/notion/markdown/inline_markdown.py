"""Markdown inside a paragraph, to and from rich text."""

from __future__ import annotations

from typing import Any


def read_inline(text: str) -> list[dict[str, Any]]:
    """Return the rich text of a line of Markdown, as a request has it."""
    return [{"text": {"content": text}}]
