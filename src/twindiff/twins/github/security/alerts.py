"""Alerts of code scanning, secret scanning and Dependabot, and security advisories, as a template has them.

https://docs.github.com/en/rest/code-scanning/code-scanning
https://docs.github.com/en/rest/security-advisories
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations
from twindiff.kit.rows import exists

from ..core.access import find_org, find_repo
from ..core.listing import paginate
from ..core.stamps import times_of
from ..tables.repository_tables import Repository
from ..tables.work_tables import Advisory, Alert
from ..views.repository_views import html_url, repo_url
from ..wire_style import NotVisible, invalid

api = Operations()
_STATES = {
    "code-scanning": ("open", "dismissed", "fixed"),
    "secret-scanning": ("open", "resolved"),
    "dependabot": ("open", "dismissed", "fixed", "auto_dismissed"),
}


def show_alert(call: Call, repo: Repository, alert: Alert) -> dict[str, Any]:
    """Render an alert: the vendor's object with its number, state and addresses."""
    base = f"{repo_url(call, repo)}/{alert.kind}/alerts/{alert.number}"
    kind = "dependabot" if alert.kind == "dependabot" else alert.kind
    page = f"{html_url(call, repo)}/security/{kind}/{alert.number}"
    shown: dict[str, Any] = {**alert.details, "number": alert.number, **times_of(alert), "url": base, "html_url": page}
    if alert.kind == "code-scanning":
        shown["instances_url"] = f"{base}/instances"
    if alert.kind == "secret-scanning":
        shown["locations_url"] = f"{base}/locations"
    return shown | {"state": alert.state}


def _declare_alerts(kind: str) -> None:
    """Declare the operations on one kind of alerts."""
    path = f"/repos/{{owner}}/{{repo}}/{kind}/alerts"

    def list_alerts(call: Call, owner: str, repo: str, state: str = "", severity: str = "") -> Any:
        """List the alerts of a repository."""
        row = find_repo(call, owner, repo)
        where: list[Any] = [Alert.repository_id == row.id, Alert.kind == kind]
        states = [each for each in state.split(",") if each]
        where += [Alert.state.in_(states)] if states else []
        where += [Alert.details.json("rule", "severity") == severity] if severity and kind == "code-scanning" else []
        return paginate(call, Alert, *where, by=-Alert.number, show=lambda each: show_alert(call, row, each))

    def find(call: Call, row: Repository, number: int) -> Alert:
        where = (Alert.repository_id == row.id, Alert.kind == kind, Alert.number == number)
        alert = call.db.find(Alert, *where)
        if alert is None:
            raise NotVisible(f"No alert found for alert number {number}")
        return alert

    def get_alert(call: Call, owner: str, repo: str, alert_number: int) -> Any:
        """Get an alert."""
        row = find_repo(call, owner, repo)
        return show_alert(call, row, find(call, row, alert_number))

    def update_alert(
        call: Call, owner: str, repo: str, alert_number: int, body: Annotated[dict[str, Any], Body]
    ) -> Any:
        """Dismiss, resolve or reopen an alert."""
        row = find_repo(call, owner, repo)
        alert, state = find(call, row, alert_number), body.get("state")
        if state not in _STATES[kind]:
            raise invalid("Alert", "state")
        reasons = {name: value for name, value in body.items() if name in alert.details and name != "state"}
        details = {**alert.details, **reasons}
        return show_alert(call, row, call.db.change(alert, state=state, details=details, updated_at=call.clock.iso()))

    api.get(path)(list_alerts)
    api.get(f"{path}/{{alert_number}}")(get_alert)
    api.patch(f"{path}/{{alert_number}}")(update_alert)


for _kind in _STATES:
    _declare_alerts(_kind)


def show_advisory(call: Call, advisory: Advisory) -> dict[str, Any]:
    """Render an advisory: the vendor's object with its id and addresses."""
    ghsa, repo = advisory.ghsa_id, None
    if advisory.repository_id:
        repo = call.db.get(Repository, advisory.repository_id)
    base = f"{repo_url(call, repo)}/security-advisories" if repo else f"{call.base_url}/advisories"
    page = f"{html_url(call, repo)}/security/advisories" if repo else f"{call.base_url}/advisories"
    named = {"ghsa_id": ghsa, "severity": advisory.severity, "url": f"{base}/{ghsa}", "html_url": f"{page}/{ghsa}"}
    shown: dict[str, Any] = {**advisory.details, **named}
    if repo:
        shown |= {"state": advisory.state, **times_of(advisory)}
    return shown


@api.get("/advisories")
def list_advisories(call: Call) -> Any:
    """List global advisories that were reviewed."""
    query: dict[str, str] = call.memo["query"]
    where: list[Any] = [Advisory.repository_id.is_null()]
    where += [Advisory.ghsa_id == query["ghsa_id"]] if query.get("ghsa_id") else []
    where += [Advisory.severity == query["severity"]] if query.get("severity") else []
    where += [Advisory.details.json("cve_id") == query["cve_id"]] if query.get("cve_id") else []
    return paginate(call, Advisory, *where, by=-Advisory.created_at, show=lambda each: show_advisory(call, each))


@api.get("/advisories/{ghsa_id}")
def get_advisory(call: Call, ghsa_id: str) -> Any:
    """Get a global advisory."""
    advisory = call.db.find(Advisory, Advisory.ghsa_id == ghsa_id, Advisory.repository_id.is_null())
    if advisory is None:
        raise NotVisible
    return show_advisory(call, advisory)


@api.get("/repos/{owner}/{repo}/security-advisories")
def list_repository_advisories(call: Call, owner: str, repo: str, state: str = "") -> Any:
    """List the advisories of a repository."""
    where: list[Any] = [Advisory.repository_id == find_repo(call, owner, repo).id]
    where += [Advisory.state == state] if state else []
    return paginate(call, Advisory, *where, by=-Advisory.created_at, show=lambda each: show_advisory(call, each))


@api.get("/repos/{owner}/{repo}/security-advisories/{ghsa_id}")
def get_repository_advisory(call: Call, owner: str, repo: str, ghsa_id: str) -> Any:
    """Get an advisory of a repository."""
    row = find_repo(call, owner, repo)
    advisory = call.db.find(Advisory, Advisory.ghsa_id == ghsa_id, Advisory.repository_id == row.id)
    if advisory is None:
        raise NotVisible
    return show_advisory(call, advisory)


@api.get("/orgs/{org}/security-advisories")
def list_org_advisories(call: Call, org: str, state: str = "") -> Any:
    """List the advisories of an organization's repositories."""
    owner = find_org(call, org).login
    owned = exists(Repository, Repository.id == Advisory.repository_id, Repository.owner == owner)
    where = [owned, *([Advisory.state == state] if state else [])]
    return paginate(call, Advisory, *where, by=-Advisory.created_at, show=lambda each: show_advisory(call, each))
