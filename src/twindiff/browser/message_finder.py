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
_EMPTY = frozenset(
    word
    for line in (
        "a an the is are was were be been being has have had do does did that there it its his her their your my our",
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
        "failing wrong invalid or maybe already still yet pending trying refused rejected declined denied",
    )
    for word in line.split()
)
"""Words that change what a sentence says, of which a message must have those of the claim."""
_NEGATION = re.compile(
    r"\b(can|could|would|should|do|does|did|is|was|are|were|has|have|had|wo|will|must)n?(?:['’]t|not)\b"  # noqa: RUF001
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:[.@'’+-][^\W_]+)*")  # noqa: RUF001
FIND_MESSAGES = rf"""() => {{
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
  const all = [...document.querySelectorAll('body *')].filter(isSeen);
  const inMessage = each => Boolean(each) && (isMessage(each) || inMessage(each.parentElement));
  const leaves = all.filter(each => isText(each) || (isMessage(each) && !each.children.length));
  return leaves.map(each => [inMessage(each), textOf(each)]).filter(([, text]) => text.trim()).slice(0, 400);
}}"""
"""Returns pairs: whether a text is a message, and the text."""


class _Said(NamedTuple):
    words: list[str]
    retracting: frozenset[str]


def is_said(claim: str, texts: Iterable[tuple[bool, str]]) -> bool:
    """Return whether one of the texts says the claim; each comes with whether it is a message."""
    wanted = _read(claim)
    return bool(wanted.words) and any(
        _says(_read(sentence), wanted, is_whole=not is_message)
        for is_message, text in texts
        for sentence in _SENTENCE.split(text)
        if not sentence.rstrip().endswith("?")
    )


def _read(text: str) -> _Said:
    text = _NEGATION.sub(r"\1 not", text.casefold().replace("cannot", "can not"))
    words = _WORD.findall(text)
    retracting = frozenset(word for word in words if word in _RETRACTING)
    return _Said([word for word in words if word not in _EMPTY], retracting)


def _says(said: _Said, wanted: _Said, *, is_whole: bool) -> bool:
    if said.retracting != wanted.retracting:
        return False
    forms = (wanted.words, [wanted.words[-1], *wanted.words[:-1]])
    return any(said.words == form if is_whole else _is_within(form, said.words) for form in forms)


def _is_within(words: list[str], text: list[str]) -> bool:
    """Return whether the words stand in a text in their order."""
    left = iter(text)
    return all(word in left for word in words)
