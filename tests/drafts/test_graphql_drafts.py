"""A drafted twin of a GraphQL schema, called over HTTP."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from twindiff.drafts import DescriptionError, read_draft
from twindiff.drafts.graphql_drafts import GraphqlDraft
from twindiff.drafts.graphql_schemas import read_sdl_text
from twindiff.drafts.overlay import Overlay
from twindiff.local import Twindiff

SDL = """
scalar DateTime
enum IssueState { OPEN CLOSED }
interface Node { id: ID! }
type User implements Node { id: ID! name: String! email: String issues(first: Int): [Issue!]! }
type Label implements Node { id: ID! name: String! issues(first: Int, after: String): IssueConnection! }
type Comment implements Node { id: ID! body: String! issue: Issue! author: User }
type Issue implements Node {
  id: ID! number: Int! title: String! body: String state: IssueState! priority: Int weight: Float! archived: Boolean!
  author: User! labels(first: Int, after: String): LabelConnection! comments(first: Int): [Comment!]!
  createdAt: DateTime! updatedAt: DateTime! tags: [String!]!
}
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type IssueEdge { node: Issue cursor: String! }
type IssueConnection { nodes: [Issue!]! edges: [IssueEdge!]! pageInfo: PageInfo! totalCount: Int! }
type LabelConnection { nodes: [Label!]! pageInfo: PageInfo! }
input IntFilter { eq: Int gt: Int in: [Int!] }
input IssueFilter { state: IssueState priority: IntFilter title: StringFilter or: [IssueFilter!] }
input StringFilter { eq: String contains: String startsWith: String }
input IssueOrder { field: String! direction: String! }
input CreateIssueInput {
  title: String! body: String authorId: ID! labelIds: [ID!] priority: Int tags: [String!] clientMutationId: String
}
input UpdateIssueInput { title: String priority: Int }
type IssuePayload { issue: Issue success: Boolean! clientMutationId: String }
type DeletePayload { success: Boolean! deletedIssueId: ID }
type Query {
  viewer: User! node(id: ID!): Node issue(id: ID!): Issue issueByNumber(number: Int!): Issue
  issues(
    first: Int, last: Int, after: String, before: String, filter: IssueFilter, orderBy: IssueOrder, state: IssueState,
    mood: String
  ): IssueConnection!
  labels: [Label!]! weather: String
}
type Mutation {
  createIssue(input: CreateIssueInput!): IssuePayload! updateIssue(id: ID!, input: UpdateIssueInput!): IssuePayload!
  issueDelete(id: ID!): DeletePayload! closeIssue(id: ID!): IssuePayload! archiveIssue(issueId: ID!): Issue!
  createLabel(name: String!): Label! createUser(name: String!, email: String): User!
  addComment(issueId: ID!, body: String!): Comment!
  praiseIssue(id: ID!): Issue assignIssue(id: ID!): Issue
}
"""
OVERLAY = """
resources: {issues: {id: {prefix: I_, length: 10}, defaults: {priority: 3}}}
actions: {mutation assignIssue: {field: priority, to: 1, from: [3]}}
seeds: {users: [{id: U1, name: Ada, email: ada@example.com}]}
"""
Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def local() -> Iterator[Twindiff]:
    overlay = msgspec.yaml.decode(OVERLAY, type=Overlay)
    with Twindiff(twins=[GraphqlDraft(read_sdl_text(SDL), "tracker", overlay).twin()]) as here:
        yield here


@pytest.fixture
def post(local: Twindiff) -> Iterator[Callable[..., httpx.Response]]:
    with local.create("tracker:tracker_base", clock={"mode": "steps", "start": "2026-03-02T12:00:00"}) as made:
        headers = {"Authorization": f"Bearer {made.token}"}
        with httpx.Client(transport=local.transport(made, "tracker"), base_url="http://t", headers=headers) as client:
            yield lambda query, **variables: client.post("/graphql", json={"query": query, "variables": variables})


@pytest.fixture
def ask(post: Callable[..., httpx.Response]) -> Ask:
    def asked(query: str, **variables: Any) -> dict[str, Any]:
        told = post(query, **variables).json()
        assert "errors" not in told, told
        return told["data"]

    return asked


CREATE = "mutation($i: CreateIssueInput!) { createIssue(input: $i) { success clientMutationId issue { id title } } }"


def create(ask: Ask, title: str, **fields: Any) -> str:
    given = {"title": title, "authorId": "U1", **fields}
    return ask(CREATE, i=given)["createIssue"]["issue"]["id"]


def test_what_is_created_is_read_with_what_it_refers_to_and_what_refers_to_it(ask: Ask):
    label = ask('mutation { createLabel(name: "bug") { id } }')["createLabel"]["id"]
    issue = create(ask, "Leak", labelIds=[label], tags=["a"])
    ask('mutation($i: ID!) { addComment(issueId: $i, body: "hi") { id } }', i=issue)
    shown = ask(
        "query($i: ID!) { issue(id: $i) { number title state priority tags createdAt author { name issues { title } }"
        " labels { nodes { name issues { totalCount } } } comments { body issue { title } } } }",
        i=issue,
    )["issue"]
    assert shown == {
        "number": 1,
        "title": "Leak",
        "state": "OPEN",
        "priority": 3,
        "tags": ["a"],
        "createdAt": "2026-03-02T12:00:02Z",
        "author": {"name": "Ada", "issues": [{"title": "Leak"}]},
        "labels": {"nodes": [{"name": "bug", "issues": {"totalCount": 1}}]},
        "comments": [{"body": "hi", "issue": {"title": "Leak"}}],
    }
    assert issue.startswith("I_")


def test_an_object_is_changed_acted_on_and_deleted(ask: Ask, post: Callable[..., httpx.Response]):
    issue = create(ask, "Leak")
    update = 'mutation($i: ID!) { updateIssue(id: $i, input: {title: "Drip"}) { issue { title priority } } }'
    assert ask(update, i=issue)["updateIssue"]["issue"] == {"title": "Drip", "priority": 3}
    assert ask("mutation($i: ID!) { closeIssue(id: $i) { issue { state } } }", i=issue)["closeIssue"]["issue"] == {
        "state": "CLOSED"
    }
    assert ask("mutation($i: ID!) { archiveIssue(issueId: $i) { archived } }", i=issue)["archiveIssue"]["archived"]
    assert ask("mutation($i: ID!) { assignIssue(id: $i) { priority } }", i=issue)["assignIssue"] == {"priority": 1}
    again = post("mutation($i: ID!) { assignIssue(id: $i) { priority } }", i=issue).json()
    assert again["errors"][0]["extensions"]["code"] == "STATE_CONFLICT"
    gone = ask("mutation($i: ID!) { issueDelete(id: $i) { success deletedIssueId } }", i=issue)["issueDelete"]
    assert gone == {"success": True, "deletedIssueId": issue}
    assert ask("query($i: ID!) { issue(id: $i) { id } node(id: $i) { id } }", i=issue) == {"issue": None, "node": None}


def test_connections_are_paged_forwards_and_backwards(ask: Ask):
    for number in range(5):
        create(ask, f"i{number}")
    query = (
        "query($f: Int, $a: String, $l: Int, $b: String) { issues(first: $f, after: $a, last: $l, before: $b)"
        " { totalCount nodes { title } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }"
        " } }"
    )
    first = ask(query, f=2)["issues"]
    assert ([each["title"] for each in first["nodes"]], first["totalCount"]) == (["i0", "i1"], 5)
    rest = ask(query, f=9, a=first["pageInfo"]["endCursor"])["issues"]
    assert [each["title"] for each in rest["nodes"]] == ["i2", "i3", "i4"]
    assert (rest["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasPreviousPage"]) == (False, True)
    back = ask(query, l=2, b=rest["pageInfo"]["startCursor"])["issues"]
    assert [each["title"] for each in back["nodes"]] == ["i0", "i1"]


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        ("state: CLOSED", ["b"]),
        ("filter: {priority: {gt: 2}}", ["b", "c"]),
        ("filter: {priority: {in: [1, 9]}}", ["a", "c"]),
        ('filter: {or: [{title: {startsWith: "a"}}, {title: {eq: "c"}}]}', ["a", "c"]),
        ('orderBy: {field: "priority", direction: "DESC"}', ["c", "b", "a"]),
    ],
)
def test_lists_are_filtered_and_sorted(ask: Ask, arguments: str, titles: list[str]):
    ids = [create(ask, title, priority=priority) for title, priority in (("a", 1), ("b", 3), ("c", 9))]
    ask("mutation($i: ID!) { closeIssue(id: $i) { success } }", i=ids[1])
    listed = ask(f"{{ issues({arguments}) {{ nodes {{ title }} }} }}")["issues"]["nodes"]
    assert [each["title"] for each in listed] == titles


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("{", 400, "Syntax Error"),
        ("{ nothing }", 400, "Cannot query field"),
        ("", 400, "needs a `query`"),
        ("query A { labels { id } } query B { labels { id } }", 400, "several operations"),
        ('mutation { updateIssue(id: "none", input: {}) { success } }', 200, "No such issue: 'none'"),
        ('mutation { createIssue(input: {title: "x", authorId: "none"}) { success } }', 200, "No such user: 'none'"),
        ('mutation { praiseIssue(id: "x") { id } }', 200, "what 'praise' changes is not known"),
        ("{ weather }", 200, "its type is none that is stored"),
        ("{ issues(first: 1000) { totalCount } }", 200, "is not between 0 and 250"),
        ('{ issues(after: "???") { totalCount } }', 200, "is not a cursor"),
        ("{ a " * 3000, 400, ""),
    ],
    ids=range(11),
)
def test_what_cannot_be_done_is_an_error_of_graphql(
    post: Callable[..., httpx.Response], query: str, status: int, said: str
):
    refused = post(query)
    assert refused.status_code == status, refused.text
    assert said in refused.json()["errors"][0]["message"]


def test_a_document_whose_answer_would_explode_is_refused(ask: Ask, post: Callable[..., httpx.Response]):
    for number in range(40):
        create(ask, f"i{number}")
    query = "{ id }"
    for _ in range(4):
        query = f"{{ author {{ issues {query} }} }}"
    assert "more than 50,000 objects" in post(f"{{ issues {{ nodes {query} }} }}").text


def test_an_answer_says_what_is_guessed_and_ignored(post: Callable[..., httpx.Response]):
    told = post('{ issues(mood: "good") { totalCount } }').headers["X-Twindiff-Drafted"]
    assert told == "partly; ignored=mood; guessed=weight,archived"
    assert post("{ labels { id } }").headers["X-Twindiff-Drafted"] == "derived"


def test_a_schema_in_a_file_is_served_and_a_broken_one_refused_in_a_sentence(tmp_path: Path):
    (tmp_path / "tracker.graphql").write_text(SDL)
    twin: Any = read_draft(tmp_path / "tracker.graphql", "tracker").twin()
    served = {plan.operation.name: plan.behaviour for plan in twin.plans}
    assert (served["query issues"], served["mutation closeIssue"], served["mutation praiseIssue"]) == (
        "list",
        "act",
        "missing",
    )
    for text in ("type Query {", "type A { id: ID! }", "type Query { a: Missing }", "{" * 5000):
        (tmp_path / "bad.graphql").write_text(text)
        with pytest.raises(DescriptionError, match=r"GraphQL|Query"):
            read_draft(tmp_path / "bad.graphql", "bad")
