"""What a step that passed says, shows or denies of the facts of a prompt, whatever its model meant by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from twindiff.browser.config import BrowserStep, Expect
from twindiff.browser.element_finder import ENTERING, INSIDE, is_by_words, kind_of
from twindiff.browser.page_text import normalize_blanks
from twindiff.browser.prompt_facts import Fact

LOOKING = ("expect", "wait", "hover", "scroll")
"""Actions that change nothing in an application."""
_PAGE_WIDE = re.compile(r"(?:css=)?(?:html|body|main|:root|\*|#app|#root|#main|html > body|body > \*)?", re.IGNORECASE)
_BY_ROLE = re.compile(r"role=(?:button|link|tab|menuitem|option|radio|checkbox|textbox|combobox|switch|treeitem)\b")
_EXACT = re.compile(r"""\[name=(?:"([^"]*)"|'([^']*)')\]|^(?:text|exact)=(?:"([^"]*)"|'([^']*)')$|^exact=(.*)$""")
_ALTERNATIVES = re.compile(r":(?:not|is|where|has-text|nth-match)\(|\|")
_WORDS_OF = re.compile(
    r"""["']([^"']+)["']|(?:^|>> )(?!css=|role=|testid=|test-id=|test_id=|xpath=|id=|nth=)[a-z]+=([^\[">]+)"""
)
_MESSAGE_PLACES = ("status", "alert", "alertdialog", "dialog", "toast", "message", "notification", "notice", "banner")
_CANNOT = re.compile(
    r"\b(?:cannot|can.t|can not|not (?:be )?(?:enabled|clickable|possible|available|allowed)|unable)\b"
)
_POSITION = re.compile(r"nth=|entry=|:(?:first|last)-(?:child|of-type)|:nth-(?:last-)?(?:child|of-type)\(\d+\)")
_TEXTUAL = ("text", "title", "url", "download", "signed_in")
_STATES = ("disabled", "checked", "focused")
_OF_FIELD = ("value", "labelled", "placeholder", "state", *_STATES)
_KINDS_ALIKE = ("text", "title", "value", "visible", "labelled", "placeholder", "state", "signed_in")
_AT_LEAST = re.compile(r"\b(?:at least|more than|or more|minimum|mindestens)\b", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:at most|fewer|less than|up to|or less|no more than|höchstens)\b", re.IGNORECASE)
_PLACES = {
    "menu": ("nav", "menu"),
    "navigation": ("nav",),
    "header": ("header", "banner"),
    "footer": ("footer", "contentinfo"),
    "list": ("list", "table", "ul", "ol", "row", "entry", "li", "tbody", "tr", "card", "grid"),
    "table": ("table", "tbody", "row", "grid", "tr"),
    "row": ("row", "tr", "entry"),
    "message": ("status", "alert", "toast", "message", "text"),
    "toast": ("status", "alert", "toast"),
    "error": ("alert", "err", "text"),
    "dialog": ("dialog",),
    "tab": ("tab",),
    "button": ("button",),
    "link": ("link", "a", "nav"),
    "section": ("section", "heading", "h2", "h3", "region"),
    "heading": ("heading", "h1", "h2", "h3"),
}
"""What a place may be called in a selector, by the word of a prompt."""


class StepEvidence(NamedTuple):
    """A step that passed, with its parameters filled in; either it acts, or it expects something.

    `seen` is the text where the expectation looked, and `before` that of the page before the last action.
    """

    position: int
    statements: frozenset[int]
    step: BrowserStep
    seen: str = ""
    before: str = ""

    @property
    def is_action(self) -> bool:
        """Return whether the step may have changed something."""
        return self.step.action not in LOOKING

    @property
    def is_signing_in(self) -> bool:
        """Return whether the step types an e-mail address or a password, or presses the button that signs in."""
        selector = self.step.selector or ""
        if self.step.action == "fill":
            return "@" in str(self.step.value) or bool(re.search("password|e-?mail", selector, re.IGNORECASE))
        return self.step.action == "click" and any(map(ENTERING.match, words_of(selector)))

    @property
    def expect(self) -> Expect | None:
        """Return what the step expects, if it expects something."""
        return self.step.expect

    @property
    def scope(self) -> str:
        """Return the selector of where the expectation looks; empty for the whole page."""
        return scope_of(self.step)

    @property
    def is_of_message(self) -> bool:
        """Return whether the expectation looks at a message, or anywhere on the page for a text that was not there."""
        is_textual = bool(self.step.expect and self.step.expect.type in ("text", "visible", "state"))
        return is_textual and (not self.scope or is_loose(self.scope) or _names(self.scope, _MESSAGE_PLACES))

    @property
    def denies(self) -> bool:
        """Return whether the step expects that something is not, or is not more."""
        expect = self.step.expect
        return bool(expect and (expect.negated or (expect.type == "count" and expect.max is not None)))

    def does(self, fact: Fact) -> bool:
        """Return whether an action names the fact, in its value or in the selector of its element."""
        said = f"{self.step.value if self.step.value is not None else ''} {plain_words(self.step.selector or '')}"
        return self.is_action and is_said(fact, said)

    def types_password(self, fact: Fact) -> bool:
        """Return whether the step types the fact into a field of a password, which shows it to nobody."""
        is_password = bool(re.search("passw|pwd?\\b", self.step.selector or "", re.IGNORECASE))
        return self.step.action == "fill" and is_password and self.does(fact)

    def is_click_on(self, fact: Fact) -> bool:
        """Return whether an element of a role, such as a tab or a link, was used that the fact names."""
        selector = self.step.selector or ""
        is_of_role = bool(_BY_ROLE.search(selector) or kind_of(selector.rpartition(INSIDE)[2]))
        is_chosen = self.step.action in ("select", "choose", "check", "uncheck")
        return self.is_action and self.step.action != "fill" and (is_of_role or is_chosen) and self.does(fact)

    def shows(self, fact: Fact, clause: str) -> bool:
        """Return whether an expectation would not have held, had the page not shown the fact."""
        expect = self.step.expect
        if expect is None or self.why_void:
            return False
        if self.denies and expect.type not in _STATES and not self._is_counted(clause):
            return False
        if self._is_elsewhere(expect, clause):
            return False
        if expect.type == "count" and is_said(fact, self._say_number(clause)):
            return True
        text = said_by(expect)
        is_quoted = fact.text.startswith('"')  # what is quoted is read in its case
        in_case = not is_quoted or normalize_blanks(fact.forms[0]) in normalize_blanks(text)
        if text and in_case and is_said(fact, text):
            if expect.type == "url":  # an address may say anything that was typed into it
                return fact.text.startswith(("/", "http"))
            return expect.type not in ("text", "count") or expect.equals is not None or is_said(fact, self.seen)
        if not is_said(fact, plain_words(self.scope)):
            return False
        exact = " ".join(each for groups in _EXACT.findall(self.scope) for each in groups if each)
        return expect.type in _OF_FIELD or is_said(fact, exact) or is_said(fact, self.seen)

    def denies_fact(self, fact: Fact, clause: str, statement: str) -> bool:
        """Return whether an expectation would not have held, had the page shown the fact in the place of the clause."""
        expect = self.step.expect
        if expect is None:
            return False
        text, words = said_by(expect), words_of(self.scope.rpartition(INSIDE)[2])
        if expect.type in _OF_FIELD:
            is_state = expect.negated or (expect.type == "disabled" and bool(_CANNOT.search(clause)))
            return is_state and is_said(fact, f"{text} {plain_words(self.scope)}")
        is_absent = expect.negated or (expect.type == "count" and expect.max == 0)
        if INSIDE in self.scope and not self.seen.strip():
            return False  # the place itself is absent
        if not is_absent or not self.is_in_place_of(f"{clause} {statement}"):
            return False
        meant = [text] if text else words
        said = normalize_blanks(statement.replace('"', "")).casefold()
        is_of_statement = all(normalize_blanks(each).casefold() in said for each in meant)
        return is_of_statement and any(is_said(fact, each) for each in meant)  # a longer text is absent more easily

    def denies_something(self, prompt: str, clause: str, pages: Sequence[str]) -> bool:
        """Return whether an expectation says that something is not, which was there or of which the prompt speaks."""
        expect = self.step.expect
        if expect is None or not self.denies:
            return False
        if expect.type == "count" and expect.max and not expect.negated:
            return bool(expect.min)
        known = [prompt, *pages]
        words = [said_by(expect)] if said_by(expect) else words_of(self.scope)
        if words:
            return all(
                any(each.casefold() in text.casefold() for text in known) for each in map(normalize_blanks, words)
            )
        is_clear = any(re.search(rf"\b{word}s?\b", clause, re.IGNORECASE) for word in _PLACES)
        return _is_kind_named_in(self.scope, clause if is_clear else prompt)

    def is_in_place_of(self, text: str) -> bool:
        """Return whether a denial covers the whole page, or the place that a sentence names."""
        *outer, inner = self.scope.split(INSIDE)
        if said_by(self.step.expect):
            outer, inner = [*outer, inner], ""
        is_named = all(not each or _is_named_in(each, text) for each in outer)
        kind = kind_of(inner) or ((role[1], "") if (role := re.match(r"role=(\w+)", inner)) else None)
        is_anywhere = inner.startswith(("text=", "exact=", "named=", "row=")) or (kind is None and is_by_words(inner))
        if not inner or is_anywhere:
            return is_named
        return is_named and _is_kind_named_in(kind[0] if kind else inner, text)

    @property
    def is_positioned(self) -> bool:
        """Return whether the step is about the element at a position."""
        return bool(_POSITION.search(f"{self.step.selector} {self.scope}"))

    @property
    def why_void(self) -> str:
        """Return why an expectation tells nothing, since it would hold all the same; empty for others."""
        expect = self.step.expect
        if expect is None:
            return ""
        said = normalize_blanks(said_by(expect))
        if expect.type == "visible" and not expect.negated and _PAGE_WIDE.fullmatch(expect.selector or ""):
            return "the page itself is always visible"
        if expect.type == "count" and not expect.min and expect.max is None:
            return "a count of 0 or more always holds"
        if expect.type in (*_TEXTUAL, "visible", "count") and not expect.negated:
            return self._why_no_news(expect, said)
        return ""

    def _why_no_news(self, expect: Expect, said: str) -> str:
        if expect.type == "text" and expect.equals is None:
            if len(re.sub(r"\W", "", said)) < 2:
                return f"'{said}' is in nearly every text; expect the whole text of an element with equals"
            if not is_said(Fact(said, (said,)), self.seen):
                return f"'{said}' is only a part of a word or number of the page; expect the whole"
        if expect.type == "url" and expect.equals is None and len(re.sub(r"\W|https?", "", said)) < 3:
            return f"'{said}' is in nearly every address"
        if expect.type == "count" or (self.scope and not is_loose(self.scope)):
            return ""
        words = said or normalize_blanks(" ".join(words_of(self.scope)))
        if words and self.before and words.casefold() in normalize_blanks(self.before).casefold():
            return f"'{words}' was on the page before the last action already; select a narrower place"
        return ""

    def _is_elsewhere(self, expect: Expect, clause: str) -> bool:
        """Return whether a clause is about a row, a header or the like, and the expectation is not."""
        if expect.type in ("value", "placeholder") and INSIDE not in self.scope:
            return any(re.search(rf"\b{word}s?\b", clause, re.IGNORECASE) for word in _PLACES)
        return expect.type == "text" and not self.scope and bool(re.search(r"\brow\b", clause, re.IGNORECASE))

    def _is_counted(self, clause: str) -> bool:
        """Return whether a count says exactly, or as the clause does, how many there are."""
        expect = self.step.expect
        return bool(expect and expect.type == "count" and self._say_number(clause) not in ("", "0"))

    def _say_number(self, clause: str) -> str:
        expect = self.step.expect
        if expect is None or expect.negated:
            return ""
        if expect.min is not None and (expect.min == expect.max or _AT_LEAST.search(clause)):
            return str(expect.min)
        return str(expect.max) if expect.max is not None and _AT_MOST.search(clause) else ""


def scope_of(step: BrowserStep) -> str:
    """Return the selector of where an expectation looks; empty for the whole page."""
    expect = step.expect
    if expect is None or expect.type in ("url", "title"):
        return ""
    selector = expect.selector or (step.selector if step.action == "expect" else "") or ""
    return "" if _PAGE_WIDE.fullmatch(selector) else selector


def list_places(step: BrowserStep) -> list[str]:
    """Return the selectors whose texts tell what an expectation saw: its element, and the row or part around it."""
    scope = scope_of(step)
    outer = scope.partition(INSIDE)[0]
    return [scope] if outer == scope else [outer, scope]


def said_by(expect: Expect | None) -> str:
    """Return the text that is expected."""
    return "" if expect is None else (expect.contains if expect.equals is None else expect.equals) or ""


def plain_words(selector: str) -> str:
    """Return a selector as text; empty if it may mean another element than the one that its words say."""
    parts = selector.split(INSIDE)
    return "" if any(map(_has_alternatives, parts)) else selector


def words_of(selector: str) -> list[str]:
    """Return the words in a selector that a person reads on the page."""
    words = [one or other for one, other in _WORDS_OF.findall(selector)]
    is_words = is_by_words(selector) and not words and "=" not in selector
    return [selector] if is_words else [each.strip() for each in words if each.strip()]


def is_loose(selector: str) -> bool:
    """Return whether a selector finds its words anywhere on the page."""
    if INSIDE in selector or kind_of(selector) or selector.startswith("row="):
        return False
    return bool(re.match(r"(?:text|named|exact)=", selector)) or is_by_words(selector)


def is_said(fact: Fact, said: str) -> bool:
    """Return whether a text says the fact in whole words, in any case: `Unpaid` does not say `Paid`."""
    text = normalize_blanks(said)
    return any(_is_whole(normalize_blanks(form), text) for form in fact.forms)


def is_alike(one: Expect, other: Expect) -> bool:
    """Return whether two expectations are of the same kind, and both deny or both affirm."""
    of_text = one.type in _KINDS_ALIKE and other.type in _KINDS_ALIKE
    return one.negated == other.negated and (of_text or one.type == other.type)


def _is_whole(form: str, text: str) -> bool:
    if form[:1].isdigit():
        return Fact(form, (form,)).is_said_in(text)
    begin = r"(?<![^\W_])" if form[:1].isalnum() else ""
    end = r"(?![^\W_])" if form[-1:].isalnum() else ""
    return bool(form) and bool(re.search(f"{begin}{re.escape(form)}{end}", text, re.IGNORECASE))


def _has_alternatives(part: str) -> bool:
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", part)
    if part.startswith(("//", "xpath=", "..")) or _ALTERNATIVES.search(bare) or re.search(r"=\s*/", bare):
        return True
    return "," in bare and not (is_by_words(part) or part.startswith(("text=", "row=", "exact=")))


def _names(selector: str, names: Sequence[str]) -> bool:
    return any(re.search(rf"(?<![a-z]){name}(?![a-z])", selector, re.IGNORECASE) for name in names)


def _is_named_in(place: str, text: str) -> bool:
    """Return whether a sentence says the words of a selector, or a word for its kind of element."""
    words = words_of(place)
    if words and all(each.casefold() in text.replace('"', "").casefold() for each in words):
        return True
    return bool(_PAGE_WIDE.fullmatch(place)) or _is_kind_named_in(place, text)


def _is_kind_named_in(selector: str, text: str) -> bool:
    """Return whether a sentence says a word for an element, of which the selector tells nothing but its kind.

    An id or a class that is no word for the kind may be invented, so that the element is always absent.
    """
    bare = re.sub(r"\[name=[^\]]*\]|\"[^\"]*\"|'[^']*'|^css=|^role=", "", selector)
    said = [names for word, names in _PLACES.items() if re.search(rf"\b{word}s?\b", text, re.IGNORECASE)]
    if re.search(r"[\s>+~:]", bare.strip()):  # so may what is within another element, or its position
        return False
    marks = re.findall(r"[#.\[][^\s#.\[>:]+", bare)
    return any(_names(bare, names) for names in said) and all(
        any(_names(each, names) for names in said) for each in marks
    )
