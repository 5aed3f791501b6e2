"""Reports of a pull request run at the GitHub twin that hosts its repository: a check run, and a comment.

The environment's app makes both if it is installed for the repository, else the environment's user.
https://docs.github.com/en/rest/checks/runs
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from twindiff.server.apis.sandbox_runs.code_sources import HostedChange
from twindiff.server.apis.sandbox_runs.hosted_repositories import HostedRepositories, HostRefused
from twindiff.server.apis.test_runs.reports import NAME

MARK = "<!-- arga-validation -->"
"""The first line of the comment, by which the next run finds it: a pull request has one comment of checks."""
MAX_COMMENTS = 100
_SYMBOLS = {"success": "✅", "neutral": "⚪", "skipped": "⚪"}


class CheckReporter:
    """Posts what becomes of runs."""

    def __init__(self, hosted: HostedRepositories) -> None:
        self._hosted = hosted

    async def begin(self, change: HostedChange, run_id: str, url: str) -> int:
        """Create the check run of a run that begins; returns its id. Raises HostRefused."""
        body = {"name": NAME, "head_sha": change.commit, "status": "in_progress"}
        body |= {"external_id": run_id, "details_url": url}
        made = await self._send(change, "POST", "/check-runs", body)
        return int(made["id"])

    async def conclude(self, change: HostedChange, check_run_id: int, report: Mapping[str, Any]) -> None:
        """Complete a check run with the body of a report; raises HostRefused."""
        body = {name: value for name, value in report.items() if name != "head_sha"}
        await self._send(change, "PATCH", f"/check-runs/{check_run_id}", body)

    async def comment(self, change: HostedChange, report: Mapping[str, Any]) -> str | None:
        """Write a report into the comment of its pull request, or of the open one of its branch; returns the address
        of the comment, None without a pull request. Raises HostRefused.
        """
        number = change.number or await self._find_open_pull(change)
        if number is None:
            return None
        body = {"body": render_comment(report, change.commit)}
        query = {"per_page": MAX_COMMENTS}
        known = await self._hosted.request(change.repository, "GET", f"/issues/{number}/comments", query=query)
        mine = next((each["id"] for each in known if each["body"].startswith(MARK)), None)
        if mine is not None:
            return (await self._send(change, "PATCH", f"/issues/comments/{mine}", body))["html_url"]
        return (await self._send(change, "POST", f"/issues/{number}/comments", body))["html_url"]

    async def _find_open_pull(self, change: HostedChange) -> int | None:
        owner = change.repository.name.partition("/")[0]
        query = {"head": f"{owner}:{change.branch}", "state": "open", "per_page": 1}
        pulls = await self._hosted.request(change.repository, "GET", "/pulls", query=query)
        return pulls[0]["number"] if pulls else None

    async def _send(self, change: HostedChange, verb: str, path: str, body: Any) -> Any:
        token = await self._installation_token(change)
        return await self._hosted.request(change.repository, verb, path, body, token=token)

    async def _installation_token(self, change: HostedChange) -> str:
        """A token of the app's installation for the repository; empty if there is none."""
        with suppress(HostRefused):
            installation = await self._hosted.request(change.repository, "GET", "/installation")
            path = f"//app/installations/{installation['id']}/access_tokens"
            return (await self._hosted.request(change.repository, "POST", path, {}))["token"]
        return ""


def render_comment(report: Mapping[str, Any], commit: str) -> str:
    """Render a report as the Markdown of a comment."""
    output, conclusion = report["output"], report["conclusion"]
    head = f"{_SYMBOLS.get(conclusion, '❌')} **{NAME}: {conclusion}**"
    text = f"\n\n{output['text']}" if output.get("text") else ""
    return f"{MARK}\n{head}\n\n{output['title']}{text}\n\nCommit {commit[:12]} · [details]({report['details_url']})"
