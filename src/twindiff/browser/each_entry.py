"""Each entry of a table or list, one after the other: `entry=each ticket >> button=Close`.

An entry is known by its first text that no other entry has, since an action may remove, change or move it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twindiff.browser.element_choice import choose_element
from twindiff.browser.element_finder import INSIDE, locators
from twindiff.browser.entry_finder import EACH, ENTRY, EntriesUnclear, find_entry
from twindiff.browser.visible_text import TEXT_OF

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

MAX_ENTRIES = 50
"""Entries that a sentence acts on one by one."""
_PARTS = rf"""each => [...each.querySelectorAll('*')].filter(one => !one.children.length)
  .map(one => ({TEXT_OF})(one).replace(/\s+/g, ' ').trim()).filter(Boolean)"""
"""The texts of the innermost elements of an entry."""
_CELL = rf"""(each, column) => {{
  const textOf = {TEXT_OF}, plain = text => text.replace(/\s+/g, ' ').trim();
  const heads = [...(each.closest('table')?.rows[0]?.cells || [])].filter(one => one.tagName === 'TH');
  const at = heads.findIndex(one => plain(textOf(one)).toLowerCase() === column.toLowerCase());
  if (at >= 0) return each.cells?.[at] ? plain(textOf(each.cells[at])) : null;
  const text = plain(textOf(each)), begin = text.toLowerCase().indexOf(`${{column.toLowerCase()}}:`);
  return begin < 0 ? null : text.slice(begin + column.length + 1).trim().split(' ')[0];
}}"""


def is_of_each(selector: str | None) -> bool:
    """Return whether a selector means an element in each entry."""
    return (selector or "").startswith(f"{ENTRY}{EACH} ") and INSIDE in (selector or "")


async def list_entry_keys(page: Page, entry: str) -> list[str]:
    """Return the text that identifies each entry; raises EntriesUnclear where two entries say the same."""
    texts = await _texts_of(page, entry)
    keys = [_key_of(own, [other for other in texts if other is not own]) for own in texts]
    if None in keys:
        raise EntriesUnclear("two entries say the same, so that they cannot be told apart")
    return [key for key in keys if key]


async def _texts_of(page: Page, entry: str) -> list[list[str]]:
    return [await each.evaluate(_PARTS) for each in await find_entry(page.main_frame, entry)]


def _key_of(own: list[str], others: list[list[str]]) -> str | None:
    return next((text for text in own if not any(text in other for other in others)), None)


async def find_in_entry(page: Page, entry: str, key: str, inner: str, action: str) -> Locator | None:
    """Return an element in the entry of a key, None without one; raises SeveralControls for several."""
    for each, texts in zip(await find_entry(page.main_frame, entry), await _texts_of(page, entry), strict=True):
        if key not in texts:
            continue
        for locator in locators(each, inner, action):
            seen = locator.filter(visible=True)
            if count := await seen.count():
                return seen.first if count == 1 else await choose_element(seen, inner)
    return None


async def look_in_entries(page: Page, entry: str, column: str) -> list[str | None]:
    """Return what entries say below the header of a column, or beside a label; None where they lack it."""
    return [await each.evaluate(_CELL, column) for each in await find_entry(page.main_frame, entry)]
