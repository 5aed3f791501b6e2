"""Reads whether an entry of a page shows a state: a cell, a badge or a line whose whole text is the state, in any case.

A state that is only a part of a text, or that the page shows nowhere, is neither shown nor absent: a verdict on it
would be a guess.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from twindiff.browser.visible_text import IS_SEEN, TEXT_OF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.async_api import Frame, Locator

STATUS_COLUMNS = ("status", "state", "stage", "condition", "availability")
"""Headers of columns that say the state of a row."""
_SAID_AS_STATE = """
accepted active approved archived assigned available blocked booked cancelled canceled closed completed
confirmed deactivated declined delivered done draft expired failed finished frozen full inactive live lost
open overdue paid paused pending planned published refunded rejected rented resolved reserved returned
scheduled sent shipped started stopped submitted suspended unpaid
in_progress in_review in_stock on_hold on_loan checked_in out_of_stock sold_out checked_out
"""
STATUSES = frozenset(word.replace("_", " ") for word in _SAID_AS_STATE.split())
"""States of which a column of states, or a badge, says the opposite by saying something else."""
MAX_SAID = 120
_COUNTED = re.compile(r"(\d{1,6}) ([a-z][a-z -]*)")


class StatesUnclear(Exception):
    """The page does not say whether an entry has a state."""


class EntryReading(NamedTuple):
    """What an entry says: the numbers of the columns that show a state, and of those that say something similar.

    What stands in no cell is in the column -1. `head` is the column of states.
    """

    columns: list[int]
    similar: list[int]
    head: int
    is_told: bool
    """Whether the entry says its state somewhere: below the header of such a column, or in a badge."""
    says: str


async def read_states(frame: Frame, entries: Sequence[Locator], state: str) -> list[bool]:
    """Return which entries show a state; raises StatesUnclear with what they say instead."""
    counted = _COUNTED.fullmatch(state.lower())
    if counted:
        return [await _has_number(each, int(counted[1]), counted[2]) for each in entries]
    readings = [EntryReading(**await each.evaluate(_READ, _to_arguments(state))) for each in entries]
    columns = {column for each in readings for column in each.columns}
    if len(columns) > 1:
        raise StatesUnclear(f"'{state}' stands in several columns")
    lacking = [each for each in readings if not each.columns]
    for each in lacking:
        places = columns or ({each.head} if each.head >= 0 else set(each.similar))
        if places & set(each.similar):
            raise StatesUnclear(f"'{state}' is only similar to what the entry says: {each.says[:MAX_SAID]}")
    is_known = len(lacking) < len(readings) or not lacking or await frame.evaluate(_IS_KNOWN, _to_arguments(state))
    is_status = state.lower() in STATUSES
    if not is_known and not (is_status and all(each.is_told for each in lacking)):
        raise StatesUnclear(f"the page shows nothing as '{state}'; an entry says: {lacking[0].says[:MAX_SAID]}")
    return [bool(each.columns) for each in readings]


async def is_called(entry: Locator, name: str) -> bool:
    """Return whether a name is what an entry is about: only numbers stand before it, or it is a heading."""
    return await entry.evaluate(_IS_CALLED, {"state": name})


async def _has_number(entry: Locator, number: int, noun: str) -> bool:
    """Return whether an entry says a number of something: `2 spots left`, or 2 below the header `Spots`."""
    seen: dict[str, Any] = await entry.evaluate(_READ_NUMBERS, noun)
    if len(seen["numbers"]) != 1:
        raise StatesUnclear(f"the entry does not say one number of '{noun}': {seen['says'][:MAX_SAID]}")
    return seen["numbers"][0] == number


def _to_arguments(state: str) -> dict[str, Any]:
    return {"state": state, "heads": STATUS_COLUMNS}


_TEXTS = rf"""
  const isSeen = {IS_SEEN}, textOf = {TEXT_OF};
  const plain = text => (text || '').replace(/\s+/g, ' ').trim().toLowerCase();
  const escape = text => text.replace(/[.*+?^${{}}()|[\]\\]/g, '\\$&');
  const LETTER = '[\\p{{L}}\\p{{N}}]';
  const has = (text, part) => new RegExp(`(?<!${{LETTER}})${{escape(part)}}(?!${{LETTER}})`, 'u').test(text);
  const labelled = new RegExp(`^(?:${{(asked.heads || []).join('|')}}): *`);
  const parts = text => text.split(/[·•|\u2013\u2014;\n]/).map(each => plain(each).replace(labelled, ''))
    .filter(Boolean);
"""
_READ = (
    r"""(entry, asked) => {"""
    + _TEXTS
    + r"""
  const wanted = plain(asked.state), isName = asked.state !== asked.state.toLowerCase();
  const CONTROLS = 'button, input, textarea, option, summary, [role=button], [role=menuitem], [role=tab]'
    + (isName ? '' : ', a[href]');
  const inner = [entry, ...entry.querySelectorAll('*')].filter(each => !each.closest(CONTROLS) && isSeen(each)
    && (each.tagName === 'SELECT' || ![...each.children].some(one => one.tagName !== 'OPTION')
        || [...each.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())));
  const textsOf = each => each.tagName === 'SELECT' || !each.children.length ? [textOf(each)]
    : [textOf(each), ...[...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data)];
  const said = inner.flatMap(each => textsOf(each).flatMap(parts).map(text => ({each, text})));
  const columnOf = ({each}) => {
    const cell = each.closest('td, th, [role=cell], [role=gridcell]');
    return cell ? [...cell.parentElement.children].indexOf(cell) : -1;
  };
  const columnsOf = some => [...new Set(some.map(columnOf))];
  const whole = said.filter(one => one.text === wanted);
  const similar = said.filter(({text}) => text !== wanted && (has(text, wanted)
    || (text.length > 2 && has(wanted, text))));
  const heads = [...(entry.closest('table')?.rows[0]?.cells || [])].map(each => plain(textOf(each)));
  const at = heads.findIndex(head => asked.heads.includes(head));
  const BADGE = /(^|[\s_-])(badge|status|state|tag|pill|chip)([\s_-]|$)/;
  const isBadge = each => BADGE.test(each.getAttribute('class') || '');
  const isTold = at >= 0 ? Boolean(entry.cells?.[at] && plain(textOf(entry.cells[at]))) : inner.some(isBadge);
  return {columns: columnsOf(whole), similar: columnsOf(similar), head: at, is_told: isTold,
    says: plain(textOf(entry))};
}"""
)
"""Reads one entry; what stands on a button is no state, and neither is what a link in small letters says."""
_IS_CALLED = (
    r"""(entry, asked) => {"""
    + _TEXTS
    + r"""
  if (entry.matches('body, main')) return true;
  const wanted = plain(asked.state), first = plain(textOf(entry)), at = first.indexOf(wanted);
  const isNumber = text => text.split(' ').every(word => !word || !/^\p{L}+$/u.test(word));
  const titles = [...entry.querySelectorAll('h1, h2, h3, h4, h5, h6, strong, th, [role=rowheader]')];
  return (at >= 0 && isNumber(first.slice(0, at))) || titles.some(each => plain(textOf(each)) === wanted);
}"""
)
_IS_KNOWN = (
    r"""asked => {"""
    + _TEXTS
    + r"""
  const wanted = plain(asked.state), ENTRIES = 'td, [role=cell], [role=gridcell], li, article, [role=listitem]';
  const isEntry = each => each.closest(ENTRIES) && !each.closest('nav, header, footer, button, a[href]');
  const isWhole = each => parts(textOf(each)).includes(wanted) && isSeen(each);
  return [...document.querySelectorAll('select option')].some(each => plain(each.label) === wanted)
    || [...document.querySelectorAll('*')].some(each => isEntry(each) && !each.children.length && isWhole(each));
}"""
)
"""Returns whether another entry, or an option, of the page shows a state."""
_READ_NUMBERS = (
    r"""(entry, noun) => { const asked = {};"""
    + _TEXTS
    + r"""
  const stem = word => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  const [first, ...rest] = noun.split(' ');
  const said = plain(textOf(entry));
  const ending = rest.length ? ` ${escape(rest.join(' '))}` : '';
  const told = new RegExp(`(\\d+) ${escape(stem(first)).replace(/y$/, '(?:y|ies)')}(?:s|es)?${ending}(?![\\w-])`, 'g');
  const numbers = new Set([...said.matchAll(told)].map(each => Number(each[1])));
  const heads = [...(entry.closest('table')?.rows[0]?.cells || [])].map(each => plain(textOf(each)));
  const at = heads.findIndex(head => head === noun || (rest.length < 2 && stem(head) === stem(first)));
  const cell = at >= 0 && entry.cells?.[at] ? plain(textOf(entry.cells[at])) : '';
  if (/^\d+$/.test(cell)) numbers.add(Number(cell));
  return {numbers: [...numbers], says: said};
}"""
)
"""Returns the numbers of something that an entry says."""
