"""Turns a prompt into steps by rules: the same prompt gives the same steps, and what no rule understands is reported.

A prompt is split into sentences, and a sentence into clauses that each ask for one thing. A rule accepts a clause only
as a whole; for a rejected clause, the words that prevent a match are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from twindiff.browser.clauses import RECORD_NAME, VERB, ParsedClause, read_clause, scope_to_frame
from twindiff.browser.config import MAX_PROMPT_CHARACTERS, MAX_STEPS, BrowserStep, DialogAnswer, Expect, TwinCheck
from twindiff.browser.element_finder import DIALOG, INSIDE, NAMED, ROW
from twindiff.browser.entry_states import STATUSES
from twindiff.browser.example_sentences import find_nearest_example
from twindiff.browser.intent_finder import DO, LABEL, NEW, PART
from twindiff.browser.intents import MAX_TIMES, TIMES, VERBS, count_of, do_step
from twindiff.browser.prompt_sentences import LATER, hold_passwords, normalize_clause, split_prompt
from twindiff.browser.rewordings import MAX_REWORDINGS, RewordingContext
from twindiff.browser.run_dates import SPOKEN_DATE, parameter_of
from twindiff.browser.state_rules import NAME, STATE, SUBJECT
from twindiff.browser.twin_rules import parse_count
from twindiff.browser.words import BARE, NO_ONE, PERSONS, PLAIN, QUOTED, SEPARATOR, allow_separators, mark_words

MAX_CLAUSE_CHARACTERS = 500
"""Characters of a clause, without its quotations, that rules look at."""
MAX_WORDS_LEFT = 6
"""Words removed from a clause to see whether a rule accepts the rest."""
MAX_WORDS_TO_NAME = 30
"""Words of the longest clause for which the unmatched words are searched."""
MAX_NAMED = 10
"""Clauses of a prompt for which the unmatched words are named."""
_MARKS = re.compile(
    r'"([^"\n]{0,500})"|“([^”\n]{0,500})”|„([^“”\n]{0,500})[“”]|«([^»\n]{0,500})»|»([^«\n]{0,500})«'
    r"|`([^`\n]{0,500})`|‘([^’\n]{0,500})’"  # noqa: RUF001
    r"|(?<![\w])'([^'\n]{0,500})'(?![\w])|(\{\{[^}\n]{0,100}\}\})|(https?://[^\s,;)]+[^\s,;.)!?:])"
    r"|((?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|((?<!\S)/[\w./?=&%#-]*[\w/]|(?<!\S)/(?!\S))"
)
_PLAIN, _ADDRESSES = (9, 11), (10, 12)
"""Groups of unquoted text: a parameter or an e-mail address, and a URL or path."""
_MARK = re.compile("[\x02\x04\x06](\\d+)[\x03\x05\x07]")
_NEXT_SENTENCE = re.compile(r" [A-Z][a-z]")
"""Begins a sentence after a quotation that ends one."""
_GAP = re.compile(
    rf"[,:]?\s+{LATER}\b,?\s+|\s*,\s*(?:(?:and|but|und|aber)\s+)?|\s+(?:and|but|und|aber)\s+|\s*(?:→|->|=>)\s*",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?:scenario(?: outline)?|feature|title|szenario|titel|test(?: case)?)\b"
    r"[\w\s-]{0,20}:[^\x02]*",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    allow_separators(
        rf" (?:smoke-?test|smoke test|test|teste|testing|try out)(?: (?:the|a|an|our|my|your|das|die|den|der))? {BARE}|"
        r" (?:actions?|steps?|background|expected(?: results?)?|given|test):?"
    ),
    re.IGNORECASE,
)
"""Wordings of a sentence before the first step that only says what a test is about."""
_PURPOSE = re.compile(
    r"as an? [\w ]{2,30}?,? (?:i|we) (?:want|would like|need|can|should be able)\b[^\x02\d]*"
    r"|an? [\w-]+(?: [\w-]+){0,3}? can (?!not\b)[^\x02\d]*"
    r"|(?:(?:please|could you|can you|would you|i want to|i would like to|we need to|let us|let's) )*"
    r"(?:check|test|verify|make sure|see)(?: that| if| whether)? "
    r"(?:i|we|you|users?|people|one|customers?|an? [\w-]+) can "
    r"(?!not\b)[^\x02\d]*",
    re.IGNORECASE,
)
"""A sentence before the first step that says what somebody can do, which the steps after it do."""
_LIMITED = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|only|just|neither|nor|without|except|unless|if|longer|all|every|each|any)\b",
    re.IGNORECASE,
)
"""Words by which a sentence about what somebody can do claims more than the steps after it show."""
_DEED = re.compile(
    r"\b(?:can|able to|want to|would like to|need to) (?P<verb>[a-z]+)(?: (?P<particle>in|out|up|off)\b)?"
)
"""What somebody can do, or wants to."""
_SEES = ("see", "view", "find", "read")
"""What somebody does who looks at what a test expects."""
_STORY = re.compile(r"(?:as an? |in order to |so that |i want )[^\x02]*", re.IGNORECASE)
_OPENS_DIALOG = ("click", "press", "choose", "select", "check", "uncheck")
"""Actions that may open a dialog of the browser."""
_AGAIN_LATER = ("fill", "select", "check", "uncheck", "click", "empty")
_AGAIN = (*_AGAIN_LATER, "do", "create")
"""Kinds whose verb may apply to several objects, of which some need them in a list."""
_LIST = re.compile(r"\s*,?\s*(?:and\s+)?", re.IGNORECASE)
_FILLS = ("fill", "fill_unit", "set_field", "select", "nth_fill", "placeholder_fill")
_COUNTED_FIELD = re.compile(r"(?P<n>\d{1,6}) (?P<noun>[a-z]+)(?=$|,| and )")
"""What follows a field that was filled in is another field, not a count of what the page shows."""
_OF_ONE = ("labelled", "cell")
"""Kinds whose predicate is a value, which cannot be said of a text before them too."""
_REPEATED = ("click", "key", "do")
"""Kinds that may be done several times."""
_STANDING = ("standing", "standing_named")
"""Kinds that say where a test begins, before its first step and after a scenario has signed in."""
_MANY_TIMES = re.compile(rf"(?P<what>.+?),? {TIMES}", re.IGNORECASE)
_TIMES_SIGN = re.compile(r" [x×]\d{1,3}$")  # noqa: RUF001
_LEAVES = re.compile(r"(?P<action>\w+ing .+?) (?:leaves|gives|shows) (?P<expected>.+)", re.IGNORECASE)
_WHEN = re.compile(r"(?P<expected>.+?),? (?:when|after) (?P<action>.+)", re.IGNORECASE)


_NAME = r"(?:\x02\d+\x03|[A-Z][\w-]*(?: [\w-]+){0,3})"
_IN_FRAME = re.compile(
    rf"in (?:the )?(?:(?P<a>{_NAME}) )?i?frame(?: (?:(?:named|called|titled) )?(?P<b>{_NAME}))?[,:]? |"
    rf"(?:the )?(?:(?P<c>{_NAME}) )?i?frame (?=(?:must|should|shows|says|contains|displays))",
    re.IGNORECASE,
)
_IN_FRAME_AFTER = re.compile(rf" in (?:the )?(?:(?P<a>{_NAME}) )?i?frame$", re.IGNORECASE)
_IN_TAB = re.compile(r"in the new (?:tab|window),? ", re.IGNORECASE)
_CRITERIA = re.compile(r"(?:acceptance criteria|expected results?)", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?P<what>.+?),? (?:within|in (?:under|less than)) (?P<n>an?|one|two|three|five|ten|\d{1,2}) ?(?:s|secs?|seconds?)"
    r"|(?P<now>.+?),? (?:immediately|instantly|at once|right away|straight away|within (?:a|one) moment)",
    re.IGNORECASE,
)
_WITHIN_FIRST = re.compile(r"(within (?:an?|\w+) ?(?:s|secs?|seconds?)|immediately|instantly),? (.+)", re.IGNORECASE)
SHORT_MS = 1000
"""Milliseconds that *immediately* leaves to a page."""
_ON_PAGE_FIRST = re.compile(rf"(on the (?:[A-Z][\w ]{{1,30}}?|{QUOTED}) page) (?=[a-z])", re.IGNORECASE)
_NOTES = ("note_only", "note_absent")
"""Kinds without a predicate: that of the clause after *and* may be theirs, as in *only Ada and Bo are not listed*."""
_SEEING = ("see", "sees", "should", "must")
"""The beginning of a clause that says what a person sees, without its subject."""
_ROOM = re.compile(r"\broom (?=\d)")
_WISH = re.compile(
    r"^(?:(?:and|then|so) )*(?:i|we)(?:['’]d| would) like to [^,\x02\d]*(?:\d[^,\x02\d]*)?, so (?=(?:i|we) )",  # noqa: RUF001
    re.IGNORECASE,
)
"""`I would like to see the rooms on floor 2, so I …`, which says why something is done."""
_WITH_FIELDS = re.compile(
    r"(?:(?:add|create|new) )+(?:(?:a|an) )?(?:new )?(?P<noun>[a-z]+)(?: with)?: "
    r"(?P<fields>[A-Za-z ]+ ?= ?[^=,]+(?:, ?[A-Za-z ]+ ?= ?[^=,]+)*)",
    re.IGNORECASE,
)
"""`Add customer: Name = Ann, Email = a@b.c`."""
_IN_PLACE_FIRST = re.compile(
    r"^(?:in|on) (?:the |my )?(settings|profile|preferences|dashboard|inbox|calendar|catalogue)(?: page| section)?,? "
    r"(?=[a-z])",
    re.IGNORECASE,
)
_IN_DIALOG_FIRST = re.compile(r"^in (?:the|this) (?:dialog|pop-?up|modal)(?: box| window)?,? (?=\S)", re.IGNORECASE)
_IN_DIALOG_AFTER = re.compile(r" (?:in|of|on) (?:the|this) (?:dialog|pop-?up|modal)(?: box| window)?$", re.IGNORECASE)
_ACTING = re.compile(
    r"(?:(?:given|when) )?(?:(?:the|an?) )?(?P<who>[A-Za-z][\w' -]{1,30}?) "
    r"\((?P<credentials>[^()]*[\x02\x04\d/][^()]*)\) (?P<rest>(?!is\b|logs\b|signs\b)[a-z]+s .+)"
)
"""`The office manager (m@b.test, password boss-1) opens Requests`."""
_NO_PERSON = re.compile(rf"(?:(?:the|an?) )?{NO_ONE}", re.IGNORECASE)
_IS_PERSON = re.compile(rf"(?:[\w'-]+ ){{0,2}}{PERSONS}|[A-Z][\w'-]*")
_PERSONA_NAMED = re.compile(
    r"(?:(?:given|when) )?(?P<a>[A-Za-z]\w+) (?:\(|(?:signs|logs|is (?:signed|logged)) in\b)"
    r"|(?:I )?(?:log|sign) in as (?P<b>[A-Z]\w+) \(",
    re.IGNORECASE,
)
_ACTS_NOW = (
    rf"(?:(?:{'|'.join(VERBS)})(?:e?s)|(?:opens|clicks|goes|enters|types|chooses|selects|picks|presses|ticks|fills|"
    r"searches|sees|logs|signs|is told|is informed|is taken)\b)"
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|thanks(?: a lot| so much)?|thank you|cheers|please|ok(?:ay)?)(?: there| all| team| everyone)?",
    re.IGNORECASE,
)
_SIGN_IN = re.compile(r"(?:log|sign) ?in", re.IGNORECASE)
_ARROW = re.compile(r"\s*(?:→|->|=>)\s*")
_PATH = re.compile(r"\s+>\s+")
_PATH_AND_ACTION = re.compile(rf"(?:[A-Z]\w+(?: \w+)? > )+(?:{'|'.join(VERBS)}|click|press|choose) [^>]+")
"""`Members > unblock Pia`, whose signs are arrows; those of `Price > Limit` compare."""
_ASSIGNED = re.compile(
    r"(?P<expect>(?:expect|check|verify) )?(?P<name>[^=:]{1,80}?)\s*(?P<sign>[=:])\s*(?P<value>[^=:]{1,200}|\d\d:\d\d)"
)
_TYPICAL_LABEL = re.compile(r"[A-Z][a-z]+ (?:type|number|date|name|address|code)")
"""A label of a form that ends with a noun which is reserved elsewhere."""
_PART_OF = re.compile(r"(?:the )?placeholder of (?:the )?(?P<field>.+)", re.IGNORECASE)
_AFTER_RELOAD = re.compile(r"^(?:after|on) (?:a|the) (?:page )?(?:reload|refresh),? (?=\S)", re.IGNORECASE)
_ON_PAGE = re.compile(rf"(?P<what>.+) on the (?P<page>[A-Z][\w ]{{1,30}}|{QUOTED}) page")
_BEFORE_COLON = re.compile(r"(?P<place>[A-Za-z]{3,20})(?: page)?: ", re.IGNORECASE)
_TERSE_GAP = re.compile(r"\s*(?:,|;|->|→|=>)\s*(?:(?:and|then) )?")
_FILLED = re.compile(
    rf"(?P<label>(?!(?:error|message|banner|toast|text|heading|status|no|only|open)\b)[a-z]+(?: [a-z]+)?)[: ] ?"
    rf"(?P<value>{QUOTED}|{PLAIN}|[A-Z][\w'-]*(?: [\w'-]+){{0,3}}|\d+)"
)
"""A field and its value in a note, if a later part ends the form."""
_ENDS_FORM = re.compile(r"(?:create|save|submit|post|send|add|confirm|update|apply)(?: changes)?", re.IGNORECASE)
_ENDS_NEW = re.compile(r"(?:create|save|add|submit|register) (?P<noun>[a-z]+)", re.IGNORECASE)
_BEFORE_FIELDS = re.compile(r"((?:new|add|create) [a-z]+): ", re.IGNORECASE)
_NOTED_STATE = re.compile(
    allow_separators(
        rf" (?P<row>{NAME}) (?P<state>{STATE}|listed)| (?P<row2>{SUBJECT}) (?P<state2>{'|'.join(sorted(STATUSES))})"
        rf"| (?P<row3>{NAME}(?:(?: \+ |,? and ){NAME})+) (?P<state3>{STATE})"
    )
)
"""`Bob blocked`, where a note leaves out *is*."""
_NOTED_COUNT = re.compile(r"(?P<n>\d{1,4}|no) (?P<state>[a-z][a-z-]*)")
_ALL = ("total", "altogether", "listed", "overall")
_NEW_ONE = re.compile(r"(?:new|add|create) (?P<noun>[a-z]+)", re.IGNORECASE)
_CONTROL_LINE = re.compile(r"(?:cancel|continue|next|confirm|finish|done|ok|submit)", re.IGNORECASE)
"""A line that is the label of a button that most forms and dialogs have."""
_IN_BRACKETS = re.compile(r"(?P<first>[^()]+) \((?P<rest>[^()]+)\)")
_LABEL = re.compile(r"[A-Z][\w-]*(?: [\w-]+){0,4}")
"""A step of a chain that reads as the label of a link or button."""
_DIALOG_NOTE = re.compile(r"accept|dismiss", re.IGNORECASE)
_PLACE_IN_CHAIN = re.compile(r"[a-z]{3,20}")
"""The beginning of a chain that reads as a page of the application: `loans -> …`."""
_MAY_BE_ANSWERED = ("do", "do_record", "create", "create_all", "search")
_ANSWER = re.compile(r"(?:.+ )?(?:\w+ed|.+ found)[.!]?|your? .+", re.IGNORECASE)
"""A quotation at the end of a chain that reads as the answer of a page, not as a button: `delete Ada -> "Deleted"`."""
_BUTTON = re.compile(
    r"(?:save|submit|place|send|create|add|delete|remove|update|export|cancel|file) [\w ]{1,40}", re.IGNORECASE
)
"""A numbered line that reads as the label of a button."""


class PromptPlan(NamedTuple):
    """The steps of a prompt; `subject` are titles before the first step, `unclear` what was not understood."""

    steps: list[BrowserStep]
    subject: list[str]
    unclear: list[str]
    twin_checks: list[TwinCheck] = []  # noqa: RUF012


def plan(prompt: str) -> PromptPlan:
    """Return the steps that a prompt asks for, and the twin checks after them."""
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        said = f"a prompt has at most {MAX_PROMPT_CHARACTERS:,} characters, not {len(prompt):,}"
        return PromptPlan([], [], [f"{prompt[:100]}… ({said})"])
    reader = _Reader()
    text = SPOKEN_DATE.sub(reader.hold_date, _MARKS.sub(reader.hold, hold_passwords(prompt)))
    for sentence in split_prompt(text):
        reader.read(sentence)
    return reader.plan()


class _Reader:
    """Reads the sentences of a prompt one after the other."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._spoken: dict[int, str] = {}
        """The words of dates, by the number of their placeholder."""
        self._steps: list[BrowserStep] = []
        self._subject: list[str] = []
        self._purposes: list[str] = []
        """Sentences that say what a test is for, which it must do after them, and expect something."""
        self._taken = ""
        """The sentences whose steps were taken."""
        self._unclear: list[str] = []
        self._checks: list[TwinCheck] = []
        self._known: dict[tuple[object, ...], ParsedClause | None] = {}
        self._context = RewordingContext(self._quote, self._name_of)
        self._persona = ""
        """Who signs in, by a name of the prompt."""
        self._is_repeated = False
        self._is_after_login = False
        """Whether the sentence before signed in, so that the name of a page alone opens it."""

    def hold(self, quoted: re.Match[str]) -> str:
        """Replace a quotation or an address by a placeholder, and keep its text."""
        self._held.append(next(group for group in quoted.groups() if group is not None))
        number = len(self._held) - 1
        if quoted.lastindex in _ADDRESSES:
            return f"\x06{number}\x07"
        if self._held[-1][-1:] in (".", "!", "?") and _NEXT_SENTENCE.match(quoted.string, quoted.end()):
            return f"\x02{number}\x03."
        return f"\x04{number}\x05" if quoted.lastindex in _PLAIN else f"\x02{number}\x03"

    def hold_date(self, said: re.Match[str]) -> str:
        """Replace a spoken date by the placeholder of its parameter."""
        self._held.append(f"{{{{{parameter_of(said)}}}}}")
        self._spoken[len(self._held) - 1] = said[0]
        return f"\x02{len(self._held) - 1}\x03"

    def read(self, sentence: str) -> None:
        """Parse a sentence as a whole, or record what of it is not understood."""
        if _CRITERIA.fullmatch(sentence) or _GREETING.fullmatch(sentence):
            return
        sentence = _AFTER_RELOAD.sub("reload the page and then ", sentence)
        sentence = _ON_PAGE_FIRST.sub(r"\1, ", sentence)
        sentence = _IN_PLACE_FIRST.sub(self._open_unless_open, sentence)
        sentence = _IN_DIALOG_FIRST.sub("the dialog is open and then ", sentence)
        sentence = self._name_persona(sentence)
        sentence = _ROOM.sub("Room ", sentence)
        sentence = _WISH.sub("", sentence)
        if fields := _WITH_FIELDS.fullmatch(sentence):
            pairs = [each.split("=") for each in fields["fields"].split(",")]
            values = [f"{label.strip().lower()} {self._as_value(value.strip())}" for label, value in pairs]
            sentence = f"add a {fields['noun']} with {', '.join(values)}"
        self._context.begin(sentence)
        clauses = self._parse_sentence(sentence)
        clauses = self._parse_shorthand(sentence) if clauses is None else clauses
        clauses = self._parse_terse(sentence) if clauses is None else clauses
        clauses = self._parse_on_page(sentence) if clauses is None else clauses
        clauses = self._parse_while(sentence) if clauses is None else clauses
        if clauses is None and self._is_after_login and _LABEL.fullmatch(sentence):
            clauses = self._parse_sentence(f"open {sentence.lower()}")
        if clauses is not None and any(parsed.kind not in ("refrain", "on_page") for parsed in clauses):
            for parsed in clauses:
                self._take(parsed)
            self._taken += f" {self._restore_text(sentence)}"
        elif not self._steps and not self._unclear and (_is_title(sentence) or self._is_story(sentence)):
            self._subject.append(self._restore_text(sentence))
        elif not self._steps and not self._unclear and _is_purpose(sentence):
            self._purposes.append(self._restore_text(sentence))
        else:
            unread = [*self._unread(sentence)] or [sentence]
            for clause in unread:
                self._unclear.append(self._complaint(clause))

    def _open_unless_open(self, placed: re.Match[str]) -> str:
        """Return the beginning of `in the settings, …`, which opens the page unless that was the last one opened."""
        opened = [act.lower() for act in self._context.acts if act.startswith("place=")]
        return "" if opened[-1:] == [f"place={placed[1].lower()}"] else f"open {placed[1]} and then "

    def _name_persona(self, sentence: str) -> str:
        """Return a sentence in which the person whose credentials were said is `he`."""
        if (
            not self._steps
            and (acting := _ACTING.fullmatch(sentence))
            and _IS_PERSON.fullmatch(acting["who"])
            and not _NO_PERSON.match(acting["who"])
        ):
            self._persona = acting["who"]
            return f"log in as {acting['credentials']} and he {acting['rest']}"
        if not self._steps and (named := _PERSONA_NAMED.match(sentence)):
            name = named["a"] or named["b"]
            self._persona = "" if _NO_PERSON.match(name) else name
        acts = rf"(?:(?<=^)|(?<=and )|(?<=when )|(?<=then )){re.escape(self._persona)} (?={_ACTS_NOW})"
        return re.sub(acts, "he ", sentence, flags=re.IGNORECASE) if self._persona else sentence

    def _parse_shorthand(self, sentence: str) -> list[ParsedClause] | None:
        """Return the clauses of steps in short: `Menu -> Size = Large -> Save`, or `Size: Large` on a line."""
        parts = _ARROW.split(_PATH.sub(" -> ", sentence) if _PATH_AND_ACTION.fullmatch(sentence) else sentence)
        if len(parts) > MAX_STEPS:
            return None
        if any("=" in part for part in parts):  # the fields of a form are filled in, so this is its button
            parts = [f"click the button {self._quote(part)}" if _SIGN_IN.fullmatch(part) else part for part in parts]
        read: list[ParsedClause] = []
        with self._context.including(()):
            for part in parts:
                clauses = self._parse_step(part, is_chain=len(parts) > 1)
                if clauses is None and not read and not self._steps and _PLACE_IN_CHAIN.fullmatch(part):
                    clauses = self._parse_sentence(f"open {part}")
                if clauses is None and part is parts[-1]:
                    clauses = self._parse_answer(part, read)
                if clauses is None:
                    return None
                self._context.note_all(clauses)
                read += clauses
        return read

    def _parse_on_page(self, sentence: str) -> list[ParsedClause] | None:
        """Return the clauses of `archive Ada on the Customers page`, which opens the page first."""
        said = _ON_PAGE.fullmatch(sentence)
        clauses = self._parse_sentence(f"on the {said['page']} page, {said['what']}") if said else None
        return None if clauses and any(parsed.is_expectation for parsed in clauses) else clauses

    def _parse_while(self, sentence: str) -> list[ParsedClause] | None:
        """Return the clauses of `A is done while B is still open`, which expects both."""
        both = sentence.split(" while ")
        clauses = self._parse_sentence(" and ".join(both)) if len(both) == 2 else None
        return clauses if clauses and all(parsed.is_expectation for parsed in clauses) else None

    def _parse_terse(self, sentence: str) -> list[ParsedClause] | None:
        """Return the clauses of notes: `team: New member, name "Ada", save -> "Saved"`."""
        sentence = _BEFORE_FIELDS.sub(r"\1, ", sentence if "<" in sentence else _PATH.sub(" -> ", sentence))
        parts = [part for part in _TERSE_GAP.split(sentence) if part]
        if len(parts) > MAX_STEPS:
            return None
        read: list[ParsedClause] = []
        place = ""
        with self._context.including(()):
            for number, part in enumerate(parts):
                is_start = not self._steps and all(parsed.kind == "login" for parsed in read)
                if (placed := _BEFORE_COLON.match(part)) and (is_start or self._is_after_login):
                    opened = self._parse_sentence(f"open {placed['place'].lower()}")
                    place, part = placed["place"].lower(), part[placed.end() :]
                    read += opened or []
                clauses = self._parse_note(part, parts[number + 1 :], read, place)
                if clauses is None or clauses[0].verb.lower() == "check":
                    return None
                self._context.note_all(clauses)
                read += clauses
        return read

    def _parse_note(
        self, part: str, later: list[str], before: list[ParsedClause], place: str
    ) -> list[ParsedClause] | None:
        """Return the clauses of one part of a note, after those of the parts before it."""
        if (counted := _NOTED_COUNT.fullmatch(part)) and place and counted["state"] != place:
            is_all = counted["state"] in _ALL
            return self._parse_sentence(f"there are {counted['n']} {'' if is_all else counted['state'] + ' '}{place}")
        if (clauses := self._parse_sentence(part)) is not None:
            return clauses
        is_in_form = any(parsed.kind == "new" for parsed in before)
        is_form = is_in_form or any(_ENDS_FORM.fullmatch(each) or _ENDS_NEW.fullmatch(each) for each in later)
        if is_form and (filled := _FILLED.fullmatch(part)):
            noted = self._parse_clause(f"set {filled['label']} to {self._as_value(filled['value'])}")
            return [_fill_described(noted)] if noted else None
        if _ENDS_FORM.fullmatch(part) and (before or later):
            return [_click_intent(f"{DO}{part.lower().split(' ')[0]}{PART}")]
        if new := _NEW_ONE.fullmatch(part):
            return [_click_intent(f"{NEW}{new['noun']}")._replace(kind="new")] if later else None
        if (before or self._steps) and (noted := self._parse_noted_state(part)):
            return noted
        if _PLACE_IN_CHAIN.fullmatch(part) and part not in VERBS and (self._is_after_login or _is_login(before)):
            return self._parse_sentence(f"open {part}")
        return self._parse_dialog_note(part, before) or (None if later else self._parse_answer(part, before))

    def _is_about_known(self, parsed: ParsedClause) -> bool:
        """Return whether a state is a common one, or is that of something that was acted on before."""
        expect = parsed.steps[0].expect
        name = str(parsed.steps[0].selector).removeprefix(ROW)
        return expect is not None and (expect.equals in STATUSES or name in map(self._name_of, self._context.done))

    def _parse_noted_state(self, part: str) -> list[ParsedClause] | None:
        """Return the expectation of `Bob blocked` or `Ulysses listed`."""
        said = _NOTED_STATE.fullmatch(mark_words(part))
        if said is None:
            return None
        if said["row3"]:
            names = re.sub(r"[ \x01]\+[ \x01]", " and ", said["row3"])
            return self._parse_sentence(f"{names} are {said['state3']}".replace(SEPARATOR, " "))
        row, state = said["row"] or said["row2"], said["state"] or said["state2"]
        return self._parse_sentence(f"{row} is {state}".replace(SEPARATOR, " "))

    def _parse_answer(self, part: str, before: list[ParsedClause]) -> list[ParsedClause] | None:
        """Return the expectation of a bare quotation at the end of a note, directly after something was done."""
        is_answer = before and before[-1].kind in _MAY_BE_ANSWERED and _MARK.fullmatch(part)
        return self._parse_sentence(f"expect {part}") if is_answer and _ANSWER.fullmatch(self._name_of(part)) else None

    def _as_value(self, text: str) -> str:
        return text if _MARK.fullmatch(text) else self._quote(text)

    def _parse_dialog_note(self, part: str, before: list[ParsedClause]) -> list[ParsedClause] | None:
        """Return the clauses of `accept` or `dismiss` directly after something was done."""
        is_answer = before and before[-1].kind in ("do", "do_record", "click") and _DIALOG_NOTE.fullmatch(part)
        return self._parse_sentence(f"{part} the dialog") if is_answer else None

    def _parse_step(self, part: str, *, is_chain: bool) -> list[ParsedClause] | None:
        clauses = self._parse_sentence(part)
        if clauses is not None or not part:
            return clauses
        if (assigned := _ASSIGNED.fullmatch(part)) and not _HEADING.match(part):
            return self._parse_assignment(assigned)
        if not is_chain:
            is_button = _BUTTON.fullmatch(part) or _CONTROL_LINE.fullmatch(part)
            return self._parse_sentence(f"click {part}") if is_button and self._steps else None
        if bracketed := _IN_BRACKETS.fullmatch(part):
            first, rest = bracketed.groups()
            parts = (first, f"{rest} the dialog" if rest in ("accept", "dismiss", "confirm", "cancel") else rest)
            both = [self._parse_step(each, is_chain=True) for each in parts]
            return None if None in both else [parsed for clauses in both if clauses for parsed in clauses]
        if part.startswith("\x06"):
            return self._parse_sentence(f"go to {part}")
        if (noted := self._parse_noted_state(part)) and self._is_about_known(noted[0]):
            return noted
        is_action = VERB.match(part) or part.split(" ", maxsplit=1)[0].lower() in VERBS
        is_label = _LABEL.fullmatch(part) and (" " not in part or not is_action)
        return self._parse_sentence(f"click {self._quote(part)}") if is_label else None

    def _parse_assignment(self, assigned: re.Match[str]) -> list[ParsedClause] | None:
        """Return the clauses of `Size = Large`, whose parts may be any text, or `Size: Large`, whose may not."""
        name, value = assigned["name"], assigned["value"]
        if assigned["expect"] and (part := _PART_OF.fullmatch(name.strip())):
            return self._parse_sentence(f"expect the placeholder of {part['field']} is {self._quote(value)}")
        if assigned["sign"] == ":" and (VERB.match(value) or self._parse_sentence(value) is not None):
            return None  # a place, and what is done there
        if assigned["sign"] == "=" or _TYPICAL_LABEL.fullmatch(name):
            name = self._quote(name)
        value = self._quote(value) if assigned["sign"] == "=" else value
        if assigned["expect"]:
            return self._parse_sentence(f"expect the value of {name} is {value}")
        filled = self._parse_sentence(f"fill {name} with {value}")
        if filled is None or assigned["sign"] == "=":
            return filled
        return [_fill_described(filled[0])] if len(filled) == 1 else None

    def _quote(self, text: str) -> str:
        """Return the placeholder of a text whose ends are known, as those of a quotation are."""
        if _MARK.fullmatch(text.strip()):
            return text.strip()
        self._held.append(self._restore_text(text))
        return f"\x02{len(self._held) - 1}\x03"

    def _is_story(self, sentence: str) -> bool:
        """Return whether a sentence is the user story below the name of a feature."""
        is_feature = bool(self._subject) and self._subject[0].lower().startswith("feature")
        return is_feature and bool(_STORY.fullmatch(sentence))

    def _take(self, parsed: ParsedClause) -> None:
        if self._checks and any(step.action != "expect" for step in parsed.steps):
            said = "twins are judged when all steps are done; say what is expected of them at the end"
            self._unclear += [f"{check.sentence} ({said})" for check in self._checks]
            self._checks = []
        if parsed.dialog:
            self._take_dialog(parsed, parsed.dialog)
        self._context.note_all([parsed])
        self._is_after_login = parsed.kind == "login"
        self._is_repeated = parsed.kind in _REPEATED and len(parsed.steps) > 1
        self._context.has_expectation |= bool(parsed.twin_checks) or any(step.expect for step in parsed.steps)
        self._steps += parsed.steps
        self._checks += parsed.twin_checks

    def _take_dialog(self, parsed: ParsedClause, dialog: DialogAnswer) -> None:
        """Let the step before open a dialog, or complain that there is none that could."""
        step = self._steps[-1] if self._steps else None
        if (
            step is None
            or self._is_repeated
            or step.action not in _OPENS_DIALOG
            or (parsed.needs_dialog_before and step.dialog is None)
        ):
            said = "say what happens to a dialog directly after the step that opens it"
            self._unclear.append(f"{parsed.kind.replace('_', ' ')}: {said}")
            return
        known = step.dialog or dialog
        answer = DialogAnswer(dialog.accept, known.text or dialog.text, known.says or dialog.says)
        self._steps[-1] = msgspec.structs.replace(step, dialog=answer)

    def plan(self) -> PromptPlan:
        """Return the plan for the sentences read."""
        if not (self._steps or self._checks):
            return PromptPlan([], [], self._subject + self._purposes + self._unclear)
        done = [each for each in self._purposes if self._context.has_expectation and self._is_done(each)]
        undone = [
            f"{each} (no sentence after it does so, or expects something)"
            for each in self._purposes
            if each not in done
        ]
        return PromptPlan(self._steps, self._subject + done, self._unclear + undone, self._checks)

    def _is_done(self, purpose: str) -> bool:
        """Return whether the sentences after a purpose have its verb, or it is about what somebody sees."""
        deed = _DEED.search(purpose)
        if deed is None or deed["verb"] in _SEES:
            return deed is not None
        particle = rf" {deed['particle']}\b" if deed["particle"] else ""
        return bool(re.search(rf"\b{deed['verb'].removesuffix('e')}[a-z]*{particle}", self._taken, re.IGNORECASE))

    def _parse_sentence(self, sentence: str) -> list[ParsedClause] | None:
        """Return the clauses of a sentence, whole or part by part; None if any part is left unmatched."""
        if len(sentence) > MAX_CLAUSE_CHARACTERS:
            return None
        parsed = self._parse_clause(sentence)
        if parsed:
            return [parsed]
        for gap in _GAP.finditer(sentence):
            first, rest = sentence[: gap.start()], sentence[gap.end() :]
            parsed = self._parse_clause(first)
            if parsed is None or parsed.kind in _NOTES:
                continue
            with self._context.including([parsed]):
                clauses = self._parse_after(parsed, rest, gap[0])
            if clauses is not None and not (parsed.is_loose and clauses[0].is_timed):
                return [parsed, *clauses]
        return self._parse_when(sentence)

    def _parse_when(self, sentence: str) -> list[ParsedClause] | None:
        """Return the clauses of `"Paid" is shown when you click "Pay"`: the action first, then what is expected."""
        said = _WHEN.fullmatch(sentence) or _LEAVES.fullmatch(sentence)
        actions = self._parse_sentence(said["action"]) if said else None
        if said is None or not actions or any(parsed.is_expectation for parsed in actions):
            return None
        with self._context.including(actions):
            expected = self._parse_sentence(said["expected"] if said.re is _WHEN else f"expect {said['expected']}")
        return [*actions, *expected] if expected and all(parsed.is_expectation for parsed in expected) else None

    def _parse_after(self, parsed: ParsedClause, rest: str, gap: str) -> list[ParsedClause] | None:
        """Return the clauses of the text after a clause and a gap, which may omit the clause's verb."""
        if parsed.kind in _FILLS and (counted := _COUNTED_FIELD.match(rest)):  # `the title "Retro" and 10 guests`
            rest = f"set {counted['noun']} to {counted['n']}{rest[counted.end() :]}"
            clauses = self._parse_sentence(rest)
            clauses = [_fill_described(clauses[0]), *clauses[1:]] if clauses else None
        else:
            clauses = self._parse_sentence(rest)
        if clauses and clauses[0].kind == "on_page" and parsed.kind != "login":
            return None
        if clauses is not None:
            has_seen = parsed.verb.lower() in _SEEING and not rest.startswith("\x02")
            may_be_said_of_both = (
                not has_seen and parsed.is_expectation and parsed.has_no_predicate and clauses[0].kind not in _OF_ONE
            )
            may_be_both = parsed.kind.startswith("check") and parsed.verb.lower() in ("check", "checks")
            return None if clauses[0].has_no_verb and (may_be_said_of_both or may_be_both) else clauses
        if str(parsed.steps[-1].selector if parsed.steps else "").startswith(ROW):
            return None  # `click Edit in the row of Ada and Bo` may name another row
        if parsed.kind not in (_AGAIN if _LIST.fullmatch(gap) else _AGAIN_LATER):
            return None
        again = self._parse_sentence(f"{parsed.verb} {rest}")
        return again if again is not None and again[0].kind == parsed.kind else None

    def _parse_clause(self, clause: str) -> ParsedClause | None:
        text = normalize_clause(clause)
        is_first = not self._steps
        key = (text, is_first, self._is_after_login, *self._context.state)
        if key not in self._known:
            parsed = self._read_clause(text, self._restore_text(clause), is_first=is_first) if text else None
            is_of_world = parsed is not None and parsed.twin_checks and self._context.keyword == "given"
            self._known[key] = None if is_of_world else parsed  # a scenario says what a twin has before a test
        return self._known[key]

    def _read_clause(self, text: str, written: str, *, is_first: bool) -> ParsedClause | None:
        """Return the parsed form of a clause, which may be about a frame or a new tab."""
        repeated = self._read_repeated(text, written) if _TIMES_SIGN.search(text) else None
        parsed = repeated or read_clause(text, self._held, written, is_first=is_first)
        if parsed and parsed.kind in _STANDING and self._is_after_login and self._context.keyword == "given":
            return read_clause(text, self._held, written, is_first=True)
        if parsed and not is_first and _is_beginning(parsed):
            return None  # where a test starts is said too late
        if parsed and parsed.kind == "login_note":
            return parsed._replace(kind="login") if is_first else None
        if parsed and parsed.kind in ("open", "do"):
            return parsed._replace(steps=[*map(self._open_known, parsed.steps)])
        if parsed:
            return parsed
        if tab := _IN_TAB.match(text):
            inner = self._read_clause(text[tab.end() :], written, is_first=False)
            opened = BrowserStep("expect", expect=Expect("new_tab"))
            return inner and inner._replace(steps=[opened, *inner.steps])
        if read := self._read_timed(text, written) or self._read_in_dialog(text, written):
            return read
        for frame, rest in self._frames(text):
            inner = read_clause(rest, self._held, written, is_first=False)
            scoped = inner and scope_to_frame(inner, frame)
            if scoped:
                return scoped
        return self._read_repeated(text, written) or self._read_reworded(text, written)

    def _read_in_dialog(self, text: str, written: str) -> ParsedClause | None:
        """Return the parsed form of a clause that is about the open dialog: a click, or a text that is expected."""
        placed = _IN_DIALOG_AFTER.search(text)
        inner = self._read_clause(text[: placed.start()], written, is_first=False) if placed else None
        if inner is None or inner.kind not in ("click", "text", "text_not", "told_text"):
            return None
        opened = BrowserStep("expect", selector=DIALOG, expect=Expect("visible", selector=DIALOG))
        steps = [
            msgspec.structs.replace(step, selector=DIALOG, expect=msgspec.structs.replace(step.expect, selector=DIALOG))
            if step.expect
            else msgspec.structs.replace(step, selector=f"{DIALOG}{INSIDE}{step.selector}")
            for step in inner.steps
        ]
        if any(INSIDE in str(step.selector).removeprefix(DIALOG + INSIDE) for step in steps):
            return None
        return inner._replace(steps=[opened, *steps])

    def _read_timed(self, text: str, written: str) -> ParsedClause | None:
        """Return the parsed form of an expectation that must hold in a time, counted from the step before."""
        if first := _WITHIN_FIRST.fullmatch(text):
            text = f"{first[2]} {first[1]}"
        said = _WITHIN.fullmatch(text)
        parsed = said and self._read_clause(said["what"] or said["now"], written, is_first=False)
        if said is None or parsed is None or parsed.is_timed or not parsed.is_expectation or not parsed.steps:
            return None
        number = said["n"] or "a"
        milliseconds = SHORT_MS * (1 if number in ("a", "an") else parse_count(number)[0])
        if not milliseconds:
            return None
        steps = [msgspec.structs.replace(step, timeout_ms=milliseconds) for step in parsed.steps]
        return parsed._replace(steps=steps, is_timed=True)

    def _read_repeated(self, text: str, written: str) -> ParsedClause | None:
        """Return the parsed form of an action that is done several times."""
        said = _MANY_TIMES.fullmatch(text)
        parsed = said and read_clause(said["what"], self._held, written, is_first=False)
        if said is None or parsed is None or parsed.kind not in _REPEATED or len(parsed.steps) != 1:
            return None
        times = count_of(said["times"])
        return parsed._replace(steps=parsed.steps * times) if 0 < times <= MAX_TIMES else None

    def _read_reworded(self, text: str, written: str, depth: int = MAX_REWORDINGS) -> ParsedClause | None:
        """Return the parsed form of another wording of a clause."""
        for wording in self._context.reword(text) if depth else ():
            parsed = read_clause(wording, self._held, written, is_first=False)
            parsed = parsed or self._read_repeated(wording, written) or self._read_reworded(wording, written, depth - 1)
            if parsed:
                return parsed
        return None

    def _open_known(self, step: BrowserStep) -> BrowserStep:
        """Return the step that opens what was created before, if this one opens `the customer` or its name."""
        opens, _, thing = str(step.selector).rpartition(PART)
        if str(step.selector).startswith("place="):
            opens, thing = f"{DO}open", str(step.selector).removeprefix("place=")
        if str(step.selector).startswith("place=") and (record := RECORD_NAME.fullmatch(thing)):
            return do_step("open", record["name"] or record["name_2"], "")
        name = self._context.name_of(thing) if opens in (f"{DO}open", f"{DO}view") else None
        return do_step("open", self._name_of(name), "") if name else step

    def _frames(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the frame that a clause names, and the clause without it."""
        if frame := _IN_FRAME.match(text):
            rest = text[frame.end() :]
            is_subject = not frame[0].lower().startswith("in ")
            name = self._frame_name(frame["a"] or frame["b"] or frame["c"])
            yield name, f"the page {rest}" if is_subject else rest
        if frame := _IN_FRAME_AFTER.search(text):
            yield self._frame_name(frame["a"]), text[: frame.start()]

    def _frame_name(self, name: str | None) -> str:
        return self._restore_text(name).strip('"') if name else ""

    def _unread(self, sentence: str) -> Iterator[str]:
        """Yield the shortest clauses of a sentence that no rule accepts."""
        if len(sentence) > MAX_CLAUSE_CHARACTERS:
            yield sentence
            return
        begin = 0
        for gap in _GAP.finditer(sentence):
            if not VERB.match(normalize_clause(sentence[gap.end() :])):
                continue
            first = sentence[begin : gap.start()]
            if self._parse_sentence(first) is None:
                yield first
            begin = gap.end()
        if self._parse_sentence(sentence[begin:]) is None:
            yield sentence[begin:]

    def _complaint(self, clause: str) -> str:
        """Return a clause as written, with the words that prevent a match and the nearest example, if there are."""
        written, words = self._restore_text(clause), self._left_over(clause)
        nearest = find_nearest_example(written)
        said = [f"not understood: {words}"] if words else []
        said += [f"understood is, for example: {nearest}"] if nearest else []
        return written + (f" ({'; '.join(said)})" if said else "")

    def _left_over(self, clause: str) -> str | None:
        """Return the fewest adjacent words without which a rule would accept a clause."""
        words = normalize_clause(clause).split(" ")
        if len(words) > MAX_WORDS_TO_NAME or len(self._unclear) >= MAX_NAMED:
            return None
        for size in range(1, min(MAX_WORDS_LEFT, len(words) - 1) + 1):
            for begin in range(len(words) - size, -1, -1):
                rest = " ".join([*words[:begin], *words[begin + size :]])
                left = words[begin : begin + size]
                if self._parse_sentence(rest) is not None:
                    return self._restore_text(" ".join(left))
        return None

    def _name_of(self, text: str) -> str:
        """Return a name of the prompt without its quotation marks."""
        mark = _MARK.fullmatch(text)
        return self._held[int(mark[1])] if mark else text

    def _restore_text(self, text: str) -> str:
        """Return a text as written, with placeholders replaced."""

        def restore_mark(mark: re.Match[str]) -> str:
            held = self._held[int(mark[1])]
            if int(mark[1]) in self._spoken:
                return self._spoken[int(mark[1])]
            return f'"{held}"' if mark[0][0] == "\x02" else held

        return _MARK.sub(restore_mark, text).strip()


def _is_login(clauses: list[ParsedClause]) -> bool:
    return bool(clauses) and clauses[-1].kind == "login"


def _is_purpose(sentence: str) -> bool:
    return _PURPOSE.fullmatch(sentence) is not None and not _LIMITED.search(sentence)


def _is_beginning(parsed: ParsedClause) -> bool:
    """Return whether a clause says where a test starts."""
    is_start = parsed.verb.lower() in ("start", "starts")
    return parsed.kind in ("place_named", "start") or (is_start and parsed.kind == "open")


def _click_intent(selector: str) -> ParsedClause:
    return ParsedClause("do", "click", [BrowserStep("click", selector=selector)], [], False, False)


def _fill_described(parsed: ParsedClause) -> ParsedClause:
    """Return a clause whose fields are only described: a page without them makes the note not understood."""
    steps = [
        msgspec.structs.replace(step, selector=LABEL + str(step.selector).removeprefix(NAMED))
        if step.action == "fill" and str(step.selector).startswith(NAMED)
        else step
        for step in parsed.steps
    ]
    return parsed._replace(steps=steps)


def _is_title(sentence: str) -> bool:
    """Return whether a sentence only says what a test is about."""
    return bool(_HEADING.fullmatch(sentence) or _ABOUT.fullmatch(mark_words(sentence)))
