"""Search: issues, repositories, code, users, commits, labels and topics.

https://docs.github.com/en/rest/search/search
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

from twindiff.kit import Call, Operations, Response, Row, ValueResponse, any_of, not_
from twindiff.kit.rows import Expression, Items, exists

from ..core.access import find_repo, may
from ..core.date_ranges import date_conditions, number_matches, split_range
from ..core.listing import page_links, page_request
from ..core.visibility import visible_to_caller
from ..git.file_projection import LANGUAGES
from ..issues.issues import has_item
from ..tables.issue_tables import Issue, IssueComment, Label, Milestone, PullRequest, Review
from ..tables.repository_tables import Commit, Repository, RepositoryFile
from ..tables.user_tables import User
from ..tables.work_tables import Star
from ..views.commit_views import show_commit
from ..views.issue_views import show_issue, show_label
from ..views.repository_views import html_url, repo_url, show_repo
from ..views.user_views import show_user
from ..wire_style import Unprocessable, invalid
from .search_query import Qualifier, SearchQuery, parse_query, words_in

api = Operations()
R = TypeVar("R", bound=Row)
MAX_RESULTS = 1000
ISSUE_QUALIFIERS = frozenset(
    [
        "repo",
        "user",
        "org",
        "type",
        "is",
        "state",
        "author",
        "assignee",
        "mentions",
        "commenter",
        "involves",
        "label",
        "milestone",
        "no",
        "in",
        "created",
        "updated",
        "closed",
        "merged",
        "comments",
        "base",
        "head",
        "draft",
        "review",
        "reviewed-by",
        "review-requested",
        "reason",
        "language",
        "archived",
        "linked",
        "project",
        "sha",
        "team",
        "interactions",
        "reactions",
        "status",
    ]
)
REPOSITORY_QUALIFIERS = frozenset(
    [
        "repo",
        "user",
        "org",
        "in",
        "stars",
        "forks",
        "size",
        "created",
        "pushed",
        "language",
        "topic",
        "license",
        "is",
        "archived",
        "fork",
        "topics",
        "followers",
        "good-first-issues",
        "help-wanted-issues",
        "mirror",
        "template",
    ]
)
CODE_QUALIFIERS = frozenset(["repo", "user", "org", "in", "language", "path", "filename", "extension", "size", "fork"])
USER_QUALIFIERS = frozenset(["type", "in", "repos", "location", "language", "created", "followers", "user", "org"])
COMMIT_QUALIFIERS = frozenset(
    [
        "repo",
        "user",
        "org",
        "author",
        "committer",
        "author-name",
        "author-email",
        "committer-name",
        "committer-email",
        "author-date",
        "committer-date",
        "merge",
        "hash",
        "parent",
        "tree",
        "is",
    ]
)


def answer(call: Call, table: type[R], where: list[Expression], by: Any, show: Callable[[R], Any]) -> ValueResponse:
    """Return a page of results, of which the first thousand are served."""
    wanted = page_request(call)
    if wanted.offset >= MAX_RESULTS:
        raise Unprocessable("Only the first 1000 search results are available")
    rows = call.db.rows(table, *where, order=by, limit=wanted.size, offset=wanted.offset)
    total = call.db.count(table, *where)
    items = [show(row) for row in rows]
    value = {"total_count": total, "incomplete_results": False, "items": items}
    return ValueResponse(value, headers=page_links(call, min(total, MAX_RESULTS)))


def negate(condition: Expression, qualifier: Qualifier) -> Expression:
    """Return a condition, negated if its qualifier is."""
    return not_(condition) if qualifier.negated else condition


def scope_conditions(call: Call, query: SearchQuery, column: Any) -> list[Expression]:
    """Return the conditions that rows belong to visible repositories in the scope of a query.

    `column` holds the id of the repository. Raises GitHub's 422 if a named repository cannot be seen.
    """
    names = [each for each in query.qualifiers if each.name in ("repo", "user", "org")]
    chosen: list[Expression] = []
    for each in names:
        owner, _, name = each.value.partition("/")
        is_there = Repository.full_name.equals(each.value) if each.name == "repo" else Repository.owner.equals(owner)
        if each.name == "repo" and not each.negated:
            row = call.db.find(Repository, is_there)
            if row is None or not name or not may(call, row, "pull"):
                raise _not_searchable()
        if each.negated:
            continue
        chosen.append(is_there)
    scope: list[Expression] = [visible_to_caller(call)]
    scope += [any_of(*chosen)] if chosen else []
    for each in names:
        if each.negated:
            is_there = (
                Repository.full_name.equals(each.value) if each.name == "repo" else Repository.owner.equals(each.value)
            )
            scope.append(not_(is_there))
    ids = [row[0] for row in call.db.rows(Repository, *scope, columns=(Repository.id,))]
    return [column.in_(ids)]


def _not_searchable() -> Unprocessable:
    text = (
        "The listed users and repositories cannot be searched either because the resources do not exist "
        "or you do not have permission to view them."
    )
    return Unprocessable(
        "Validation Failed", errors=[{"message": text, "resource": "Search", "field": "q", "code": "invalid"}]
    )


def resolve_me(call: Call, login: str) -> str:
    """Return a login of a query as its user writes it, without its `@`; `@me` is the caller."""
    if login == "@me":
        return call.actor
    user = call.db.find(User, User.login.equals(login.removeprefix("@")))
    return user.login if user else login.removeprefix("@")


def _pull_condition(*where: Expression) -> Expression:
    return exists(PullRequest, PullRequest.issue_id == Issue.id, *where)


def _is_condition(value: str) -> Expression:
    """Return the condition of `is:`, `type:` and `state:`."""
    conditions: dict[str, Expression] = {
        "issue": ~Issue.is_pull_request,
        "pr": Issue.is_pull_request.is_true,
        "pull-request": Issue.is_pull_request.is_true,
        "open": Issue.state == "open",
        "closed": Issue.state == "closed",
        "merged": _pull_condition(PullRequest.merged),
        "unmerged": _pull_condition(~PullRequest.merged),
        "draft": _pull_condition(PullRequest.draft),
        "locked": Issue.locked.is_true,
        "unlocked": ~Issue.locked,
        "public": exists(Repository, Repository.id == Issue.repository_id, ~Repository.private),
        "private": exists(Repository, Repository.id == Issue.repository_id, Repository.private),
    }
    return conditions.get(value.lower(), Issue.type.equals(value))


def _involves(call: Call, login: str) -> Expression:
    commented = exists(IssueComment, IssueComment.issue_id == Issue.id, IssueComment.user == login)
    mentioned = Issue.body.contains(f"@{login}", fold=True)
    return any_of(Issue.user == login, has_item(Issue.assignees, login), mentioned, commented)


def _review_condition(value: str) -> Expression:
    def has_review(state: str) -> Expression:
        return exists(Review, Review.pull_request_id == PullRequest.id, Review.state == state)

    changes, approved = has_review("CHANGES_REQUESTED"), has_review("APPROVED")
    return {
        "approved": _pull_condition(approved),
        "changes_requested": _pull_condition(changes),
        "none": _pull_condition(
            not_(exists(Review, Review.pull_request_id == PullRequest.id, Review.state != "PENDING"))
        ),
    }.get(value, _pull_condition(not_(approved)))


def _no_condition(value: str) -> Expression:
    return {
        "label": not_(exists(Items(Issue.labels))),
        "assignee": not_(exists(Items(Issue.assignees))),
        "milestone": Issue.milestone_id.is_null(),
    }.get(value, Issue.id < 0)


def issue_conditions(call: Call, qualifier: Qualifier) -> list[Expression]:
    """Return the conditions of one qualifier of issues; none for one that has no effect here."""
    value, login = qualifier.value, resolve_me(call, qualifier.value)
    simple: dict[str, Callable[[], Expression]] = {
        "is": lambda: _is_condition(value),
        "type": lambda: _is_condition(value),
        "state": lambda: _is_condition(value),
        "author": lambda: Issue.user == login,
        "assignee": lambda: has_item(Issue.assignees, login),
        "mentions": lambda: Issue.body.contains(f"@{login}", fold=True),
        "commenter": lambda: exists(IssueComment, IssueComment.issue_id == Issue.id, IssueComment.user == login),
        "involves": lambda: _involves(call, login),
        "label": lambda: any_of(*(has_item(Issue.labels, name.strip('"')) for name in value.split(","))),
        "milestone": lambda: exists(Milestone, Milestone.id == Issue.milestone_id, Milestone.title.equals(value)),
        "no": lambda: _no_condition(value),
        "base": lambda: _pull_condition(PullRequest.base_ref == value),
        "head": lambda: _pull_condition(PullRequest.head_ref == value),
        "draft": lambda: _pull_condition(PullRequest.draft == (value == "true")),
        "sha": lambda: _pull_condition(PullRequest.head_sha.starts(value)),
        "review": lambda: _review_condition(value),
        "reviewed-by": lambda: _pull_condition(
            exists(Review, Review.pull_request_id == PullRequest.id, Review.user == login)
        ),
        "review-requested": lambda: _pull_condition(has_item(PullRequest.requested_reviewers, login)),
        "reason": lambda: Issue.state_reason == value.replace(" ", "_"),
    }
    if qualifier.name in simple:
        return [negate(simple[qualifier.name](), qualifier)]
    columns = {"created": Issue.created_at, "updated": Issue.updated_at, "closed": Issue.closed_at}
    if qualifier.name in columns:
        return [negate(each, qualifier) for each in date_conditions(columns[qualifier.name], value)]
    if qualifier.name == "merged":
        return [negate(_pull_condition(*date_conditions(PullRequest.merged_at, value)), qualifier)]
    if qualifier.name == "comments":
        return number_conditions(Issue.comments, value)
    return []


def number_conditions(column: Any, text: str) -> list[Expression]:
    """Return the conditions of a range of numbers on a column."""
    operator, low, high = split_range(text)
    number_matches(0, text)
    if operator == "..":
        first: list[Expression] = [] if low in ("", "*") else [column >= int(low)]
        return first + ([] if high in ("", "*") else [column <= int(high)])
    value = int(low)
    return [
        {">=": column >= value, ">": column > value, "<": column < value, "<=": column <= value, "=": column == value}[
            operator
        ]
    ]


@api.get("/search/issues")
def search_issues(call: Call, q: str = "", sort: str = "", order: str = "desc") -> Any:
    """Search issues and pull requests by title, body and comments."""
    query = parse_query(q, ISSUE_QUALIFIERS)
    where = scope_conditions(call, query, Issue.repository_id)
    for qualifier in query.qualifiers:
        where += issue_conditions(call, qualifier)
    places = [place for value in query.values("in") for place in value.split(",")]
    columns = [
        column for name, column in (("title", Issue.title), ("body", Issue.body)) if not places or name in places
    ]
    where += words_in(columns, query.words) if columns else []
    where += [not_(each) for each in words_in([Issue.title, Issue.body], query.excluded)]
    column = {"updated": Issue.updated_at, "comments": Issue.comments}.get(sort, Issue.created_at)
    by = (column, Issue.id) if order == "asc" else (-column, -Issue.id)

    def show(issue: Issue) -> dict[str, Any]:
        repo = call.db.get(Repository, issue.repository_id)
        return show_issue(call, repo, issue, in_list=True) | {"score": 1.0}

    answered = answer(call, Issue, where, by, show)
    return answered._replace(value={**answered.value, "search_type": "lexical"})


def _repository_conditions(call: Call, qualifier: Qualifier) -> list[Expression]:
    value = qualifier.value
    simple: dict[str, Callable[[], Expression]] = {
        "user": lambda: Repository.owner == resolve_me(call, value),
        "org": lambda: Repository.owner.equals(value),
        "repo": lambda: Repository.full_name.equals(value),
        "language": lambda: Repository.language.equals(value),
        "topic": lambda: has_item(Repository.topics, value.lower()),
        "license": lambda: Repository.license.equals(value),
        "archived": lambda: Repository.archived == (value == "true"),
        "template": lambda: Repository.is_template == (value == "true"),
        "is": lambda: Repository.private == (value == "private"),
        "fork": lambda: Repository.id > 0 if value in ("true", "only") else Repository.parent_id.is_null(),
    }
    if qualifier.name in simple:
        return [negate(simple[qualifier.name](), qualifier)]
    if qualifier.name in ("created", "pushed"):
        column = Repository.created_at if qualifier.name == "created" else Repository.pushed_at
        return date_conditions(column, value)
    if qualifier.name == "size":
        return number_conditions(Repository.size, value)
    if qualifier.name in ("stars", "forks"):
        ids = [
            row[0]
            for row in call.db.rows(Repository, columns=(Repository.id,))
            if number_matches(_count(call, qualifier.name, row[0]), value)
        ]
        return [Repository.id.in_(ids)]
    return []


def _count(call: Call, what: str, repo_id: int) -> int:
    if what == "stars":
        return call.db.count(Star, Star.repository_id == repo_id)
    return call.db.count(Repository, Repository.parent_id == repo_id)


@api.get("/search/repositories")
def search_repositories(call: Call, q: str = "", sort: str = "", order: str = "desc") -> Any:
    """Search repositories by name and description."""
    query = parse_query(q, REPOSITORY_QUALIFIERS)
    where: list[Expression] = [visible_to_caller(call)]
    if not query.values("fork"):
        where.append(Repository.parent_id.is_null())
    for qualifier in query.qualifiers:
        where += _repository_conditions(call, qualifier)
    places = [place for value in query.values("in") for place in value.split(",")] or ["name", "description"]
    for word in query.words:
        parts: list[Expression] = []
        if "name" in places:
            parts.append(Repository.full_name.contains(word, fold=True))
        if "description" in places:
            parts += words_in([Repository.description], [word])
        if "topics" in places or places == ["name", "description"]:
            parts.append(has_item(Repository.topics, word.lower()))
        where.append(any_of(*parts))
    by: Any = {"updated": -Repository.updated_at}.get(sort, Repository.id)
    by = Repository.updated_at if sort == "updated" and order == "asc" else by
    if sort not in ("stars", "forks"):
        return answer(call, Repository, where, by, lambda repo: show_repo(call, repo) | {"score": 1.0})
    rows = call.db.rows(Repository, *where, columns=(Repository.id,))
    ranked = sorted(((_count(call, sort, row[0]), row[0]) for row in rows), reverse=order != "asc")
    wanted = page_request(call)
    part = [call.db.get(Repository, number) for _, number in ranked[wanted.offset : wanted.offset + wanted.size]]
    items = [show_repo(call, repo) | {"score": 1.0} for repo in part]
    value = {"total_count": len(ranked), "incomplete_results": False, "items": items}
    return ValueResponse(value, headers=page_links(call, len(ranked)))


def _code_conditions(qualifier: Qualifier) -> list[Expression]:
    value, path = qualifier.value, RepositoryFile.path
    if qualifier.name == "path":
        bare = value.strip("/")
        is_there: Expression = path.starts(f"{bare}/") if not value.startswith("*") else path.contains(value.strip("*"))
        return [negate(any_of(is_there, path.contains(f"/{bare}"), path == bare), qualifier)]
    if qualifier.name == "filename":
        return [
            negate(any_of(path == value, path.ends(f"/{value}", fold=True), path.contains(value, fold=True)), qualifier)
        ]
    if qualifier.name == "extension":
        return [negate(path.ends(f".{value.lstrip('.')}", fold=True), qualifier)]
    if qualifier.name == "language":
        endings = [key for key, language in LANGUAGES.items() if language.lower() == value.lower()]
        return [negate(any_of(*(path.ends(f".{ending}") for ending in endings)), qualifier)]
    return number_conditions(RepositoryFile.size, value) if qualifier.name == "size" else []


@api.get("/search/code")
def search_code(call: Call, q: str = "", sort: str = "", order: str = "desc") -> Any:
    """Search the files of default branches by their words."""
    for name in ("per_page", "page"):
        if not str(call.memo.get("query", {}).get(name, "0")).isdecimal():
            text = f"Failed to deserialize query string: {name}: invalid digit found in string"
            return Response(text.encode(), 400, "text/plain; charset=utf-8")
    query = parse_query(q, CODE_QUALIFIERS)
    if not query.words and not query.values("filename") and not query.values("extension") and not query.values("path"):
        raise invalid("Search", "q", "invalid", "ERROR_TYPE_QUERY_PARSING_FATAL unable to parse query!")
    where = scope_conditions(call, query, RepositoryFile.repository_id)
    for qualifier in query.qualifiers:
        where += _code_conditions(qualifier)
    places = [place for value in query.values("in") for place in value.split(",")] or ["file"]
    columns = [
        column for name, column in (("file", RepositoryFile.content), ("path", RepositoryFile.path)) if name in places
    ]
    where += words_in(columns, query.words) if columns else []
    where += [not_(each) for each in words_in([RepositoryFile.content], query.excluded)]
    with_matches = "text-match" in str(call.memo.get("accept"))
    return answer(
        call,
        RepositoryFile,
        where,
        (RepositoryFile.repository_id, RepositoryFile.path),
        lambda file: _show_file(call, file, query.words if with_matches else []),
    )


def _show_file(call: Call, file: RepositoryFile, words: list[str]) -> dict[str, Any]:
    repo = call.db.get(Repository, file.repository_id)
    url, path = repo_url(call, repo), quote(file.path)
    shown: dict[str, Any] = {
        "name": file.path.rpartition("/")[2],
        "path": file.path,
        "sha": file.sha,
        "url": f"{url}/contents/{path}?ref={repo.default_branch}",
        "git_url": f"{url}/git/blobs/{file.sha}",
        "html_url": f"{html_url(call, repo)}/blob/{repo.default_branch}/{path}",
        "repository": show_repo(call, repo),
        "score": 1.0,
    }
    if words and file.content:
        shown["text_matches"] = _matches(shown["url"], file.content, words)
    return shown


def _matches(url: str, text: str, words: list[str]) -> list[dict[str, Any]]:
    """Return the first place of each word, with the text around it."""
    matches: list[dict[str, Any]] = []
    for word in words:
        at = text.lower().find(word.lower())
        if at < 0:
            continue
        start = max(0, at - 60)
        fragment = text[start : at + 60]
        indices = [at - start, at - start + len(word)]
        about = {"object_url": url, "object_type": "FileContent", "property": "content", "fragment": fragment}
        matches.append({**about, "matches": [{"text": text[at : at + len(word)], "indices": indices}]})
    return matches


@api.get("/search/users")
def search_users(call: Call, q: str = "", sort: str = "", order: str = "desc") -> Any:
    """Search users and organizations by login, name and email address."""
    query = parse_query(q, USER_QUALIFIERS)
    where: list[Expression] = []
    for qualifier in query.qualifiers:
        value = qualifier.value
        if qualifier.name == "type":
            where.append(User.type == ("Organization" if value.lower() in ("org", "organization") else "User"))
        elif qualifier.name in ("user", "org"):
            where.append(User.login.equals(value))
        elif qualifier.name == "location":
            where.append(User.location.contains(value, fold=True))
        elif qualifier.name == "created":
            where += date_conditions(User.created_at, value)
        elif qualifier.name == "repos":
            counts = {
                login: call.db.count(Repository, Repository.owner == login)
                for (login,) in call.db.rows(User, columns=(User.login,))
            }
            where.append(User.login.in_([login for login, count in counts.items() if number_matches(count, value)]))
    places = [place for value in query.values("in") for place in value.split(",")] or ["login", "name", "email"]
    columns = {"login": User.login, "name": User.name, "email": User.email}
    chosen = [columns[name] for name in places if name in columns]
    where += [any_of(*(column.contains(word, fold=True) for column in chosen)) for word in query.words]
    by = User.created_at if sort == "joined" and order == "asc" else -User.created_at if sort == "joined" else User.id
    return answer(call, User, where, by, lambda user: show_user(call, user) | {"score": 1.0})


def _commit_conditions(qualifier: Qualifier) -> list[Expression]:
    value = qualifier.value
    simple: dict[str, Callable[[], Expression]] = {
        "author": lambda: Commit.author.equals(value),
        "committer": lambda: Commit.committer.equals(value),
        "author-name": lambda: Commit.author_name.contains(value, fold=True),
        "committer-name": lambda: Commit.committer_name.contains(value, fold=True),
        "author-email": lambda: Commit.author_email.equals(value),
        "committer-email": lambda: Commit.committer_email.equals(value),
        "hash": lambda: Commit.sha.starts(value),
        "tree": lambda: Commit.tree_sha == value,
        "parent": lambda: has_item(Commit.parents, value),
        "merge": lambda: Commit.message.starts("Merge ") if value == "true" else not_(Commit.message.starts("Merge ")),
    }
    if qualifier.name in simple:
        return [negate(simple[qualifier.name](), qualifier)]
    columns = {"author-date": Commit.author_date, "committer-date": Commit.committed_at}
    return date_conditions(columns[qualifier.name], value) if qualifier.name in columns else []


@api.get("/search/commits")
def search_commits(call: Call, q: str = "", sort: str = "", order: str = "desc") -> Any:
    """Search commits by their messages."""
    query = parse_query(q, COMMIT_QUALIFIERS)
    where = scope_conditions(call, query, Commit.repository_id)
    for qualifier in query.qualifiers:
        where += _commit_conditions(qualifier)
    where += words_in([Commit.message], query.words)
    column = Commit.author_date if sort == "author-date" else Commit.committed_at
    by = (column, Commit.sha) if order == "asc" else (-column, Commit.sha)

    def show(commit: Commit) -> dict[str, Any]:
        repo = call.db.get(Repository, commit.repository_id)
        return show_commit(call, repo, commit) | {"repository": show_repo(call, repo), "score": 1.0}

    return answer(call, Commit, where, by, show)


@api.get("/search/labels")
def search_labels(call: Call, repository_id: int, q: str = "") -> Any:
    """Search the labels of a repository by name and description."""
    repo = find_repo(call, ":id", str(repository_id))
    where: list[Expression] = [Label.repository_id == repo.id]
    words = parse_query(q, frozenset()).words
    where += [any_of(*(each.contains(word, fold=True) for each in (Label.name, Label.description))) for word in words]
    return answer(call, Label, where, Label.name, lambda label: show_label(call, repo, label) | {"score": 1.0})


@api.get("/search/topics")
def search_topics(call: Call, q: str = "") -> Any:
    """Search the topics of visible repositories."""
    words = parse_query(q, frozenset()).words
    rows = call.db.rows(Repository, visible_to_caller(call))
    names = sorted({topic for row in rows for topic in row.topics if any(word.lower() in topic for word in words)})
    times = {"created_at": "2016-01-01T00:00:00Z", "updated_at": "2016-01-01T00:00:00Z"}
    texts: dict[str, Any] = {"display_name": None, "short_description": None, "description": None, "created_by": None}
    flags: dict[str, Any] = {"released": None, "featured": False, "curated": False, "score": 1.0}
    items = [{"name": name, **texts, **times, **flags} for name in names]
    return {"total_count": len(items), "incomplete_results": False, "items": items}
