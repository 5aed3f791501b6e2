"""Finds a message that says what a prompt says in other words: `Invoice deleted`.

A message says it if one sentence of it has all words of meaning of the claim in their order, or the last of them first
(`wrong password` for *the password is wrong*), and no word that takes something back (*not*, *if*, *failed*). A text
that is no message, such as a paragraph, must have no other words either. What is not found is not denied: the page may
say it in words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from twindiff.browser.visible_text import IS_SEEN, TEXT_OF

MESSAGES = "message="
"""Selector of what the page tells: messages, dialogs, and other texts that are no headings or controls."""
NEWS = "new"
"""`message=new`: what the page did not tell before the last action."""
IN_DIALOG = "dialog"
"""`message=dialog`: what an open dialog tells."""
_EMPTY = frozenset(
    word
    for line in (
        "a an the is are was were be been has have had do does did that there it its his her their your my our",
        "this he she they you i we now successfully please to",
    )
    for word in line.split()
)
"""Words that a message may have or leave out."""
_RETRACTING = frozenset(
    word
    for line in (
        "not no never none nothing nobody without if when once unless until before after will would could can may",
        "might must should shall almost nearly partly only except instead failed fails fail failure error unable",
        "failing wrong invalid or maybe already still yet pending trying refused rejected declined denied being",
        "restored undone undo reverted recovered cancelled canceled aborted stopped blocked prevented missing",
        "impossible later soon tomorrow scheduled ready about retry queued waiting",
    )
    for word in line.split()
)
"""Words that change what a sentence says, of which a message must have those of the claim."""
_NEGATION = re.compile(
    r"\b(can|could|would|should|do|does|did|is|was|are|were|has|have|had|wo|will|must)n?(?:['’]t|not)\b"  # noqa: RUF001
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_PART = re.compile(r"[:;]|,(?!\d)|\b(?:and|but|while|then)\b")
"""Ends a part of a sentence, which may speak of something else than the next."""
_WORD = re.compile(r"%|(?:(?<!\w)-(?=[$€£\d]))?[$€£]?[^\W_]+(?:(?:[.@'’+-]|(?<=\d),(?=\d))[^\W_]+)*")  # noqa: RUF001
FIND_MESSAGES = rf"""isInDialog => {{
  const isSeen = {IS_SEEN}, textOf = {TEXT_OF};
  const MESSAGE = '[role=status], [role=alert], [role=alertdialog], [role=dialog], [role=log], dialog[open], '
    + '[aria-live]';
  const CLASSES = 'toast|alert|message|msg|notification|snackbar|error|success|warning|banner|flash|notice|feedback';
  const NAMED = new RegExp(`(^|[^a-z])(${{CLASSES}})`, 'i');
  const isMessage = each => each.matches(MESSAGE) || NAMED.test(each.getAttribute('class') || '');
  const CONTROLS = 'button, a, label, option, nav, th, h1, h2, h3, h4, h5, h6, summary, [role=button], [role=tab], '
    + 'input, textarea';
  const isText = each => !each.closest(CONTROLS) && !each.querySelector(`${{CONTROLS}}, p, div, li, td`)
    && each.matches('p, div, span, strong, em, li, td, small, output');
  const DIALOG = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]';
  const inside = each => !isInDialog || each.closest(DIALOG);
  const all = [...document.querySelectorAll('body *')].filter(isSeen).filter(inside);
  const inMessage = each => Boolean(each) && (isMessage(each) || inMessage(each.parentElement));
  const leaves = all.filter(each => isText(each) || (isMessage(each) && !each.children.length));
  return leaves.map(each => [inMessage(each), textOf(each)]).filter(([, text]) => text.trim()).slice(0, 400);
}}"""
"""Returns pairs: whether a text is a message, and the text."""


class _Said(NamedTuple):
    parts: list[list[str]]
    """The words of meaning of each part of a sentence; a claim with a conjunction is one part."""
    retracting: frozenset[str]


def is_said(claim: str, texts: Iterable[tuple[bool, str]]) -> bool:
    """Return whether one of the texts says the claim; each comes with whether it is a message."""
    has_parts = bool(_PART.search(claim.casefold()))
    wanted = _read(claim, is_divided=False)
    return bool(wanted.parts) and any(
        _says(_read(sentence, is_divided=is_message and not has_parts), wanted, is_whole=not is_message)
        for is_message, text in texts
        for sentence in _SENTENCE.split(text)
        if not sentence.rstrip().endswith("?")
    )


def _read(text: str, *, is_divided: bool) -> _Said:
    text = _NEGATION.sub(r"\1 not", text.casefold().replace("cannot", "can not"))
    retracting = frozenset(word for word in _WORD.findall(text) if word in _RETRACTING)
    parts = [_WORD.findall(part) for part in (_PART.split(text) if is_divided else [text])]
    meant = [[word for word in words if word not in _EMPTY] for words in parts]
    return _Said([words for words in meant if words], retracting)


def _says(said: _Said, wanted: _Said, *, is_whole: bool) -> bool:
    if said.retracting != wanted.retracting:
        return False
    claim = wanted.parts[0]
    forms = (claim, [claim[-1], *claim[:-1]])
    return any(words == form if is_whole else _is_within(form, words) for form in forms for words in said.parts)


def _is_within(words: list[str], text: list[str]) -> bool:
    """Return whether the words stand in a text in their order."""
    left = iter(text)
    return all(word in left for word in words)
