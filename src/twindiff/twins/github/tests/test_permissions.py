"""What users may do by their role, and tokens by their scopes and permissions, on every route."""

from __future__ import annotations

import re
from typing import Any

import pytest

from twindiff.twins.github import twin
from twindiff.twins.github.core.permissions import ADMIN_RIGHTS, NOT_FOUND, Requirement, requirement_of

from .conftest import Hub

OWNER, ORG, STRANGER = "ada", "guild", "stranger"
LEVELS = ("pull", "triage", "push", "maintain", "admin")
REPO = "/repos/guild/secret"
VALUES = {"owner": ORG, "repo": "secret", "template_owner": ORG, "template_repo": "secret", "org": ORG}
OF_REPOSITORY = [
    (each.declared.verb, each.declared.path)
    for each in twin.dispatch.operations
    if each.declared.path.startswith("/repos/{owner}/{repo}")
]
OF_ORGANIZATION = [
    (each.declared.verb, each.declared.path)
    for each in twin.dispatch.operations
    if "{org}" in each.declared.path and "{owner}" not in each.declared.path
]


def address(path: str) -> str:
    return re.sub(r"\{(\w+)(:path)?\}", lambda part: VALUES.get(part[1], "1"), path)


@pytest.fixture(scope="module")
def people(platform: Any) -> dict[str, Hub]:
    """An organization with a private repository, in which there is a user with each role."""
    users = [{"login": login, "id": 100 + at} for at, login in enumerate((OWNER, "member", STRANGER, *LEVELS))]
    tokens = {f"token-{each['login']}": each["login"] for each in users}
    limits = {
        "classic-none": {"scopes": []},
        "classic-public": {"scopes": ["public_repo"]},
        "classic-repo": {"scopes": ["repo"]},
        "fine-none": {"permissions": {"metadata": "read"}},
        "fine-issues": {"permissions": {"issues": "write"}},
        "fine-issues-pull_requests": {"permissions": {"issues": "write", "pull_requests": "write"}},
        "fine-issues-pull_requests-contents": {
            "permissions": {"issues": "write", "pull_requests": "write", "contents": "write"}
        },
        "fine-other": {"permissions": {"issues": "write", "contents": "write"}, "repository_ids": [0]},
    }
    rows = [{"token": name, "user": OWNER, **limit} for name, limit in limits.items()]
    begun = {"created_at": "2024-01-01T00:00:00", "updated_at": "2024-01-01T00:00:00"}
    organization = {"login": ORG, "id": 99, "type": "Organization", "default_repository_permission": "none"}
    template = {
        "users": [{**each, **begun} for each in (organization, *users)],
        "memberships": [{"org": ORG, "user": OWNER, "role": "admin"}, {"org": ORG, "user": "member"}],
        "access_tokens": rows,
    }
    twin.templates["github_roles"] = lambda: template
    environment = platform.environment("github:github_roles", OWNER, tokens=tokens)
    hubs = {each["login"]: Hub(environment, each["login"]) for each in users}
    owner = hubs[OWNER]
    owner("POST", f"/orgs/{ORG}/repos", {"name": "secret", "private": True, "auto_init": True})
    owner("POST", f"/orgs/{ORG}/repos", {"name": "open", "auto_init": True})
    for level in LEVELS:
        invited = owner("PUT", f"{REPO}/collaborators/{level}", {"permission": level})
        hubs[level]("PATCH", f"/user/repository_invitations/{invited['id']}")
    del twin.templates["github_roles"]
    return hubs


@pytest.mark.parametrize(("verb", "path"), OF_REPOSITORY)
def test_a_private_repository_does_not_exist_for_strangers(people: dict[str, Hub], verb: str, path: str):
    for who in (STRANGER, "member"):
        assert people[who].http(verb, address(path)).status_code == 404, who


RESTRICTED = [
    (verb, path, required)
    for verb, path in OF_REPOSITORY
    if (required := requirement_of(verb, path)) and required.role != "pull"
]


@pytest.mark.parametrize(("verb", "path", "required"), RESTRICTED)
def test_a_role_below_the_required_one_is_refused(people: dict[str, Hub], verb: str, path: str, required: Requirement):
    answer = people[LEVELS[LEVELS.index(required.role) - 1]].http(verb, address(path))
    expected = (403, required.denial) if required.denial else (404, "Not Found")
    assert (answer.status_code, answer.json()["message"]) == expected


def test_only_administrators_rename_the_default_branch_and_protected_ones(people: dict[str, Hub]):
    writer, rename = people["push"], {"new_name": "renamed"}
    writer.branch(REPO, "topic")
    assert writer("POST", f"{REPO}/branches/topic/rename", rename)["name"] == "renamed"
    assert people["maintain"].refused("POST", f"{REPO}/branches/main/rename", rename) == (403, ADMIN_RIGHTS)


@pytest.mark.parametrize(("verb", "path"), OF_ORGANIZATION)
def test_members_do_not_do_what_owners_do(people: dict[str, Hub], verb: str, path: str):
    required = requirement_of(verb, path)
    for who in {"owner": (STRANGER, "member"), "member": (STRANGER,)}.get(required.role if required else "", ()):
        answer = people[who].http(verb, address(path))
        assert required
        expected = (403, required.denial) if required.denial != NOT_FOUND else (404, "Not Found")
        assert (answer.status_code, answer.json()["message"]) == expected


ROLES = {
    # https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories
    "POST /repos/{owner}/{repo}/issues": ("pull", ADMIN_RIGHTS),
    "POST /repos/{owner}/{repo}/issues/{issue_number}/labels": ("triage", ADMIN_RIGHTS),
    "POST /repos/{owner}/{repo}/labels": ("push", ADMIN_RIGHTS),
    "PUT /repos/{owner}/{repo}/contents/{path:path}": ("push", NOT_FOUND),
    "POST /repos/{owner}/{repo}/git/refs": ("push", NOT_FOUND),
    "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge": ("push", ADMIN_RIGHTS),
    "POST /repos/{owner}/{repo}/pulls": ("pull", ADMIN_RIGHTS),
    "POST /repos/{owner}/{repo}/releases": ("push", NOT_FOUND),
    "PUT /repos/{owner}/{repo}/topics": ("maintain", ADMIN_RIGHTS),
    "GET /repos/{owner}/{repo}/hooks": ("admin", NOT_FOUND),
    "PUT /repos/{owner}/{repo}/branches/{branch}/protection": ("admin", NOT_FOUND),
    "DELETE /repos/{owner}/{repo}": ("admin", ADMIN_RIGHTS),
    "PUT /repos/{owner}/{repo}/collaborators/{username}": ("admin", ADMIN_RIGHTS),
}


@pytest.mark.parametrize("name", ROLES)
def test_roles_are_those_of_the_vendor_s_documentation(name: str):
    required = requirement_of(*name.split(" "))
    assert required
    assert (required.role, required.denial) == ROLES[name]


PERSONAL = "Resource not accessible by personal access token"
BY_TOKEN = [
    ("classic-none", "GET", REPO, 404, "Not Found"),
    ("classic-none", "GET", "/repos/guild/open", 200, ""),
    ("classic-none", "POST", "/repos/guild/open/issues", 404, "Not Found"),
    ("classic-none", "POST", "/gists", 404, "Not Found"),
    ("classic-none", "GET", "/user", 200, ""),
    ("classic-none", "GET", "/user/emails", 404, "Not Found"),
    ("classic-none", "GET", "/notifications", 403, "Missing the 'notifications' scope."),
    ("classic-public", "GET", REPO, 404, "Not Found"),
    ("classic-public", "POST", "/repos/guild/open/issues", 201, ""),
    ("classic-repo", "POST", f"{REPO}/issues", 201, ""),
    ("classic-repo", "DELETE", REPO, 403, ADMIN_RIGHTS),
    ("classic-repo", "POST", f"{REPO}/check-runs", 403, "You must authenticate via a GitHub App."),
    ("classic-repo", "PATCH", "/orgs/guild", 404, "Not Found"),
    ("fine-none", "GET", REPO, 200, ""),
    ("fine-none", "GET", f"{REPO}/issues", 403, PERSONAL),
    ("fine-none", "GET", "/repos/guild/open/issues", 200, ""),
    ("fine-none", "POST", "/repos/guild/open/issues", 403, PERSONAL),
    ("fine-issues", "POST", f"{REPO}/issues", 201, ""),
    ("fine-issues", "GET", f"{REPO}/contents/README.md", 403, PERSONAL),
    ("fine-other", "GET", f"{REPO}/issues", 404, "Not Found"),
    ("fine-other", "POST", "/repos/guild/open/issues", 403, PERSONAL),
]


@pytest.mark.parametrize(("token", "verb", "path", "status", "message"), BY_TOKEN)
def test_a_token_does_no_more_than_it_was_made_for(
    people: dict[str, Hub], token: str, verb: str, path: str, status: int, message: str
):
    answer = people[OWNER].http(verb, path, token=token, json={"title": "x"} if verb == "POST" else None)
    assert (answer.status_code, "" if status < 300 else answer.json()["message"]) == (status, message)


def test_headers_say_what_a_token_may_do_and_should(people: dict[str, Hub]):
    classic = people[OWNER].http("POST", "/gists", token="classic-none", json={}).headers
    assert (classic["x-oauth-scopes"], classic["x-accepted-oauth-scopes"]) == ("", "gist")
    fine = people[OWNER].http("GET", f"{REPO}/issues", token="fine-none").headers
    assert fine["x-accepted-github-permissions"] == "issues=read; pull_requests=read"


@pytest.mark.parametrize("who", [STRANGER, "member", "classic-public", "fine-other"])
def test_lists_do_not_tell_of_a_private_repository(people: dict[str, Hub], who: str):
    hub = people.get(who) or people[OWNER]
    lists = [each.declared.path for each in twin.dispatch.operations if each.declared.verb == "GET"]
    for path in lists:
        if not re.search(r"\{(?!username|org)", path):
            url = path.replace("{org}", ORG).replace("{username}", OWNER)
            answer = hub.http("GET", url, params={"q": "secret"}, token=hub.token if who in people else who)
            assert "guild/secret" not in answer.text, path


def test_graphql_hides_what_rest_hides(people: dict[str, Hub]):
    query = {"query": '{ repository(owner: "guild", name: "secret") { id } }'}
    answer = people[STRANGER]("POST", "/graphql", query)
    assert (answer["data"]["repository"], answer["errors"][0]["type"]) == (None, "NOT_FOUND")


MUTATIONS = [
    ("pull", "addLabelsToLabelable", "labelableId: $id, labelIds: []", ADMIN_RIGHTS),
    ("triage", "mergePullRequest", "pullRequestId: $id", ADMIN_RIGHTS),
    ("pull", "requestReviews", "pullRequestId: $id", ADMIN_RIGHTS),
    ("fine-none", "addComment", 'subjectId: $id, body: "x"', PERSONAL),
]


@pytest.mark.parametrize(("who", "name", "given", "message"), MUTATIONS)
def test_mutations_ask_for_the_roles_and_tokens_of_rest(
    people: dict[str, Hub], pull_id: str, who: str, name: str, given: str, message: str
):
    query = f"mutation($id: ID!) {{ {name}(input: {{{given}}}) {{ clientMutationId }} }}"
    hub = people.get(who) or people[OWNER]
    token = hub.token if who in people else who
    answer = hub("POST", "/graphql", {"query": query, "variables": {"id": pull_id}}, token=token)
    assert (answer["errors"][0]["type"], answer["errors"][0]["message"]) == ("FORBIDDEN", message)


@pytest.fixture(scope="module")
def pull_id(people: dict[str, Hub]) -> str:
    return people[OWNER].pull(REPO, "topic")["node_id"]


def tell(hub: Hub, query: str, token: str = "", **variables: Any) -> tuple[Any, str]:
    """The data of a document, and the message of its first error."""
    answer = hub("POST", "/graphql", {"query": query, "variables": variables}, token=token or hub.token)
    return answer["data"], answer.get("errors", [{"message": ""}])[0]["message"]


def test_projects_are_for_members_with_the_scope(people: dict[str, Hub]):
    owner, member, stranger = people[OWNER], people["member"], people[STRANGER]
    org = tell(owner, f'{{ organization(login: "{ORG}") {{ id }} }}')[0]["organization"]["id"]
    create = 'mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: "P"}) { projectV2 { id number } } }'
    assert "does not have permission to create projects" in tell(stranger, create, o=org)[1]
    made = tell(owner, create, o=org)[0]["createProjectV2"]["projectV2"]
    read = f'{{ organization(login: "{ORG}") {{ projectV2(number: {made["number"]}) {{ id viewerCanUpdate }} }} }}'
    assert tell(member, read)[0]["organization"]["projectV2"] == {"id": made["id"], "viewerCanUpdate": True}
    assert "Could not resolve to a ProjectV2" in tell(stranger, read)[1]
    assert "one of the following scopes: ['read:project'" in tell(owner, read, token="classic-repo")[1]
    assert "Resource not accessible" in tell(owner, read, token="fine-issues")[1]
    delete = "mutation($p: ID!) { deleteProjectV2(input: {projectId: $p}) { clientMutationId } }"
    assert tell(member, delete, p=made["id"])[1] == "Must have admin access to the project."
    assert "Could not resolve to a node" in tell(stranger, delete, p=made["id"])[1]
    draft = 'mutation($p: ID!) { addProjectV2DraftIssue(input: {projectId: $p, title: "D"}) { clientMutationId } }'
    assert tell(member, draft, p=made["id"])[1] == ""


def test_discussions_are_for_readers_and_triage_is_for_their_state(people: dict[str, Hub]):
    owner, reader, triager = people[OWNER], people["pull"], people["triage"]
    owner("PATCH", REPO, {"has_discussions": True})
    place = (
        f'repository(owner: "{ORG}", name: "secret") {{ id discussionCategories(first: 9) {{ nodes {{ id slug }} }} }}'
    )
    repo = tell(owner, f"{{ {place} }}")[0]["repository"]
    slugs = {each["slug"]: each["id"] for each in repo["discussionCategories"]["nodes"]}
    create = """mutation($r: ID!, $c: ID!) { createDiscussion(input: {
        repositoryId: $r, categoryId: $c, title: "T", body: "B"}) { discussion { id } } }"""
    place = {"r": repo["id"], "c": slugs["general"]}
    made = tell(owner, create, **place)[0]["createDiscussion"]["discussion"]["id"]
    assert tell(reader, create, **place)[1] == ""
    assert "correct permissions" in tell(triager, create, **{**place, "c": slugs["announcements"]})[1]
    close = "mutation($d: ID!) { closeDiscussion(input: {discussionId: $d}) { discussion { closed } } }"
    assert "correct permissions" in tell(reader, close, d=made)[1]
    assert tell(triager, close, d=made)[0]["closeDiscussion"]["discussion"]["closed"]
    delete = "mutation($d: ID!) { deleteDiscussion(input: {id: $d}) { clientMutationId } }"
    assert "correct permissions" in tell(triager, delete, d=made)[1]
    assert "Could not resolve to a node" in tell(people[STRANGER], delete, d=made)[1]
    assert "Resource not accessible" in tell(owner, close, token="fine-issues", d=made)[1]
    assert tell(owner, delete, token="classic-repo", d=made)[1] == ""


FINE_PERMISSIONS = [
    ({"issues": "write"}, False),
    ({"issues": "write", "pull_requests": "write"}, False),
    ({"issues": "write", "pull_requests": "write", "contents": "write"}, True),
]


@pytest.mark.parametrize(("permissions", "is_allowed"), FINE_PERMISSIONS)
def test_branches_for_issues_and_reverts_need_write_access_to_contents(
    people: dict[str, Hub], permissions: dict[str, str], is_allowed: bool
):
    owner, name = people[OWNER], "-".join(["fine", *permissions])
    pull = owner.pull(REPO, name, path=name)
    owner("PUT", f"{REPO}/pulls/{pull['number']}/merge", {})
    issue = owner("POST", f"{REPO}/issues", {"title": name})
    revert = "mutation($p: ID!) { revertPullRequest(input: {pullRequestId: $p}) { clientMutationId } }"
    link = """mutation($i: ID!, $o: GitObjectID!, $r: ID) { createLinkedBranch(
        input: {issueId: $i, oid: $o, repositoryId: $r}) { clientMutationId } }"""
    given, home = {"i": issue["node_id"], "o": owner.head(REPO)}, owner("GET", REPO)["node_id"]
    said = [
        tell(owner, revert, token=name, p=pull["node_id"])[1],
        tell(owner, link, token=name, **given)[1],
        tell(owner, link, token=name, **given, r=home)[1],
    ]
    assert said[:2] == (["", ""] if is_allowed else [PERSONAL] * 2)
    assert ("already exists" if is_allowed else PERSONAL) in said[2]
