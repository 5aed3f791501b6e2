"""From a prompt to steps, by rules: the same prompt gives the same steps, and what no rule understands is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from twindiff.browser.config import Expect, Step
from twindiff.browser.locating import NAMED
from twindiff.browser.phrases import FILL, FIRST_NOUNS, KEYS, MORE, NOUNS, PHRASES, QUOTED, SUBJECT, VERB

LONG_MS = 20_000
"""How long something is waited for that a prompt says to wait for."""
EMAIL = (
    "input[type=email], input[autocomplete=username], input[name*=email i], input[id*=email i], "
    "input[name*=user i], input[id*=user i], input[name*=login i]"
)
PASSWORD = "input[type=password]"
SUBMIT = ", ".join(
    f"form:has({PASSWORD}) {each}"
    for each in ("button[type=submit]", "input[type=submit]", "button:not([type=button])")
)
_MARKS = re.compile(
    r'"([^"\n]{0,500})"|“([^”\n]{0,500})”|„([^“”\n]{0,500})[“”]|«([^»\n]{0,500})»|»([^«\n]{0,500})«'
    r"|`([^`\n]{0,500})`|‘([^’\n]{0,500})’"  # noqa: RUF001
    r"|(?<![\w])'([^'\n]{0,500})'(?![\w])|(\{\{[^}\n]{0,100}\}\})|(https?://[^\s,;)]+[^\s,;.)!?:])"
    r"|((?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|((?<!\S)/[\w./?=&%#-]*[\w/])"
)
_NUMBER = re.compile(r"^\s*(?:(?:step|schritt)\s*)?\d+\s*[.):]\s*|^\s*[-*•]\s+", re.IGNORECASE)
_ENGLISH_LATER = "and then|then|and finally|finally|afterwards|after that|next"
_LATER = rf"(?:{_ENGLISH_LATER}|und dann|danach|dann|anschließend|schließlich|zuletzt)"
_NEXT = re.compile(
    rf"[.;!?]+(?=\s|$)\s*(?:{_LATER}\b,?\s*)?|[,:]?\s+{_LATER}\b,?\s+(?={VERB.pattern})|[,:]?\s+{_LATER},\s+",
    re.IGNORECASE,
)
_MEANWHILE = re.compile(rf"^{_LATER}\b,?\s+|(?<=\s){_LATER}\s+(?=auf|in|an|im|das|den|die)", re.IGNORECASE)
_AND = re.compile(r"\s*,\s*(?:and|und)?\s*|\s+(?:and|und)\s+", re.IGNORECASE)
_CONTENT = re.compile(QUOTED)
_RUN = re.compile(r"[ \t]{2,}|([.;!?])[.;!?]+")
"""Blanks, and ends of a sentence, that say no more than one of them."""
LONGEST_CLAUSE = 500
"""Characters of a clause, with its quotations closed, that rules look at; nobody asks for one thing in more."""


class Plan(NamedTuple):
    """The steps of a prompt; what it is about comes before the first of them, what else was not understood is said."""

    steps: list[Step]
    subject: list[str]
    unclear: list[str]


def plan(prompt: str) -> Plan:
    """The steps that a prompt asks for."""
    held: list[str] = []

    def hold(quoted: re.Match[str]) -> str:
        held.append(next(group for group in quoted.groups() if group is not None))
        is_plain = quoted[9] or quoted[10] or quoted[11] or quoted[12]
        return f"\x02{len(held) - 1}\x03" if not is_plain else f"\x04{len(held) - 1}\x05"

    steps: list[Step] = []
    subject: list[str] = []
    unclear: list[str] = []
    for clause in _clauses(_MARKS.sub(hold, prompt)):
        asked = _understood(_opened(clause, held), held)
        if asked is None:
            is_subject = not steps and not unclear and SUBJECT.match(clause)
            (subject if is_subject else unclear).append(_shown(clause, held))
        steps += asked or []
    return Plan(steps, subject, unclear) if steps else Plan([], [], subject + unclear)


def _clauses(text: str) -> list[str]:
    """A prompt in parts, each of which asks for one thing."""
    clauses: list[str] = []
    for line in _RUN.sub(lambda run: run[1] or " ", text).split("\n"):
        for sentence in _NEXT.split(_NUMBER.sub("", line)):
            clauses += _parts(_MEANWHILE.sub("", sentence.strip(" ,:")))
    return [clause for clause in clauses if re.search(r"\w|\x02|\x04", clause)]


def _parts(sentence: str) -> list[str]:
    """A sentence, parted at commas and `and` where what follows asks for something by itself."""
    begin = 0
    parts: list[str] = []
    filling = FILL.match(sentence)
    for gap in _AND.finditer(sentence):
        rest = sentence[gap.end() :]
        if VERB.match(rest) or (filling and MORE.match(rest)):
            parts.append(sentence[begin : gap.start()])
            begin = gap.end()
            filling = FILL.match(rest) if VERB.match(rest) else filling
    parts.append(sentence[begin:])
    return [part if VERB.match(part) or not filling or not MORE.match(part) else f"fill {part}" for part in parts]


def _opened(clause: str, held: list[str]) -> str:
    """A clause with its addresses and values as they were, and its quotations still closed."""
    return re.sub(r"\x04(\d+)\x05", lambda mark: held[int(mark[1])], clause).strip()


def _shown(clause: str, held: list[str]) -> str:
    """A clause as it was written."""
    return re.sub(r"\x02(\d+)\x03", lambda mark: f'"{held[int(mark[1])]}"', _opened(clause, held))


def _understood(clause: str, held: list[str]) -> list[Step] | None:
    """The steps of a clause; None where no rule understands it."""
    if len(clause) > LONGEST_CLAUSE:
        return None
    for phrase in PHRASES:
        match = phrase.pattern.fullmatch(clause)
        if match:
            said = {name: text for name, text in match.groupdict().items() if text}
            return _STEPS[phrase.kind](said, held)
    return None


def _value(text: str, held: list[str]) -> str:
    """What a value says: what is quoted in it, else all of it."""
    quoted = _CONTENT.search(text)
    return held[int(quoted[0][1:-1])] if quoted else text.strip(" ,.:")


def _thing(said: dict[str, str], held: list[str]) -> str:
    """A selector for what a person calls a thing of the page."""
    text = said.get("x") or said["x2"]
    quoted = _CONTENT.search(text)
    if quoted:
        return f"{NAMED}{held[int(quoted[0][1:-1])]}"
    return f"{NAMED}{NOUNS.sub('', FIRST_NOUNS.sub('', text.strip(' ,.:')))}"


def _goto(said: dict[str, str], held: list[str]) -> list[Step]:
    return [Step("goto", value=said["u"])]


def _login(said: dict[str, str], held: list[str]) -> list[Step]:
    is_told = "v" in said
    return [
        Step("fill", selector=EMAIL, value=_value(said["x"], held) if is_told else "{{email}}"),
        Step("fill", selector=PASSWORD, value=_value(said["v"], held) if is_told else "{{password}}"),
        Step("click", selector=SUBMIT),
    ]


def _pause(said: dict[str, str], held: list[str]) -> list[Step]:
    number = float(said["n"].replace(",", "."))
    is_short = said["unit"].lower().startswith("m")
    return [Step("wait", value=min(60_000, round(number if is_short else number * 1000)))]


def _text(said: dict[str, str], held: list[str]) -> list[Step]:
    return [Step("expect", expect=Expect("text", _value(said["v"], held)))]


def _appears(said: dict[str, str], held: list[str]) -> list[Step]:
    return [Step("expect", expect=Expect("text", _value(said["v"], held)), timeout_ms=LONG_MS)]


def _inside(said: dict[str, str], held: list[str]) -> list[Step]:
    selector = _thing(said, held)
    return [Step("expect", selector=selector, expect=Expect("text", _value(said["v"], held), selector))]


def _button(said: dict[str, str], held: list[str]) -> list[Step]:
    selector = _thing(said, held)
    return [Step("expect", selector=selector, expect=Expect("visible", selector=selector))]


def _url(said: dict[str, str], held: list[str]) -> list[Step]:
    return [Step("expect", expect=Expect("url", _value(said["v"], held)))]


def _key(said: dict[str, str], held: list[str]) -> list[Step]:
    selector = _thing(said, held) if "x" in said else None
    return [Step("press", selector=selector, value=KEYS[said["key"].lower()])]


def _with_value(action: Any) -> Callable[[dict[str, str], list[str]], list[Step]]:
    def steps(said: dict[str, str], held: list[str]) -> list[Step]:
        return [Step(action, selector=_thing(said, held), value=_value(said["v"], held))]

    return steps


def _plain(action: Any) -> Callable[[dict[str, str], list[str]], list[Step]]:
    def steps(said: dict[str, str], held: list[str]) -> list[Step]:
        return [Step(action, selector=_thing(said, held))]

    return steps


_STEPS: dict[str, Callable[[dict[str, str], list[str]], list[Step]]] = {
    "goto": _goto,
    "home": lambda said, held: [Step("goto", value="/")],
    "login": _login,
    "ask": lambda said, held: [Step("ask_user_question", value=_value(said["v"], held))],
    "pause": _pause,
    "appears": _appears,
    "url": _url,
    "button": _button,
    "text": _text,
    "inside": _inside,
    "fill": _with_value("fill"),
    "select": _with_value("select"),
    "key": _key,
    "hover": _plain("hover"),
    "click": _plain("click"),
}
