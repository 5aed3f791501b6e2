"""Sorts that are no columns put issues in the order that sorting the rows gives."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .enriched import data_of, enriched
from .test_filters import needing, sla, time_in_state

ROWS = enriched()
ISSUES = ROWS["issues"]
BY_ID = {row["id"]: row for row in ISSUES}
LABELS = {row["id"]: row for row in ROWS["issue_labels"]}
GROUP = ROWS["issue_labels"][0]["id"]
CUSTOMERS = {row["id"]: row for row in ROWS["customers"]}
URGENCY = ["Breached", "HighRisk", "MediumRisk", "LowRisk", "Failed", "Completed", None]


@pytest.fixture(scope="module")
def ask(outcome_of):
    return data_of(outcome_of)


def labels_of(group: str | None) -> dict[str, list[str]]:
    labels: defaultdict[str, list[str]] = defaultdict(list)
    for row in ROWS["issue_label_issue_association"]:
        label = LABELS[row["issue_label_id"]]
        if group in (None, label.get("parentId")):
            labels[row["issue_id"]].append(label["name"])
    return {key: sorted(names) for key, names in labels.items()}


ANY_LABEL, OF_GROUP = labels_of(None), labels_of(GROUP)
LINKS = Counter(row["issueId"] for row in ROWS["attachments"] if not row["archivedAt"])
RELEASED: dict[str, str] = {}
for link in ROWS["issue_to_releases"]:
    release = next(each for each in ROWS["releases"] if each["id"] == link["releaseId"])
    date = release["completedAt"] or release["targetDate"] or ""
    RELEASED[link["issueId"]] = max(RELEASED.get(link["issueId"], ""), date)


def customers(row: dict[str, Any], name: str) -> list[Any]:
    return [CUSTOMERS[key][name] for key in needing(row)]


def urgency(row: dict[str, Any]) -> int | None:
    return None if sla(row) is None else URGENCY.index(sla(row))


VALUES: dict[str, Any] = {
    "accumulatedStateUpdatedAt": time_in_state,
    "customer": lambda row: sorted(customers(row, "name")) or None,
    "customerCount": lambda row: len(needing(row)),
    "customerImportantCount": lambda row: len(needing(row, priority=1.0)),
    "customerRevenue": lambda row: sum(each or 0 for each in customers(row, "revenue")) if needing(row) else None,
    "label": lambda row: ANY_LABEL.get(row["id"]),
    "labelGroup": lambda row: OF_GROUP.get(row["id"]),
    "linkCount": lambda row: LINKS[row["id"]],
    "release": lambda row: RELEASED.get(row["id"]) or None,
    "slaStatus": urgency,
}
MORE: dict[str, Any] = {"labelGroup": {"labelGroupId": GROUP}}
SORTED = "query($s: [IssueSortInput!]) { issues(first: 250, sort: $s) { nodes { id } } }"
orders = st.fixed_dictionaries(
    {"order": st.sampled_from(["Ascending", "Descending"]), "nulls": st.sampled_from(["first", "last"])}
)


def in_order(name, options, keys):
    """Ids in an order; what is equal keeps the order it had."""
    values = {key: VALUES[name](BY_ID[key]) for key in keys}
    known = [key for key in keys if values[key] is not None]
    known.sort(key=values.__getitem__, reverse=options["order"] == "Descending")
    unknown = [key for key in keys if values[key] is None]
    return unknown + known if options["nulls"] == "first" else known + unknown


def asked_for(name, options):
    return {name: {**options, **MORE.get(name, {})}}


@given(st.sampled_from(sorted(VALUES)), orders, st.sampled_from(sorted(VALUES)), orders)
@settings(max_examples=60)
def test_issues_come_in_the_order_that_is_asked_for(ask, first, options, second, more):
    nodes = ask(SORTED, s=[asked_for(first, options), asked_for(second, more)])["issues"]["nodes"]
    by_id = sorted(BY_ID, reverse=more["order"] == "Descending")
    wanted = in_order(first, options, in_order(second, more, by_id))
    assert [node["id"] for node in nodes] == wanted[:250]


@given(st.sampled_from(sorted(VALUES)), orders, orders)
@settings(max_examples=30)
def test_issues_stand_where_their_root_stands(ask, name, options, outer):
    nodes = ask(SORTED, s=[{"rootIssue": {**outer, "sort": asked_for(name, options)}}])["issues"]["nodes"]
    order = in_order(name, options, sorted(BY_ID, reverse=options["order"] == "Descending"))
    place = {key: number for number, key in enumerate(order)}

    def root(key):
        return root(BY_ID[key]["parentId"]) if BY_ID[key]["parentId"] else key

    down = outer["order"] == "Descending"
    wanted = sorted(sorted(BY_ID, reverse=down), key=lambda key: place[root(key)], reverse=down)
    assert [node["id"] for node in nodes] == wanted[:250]


@pytest.mark.parametrize("size", [7, 100])
def test_pages_of_such_an_order_give_every_issue_once(ask, size):
    query = """query($n: Int, $a: String) { issues(first: $n, after: $a, sort: [{ label: { order: Descending } }]) {
        nodes { id } pageInfo { hasNextPage endCursor } } }"""
    whole, after, more = [], None, True
    while more:
        page = ask(query, n=size, a=after)["issues"]
        whole += [node["id"] for node in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    options = {"order": "Descending", "nulls": "last"}
    assert whole == in_order("label", options, sorted(BY_ID, reverse=True))


PRIORITIES = "query($s: [IssueSortInput!]) { issues(first: 250, sort: $s) { nodes { priority } } }"


@pytest.mark.parametrize(("first", "none"), [(False, 5), (True, 0)])
def test_no_priority_is_the_highest_or_the_lowest(ask, first, none):
    nodes = ask(PRIORITIES, s=[{"priority": {"noPriorityFirst": first}}])["issues"]["nodes"]
    wanted = sorted((row["priority"] for row in ISSUES), key=lambda priority: priority or none)[:250]
    assert [node["priority"] for node in nodes] == wanted


STATES = """query($s: [IssueSortInput!]) { issues(first: 250, sort: $s, filter: { completedAt: { null: false } }) {
    nodes { completedAt state { position } } } }"""


def test_closed_issues_can_come_latest_first(ask):
    nodes = ask(STATES, s=[{"workflowState": {"closedIssuesOrderedByRecency": True}}])["issues"]["nodes"]
    closed = [node["completedAt"] for node in nodes]
    assert {node["state"]["position"] for node in nodes} == {nodes[0]["state"]["position"]}
    assert closed == sorted(closed, reverse=True)


CYCLES = "query($s: [IssueSortInput!]) { issues(first: 250, sort: $s) { nodes { cycle { startsAt endsAt } } } }"


def test_the_current_cycle_can_come_first(ask):
    nodes = ask(CYCLES, s=[{"cycle": {"currentCycleFirst": True}}])["issues"]["nodes"]
    starts = [node["cycle"]["startsAt"] for node in nodes if node["cycle"]]
    over = [node["cycle"]["endsAt"] <= "2025-04-25T12" for node in nodes if node["cycle"]]
    assert over == sorted(over)
    assert starts[over.index(True) :] == sorted(starts[over.index(True) :], reverse=True)
    assert starts[: over.index(True)] == sorted(starts[: over.index(True)])
