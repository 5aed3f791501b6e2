"""Judges from the steps that passed whether each statement of a prompt is accounted for, without trusting the model.

`docs/design/model-runs.md` has the rules, and what they cannot see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from twindiff.browser.config import REFERENCE, BrowserStep, fill_parameters
from twindiff.browser.expectations import StepFailed
from twindiff.browser.model_runs.clause_readings import (
    ClauseReading,
    asks_for_action,
    claims_something,
    has_title,
    is_about_text,
    is_actor,
    list_enumerated,
    list_stems,
    may_demand_nothing,
    names_message,
    read_clauses,
    says_ability,
    tells_report,
)
from twindiff.browser.model_runs.step_evidence import (
    StepEvidence,
    is_alike,
    is_said,
    plain_words,
    said_by,
    scope_of,
    words_of,
)
from twindiff.browser.page_text import normalize_blanks
from twindiff.browser.prompt_facts import (
    Fact,
    PromptClause,
    PromptStatement,
    denies_something,
    list_statements,
    quote_facts,
)

MAX_MISSING_CHARACTERS = 300
_CHANGES = re.compile(
    r"\b(?:go(?:es)?|went|gone|chang\w+|drops?|falls?|rises?|increas\w+|decreas\w+|down|up|turns?|switch\w*)\b.*\bfrom\b",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:shows?|shown|displays?|displayed|visible|sees?|lists?|listed|contains?|hint)\b", re.IGNORECASE
)
MAX_PAGES = 60
"""Texts of pages that are kept, to know what a denial speaks of."""


class Missing(NamedTuple):
    """What of a statement nothing accounts for; `reading` and `facts` where it is what a clause says must be seen."""

    number: int
    why: str
    reading: ClauseReading | None = None
    facts: tuple[Fact, ...] = ()


class FailedExpectation(NamedTuple):
    """A step whose expectation did not hold; `filled` is the same with its parameters filled in."""

    position: int
    statements: frozenset[int]
    step: BrowserStep
    filled: BrowserStep
    failure: StepFailed


class StatementAccounts:
    """The statements of a prompt, and the steps that passed for each of them."""

    def __init__(self, prompt: str, values: Mapping[str, str], twin_sentences: Sequence[str] = ()) -> None:
        self._values = values
        self._prompt = self._fill_text(prompt)
        self.statements = list_statements(prompt)
        opening = self.statements[0] if len(self.statements) > 1 else None
        self._opens_idly = bool(opening and (has_title(prompt, self.statements) or tells_report(opening)))
        self._readings = [
            [each._replace(clause=self._with_values(each.clause)) for each in read_clauses(statement)]
            for statement in self.statements
        ]
        self._twins = [normalize_blanks(each).casefold() for each in twin_sentences]
        self._steps: list[StepEvidence] = []
        self._failed: list[FailedExpectation] = []
        self._pages: list[str] = []
        self._background: set[int] = set()

    def describe_statements(self) -> list[str]:
        """Return the numbered statements; those about twins say that they are not the model's."""
        return [
            f"{number}. {each.text}{' (checked elsewhere: use no step for it)' if self.is_of_twins(number) else ''}"
            for number, each in enumerate(self.statements, 1)
        ]

    def is_of_twins(self, number: int) -> bool:
        """Return whether checks of twins account for all clauses of a statement."""
        clauses = self.statements[number - 1].clauses
        return bool(clauses) and all(self._is_checked(number, each.text) for each in clauses)

    def check_numbers(self, numbers: Sequence[int]) -> str:
        """Return why a step cannot serve these statements; empty if it can."""
        wrong = [each for each in numbers if not 1 <= each <= len(self.statements)]
        if wrong or not numbers:
            return (
                f"statements: give the numbers, from 1 to {len(self.statements)}, of those that the step does or proves"
            )
        ours = [each for each in numbers if self.is_of_twins(each)]
        return f"statement {ours[0]} is about a twin and is checked elsewhere; no step can prove it" if ours else ""

    def record_passed(self, step: BrowserStep, seen: str = "", before: str = "") -> str:
        """Record a step that passed; returns why its expectation tells nothing, or an empty text."""
        evidence = StepEvidence(self._next(), frozenset(step.statements), self._fill(step), seen, before)
        self._steps.append(evidence)
        if before and before not in self._pages:
            self._pages = [*self._pages, before][-MAX_PAGES:]
        return evidence.why_void

    def record_failed(self, step: BrowserStep, failure: StepFailed) -> None:
        """Record a step whose expectation did not hold."""
        failed = FailedExpectation(self._next(), frozenset(step.statements), step, self._fill(step), failure)
        self._failed.append(failed)

    def add_background(self, numbers: Sequence[int]) -> None:
        """Record the statements of which the model says that they demand nothing."""
        self._background.update(numbers)

    def list_missing(self) -> list[Missing]:
        """Return what nothing accounts for, in the order of the prompt."""
        missing = [each for number in range(1, len(self.statements) + 1) for each in self._miss(number)]
        if not (missing or self._steps or self._twins):  # all of it would be background
            return [Missing(number, "no step has its number") for number in range(1, len(self.statements) + 1)]
        return missing

    def list_unproven(self, numbers: Sequence[int]) -> list[str]:
        """Return what earlier statements still lack that no step after an action for these ones can prove."""
        first = min(numbers)
        return [_describe(each) for each in self.list_missing() if each.number < first and each.facts]

    def describe_missing(self) -> list[str]:
        """Return one line for each statement that is not accounted for."""
        lines: dict[int, list[str]] = {}
        for each in self.list_missing():
            lines.setdefault(each.number, []).append(each.why)
        failed = {number for each in self._failed if not self._has_held_since(each) for number in each.statements}
        for number in failed:
            lines.setdefault(number, []).insert(
                0, "an expectation of it failed, which is the result unless it holds later"
            )
        return [
            f"{number}. {self.statements[number - 1].text[:MAX_MISSING_CHARACTERS]}: {'; '.join(dict.fromkeys(whys))}"
            for number, whys in sorted(lines.items())
        ]

    def find_dropped(self) -> FailedExpectation | None:
        """Return the first expectation that failed and has not held since."""
        return next((each for each in self._failed if not self._has_held_since(each)), None)

    def find_contradicted(self) -> tuple[int, Fact, StepEvidence] | None:
        """Return a statement, a fact of it, and a step that looked at what it is said of, where the fact was not.

        `INV-1 is Paid`: an expectation of the row `INV-1` that shows no `Paid` tells of a fault, whatever it expects.
        """
        for missing in self.list_missing():
            if missing.reading is None or missing.reading.clause.is_denied:
                continue
            clause = missing.reading.clause
            for look in self._steps:
                is_about = any(is_said(each, plain_words(look.scope)) for each in clause.facts) and not look.why_void
                if missing.number in look.statements and is_about and self._is_in_time(missing.number, look):
                    for fact in missing.facts:
                        if not is_said(fact, look.seen):
                            return missing.number, fact, look
        return None

    def _is_other_case(self, failed: FailedExpectation, later: StepEvidence, clauses: Sequence[PromptClause]) -> bool:
        """Return whether something else was entered before an expectation held: it failed for 500, and holds for 600.

        A value that the statements of the expectation do not name was a mistake, which may be corrected.
        """
        entered: dict[str, str] = {}
        for each in self._steps:
            if (
                not each.is_action
                or each.step.value is None
                or not each.step.selector
                or each.position > later.position
            ):
                continue
            value = str(each.step.value)
            old = entered.get(each.step.selector, value)
            if each.position < failed.position:
                entered[each.step.selector] = value
            elif old != value and any(is_said(fact, old) for clause in clauses for fact in clause.facts):
                return True
        return False

    def _next(self) -> int:
        return len(self._steps) + len(self._failed)

    def _fill_text(self, text: str) -> str:
        """Return a text with the values that are known; what is told or recorded keeps their names."""
        return fill_parameters(text, {**{name: f"{{{{{name}}}}}" for name in REFERENCE.findall(text)}, **self._values})

    def _with_values(self, clause: PromptClause) -> PromptClause:
        """Return a clause that has the value of each parameter that it names as a fact."""
        named = [name for name in REFERENCE.findall(clause.text) if name in self._values]
        facts = [each for each in clause.facts if each.text not in named]
        return clause._replace(facts=(*facts, *(Fact(f"{{{{{name}}}}}", (self._values[name],)) for name in named)))

    def _fill(self, step: BrowserStep) -> BrowserStep:
        def fill(text: str | None) -> str | None:
            return None if text is None else fill_parameters(text, self._values)

        expect = step.expect and msgspec.structs.replace(
            step.expect,
            contains=fill(step.expect.contains),
            equals=fill(step.expect.equals),
            selector=fill(step.expect.selector),
        )
        value = fill(str(step.value)) if step.value is not None else None
        return msgspec.structs.replace(step, selector=fill(step.selector), value=value, expect=expect)

    def _is_checked(self, number: int, clause: str) -> bool:
        """Return whether a check of a twin was made from a clause."""
        whole, part = (normalize_blanks(each).casefold() for each in (self.statements[number - 1].text, clause))
        return any(sentence in whole and part in sentence for sentence in self._twins)

    def _miss(self, number: int) -> Iterator[Missing]:
        statement = self.statements[number - 1]
        if self.is_of_twins(number):
            return
        steps = [each for each in self._steps if number in each.statements]
        if not steps:
            may_be_background = may_demand_nothing(statement) or (number == 1 and self._opens_idly)
            if number in self._background and may_be_background:
                return
            if number in self._background:
                yield Missing(number, "it demands something, so it is no background")
            else:
                hint = "; say at the end that it is background" if may_be_background else ""
                yield Missing(number, f"no step has its number{hint}")
        may_be_seen = _is_look(statement) or says_ability(statement)
        if steps and asks_for_action(statement) and not (may_be_seen or any(each.is_action for each in steps)):
            yield Missing(number, "no step does anything for it")
        yield from self._miss_of_statement(number, statement, steps)
        begin = -1
        for reading in self._readings[number - 1]:
            if not self._is_checked(number, reading.clause.text):
                yield from self._miss_of_clause(number, reading, steps, begin)
            begin = max(begin, self._find_done(reading, steps))

    def _miss_of_statement(
        self, number: int, statement: PromptStatement, steps: Sequence[StepEvidence]
    ) -> Iterator[Missing]:
        telling = [each for each in steps if each.expect and not each.why_void]
        readings = [each for each in self._readings[number - 1] if not self._is_checked(number, each.clause.text)]
        if claims_something(statement) and readings and not telling:
            yield Missing(number, "no expectation that could have failed proves it")
        seen = [list_stems(f"{said_by(each.expect)} {' '.join(words_of(each.scope))}") for each in telling]
        for item in list_enumerated(statement) if claims_something(statement) else ():
            stems = list_stems(item.text)
            if stems and not any(stems & each for each in seen):
                yield Missing(number, f"no expectation says '{item.text}'")
        if statement.is_ordered and not any(each.is_positioned for each in telling):
            yield Missing(number, "no expectation looks at a position (nth= or entry=)")
        exclusive = [each.clause for each in readings if each.clause.is_exclusive and not each.is_done]
        if (
            exclusive
            and not names_message(statement)
            and not any(self._limits(each, exclusive[0].text) for each in telling)
        ):
            yield Missing(number, f"nothing limits '{exclusive[0].text}' (equals, min and max, or negated)")

    def _limits(self, proof: StepEvidence, clause: str) -> bool:
        """Return whether an expectation would not have held, had there been more than a clause says."""
        expect = proof.expect
        if expect and expect.type == "count" and not expect.negated:
            return bool(expect.min) and expect.max is not None
        return bool(expect) and (expect.equals is not None or proof.denies_something(self._prompt, clause, self._pages))

    def _miss_of_clause(
        self, number: int, reading: ClauseReading, steps: Sequence[StepEvidence], begin: int
    ) -> Iterator[Missing]:
        clause = reading.clause
        proofs = [
            each
            for each in steps
            if each.expect
            and each.position > begin
            and (
                not clause.facts or self._is_in_time(number, each)
            )  # a clause without facts may say what a test is for
        ]
        if clause.is_denied:
            yield from self._miss_of_denial(number, reading, proofs)
        elif reading.is_asserted:
            yield from self._miss_of_claim(number, reading, steps, proofs)
        else:
            yield from self._miss_of_action(number, reading, steps)
        for kind, is_on in reading.states:
            of_state = [each.expect for each in proofs if each.expect and each.expect.type == kind]
            if not any(each.negated != is_on for each in of_state):
                state = kind if is_on else f"not {kind}"
                yield Missing(number, f"no expectation of the type {state} proves '{clause.text}'", reading)

    def _miss_of_action(self, number: int, reading: ClauseReading, steps: Sequence[StepEvidence]) -> Iterator[Missing]:
        """Yield the facts of something to be done that no action names, and those of a mere name that no step has."""
        text, missing = reading.clause.text, list[Fact]()
        for fact in reading.clause.facts:
            may_be_seen = not reading.is_done or _is_from(fact, text)
            is_named = is_actor(fact, reading.clause)  # who acts is signed in since an earlier statement, perhaps
            may_tell = self._steps if is_named else steps
            is_seen = (may_be_seen or is_named) and any(each.shows(fact, text) for each in may_tell)
            if not (is_seen or any(each.does(fact) for each in may_tell)):
                missing.append(fact)
        if missing:
            yield Missing(number, f"no step {'does' if reading.is_done else 'does or expects'} {quote_facts(missing)}")

    def _miss_of_denial(self, number: int, reading: ClauseReading, proofs: Sequence[StepEvidence]) -> Iterator[Missing]:
        clause, text = reading.clause, self._fill_text(self.statements[number - 1].text)
        # *A message says that Ada cannot be removed* is proven by a text that says so.
        messages = [each for each in proofs if is_about_text(text) and _says_denial(each, clause)]
        missing = tuple(
            fact
            for fact in clause.facts
            if not any(each.denies_fact(fact, self._fill_text(clause.text), text) for each in proofs)
            and not any(each.shows(fact, text) for each in messages)
        )
        if missing:
            yield Missing(
                number,
                f"no negated expectation says that {quote_facts(missing)} is not there: of the whole page, of a row "
                f"(row={missing[0].forms[0]}), or of a place that the sentence names (css=nav >> text=…)",
                reading,
                missing,
            )
        if (
            not clause.facts
            and not messages
            and not any(each.denies_something(self._prompt, clause.text, self._pages) for each in proofs)
        ):
            yield Missing(number, f"no negated expectation proves '{clause.text}'", reading)

    def _miss_of_claim(
        self, number: int, reading: ClauseReading, steps: Sequence[StepEvidence], proofs: Sequence[StepEvidence]
    ) -> Iterator[Missing]:
        """Yield what must be seen together and is not; what was clicked by its role may be left out."""
        clause = reading.clause
        clause = clause._replace(facts=tuple(each for each in clause.facts if not self._is_told(each, clause, steps)))
        reading = reading._replace(clause=clause)
        used = [fact for fact in clause.facts if any(each.is_click_on(fact) for each in steps)]
        scopes: dict[object, list[StepEvidence]] = {}
        for each in proofs:
            scopes.setdefault(each.scope or each.position, []).append(each)
        best = clause.facts
        for together in scopes.values():
            shown = [fact for fact in clause.facts if any(each.shows(fact, clause.text) for each in together)]
            lacking = tuple(fact for fact in clause.facts if fact not in shown and not (shown and fact in used))
            if reading.is_about_message and not any(_is_message_of(reading, each) for each in together):
                continue
            if len(lacking) < len(best) or not lacking:
                best = lacking
                if not lacking and (shown or not clause.facts or set(clause.facts) <= set(used)):
                    return
        if best and not set(clause.facts) <= set(used):
            whole = "together, in one place of the page, " if len(clause.facts) > 1 else ""
            yield Missing(
                number, f"no expectation says {whole}{quote_facts(best)} of '{clause.text}'", reading, tuple(best)
            )
        elif reading.is_about_message:
            yield Missing(number, f"no expectation says the message of '{clause.text}'", reading)

    def _is_told(self, fact: Fact, clause: PromptClause, steps: Sequence[StepEvidence]) -> bool:
        """Return whether a fact of a claim was seen before, as in *goes from 4 to 5*, or is a typed password."""
        if _CHANGES.search(clause.text) and _is_from(fact, clause.text):
            return any(each.shows(fact, clause.text) for each in self._steps)
        is_hidden = not is_about_text(clause.text) and not _SHOWN.search(clause.text)
        return is_hidden and any(each.types_password(fact) for each in steps)

    def _is_in_time(self, number: int, proof: StepEvidence) -> bool:
        """Return whether a proof comes after the actions of earlier statements, and before those of later ones.

        What a later statement signs in with may come first: *Tom has Dune. Log in as him*.
        """
        for action in self._steps:
            own = self._list_own(action.statements) if action.is_action else {number}
            is_late = min(own) < number and action.position > proof.position
            is_early = max(own) > number and action.position < proof.position and not action.is_signing_in
            if number not in own and (is_late or is_early):
                return False
        return True

    def _list_own(self, statements: frozenset[int]) -> frozenset[int]:
        """Return those of the statements of an action that ask for one, or all of them."""
        return frozenset(each for each in statements if asks_for_action(self.statements[each - 1])) or statements

    def _find_done(self, reading: ClauseReading, steps: Sequence[StepEvidence]) -> int:
        """Return the position of the first step that does what a clause says, or -1."""
        if reading.is_asserted or not reading.clause.facts:
            return -1
        done = [each.position for each in steps if each.is_action and any(map(each.does, reading.clause.facts))]
        return min(done, default=-1)

    def _has_held_since(self, failed: FailedExpectation) -> bool:
        """Return whether the same was expected again, with the same facts, and held."""
        clauses = [each.clause for number in failed.statements for each in self._readings[number - 1]]
        return any(
            later.position > failed.position
            and later.statements & failed.statements
            and not later.why_void
            and not self._is_other_case(failed, later, clauses)
            and _expects_the_same(failed.filled, later.step, clauses)
            for later in self._steps
        )


def _expects_the_same(one: BrowserStep, later: BrowserStep, clauses: Sequence[PromptClause]) -> bool:
    """Return whether a later expectation says the facts of another one, and of what else that said some word."""
    if not (one.expect and later.expect and is_alike(one.expect, later.expect)):
        return False
    facts = [fact for clause in clauses for fact in clause.facts]
    text, later_text = said_by(one.expect), said_by(later.expect)
    place, later_place = plain_words(scope_of(one)), plain_words(scope_of(later))
    has_text = all(is_said(each, later_text or later_place) for each in facts if is_said(each, text))
    has_place = all(is_said(each, f"{later_place} {later_text}") for each in facts if is_said(each, place))
    has_number = (one.expect.min, one.expect.max) == (later.expect.min, later.expect.max)
    stems = _list_other_stems(text, facts) & list_stems(" ".join(each.text for each in clauses))
    return has_text and has_place and has_number and (not stems or bool(stems & list_stems(later_text or later_place)))


def _list_other_stems(text: str, facts: Sequence[Fact]) -> set[str]:
    """Return the stems of a text without those of facts in it, unless it is a fact as a whole."""
    if any(is_said(Fact(text, (text,)), each.text) for each in facts):
        return set()
    for each in facts:
        text = text.replace(each.text, " ")
    return list_stems(text)


def _is_look(statement: PromptStatement) -> bool:
    """Return whether a statement may be done by looking: `Check the tabs again`."""
    return bool(re.match(r"\W*(?:then |and |now )?(?:check|open the app|confirm)\b", statement.text, re.IGNORECASE))


def _is_from(fact: Fact, clause: str) -> bool:
    """Return whether a clause says that something is changed from the fact to another."""
    before = clause[: max(clause.find(fact.text), 0)]
    return bool(re.search(r"\bfrom\b(?!.*\bto\b)", before))


def _is_message_of(reading: ClauseReading, proof: StepEvidence) -> bool:
    """Return whether an expectation shows a message as a clause describes it, by a word beyond the clause's facts.

    A message that is not described may say anything, but where messages are, or newly on the page.
    """
    is_any = not reading.describes_message and not proof.denies and not proof.why_void and proof.is_of_message
    said = said_by(proof.expect) or " ".join(words_of(proof.scope))
    return is_any or bool(_list_other_stems(said, reading.clause.facts) & list_stems(reading.clause.text))


def _says_denial(proof: StepEvidence, clause: PromptClause) -> bool:
    """Return whether an expected text denies something itself, in words of a clause."""
    said = said_by(proof.expect)
    is_told = bool(said) and not proof.denies and not proof.why_void and denies_something(said)
    return is_told and bool(list_stems(said) & list_stems(clause.text))


def _describe(missing: Missing) -> str:
    return f"statement {missing.number}: {missing.why}"
