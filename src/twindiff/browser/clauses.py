"""Turns one clause of a prompt into steps, by the rule that accounts for all of its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from twindiff.browser.config import Action, BrowserStep, DialogAnswer, Expect, TwinCheck
from twindiff.browser.element_finder import EMAIL, FRAME, INSIDE, LISTS, LOG_OUT, NAMED, PASSWORD, PLACEHOLDER, ROW
from twindiff.browser.entry_rules import (
    click_in_entry,
    do_to_entry,
    expect_entry,
    expect_entry_is,
    expect_things,
    select_nth,
)
from twindiff.browser.intent_finder import CONFIRM, END_OF_FORM, LABEL
from twindiff.browser.intents import (
    CONTROL,
    LISTED,
    Referent,
    attributes_of,
    create_steps,
    do_step,
    fill_steps,
    is_labelled,
    split_named,
)
from twindiff.browser.message_finder import MESSAGES
from twindiff.browser.message_rules import LANDMARKS, STEPS_OF_MESSAGES, is_one_claim
from twindiff.browser.record_rules import STEPS_OF_RECORDS
from twindiff.browser.sentence_rules import KEYS, NOUNS, SENTENCE_RULES
from twindiff.browser.state_rules import STEPS_OF_STATES
from twindiff.browser.twin_rules import parse_count, twin_check
from twindiff.browser.words import PERSONS, SEPARATOR, mark_words

LONG_MS = 20_000
"""Milliseconds to wait for something that a prompt explicitly waits for."""
SUBMIT = ", ".join(
    f"form:has({PASSWORD}) {each}"
    for each in ("button[type=submit]", "input[type=submit]", "button:not([type=button])")
)
MAX_PARTS = 2
"""Separators in the selectors of steps; a quotation with one of its own has more."""
_QUOTED = re.compile("\x02(\\d+)\x03")
_MARK = re.compile("[\x02\x04\x06](\\d+)[\x03\x05\x07]")
_SINGULAR = re.compile(
    r"[ \x01](?:is|does|has|disappears|vanishes|goes|appears|exists|shows|becomes|gets)\b", re.IGNORECASE
)
VERB = re.compile(
    r"(?:(?:i|we|you|the user) )?(?:should )?(?:in (?:the )?row|go|look at|search|accept|dismiss|cancel|decline|close|"
    r"say|navigate|browse|open|visit|load|fill|enter|type|"
    r"input|write|put|insert|set|select|choose|pick|click|tap|press|push|hit|tick|untick|check|uncheck|hover|wait|pause|expect|verify|"
    r"assert|ensure|"
    r"confirm|make sure|see|look for|log|sign|ask|scroll|reload|refresh|clear|upload|gehe?|navigiere|wechsle|"
    r"öffne|besuche|"
    r"lade|rufe?|füll|fülle|gib|gebe|trage?|tippe?|schreibe?|setze|wähle?|klicke?|drücke?|fahre|bewege|warte|erwarte|"
    r"prüfe|"
    r"überprüfe|stelle|melde?|logge?|frage?|the page|the url|die seite|die url)\b",
    re.IGNORECASE,
)
"""The beginning of a clause that has a verb of its own."""
_PERSON = re.compile(r"(?:i|we|you|he|she|they|(?:(?:the|a|an) )?(?:§)) ".replace("§", PERSONS), re.IGNORECASE)


class ParsedClause(NamedTuple):
    """What a clause asks for, according to the one rule that accounts for all of its words."""

    kind: str
    """The kind of step that the rule names."""
    verb: str
    steps: list[BrowserStep]
    twin_checks: list[TwinCheck]
    has_no_verb: bool
    """Whether it begins with its subject, as in `"Paid" is shown`."""
    has_no_predicate: bool
    """Whether it ends with a name, to which a later predicate may also apply."""
    dialog: DialogAnswer | None = None
    """The dialog that the step before opens."""
    needs_dialog_before: bool = False
    """Whether a sentence before it must be about the same dialog, as for `confirm it`."""
    referents: tuple[Referent, ...] = ()
    """What it names, so that later clauses may say `it`."""
    is_timed: bool = False
    """Whether it must hold in a time that the sentence says."""

    @property
    def is_loose(self) -> bool:
        """Whether it expects something in no time of its own, so that the time of a later clause may be its too."""
        return self.is_expectation and not self.is_timed

    @property
    def is_expectation(self) -> bool:
        """Whether it only expects something."""
        return all(step.action == "expect" for step in self.steps)


def read_clause(text: str, held: list[str], written: str, *, is_first: bool) -> ParsedClause | None:
    """Return the clause as the first matching rule parses it; None if no rule accounts for every word.

    `held` are its quotations.
    """
    marked = mark_words(text)
    for rule in SENTENCE_RULES:
        match = rule.pattern.fullmatch(marked)
        if match is None or _is_ambiguous(match):
            continue
        said = ClauseSlots(_slots(match), held, is_first)
        if any(said.has(slash) and said.value(slash) != "/" for slash in ("slash", "uslash")):
            continue
        verb = _PERSON.sub("", text, count=1).split(" ", 1)[0]
        wording = (not VERB.match(text), _ends_in_name(rule.kind, text))
        if rule.kind.startswith("twin:"):
            check = twin_check(int(rule.kind[5:]), said.groups, held, written)
            return check and ParsedClause(rule.kind, verb, [], [check], *wording)
        if rule.kind.startswith("dialog"):
            return ParsedClause(rule.kind, verb, [], [], *wording, _dialog(said), rule.kind == "dialog_it")
        if said.has("claim") and not is_one_claim(said.first("claim")):
            continue
        steps = STEPS_OF_KINDS[rule.kind](said)
        if any(_is_unsafe(step, said) for step in steps) or not is_labelled(said.first("attributes")):
            return None
        if rule.kind == "create_all" and len(split_named(said.first("all"))) != parse_count(said.groups["n"])[0]:
            return None
        return ParsedClause(
            rule.kind, verb, steps, [], *wording, referents=_find_opened(rule.kind, said) or _referents(rule.kind, said)
        )
    return None


def _referents(kind: str, said: ClauseSlots) -> tuple[Referent, ...]:
    """Return what a clause names so that later ones may refer to it."""
    if kind == "do" and said.has("object"):
        return tuple(Referent("", said.first(name)) for name in ("object", "object2") if said.has(name))
    if kind == "click" and said.first("row", "row2", "row3", "row4"):
        return (Referent("", said.first("row", "row2", "row3", "row4")),)
    if kind in ("things", "catalogue_of", "count_state", "all_state", "mark_each") or kind.startswith("each_"):
        state = said.value("state") if kind == "count_state" else said.value("filter")
        return (Referent(LISTED, f"{state} {said.value('things', 'entry')}".strip()),)
    if kind in ("entry_state", "column_state", "entry_number", "only_state", "mark", "click_at"):
        return (Referent("", said.first("row")),)
    if kind in ("open_record", "do_record", "do_for"):
        return (Referent("", said.first("object")),)
    if kind in ("state", "state_bare") and said.first("kc", "kc_2", "kc_3"):
        return (Referent(CONTROL, said.first("kc", "kc_2", "kc_3")),)
    if kind in ("check", "uncheck"):
        return (Referent(CONTROL, said.first("x", "x2")),)
    if kind == "create_all":
        noun = said.value("noun").removesuffix("s")
        return tuple(Referent(noun, name, email) for name, email in split_named(said.first("all")))
    if kind not in ("create", "create_free") or not said.has("name"):
        return ()
    email = next((value for label, value in attributes_of(said.first("attributes")) if label.startswith("e")), "")
    return (Referent(said.first("noun"), said.first("name"), email),)


def _find_opened(kind: str, said: ClauseSlots) -> tuple[Referent, ...]:
    """Return the record that a clause opens, or the dialog that it speaks of, which a later `it` may mean too."""
    if kind in ("popup_open", "popup_asks", "popup_told"):
        return (Referent("", "dialog"),)
    record = RECORD_NAME.fullmatch(said.first("x")) if kind == "open" else None
    return (Referent("", record["name"] or record["name_2"]),) if record else ()


RECORD_NAME = re.compile(
    r"(?:[a-z-]+ )?(?P<name>(?=[^\x02]*\d)[A-Z#][\w#-]*(?: [\w#-]+)?)"
    r"|[a-z-]+ (?P<name_2>[A-Z][\w&'-]*(?: [A-Z][\w&'-]*)*)"
)
"""The name of a record rather than of a page: `INV-7`, `draft INV-7`, `customer Acme`."""


def _slots(match: re.Match[str]) -> dict[str, str]:
    """Return the text that each slot of a rule matched."""
    return {name: words.replace(SEPARATOR, " ") for name, words in match.groupdict().items() if words is not None}


def _ends_in_name(kind: str, text: str) -> bool:
    """Return whether a clause ends with a quotation, or with the noun or name of an element."""
    return (text[-1:] in "\x03\x05\x07" and kind not in _SAID_BEFORE) or (
        kind in ("thing", "thing_gone") and text.rsplit(maxsplit=1)[-1] not in _PREDICATES
    )


_SAID_BEFORE = ("told_text", "popup_asks")
"""Kinds whose predicate stands before a quotation."""
_PREDICATES = (
    *("shown", "visible", "displayed", "present", "there", "listed"),
    *("appears", "appear", "exists", "exist", "gone", "hidden"),
)


def _is_ambiguous(match: re.Match[str]) -> bool:
    """Return whether a singular predicate follows several subjects, so that it may not apply to all of them."""
    for name, listed in match.groupdict().items():
        if listed and name[:2] in ("qs", "qo") and len(_QUOTED.findall(listed)) > 1:
            is_and = "and" in _QUOTED.sub("", listed) or "," in listed
            if is_and and _SINGULAR.match(match.string, match.end(name)):
                return True
    return False


def _is_unsafe(step: BrowserStep, said: ClauseSlots) -> bool:
    """Return whether a name is empty, or contains the separator between a row and what is inside it."""
    is_all = step.expect is not None and step.expect.type == "count"
    names_nothing = (step.selector or "").endswith("=") and step.selector not in _NAMELESS and not is_all
    is_kind = (
        step.expect is not None and step.expect.type == "labelled" and bool(_KIND_OF_ELEMENT.fullmatch(said.value("f")))
    )
    return names_nothing or is_kind or INSIDE in said.row() or (step.selector or "").count(INSIDE) > MAX_PARTS


_NAMELESS = (LOG_OUT, END_OF_FORM, LISTS, MESSAGES, CONFIRM)
_KIND_OF_ELEMENT = re.compile("|".join(NOUNS.values()), re.IGNORECASE)


class ClauseSlots(NamedTuple):
    """The text that the slots of a rule matched."""

    groups: dict[str, str]
    held: list[str]
    is_first: bool = False

    def first(self, *names: str) -> str:
        """Return the text of the first of these slots that matched, or ""."""
        return next((self.groups[name] for name in names if name in self.groups), "")

    def has(self, name: str) -> bool:
        """Return whether a slot matched."""
        return name in self.groups

    def phrases(self) -> str:
        """Return what a new record is to have, with a blank before each word as in a marked clause."""
        return f" {self.first('phrases').strip()}"

    def unquote(self, text: str) -> str:
        """Return a value or a name without its quotation marks."""
        mark = _MARK.search(text)
        return self.held[int(mark[1])] if mark else text.strip(" ,.:")

    def value(self, *names: str) -> str:
        """Return the value of the first of these slots that matched."""
        return self.unquote(self.first(*names))

    def texts(self, *names: str) -> list[str]:
        """Return the quotations of a list; words without quotation marks are one."""
        text = self.first(*names)
        return [self.held[int(number)] for number in _QUOTED.findall(text)] or [self.unquote(text)]

    def kind(self, *names: str) -> str | None:
        """Return the kind of an element, given by its noun; None without a noun."""
        for name in names:
            for noun in (f"{name}_noun", f"{name}_noun2"):
                if noun in self.groups:
                    return kind_of_noun(self.groups[noun])
        return None

    def select_named(self, *names: str, kind: str | None = None) -> str:
        """Return a selector for an element by name, restricted to its kind if that is given."""
        slots = [slot for name in names for slot in (name, f"{name}_2", f"{name}_3")]
        kind = self.kind(*names) or kind
        name = self.value(*slots)
        return f"{kind}={name}" if kind else f"{NAMED}{name}"

    def row(self) -> str:
        """Return the prefix of a selector for a row, or ""."""
        names = ("row", "row2", "row3", "row4", "rowb")
        return f"{ROW}{self.value(*names)}" if self.first(*names) else ""


def _dialog(said: ClauseSlots) -> DialogAnswer:
    """Return how a clause wants the dialog of the step before it to be answered."""
    is_refused = re.search(r"dismiss|cancel|declin|reject|\bno\b", said.first("d"), re.IGNORECASE)
    text = said.value("v") if said.has("v") else None
    return DialogAnswer(not is_refused, text, said.value("q") if said.has("q") else None)


def scope_to_frame(parsed: ParsedClause, name: str) -> ParsedClause | None:
    """Return a clause with its steps restricted to a frame; None if one of them cannot be."""
    if parsed.dialog or parsed.twin_checks or not all(_can_be_in_frame(step) for step in parsed.steps):
        return None
    return parsed._replace(steps=[_move_to_frame(step, f"{FRAME}{name}") for step in parsed.steps])


def _can_be_in_frame(step: BrowserStep) -> bool:
    kinds = ("text", "visible", "value", "disabled", "checked", "focused", "count")
    return step.expect.type in kinds if step.expect else step.action in ("click", "fill", "check", "uncheck", "press")


def _move_to_frame(step: BrowserStep, frame: str) -> BrowserStep:
    selector = f"{frame}{INSIDE}{step.selector}" if step.selector else frame
    expect = step.expect and msgspec.structs.replace(step.expect, selector=selector)
    return msgspec.structs.replace(step, selector=selector, expect=expect)


def kind_of_noun(noun: str) -> str:
    """Return the kind of element that a noun means."""
    return next(kind for kind, words in NOUNS.items() if re.fullmatch(words, noun, re.IGNORECASE))


def _login(said: ClauseSlots) -> list[BrowserStep]:
    return [
        BrowserStep("fill", selector=EMAIL, value=said.value("x", "ux", "ux_2") or "{{email}}"),
        BrowserStep(
            "fill",
            selector=PASSWORD,
            value=said.value("v", "v_2", "v_3", "uv", "uv_2", "uv_3", "uv_4") or "{{password}}",
        ),
        BrowserStep("click", selector=SUBMIT),
    ]


def _pause(said: ClauseSlots) -> list[BrowserStep]:
    number = float(said.groups["n"].replace(",", "."))
    is_short = said.groups["unit"].lower().startswith("m")
    return [BrowserStep("wait", value=min(60_000, round(number if is_short else number * 1000)))]


def _expect(kind: Any, *, selector: str | None = None, ms: int | None = None, **fields: Any) -> BrowserStep:
    return BrowserStep("expect", selector=selector, expect=Expect(kind, selector=selector, **fields), timeout_ms=ms)


def _texts(said: ClauseSlots, *, negated: bool = False, ms: int | None = None) -> list[BrowserStep]:
    names = ("qo", "qo2", "qo3") if negated else ("qs", "qs2")
    names = (*names, "qs") if negated else names
    return [_expect("text", contains=text, negated=negated, ms=ms) for text in said.texts(*names)]


def _text_but(said: ClauseSlots) -> list[BrowserStep]:
    shown = [_expect("text", contains=text) for text in said.texts("qs")]
    return shown + [_expect("text", contains=text, negated=True) for text in said.texts("qo2")]


def _inside(said: ClauseSlots) -> list[BrowserStep]:
    return [_expect("text", selector=said.select_named("x"), contains=said.value("v"))]


def _thing(said: ClauseSlots, *, negated: bool = False, ms: int | None = None) -> list[BrowserStep]:
    selector = said.select_named("k", "k2", "k3", "k4")
    return [_expect("visible", selector=selector, negated=negated, ms=ms)]


_WHOLE = frozenset(["is", "be", "equal", "equals", "lautet", "ist", "have", "has", "soll", "sollte"])


def _how(said: ClauseSlots, text: str) -> dict[str, Any]:
    """Compare for equality or containment, depending on the verb."""
    how = said.first("how").lower().split(" ")
    is_all = said.has("be") or not _WHOLE.isdisjoint(how)
    return {"equals": text} if is_all else {"contains": text}


def _url(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    text = said.value("v") if said.has("v") else said.value("u")
    compared: dict[str, Any] = _how(said, text) if said.has("v") else {"equals": text}
    return [_expect("url", negated=negated, **compared)]


def _standing(said: ClauseSlots) -> list[BrowserStep]:
    """`I am on /cart` opens the page at the start of a test, also after signing in, and expects its URL later."""
    return [BrowserStep("goto", value=said.value("u"))] if said.is_first else _url(said)


def _standing_named(said: ClauseSlots) -> list[BrowserStep]:
    """`I am on the Orders page` opens it at the start of a test, like `_standing`; later it expects its heading."""
    if said.is_first:
        return [BrowserStep("click", selector=f"place={said.value('x')}")]
    return [_expect("visible", selector=f"heading={said.value('x')}")]


def _landmark(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    selector = LANDMARKS[said.groups["region"].lower()]
    texts = said.texts("qo" if negated else "qs")
    return [_expect("text", selector=selector, contains=text, negated=negated) for text in texts]


SEARCH = "input[type=search], [role=searchbox], input[name=q], input[name*=search i], input[placeholder*=search i]"


def _title(said: ClauseSlots) -> list[BrowserStep]:
    return [_expect("title", **_how(said, said.value("v")))]


def _value(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    selector = f"field={said.value('field', 'field_2', 'field_3')}"
    return [_expect("value", selector=selector, negated=negated, **_how(said, said.value("v")))]


_STATES: dict[str, tuple[str, bool]] = {
    "disabled": ("disabled", True),
    "greyed out": ("disabled", True),
    "enabled": ("disabled", False),
    "clickable": ("disabled", False),
    "checked": ("checked", True),
    "ticked": ("checked", True),
    "selected": ("checked", True),
    "unchecked": ("checked", False),
    "unticked": ("checked", False),
    "switched on": ("checked", True),
    "switched off": ("checked", False),
}


def _state(said: ClauseSlots) -> list[BrowserStep]:
    is_so = not re.search(r"\b(?:not|no)\b", said.groups.get("not", ""), re.IGNORECASE)
    words = said.groups["state"].lower()
    if words in ("empty", "blank"):
        return [_expect("value", selector=said.select_named("kc", kind="field"), equals="", negated=not is_so)]
    state, holds = _STATES.get(words, ("focused", True))
    selector = said.select_named("kc", kind="choice" if state == "checked" else "control")
    if state == "checked" and selector.startswith("field="):  # "box" may mean a text field or a checkbox
        selector = f"choice={selector.removeprefix('field=')}"
    return [_expect(state, selector=selector, negated=holds != is_so, ms=LONG_MS if said.has("wait") else None)]


def _count(said: ClauseSlots) -> list[BrowserStep]:
    few, many = parse_count(said.groups["n"])
    noun = said.groups["things"].lower()
    kind = "datarow" if "row" in noun else "listitem" if "item" in noun and "menu" not in noun else kind_of_noun(noun)
    name = said.value("x") if said.has("x") else ""
    if many == 0 and name and kind not in ("datarow", "listitem"):
        return [_expect("visible", selector=f"{kind}={name}", negated=True)]
    return [_expect("count", selector=f"{kind}={name}", min=few, max=many)]


def _count_text(said: ClauseSlots) -> list[BrowserStep]:
    if said.has("times"):
        word = said.groups["times"].lower().split(" ")[0]
        few = many = {"once": 1, "twice": 2, "thrice": 3}.get(word) or parse_count(word)[0]
    else:
        few, many = parse_count(said.groups["n"])
    if many == 0:
        return [_expect("text", contains=said.value("q"), negated=True)]
    return [_expect("count", contains=said.value("q"), min=few, max=many)]


def _row_says(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    texts = (
        said.texts("qo") if negated else [text for name in ("qs", "qs2") if said.has(name) for text in said.texts(name)]
    )
    return [_expect("text", selector=said.row(), contains=text, negated=negated) for text in texts]


def _click(said: ClauseSlots) -> list[BrowserStep]:
    row = said.row()
    name = said.select_named("x")
    return [BrowserStep("click", selector=f"{row}{INSIDE}{name}" if row else name)]


def _with_value(action: Action) -> Callable[[ClauseSlots], list[BrowserStep]]:
    return lambda said: [BrowserStep(action, selector=f"{NAMED}{said.value('f')}", value=said.value("v"))]


def _of_kind(action: Action, kind: str | None = None) -> Callable[[ClauseSlots], list[BrowserStep]]:
    return lambda said: [BrowserStep(action, selector=said.select_named("x", "x2", kind=kind))]


def _create(said: ClauseSlots) -> list[BrowserStep]:
    attributes = [(label, said.unquote(value)) for label, value in attributes_of(said.first("attributes"))]
    return create_steps(said.value("noun"), said.value("name"), attributes, said.value("option"), said.value("mark"))


def _create_all(said: ClauseSlots) -> list[BrowserStep]:
    noun = said.value("noun").removesuffix("s")
    return [
        step
        for name, email in split_named(said.first("all"))
        for step in create_steps(noun, said.unquote(name), [("email", said.unquote(email))], "", "")
    ]


def _do(said: ClauseSlots) -> list[BrowserStep]:
    times = parse_count(said.groups["n"])[0] if said.has("n") else 1
    filled = fill_steps([(label, said.unquote(value)) for label, value in attributes_of(said.first("attributes"))])
    objects = [said.value(name) for name in ("object", "object2") if said.has(name)] or [""]
    return [*filled, *[do_step(said.value("act"), each, said.value("place")) for each in objects] * times]


def _list_says(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    texts = said.texts("qo", "qo2") if negated else said.texts("qs", "qs2")
    return [_expect("text", selector=LISTS, contains=text, negated=negated) for text in texts]


def _key(said: ClauseSlots) -> list[BrowserStep]:
    selector = f"{NAMED}{said.value('f')}" if said.has("f") else None
    return [BrowserStep("press", selector=selector, value=KEYS[said.groups["key"].lower()])]


def _signed_in(said: ClauseSlots) -> list[BrowserStep]:
    """`I am signed in as Ada` signs in with the given credentials at the start of a test; the page must say `Ada`."""
    seen = _expect("signed_in", contains=said.value("x"))
    return [*_login(ClauseSlots({}, said.held)), seen] if said.is_first else [seen]


def _nth(action: Action, kind: str = "control") -> Callable[[ClauseSlots], list[BrowserStep]]:
    def to_steps(said: ClauseSlots) -> list[BrowserStep]:
        noun = said.first("of_kind", "of_kind2")
        value = said.value("v") if said.has("v") else None
        return [BrowserStep(action, selector=select_nth(said, kind_of_noun(noun) if noun else kind), value=value)]

    return to_steps


def _placeholder(said: ClauseSlots, *, negated: bool = False) -> list[BrowserStep]:
    selector = f"field={said.value('f')}"
    return [_expect("placeholder", selector=selector, equals=said.value("q1"), negated=negated)]


STEPS_OF_KINDS: dict[str, Callable[[ClauseSlots], list[BrowserStep]]] = {
    "goto": lambda said: [BrowserStep("goto", value=said.value("u"))],
    "standing": _standing,
    "home": lambda said: [BrowserStep("goto", value="/")],
    "open": _of_kind("click", "place"),
    "login": _login,
    "login_note": _login,
    "logout": lambda said: [BrowserStep("click", selector=LOG_OUT)],
    "back": lambda said: [BrowserStep("back")],
    "reload": lambda said: [BrowserStep("reload")],
    "scroll": lambda said: [BrowserStep("scroll", value="top" if said.groups["end"].lower() == "top" else "bottom")],
    "scroll_to": _of_kind("scroll"),
    "ask": lambda said: [BrowserStep("ask_user_question", value=said.value("v"))],
    "pause": _pause,
    "loaded": lambda said: [BrowserStep("wait", selector="body", timeout_ms=LONG_MS)],
    "appears": lambda said: _texts(said, ms=LONG_MS),
    "appears_thing": lambda said: _thing(said, ms=LONG_MS),
    "vanishes": lambda said: _texts(said, negated=True, ms=LONG_MS),
    "vanishes_thing": lambda said: _thing(said, negated=True, ms=LONG_MS),
    "home_standing": lambda said: [BrowserStep("goto", value="/")] if said.is_first else [_expect("url", equals="/")],
    "standing_named": _standing_named,
    "search": lambda said: [
        BrowserStep("fill", selector=SEARCH, value=said.value("v")),
        BrowserStep("press", selector=SEARCH, value="Enter"),
    ],
    "redirects": lambda said: [BrowserStep("goto", value=said.value("from")), _expect("url", equals=said.value("u"))],
    "signed_in": _signed_in,
    "entry_click": click_in_entry,
    "entry_do": do_to_entry,
    "entry_says": expect_entry,
    "entry_says_not": lambda said: expect_entry(said, negated=True),
    "entry_is": expect_entry_is,
    "things": lambda said: expect_things(said, *parse_count(said.groups["n"])),
    "nth_click": _nth("click"),
    "nth_check": _nth("check", "checkbox"),
    "nth_uncheck": _nth("uncheck", "checkbox"),
    "nth_fill": _nth("fill", "field"),
    "heading_says": lambda said: [_expect("text", selector=select_nth(said, "heading"), contains=said.value("q1"))],
    "placeholder_fill": lambda said: [
        BrowserStep("fill", selector=f"{PLACEHOLDER}{said.value('f')}", value=said.value("v"))
    ],
    "placeholder": _placeholder,
    "placeholder_not": lambda said: _placeholder(said, negated=True),
    "heading_is": lambda said: [_expect("visible", selector=f"heading={text}") for text in said.texts("qs")],
    "asked_to_log_in": lambda said: [_expect("visible", selector=PASSWORD)],
    "new_tab": lambda said: [_expect("new_tab")],
    "opens_tab": lambda said: [BrowserStep("click", selector=said.select_named("x")), _expect("new_tab")],
    "tab_says": lambda said: [_expect("new_tab"), *_texts(said)],
    "close_tab": lambda said: [BrowserStep("close_tab")],
    "labelled": lambda said: [_expect("labelled", selector=said.value("f"), equals=said.value("v"))],
    "landmark": _landmark,
    "landmark_not": lambda said: _landmark(said, negated=True),
    "url": _url,
    "url_not": lambda said: _url(said, negated=True),
    "title": _title,
    "thing": _thing,
    "thing_gone": lambda said: _thing(said, negated=True),
    "state": _state,
    "value": _value,
    "value_not": lambda said: _value(said, negated=True),
    "count": _count,
    "count_empty": lambda said: [_expect("count", selector="datarow=", min=0, max=0)],
    "count_text": _count_text,
    "row_says": _row_says,
    "row_says_not": lambda said: _row_says(said, negated=True),
    "rows_seen": lambda said: [_expect("count", selector=f"datarow={said.value('x')}", min=1)],
    "text": _texts,
    "text_but": _text_but,
    "text_not": lambda said: _texts(said, negated=True),
    "inside": _inside,
    "create": _create,
    "create_all": _create_all,
    "fill_unit": lambda said: [
        BrowserStep("fill", selector=f"{LABEL}{said.value('f')} {said.value('unit')}", value=said.value("v"))
    ],
    "on_page": _of_kind("click", "place"),
    "do": _do,
    "refrain": lambda said: [],
    "list_says": _list_says,
    "list_says_not": lambda said: _list_says(said, negated=True),
    "cell": lambda said: [
        _expect("labelled", selector=f"{said.row()}{INSIDE}{said.value('f')}", equals=said.value("v"))
    ],
    "fill": _with_value("fill"),
    "upload": lambda said: [
        BrowserStep("upload", selector=f"{NAMED}{said.value('f')}" if said.has("f") else None, value=said.value("v"))
    ],
    "downloaded": lambda said: [_expect("download", equals=said.value("q1", "q2"), ms=LONG_MS)],
    "empty": lambda said: [BrowserStep("fill", selector=f"{NAMED}{said.value('f', 'f2')}", value="")],
    "select": _with_value("select"),
    "choose": _of_kind("choose", "choice"),
    "check_all": lambda said: [BrowserStep("check", selector=f"checkbox={name}") for name in said.texts("qs")],
    "check": _of_kind("check", "checkbox"),
    "uncheck": _of_kind("uncheck", "checkbox"),
    "key": _key,
    "hover": _of_kind("hover"),
    "click": _click,
    **STEPS_OF_MESSAGES,
    **STEPS_OF_RECORDS,
    **STEPS_OF_STATES,
}
"""The steps of each kind of sentence rule, except the rules about dialogs and twins."""
