"""Tools for gists, notifications, teams, organizations and alerts.

https://github.com/github/github-mcp-server
"""
# ruff: noqa: N803 - the names of arguments are those on the wire

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit.agent_tools import Caller

from .tool_registry import REPO, Page, PageSize, tools

Watch = Literal["ignore", "watch", "delete"]


@tools.reads
async def search_orgs(
    call: Caller, query: str, sort: str | None = None, order: str | None = None, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """Search organizations."""
    return await call("GET /search/users", q=f"{query} type:org", sort=sort, order=order, page=page, per_page=perPage)


@tools.reads
async def get_teams(call: Caller, user: str | None = None) -> Any:
    """List the teams that a user is in, by default the user whose token is used."""
    login = user or (await call("GET /user"))["login"]
    organizations: list[dict[str, Any]] = []
    for org in await call("GET /users/{username}/orgs", username=login, per_page=100):
        teams: list[dict[str, Any]] = []
        for team in await call("GET /orgs/{org}/teams", org=org["login"], per_page=100):
            place = {"org": org["login"], "team_slug": team["slug"]}
            members = await call("GET /orgs/{org}/teams/{team_slug}/members", **place, per_page=100)
            if login in [each["login"] for each in members]:
                teams.append({name: team[name] for name in ("name", "slug", "description")})
        organizations.append({"org": org["login"], "teams": teams})
    return organizations


@tools.reads
async def get_team_members(call: Caller, org: str, team_slug: str) -> Any:
    """List the logins of the members of a team."""
    place = {"org": org, "team_slug": team_slug}
    members = await call("GET /orgs/{org}/teams/{team_slug}/members", **place, per_page=100)
    return [each["login"] for each in members]


@tools.reads
async def list_gists(
    call: Caller, username: str | None = None, since: str | None = None, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """List the gists of a user, by default of the user whose token is used."""
    paging = {"since": since, "page": page, "per_page": perPage}
    if username:
        return await call("GET /users/{username}/gists", username=username, **paging)
    return await call("GET /gists", **paging)


@tools.writes
async def create_gist(
    call: Caller, filename: str, content: str, description: str | None = None, public: bool = False
) -> Any:
    """Make a gist of one file."""
    return await call("POST /gists", description=description, public=public, files={filename: {"content": content}})


@tools.writes
async def update_gist(call: Caller, gist_id: str, filename: str, content: str, description: str | None = None) -> Any:
    """Change or add a file of a gist."""
    files = {filename: {"content": content}}
    return await call("PATCH /gists/{gist_id}", gist_id=gist_id, description=description, files=files)


@tools.reads
async def get_notification_details(call: Caller, notificationID: str) -> Any:
    """Get a notification."""
    return await call("GET /notifications/threads/{thread_id}", thread_id=notificationID)


@tools.writes
async def dismiss_notification(call: Caller, threadID: str, state: Literal["read", "done"] | None = None) -> Any:
    """Mark a notification as read or as done."""
    verb = "DELETE" if state == "done" else "PATCH"
    await call(f"{verb} /notifications/threads/{{thread_id}}", thread_id=threadID)
    return f"Notification marked as {state or 'read'}"


@tools.writes
async def mark_all_notifications_read(
    call: Caller, lastReadAt: str | None = None, owner: str | None = None, repo: str | None = None
) -> Any:
    """Mark all notifications as read, or those of a repository."""
    if owner and repo:
        await call(f"PUT {REPO}/notifications", owner=owner, repo=repo, last_read_at=lastReadAt)
    else:
        await call("PUT /notifications", last_read_at=lastReadAt)
    return "All notifications marked as read"


@tools.writes
async def manage_notification_subscription(call: Caller, notificationID: str, action: Watch) -> Any:
    """Ignore, watch or forget the thread of a notification."""
    path, place = "/notifications/threads/{thread_id}/subscription", {"thread_id": notificationID}
    if action == "delete":
        await call(f"DELETE {path}", **place)
        return "Notification subscription deleted"
    return await call(f"PUT {path}", **place, ignored=action == "ignore")


@tools.writes
async def manage_repository_notification_subscription(call: Caller, owner: str, repo: str, action: Watch) -> Any:
    """Ignore, watch or forget a repository."""
    place = {"owner": owner, "repo": repo}
    if action == "delete":
        await call(f"DELETE {REPO}/subscription", **place)
        return "Repository subscription deleted"
    return await call(f"PUT {REPO}/subscription", **place, ignored=action == "ignore", subscribed=action == "watch")


@tools.reads
async def list_code_scanning_alerts(
    call: Caller,
    owner: str,
    repo: str,
    state: Literal["open", "closed", "dismissed", "fixed"] | None = None,
    ref: str | None = None,
    severity: str | None = None,
    tool_name: str | None = None,
) -> Any:
    """List the code scanning alerts of a repository."""
    query = {"state": state, "ref": ref, "severity": severity, "tool_name": tool_name}
    return await call(f"GET {REPO}/code-scanning/alerts", owner=owner, repo=repo, **query)


@tools.reads
async def get_code_scanning_alert(call: Caller, owner: str, repo: str, alertNumber: int) -> Any:
    """Get a code scanning alert."""
    place = {"owner": owner, "repo": repo, "alert_number": alertNumber}
    return await call(f"GET {REPO}/code-scanning/alerts/{{alert_number}}", **place)


@tools.reads
async def list_dependabot_alerts(
    call: Caller, owner: str, repo: str, state: str | None = None, severity: str | None = None
) -> Any:
    """List the Dependabot alerts of a repository."""
    return await call(f"GET {REPO}/dependabot/alerts", owner=owner, repo=repo, state=state, severity=severity)


@tools.reads
async def get_dependabot_alert(call: Caller, owner: str, repo: str, alertNumber: int) -> Any:
    """Get a Dependabot alert."""
    place = {"owner": owner, "repo": repo, "alert_number": alertNumber}
    return await call(f"GET {REPO}/dependabot/alerts/{{alert_number}}", **place)


@tools.reads
async def list_secret_scanning_alerts(
    call: Caller,
    owner: str,
    repo: str,
    state: Literal["open", "resolved"] | None = None,
    secret_type: str | None = None,
    resolution: str | None = None,
) -> Any:
    """List the secret scanning alerts of a repository."""
    query = {"state": state, "secret_type": secret_type, "resolution": resolution}
    return await call(f"GET {REPO}/secret-scanning/alerts", owner=owner, repo=repo, **query)


@tools.reads
async def get_secret_scanning_alert(call: Caller, owner: str, repo: str, alertNumber: int) -> Any:
    """Get a secret scanning alert."""
    place = {"owner": owner, "repo": repo, "alert_number": alertNumber}
    return await call(f"GET {REPO}/secret-scanning/alerts/{{alert_number}}", **place)
