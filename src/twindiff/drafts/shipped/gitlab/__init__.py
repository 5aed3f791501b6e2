"""GitLab: projects, issues, merge requests and the like from a description of our own, and the rest by handlers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from twindiff.kit.twin import Operations

from ...drafting import Draft
from ...recordings import RecordedCall
from .. import ShippedDraft
from ..document_collections import DocumentCollection, find_documents, list_tables, serve_collections
from .access_collections import list_access_collections
from .ci_collections import list_ci_collections
from .commits import ProjectCommits
from .instance_collections import list_instance_collections
from .item_lists import ItemLists
from .merge_request_collections import list_merge_request_collections
from .planning_collections import list_planning_collections
from .project_operations import GitLabOperations
from .project_scopes import ProjectScopes, rescope_projects
from .repository_collections import list_repository_collections
from .user_collections import list_user_collections


class _NoScopes(ProjectScopes):
    """Stands for the scopes of a draft where only the paths and tables of the collections are wanted."""

    def __init__(self) -> None:
        pass


def _list_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    return [
        *list_merge_request_collections(scopes),
        *list_ci_collections(scopes),
        *list_access_collections(scopes),
        *list_repository_collections(scopes),
        *list_planning_collections(scopes),
        *list_user_collections(scopes),
        *list_instance_collections(),
    ]


_COLLECTIONS = _list_collections(_NoScopes())


def _write(draft: Draft) -> Sequence[Operations]:
    """Return the operations that work on the tables of the description."""
    scopes = ProjectScopes(draft)
    collections, api = _list_collections(scopes), Operations()
    serve_collections(api, collections)
    commits = ProjectCommits(draft, scopes)
    operations = GitLabOperations(draft, scopes, {each.table: each for each in collections}, commits)
    return (operations.api, commits.declare(), ItemLists(draft, scopes).declare(), api)


def _find_documents(calls: Sequence[RecordedCall]) -> Mapping[str, list[dict[str, Any]]]:
    return find_documents(calls, _COLLECTIONS, rescope_projects(calls))


draft = ShippedDraft(
    "gitlab",
    "GitLab",
    stands_alone=True,
    own=True,
    tables=list_tables(_COLLECTIONS),
    written=_write,
    recorded_rows=_find_documents,
    unproven=(
        "the texts of refusals of pipelines, jobs, keys, snippets, boards and approvals",
        "what comparisons and changes of merge requests show, which are empty",
    ),
)
