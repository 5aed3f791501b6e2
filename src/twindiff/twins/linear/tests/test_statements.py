"""How often the store is asked does not depend on how many rows there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from twindiff.environments.templates import full_rows
from twindiff.kit.call import Call
from twindiff.kit.clock import ClockMode
from twindiff.storage import EnvironmentOrigin, OperationInfo
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite.engine import SqliteEngine
from twindiff.twins.linear import twin
from twindiff.twins.linear.model.issues import Issue
from twindiff.twins.linear.model.teams import Team

from .conftest import AGENT, SEED

MARCH = 1_742_500_000_000_000
QUERIES = {
    "issues": """{ issues(first: %d) { nodes { identifier state { name } assignee { name isMe } parent { title }
        labels { nodes { name } } project { name progress } children { nodes { title } }
        comments { nodes { user { name } } } history { nodes { actors { name } } } favorite { id } customerTicketCount
        sharedAccess { isShared } } } }""",
    "teams": """{ teams(first: %d) { nodes { issueCount viewerMembership { id } ancestors { id }
        activeCycle { progress } } } }""",
    "users": """{ users(first: %d) { nodes { createdIssueCount teams { nodes { key } }
        assignedIssues(first: 3) { nodes { id } } } } }""",
    "projects": """{ projects(first: %d) { nodes { progress projectMilestones { nodes { progress } }
        members { nodes { id } } } } }""",
}
"""One query for each kind of list, with fields that are computed."""
FILTERS = {
    "cycleTime": '{ cycleTime: { gt: "PT1H" } }',
    "leadTime": '{ leadTime: { gt: "PT1H" } }',
    "triageTime": "{ triageTime: { null: true } }",
    "ageTime": '{ ageTime: { lt: "P900D" } }',
    "accumulatedStateUpdatedAt": '{ accumulatedStateUpdatedAt: { lt: "-P1D" } }',
    "slaStatus": "{ slaStatus: { nin: [Failed] } }",
    "activity": "{ activity: { length: { gte: 0 } } }",
    "customerCount": "{ customerCount: { lt: 9 } }",
    "sourceMetadata": "{ sourceMetadata: { null: true } }",
    "team": "{ team: { ancestors: { length: { gte: 0 } } } }",
    "needs": '{ needs: { every: { customer: { domains: { some: { eq: "a.example" } } } } } }',
}
SORTS = {
    "accumulatedStateUpdatedAt": "", "customer": "", "customerCount": "", "customerImportantCount": "",
    "customerRevenue": "", "label": "", "linkCount": "", "release": "", "slaStatus": "", "priority": "",
    "cycle": "currentCycleFirst: true", "labelGroup": 'labelGroupId: "none"',
    "rootIssue": "sort: { label: { order: Descending } }", "workflowState": "closedIssuesOrderedByRecency: true",
}  # fmt: skip


class Counting:
    """A store that notes each of its calls; each is one statement, but for pages of each parent."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.noted: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.noted.append(name)
        return getattr(self._store, name)


@pytest.fixture(scope="module")
def engine():
    """An engine with an environment `e` of the large workspace."""
    engine = SqliteEngine(":memory:")
    engine.schema(Schema("linear", twin.tables))
    rows = full_rows(twin, json.loads((SEED.parent / "linear_workspace.json").read_text()))
    template = engine.add_template("linear", rows)
    engine.create(
        "e", EnvironmentOrigin({"linear": template.hash}, ClockMode("steps", MARCH), 0, MARCH, template.counters)
    )
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def asked(engine):
    """Which calls of the store a query makes in the large workspace."""

    def ask(query):
        def work(moment):
            store: Any = Counting(moment.db)
            outcome = twin.api.execute(twin.api.plan(query, None, {}), Call(AGENT, store, moment.clock), {})
            assert outcome.problems == []
            return store.noted

        return engine.read("e", "linear", work)

    return ask


@pytest.mark.parametrize("name", QUERIES)
def test_twice_the_rows_take_the_same_statements(asked, name):
    assert asked(QUERIES[name] % 4) == asked(QUERIES[name] % 2)


IDS = "{ issues(first: 5%s) { nodes { id } pageInfo { endCursor } } }"


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_part_of_the_one_statement_of_its_list(asked, name):
    assert asked(IDS % f", filter: {FILTERS[name]}") == asked(IDS % "")


@pytest.mark.parametrize("name", SORTS)
def test_an_order_is_part_of_the_one_statement_of_its_list(asked, name):
    order = f"{name}: {{ order: Ascending {SORTS[name]} }}"
    assert asked(IDS % f", sort: [{{ {order} }}]") == asked(IDS % "")


class Looking:
    """A store that notes by what columns issues are looked for, if they are looked for."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.noted: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def find(self, table: Any, *where: Any) -> Any:
        if table is Issue.row:
            self.noted |= {f"{each.column.name} {each.op}" for each in where}
        return self._store.find(table, *where)

    def rows(self, table: Any, *where: Any, **options: Any) -> Any:
        if table is Issue.row:
            self.noted.add("all of a team")
        return self._store.rows(table, *where, **options)


CREATE = """mutation { issueCreate(input: { teamId: "%s", title: "New" }) { success } }"""


def test_only_the_first_new_issue_of_a_team_looks_at_the_others(engine):
    team = engine.read("e", "linear", lambda moment: moment.db.rows(Team.row, limit=1)[0].id)

    def work(moment):
        store: Any = Looking(moment.db)
        outcome = twin.api.execute(twin.api.plan(CREATE % team, None, {}), Call(AGENT, store, moment.clock), {})
        assert outcome.problems == []
        return store.noted

    first, second, third = (engine.write("e", OperationInfo("linear", "create", AGENT), work)[0] for _ in range(3))
    assert "all of a team" in first
    assert second == third == {"identifier ="}
