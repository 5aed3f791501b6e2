"""Splits a prompt into its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE = re.compile(r'"[^"\n]{0,100}"|[„“][^"„“”\n]{0,100}["“”]|[;\n]+|[.!?](?=\s|$)')


def split_sentences(prompt: str) -> Iterator[str]:
    """Yield the sentences of a prompt; quoted text is never split."""
    begin = 0
    for match in _SENTENCE.finditer(prompt):
        if match[0][0] in '"„“':
            continue
        if text := prompt[begin : match.start()].strip():
            yield text
        begin = match.end()
    if text := prompt[begin:].strip():
        yield text
