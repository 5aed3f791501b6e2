"""Repositories: files, comments and statuses of commits, releases, snippets, wikis, packages and badges.

https://docs.gitlab.com/api/repositories/
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from twindiff.kit.call import Call

from ..document_collections import DocumentCollection, DocumentRequest, Shown
from .project_scopes import GROUP, PLAIN, PROJECT, GitLabDocuments, ProjectScopes, declare_below

SNIPPET_FIELDS = "title, description, content, file_name: text; visibility: private|internal|public; files: list"
_WIKI = "title, content: text; format: markdown|rdoc|asciidoc|org"


def _add_slug(_request: DocumentRequest, fields: Shown) -> None:
    fields.setdefault("slug", re.sub(r"\s+", "-", str(fields.get("title") or "")))


class _Comments(GitLabDocuments):
    """Comments on commits have no id; the time at which one was made is its key here."""

    times = ("created_at",)

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        return self.show_now(call)


def list_repository_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    in_project = partial(declare_below, PROJECT, scopes.project)
    in_group = partial(declare_below, GROUP, scopes.group)
    return [
        in_project("snippets", "snippet", required=("title",), fields=SNIPPET_FIELDS, check=scopes.add_author,
            defaults={"description": None, "visibility": "private", "file_name": "", "files": []}),
        in_project("wikis", "wiki page", required=("title", "content"), fields=_WIKI, item="/{slug}", key="slug",
            given_key="slug", check=_add_slug, style=PLAIN, defaults={"format": "markdown", "encoding": "UTF-8"}),
        in_project("badges", "badge", required=("link_url", "image_url"), fields="link_url, image_url, name: text",
            style=PLAIN,
            defaults={"kind": "project", "name": None}),
        in_group("badges", "badge", required=("link_url", "image_url"), fields="link_url, image_url, name: text",
            style=PLAIN,
            defaults={"kind": "group", "name": None}),
        in_project("remote_mirrors", "remote mirror", required=("url",),
            fields="url: text; enabled, only_protected_branches, keep_divergent_refs: boolean",
            defaults={"enabled": False, "update_status": "none", "only_protected_branches": False}),
        in_project("packages", "package", serves=frozenset(["list", "read", "delete"]),
            filters=("package_name=name", "package_type", "package_version=version", "status")),
        in_project("forks", "fork", serves=frozenset(["list"]), style=PLAIN),
        in_project("repository/commits/{sha}/comments", "comment", table="commit_comments",
            required=("note",), fields="note, path: text; line: integer; line_type: new|old",
            serves=frozenset(["list", "create"]), check=scopes.add_author,
            style=_Comments(), key="created_at",
            defaults={"line": None, "path": None, "line_type": None}),
        in_project("repository/commits/{sha}/statuses", "commit status", table="commit_statuses",
            serves=frozenset(["list"]), filters=("ref", "name", "stage")),
        in_project("repository/files", "file", table="repository_files", item="/{file_path:path}",
            key="file_path", given_key="file_path", style=PLAIN, serves=frozenset()),
        in_project("releases/{tag}/assets/links", "release link", table="release_links",
            required=("name", "url"),
            fields="name, url, direct_asset_path: text; link_type: other|runbook|image|package", style=PLAIN,
            defaults={"link_type": "other"}, item="/{link_id}"),
        in_group("wikis", "wiki page", required=("title", "content"), fields=_WIKI, item="/{slug}", key="slug",
            given_key="slug", check=_add_slug, style=PLAIN, defaults={"format": "markdown", "encoding": "UTF-8"}),
    ]  # fmt: skip
