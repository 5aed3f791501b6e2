"""Splits a prompt into its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE = re.compile(r'"[^"\n]{0,100}"|[„“][^"„“”\n]{0,100}["“”]|[;\n]+|[.!?](?=\s|$)')

_APOSTROPHE = r"['\u2018\u2019]"
_SINGLE_QUOTED = re.compile(
    rf"(?<!\w)(?<!{_APOSTROPHE}){_APOSTROPHE}((?:[^\"'\u2018\u2019\n]|(?<=\w){_APOSTROPHE}(?=\w)){{1,100}}){_APOSTROPHE}(?!\w)"
)


def split_sentences(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a prompt: as they are, and with double quotation marks in place of single ones.

    Quoted text is never split.
    """
    quoted = _SINGLE_QUOTED.sub(r'"\1"', prompt)
    ends = [match for match in _SENTENCE.finditer(quoted) if match[0][0] not in '"„“']
    begins = [0, *(match.end() for match in ends)]
    for begin, end in zip(begins, [*(match.start() for match in ends), len(prompt)], strict=True):
        if text := quoted[begin:end].strip():
            yield prompt[begin:end].strip(), text
