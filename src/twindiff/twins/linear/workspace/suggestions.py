"""Suggestions that Linear computes with a model. Here they match words, so that results are deterministic.

https://linear.app/docs/search · https://linear.app/docs/filters
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from twindiff.kit import Call, any_of
from twindiff.kit.graphql import Entity, Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Column

from ..core.issue_names import PRIORITIES
from ..model.documents import Document
from ..model.initiatives import Initiative
from ..model.issues import Issue
from ..model.labels import InitiativeLabel, IssueLabel, ProjectLabel
from ..model.projects import Project
from ..model.teams import Team
from ..model.users import User
from ..model.workflows import WorkflowState
from .search import words_of

api = Section()

Given = dict[str, Any]
_WORD = re.compile(r"\w+")
_MAX_SUGGESTIONS = 50
_MAX_TITLE_CHARACTERS = 80


# Search


_SEARCHED: dict[str, tuple[type[Entity], str, tuple[Column[Any], ...]]] = {
    "issue": (Issue, "issues", (Issue.row.title, Issue.row.description, Issue.row.identifier)),
    "project": (Project, "projects", (Project.row.name, Project.row.description, Project.row.content)),
    "initiative": (Initiative, "initiatives", (Initiative.row.name, Initiative.row.description)),
    "document": (Document, "documents", (Document.row.title, Document.row.content)),
}


@api.query(
    "semanticSearch(filters: SemanticSearchFilters, includeArchived: Boolean, maxResults: Int, query: String!, "
    "types: [SemanticSearchResultType!]): SemanticSearchPayload!"
)
def semantic_search(
    call: Call,
    query: str,
    filters: dict[str, Any] | None = None,
    include_archived: bool | None = None,
    max_results: int | None = None,
    types: list[str] | None = None,
) -> dict[str, Any]:
    """Find things in which at least one word occurs, those with most words first. Matches words, not meanings."""
    words = words_of(query)
    scored: list[tuple[int, str, str, Any]] = [
        (_score(row, _SEARCHED[kind][2], words), row.createdAt, kind, row)
        for kind in dict.fromkeys(types or _SEARCHED)
        for row in _with_words(call, kind, words, filters or {}, archived=bool(include_archived))
    ]
    scored.sort(key=lambda each: (each[0], each[1], each[3].id), reverse=True)
    most = _MAX_SUGGESTIONS if max_results is None else max(0, min(max_results, _MAX_SUGGESTIONS))
    results = [{"id": row.id, "type": kind, kind: row} for _, _, kind, row in scored[:most]]
    return {"enabled": True, "results": results}


def _with_words(call: Call, kind: str, words: list[str], filters: dict[str, Any], *, archived: bool) -> list[Any]:
    entity, name, columns = _SEARCHED[kind]
    given: dict[str, Any] = filters.get(name) or {}
    where = (
        entity_operations.matching(call, entity, given)
        if archived
        else entity_operations.filter_visible(call, entity, given)
    )
    some = any_of(*[column.contains(word, fold=True) for column in columns for word in words])
    return call.db.rows(entity.row, *where, some)


def _score(row: Any, columns: tuple[Column[Any], ...], words: list[str]) -> int:
    """Return how many words occur in a row. A word in the title or name counts twice."""
    texts = [(getattr(row, column.name) or "").casefold() for column in columns]
    return sum((2 if word.casefold() in texts[0] else 1) for word in words if any(word.casefold() in t for t in texts))


# Filters for a prompt


_MINE = {"me", "my", "mine"}
_PRIORITY = {name.casefold(): float(value) for value, name in enumerate(PRIORITIES) if value}


def _find_mentioned_names(call: Call, prompt: str, column: Column[Any]) -> list[str]:
    """Return the names in a column that occur in a prompt as whole words, in their original spelling."""
    said = f" {' '.join(_WORD.findall(prompt.casefold()))} "
    names = {name for (name,) in call.db.rows(column.table, columns=(column,)) if name}
    return sorted(name for name in names if f" {' '.join(_WORD.findall(name.casefold()))} " in said)


def _any(path: Iterable[str], names: list[Any]) -> list[dict[str, Any]]:
    """Build a filter for one of `names`, at a path such as `assignee name`; an empty list without names."""
    if not names:
        return []
    inner: dict[str, Any] = {"in": names}
    for part in reversed([*path]):
        inner = {part: inner}
    return [inner]


def _build_suggestion(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """Build the payload of a suggestion. Its filter is empty if nothing in the prompt is known."""
    return {"filter": {"and": conditions} if conditions else None, "logId": None}


def _mine(call: Call, prompt: str, role: str) -> list[dict[str, Any]]:
    said = {*_WORD.findall(prompt.casefold())} & _MINE
    return [{role: {"id": {"eq": call.actor}}}] if said else []


def _team(team_id: str | None, path: tuple[str, ...]) -> list[dict[str, Any]]:
    return _any((*path, "id"), [team_id]) if team_id else []


@api.query("issueFilterSuggestion(projectId: String, prompt: String!, teamId: String): IssueFilterSuggestionPayload!")
def issue_filter_suggestion(
    call: Call, prompt: str, project_id: str | None = None, team_id: str | None = None
) -> dict[str, Any]:
    """Suggest a filter for the states, labels, users, teams, projects and priorities in a prompt."""
    said = {*_WORD.findall(prompt.casefold())}
    within = _any(("project", "id"), [project_id]) if project_id else []
    conditions = [
        *_mine(call, prompt, "assignee"),
        *_any(("assignee", "name"), _find_mentioned_names(call, prompt, User.row.name)),
        *_any(("state", "name"), _find_mentioned_names(call, prompt, WorkflowState.row.name)),
        *_any(("labels", "name"), _find_mentioned_names(call, prompt, IssueLabel.row.name)),
        *_any(("team", "name"), _find_mentioned_names(call, prompt, Team.row.name)),
        *_any(("project", "name"), _find_mentioned_names(call, prompt, Project.row.name)),
        *_any(("priority",), [value for name, value in _PRIORITY.items() if name in said]),
    ]
    return _build_suggestion([*conditions, *within, *_team(team_id, ("team",))])


@api.query("projectFilterSuggestion(prompt: String!, teamId: String): ProjectFilterSuggestionPayload!")
def project_filter_suggestion(call: Call, prompt: str, team_id: str | None = None) -> dict[str, Any]:
    """Suggest a filter for the leads, labels and initiatives in a prompt."""
    conditions = [
        *_mine(call, prompt, "lead"),
        *_any(("lead", "name"), _find_mentioned_names(call, prompt, User.row.name)),
        *_any(("labels", "name"), _find_mentioned_names(call, prompt, ProjectLabel.row.name)),
        *_any(("initiatives", "name"), _find_mentioned_names(call, prompt, Initiative.row.name)),
    ]
    return _build_suggestion([*conditions, *_team(team_id, ("accessibleTeams",))])


@api.query("initiativeFilterSuggestion(prompt: String!, teamId: String): InitiativeFilterSuggestionPayload!")
def initiative_filter_suggestion(call: Call, prompt: str, team_id: str | None = None) -> dict[str, Any]:
    """Suggest a filter for the owners and labels in a prompt."""
    conditions = [
        *_mine(call, prompt, "owner"),
        *_any(("owner", "name"), _find_mentioned_names(call, prompt, User.row.name)),
        *_any(("labels", "name"), _find_mentioned_names(call, prompt, InitiativeLabel.row.name)),
    ]
    return _build_suggestion([*conditions, *_team(team_id, ("teams",))])


# Names


@api.query("issueTitleSuggestionFromCustomerRequest(request: String!): IssueTitleSuggestionFromCustomerRequestPayload!")
def issue_title_suggestion(call: Call, request: str) -> dict[str, Any]:
    """Suggest the first sentence of a request as a title, cut at a word."""
    sentence = re.split(r"(?<=[.!?])\s|\n", request.strip(), maxsplit=1)[0].rstrip(".!? ")
    if not sentence:
        raise InvalidInput("request: there is nothing to make a title of.")
    title = sentence if len(sentence) <= _MAX_TITLE_CHARACTERS else sentence[:_MAX_TITLE_CHARACTERS].rsplit(" ", 1)[0]
    return {"title": title[:1].upper() + title[1:], "logId": None, "lastSyncId": float(call.clock.micros // 1000)}


@api.query("customViewDetailsSuggestion(filter: JSONObject!, modelName: String): CustomViewSuggestionPayload!")
def custom_view_details_suggestion(call: Call, filter: dict[str, Any], model_name: str | None = None) -> dict[str, Any]:
    """Suggest a name for a view, made of the fields in its filter."""
    model = model_name or "issue"
    if model not in ("issue", "project", "initiative", "feedItem"):
        raise InvalidInput("modelName: it is one of issue, project, initiative and feedItem.")
    fields = sorted({*_fields_of(filter)})
    things = {"feedItem": "Feed items"}.get(model, f"{model.capitalize()}s")
    name = f"{things} by {', '.join(fields)}" if fields else f"All {things.lower()}"
    return {"name": name[:_MAX_TITLE_CHARACTERS], "description": None, "icon": None}


def _fields_of(filter: dict[str, Any]) -> Iterable[str]:
    for name, value in filter.items():
        if name in ("and", "or") and isinstance(value, list):
            parts = cast(list[Any], value)
            yield from (field for each in parts if isinstance(each, dict) for field in _fields_of(cast(Given, each)))
        else:
            yield name


@api.query(
    "issueRepositorySuggestions(agentSessionId: String, candidateRepositories: [CandidateRepository!]!, "
    "issueId: String!): RepositorySuggestionsPayload!"
)
def issue_repository_suggestions(
    call: Call, candidate_repositories: list[dict[str, str]], issue_id: str, agent_session_id: str | None = None
) -> dict[str, Any]:
    """Rank the candidates by the share of their name's words that occur in the issue, which is the confidence."""
    issue = entity_operations.find(call, Issue, issue_id)
    said = {*_WORD.findall(f"{issue.title} {issue.description or ''}".casefold())}
    rated = [(_share(each["repositoryFullName"], said), each) for each in candidate_repositories]
    rated.sort(key=lambda each: (-each[0], each[1]["repositoryFullName"]))
    return {"suggestions": [{**each, "confidence": share} for share, each in rated]}


def _share(name: str, said: set[str]) -> float:
    words = {*re.findall(r"[^\W_]+", name.casefold())}
    return len(words & said) / len(words) if words else 0.0
