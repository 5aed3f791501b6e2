"""Decides which statements of a prompt the claims of a model prove, given which claims hold in the finished world.

A claim that holds says that some rows are so. A statement is proven if its claims say all that it says: each unit of it
(`statement_units`) must be shown by one claim, so that names belong together, and nothing may be left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from twindiff.browser.prompt_facts import MONTHS, Fact, PromptStatement, quote_facts
from twindiff.browser.run_dates import date_of
from twindiff.server.apis.twin_runs import shown_values
from twindiff.server.apis.twin_runs.claim_words import DENIED, PromptNoun, PromptState
from twindiff.server.apis.twin_runs.statement_units import NumberFact, StatementUnit, split_statement
from twindiff.server.apis.twin_runs.world_claims import AGENT_EMAIL, ClaimResult

_MIXED_TABLES = {("github", "issues"): "is_pull_request"}
"""The column that tells the records of a table apart whose name says one kind; a number of them must compare it."""


class StatementProof(NamedTuple):
    """A statement with the reasons why its claims do not prove it; proven if there are none."""

    statement: PromptStatement
    reasons: list[str]
    is_background: bool = False
    is_checkable: bool = True
    """Whether it says something that rows could show."""


class ClaimAccounting:
    """Compares the statements of a prompt with the results of claims, as of the day on which the run starts."""

    def __init__(self, statements: Sequence[PromptStatement], twin_words: dict[str, str], today: date) -> None:
        self._statements = statements
        self._units = [split_statement(each, twin_words) for each in statements]
        self._today = today
        self._results: Sequence[ClaimResult] = ()

    def prove(self, results: Sequence[ClaimResult], background: Collection[int]) -> list[StatementProof]:
        """Return a proof, or what it lacks, for each statement; `background` has numbers of statements, from 1 on."""
        self._results = results
        return [
            self._prove(number, [each for each in results if each.claim.statement == number], number in background)
            for number in range(1, len(self._statements) + 1)
        ]

    def _prove(self, number: int, results: list[ClaimResult], is_background: bool) -> StatementProof:
        statement, units = self._statements[number - 1], self._units[number - 1]
        if statement.is_empty and all(each.is_free for each in units):
            if is_background and not results:
                return StatementProof(statement, [], is_background=True)
            return StatementProof(statement, ["it says nothing that rows could show"], is_checkable=False)
        if not results:
            said = "it is no background, since it says how something is" if is_background else "no claim is about it"
            return StatementProof(statement, [said])
        reasons = [f"the claim {each.claim.text} does not hold: {each.problem}" for each in results if each.problem]
        reasons += [f"the claim {each.claim.text} is true of any world" for each in results if is_vacuous(each)]
        reasons += self._refute_units(number, [each for each in results if not each.problem and not is_vacuous(each)])
        if all(each.is_free for each in units):
            reasons.append("it says nothing that rows could show")
        if statement.is_ordered:
            reasons.append("claims cannot show an order")
        return StatementProof(statement, reasons)

    def _refute_units(self, number: int, results: list[ClaimResult]) -> Iterator[str]:
        units = self._units[number - 1]
        showing: list[ClaimResult] = []
        for at, unit in enumerate(units):
            if unit.is_free:
                continue
            named = {each.claim.twin for each in results}
            yield from (f"no claim is about {twin}" for twin in unit.twins if twin not in named)
            if unit.is_denied and not _has_denial_as_value(unit, results):
                yield from self._refute_denied(number, unit, results)
                continue
            shown = self._find_showing(number, unit, results)
            if at and unit.is_bare and shown:
                shown = [
                    each
                    for each in shown
                    if unit.context or self._is_listed(number, each, results, showing, units[at + 1 :])
                ]
                if not shown:
                    yield f"no claim about {quote_facts(unit.names)} is like those before it, in all but one column"
                    continue
            reason = "" if shown else self._explain(number, unit, results)
            if reason:
                yield reason
            elif unit.is_exclusive and not any(each.claim.most is not None for each in shown):
                yield f"'{unit.text}' needs a claim with count or max"
            elif unit.is_universal and not self._shows_all(unit, shown):
                yield f"'{unit.text}' needs two claims with one count: of all rows, and of those that are so"
            if unit.is_void and not any(self._shows_empty(unit, each) for each in results):
                yield f"'{unit.text}' needs a claim with count 0 about what is in it"
            showing += shown

    def _shows_all(self, unit: StatementUnit, shown: list[ClaimResult]) -> bool:
        """Whether a claim that shows a unit counts as many rows as one that compares less, all of it said."""
        exact = [each for each in self._results if each.claim.least == each.claim.most and not each.problem]
        return any(
            one.claim.count == all_of_them.claim.count
            and (one.claim.twin, one.claim.table) == (all_of_them.claim.twin, all_of_them.claim.table)
            and _compares_more(one, all_of_them)
            and not [*self._list_unsaid(unit, all_of_them)]
            and self._leaves_out(unit, all_of_them)
            for one in shown
            for all_of_them in exact
        )

    def _leaves_out(self, unit: StatementUnit, result: ClaimResult) -> bool:
        """Whether a claim does not compare with something that a unit says."""
        texts = shown_values.list_operand_texts([operand for _, _, operand in result.operands])
        measures = [each for each in unit.numbers if each.time is not None or each.length is not None or each.is_money]
        details = self._list_details(0, replace(unit, numbers=tuple(measures)))
        is_named = all(_shows_name(each, unit, texts) for each in unit.names)
        return not is_named or not all(shows(result) for shows in details)

    def _shows_empty(self, unit: StatementUnit, result: ClaimResult) -> bool:
        """Whether a claim says that there are no rows that refer to the records of a unit."""
        is_about = all(_shows_name(each, unit, result.present) for each in unit.names)
        return result.claim.is_denial and is_about and not [*self._list_unsaid(unit, result)]

    def _is_listed(
        self,
        number: int,
        result: ClaimResult,
        results: list[ClaimResult],
        before: list[ClaimResult],
        after: Sequence[StatementUnit],
    ) -> bool:
        """Whether a claim about an item of a list is one of the claims before, or differs from one in one column."""
        if any(result is each or _are_alike(result, each) for each in before):
            return True
        following = next((each for each in after[:1] if not each.is_denied), None)
        if following is None or following.is_free:
            return False
        if not following.names:
            return bool(following.details and self._find_showing(number, following, [result]))
        return any(_are_alike(result, each) for each in self._find_showing(number, following, results))

    def _find_showing(self, number: int, unit: StatementUnit, results: list[ClaimResult]) -> list[ClaimResult]:
        """The claims that show a unit; empty if it is not shown whole."""
        limits = [each for each in unit.numbers if each.limit]
        positive = [each for each in results if (each.claim.least and each.values) or limits]
        whole = [each for each in positive if not [*self._list_lacking(number, unit, each)]]
        if whole or unit.details < 2:
            return whole
        named = [each for each in positive if not [*_list_unnamed(unit, each)]]
        base = [each for each in named if all(_covers(each, noun) for noun in unit.nouns)]
        showing = list(base)
        for lacking in self._list_details(number, unit):
            having = [each for each in named if lacking(each)]
            if not having:
                return []
            showing += having
        return showing if base else []

    def _explain(self, number: int, unit: StatementUnit, results: list[ClaimResult]) -> str:
        """What the nearest claim about a unit lacks."""
        positive = [each for each in results if each.claim.least and each.values]
        lacking = [[*self._list_lacking(number, unit, each)] for each in positive]
        if not lacking:
            return f"no claim that there are such rows shows '{unit.text}'"
        return f"no claim shows all of '{unit.text}'; the nearest lacks {', '.join(min(lacking, key=len))}"

    def _list_lacking(self, number: int, unit: StatementUnit, result: ClaimResult) -> Iterator[str]:
        yield from _list_unnamed(unit, result)
        yield from (f"a table of '{noun.text}'" for noun in unit.nouns if not _covers(result, noun))
        yield from (f"'{each.text}'" for each in unit.numbers if not self._shows_number(number, each, result))
        yield from (f"'{each.text}'" for each in unit.dates if not _shows_date(each, result))
        yield from (f"the day of '{each}'" for each in unit.days if not self._shows_day(each, result))
        yield from (f"'{each.word}'" for each in unit.states if not _shows_state(each, result))

    def _list_details(self, number: int, unit: StatementUnit) -> list[Callable[[ClaimResult], bool]]:
        return [
            *(partial(self._shows_number_in_state, number, unit, each) for each in unit.numbers),
            *(partial(_shows_date, each) for each in unit.dates),
            *(partial(self._shows_day, each) for each in unit.days),
            *(partial(_shows_state, each) for each in unit.states),
        ]

    def _shows_number_in_state(self, number: int, unit: StatementUnit, said: NumberFact, result: ClaimResult) -> bool:
        """Whether a claim shows a number, and for a number of records also what the unit says of their state."""
        is_measure = said.is_money or said.time is not None or said.length is not None
        return self._shows_number(number, said, result) and (
            is_measure or all(_shows_state(each, result) for each in unit.states)
        )

    def _shows_day(self, parameter: str, result: ClaimResult) -> bool:
        weekday = shown_values.find_weekday(parameter)
        if weekday is not None:
            return _all(result, lambda row: shown_values.shows_weekday(row, weekday, self._today))
        if parameter.lower() in MONTHS:
            return _all(result, lambda row: shown_values.shows_month(row, MONTHS.index(parameter.lower()) + 1))
        day = date_of(parameter, self._today)
        return _all(result, lambda row: shown_values.shows_day(row, day))

    def _shows_number(self, number: int, said: NumberFact, result: ClaimResult) -> bool:
        if said.time:
            hour, minute = said.time
            return _all(result, lambda row: shown_values.shows_time(row, hour, minute))
        if said.length is not None:
            length = said.length
            if said.is_recent:
                return _all(result, lambda row: shown_values.shows_recent(row, length, self._today))
            return _all(result, lambda row: shown_values.shows_duration(row, length))
        if said.is_money:
            amount = round(said.value * 100) if result.claim.twin == "stripe" else said.value
            return _all(result, lambda row: shown_values.shows_number(row.values(), amount))
        if _counts(said, result) and self._is_counted(number, said, result):
            return True
        return (
            not said.nouns
            and not said.limit
            and _all(result, lambda row: shown_values.shows_number(row.values(), said.value))
        )

    def _is_counted(self, number: int, said: NumberFact, result: ClaimResult) -> bool:
        """Whether the rows of a claim are what a number counts: its noun, or one that was said before."""
        table = result.claim.table
        if result.has_agent and any(noun.stems[0] == "user" for noun in said.nouns):
            return False
        column = _MIXED_TABLES.get((result.claim.twin, table))
        if column and not any(path == column for path, *_ in result.operands):
            return False
        if said.nouns:
            return any(noun.names(table) for noun in said.nouns)
        words = [word.lower() for word in re.findall(r"[^\W\d_]{3,}", said.following)]
        if any(_is_of_table(word, table) or _all(result, lambda row, w=word: _has_word(row, w)) for word in words[:3]):
            return True
        nouns = [noun for each in self._units[number - 1] for noun in each.nouns]
        at = number - 2
        while not nouns and at >= 0:
            nouns = [noun for each in self._units[at] for noun in each.nouns]
            at -= 1
        return any(noun.names(table) for noun in nouns)

    def _refute_denied(self, number: int, unit: StatementUnit, results: list[ClaimResult]) -> Iterator[str]:
        denials = [each for each in results if each.claim.is_denial]
        lacking = [[*self._list_undenied(unit, each)] for each in denials]
        if not lacking:
            yield f"'{unit.text}' needs a claim with count 0"
        elif all(lacking):
            yield f"no claim with count 0 shows '{unit.text}'; the nearest lacks {', '.join(min(lacking, key=len))}"

    def _list_undenied(self, unit: StatementUnit, result: ClaimResult) -> Iterator[str]:
        """What a claim of no rows lacks of a denied unit, and what it limits itself to without being told."""
        texts = shown_values.list_operand_texts([operand for _, _, operand in result.operands])
        yield from (f"'{each.text}'" for each in (*unit.names, *unit.context) if not _shows_name(each, unit, texts))
        yield from (
            f"'{each.text}' in a column that has it"
            for each in _list_subjects(unit)
            if not _shows_name(each, unit, result.present)
        )
        yield from (f"a table of '{noun.text}'" for noun in unit.nouns if not _covers(result, noun))
        for state in unit.states:
            if not any(state.is_shown_by(path, operand) for path, _, operand in result.operands):
                yield f"'{state.word}'"
        yield from self._list_unsaid(unit, result)

    def _list_unsaid(self, unit: StatementUnit, result: ClaimResult) -> Iterator[str]:
        """What a claim limits itself to without a word of the prompt."""
        for path, operator, operand in result.operands:
            if operator == "other":
                yield f"a plain comparison of {path}"
            for leaf in shown_values.list_leaves(operand):
                if not self._is_said(leaf, path, unit):
                    yield f"a reason to compare {path} with '{leaf}', which the prompt does not say"

    def _is_said(self, leaf: Any, path: str, unit: StatementUnit) -> bool:
        if leaf is None or isinstance(leaf, bool) or leaf == AGENT_EMAIL:
            return True
        if any(state.is_shown_by(path, leaf) or leaf == state.word.lower() for state in unit.states):
            return True
        if isinstance(leaf, str):
            facts = [each for units in self._units for one in units for each in one.names]
            return any(_shows_name(each, unit, [leaf]) for each in facts)
        return any(
            leaf in (each.value, each.value * 100) for units in self._units for one in units for each in one.numbers
        )


def is_vacuous(result: ClaimResult) -> bool:
    """Return whether a claim is true whatever the world holds."""
    claim = result.claim
    return (claim.least == 0 and claim.most is None) or (not claim.where and claim.most is None)


def _list_unnamed(unit: StatementUnit, result: ClaimResult) -> Iterator[str]:
    for each in (*unit.names, *unit.context):
        if not _all(result, lambda row, f=each: _shows_name(f, unit, [*row.values()])):
            yield quote_facts([each])


def _list_subjects(unit: StatementUnit) -> Iterator[Fact]:
    """Yield the names of a denied unit of which something is denied: they must be there."""
    yield from unit.context
    denied = DENIED.search(unit.text)
    for each in unit.names:
        if denied and 0 <= unit.text.find(each.forms[0]) < denied.start():
            yield each


def _shows_name(fact: Fact, unit: StatementUnit, values: Sequence[Any]) -> bool:
    if fact.text.startswith('"'):
        return shown_values.shows_quoted(values, fact.forms[0], unit.text)
    return shown_values.shows_name(values, fact.forms[0].strip("/").rsplit("/", 1)[-1])


def _shows_state(state: PromptState, result: ClaimResult) -> bool:
    """Whether all rows of a claim are in a state, or are what it makes: a refund is refunded."""
    stem = state.word.lower()[:6]
    if len(stem) == 6 and any(stem in table for table in result.tables):
        return True
    return _all(
        result,
        lambda row: any(
            state.is_shown_by(path, leaf) for path, value in row.items() for leaf in shown_values.list_leaves(value)
        ),
    )


def _shows_date(said: Fact, result: ClaimResult) -> bool:
    return _all(result, lambda row: shown_values.shows_date(row, said))


def _has_denial_as_value(unit: StatementUnit, results: Sequence[ClaimResult]) -> bool:
    """Whether rows have the denial itself as their value, as `Not run` is one of a test."""
    leaves = (leaf for each in results for row in each.values for leaf in shown_values.list_leaves([*row.values()]))
    texts = {leaf.casefold() for leaf in leaves if isinstance(leaf, str) and " " in leaf}
    return any(DENIED.search(text) and text in unit.text.casefold() for text in texts)


def _covers(result: ClaimResult, noun: PromptNoun) -> bool:
    columns = (column for path, *_ in result.operands for column in path.split("."))
    return any(noun.names(each) for each in (*result.tables, *columns))


def _counts(said: NumberFact, result: ClaimResult) -> bool:
    claim = result.claim
    if said.limit:
        kind, bound = said.limit
        return claim.least == bound if kind == "least" else claim.most == bound
    return claim.least == claim.most == said.value


def _all(result: ClaimResult, shows: Callable[[dict[str, Any]], bool]) -> bool:
    return bool(result.values) and all(shows(row) for row in result.values)


def _is_of_table(word: str, table: str) -> bool:
    stem = re.sub(r"(?:e?s|e?d)$", "", word)
    return len(stem) > 3 and any(each.startswith(stem) for each in table.lower().split("_"))


def _has_word(row: Mapping[str, Any], word: str) -> bool:
    return shown_values.shows_name(row.values(), word) or shown_values.shows_name(row.values(), word.removesuffix("s"))


def _are_alike(one: ClaimResult, other: ClaimResult) -> bool:
    """Whether claims are about the same table and compare the same columns, with other values in one at most."""
    if (one.claim.twin, one.claim.table) != (other.claim.twin, other.claim.table):
        return False
    mine, theirs = ({(path, operator): operand for path, operator, operand in each.operands} for each in (one, other))
    differing = {at[0] for at in mine.keys() | theirs.keys() if mine.get(at) != theirs.get(at)}
    return len(differing) <= 1


def _compares_more(one: ClaimResult, other: ClaimResult) -> bool:
    mine, theirs = ([(path, operator, operand) for path, operator, operand in each.operands] for each in (one, other))
    return len(mine) > len(theirs) and all(each in mine for each in theirs)
