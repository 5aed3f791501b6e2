"""Describes to a model what a page shows, as the tree of its roles and names."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from twindiff.browser.element_finder import list_frames
from twindiff.browser.page_text import normalize_blanks

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

MAX_OUTLINE_CHARACTERS = 12_000
"""Characters of the tree of a page, with its frames, that a model is told."""
OUTLINE_SECONDS = 2.0
"""Seconds that a frame has to list its tree; a frame that is slower is left out, and said to be."""
_FIELD = re.compile(r"^(\s*- textbox\b.*?): (.*)$", re.MULTILINE)
_ADDRESS = re.compile(r"^\s*- /url:.*\n?", re.MULTILINE)
_PASSWORDS = "() => [...document.querySelectorAll('input[type=password]')].map(each => each.value)"


async def outline_page(page: Page) -> str:
    """Return the roles, names and texts that a page and its visible frames show, without what password fields hold."""
    trees = [await _outline_frame(each) for each in await list_frames(page)]
    whole = "\n".join([trees[0], *(f"In a frame:\n{each}" for each in trees[1:])])
    more = len(whole) - MAX_OUTLINE_CHARACTERS
    return whole if more <= 0 else f"{whole[:MAX_OUTLINE_CHARACTERS]}\n({more} characters more are left out)"


async def _outline_frame(frame: Frame) -> str:
    from playwright.async_api import Error

    try:
        passwords: list[str] = await asyncio.wait_for(frame.evaluate(_PASSWORDS), OUTLINE_SECONDS)
        tree = await frame.locator("body").aria_snapshot(timeout=OUTLINE_SECONDS * 1000)
    except (Error, TimeoutError) as error:
        return f"(cannot be read: {str(error).partition(chr(10))[0]})"
    hidden = {normalize_blanks(each) for each in passwords if each}

    def mask(line: re.Match[str]) -> str:
        return f"{line[1]}: (hidden)" if _read_scalar(line[2]) in hidden else line[0]

    return _ADDRESS.sub("", _FIELD.sub(mask, tree))


def _read_scalar(given: str) -> str:
    """Return the text of a scalar of the tree, which is quoted where YAML would read it as something else."""
    try:
        return normalize_blanks(json.loads(given) if given.startswith('"') else given)
    except ValueError:
        return normalize_blanks(given.strip('"'))
