"""Three hundred issues of the large workspace with more around them: promises, triage, customers, releases, moves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

from twindiff.environments.templates import full_rows
from twindiff.kit.call import Call
from twindiff.kit.clock import ClockMode, micros_of
from twindiff.storage import EnvironmentOrigin
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite.engine import SqliteEngine
from twindiff.twins.linear import twin

from .conftest import AGENT, SEED

Row = dict[str, Any]
Rows = dict[str, list[Row]]
NOW = datetime.fromisoformat("2025-04-25T12:00:00")
STAMP = {"createdAt": "2025-03-03T08:00:00", "updatedAt": "2025-03-03T08:00:00"}
chance = Random(5)


def enriched() -> Rows:
    """The rows, the same every time."""
    chance.seed(5)
    rows: Rows = json.loads((SEED.parent / "linear_workspace.json").read_text())
    kept = {row["id"] for row in rows["issues"][:300]}
    rows["issues"] = [issue(row, kept, rows) for row in rows["issues"][:300]]
    for table, column in (("comments", "issueId"), ("issue_label_issue_association", "issue_id")):
        rows[table] = [row for row in rows[table] if row[column] in kept]
    rows["issue_relations"] = []
    for number, team in enumerate(rows["teams"]):
        team |= {"private": False, "parentId": rows["teams"][number // 2]["id"] if number else None}
    for label in rows["issue_labels"][1:4]:
        label["parentId"] = rows["issue_labels"][0]["id"]
    for milestone in rows["project_milestones"][::4]:
        milestone["status"] = "done"
    return rows | customers(rows["issues"]) | releases(rows["issues"]) | initiatives(rows) | happenings(rows)


def later(instant: str, hours: int) -> str:
    return (datetime.fromisoformat(instant) + timedelta(hours=hours)).isoformat()


def issue(row: Row, kept: set[str], rows: Rows) -> Row:
    cycle = next((each for each in rows["cycles"] if each["id"] == row.get("cycleId")), None)
    breaks = later(row["createdAt"], chance.randrange(10, 1500)) if chance.random() < 0.5 else None
    triage = chance.random()
    milestones = [each["id"] for each in rows["project_milestones"] if each["projectId"] == row.get("projectId")]
    return {
        **row,
        "parentId": row.get("parentId") if row.get("parentId") in kept else None,
        "projectMilestoneId": milestones[-1 if row.get("completedAt") else 1] if milestones else None,
        "slaBreachesAt": breaks,
        "slaHighRiskAt": breaks and later(breaks, -24),
        "slaMediumRiskAt": later(breaks, -96) if breaks and chance.random() < 0.8 else None,
        "addedToCycleAt": cycle and later(cycle["startsAt"], chance.randrange(-200, 600)),
        "startedTriageAt": row["createdAt"] if triage < 0.4 else None,
        "triagedAt": later(row["createdAt"], chance.randrange(1, 100)) if triage < 0.3 else None,
    }


def customers(issues: list[Row]) -> Rows:
    status = {"id": "active", "name": "active", "color": "#fff", "position": 0.0, **STAMP}
    people = [
        {"id": f"customer {n}", "name": f"Customer {n % 3}{n}", "statusId": "active", "revenue": 100 * (n % 3) or None,
         "domains": [f"{n}.example.com", "shared.example.com"][: n % 3], **STAMP}
        for n in range(6)
    ]  # fmt: skip
    needs = [
        {"id": f"need {n}", "issueId": chance.choice(issues[:80])["id"], "priority": float(n % 2),
         "customerId": f"customer {n % 6}" if n % 7 else None, "archivedAt": STAMP["createdAt"] if n % 9 == 0 else None,
         **STAMP}
        for n in range(90)
    ]  # fmt: skip
    return {"customer_statuses": [status], "customers": people, "customer_needs": needs}


def releases(issues: list[Row]) -> Rows:
    pipeline = {"id": "pipeline", "name": "Boats", **STAMP}
    stage = {"id": "stage", "name": "Out", "type": "completed", "color": "#fff", "position": 0.0, **STAMP}
    out = [
        {"id": f"release {n}", "name": f"1.{n}", "pipelineId": "pipeline", "stageId": "stage",
         "completedAt": f"2025-04-0{n}T08:00:00" if n % 2 else None, "targetDate": f"2025-05-0{n}" if n > 2 else None,
         **STAMP}
        for n in range(1, 6)
    ]  # fmt: skip
    links = [
        {"id": f"link {n}", "issueId": issues[n % 50]["id"], "releaseId": f"release {1 + n % 5}", **STAMP}
        for n in range(70)
    ]
    stages = [{**stage, "pipelineId": "pipeline"}]
    return {"release_pipelines": [pipeline], "release_stages": stages, "releases": out, "issue_to_releases": links}


def initiatives(rows: Rows) -> Rows:
    """Six above each other, the last below two, with one circle."""
    more = [{**rows["initiatives"][0], "id": f"initiative {n}", "name": f"Aim {n}", "slugId": str(n)} for n in range(6)]
    above = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (4, 5), (3, 1)]
    relations = [
        {"id": f"{a} {b}", "initiativeId": f"initiative {a}", "relatedInitiativeId": f"initiative {b}", **STAMP}
        for a, b in above
    ]
    return {"initiatives": [*rows["initiatives"], *more], "initiative_relations": relations}


def happenings(rows: Rows) -> Rows:
    """What was attached, and how some issues went from state to state."""
    issues = rows["issues"]
    attachments = [
        {"id": f"attachment {n}", "issueId": chance.choice(issues[:90])["id"], "title": "Plan", **STAMP,
         "url": f"https://example.com/{n}", "archivedAt": STAMP["createdAt"] if n % 6 == 0 else None}
        for n in range(60)
    ]  # fmt: skip
    states = {team["id"]: [each["id"] for each in rows["workflow_states"] if each["teamId"] == team["id"]]
              for team in rows["teams"]}  # fmt: skip
    histories: list[Row] = []
    for each in issues[:60]:
        at, state, ways = each["createdAt"], each["stateId"], states[each["teamId"]]
        path = [*(chance.choice(ways) for _ in range(chance.randrange(1, 5))), state]
        for number, (before, after) in enumerate(pairwise(path)):
            at = later(at, chance.randrange(1, 40))
            histories.append(
                {"id": f"{each['id']} {number}", "issueId": each["id"], "actorId": AGENT, "createdAt": at,
                 "updatedAt": at, "fromStateId": before, "toStateId": after}
            )  # fmt: skip
    return {"attachments": attachments, "issue_histories": histories}


Ask = Callable[..., Any]


def outcomes() -> Iterator[Ask]:
    """Answers queries about these rows, in process: `outcome_of(query, **variables)`."""
    engine = SqliteEngine(":memory:")
    engine.schema(Schema("linear", twin.tables))
    template = engine.add_template("linear", full_rows(twin, enriched()))
    clock = ClockMode("steps", micros_of(NOW))
    engine.create("e", EnvironmentOrigin({"linear": template.hash}, clock, 0, clock.start, template.counters))

    def outcome_of(query: str, **variables: Any) -> Any:
        def work(moment: Any) -> Any:
            plan = twin.api.plan(query, None, variables)
            return twin.api.execute(plan, Call(AGENT, moment.db, moment.clock), variables)

        return engine.read("e", "linear", work)

    yield outcome_of
    engine.close()


def data_of(outcome_of: Ask) -> Ask:
    """The same for queries that have no errors: `ask(query, **variables)` gives the data."""

    def ask(query: str, **variables: Any) -> Any:
        outcome = outcome_of(query, **variables)
        assert outcome.problems == [], outcome.problems
        return outcome.data

    return ask
