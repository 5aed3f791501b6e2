"""Finds mistakes in the checks of a test by themselves, before any agent has tried it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple

from twindiff.checks import CheckSpec, RunHistory, evaluate, match, misspelt, references, regexes
from twindiff.checks.diffs import LISTS, Row
from twindiff.checks.spec import Assertion, Condition, ExpectedChange, Group, Predicate, Reference, Where
from twindiff.kit.rows import Table
from twindiff.suites.lint_context import LintContext

Kind = Literal[
    "misspelt",
    "no-op passes",
    "never holds",
    "never fails",
    "contradiction",
    "already so",
    "unknown",
    "ignored",
    "guessed",
]

IGNORED = "unknown key"
"""Warnings with these words are about keys that the public language ignores."""
MAX_COMPARED_ROWS = 500
"""Assertions of a test that are compared pairwise."""

ORDER = frozenset({"gt", "gte", "lt", "lte"})
PARTS_OF_TEXT = frozenset(
    {"contains", "i_contains", "starts_with", "ends_with", "i_starts_with", "i_ends_with", "regex", "not_contains"}
)
DESCRIBING = (PARTS_OF_TEXT - {"not_contains"}) | {"in"}
"""Operators that describe one value; a column rarely changes from one such value to another."""
TYPES: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "timestamp": (str,),
    "boolean": (bool, int, float),
    "integer": (bool, int, float),
    "float": (bool, int, float),
}
"""The types that a column's values can equal, by kind; columns of other kinds can equal anything."""


class LintFinding(NamedTuple):
    """A mistake in the checks of a test."""

    kind: Kind
    text: str


def lint(spec: CheckSpec, world: LintContext) -> list[LintFinding]:
    """Return the mistakes in the checks of a test, given its initial state."""
    findings = [LintFinding("misspelt", str(problem)) for problem in misspelt(spec, world.known)]
    if evaluate(spec, {"inserts": []}, RunHistory([], [])).passed:
        findings.append(LintFinding("no-op passes", "An agent that does nothing passes."))
    elif all(_is_so_already(each, world) for each in spec.assertions):
        findings.append(LintFinding("already so", "All that is asked for is in the template already."))
    for assertion in spec.assertions:
        problems = (*_problems(assertion, spec, world), *_guesses(assertion, world))
        findings += [_with_assertion_number(assertion, problem) for problem in problems]
    pairs = combinations([each for each in spec.assertions if each.diff_type in LISTS][:MAX_COMPARED_ROWS], 2)
    for one, other in pairs:
        if problem := _contradiction(one, other, spec, world):
            findings.append(LintFinding("contradiction", f"assertions {one.number} and {other.number}: {problem}"))
    return findings


def lint_test(spec: CheckSpec, world: LintContext, warnings: Collection[str]) -> list[LintFinding]:
    """Return the mistakes in a test: those in its checks, and what its import warned of."""
    findings = lint(spec, world)
    known = {finding.text for finding in findings} | {*find_impossible_values(spec, world.tables)}
    more = [warning for warning in warnings if warning not in known]
    return findings + [LintFinding("ignored" if IGNORED in each else "unknown", each) for each in more]


def find_impossible_values(spec: CheckSpec, tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield why values of conditions can never be those of their columns, by the kinds of these."""
    for assertion in spec.assertions:
        if (table := tables.get(assertion.entity)) and assertion.diff_type != "response":
            changes = [side for each in _expected_changes(assertion) for side in _sides(each)]
            for clause in (*assertion.where, *changes):
                if reason := _impossible_clause(clause, table):
                    yield f"assertions[{assertion.number - 1}]: {reason}"


def _sides(change: ExpectedChange) -> list[Condition]:
    return [Condition(change.column, side) for side in (change.before, change.after) if side]


def _with_assertion_number(assertion: Assertion, problem: LintFinding) -> LintFinding:
    return problem._replace(text=f"assertion {assertion.number}: {problem.text}")


def _problems(assertion: Assertion, spec: CheckSpec, world: LintContext) -> Iterator[LintFinding]:
    count = assertion.count
    if count.most is not None and count.most < count.least:
        yield LintFinding("never holds", f"no number is at least {count.least} and at most {count.most}")
    if count.least == 0 and count.most is None and not _can_be_strict(assertion, spec):
        yield LintFinding("never fails", "any number of rows will do")
    if assertion.diff_type not in LISTS:
        return
    impossible = _impossible(assertion, spec, world)
    if impossible and count.least > 0:
        yield LintFinding("never holds", impossible)
    elif impossible and count.most == 0:
        yield LintFinding("never fails", f"it expects nothing of what can never be: {impossible}")
    elif count.least > 0:
        yield from (LintFinding("already so", text) for text in _unchanged_columns(assertion, spec, world))


def _unchanged_columns(assertion: Assertion, spec: CheckSpec, world: LintContext) -> Iterator[str]:
    """Yield the expected changes to what the column is already in every row that the assertion can be about."""
    changes = _expected_changes(assertion)
    if not changes or assertion.entity not in world.tables or assertion.refers_to:
        return
    rows = _candidates(assertion, spec, world)
    for change in changes:
        after = change.after
        if after is None or after.operator not in DESCRIBING or not rows:
            continue
        if all(match.holds(after, row.get(change.column)) for row in rows):
            written = f"{change.column} {after.operator} {after.value!r}"
            yield f"{written} holds in the template; the check asks for a change from one such value to another"


def _guesses(assertion: Assertion, world: LintContext) -> Iterator[LintFinding]:
    """Yield the columns that an assertion rests on and that a drafted twin makes up."""
    read = {path.split(".")[0] for clause in assertion.where for path in clause.paths}
    read |= {change.column for change in _expected_changes(assertion)}
    for column in sorted(read & {*world.guessed.get(assertion.entity, ())}):
        said = f"{assertion.entity}.{column} is guessed by the drafted twin unless a request gives it"
        yield LintFinding("guessed", f"{said}; say in its overlay what the vendor does")


def _can_be_strict(assertion: Assertion, spec: CheckSpec) -> bool:
    return assertion.diff_type == "changed" and spec.strict


def _impossible(assertion: Assertion, spec: CheckSpec, world: LintContext) -> str | None:
    """Return why no row can ever match, or None."""
    table = world.tables.get(assertion.entity)
    if table is None:
        return None
    reasons = (
        *(_impossible_clause(clause, table) for clause in assertion.where),
        *(_impossible_change(change, assertion, spec, table) for change in _expected_changes(assertion)),
        *(_impossible_reference(clause, table, spec, world) for clause in assertion.where),
        _impossible_here(assertion, spec, world),
    )
    return next((reason for reason in reasons if reason), None)


def _expected_changes(assertion: Assertion) -> list[ExpectedChange]:
    return [*assertion.changes.values()] if assertion.diff_type == "changed" else []


def _impossible_clause(clause: Condition | Group, table: Table) -> str | None:
    if isinstance(clause, Condition):
        return _impossible_predicate(clause.predicate, clause.path, table)
    if clause.connective != "and":
        return None
    return next((reason for part in clause.parts for each in part if (reason := _impossible_clause(each, table))), None)


def _impossible_predicate(predicate: Predicate, path: str, table: Table) -> str | None:
    """Return why no value of a column can satisfy a predicate, or None."""
    kind = table.columns[path].kind if path in table.columns else ""
    if predicate.operator == "and":
        return next((why for part in predicate.value if (why := _impossible_predicate(part, path, table))), None)
    if predicate.operator == "regex" and not regexes.is_pattern(predicate.value):
        return f"{path}: {predicate.value!r} is no regular expression"
    if kind in {"text", "timestamp"} and predicate.operator in ORDER:
        return f"{path} is a text, which is neither greater nor less than a number"
    if kind in {"boolean", "integer", "float"} and predicate.operator in PARTS_OF_TEXT:
        return f"{path} is no text to look into"
    values = _required_values(predicate)
    if values and kind in TYPES and not any(value is None or isinstance(value, TYPES[kind]) for value in values):
        return f"{path} is of the kind {kind} and can never be {values[0]!r}"
    return None


def _required_values(predicate: Predicate) -> list[Any]:
    """Return the values of which a column must have one."""
    if predicate.operator == "eq":
        return [predicate.value]
    return predicate.value if predicate.operator == "in" else []


def _impossible_change(change: ExpectedChange, assertion: Assertion, spec: CheckSpec, table: Table) -> str | None:
    column = change.column
    if column in table.key:
        return f"{column} is of the key; a row with another one is another row"
    if column in _ignored_columns(assertion, spec):
        return f"{column} is ignored and so can satisfy nothing"
    if change.before and change.after and change.before == change.after and change.before.operator == "eq":
        return f"{column} does not change from {change.before.value!r} to the same"
    sides = [_impossible_predicate(side, column, table) for side in (change.before, change.after) if side]
    return next((reason for reason in sides if reason), None)


def _ignored_columns(assertion: Assertion, spec: CheckSpec) -> frozenset[str]:
    everywhere = match.ignored_everywhere(spec) | assertion.ignore
    return everywhere | spec.ignore_fields.get(assertion.entity, frozenset())


def _impossible_reference(clause: Condition | Group, table: Table, spec: CheckSpec, world: LintContext) -> str | None:
    """Return why a column can never equal the column that it refers to, or None."""
    if not isinstance(clause, Condition) or not isinstance(clause.predicate.value, Reference):
        return None
    reference = clause.predicate.value
    other = world.tables.get(next(each.entity for each in spec.assertions if each.id == reference.id))
    columns = (table.columns.get(clause.path), other.columns.get(reference.path) if other else None)
    kinds = [column.kind for column in columns if column and column.kind in TYPES]
    if clause.predicate.operator == "ref" and len({TYPES[kind] for kind in kinds}) > 1:
        return (
            f"{clause.path} is of the kind {kinds[0]} and {reference.path} of '{reference.id}' of the kind {kinds[1]}"
        )
    return None


def _impossible_here(assertion: Assertion, spec: CheckSpec, world: LintContext) -> str | None:
    """Return why a row that must exist beforehand does not, or None: a net diff shows new rows only as added."""
    if assertion.diff_type == "added":
        return None
    candidates, least = _candidates(assertion, spec, world), max(1, assertion.count.least)
    if len(candidates) < least:
        rows = f"only {len(candidates)} rows" if candidates else "no row"
        return f"the template has {rows} of {assertion.entity} like that to be {assertion.diff_type}"
    if assertion.diff_type == "changed" and all(_has_it(assertion, row) for row in candidates) and assertion.changes:
        return f"the {assertion.entity} of the template are like that already"
    return None


def _has_it(assertion: Assertion, row: Row) -> bool:
    """Return whether a row already has an expected value, so that its column cannot change to it."""
    return any(
        change.after is not None and change.after.operator == "eq" and match.holds(change.after, row.get(change.column))
        for change in assertion.changes.values()
    )


def _candidates(assertion: Assertion, spec: CheckSpec, world: LintContext) -> list[Row]:
    """Return the template rows that an assertion can be about, judged by the columns that may not change."""
    table = world.tables[assertion.entity]
    may_change = (assertion.changes.keys() | _ignored_columns(assertion, spec)) if spec.strict else table.columns.keys()
    may_change |= {name for name, column in table.columns.items() if column.derived}
    may_change = may_change - set(table.key) if assertion.diff_type == "changed" else set[str]()

    def can_be(row: Row) -> bool:
        held = match.satisfies(_unchanging_clauses(assertion.where, may_change), row)
        return held and all(
            match.from_holds(change, row) for change in _expected_changes(assertion) if not _refers(change)
        )

    return [row for row in world.rows.get(assertion.entity, ()) if can_be(row)]


def _unchanging_clauses(where: Where, may_change: Any) -> Where:
    """Return the clauses that read no changing column and refer to no other assertion."""
    return tuple(
        clause
        for clause in where
        if not any(path.split(".")[0] in may_change for path in clause.paths)
        and not any(references.of_where((clause,), ""))
    )


def _refers(change: ExpectedChange) -> bool:
    return any(references.of_predicate(change.before, ""))


def _is_so_already(assertion: Assertion, world: LintContext) -> bool:
    """Return whether the template already satisfies an assertion; never for one with references."""
    if assertion.refers_to:
        return assertion.count.least == 0
    rows = [row for row in world.rows.get(assertion.entity, ()) if match.satisfies(assertion.where, row)]
    least = assertion.count.least
    judged: dict[str, Callable[[], bool]] = {
        "added": lambda: bool(assertion.where) and len(rows) >= least,
        "removed": lambda: not rows,
        "changed": lambda: (
            any(change.after for change in assertion.changes.values())
            and sum(all(match.to_holds(c, row) for c in assertion.changes.values()) for row in rows) >= least
        ),
    }
    return least == 0 or (assertion.diff_type in judged and judged[assertion.diff_type]())


def _contradiction(one: Assertion, other: Assertion, spec: CheckSpec, world: LintContext) -> str | None:
    """Return why two assertions cannot both hold, or None."""
    if (one.diff_type, one.entity) != (other.diff_type, other.entity):
        return None
    for wide, narrow in ((one, other), (other, one)):
        is_within = all(clause in narrow.where for clause in wide.where) and not wide.changes
        if is_within and wide.count.most is not None and narrow.count.least > wide.count.most:
            return f"{wide.number} allows {wide.count.most} of the rows of which {narrow.number} wants more"
    if one.diff_type == "changed" and spec.strict and one.entity in world.tables:
        return _strict_contradiction(one, other, spec, world)
    return None


def _strict_contradiction(one: Assertion, other: Assertion, spec: CheckSpec, world: LintContext) -> str | None:
    rows, others = _candidates(one, spec, world), _candidates(other, spec, world)
    if not (len(rows) == 1 and rows == others and one.count.least and other.count.least):
        return None
    for wants, allows in ((one, other), (other, one)):
        lost = wants.changes.keys() - allows.changes.keys() - _ignored_columns(allows, spec)
        if lost and allows.changes:
            return f"{wants.number} wants {sorted(lost)} of one row to change, which {allows.number} does not allow"
    return None
