"""Search: finds rows in which all words occur, in titles, texts, identifiers and, on request, comments.

https://linear.app/docs/search
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, all_of, any_of, exists
from twindiff.kit.errors import ApiError
from twindiff.kit.graphql import ConnectionRows, Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Expression

from ..model.associations import ProjectTeam
from ..model.attachments import Attachment
from ..model.comments import Comment
from ..model.documents import Document
from ..model.issues import Issue
from ..model.projects import Project

api = Section()

_PAGING = (
    "after: String, before: String, {filter}first: Int, includeArchived: Boolean, includeComments: Boolean, "
    "last: Int, orderBy: PaginationOrderBy, teamId: String, term: String!"
)


def words_of(term: str) -> list[str]:
    """Return the words of a search term; raise InvalidInput if there are none."""
    words = term.split()
    if not words:
        raise InvalidInput("term: there is nothing to search for.")
    return words[:20]


def _in_issue(word: str, *, comments: bool) -> Expression:
    issue, comment = Issue.row, Comment.row
    places: list[Expression] = [
        issue.title.contains(word, fold=True),
        issue.description.contains(word, fold=True),
        issue.identifier.contains(word, fold=True),
    ]
    if comments:
        said = comment.body.contains(word, fold=True)
        places.append(exists(comment, comment.issueId == issue.id, comment.archivedAt.is_null(), said))
    return any_of(*places)


@api.query(f"searchIssues({_PAGING.format(filter='filter: IssueFilter, ')}): IssueSearchPayload!")
def search_issues(
    call: Call,
    term: str,
    filter: dict[str, Any] | None = None,
    include_comments: bool | None = None,
    team_id: str | None = None,
    **paging: Any,
) -> ConnectionRows:
    """Find issues in which every word occurs."""
    where = [_in_issue(word, comments=bool(include_comments)) for word in words_of(term)]
    where += entity_operations.matching(call, Issue, filter or {})
    if team_id:
        where.append(Issue.row.teamId == team_id)
    return ConnectionRows(Issue, tuple(where))


@api.query(f"searchProjects({_PAGING.format(filter='')}): ProjectSearchPayload!")
def search_projects(
    call: Call, term: str, include_comments: bool | None = None, team_id: str | None = None, **paging: Any
) -> ConnectionRows:
    """Find projects in which every word occurs."""
    project, comment, link = Project.row, Comment.row, ProjectTeam
    where: list[Expression] = []
    for word in words_of(term):
        places: list[Expression] = [
            column.contains(word, fold=True) for column in (project.name, project.description, project.content)
        ]
        if include_comments:
            places.append(exists(comment, comment.projectId == project.id, comment.body.contains(word, fold=True)))
        where.append(any_of(*places))
    if team_id:
        where.append(exists(link, link.project_id == project.id, link.team_id == team_id))
    return ConnectionRows(Project, tuple(where))


@api.query(f"searchDocuments({_PAGING.format(filter='')}): DocumentSearchPayload!")
def search_documents(
    call: Call, term: str, include_comments: bool | None = None, team_id: str | None = None, **paging: Any
) -> ConnectionRows:
    """Find documents in which every word occurs."""
    row = Document.row
    where = [
        any_of(row.title.contains(word, fold=True), row.content.contains(word, fold=True)) for word in words_of(term)
    ]
    return ConnectionRows(Document, (all_of(*where), *((row.teamId == team_id,) if team_id else ())))


_LISTED = (
    "after: String, before: String, {more}first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy"
)


class RetiredQuery(ApiError):
    """deprecated"""


@api.guard("issueSearch")
def refuse_issue_search(call: Call, arguments: dict[str, Any]) -> None:
    """Raise RetiredQuery in strict environments. https://github.com/delucis/github-to-linear/issues/40"""
    if call.strict:
        raise RetiredQuery


@api.query(f"issueSearch({_LISTED.format(more='filter: IssueFilter, ')}, query: String): IssueConnection!")
def issue_search(
    call: Call, query: str | None = None, filter: dict[str, Any] | None = None, **paging: Any
) -> ConnectionRows:
    """Find issues in which every word occurs. `searchIssues` has replaced this query."""
    where = [_in_issue(word, comments=False) for word in query.split()[:20]] if query else []
    return ConnectionRows(Issue, (*where, *entity_operations.matching(call, Issue, filter or {})))


@api.query(f"issueFigmaFileKeySearch({_LISTED.format(more='fileKey: String!, ')}): IssueConnection!")
def issue_figma_file_key_search(call: Call, file_key: str, **paging: Any) -> ConnectionRows:
    """Find issues with an attached Figma file."""
    row = Attachment.row
    linked = exists(row, row.issueId == Issue.row.id, row.archivedAt.is_null(), row.url.contains(file_key))
    return ConnectionRows(Issue, (linked,))
