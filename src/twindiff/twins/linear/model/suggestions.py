"""Results of semantic search and suggestions."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Enum, Input, One, Value


class SemanticSearchResultType(Enum):
    values = "document initiative issue project"


class SemanticSearchResult(Value, implements="Node"):
    document: One[Document] | None
    id: ID
    initiative: One[Initiative] | None
    issue: One[Issue] | None
    project: One[Project] | None
    type: SemanticSearchResultType


class SemanticSearchPayload(Value):
    enabled: bool
    results: list[SemanticSearchResult]


class SemanticSearchFilters(Input):
    documents: DocumentFilter | None
    initiatives: InitiativeFilter | None
    issues: IssueFilter | None
    projects: ProjectFilter | None


class IssueFilterSuggestionPayload(Value):
    filter: JSONObject | None
    logId: str | None


class ProjectFilterSuggestionPayload(Value):
    filter: JSONObject | None
    logId: str | None


class InitiativeFilterSuggestionPayload(Value):
    filter: JSONObject | None
    logId: str | None


class RepositorySuggestion(Value):
    confidence: float
    hostname: str | None
    repositoryFullName: str


class RepositorySuggestionsPayload(Value):
    suggestions: list[RepositorySuggestion]


class CandidateRepository(Input):
    hostname: str
    repositoryFullName: str


class IssueTitleSuggestionFromCustomerRequestPayload(Value):
    lastSyncId: float
    logId: str | None
    title: str


class CustomViewSuggestionPayload(Value):
    description: str | None
    icon: str | None
    name: str | None
