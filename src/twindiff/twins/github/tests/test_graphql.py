"""GraphQL: what GitHub's command line and MCP server ask for, and mutations."""

from __future__ import annotations

from typing import Any

import pytest

from twindiff.twins.github.graphql.endpoint import load_schema
from twindiff.twins.github.graphql.mutations import MUTATIONS
from twindiff.twins.github.graphql.resolvers import FIELDS

from .conftest import Hub

LIST_ISSUES = """
query(
  $owner: String!, $repo: String!, $states: [IssueState!]!, $first: Int!
  $orderBy: IssueOrderField!, $direction: OrderDirection!
) {
  repository(owner: $owner, name: $repo) {
    issues(first: $first, states: $states, orderBy: {field: $orderBy, direction: $direction}) {
      nodes {
        number title body state databaseId author { login } createdAt updatedAt
        labels(first: 100) { nodes { name id description } } comments { totalCount }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
    }
    isPrivate
  }
}"""
THREADS = """
query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    id mergeable reviewDecision state headRefName additions
    commits(last: 1) { nodes { commit { oid statusCheckRollup { state } } } }
    reviewThreads(first: 10) { totalCount nodes {
      id isResolved isOutdated
      comments(first: 5) { nodes { id body path line author { login } url } }
    } }
  } }
}"""


def ask(hub: Hub, query: str, **variables: Any) -> Any:
    """The data of a document without errors."""
    answer = hub("POST", "/graphql", {"query": query, "variables": variables})
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


def _mutation(name: str, shown: str) -> str:
    kind = name[0].upper() + name[1:] + "Input"
    return f"mutation($input: {kind}!) {{ {name}(input: $input) {{ {shown} }} }}"


def mutate(hub: Hub, mutation: str, shown: str, /, **given: Any) -> Any:
    """The payload of a mutation."""
    return ask(hub, _mutation(mutation, shown), input=given)[mutation]


def refuse(hub: Hub, mutation: str, /, **given: Any) -> str:
    """The message of a mutation that must be refused."""
    body = {"query": _mutation(mutation, "clientMutationId"), "variables": {"input": given}}
    return hub("POST", "/graphql", body)["errors"][0]["message"]


def test_issues_are_listed_by_pages(hub: Hub):
    repo = hub.repo()
    for number in range(3):
        hub("POST", f"{repo}/issues", {"title": f"Issue {number}", "labels": ["bug"]})
    order = {"states": ["OPEN"], "first": 2, "orderBy": "CREATED_AT", "direction": "DESC"}
    shown = ask(hub, LIST_ISSUES, owner="octocat", repo="demo", **order)["repository"]["issues"]
    assert ([each["number"] for each in shown["nodes"]], shown["totalCount"]) == ([3, 2], 3)
    assert shown["pageInfo"]["hasNextPage"]
    assert shown["nodes"][0]["labels"]["nodes"][0]["name"] == "bug"


def test_a_pull_request_has_threads_that_are_resolved(hub: Hub):
    repo = hub.repo()
    hub.pull(repo, text="1\n2\n")
    draft = {"path": "a.txt", "line": 1, "body": "Why?"}
    hub("POST", f"{repo}/pulls/1/reviews", {"event": "COMMENT", "body": "See", "comments": [draft]})
    pull = ask(hub, THREADS, owner="octocat", repo="demo", number=1)["repository"]["pullRequest"]
    (thread,) = pull["reviewThreads"]["nodes"]
    assert (pull["mergeable"], pull["additions"], thread["comments"]["nodes"][0]["body"]) == ("MERGEABLE", 2, "Why?")
    thread_of = "thread { isResolved resolvedBy { login } }"
    mutation = f"mutation($id: ID!) {{ resolveReviewThread(input: {{threadId: $id}}) {{ {thread_of} }} }}"
    resolved = ask(hub, mutation, id=thread["id"])["resolveReviewThread"]["thread"]
    assert resolved == {"isResolved": True, "resolvedBy": {"login": "octocat"}}


def test_mutations_change_the_same_rows_as_rest(hub: Hub):
    repo = hub.repo()
    node = hub("GET", repo)["node_id"]
    create = "mutation($input: CreateIssueInput!) { createIssue(input: $input) { issue { id number } } }"
    issue = ask(hub, create, input={"repositoryId": node, "title": "One", "body": "b"})["createIssue"]["issue"]
    close = "mutation($input: CloseIssueInput!) { closeIssue(input: $input) { issue { state stateReason } } }"
    closed = ask(hub, close, input={"issueId": issue["id"], "stateReason": "NOT_PLANNED"})["closeIssue"]["issue"]
    assert closed == {"state": "CLOSED", "stateReason": "NOT_PLANNED"}
    assert hub("GET", f"{repo}/issues/1")["node_id"] == issue["id"]
    hub.branch(repo, "feature")
    hub.write(repo, "a", "a", "feature")
    body = {"repositoryId": node, "title": "P", "headRefName": "feature", "baseRefName": "main"}
    open_one = (
        "mutation($input: CreatePullRequestInput!) { createPullRequest(input: $input) { pullRequest { id url } } }"
    )
    pull = ask(hub, open_one, input=body)["createPullRequest"]["pullRequest"]
    how = "input: {pullRequestId: $id, mergeMethod: SQUASH}"
    merge = f"mutation($id: ID!) {{ mergePullRequest({how}) {{ pullRequest {{ state }} }} }}"
    assert ask(hub, merge, id=pull["id"])["mergePullRequest"]["pullRequest"]["state"] == "MERGED"


LINKS = """{ repository(owner: "octocat", name: "demo") {
  pullRequests(first: 9) { nodes { closingIssuesReferences(first: 9) { nodes { url } } } } }
  other: repository(owner: "octocat", name: "other") { issue(number: 1) {
    closedByPullRequestsReferences(first: 9) { nodes { url } } } } }"""


@pytest.mark.parametrize(("base", "is_linked"), [("main", True), ("next", False)])
def test_a_pull_request_into_the_default_branch_is_linked_to_an_issue_of_another_repository(
    hub: Hub, base: str, is_linked: bool
):
    repo, other = hub.repo(), hub.repo("other")
    issue = hub("POST", f"{other}/issues", {"title": "Broken"})["html_url"]
    hub.branch(repo, "next")
    pull = hub.pull(repo, base=base, body="Fixes octocat/other#1")["html_url"]
    answer = ask(hub, LINKS)
    (forward,), back = answer["repository"]["pullRequests"]["nodes"], answer["other"]["issue"]
    assert forward["closingIssuesReferences"]["nodes"] == [{"url": issue}] * is_linked
    assert back["closedByPullRequestsReferences"]["nodes"] == [{"url": pull}] * is_linked


def test_each_mutation_of_a_document_shows_what_closes_an_issue_by_then(hub: Hub):
    repo = hub.repo()
    issue = hub("POST", f"{repo}/issues", {"title": "Broken"})["node_id"]
    pull = hub.pull(repo)["node_id"]
    shown = "updateIssue(input: {id: $i}) { issue { closedByPullRequestsReferences(first: 9) { totalCount } } }"
    change = 'updatePullRequest(input: {pullRequestId: $p, body: "Fixes #1"}) { clientMutationId }'
    answer = ask(hub, f"mutation($i: ID!, $p: ID!) {{ a: {shown} b: {change} c: {shown} }}", i=issue, p=pull)
    counts = [answer[name]["issue"]["closedByPullRequestsReferences"]["totalCount"] for name in "ac"]
    assert counts == [0, 1]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ('{ repository(owner: "octocat", name: "nope") { id } }', "NOT_FOUND"),
        ('{ node(id: "R_kgDO") { id } }', "NOT_FOUND"),
        (
            '{ repository(owner: "octocat", name: "demo") { issues(first: 101) { totalCount } } }',
            "EXCESSIVE_PAGINATION",
        ),
        ('mutation { closeIssue(input: {issueId: "x"}) { issue { id } } }', "NOT_FOUND"),
    ],
)
def test_errors_have_github_s_types(hub: Hub, query: str, kind: str):
    hub.repo()
    assert hub("POST", "/graphql", {"query": query})["errors"][0]["type"] == kind


def test_a_document_that_is_invalid_says_where(hub: Hub):
    answer = hub("POST", "/api/graphql", {"query": "{ viewer { nope } }"})
    assert "Cannot query field 'nope' on type 'User'" in answer["errors"][0]["message"]


def test_ids_lead_to_objects_and_back(hub: Hub):
    node = hub("GET", hub.repo())["node_id"]
    assert ask(hub, "query($id: ID!) { node(id: $id) { id ... on Repository { nameWithOwner } } }", id=node) == {
        "node": {"id": node, "nameWithOwner": "octocat/demo"}
    }


def test_resolvers_and_schema_agree():
    schema: Any = load_schema()
    assert [f"{kind}.{name}" for kind, name in FIELDS if name not in schema.type_map[kind].fields] == []
    assert {*MUTATIONS} == {*schema.mutation_type.fields}


def test_every_plain_field_of_the_default_organization_resolves(github: Any):
    hub = github("github_default", user="agent")
    schema: Any = load_schema()

    def plain(kind: str) -> str:
        fields = schema.type_map[kind].fields
        return " ".join(name for name, each in fields.items() if not each.args and str(each.type).strip("!") in SCALARS)

    parts = {
        "defaultBranchRef": f"{plain('Ref')} target {{ ... on Commit {{ {plain('Commit')} }} }}",
        "issues(first: 2)": f"nodes {{ {plain('Issue')} }}",
        "pullRequests(first: 3)": f"nodes {{ {plain('PullRequest')} files(first: 1) {{ nodes {{ path }} }} }}",
        "releases(first: 1)": f"nodes {{ {plain('Release')} }}",
        "labels(first: 1)": f"nodes {{ {plain('Label')} }}",
        "milestones(first: 1)": f"nodes {{ {plain('Milestone')} }}",
    }
    inner = " ".join(f"{name} {{ {fields} }}" for name, fields in parts.items())
    repository = f'repository(owner: "tidewater", name: "harbour-api") {{ {plain("Repository")} {inner} }}'
    organization = f'organization(login: "tidewater") {{ {plain("Organization")} }}'
    search = 'search(query: "org:tidewater is:pr", type: ISSUE, first: 1) { issueCount nodes { __typename } }'
    query = f"{{ {repository} {organization} {search} }}"
    data = ask(hub, query)
    assert data["search"]["issueCount"] == 60


SCALARS = {"ID", "String", "Int", "Boolean", "DateTime", "URI", "GitObjectID"}


def test_a_branch_is_compared_with_that_of_a_fork_whatever_its_case_and_with_no_unknown_one(github: Any):
    hub = github("github_default", user="agent", users=("ada",))
    fork = hub.as_user("ada")("POST", "/repos/tidewater/harbour-api/forks", {})
    hub.as_user("ada").write(f"/repos/{fork['full_name']}", "more.txt", "more")
    query = """query($head: String!) { repository(owner: "tidewater", name: "harbour-api") {
        ref(qualifiedName: "refs/heads/main") { compare(headRef: $head) { aheadBy } } } }"""
    heads = ("ADA:main", "ada:main", "nobody:main", "tidewater:main", "main")
    shown = [ask(hub, query, head=head)["repository"]["ref"]["compare"] for head in heads]
    assert shown == [{"aheadBy": 1}, {"aheadBy": 1}, None, {"aheadBy": 0}, {"aheadBy": 0}]
