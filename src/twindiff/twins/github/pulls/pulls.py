"""Pull requests: list, make, change, files, commits, reviewers.

https://docs.github.com/en/rest/pulls/pulls
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Response, Struct, UnsetType, field
from twindiff.kit.rows import Expression, exists

from ..core.access import find_issue, find_pull, find_repo, issue_of, may
from ..core.listing import paginate, slice_page
from ..core.stamps import new_id
from ..core.visibility import assignable_logins
from ..event_delivery.announcements import announce
from ..git.commit_objects import signature_of, write_commit
from ..git.diffs import write_diff
from ..git.histories import diverge
from ..git.patches import write_patch
from ..git.pull_commits import changes_of_pull, commits_of, divergence_of
from ..git.pull_mergeability import try_merge
from ..git.refs import HEADS, find_ref
from ..issues.issue_changes import (
    change_state,
    check_author_or_triage,
    check_text,
    note_event,
    notify,
)
from ..issues.issues import add_issue, edit_texts
from ..pushes.head_tracking import branch_key, change_base, open_pulls, set_pull_ref
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import Repository
from ..tables.user_tables import Team
from ..views.commit_views import show_change, show_commit
from ..views.pull_views import head_repository, show_full_pull, show_pull
from ..views.user_views import show_team, users_of
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid
from ..workflows.triggers import trigger_workflows

api = Operations()
MAX_FILES = 3000


class PullBody(Struct):
    """A pull request to make or to change."""

    title: str | UnsetType = UNSET
    body: str | UnsetType | None = UNSET
    head: str | UnsetType = UNSET
    head_repo: str | None = None
    base: str | UnsetType = UNSET
    state: Literal["open", "closed"] | UnsetType = UNSET
    draft: bool = False
    maintainer_can_modify: bool | UnsetType = UNSET
    issue: int | None = None


@api.get("/repos/{owner}/{repo}/pulls")
def list_pulls(
    call: Call,
    owner: str,
    repo: str,
    state: str = "open",
    head: str = "",
    base: str = "",
    sort: str = "created",
    direction: str = "",
) -> Any:
    """List the pull requests of a repository, newest first."""
    row = find_repo(call, owner, repo)
    if state not in ("open", "closed", "all"):
        raise invalid("PullRequest", "state", value=state)
    where: list[Expression] = [PullRequest.repository_id == row.id]
    if state != "all":
        where.append(exists(Issue, Issue.id == PullRequest.issue_id, Issue.state == state))
    if base:
        where.append(PullRequest.base_ref == base)
    if ":" in head:
        login, _, branch = head.partition(":")
        where += [PullRequest.head_ref == branch, PullRequest.head_owner.equals(login)]
    column: Any = PullRequest.issue_id.to(Issue.updated_at) if sort == "updated" else PullRequest.id
    by = column if direction == "asc" or (sort != "created" and not direction) else -column
    if sort == "updated":
        rows = call.db.rows(PullRequest, *where, order=by)
        return slice_page(call, rows, lambda pull: show_pull(call, row, pull))
    return paginate(call, PullRequest, *where, by=by, show=lambda pull: show_pull(call, row, pull))


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}")
def get_pull(call: Call, owner: str, repo: str, pull_number: int) -> Any:
    """Get a pull request; the media types `diff` and `patch` give texts."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    accept = str(call.memo.get("accept", ""))
    if ".diff" in accept:
        text = write_diff(changes_of_pull(call, row, pull))
        return Response(text.encode(), 200, "application/vnd.github.diff; charset=utf-8")
    if ".patch" in accept:
        text = "".join(write_patch(call, row, commit) for commit in commits_of(call, row, pull))
        return Response(text.encode(), 200, "application/vnd.github.patch; charset=utf-8")
    return show_full_pull(call, row, pull)


def _find_head(call: Call, repo: Repository, body: PullBody) -> tuple[Repository, str, str]:
    """Return the repository, the branch and the commit of a head; raise GitHub's 422 for an unknown one."""
    login, colon, branch = str(body.head).rpartition(":")
    source: Repository | None = repo
    if body.head_repo:
        name = body.head_repo if "/" in body.head_repo else f"{login or repo.owner}/{body.head_repo}"
        source = call.db.find(Repository, Repository.full_name.equals(name))
    elif colon and login.lower() != repo.owner.lower():
        where = (Repository.network_id == repo.network_id, Repository.owner.equals(login))
        source = call.db.find(Repository, *where)
    if source is None or source.network_id != repo.network_id or not may(call, source, "pull"):
        raise invalid("PullRequest", "head")
    ref = find_ref(call, source, HEADS + branch)
    if ref is None:
        raise invalid("PullRequest", "head")
    return source, branch, ref.sha


@api.post("/repos/{owner}/{repo}/pulls", status=201)
def create_pull(call: Call, owner: str, repo: str, body: Annotated[PullBody, Body]) -> Any:
    """Make a pull request, or turn an issue into one."""
    row = find_repo(call, owner, repo)
    for name in ("head", "base"):
        if getattr(body, name) is UNSET:
            raise Unprocessable(f'Invalid request.\n\n"{name}" wasn\'t supplied.')
    pull = open_pull(call, row, body)
    return show_full_pull(call, call.db.get(Repository, row.id), pull)


def open_pull(call: Call, row: Repository, body: PullBody) -> PullRequest:
    """Add a pull request with what follows from it; raise GitHub's 422 for one that cannot be."""
    if body.issue is None:
        check_text("PullRequest", None if body.title is UNSET else body.title, body.body)
    if row.archived:
        raise Forbidden("Repository was archived so is read-only.")
    base_name = str(body.base).removeprefix(HEADS)
    base = find_ref(call, row, HEADS + base_name)
    if base is None:
        raise invalid("PullRequest", "base")
    source, branch, sha = _find_head(call, row, body)
    _check_new(call, row, source, branch, (base_name, base.sha, sha))
    if body.issue is None:
        text = None if body.body is UNSET else body.body
        issue = add_issue(call, row, title=str(body.title), body=text, is_pull_request=True)
    else:
        issue = call.db.change(find_issue(call, row, body.issue), is_pull_request=True)
    pull = add_pull(call, row, issue, (source, branch, sha), (base_name, base.sha), body)
    set_pull_ref(call, row, pull)
    announce_pull(call, row, pull, "opened")
    trigger_workflows(call, row, "pull_request", sha, pull=pull, action="opened")
    return pull


def add_pull(
    call: Call,
    repo: Repository,
    issue: Issue,
    head: tuple[Repository, str, str],
    base: tuple[str, str],
    body: PullBody,
) -> PullRequest:
    """Add the row of a pull request; a head is a repository, a branch and a commit, a base a branch and a commit."""
    source, branch, sha = head
    pull = PullRequest(
        id=new_id(call),
        issue_id=issue.id,
        repository_id=repo.id,
        number=issue.number,
        head_repository_id=source.id,
        head_ref=branch,
        head_sha=sha,
        head_owner=source.owner,
        base_ref=base[0],
        base_sha=base[1],
        draft=body.draft,
        maintainer_can_modify=body.maintainer_can_modify is True and source.id != repo.id,
        base_repository_ref=branch_key(repo.id, base[0]),
        head_repository_ref=branch_key(source.id, branch),
    )
    return call.db.add(pull)


def announce_pull(call: Call, repo: Repository, pull: PullRequest, action: str, **more: Any) -> None:
    """Announce a change of a pull request."""
    shown = show_pull(call, repo, pull)
    announce(call, repo, "pull_request", {"action": action, "number": pull.number, "pull_request": shown, **more})


def _check_new(call: Call, repo: Repository, source: Repository, branch: str, sides: tuple[str, str, str]) -> None:
    """Raise GitHub's 422 if there is such a pull request, or nothing to merge."""
    base_name, base_sha, head_sha = sides
    where = (
        PullRequest.head_repository_ref == branch_key(source.id, branch),
        PullRequest.base_repository_ref == branch_key(repo.id, base_name),
    )
    if open_pulls(call, *where):
        text = f"A pull request already exists for {source.owner}:{branch}."
        raise invalid("PullRequest", "", "custom", text)
    if source.id == repo.id and branch == base_name:
        raise invalid("PullRequest", "", "custom", f"No commits between {base_name} and {branch}")
    relation = diverge(call, repo.network_id, head_sha, base_sha)
    if relation.merge_base is None:
        raise invalid("PullRequest", "", "custom", f"The {branch} branch has no history in common with {base_name}")
    if not relation.ours:
        raise invalid("PullRequest", "", "custom", f"No commits between {base_name} and {branch}")


@api.patch("/repos/{owner}/{repo}/pulls/{pull_number}")
def update_pull(call: Call, owner: str, repo: str, pull_number: int, body: Annotated[PullBody, Body]) -> Any:
    """Change a pull request: its title, body, state or base."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    issue = issue_of(call, pull)
    check_author_or_triage(call, row, issue)
    check_text("PullRequest", body.title, body.body)
    issue = edit_texts(call, row, issue, body.title, body.body)
    if body.base is not UNSET and body.base != pull.base_ref:
        ref = find_ref(call, row, HEADS + str(body.base))
        if ref is None:
            raise invalid("PullRequest", "base")
        pull = change_base(call, row, pull, issue, ref)
    if body.maintainer_can_modify is not UNSET:
        pull = call.db.change(pull, maintainer_can_modify=body.maintainer_can_modify)
    if body.state is not UNSET and body.state != issue.state:
        if body.state == "open":
            pull = _check_reopening(call, row, pull)
        change_state(call, row, issue, body.state)
        announce_pull(call, row, pull, "closed" if body.state == "closed" else "reopened")
        if body.state == "open":
            trigger_workflows(call, row, "pull_request", pull.head_sha, pull=pull, action="reopened")
    elif body.title is not UNSET or body.body is not UNSET:
        announce_pull(call, row, pull, "edited")
    return show_full_pull(call, row, pull)


def _check_reopening(call: Call, repo: Repository, pull: PullRequest) -> PullRequest:
    """Return the row of a pull request that can be reopened, with its branches as they are now."""
    source = head_repository(call, pull)
    head = find_ref(call, source, HEADS + pull.head_ref) if source else None
    base = find_ref(call, repo, HEADS + pull.base_ref)
    if pull.merged:
        raise invalid("PullRequest", "state", "custom", "state cannot be changed. The pull request cannot be reopened.")
    if head is None or base is None:
        raise invalid(
            "PullRequest", "state", "custom", f"state cannot be changed. The {pull.head_ref} branch has been deleted."
        )
    return call.db.change(pull, head_sha=head.sha, base_sha=base.sha)


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/files")
def list_files(call: Call, owner: str, repo: str, pull_number: int) -> Any:
    """List the files that a pull request changes."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    changes = changes_of_pull(call, row, pull)[:MAX_FILES]
    return slice_page(call, changes, lambda each: show_change(call, row, pull.head_sha, each))


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/commits")
def list_pull_commits(call: Call, owner: str, repo: str, pull_number: int) -> Any:
    """List the commits of a pull request, oldest first."""
    row = find_repo(call, owner, repo)
    commits = commits_of(call, row, find_pull(call, row, pull_number))
    return slice_page(call, commits, lambda commit: show_commit(call, row, commit))


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers")
def list_requested_reviewers(call: Call, owner: str, repo: str, pull_number: int) -> Any:
    """List the users and teams whose review is requested."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    teams = call.db.rows(Team, Team.org == row.owner, Team.slug.in_(pull.requested_teams))
    return {"users": users_of(call, pull.requested_reviewers), "teams": [show_team(call, team) for team in teams]}


class ReviewersBody(Struct):
    """The users and teams to ask for a review, or to ask no more."""

    reviewers: list[str] = field(default_factory=list[str])
    team_reviewers: list[str] = field(default_factory=list[str])


@api.post("/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", status=201)
def request_reviewers(call: Call, owner: str, repo: str, pull_number: int, body: Annotated[ReviewersBody, Body]) -> Any:
    """Ask users and teams for a review."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    issue = issue_of(call, pull)
    if issue.user.lower() in [login.lower() for login in body.reviewers]:
        raise Unprocessable("Review cannot be requested from pull request author.")
    known = {login.lower(): login for login in assignable_logins(call, row)}
    slugs = {team.slug for team in call.db.rows(Team, Team.org == row.owner)}
    if any(login.lower() not in known for login in body.reviewers) or not slugs.issuperset(body.team_reviewers):
        rest = f"is not a collaborator of the {row.full_name} repository."
        text = "Reviews may only be requested from collaborators. One or more of the users or teams you specified"
        raise Unprocessable(f"{text} {rest}")
    logins = [known[login.lower()] for login in body.reviewers]
    added = [login for login in logins if login not in pull.requested_reviewers]
    pull = call.db.change(
        pull,
        requested_reviewers=[*pull.requested_reviewers, *dict.fromkeys(added)],
        requested_teams=list(dict.fromkeys([*pull.requested_teams, *body.team_reviewers])),
    )
    for login in added:
        note_event(call, issue, "review_requested", review_requester=call.actor, requested_reviewer=login)
    notify(call, row, issue, dict.fromkeys(added, "review_requested"))
    call.db.change(issue, updated_at=call.clock.iso())
    announce_pull(call, row, pull, "review_requested")
    return show_pull(call, row, pull)


@api.delete("/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers")
def remove_reviewers(call: Call, owner: str, repo: str, pull_number: int, body: Annotated[ReviewersBody, Body]) -> Any:
    """Withdraw requests for reviews."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    gone = {login.lower() for login in body.reviewers}
    pull = call.db.change(
        pull,
        requested_reviewers=[login for login in pull.requested_reviewers if login.lower() not in gone],
        requested_teams=[slug for slug in pull.requested_teams if slug not in body.team_reviewers],
    )
    announce_pull(call, row, pull, "review_request_removed")
    return show_pull(call, row, pull)


class UpdateBranchBody(Struct):
    """The head that the client has seen."""

    expected_head_sha: str | None = None


@api.put("/repos/{owner}/{repo}/pulls/{pull_number}/update-branch", status=202)
def update_branch(call: Call, owner: str, repo: str, pull_number: int, body: Annotated[UpdateBranchBody, Body]) -> Any:
    """Merge the base into the head branch, at once."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    source = head_repository(call, pull)
    if source is None:
        raise NotVisible
    if not may(call, source, "push") and not (pull.maintainer_can_modify and may(call, row, "push")):
        raise Forbidden("Must have push access to Repository.")
    if body.expected_head_sha and body.expected_head_sha != pull.head_sha:
        raise Unprocessable("expected_head_sha does not match the head of the pull request")
    if not divergence_of(call, row, pull).theirs:
        raise Unprocessable("There are no new commits on the base branch.")
    merged = try_merge(call, row, pull, writes=True)
    if merged.conflicts:
        raise Unprocessable("merge conflict between base and head")
    message = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    parents = [pull.head_sha, pull.base_sha]
    commit = write_commit(call, source, merged.tree, parents, message, signature_of(call, None))
    move_ref(call, source, HEADS + pull.head_ref, commit.sha)
    url = f"{call.base_url}/repos/{row.full_name}/pulls/{pull.number}"
    return {"message": "Updating pull request branch.", "url": url}
