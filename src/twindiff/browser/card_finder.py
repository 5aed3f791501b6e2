"""Finds the card or section of a page that a text names, where no table or list has a row of it.

A card is one of several neighbours of one tag and class that have controls. A section is what a heading or legend
stands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twindiff.browser.visible_text import IS_SEEN

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator, Page


async def list_cards(scope: Page | Frame, words: str) -> list[Locator]:
    """Return the cards that say these words as a whole, else those that say them in part, else the sections."""
    paths: list[str] = await scope.evaluate(_FIND, words)
    return [scope.locator(f"xpath={each}") for each in paths]


_FIND = rf"""words => {{
  const isSeen = {IS_SEEN};
  const plain = text => (text || '').replace(/\s+/g, ' ').trim().toLowerCase();
  const wanted = plain(words);
  const path = each => each === document.documentElement ? '/html' : path(each.parentElement)
    + `/*[${{[...each.parentElement.children].indexOf(each) + 1}}]`;
  const OUTSIDE = 'nav, header, footer, script, style, table, [role=table], [role=grid]';
  const CONTROLS = 'button, a[href], input, select, textarea, [role=button], [role=link]';
  const squeeze = text => text.replace(/\s+/g, '').toLowerCase();
  // a whole page says what only its navigation or a table does, and is no card of that
  const inside = each => [...each.childNodes].map(node => node.nodeType === Node.TEXT_NODE ? node.textContent
    : node.nodeType === Node.ELEMENT_NODE && !node.matches(OUTSIDE) ? inside(node) : '').join('');
  const says = [...document.body.querySelectorAll('*')].filter(each => !each.closest(OUTSIDE)
    && (` ${{plain(each.innerText)}} `.includes(` ${{wanted}} `)) && isSeen(each)
    && squeeze(inside(each)).includes(squeeze(wanted)));
  const whole = says.filter(each => plain(each.innerText) === wanted);
  const inner = says.filter(each => !says.some(other => other !== each && each.contains(other)));
  const cardOf = each => {{
    for (let at = each; at && at !== document.body; at = at.parentElement) {{
      const isAlike = other => other !== at && other.tagName === at.tagName && other.className === at.className;
      if (at.querySelector(CONTROLS) && (at.matches('article, li') || [...at.parentElement.children].some(isAlike)))
        return at;
    }}
    return null;
  }};
  const SECTIONS = 'section, fieldset, form, aside, dialog, details, [role=region], [role=group], [role=dialog]';
  const sectionOf = each => each.closest('h1, h2, h3, h4, h5, h6, legend, summary')?.closest(SECTIONS) || null;
  for (const find of [cardOf, sectionOf])
    for (const some of [whole, inner]) {{
      const cards = [...new Set(some.map(find).filter(Boolean))];
      if (cards.length) return cards.map(path);
    }}
  return [];
}}"""
"""Runs in the page; returns the XPaths of the cards or sections."""
