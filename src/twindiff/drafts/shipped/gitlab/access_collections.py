"""Who may do what: deploy keys, tokens, protected branches and tags, members, invitations, approval rules.

https://docs.gitlab.com/api/members/
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..document_collections import ALL, DocumentCollection, DocumentRequest, Shown
from .project_scopes import GROUP, NO_UPDATE, PLAIN, PROJECT, ProjectScopes, declare_below


def add_token(request: DocumentRequest, fields: Shown) -> None:
    """Give a new document its secret."""
    if "token" not in fields:
        fields["token"] = f"glpat-{request.call.ids.new('', 20)}"


def _fill_member(scopes: ProjectScopes) -> Callable[[DocumentRequest, Shown], None]:
    """Return a function that gives a member of a group the names of its user."""

    def fill(request: DocumentRequest, fields: Shown) -> None:
        number = fields.get("id") or request.read_object().get("user_id")
        row: Any = scopes.find_row(request.call, "users", str(number))
        names = ("id", "username", "name", "state", "avatar_url", "web_url")
        fields |= {name: getattr(row, name, None) for name in names}

    return fill


def list_access_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    in_project = partial(declare_below, PROJECT, scopes.project)
    in_group = partial(declare_below, GROUP, scopes.group)
    return [
        in_project("deploy_keys", "deploy key", required=("title", "key"),
            fields="title: text; can_push: boolean; expires_at: time", defaults={"can_push": False}),
        in_project("deploy_tokens", "deploy token", required=("name", "scopes"),
            fields="name, username: text; scopes: list; expires_at: time", check=add_token,
            serves=NO_UPDATE, defaults={"expires_at": None, "revoked": False, "expired": False}),
        in_group("deploy_tokens", "deploy token", required=("name", "scopes"),
            fields="name, username: text; scopes: list; expires_at: time", check=add_token,
            serves=NO_UPDATE, defaults={"expires_at": None, "revoked": False, "expired": False}),
        in_project("access_tokens", "access token", required=("name", "scopes"),
            fields="name, description: text; scopes: list; access_level: integer; expires_at: date", check=add_token,
            serves=NO_UPDATE, defaults={"active": True, "revoked": False, "access_level": 40, "expires_at": None}),
        in_group("access_tokens", "access token", required=("name", "scopes"),
            fields="name, description: text; scopes: list; access_level: integer; expires_at: date", check=add_token,
            serves=NO_UPDATE, defaults={"active": True, "revoked": False, "access_level": 40, "expires_at": None}),
        in_project("protected_branches", "protected branch", required=("name",),
            fields="name: text; allow_force_push, code_owner_approval_required: boolean", item="/{name}",
            key="id", aliases=("name",), searched=("name",), unique=("name",), style=PLAIN, updates_by=("PATCH",),
            defaults={"push_access_levels": [{"access_level": 40, "access_level_description": "Maintainers"}],
                      "merge_access_levels": [{"access_level": 40, "access_level_description": "Maintainers"}],
                      "unprotect_access_levels": [], "allow_force_push": False, "code_owner_approval_required": False}),
        in_project("protected_tags", "protected tag", required=("name",), fields="name: text", item="/{name}",
            key="name",
            given_key="name", style=PLAIN, serves=NO_UPDATE,
            defaults={"create_access_levels": [{"access_level": 40, "access_level_description": "Maintainers"}]}),
        in_project("approval_rules", "approval rule", required=("name", "approvals_required"),
            fields="name: text; approvals_required: integer",
            style=PLAIN, defaults={"rule_type": "regular", "users": [], "groups": [], "eligible_approvers": []}),
        in_project("invitations", "invitation", required=("email", "access_level"),
            fields="email: text; access_level: integer; expires_at: date", item="/{email}",
            key="email", given_key="email", style=PLAIN, serves=ALL - {"read"}),
        in_project("access_requests", "access request", serves=frozenset(["list"]), style=PLAIN),
        in_group("members", "member", required=("user_id", "access_level"),
            fields="access_level: integer; expires_at: date", given_key="id",
            item="/{user_id}", style=PLAIN, check=_fill_member(scopes), hidden=frozenset(["user_id"])),
    ]  # fmt: skip
