"""Splits a prompt into sentences, and reduces a clause to the words that carry meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from twindiff.browser.common_wordings import expand_contractions

_NUMBER = re.compile(
    r"^\s*(?:(?:(?:step|schritt)\s*)?\d+\s*[.):]\s*|[-*•]\s+)?(?:\[[ x]?\]\s*|[☐☑✓✔]\s*)?", re.IGNORECASE
)
"""The number, bullet or box before a line of a list."""
_RUN = re.compile(r"[ \t]{2,}|([.;!?])[.;!?]+")
"""Repeated blanks and sentence ends, which mean the same as one."""
_END = re.compile(r"[.;!?]+(?=\s|$)\s*")
_PASSWORD = re.compile(
    r"(?:@[\w.-]+|\bpass(?:word|code|phrase)?\b|\bpw\b)[^\n!?]{0,40}?(?<=[\s/:=,(])"
    r"(?P<secret>(?=[^\s!?]*[^\W\d])(?=[^\s!?]*\d)[^\s/:,;()\"'!?]+[!?]+)(?=[.;,)]*(?:\s|$))",
    re.IGNORECASE,
)
"""What somebody signs in with, which may end with a mark that would else end its sentence."""
_HELD_MARKS = {ord("!"): "\ue021", ord("?"): "\ue03f"}
_MARKS = {ord(held): chr(mark) for mark, held in _HELD_MARKS.items()}
_GERMAN_LATER = "und dann|danach|dann|anschließend|schließlich|zuletzt"
LATER = rf"(?:and then|then|and finally|finally|afterwards|after that|next|{_GERMAN_LATER})"
"""Words that join a clause to the one before it."""
_MEANWHILE = re.compile(rf"^(\w+) (?:{_GERMAN_LATER}) (?=auf|in|an|im|das|den|die)", re.IGNORECASE)
_OPENERS = re.compile(
    rf"(?:(?:please(?: to)?|kindly|now|also|just|so|ok|okay|(?:hi|hello|hey)(?: there)?|"
    rf"first|firstly|secondly|lastly|given|when|and|but|let us|"
    rf"let['’]s|can you|could you|would you|go ahead and|that|dass|you can(?! not)|you need to|"  # noqa: RUF001
    rf"(?:when|once) (?:you are|you['’]re|that is|that['’]s) done|"  # noqa: RUF001
    rf"(?:i would|i['’]d|we would|we['’]d) like (?:you )?to|i want (?:you )?to|"  # noqa: RUF001
    rf"(?:i|we) would(?= expect)|so then|this time|from there|precondition:|"
    rf"(?:i|we) (?:think|believe|guess|hope)(?: that)?|"
    rf"after (?:this|that)|in the end|at the end|as a result|"
    rf"bitte|jetzt|nun|zuerst|angenommen|und|aber|{LATER})\b,?\s+)+|^(?:action|actions|steps?|do|assertion)\s*:\s*",
    re.IGNORECASE,
)
"""Words without meaning at the beginning of a clause."""
_CLOSERS = re.compile(r"(?:,?\s+(?:right|ok|please|for me|thanks|thank you|afterwards|bitte))+\s*$", re.IGNORECASE)
_EXPECTED = re.compile(r"(?:the )?(?:expected(?: results?)?|expectation|erwartet)\s*:\s*", re.IGNORECASE)


def hold_passwords(text: str) -> str:
    """Replace the marks at the ends of passwords by signs that end no sentence, which `split_prompt` turns back.

    Where a sentence begins after such a mark, a full stop is added.
    """
    for secret in {said["secret"] for said in _PASSWORD.finditer(text)}:
        held, whole = secret.translate(_HELD_MARKS), rf"{re.escape(secret)}(?![\w\"'\u201d])"
        text = re.sub(whole, held, re.sub(rf"{whole}(?=\s+[A-Z])", f"{held}.", text))
    return text


def split_prompt(text: str) -> Iterator[str]:
    """Yield the sentences of a prompt; line breaks end them too, and the marks of a password do not."""
    for line in _RUN.sub(lambda run: run[1] or " ", text).split("\n"):
        for sentence in _END.split(_NUMBER.sub("", line)):
            sentence = sentence.removeprefix("->").strip(" ,:\t")
            if re.search(r"\w|\x02|\x04|\x06", sentence):
                yield sentence.translate(_MARKS)


def normalize_clause(clause: str) -> str:
    """Remove words without meaning from a clause, and expand its negations."""
    text = expand_contractions(" ".join(clause.split()))
    text = _MEANWHILE.sub(r"\1 ", _CLOSERS.sub("", text))
    if _EXPECTED.match(text):
        text = _EXPECTED.sub("expect ", text, count=1)
    opener = _OPENERS.match(text)
    return (text[opener.end() :] if opener else text).strip(" ,:")
