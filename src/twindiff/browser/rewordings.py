"""Other wordings of a clause that no rule accepts as it stands, in the context of the clauses before it.

`her row` becomes `the row of Ada`, `I have added X` becomes `add X`.
A rewording only replaces words by others of the same meaning: a rule must still account for every word of the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager

from twindiff.browser.clauses import ParsedClause
from twindiff.browser.common_wordings import SAME_WORDINGS
from twindiff.browser.element_finder import INSIDE
from twindiff.browser.intent_finder import AFFIRMING, NEW
from twindiff.browser.intents import CONTROL, GERUNDS, LISTED, PARTICIPLES, Referent
from twindiff.browser.words import PLAIN, QUOTED, UNNAMED

MAX_REWORDINGS = 4
"""Rewordings of a clause, one after the other."""
_KEYWORD = re.compile(r"(?:and |but )?(given|when|then)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:and|but)\b", re.IGNORECASE)
_PERFECT = re.compile(r"(?:(?:i|we|you|he|she|they|the user) )?(?:have|has) (\w+)(?= )", re.IGNORECASE)
_GERUND = re.compile(r"(?:(?:after|by|on) )?(\w+ing)(?= |$)", re.IGNORECASE)
_EXISTS = re.compile(r"((?:a|an|the) .+)(?P<how> exists| (?:is|was|has been) (?:created|added))", re.IGNORECASE)
_IN_TWIN = re.compile(r"in (?:the )?(slack|linear|stripe|box|calendar),? (.+)", re.IGNORECASE)
_NOTHING = re.compile(r"nothing (?=(?:is|was|must be|should be) (?:posted|sent) (?:to|in) )", re.IGNORECASE)
_HOLDS = re.compile(r"(?:my|the|our) (basket|cart|bag) (?:contains|has|holds) (.+)", re.IGNORECASE)
_IS_CONTROL = re.compile(r"(?:(?:un)?(?:tick|check)|click|press|tap)s?(?: on)? it", re.IGNORECASE)
_PLACED = re.compile(r"\b(?:her|his|their|its) row\b", re.IGNORECASE)
_PAGE = re.compile(r"(?<=open )(?:her|his|their|its) page$|(?<=opens )(?:her|his|their|its) page$", re.IGNORECASE)
_SUBJECT_IT = re.compile(r"^(?:she|he|it)\b", re.IGNORECASE)
_THEM = re.compile(r"(?<=\w )(?:them all|(?:all|each|every one) of them|them)(?= as |$)", re.IGNORECASE)
_THEY = re.compile(r"^(?:they all|they|all of them)(?= (?:are|should|must|have)\b)", re.IGNORECASE)
_ONE_OF_THEM = re.compile(r"(?<=\bthe )([a-z]+)(?: one)? of them(?= |$)", re.IGNORECASE)
_LABEL_WORDS = rf"(?:{QUOTED}|(?-i:[A-Z][\w-]*(?: [a-z][\w-]*){{0,2}}))"
_OF_THAT = re.compile(r" (?:of|for) (?:that|this) [a-z]+\b", re.IGNORECASE)
_ITS_COLUMN = re.compile(
    r"(?:^|(?<=check that )|(?<=expect that )|(?<=verify that )|(?<=expect )|(?<=make sure ))"
    r"(?:its|the|his|her) ([a-z]+) "
    r"(?=(?:is|should|changes|must|has|to be|says|reads|shows)\b)",
    re.IGNORECASE,
)
_ITS_CONTROL = re.compile(rf"\b(?:its|her|his|their) ({_LABEL_WORDS}) (button|link)(?= |$)", re.IGNORECASE)
_CONTROL_OF = re.compile(
    rf"(?:the )?({_LABEL_WORDS}) (button|link) of "
    rf"({QUOTED}|(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*){{0,3}})|#\d{{1,6}})(?= |$)",
    re.IGNORECASE,
)
"""`the Lend button of Dune`: a control by the row that it stands in."""
_HIS_ROW = re.compile(r"\b(?:in|on) (?:that|this|its|his|her|the same) (row|card)\b", re.IGNORECASE)
_IT = re.compile(r"(?<=\w )(?:(?:it|him)(?= |$)|her$)", re.IGNORECASE)
_EMAIL = re.compile(r"\b(?:that|this|the same) e-?mail(?: address)?$", re.IGNORECASE)
_BOTH = re.compile(r"\bboth(?: of them| [a-z]+s)?(?= |$)", re.IGNORECASE)
_IS_TEXT = re.compile(rf"{QUOTED}|{PLAIN}|[A-Z].*")


_DESCRIBED = re.compile(
    rf"(?:(?<=\s)|^)(?:the|a|an) (?:(?!(?:row|button|link|field|box|checkbox|tab|heading|image|dialog|option|page|"
    rf"value|placeholder|url|title|list|table|file|second|third|first|last|new|alert|prompt|frame|iframe)\b)"
    rf"[a-z-]+ ){{1,2}}({QUOTED})",
)
"""A quotation with a noun that says what it is."""
_SUBJECT = re.compile(
    r"(?P<sure>(?:(?:i |we |you )?(?:expect|check|verify|make sure|assert|ensure|confirm)(?: that)? ))?"
    r"(?P<name>(?-i:[A-Z][\w'&-]*)(?: [\w'&-]+){0,3}?)(?: and (?P<name2>(?-i:[A-Z][\w'&-]*(?: [A-Z][\w'&-]*){0,3})))?"
    r"(?= (?:is|are|has|have|should|must|will|no longer|disappears|appears|does|goes|costs)\b)",
    re.IGNORECASE,
)
"""A name at the beginning of a clause that stands before its verb."""
_IS_OPEN = re.compile(r"the (catalogue|catalog|dashboard|overview|calendar|inbox) is open", re.IGNORECASE)
_TABLE_LACKS = re.compile(rf"(?:(?:expect|there is) )?no ({QUOTED}) in the (table|list)", re.IGNORECASE)
_ONCE_DONE = re.compile(
    r"^(?:once|as soon as|after|when) (?!the )(?P<what>.+?) "
    r"(?:has been|have been) (?P<done>[a-z]+(?: in| out| up)?)(?P<as> as .+)?$",
    re.IGNORECASE,
)
"""`once INV-3 has been marked as paid`, which a person brings about; `once the invoice is paid` may be waited for."""
_DEED_CONFIRMED = re.compile(
    r"(?:once|after|when|as soon as) (?:the|this) (?:deletion|cancellation|removal) (?:is|has been|was) confirmed",
    re.IGNORECASE,
)
_SEEN_NAME_WORDS = r"(?-i:[A-Z][\w&'-]*(?: [A-Z0-9][\w&'-]*){0,3})"
_SEEN_NAMES = re.compile(
    r"(?P<see>(?:(?:i |we |you |the user )?(?:(?:should|must|can) )?(?:sees?|expects?(?: to see)?|finds?)) )"
    rf"(?P<names>(?:the )?{_SEEN_NAME_WORDS}(?:(?:,? and |,? but not |, )(?:the )?{_SEEN_NAME_WORDS})*)",
    re.IGNORECASE,
)
_SEEN_NAME = re.compile(rf"(?:the )?({_SEEN_NAME_WORDS})")
_OF_WHICH = re.compile(r"^(.+) of (?:which|them|these|those) are (?=[a-z])", re.IGNORECASE)
_HAS_VALUE = re.compile(rf"([a-z]+):? ([$€£]?\d[\d.,]*|{QUOTED})")
"""A note about a column: `balance €12.50`."""
_SAME = (
    (re.compile(r"\b(must|should) to (?=[a-z])", re.IGNORECASE), r"\1 "),
    (re.compile(r"^in (?:the )?(list|table) (must|should) appear (.+)$", re.IGNORECASE), r"\3 must appear in the \1"),
    (re.compile(r"\bin (?:the )?(list|table)(?: of [a-z]+)?$", re.IGNORECASE), r"in the \1"),
    (re.compile(r"^tell (?:me|us) (?:whether|if) ", re.IGNORECASE), "check that "),
    (re.compile(r"^look up (.+?)(?: in the search(?: box| field)?)?$", re.IGNORECASE), r"search for \1"),
    (re.compile(r"(?<=\w|\x03) (?:comes|shows) up(?= |$)", re.IGNORECASE), " is shown"),
    (re.compile(rf"^({QUOTED}) (?=(?:visible|shown|displayed)$)", re.IGNORECASE), r"\1 is "),
    (_TABLE_LACKS, r"\1 is not in the \2"),
    (re.compile(rf"\bboth (?={QUOTED} and {QUOTED})"), ""),
    (re.compile(r"^see (?=(?:whether|if|that) )", re.IGNORECASE), "check "),
    (re.compile(rf"({QUOTED}) costs (?=\S+$)", re.IGNORECASE), r"the price of \1 is "),
    (re.compile(r" (?:that|which) (?:is|are) (?:listed|shown)\b", re.IGNORECASE), ""),
    (re.compile(r"\bshould only be\b", re.IGNORECASE), "should be only"),
)
_HAS_STATUS = re.compile(
    rf"(status|state|priority|assignee|owner|role):? ((?-i:[A-Z][\w-]*(?: [A-Z][\w-]*)*)|{QUOTED})", re.IGNORECASE
)
"""A note about what was done last: `close #103 -> status Closed`."""
_CAPITAL_STATE = re.compile(r" (?:is|are)(?: \w+)? [A-Z]")
"""`Lamp is Hidden` says a value of the application, not whether the lamp is seen."""
_TRY = re.compile(r"(?:(?:i|we|you|the user) )?(?:try|tries|attempts?) to ", re.IGNORECASE)
_LEFT = re.compile(r" (?:left|remaining|in total|altogether|now)$", re.IGNORECASE)
_ABLE = re.compile(r"(?<=should) (?:be able to (?:see|read|find)|read|get|find)\b", re.IGNORECASE)


class RewordingContext:
    """What the clauses before have named, and under which keyword (given, when, then) a sentence stands."""

    def __init__(self, quote: Callable[[str], str], restore: Callable[[str], str]) -> None:
        self._quote = quote
        self._restore = restore
        self.keyword = ""
        self.named: tuple[Referent, ...] = ()
        """What was created, in order."""
        self.done: tuple[str, ...] = ()
        """What something else was done to, in order."""
        self.listed = ""
        """The entries that were spoken of last, such as `open tickets`."""
        self.control = ""
        """The element that something was done to last."""
        self.acts: tuple[str, ...] = ()
        """The selectors of what was clicked, in order."""
        self.has_expectation = False

    def begin(self, sentence: str) -> None:
        """Note the keyword of a sentence; `And` keeps the one before."""
        keyword = _KEYWORD.match(sentence)
        if keyword:
            self.keyword = keyword[1].lower()
        elif not _GOES_ON.match(sentence):
            self.keyword = ""

    def note_all(self, clauses: Iterable[ParsedClause]) -> None:
        """Remember what clauses have created or done something to."""
        for parsed in clauses:
            self.acts = (*self.acts, *(str(step.selector) for step in parsed.steps if step.action == "click"))
            for referent in parsed.referents:
                self._note(referent)

    def _note(self, referent: Referent) -> None:
        if referent.noun == CONTROL:
            self.control = referent.name
        elif referent.noun == LISTED:
            self.listed = referent.name
        elif referent.noun:
            self.named = (*(each for each in self.named if each.name != referent.name), referent)
        elif self._restore(referent.name) not in map(self._restore, self.done):
            self.done = (*self.done, referent.name)

    @property
    def state(self) -> tuple[object, ...]:
        """What decides how a clause is reworded."""
        return self.named, self.done, self.control, self.listed, self.acts, self.keyword, self.has_expectation

    @contextmanager
    def including(self, clauses: Iterable[ParsedClause]) -> Generator[None]:
        """Remember these while the clauses after them are read."""
        before = self.named, self.done, self.control, self.listed, self.acts
        self.note_all(clauses)
        try:
            yield
        finally:
            self.named, self.done, self.control, self.listed, self.acts = before

    def name_of(self, thing: str) -> str | None:
        """Return the name of what was created before under this name, or as the only one of this noun."""
        of_noun = [each for each in self.named if each.noun == thing]
        known = of_noun if len(of_noun) == 1 else [each for each in self.named if self._restore(each.name) == thing]
        return known[0].name if known else None

    def reword(self, text: str) -> Iterator[str]:
        """Yield the next wordings to try of a clause."""
        yield from self._as_action(text)
        if placed := _IN_TWIN.fullmatch(text):
            yield f"{placed[2]} in {placed[1]}"
        if nothing := _NOTHING.match(text):
            yield f"no message {text[nothing.end() :]}"
        if of_row := _CONTROL_OF.search(text):
            yield text[: of_row.start()] + of_row.expand(r"the \1 \2 in the row of \3") + text[of_row.end() :]
        if _IS_CONTROL.fullmatch(text) and self.control:
            yield f"{text.removesuffix(' it')} {self._quote(self.control)}"
        if self.listed and (of_which := _OF_WHICH.search(text)):
            yield f"{of_which[1]} {self.listed} are {text[of_which.end() :]}"
        if self.listed:
            for pattern, words in ((_THEM, "every "), (_THEY, "all "), (_ONE_OF_THEM, r"\1 ")):
                if pattern.search(text):
                    yield pattern.sub(words + self.listed, text)
        yield from self._with_quotation(text)
        yield from self._with_names(text)

    def _with_quotation(self, text: str) -> Iterator[str]:
        """Yield a clause whose subject is a quotation: `the error "X" is shown`, `Globex is gone`."""
        if (seen := _SEEN_NAMES.fullmatch(text)) and not any(
            word in UNNAMED for name in _SEEN_NAME.findall(seen["names"]) for word in name.lower().split()
        ):
            yield seen["see"] + _SEEN_NAME.sub(lambda name: self._quote(name[1]), seen["names"])
        if tried := _TRY.match(text):
            yield text[tried.end() :]
        if described := _DESCRIBED.search(text):
            yield text[: described.start()] + text[described.start(1) :]
        name = _SUBJECT.match(text)
        names = [each for each in (name["name"], name["name2"]) if each] if name else []
        if (
            name
            and not _CAPITAL_STATE.match(text, name.end())
            and not any(word.lower() in UNNAMED for each in names for word in each.split(" "))
        ):
            yield f"{name['sure'] or ''}{' and '.join(map(self._quote, names))}{text[name.end() :]}"
        for pattern, words in (*_SAME, *SAME_WORDINGS):
            if pattern.search(text):
                yield pattern.sub(words, text)
        if _LEFT.search(text):
            yield _LEFT.sub("", text)
        if able := _ABLE.search(text):
            yield f"{text[: able.start()]} see{text[able.end() :]}"

    def _as_action(self, text: str) -> Iterator[str]:
        is_before = not self.has_expectation and self.keyword != "then"
        if is_before and (perfect := _PERFECT.match(text)) and (verb := PARTICIPLES.get(perfect[1].lower())):
            yield verb + text[perfect.end() :]
        if is_before and self.keyword == "given" and (verb := PARTICIPLES.get(text.split(" ", maxsplit=1)[0].lower())):
            yield f"{verb} {text.partition(' ')[2]}"
        if (gerund := _GERUND.match(text)) and (verb := GERUNDS.get(gerund[1].lower())) and not self._has_acted(verb):
            yield verb + text[gerund.end() :]
        if is_before and self.keyword == "given" and (holds := _HOLDS.fullmatch(text)):
            yield f"add {holds[2]} to the {holds[1]}"
        if (once := _ONCE_DONE.match(text)) and (verb := PARTICIPLES.get(once["done"].lower())) and not self.done:
            yield f"{verb} {once['what']}{once['as'] or ''}"
        if _DEED_CONFIRMED.fullmatch(text) and not self._has_acted("confirm"):
            yield "confirm"
        if self.keyword == "given" and is_before and (opened := _IS_OPEN.fullmatch(text)):
            yield f"open {opened[1]}"
        made = _EXISTS.fullmatch(text) if is_before and self.keyword else None
        if made and (self.keyword == "given" or made["how"] != " exists"):
            yield f"create {made[1]}"

    def _has_acted(self, verb: str) -> bool:
        """Return whether something like this was done before: `after saving` may then refer to it."""
        names = (selector.rpartition(INSIDE)[2] if INSIDE in selector else selector for selector in self.acts)
        firsts = [selector.partition("=")[2].lower() or selector.removesuffix("=") for selector in (*names, *self.acts)]
        if verb in ("create", "add", "register") and any(act.startswith(NEW) for act in self.acts):
            return True
        if verb == "confirm" and any(first.startswith(AFFIRMING) for first in firsts):
            return True
        return any(first == verb or first.startswith(f"{verb} ") for first in firsts)

    def _with_names(self, text: str) -> Iterator[str]:
        if not self.named and len(self.done) == 1:
            yield from self._with_one_done(text, self._quote(self.done[0]))
        if len(self.named) == 1:
            yield from self._with_one_named(text, self.named[0])
        two = self.done if len(self.done) == 2 else tuple(each.name for each in self.named)
        if len(two) == 2 and all(_IS_TEXT.fullmatch(each) for each in two) and _BOTH.search(text):
            both = " and ".join(self._quote(each) for each in two)
            yield _BOTH.sub(lambda _: both, text)

    def _with_one_done(self, text: str, name: str) -> Iterator[str]:
        """Yield a clause with the name of the only thing that something was done to or said of."""
        if _IT.search(text):
            yield _IT.sub(lambda _: name, text)
        if has := _HAS_STATUS.fullmatch(text):
            yield f"the {has[1].lower()} of {name} is {has[2]}"
        if column := _HAS_VALUE.fullmatch(text):
            yield f"the {column[1]} of {name} is {column[2]}"
        for pattern, words in (
            (_SUBJECT_IT, name),
            (_HIS_ROW, f"in the row of {name}"),
            (_OF_THAT, f" in the row of {name}"),
            (_ITS_COLUMN, rf"the \1 of {name} "),
            (_PLACED, f"the row of {name}"),
            (_ITS_CONTROL, rf"the \1 \2 in the row of {name}"),
        ):
            if said := pattern.search(text):
                yield text[: said.start()] + said.expand(words.replace("\\1", r"\1")) + text[said.end() :]

    def _with_one_named(self, text: str, one: Referent) -> Iterator[str]:
        """Yield a clause with the name of the only thing that was created."""
        name = self._quote(one.name)
        replaced = [
            (_PLACED, f"the row of {name}"),
            (_PAGE, f"the page of {name}"),
            (_SUBJECT_IT, name),
            (_IT, name),
        ]
        replaced += [(_EMAIL, f"the email {one.email}")] if one.email else []
        replaced += [(re.compile(rf"(?<=\w )the {re.escape(one.noun)}$", re.IGNORECASE), name)]
        for pattern, words in replaced:
            if pattern.search(text):
                yield pattern.sub(lambda _, words=words: words, text)
