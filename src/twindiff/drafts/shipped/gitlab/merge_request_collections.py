"""Merge requests: commits, diffs and pipelines; discussions and emoji, of issues too.

https://docs.gitlab.com/api/merge_requests/
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..document_collections import DocumentCollection, DocumentRequest, Shown
from .project_scopes import NO_UPDATE, PLAIN, PROJECT, GitLabDocuments, ProjectScopes, declare_below


def _start_discussion(scopes: ProjectScopes) -> Callable[[DocumentRequest, Shown], None]:
    """Return a function that gives a new discussion its first note."""

    def start(request: DocumentRequest, fields: Shown) -> None:
        given = request.read_object()
        now = GitLabDocuments().stamp(request.call, is_new=True)
        note = {
            "id": request.call.db.next("discussion_note", at_least=1001),
            "type": "DiscussionNote",
            "body": given.get("body"),
            "attachment": None,
            "author": scopes.caller(request.call),
            **now,
            "system": False,
            "resolvable": True,
            "resolved": False,
        }
        fields |= {"individual_note": False, "notes": [note]}

    return start


def list_merge_request_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    in_request = partial(declare_below, f"{PROJECT}/merge_requests/{{iid}}", scopes.find_numbered("merge_requests"))
    awards: list[DocumentCollection] = []
    for table in ("issues", "merge_requests"):
        path = f"{PROJECT}/{table}/{{iid}}"
        awards.append(
            declare_below(path, scopes.find_numbered(table), "award_emoji", "award emoji", table=f"{table}_award_emoji",
                required=("name",), check=scopes.add_user, serves=NO_UPDATE)
        )  # fmt: skip
        awards.append(
            declare_below(path, scopes.find_numbered(table), "discussions", "discussion", table=f"{table}_discussions",
                required=("body",), serves=frozenset(["list", "create", "read"]), hidden=frozenset(["body"]),
                check=_start_discussion(scopes), style=PLAIN)
        )  # fmt: skip
    return [
        *awards,
        in_request("commits", "commit",
            table="merge_request_commits", serves=frozenset(["list"]), style=PLAIN),
        DocumentCollection(table="merge_request_approvers", path=f"{PROJECT}/merge_requests/{{iid}}/approvers",
                           style=PLAIN, serves=frozenset()),
        in_request("diffs", "diff",
            table="merge_request_diffs", serves=frozenset(["list"]), style=PLAIN, key="new_path"),
        in_request("pipelines", "pipeline",
            table="merge_request_pipelines", serves=frozenset(["list"])),
    ]  # fmt: skip
