"""What a person sees of a page, as scripts that run in it.

`innerText` has the options of closed lists too, and texts that are transparent, clipped to nothing or beside the page.
Nobody reads them, so that a verdict on them would be wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Locator

IS_SEEN = r"""each => {
  const isScroller = (one, style) => /auto|scroll/.test(style.overflowX + style.overflowY)
    && (one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth);
  const isThere = element => {
    const box = element.getBoundingClientRect(), root = document.documentElement;
    if (!element.getClientRects().length || getComputedStyle(element).visibility !== 'visible') return false;
    if (!element.checkVisibility()) return false;  // in details that are closed
    let isInScroller = false;
    for (let one = element; one && one !== root; one = one.parentElement || one.getRootNode().host) {
      const style = getComputedStyle(one), own = one.getBoundingClientRect();
      if (style.opacity === '0') return false;
      isInScroller ||= one !== document.body && isScroller(one, style);
      const clips = one !== document.body && style.overflowX !== 'visible' && style.display !== 'contents';
      if (clips && (own.width <= 1 || own.height <= 1)) return false;
    }
    if (isInScroller) return true;
    return box.right + scrollX > 0 && box.bottom + scrollY > 0
      && box.left + scrollX < Math.max(root.scrollWidth, innerWidth);
  };
  return [each, ...(each.labels || [])].some(isThere);
}"""
"""Whether a person sees an element, or its label where a picture stands for it."""
TEXT_OF = rf"""root => {{
  const isSeen = {IS_SEEN}, known = new Map(), parts = [];
  const sees = element => known.has(element) ? known.get(element) : known.set(element, isSeen(element)).get(element);
  const range = document.createRange();
  const cases = {{
    uppercase: text => text.toUpperCase(), lowercase: text => text.toLowerCase(),
    capitalize: text => text.replace(/(^|[^\p{{L}}\p{{N}}'\u2019])\p{{L}}/gu, each => each.toUpperCase()),
  }};
  const write = (node, parent) => {{
    range.selectNodeContents(node);
    if (![...range.getClientRects()].some(box => box.width > 0 && box.height > 0)) {{
      if (/^\s+$/.test(node.data)) parts.push(' ');
    }} else if (sees(parent)) {{
      parts.push((cases[getComputedStyle(parent).textTransform] || (text => text))(node.data));
    }}
  }};
  const walk = element => {{
    if (element.tagName === 'SELECT') {{
      const isOpen = element.multiple || element.size > 1;
      if (sees(element)) parts.push('\n', ...[...(isOpen ? element.options : element.selectedOptions)]
        .map(each => `${{each.label}}\n`));
      return;
    }}
    if (/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|TEXTAREA|IFRAME)$/.test(element.tagName)) return;
    const display = getComputedStyle(element).display;
    if (display === 'none') return;
    const isApart = element.tagName === 'BR' || !/^(inline|contents|ruby)/.test(display);
    const gap = isApart ? '\n' : '';
    parts.push(gap);
    const slotted = element.tagName === 'SLOT' ? element.assignedNodes() : [];
    for (const node of slotted.length ? slotted : (element.shadowRoot || element).childNodes) {{
      if (node.nodeType === Node.TEXT_NODE) write(node, node.parentElement || element);
      if (node.nodeType === Node.ELEMENT_NODE) walk(node);
    }}
    parts.push(gap);
  }};
  walk(root);
  return parts.join('');
}}"""
"""The text that a person reads in an element."""


async def list_texts(elements: Locator) -> list[str]:
    """Return the visible text of each element that there is now; does not wait for one that has gone meanwhile."""
    return await elements.evaluate_all(f"all => all.map({TEXT_OF})")
