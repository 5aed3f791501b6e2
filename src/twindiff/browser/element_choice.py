"""Decides which of several elements of one name is meant, as a person does who sees the page.

What nobody sees or can use is not meant, nor is what lies behind an open dialog. Links to one address are one. If
several are left, none is meant, and the sentence must say which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twindiff.browser.intent_finder import SeveralControls
from twindiff.browser.visible_text import IS_SEEN

if TYPE_CHECKING:
    from playwright.async_api import Locator

ACTIONS = ("click", "fill", "select", "choose", "check", "hover", "press")
"""Actions that are done to one element."""
MAX_CHOICES = 6
"""Elements that a message names."""


async def choose_element(elements: Locator, selector: str) -> Locator:
    """Return the one that is meant of several visible elements; raises SeveralControls, which names them."""
    chosen: dict[str, Any] = await elements.evaluate_all(_CHOOSE)
    if "at" in chosen:
        return elements.nth(chosen["at"])
    kind, _, name = selector.rpartition(" >> ")[2].rpartition("=")
    places: list[str] = chosen["places"]
    said = "; ".join(places[:MAX_CHOICES]) + ("; …" if len(places) > MAX_CHOICES else "")
    noun = kind if kind in ("button", "link", "field", "checkbox", "radio", "tab") else "element"
    say = f"say 'in the row of \"…\"', or 'the second {noun} \"{name}\"'"
    raise SeveralControls(f"{len(places)} elements are called '{name}': {said}. Say which one is meant: {say}")


_CHOOSE = rf"""all => {{
  const isSeen = {IS_SEEN};
  const keep = (some, is) => {{ const kept = some.filter(is); return kept.length ? kept : some; }};
  const CONTROLS = 'a[href], button, input, select, textarea, summary, [onclick], [contenteditable], [role=button], '
    + '[role=link], [role=tab], [role=menuitem], [role=checkbox], [role=radio], [role=switch], [role=option], '
    + '[role=combobox], [role=textbox]';
  const isDisabled = each => each.matches(':disabled') || each.getAttribute('aria-disabled') === 'true';
  const MODAL = 'dialog:modal, [aria-modal=true]';
  let meant = keep(all, isSeen);
  if ([...document.querySelectorAll(MODAL)].some(isSeen)) meant = keep(meant, each => each.closest(MODAL));
  meant = keep(meant, each => each.matches(CONTROLS));
  meant = meant.filter(each => !meant.some(other => other !== each && each.contains(other)));
  meant = keep(meant, each => !isDisabled(each));
  const targets = meant.map(each => each.tagName === 'A' && each.href && !each.onclick ? each.href : each);
  if (new Set(targets).size === 1) return {{at: all.indexOf(meant[0])}};
  const short = text => {{
    const said = (text || '').replace(/\s+/g, ' ').trim();
    return said.length > 50 ? `${{said.slice(0, 50)}}…` : said;
  }};
  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6, legend')].filter(isSeen);
  const placeOf = each => {{
    const row = each.closest('tr, li, article, [role=row], [role=listitem]');
    if (row) return `in the row '${{short(row.innerText)}}'`;
    const region = each.closest('nav, header, footer, aside, dialog');
    const before = headings.filter(one => one.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
    const kind = each.matches('a[href]') ? 'a link' : each.matches('button, [role=button]') ? 'a button' : 'an element';
    return `${{kind}}${{region ? ` in the ${{region.tagName.toLowerCase()}}` : ''}}`
      + (before ? ` below '${{short(before.innerText)}}'` : '');
  }};
  return {{places: meant.map(placeOf)}};
}}"""
"""Runs in the page; returns `{at}`, the index of the element that is meant, or `{places}` of all that may be."""
