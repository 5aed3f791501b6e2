"""Finds the entries of a page's table or list: `entry=2 dish` is the second dish, `entry=each row` all rows.

A table or list is meant by a noun if its caption, header, name, heading or address says the noun, or if it is the only
one of a page whose title does. `row` and `item` need no such word, but only one table or list. Else nothing is meant:
a count or an ordinal of the wrong list would be a wrong verdict.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from twindiff.browser.entry_states import StatesUnclear, read_states
from twindiff.browser.intent_finder import SeveralControls, list_verbs
from twindiff.browser.visible_text import IS_SEEN

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator

ENTRY = "entry="
"""`entry=POSITION NOUN`: one entry by its position from 1, `last`, or `each` of them."""
THINGS = "things="
"""`things=NOUN` or `things=NOUN @ PLACE`: all entries, on the page that is called so. `NOUN [STATE]`, here and in
`ENTRY`, are those that show a state."""
NTH = "nth="
"""`nth=POSITION KIND`: an element of a kind by its position on the page."""
VERB = "verb="
"""`verb=VERB`: the only control in an entry whose name begins with a verb."""
LAST, EACH = "last", "each"
AT = " @ "
_OF_STATE = re.compile(r"(?P<noun>.+?) \[(?P<state>[^\[\]]+)\]")


def describe_entries(noun: str, state: str) -> str:
    """Return the entries of a noun, or those of them that show a state, as selectors name them."""
    return f"{noun} [{state}]" if state else noun


class EntriesUnclear(SeveralControls):
    """No single table or list of the page has what is spoken of."""


class PageEntries(NamedTuple):
    """The number of entries that a page has; `entries` is None if the page only says their number."""

    number: int
    entries: list[Locator] | None


async def find_entries(frame: Frame, things: str) -> PageEntries:
    """Return the entries of a `things=` selector without its prefix; raises EntriesUnclear."""
    noun, _, place = things.partition(AT)
    of_state = _OF_STATE.fullmatch(noun)
    asked = {"noun": of_state["noun"] if of_state else noun, "place": place}
    seen: dict[str, Any] = await frame.evaluate(_FIND, asked)
    if "unclear" in seen:
        raise EntriesUnclear(seen["unclear"])
    paths: list[str] | None = seen["paths"]
    entries = None if paths is None else [frame.locator(f"xpath={each}") for each in paths]
    if of_state is None:
        return PageEntries(seen["number"], entries)
    if entries is None:  # the page says their number: its only table or list may have as many
        listed = await find_entries(frame, "entry")
        entries = listed.entries if listed.number == seen["number"] else None
    return await _of_state(frame, entries, of_state["state"])


async def _of_state(frame: Frame, entries: list[Locator] | None, state: str) -> PageEntries:
    """Return the entries that show a state."""
    if entries is None:
        raise EntriesUnclear(f"the page lists no entries that could be '{state}'")
    try:
        shown = await read_states(frame, entries, state)
    except StatesUnclear as error:
        raise EntriesUnclear(str(error)) from None
    meant = [entry for entry, is_shown in zip(entries, shown, strict=True) if is_shown]
    return PageEntries(len(meant), meant)


async def find_entry(frame: Frame, selector: str) -> list[Locator]:
    """Return the entries that an `entry=` selector means, none if there are fewer; raises EntriesUnclear."""
    position, _, noun = selector.removeprefix(ENTRY).partition(" ")
    listed = (await find_entries(frame, noun)).entries
    if listed is None:
        raise EntriesUnclear(f"the page says how many of '{noun}' there are, but lists none")
    if position == EACH:
        return listed
    if position == LAST:
        return listed[-1:]
    return listed[int(position) - 1 : int(position)]


async def find_nth(elements: Locator, position: str) -> Locator | None:
    """Return an element by its position; raises EntriesUnclear where a navigation or header is counted or not."""
    visible = elements.filter(visible=True)
    is_outside: list[bool] = await visible.evaluate_all(_IS_OUTSIDE)
    inside = [number for number, outside in enumerate(is_outside) if not outside]
    at = -1 if position == LAST else int(position) - 1
    if at >= len(is_outside):
        return None
    whole = at % len(is_outside) if is_outside else 0
    if inside and (at >= len(inside) or inside[at] != whole):
        raise EntriesUnclear("the header or navigation has such elements too; name the one that is meant")
    return visible.nth(whole)


def match_verb(verb: str, place: str) -> re.Pattern[str]:
    """Return the pattern of the names of controls that do something, such as `Add Tofu to the basket`."""
    verbs = "|".join(map(re.escape, list_verbs(verb)))
    to = rf"(?!.*\b(?:to|into|from)\b(?!.*\b{re.escape(place)}\b))" if place else ""
    return re.compile(rf"^\W*(?:{verbs})\b{to}", re.IGNORECASE)


_IS_OUTSIDE = """all => all.map(each => !!each.closest(
  'nav, header, footer, [role=navigation], [role=banner], [role=contentinfo], [role=search]'))"""
_FIND = (
    rf"""asked => {{
  const seen = {IS_SEEN};"""
    r"""
  const stem = word => word.toLowerCase().replace(/ies$/, 'y').replace(/(ch|sh|x|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1');
  const words = text => (text || '').replace(/([a-z])([A-Z])/g, '$1 $2').split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean).map(stem);
  const noun = stem(asked.noun);
  const says = text => words(text).includes(noun);
  const path = each => each === document.documentElement ? '/html' : path(each.parentElement)
    + `/*[${[...each.parentElement.children].indexOf(each) + 1}]`;
  const OUTSIDE = 'nav, header, footer, [role=navigation], [role=banner], [role=contentinfo], [role=menu], '
    + '[role=tablist]';
  const TABLES = 'table, [role=table], [role=grid]', LISTS = 'ul, ol, [role=list]';
  const isTable = each => each.matches(TABLES);
  const holders = [...document.querySelectorAll(`${TABLES}, ${LISTS}`)].filter(each => !each.closest(OUTSIDE)
    && !each.parentElement.closest(`${TABLES}, ${LISTS}`));
  const articles = [...document.querySelectorAll('article, [role=article]')];
  for (const parent of new Set(articles.map(each => each.parentElement)))
    if (!parent.closest(`${TABLES}, ${LISTS}, ${OUTSIDE}`)) holders.push(parent);
  const cells = row => [...row.querySelectorAll('td, [role=cell], [role=gridcell]')];
  const isSpanning = row => cells(row).length === 1 && row.cells && row.cells[0].colSpan > 1;
  const entries = holder => (isTable(holder)
    ? [...holder.querySelectorAll('tr, [role=row]')].filter(row => cells(row).length && !row.closest('tfoot')
        && !isSpanning(row) && row.closest(TABLES) === holder)
    : [...holder.children].filter(each => each.matches('li, [role=listitem], article, [role=article]'))).filter(seen);
  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6, [role=heading]')].filter(seen);
  const before = holder => headings.filter(each => !holders.some(other => other.contains(each))
    && each.compareDocumentPosition(holder) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
  const marks = each => [each.id, each.getAttribute('class'), each.dataset.testid, each.getAttribute('aria-label')];
  const isNamed = holder => [...marks(holder), holder.caption?.innerText, before(holder)?.innerText,
    document.getElementById(holder.getAttribute('aria-labelledby'))?.innerText,
    ...[...holder.querySelectorAll('th, [role=columnheader]')].map(each => each.innerText),
    ...entries(holder).slice(0, 1).flatMap(each => [...marks(each),
      ...[...each.querySelectorAll('input[type=hidden]')].map(input => input.name)])].some(says);
  const titles = [document.title, location.pathname, ...headings.map(each => each.innerText)];
  if (asked.place && !titles.some(each => words(each).includes(stem(asked.place))))
    return {unclear: `nothing on the page says that it is the ${asked.place}`};
  const isAny = ['row', 'item', 'entry', 'result', 'line', 'person', 'people'].includes(noun);
  let meant = holders.filter(each => isTable(each) || (noun !== 'row' && entries(each).length));
  if (!isAny) {
    const named = meant.filter(isNamed);
    meant = named.length ? named : titles.some(says) ? meant : [];
  }
  if (meant.filter(seen).length) meant = meant.filter(seen);
  if (meant.length > 1) return {unclear: `${meant.length} tables or lists may have what '${asked.noun}' means`};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), told = [];
  for (let node; (node = walker.nextNode());) {
    const parent = node.parentElement;
    const isOther = !parent.closest('script, style') && !(meant[0] && meant[0].contains(node));
    if (isOther && seen(parent)) told.push(node.data);
  }
  const said = new Set();
  const text = told.join(' ').split(/[^\p{L}\p{N}.,]+/u).filter(Boolean);
  text.forEach((word, at) => {
    const next = text[at + 1];
    if (!next || stem(next.replace(/[.,]+$/, '')) !== noun || isAny) return;
    if (/^\d{1,6}$/.test(word)) said.add(Number(word));
    if (/^(no|zero)$/i.test(word)) said.add(0);
  });
  const count = meant.length ? entries(meant[0]).length : null;
  const numbers = [...said];
  if (count === null && numbers.length !== 1) return {unclear: numbers.length
    ? `the page says several numbers of '${asked.noun}': ${numbers.join(', ')}`
    : `the page has no table or list of which it says that its entries are '${asked.noun}'`};
  if (count !== null && numbers.some(each => each !== count))
    return {unclear: `the page says ${numbers.join(', ')} of '${asked.noun}', and lists ${count}`};
  const paths = count === null ? (numbers[0] ? null : []) : entries(meant[0]).map(path);
  return {number: count ?? numbers[0], paths};
}"""
)
"""Runs in the page; returns `{number, paths}`, with null for paths that are not listed, or `{unclear}`."""
