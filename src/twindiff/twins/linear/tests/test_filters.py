"""Filters that are no columns find what a loop over the rows finds."""

from __future__ import annotations

import operator
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .enriched import NOW, data_of, enriched

ROWS = enriched()
ISSUES = ROWS["issues"]
COMPARED: dict[str, Any] = {
    "eq": operator.eq,
    "neq": lambda mine, given: mine is not None and mine != given,
    "in": lambda mine, given: mine in given,
    "nin": lambda mine, given: mine not in given,
    "lt": lambda mine, given: mine is not None and mine < given,
    "lte": lambda mine, given: mine is not None and mine <= given,
    "gt": lambda mine, given: mine is not None and mine > given,
    "gte": lambda mine, given: mine is not None and mine >= given,
    "null": lambda mine, given: (mine is None) is given,
}
ORDERED, CHOSEN = sorted(COMPARED), ["eq", "in", "neq", "nin", "null"]


@pytest.fixture(scope="module")
def ask(outcome_of):
    return data_of(outcome_of)


def found(ask, root, given, after=None):
    kind = root[:-1][:1].upper() + root[:-1][1:]
    query = (
        f"query($f: {kind}Filter, $after: String) {{ {root}(first: 250, filter: $f, after: $after)"
        " { nodes { id } pageInfo { endCursor hasNextPage } } }"
    )
    page = ask(query, f=given, after=after)[root]
    more = found(ask, root, given, page["pageInfo"]["endCursor"]) if page["pageInfo"]["hasNextPage"] else set()
    return {node["id"] for node in page["nodes"]} | more


def those(rows, test):
    return {row["id"] for row in rows if test(row)}


def operands(name, values):
    if name == "null":
        return st.booleans()
    return st.lists(values, max_size=3) if name in ("in", "nin") else values


# Times


def hours(earlier: Any, later: Any) -> Any:
    if earlier is None or later is None:
        return None
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)) / timedelta(hours=1)


LENGTHS: dict[str, Any] = {
    "cycleTime": lambda row: hours(row.get("startedAt"), row.get("completedAt")),
    "leadTime": lambda row: hours(row["createdAt"], row.get("completedAt")),
    "triageTime": lambda row: hours(row["startedTriageAt"], row["triagedAt"]),
    "ageTime": lambda row: None if finished(row) else hours(row["createdAt"], NOW.isoformat()),
}


def finished(row):
    return row.get("completedAt") or row.get("canceledAt")


@given(st.data(), st.sampled_from(sorted(LENGTHS)), st.sampled_from(ORDERED))
@settings(max_examples=150)
def test_a_length_of_time_is_compared_like_a_number(ask, data, name, word):
    known = sorted({each for row in ISSUES if (each := LENGTHS[name](row)) is not None})
    value = data.draw(operands(word, st.sampled_from(known) | st.integers(0, 1000)))
    in_hours = lambda number: f"PT{number}H"  # noqa: E731
    given = value if word == "null" else [*map(in_hours, value)] if isinstance(value, list) else in_hours(value)
    assert found(ask, "issues", {name: {word: given}}) == those(
        ISSUES, lambda row: COMPARED[word](LENGTHS[name](row), value)
    )


def period(row):
    cycle = next((each for each in ROWS["cycles"] if each["id"] == row.get("cycleId")), None)
    if cycle is None:
        return None
    if row["addedToCycleAt"] < cycle["startsAt"]:
        return "before"
    return "during" if row["addedToCycleAt"] <= cycle["endsAt"] else "after"


def sla(row):
    breaks = row["slaBreachesAt"]
    if breaks is None:
        return None
    if finished(row):
        return "Completed" if finished(row) <= breaks else "Failed"
    risks = [(breaks, "Breached"), (row["slaHighRiskAt"], "HighRisk"), (row["slaMediumRiskAt"], "MediumRisk")]
    return next((name for at, name in risks if at and at <= NOW.isoformat()), "LowRisk")


CHOICES: dict[str, Any] = {
    "addedToCyclePeriod": (period, ["before", "during", "after"]),
    "slaStatus": (sla, ["Breached", "Completed", "Failed", "HighRisk", "LowRisk", "MediumRisk"]),
}


@given(st.data(), st.sampled_from(sorted(CHOICES)), st.sampled_from(CHOSEN))
@settings(max_examples=80)
def test_where_an_issue_stands_is_compared_like_a_word(ask, data, name, word):
    value_of, values = CHOICES[name]
    value = data.draw(operands(word, st.sampled_from(values)))
    assert found(ask, "issues", {name: {word: value}}) == those(
        ISSUES, lambda row: COMPARED[word](value_of(row), value)
    )


@pytest.mark.parametrize("name", CHOICES)
def test_the_rows_stand_everywhere(name):
    value_of, values = CHOICES[name]
    assert {value_of(row) for row in ISSUES} == {None, *values}


def test_where_a_parent_stands_is_its_own_matter(ask):
    by_id = {row["id"]: row for row in ISSUES}
    wanted = those(ISSUES, lambda row: row["parentId"] and sla(by_id[row["parentId"]]) == "Failed")
    assert found(ask, "issues", {"parent": {"slaStatus": {"eq": "Failed"}}}) == wanted


def time_in_state(row):
    moves = [each for each in ROWS["issue_histories"] if each["issueId"] == row["id"]]
    if not moves:
        kind = next(each["type"] for each in ROWS["workflow_states"] if each["id"] == row["stateId"])
        entered = {"started": row.get("startedAt"), "completed": row.get("completedAt"), "canceled": finished(row)}
        return hours(entered.get(kind) or row["createdAt"], NOW.isoformat())
    stays = [(moves[0]["fromStateId"], row["createdAt"]), *((each["toStateId"], each["createdAt"]) for each in moves)]
    spans = [*stays, ("", NOW.isoformat())]
    return sum(hours(since, until) for (state, since), (_, until) in pairwise(spans) if state == row["stateId"])


@given(st.sampled_from(["lt", "lte", "gt", "gte"]), st.integers(0, 1500))
@settings(max_examples=40)
def test_the_time_in_a_state_counts_all_stays_there(ask, word, number):
    since = NOW - timedelta(hours=number)
    wanted = those(ISSUES, lambda row: COMPARED[word](NOW - timedelta(hours=time_in_state(row)), since))
    assert found(ask, "issues", {"accumulatedStateUpdatedAt": {word: since.isoformat()}}) == wanted


# What stands around


def count(table, column, *, of=lambda row: True):
    return Counter(row[column] for row in ROWS[table] if of(row) and not row.get("archivedAt"))


@given(st.data(), st.sampled_from(sorted(set(ORDERED) - {"null"})))
@settings(max_examples=40)
def test_activity_is_counted(ask, data, word):
    number = data.draw(operands(word, st.integers(0, 5)))
    done = count("comments", "issueId") + count("issue_histories", "issueId")
    wanted = those(ISSUES, lambda row: COMPARED[word](done[row["id"]], number))
    assert found(ask, "issues", {"activity": {"length": {word: number}}}) == wanted


PEOPLE = sorted({row["userId"] for row in ROWS["comments"]} | {row["actorId"] for row in ROWS["issue_histories"]})


@given(st.sampled_from(PEOPLE), st.sampled_from(["some", "every", ""]))
@settings(max_examples=40)
def test_activity_has_a_user(ask, user, word):
    def by(row):
        comments = [each["userId"] for each in ROWS["comments"] if each["issueId"] == row["id"]]
        return comments + [each["actorId"] for each in ROWS["issue_histories"] if each["issueId"] == row["id"]]

    given = {"or": [{"user": {"id": {"eq": user}}}]}
    holds: Any = (lambda hits: bool(hits := [*hits]) and all(hits)) if word == "every" else any
    wanted = those(ISSUES, lambda row: holds(each == user for each in by(row)))
    assert found(ask, "issues", {"activity": {word: given} if word else {"user": {"id": {"eq": user}}}}) == wanted


def needing(row, *, priority=None):
    needs = [each for each in ROWS["customer_needs"] if each["issueId"] == row["id"] and not each["archivedAt"]]
    return {each["customerId"] for each in needs if priority in (None, each["priority"])} - {None}


@given(st.data(), st.sampled_from(sorted(set(ORDERED) - {"null"})))
@settings(max_examples=40)
def test_customers_are_counted_once(ask, data, word):
    number = data.draw(operands(word, st.integers(0, 4)))
    holds = COMPARED[word]
    assert found(ask, "issues", {"customerCount": {word: number}}) == those(
        ISSUES, lambda row: holds(len(needing(row)), number)
    )
    assert found(ask, "issues", {"customerImportantCount": {word: number}}) == those(
        ISSUES, lambda row: holds(len(needing(row, priority=1.0)), number)
    )


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"some": {"eq": "shared.example.com"}}, {"2", "5"}),
        ({"some": {"startsWith": "1."}}, {"1"}),
        ({"every": {"endsWith": "example.com"}}, {"1", "2", "4", "5"}),
        ({"length": {"eq": 0}}, {"0", "3"}),
    ],
)
def test_customers_are_found_by_domain(ask, given, names):
    assert found(ask, "customers", {"domains": given}) == {f"customer {name}" for name in names}


# Ancestors

TEAMS = {row["id"]: {row["parentId"]} - {None} for row in ROWS["teams"]}
AIMS: dict[str, set[str]] = {row["id"]: set() for row in ROWS["initiatives"]}
for relation in ROWS["initiative_relations"]:
    AIMS[relation["relatedInitiativeId"]].add(relation["initiativeId"])


def climbed(parents, key, seen=frozenset()):
    above = parents[key] - seen
    return above.union(*(climbed(parents, each, seen | above | {key}) for each in above)) - {key}


TREES = {"teams": TEAMS, "initiatives": AIMS}


@given(st.data(), st.sampled_from(sorted(TREES)), st.sampled_from(["some", "every", "length", ""]))
@settings(max_examples=80)
def test_ancestors_are_all_that_is_above(ask, data, root, word):
    tree = TREES[root]
    keys = data.draw(st.lists(st.sampled_from(sorted(tree)), max_size=4))
    number = data.draw(st.integers(0, 4))
    tests = {
        "some": lambda above: bool(above & {*keys}),
        "every": lambda above: bool(above) and above <= {*keys},
        "length": lambda above: len(above) >= number,
        "": lambda above: bool(above & {*keys}),
    }
    inner = {"gte": number} if word == "length" else {"id": {"in": keys}}
    given = {word: inner} if word else inner
    wanted = {key for key in tree if tests[word](climbed(tree, key))}
    assert found(ask, root, {"ancestors": given}) == wanted


# Milestones


def done(row):
    kinds = {each["id"]: each["type"] for each in ROWS["workflow_states"]}
    mine = [each for each in ISSUES if each.get("projectMilestoneId") == row["id"]]
    counted = [each for each in mine if kinds[each["stateId"]] not in ("canceled", "triage", "duplicate")]
    return row.get("status") == "done" or (bool(counted) and all(each.get("completedAt") for each in counted))


def test_projects_are_found_by_what_comes_next(ask):
    for row in ROWS["project_milestones"]:
        mine = [each for each in ROWS["project_milestones"] if each["projectId"] == row["projectId"]]
        to_do = sorted((each for each in mine if not done(each)), key=lambda each: each["sortOrder"])
        wanted = {row["projectId"]} if to_do[:1] == [row] else set()
        assert found(ask, "projects", {"nextProjectMilestone": {"id": {"eq": row["id"]}}}) == wanted


@pytest.mark.parametrize("number", range(3))
def test_projects_are_found_by_how_many_milestones_are_done(ask, number):
    counts = Counter(row["projectId"] for row in ROWS["project_milestones"] if done(row))
    wanted = those(ROWS["projects"], lambda row: counts[row["id"]] == number)
    assert found(ask, "projects", {"completedProjectMilestones": {"length": {"eq": number}}}) == wanted
