"""The environment's GitHub App, which reports checks, as the API shows it.

https://docs.github.com/en/rest/apps/apps
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..tables.user_tables import AppInstallation, User
from .user_views import PAGES, user_of

APP_ID, APP_SLUG, APP_NAME = 15368, "github-actions", "GitHub Actions"
CLIENT_ID = "Iv1.05c79e9ad1f6bdfa"
PERMISSIONS = {
    "actions": "write",
    "administration": "write",
    "checks": "write",
    "contents": "write",
    "deployments": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "write",
    "workflows": "write",
}
EVENTS = ["push", "pull_request", "issues", "check_run", "workflow_dispatch"]
APP_CREATED_AT = "2018-07-30T09:30:17"


def show_app(call: Call) -> dict[str, Any]:
    """Render the app."""
    first = call.db.rows(User, User.type == "User", order=User.id, limit=1)
    owner = first[0].login if first else call.actor
    created = show_instant(APP_CREATED_AT)
    return {
        "id": APP_ID,
        "slug": APP_SLUG,
        "node_id": node_id("A", APP_ID),
        "client_id": CLIENT_ID,
        "owner": user_of(call, owner),
        "name": APP_NAME,
        "description": "Automate your workflow from idea to production",
        "external_url": "https://help.github.com/en/actions",
        "html_url": f"{PAGES}/apps/{APP_SLUG}",
        "created_at": created,
        "updated_at": created,
        "permissions": PERMISSIONS,
        "events": EVENTS,
    }


def show_installation(call: Call, installation: AppInstallation) -> dict[str, Any]:
    """Render an installation of the app."""
    account = user_of(call, installation.account)
    url = f"{call.base_url}/app/installations/{installation.id}"
    created = show_instant(installation.created_at)
    return {
        "id": installation.id,
        "account": account,
        "repository_selection": installation.repository_selection,
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{call.base_url}/installation/repositories",
        "html_url": f"{PAGES}/settings/installations/{installation.id}",
        "app_id": APP_ID,
        "app_slug": APP_SLUG,
        "client_id": CLIENT_ID,
        "target_id": account["id"] if account else 0,
        "target_type": account["type"] if account else "User",
        "permissions": installation.permissions or PERMISSIONS,
        "events": installation.events,
        "created_at": created,
        "updated_at": created,
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": None,
    }
