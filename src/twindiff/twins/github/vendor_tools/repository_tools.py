# ruff: noqa: N803 - the names of arguments are those on the wire
"""The tools of GitHub's own MCP server for repositories, issues, pull requests, Actions and search.

https://github.com/github/github-mcp-server
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal

from twindiff.kit import Struct
from twindiff.kit.agent_tools import Caller, ToolRefused

from .tool_registry import FILE, ISSUE, PULL, REPO, RUN, Event, Page, PageSize, ask_graphql, tools


class PushedFile(Struct):
    """A file to push: its path and its text."""

    path: str
    content: str


@tools.reads
async def get_me(call: Caller) -> Any:
    """Get the user whose token is used."""
    return await call("GET /user")


@tools.reads
async def search_repositories(call: Caller, query: str, page: Page = 1, perPage: PageSize = 30) -> Any:
    """Search repositories."""
    return await call("GET /search/repositories", q=query, page=page, per_page=perPage)


@tools.reads
async def search_code(
    call: Caller, query: str, sort: str | None = None, order: str | None = None, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """Search code."""
    return await call("GET /search/code", q=query, sort=sort, order=order, page=page, per_page=perPage)


@tools.reads
async def search_users(
    call: Caller, query: str, sort: str | None = None, order: str | None = None, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """Search users."""
    return await call("GET /search/users", q=f"{query} type:user", sort=sort, order=order, page=page, per_page=perPage)


async def _search(call: Caller, query: str, kind: str, owner: str | None, repo: str | None, **more: Any) -> Any:
    place = f"repo:{owner}/{repo} " if owner and repo else ""
    return await call("GET /search/issues", q=f"{place}is:{kind} {query}", **more)


@tools.reads
async def search_issues(
    call: Caller,
    query: str,
    owner: str | None = None,
    repo: str | None = None,
    sort: str | None = None,
    order: str | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """Search issues."""
    return await _search(call, query, "issue", owner, repo, sort=sort, order=order, page=page, per_page=perPage)


@tools.reads
async def search_pull_requests(
    call: Caller,
    query: str,
    owner: str | None = None,
    repo: str | None = None,
    sort: str | None = None,
    order: str | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """Search pull requests."""
    return await _search(call, query, "pr", owner, repo, sort=sort, order=order, page=page, per_page=perPage)


@tools.writes
async def create_repository(
    call: Caller, name: str, description: str | None = None, private: bool = False, autoInit: bool = False
) -> Any:
    """Make a repository of the user's."""
    return await call("POST /user/repos", name=name, description=description, private=private, auto_init=autoInit)


@tools.writes
async def fork_repository(call: Caller, owner: str, repo: str, organization: str | None = None) -> Any:
    """Fork a repository."""
    return await call(f"POST {REPO}/forks", owner=owner, repo=repo, organization=organization)


@tools.reads
async def get_file_contents(
    call: Caller, owner: str, repo: str, path: str = "", ref: str | None = None, sha: str | None = None
) -> Any:
    """Get a file or a folder at a reference or a commit."""
    at, ref = path.strip("/"), sha or ref
    if not at:
        return await call(f"GET {REPO}/contents", owner=owner, repo=repo, ref=ref)
    return await call(f"GET {FILE}", owner=owner, repo=repo, path=at, ref=ref)


@tools.writes
async def create_or_update_file(
    call: Caller, owner: str, repo: str, path: str, content: str, message: str, branch: str, sha: str | None = None
) -> Any:
    """Write a file in a commit; an existing file needs its SHA."""
    text = b64encode(content.encode()).decode()
    place = {"owner": owner, "repo": repo, "path": path, "branch": branch}
    return await call(f"PUT {FILE}", **place, content=text, message=message, sha=sha)


@tools.writes
async def delete_file(call: Caller, owner: str, repo: str, path: str, message: str, branch: str) -> Any:
    """Delete a file in a commit."""
    known = await call(f"GET {FILE}", owner=owner, repo=repo, path=path, ref=branch)
    place = {"owner": owner, "repo": repo, "path": path, "branch": branch}
    return await call(f"DELETE {FILE}", **place, message=message, sha=known["sha"])


@tools.writes
async def push_files(call: Caller, owner: str, repo: str, branch: str, files: list[PushedFile], message: str) -> Any:
    """Write several files in one commit."""
    place = {"owner": owner, "repo": repo}
    head = await call(f"GET {REPO}/git/ref/{{ref:path}}", **place, ref=f"heads/{branch}")
    parent = head["object"]["sha"]
    base = await call(f"GET {REPO}/git/commits/{{commit_sha}}", **place, commit_sha=parent)
    entries = [{"path": each.path, "mode": "100644", "type": "blob", "content": each.content} for each in files]
    tree = await call(f"POST {REPO}/git/trees", **place, base_tree=base["tree"]["sha"], tree=entries)
    commit = await call(f"POST {REPO}/git/commits", **place, message=message, tree=tree["sha"], parents=[parent])
    return await call(f"PATCH {REPO}/git/refs/{{ref:path}}", **place, ref=f"heads/{branch}", sha=commit["sha"])


@tools.reads
async def list_branches(call: Caller, owner: str, repo: str, page: Page = 1, perPage: PageSize = 30) -> Any:
    """List branches."""
    return await call(f"GET {REPO}/branches", owner=owner, repo=repo, page=page, per_page=perPage)


@tools.writes
async def create_branch(call: Caller, owner: str, repo: str, branch: str, from_branch: str | None = None) -> Any:
    """Make a branch, from the default branch if no other is named."""
    place = {"owner": owner, "repo": repo}
    start = from_branch or (await call(f"GET {REPO}", **place))["default_branch"]
    head = await call(f"GET {REPO}/git/ref/{{ref:path}}", **place, ref=f"heads/{start}")
    return await call(f"POST {REPO}/git/refs", **place, ref=f"refs/heads/{branch}", sha=head["object"]["sha"])


@tools.reads
async def list_commits(
    call: Caller,
    owner: str,
    repo: str,
    sha: str | None = None,
    author: str | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """List commits of a branch."""
    place = {"owner": owner, "repo": repo}
    return await call(f"GET {REPO}/commits", **place, sha=sha, author=author, page=page, per_page=perPage)


@tools.reads
async def get_commit(call: Caller, owner: str, repo: str, sha: str, page: Page = 1, perPage: PageSize = 30) -> Any:
    """Get a commit with its files."""
    place = {"owner": owner, "repo": repo, "ref": sha}
    return await call(f"GET {REPO}/commits/{{ref:path}}", **place, page=page, per_page=perPage)


@tools.reads
async def list_tags(call: Caller, owner: str, repo: str, page: Page = 1, perPage: PageSize = 30) -> Any:
    """List tags."""
    return await call(f"GET {REPO}/tags", owner=owner, repo=repo, page=page, per_page=perPage)


@tools.reads
async def list_releases(call: Caller, owner: str, repo: str, page: Page = 1, perPage: PageSize = 30) -> Any:
    """List releases."""
    return await call(f"GET {REPO}/releases", owner=owner, repo=repo, page=page, per_page=perPage)


@tools.reads
async def get_latest_release(call: Caller, owner: str, repo: str) -> Any:
    """Get the latest release."""
    return await call(f"GET {REPO}/releases/latest", owner=owner, repo=repo)


@tools.reads
async def list_issues(
    call: Caller,
    owner: str,
    repo: str,
    state: Literal["OPEN", "CLOSED"] | None = None,
    labels: list[str] | None = None,
    orderBy: Literal["CREATED_AT", "UPDATED_AT", "COMMENTS"] | None = None,
    direction: Literal["ASC", "DESC"] | None = None,
    since: str | None = None,
    perPage: PageSize = 30,
) -> Any:
    """List issues of a repository, without its pull requests."""
    query = {"sort": (orderBy or "CREATED_AT").lower().removesuffix("_at"), "direction": (direction or "DESC").lower()}
    listed = await call(
        f"GET {REPO}/issues",
        owner=owner,
        repo=repo,
        state=(state or "all").lower(),
        labels=",".join(labels) if labels else None,
        since=since,
        per_page=perPage,
        **query,
    )
    issues = [each for each in listed if "pull_request" not in each]
    return {"issues": issues, "totalCount": len(issues)}


@tools.reads
async def get_issue(call: Caller, owner: str, repo: str, issue_number: int) -> Any:
    """Get an issue."""
    return await call(f"GET {ISSUE}", owner=owner, repo=repo, issue_number=issue_number)


@tools.reads
async def get_issue_comments(
    call: Caller, owner: str, repo: str, issue_number: int, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """List the comments of an issue."""
    place = {"owner": owner, "repo": repo, "issue_number": issue_number}
    return await call(f"GET {ISSUE}/comments", **place, page=page, per_page=perPage)


@tools.writes
async def create_issue(
    call: Caller,
    owner: str,
    repo: str,
    title: str,
    body: str | None = None,
    assignees: list[str] | None = None,
    labels: list[str] | None = None,
    milestone: int | None = None,
    type: str | None = None,
) -> Any:
    """Open an issue."""
    given = {"title": title, "body": body, "assignees": assignees, "labels": labels}
    return await call(f"POST {REPO}/issues", owner=owner, repo=repo, milestone=milestone, type=type, **given)


@tools.writes
async def update_issue(
    call: Caller,
    owner: str,
    repo: str,
    issue_number: int,
    title: str | None = None,
    body: str | None = None,
    state: Literal["open", "closed"] | None = None,
    assignees: list[str] | None = None,
    labels: list[str] | None = None,
    milestone: int | None = None,
    type: str | None = None,
) -> Any:
    """Change an issue."""
    place: dict[str, Any] = {"owner": owner, "repo": repo, "issue_number": issue_number}
    given = {"title": title, "body": body, "state": state, "assignees": assignees, "labels": labels}
    return await call(f"PATCH {ISSUE}", **place, **given, milestone=milestone, type=type)


@tools.writes
async def add_issue_comment(call: Caller, owner: str, repo: str, issue_number: int, body: str) -> Any:
    """Comment on an issue or a pull request."""
    return await call(f"POST {ISSUE}/comments", owner=owner, repo=repo, issue_number=issue_number, body=body)


@tools.writes
async def add_sub_issue(
    call: Caller, owner: str, repo: str, issue_number: int, sub_issue_id: int, replace_parent: bool | None = None
) -> Any:
    """Make an issue the sub-issue of another."""
    place = {"owner": owner, "repo": repo, "issue_number": issue_number}
    return await call(f"POST {ISSUE}/sub_issues", **place, sub_issue_id=sub_issue_id, replace_parent=replace_parent)


@tools.reads
async def list_pull_requests(
    call: Caller,
    owner: str,
    repo: str,
    state: Literal["open", "closed", "all"] | None = None,
    head: str | None = None,
    base: str | None = None,
    sort: str | None = None,
    direction: str | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """List pull requests."""
    query = {"state": state, "head": head, "base": base, "sort": sort, "direction": direction}
    return await call(f"GET {REPO}/pulls", owner=owner, repo=repo, page=page, per_page=perPage, **query)


def place_pull(owner: str, repo: str, number: int) -> dict[str, Any]:
    """Return the arguments that name a pull request."""
    return {"owner": owner, "repo": repo, "pull_number": number}


@tools.reads
async def get_pull_request(call: Caller, owner: str, repo: str, pullNumber: int) -> Any:
    """Get a pull request."""
    return await call(f"GET {PULL}", **place_pull(owner, repo, pullNumber))


@tools.reads
async def get_pull_request_files(
    call: Caller, owner: str, repo: str, pullNumber: int, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """List the files of a pull request with their patches."""
    return await call(f"GET {PULL}/files", **place_pull(owner, repo, pullNumber), page=page, per_page=perPage)


@tools.reads
async def get_pull_request_diff(call: Caller, owner: str, repo: str, pullNumber: int) -> str:
    """Get the diff of a pull request."""
    files = await call(f"GET {PULL}/files", **place_pull(owner, repo, pullNumber), per_page=100)
    return "".join(f"diff --git a/{each['filename']} b/{each['filename']}\n{each.get('patch', '')}\n" for each in files)


@tools.reads
async def get_pull_request_status(call: Caller, owner: str, repo: str, pullNumber: int) -> Any:
    """Get the combined status of a pull request's last commit."""
    pull = await call(f"GET {PULL}", **place_pull(owner, repo, pullNumber))
    return await call(f"GET {REPO}/commits/{{ref}}/status", owner=owner, repo=repo, ref=pull["head"]["sha"])


@tools.reads
async def get_pull_request_comments(call: Caller, owner: str, repo: str, pullNumber: int) -> Any:
    """List the comments on the diff of a pull request."""
    return await call(f"GET {PULL}/comments", **place_pull(owner, repo, pullNumber), per_page=100)


@tools.reads
async def get_pull_request_reviews(call: Caller, owner: str, repo: str, pullNumber: int) -> Any:
    """List the reviews of a pull request."""
    return await call(f"GET {PULL}/reviews", **place_pull(owner, repo, pullNumber), per_page=100)


@tools.writes
async def create_pull_request(
    call: Caller,
    owner: str,
    repo: str,
    title: str,
    head: str,
    base: str,
    body: str | None = None,
    draft: bool | None = None,
    maintainer_can_modify: bool | None = None,
) -> Any:
    """Open a pull request."""
    given: dict[str, Any] = {"title": title, "head": head, "base": base, "body": body, "draft": draft}
    return await call(
        f"POST {REPO}/pulls", owner=owner, repo=repo, maintainer_can_modify=maintainer_can_modify, **given
    )


@tools.writes
async def update_pull_request(
    call: Caller,
    owner: str,
    repo: str,
    pullNumber: int,
    title: str | None = None,
    body: str | None = None,
    state: Literal["open", "closed"] | None = None,
    base: str | None = None,
    draft: bool | None = None,
    maintainer_can_modify: bool | None = None,
    reviewers: list[str] | None = None,
) -> Any:
    """Change a pull request, and ask for reviews."""
    place = place_pull(owner, repo, pullNumber)
    given: dict[str, Any] = {"title": title, "body": body, "state": state, "base": base}
    given["maintainer_can_modify"] = maintainer_can_modify
    if draft is not None:
        shown = await call(f"GET {PULL}", **place)
        name = "convertPullRequestToDraft" if draft else "markPullRequestReadyForReview"
        kind = name[0].upper() + name[1:]
        query = f"mutation($input: {kind}Input!) {{ {name}(input: $input) {{ clientMutationId }} }}"
        await ask_graphql(call, query, input={"pullRequestId": shown["node_id"]})
    if reviewers:
        await call(f"POST {PULL}/requested_reviewers", **place, reviewers=reviewers)
    return await call(f"PATCH {PULL}", **place, **given)


@tools.writes
async def merge_pull_request(
    call: Caller,
    owner: str,
    repo: str,
    pullNumber: int,
    commit_title: str | None = None,
    commit_message: str | None = None,
    merge_method: Literal["merge", "squash", "rebase"] | None = None,
) -> Any:
    """Merge a pull request."""
    texts = {"commit_title": commit_title, "commit_message": commit_message}
    return await call(f"PUT {PULL}/merge", **place_pull(owner, repo, pullNumber), merge_method=merge_method, **texts)


@tools.writes
async def update_pull_request_branch(
    call: Caller, owner: str, repo: str, pullNumber: int, expectedHeadSha: str | None = None
) -> Any:
    """Merge the base branch into the branch of a pull request."""
    return await call(
        f"PUT {PULL}/update-branch", **place_pull(owner, repo, pullNumber), expected_head_sha=expectedHeadSha
    )


@tools.writes
async def create_and_submit_pull_request_review(
    call: Caller, owner: str, repo: str, pullNumber: int, body: str, event: Event, commitID: str | None = None
) -> Any:
    """Review a pull request."""
    place = place_pull(owner, repo, pullNumber)
    return await call(f"POST {PULL}/reviews", **place, body=body, event=event, commit_id=commitID)


@tools.writes
async def create_pending_pull_request_review(
    call: Caller, owner: str, repo: str, pullNumber: int, commitID: str | None = None
) -> Any:
    """Begin a review, which others see once it is submitted."""
    return await call(f"POST {PULL}/reviews", **place_pull(owner, repo, pullNumber), commit_id=commitID)


async def find_pending_review(call: Caller, place: dict[str, Any]) -> int:
    """Return the id of the caller's review that is not submitted yet; raise ToolRefused."""
    reviews = await call(f"GET {PULL}/reviews", **place, per_page=100)
    pending = [each["id"] for each in reviews if each["state"] == "PENDING"]
    if not pending:
        raise ToolRefused("There is no pending review; create one with create_pending_pull_request_review.")
    return pending[-1]


@tools.writes
async def submit_pending_pull_request_review(
    call: Caller, owner: str, repo: str, pullNumber: int, event: Event, body: str | None = None
) -> Any:
    """Submit the review that was begun."""
    place = place_pull(owner, repo, pullNumber)
    review = await find_pending_review(call, place)
    return await call(f"POST {PULL}/reviews/{{review_id}}/events", **place, review_id=review, event=event, body=body)


@tools.writes
async def delete_pending_pull_request_review(call: Caller, owner: str, repo: str, pullNumber: int) -> Any:
    """Delete the review that was begun."""
    place = place_pull(owner, repo, pullNumber)
    review = await find_pending_review(call, place)
    return await call(f"DELETE {PULL}/reviews/{{review_id}}", **place, review_id=review)


@tools.reads
async def list_workflows(call: Caller, owner: str, repo: str, page: Page = 1, perPage: PageSize = 30) -> Any:
    """List workflows."""
    return await call(f"GET {REPO}/actions/workflows", owner=owner, repo=repo, page=page, per_page=perPage)


@tools.reads
async def list_workflow_runs(
    call: Caller,
    owner: str,
    repo: str,
    workflow_id: str,
    actor: str | None = None,
    branch: str | None = None,
    event: str | None = None,
    status: str | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """List the runs of a workflow."""
    place = {"owner": owner, "repo": repo, "workflow_id": workflow_id, "branch": branch, "status": status}
    place |= {"actor": actor, "event": event}
    return await call(f"GET {REPO}/actions/workflows/{{workflow_id}}/runs", **place, page=page, per_page=perPage)


@tools.reads
async def get_workflow_run(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Get a workflow run."""
    return await call(f"GET {RUN}", owner=owner, repo=repo, run_id=run_id)


@tools.reads
async def list_workflow_jobs(
    call: Caller,
    owner: str,
    repo: str,
    run_id: int,
    filter: Literal["latest", "all"] | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """List the jobs of a workflow run."""
    place = {"owner": owner, "repo": repo, "run_id": run_id}
    return await call(f"GET {RUN}/jobs", **place, filter=filter, page=page, per_page=perPage)


@tools.writes
async def run_workflow(
    call: Caller, owner: str, repo: str, workflow_id: str, ref: str, inputs: dict[str, Any] | None = None
) -> Any:
    """Start a workflow."""
    place = {"owner": owner, "repo": repo, "workflow_id": workflow_id}
    return await call(f"POST {REPO}/actions/workflows/{{workflow_id}}/dispatches", **place, ref=ref, inputs=inputs)


@tools.writes
async def rerun_workflow_run(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Run a workflow run again."""
    return await call(f"POST {RUN}/rerun", owner=owner, repo=repo, run_id=run_id)


@tools.writes
async def rerun_failed_jobs(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Run the failed jobs of a workflow run again."""
    return await call(f"POST {RUN}/rerun-failed-jobs", owner=owner, repo=repo, run_id=run_id)


@tools.writes
async def cancel_workflow_run(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Cancel a workflow run."""
    return await call(f"POST {RUN}/cancel", owner=owner, repo=repo, run_id=run_id)


@tools.reads
async def list_notifications(
    call: Caller,
    owner: str | None = None,
    repo: str | None = None,
    filter: Literal["default", "include_read_notifications", "only_participating"] | None = None,
    since: str | None = None,
    before: str | None = None,
    page: Page = 1,
    perPage: PageSize = 30,
) -> Any:
    """List the notifications of the user, on demand of one repository."""
    query: dict[str, Any] = {"since": since, "before": before, "page": page, "per_page": perPage}
    query["all"] = True if filter == "include_read_notifications" else None
    query["participating"] = True if filter == "only_participating" else None
    if owner and repo:
        return await call(f"GET {REPO}/notifications", owner=owner, repo=repo, **query)
    return await call("GET /notifications", **query)
