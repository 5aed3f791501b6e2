"""Planning: boards, labels, milestones, links of issues, hooks and events.

https://docs.gitlab.com/api/issues/
"""

from __future__ import annotations

from functools import partial

from ..document_collections import DocumentCollection
from .project_scopes import GROUP, NO_UPDATE, PLAIN, PROJECT, ProjectScopes, declare_below

HOOK_FIELDS = (
    "url, token, name, description: text; push_events, tag_push_events, merge_requests_events, issues_events,"
    "note_events, confidential_issues_events, job_events, pipeline_events, wiki_page_events, deployment_events,"
    "releases_events, repository_update_events, enable_ssl_verification: boolean"
)
_BOARD = "name: text; hide_backlog_list, hide_closed_list: boolean"


def list_planning_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    in_project = partial(declare_below, PROJECT, scopes.project)
    in_group = partial(declare_below, GROUP, scopes.group)
    return [
        in_project("boards", "board", required=("name",), fields=_BOARD, style=PLAIN,
            defaults={"lists": [], "labels": [], "assignee": None, "milestone": None, "weight": None}),
        in_project("events", "event", serves=frozenset(["list"]), filters=("action", "target_type")),
        in_project("issues/{iid}/links", "issue link", table="issue_links",
            required=("target_project_id", "target_issue_iid"),
            fields="link_type: relates_to|blocks|is_blocked_by", serves=NO_UPDATE, created=201, deleted=200),
        in_group("labels", "label", required=("name", "color"),
            fields="name, color, description: text; archived: boolean", unique=("name",), aliases=("name",),
            searched=("name", "description"),
            style=PLAIN, defaults={"description": None, "text_color": "#FFFFFF", "subscribed": False},
            item="/{label_id}"),
        in_group("milestones", "milestone", required=("title",),
            fields="title, description: text; due_date, start_date: date; state: active|closed",
            defaults={"state": "active", "description": None, "due_date": None, "start_date": None},
            filters=("state", "title"), searched=("title", "description"), unserved=("iids[]", "search_title")),
        in_group("hooks", "hook", required=("url",), fields=HOOK_FIELDS,
            defaults={"push_events": True, "issues_events": False}),
        in_group("boards", "board", required=("name",), fields=_BOARD, style=PLAIN, defaults={"lists": []}),
    ]  # fmt: skip
