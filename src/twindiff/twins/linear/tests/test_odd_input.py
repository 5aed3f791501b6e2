"""Input of a form that no client sends is refused in Linear's words, never an internal error, and writes nothing."""

from typing import Any

import pytest

from .conftest import ENG
from .test_rich_text import NO_DOCUMENTS

PLACES = ["project", "initiative", "comment", "need", "issue", "updated issue", "updated comment", "updated update"]


@pytest.fixture
def write(linear):
    """Write a document somewhere: `write("comment", bodyData)` gives the whole answer and the text that was kept."""
    project = linear.create("project", name="Plan", teamIds=[ENG])["id"]
    initiative = linear.create("initiative", name="Aim")["id"]
    comment = linear.create("comment", issueId="ENG-1", body="Before")["id"]
    update = linear.create("projectUpdate", projectId=project, body="Before")["id"]
    ask: dict[str, tuple[str, str, str, Any]] = {
        "project": ("projectUpdateCreate", "ProjectUpdateCreateInput", "projectUpdate", {"projectId": project}),
        "initiative": (
            "initiativeUpdateCreate",
            "InitiativeUpdateCreateInput",
            "initiativeUpdate",
            {"initiativeId": initiative},
        ),
        "comment": ("commentCreate", "CommentCreateInput", "comment", {"issueId": "ENG-1"}),
        "need": ("customerNeedCreate", "CustomerNeedCreateInput", "need", {"issueId": "ENG-1"}),
        "issue": ("issueCreate", "IssueCreateInput", "issue", {"teamId": ENG, "title": "New"}),
        "updated issue": ("issueUpdate", "IssueUpdateInput", "issue", "ENG-1"),
        "updated comment": ("commentUpdate", "CommentUpdateInput", "comment", comment),
        "updated update": ("projectUpdateUpdate", "ProjectUpdateUpdateInput", "projectUpdate", update),
    }

    def write(place, data):
        root, kind, entity, where = ask[place]
        text = "description" if "issue" in place else "body"
        key = f'id: "{where}", ' if isinstance(where, str) else ""
        query = f"mutation($i: {kind}!) {{ {root}({key}input: $i) {{ {entity} {{ text: {text} }} }} }}"
        given = {f"{text}Data": data} | ({} if isinstance(where, str) else where)
        answer = linear.ask(query, i=given)
        return answer, (answer["data"] or {}).get(root, {}).get(entity, {}).get("text")

    return write


@pytest.mark.parametrize("place", PLACES)
def test_a_document_is_kept_as_the_text_it_says(write, place):
    document = {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "All well"}]}]}
    answer, text = write(place, document)
    assert "errors" not in answer, answer
    assert text == "All well"


@pytest.mark.parametrize("data", NO_DOCUMENTS)
def test_what_is_no_document_is_invalid_input(write, data):
    for place in PLACES:
        answer, _ = write(place, data)
        assert [error["extensions"]["code"] for error in answer["errors"]] == ["INVALID_INPUT"], (place, answer)


@pytest.mark.parametrize("wrong", [1.5, True, {"a": 1}, ["x"]])
def test_an_id_that_is_no_text_is_refused_before_anything_runs(linear, wrong):
    query = 'mutation($ids: [UUID!]!) { issueBatchUpdate(ids: $ids, input: { title: "x" }) { success } }'
    assert linear.error(query, ids=[wrong])["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


def test_an_id_in_the_query_that_is_no_text_is_refused_as_well(linear):
    error = linear.error('mutation { issueBatchUpdate(ids: [1.5], input: { title: "x" }) { success } }')
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize("days", [1e308, -1e308, 1e9])
def test_cycles_are_not_shifted_beyond_the_calendar(linear, days):
    cycle = linear.create("cycle", teamId=ENG, startsAt="2026-01-05T00:00:00Z", endsAt="2026-01-19T00:00:00Z")["id"]
    query = "mutation($i: CycleShiftAllInput!) { cycleShiftAll(input: $i) { success } }"
    error = linear.error(query, i={"id": cycle, "daysToShift": days})
    assert error["extensions"]["code"] == "INVALID_INPUT"
    assert "beyond the calendar" in error["extensions"]["userPresentableMessage"]


LONG = "9" * 400


@pytest.mark.parametrize(
    "body",
    [
        f'{{"query": "query($n: Int) {{ issues(first: $n) {{ nodes {{ id }} }} }}", "variables": {{"n": {LONG}}}}}',
        f'{{"query": "{{ issues(first: {LONG}) {{ nodes {{ id }} }} }}"}}',
        f'{{"query": "mutation {{ issueUpdate(id: \\"ENG-1\\", input: {{sortOrder: {LONG}}}) {{ success }} }}"}}',
        '{"query": "mutation { issueUpdate(id: \\"ENG-1\\", input: {sortOrder: 1e999}) { success } }"}',
        f'{{"query": "{{ issues(filter: {{number: {{eq: -{LONG}}}}}) {{ nodes {{ id }} }} }}"}}',
        f'{{"query": "{{ viewer {{ id }} }}", "variables": {{"n": [{{"m": {LONG}}}]}}}}',
    ],
)
def test_a_number_that_nothing_can_hold_is_refused(linear, body):
    answer = linear.http(content=body)
    assert answer.status_code == 400, answer.text
    assert linear.changed("all") == []
