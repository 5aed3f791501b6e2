"""CI/CD: variables, pipelines, jobs, schedules, triggers, environments, deployments and runners.

https://docs.gitlab.com/api/ci/
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from twindiff.kit.errors import InvalidParameter

from ..document_collections import ALL, DocumentCollection, DocumentRequest, Shown
from .access_collections import add_token
from .project_scopes import API, GROUP, PLAIN, PROJECT, READ, ProjectScopes, declare_below

_NAME = re.compile(r"[A-Za-z0-9_]{1,255}")


_PIPELINE_STATES = (
    "created|waiting_for_resource|preparing|pending|running|success|failed|canceling|canceled|skipped|manual|scheduled"
)


def _check_variable(_request: DocumentRequest, fields: Shown) -> None:
    if not _NAME.fullmatch(str(fields.get("key"))):
        raise InvalidParameter("key", "can contain only letters, digits and '_'.")


_VARIABLE: dict[str, Any] = {
    "item": "/{key}", "key": "key", "given_key": "key", "required": ("key", "value"), "check": _check_variable,
    "style": PLAIN,
    "fields": "value, environment_scope, description: text; variable_type: env_var|file;"
              "protected, masked, raw, hidden: boolean",
    "defaults": {"variable_type": "env_var", "value": "", "hidden": False, "protected": False, "masked": False,
                 "raw": False, "environment_scope": "*", "description": None},
}  # fmt: skip


def list_ci_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    in_project = partial(declare_below, PROJECT, scopes.project)
    in_group = partial(declare_below, GROUP, scopes.group)
    return [
        in_project("variables", "variable", **_VARIABLE),
        in_group("variables", "variable", **_VARIABLE),
        in_project("pipelines", "pipeline", serves=frozenset(["list", "read", "delete"]),
            fields=f"ref, sha, source, web_url: text; status: {_PIPELINE_STATES}", check=scopes.add_place,
            filters=("status", "ref", "sha", "source", "username=user.username"),
            unserved=("scope", "yaml_errors", "name")),
        in_project("jobs", "job", serves=READ, style=PLAIN, filters=("scope=status", "scope[]=status")),
        in_project("pipeline_schedules", "pipeline schedule", required=("description", "ref", "cron"),
            fields="description, ref, cron, cron_timezone: text; active: boolean",
            check=scopes.add_owner,
            defaults={"cron_timezone": "UTC", "active": True, "next_run_at": None, "variables": []}),
        in_project("triggers", "trigger", required=("description",), fields="description: text", check=add_token,
            defaults={"last_used": None}),
        in_project("environments", "environment", required=("name",),
            fields="name, external_url, description: text; state: available|stopping|stopped;"
                   "tier: production|staging|testing|development|other", unique=("name",),
            filters=("name", "states=state"), searched=("name",),
            defaults={"state": "available", "external_url": None, "tier": "other"}),
        in_project("deployments", "deployment", required=("environment", "sha", "ref", "tag", "status"),
            fields="sha, ref: text; tag: boolean; status: running|success|failed|canceled",
            check=scopes.add_user, filters=("environment", "status")),
        in_project("freeze_periods", "freeze period",
            required=("freeze_start", "freeze_end"),
            fields="freeze_start, freeze_end, cron_timezone: text", defaults={"cron_timezone": "UTC"}),
        DocumentCollection(table="runners", path=f"{API}/runners", style=PLAIN, name="runner", updates_by=("PUT",),
                           fields="description, maintenance_note: text; maximum_timeout: integer;"
                                  "paused, locked, run_untagged, active: boolean;"
                                  "access_level: not_protected|ref_protected",
                           serves=ALL - {"create"}, filters=("type=runner_type", "status", "paused"),
                           unserved=("tag_list", "version_prefix")),
        in_project("runners", "runner", serves=frozenset(["list", "create", "delete"]),
            required=("runner_id",), given_key="runner_id", style=PLAIN, table="project_runners"),
    ]  # fmt: skip
