"""Settings of pull request checks by repository, and their installation at the GitHub twin that hosts it."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Any

from twindiff.catalog import CheckSettingRecord
from twindiff.kit.errors import ApiError
from twindiff.server.apis.pr_runs.hook_events import EVENTS
from twindiff.server.apis.sandbox_runs.hosted_repositories import (
    HostedRepositories,
    HostedRepository,
    HostRefused,
)
from twindiff.server.origins import HOOK_RECEIVER
from twindiff.server.service import Service

NOT_HOSTED = (
    "No GitHub twin is linked: checks run when they are asked for, and nothing is posted. Install them with the "
    "repository's address at a twin, such as http://…/api/env/ID/services/github/owner/name."
)


class CheckSettings:
    """The settings of all repositories of a server."""

    def __init__(self, service: Service, hosted: HostedRepositories) -> None:
        self._catalog = service.catalog
        self._whole_catalog = service.whole_catalog
        self._hosted = hosted

    def name_of(self, repo: str) -> str:
        """The `owner/name` under which the settings of a repository are kept, if it is an address of a twin."""
        place = self._hosted.locate(repo)
        return place.name if place else repo

    def get(self, repo: str, trigger_mode: str) -> dict[str, Any]:
        """The settings of a repository's checks, or the defaults if none are stored."""
        repo = self.name_of(repo)
        return _render_setting(
            self.find(repo, trigger_mode) or CheckSettingRecord(repo=repo, trigger_mode=trigger_mode)
        )

    def change(self, repo: str, trigger_mode: str, **fields: Any) -> dict[str, Any]:
        """Change the settings whose value is not None; a link to a twin is shared by both trigger modes."""
        repo = self.name_of(repo)
        given = {name: value for name, value in fields.items() if value is not None}
        record = self.find(repo, trigger_mode)
        if record is None:
            link = self.link_of(repo)
            record = self._catalog.add(CheckSettingRecord(repo=repo, trigger_mode=trigger_mode, **link))
        return _render_setting(self._catalog.change(record, **given) if given else record)

    async def install(self, repo: str, address: str) -> dict[str, Any]:
        """Enable the checks of a repository's pull requests. One of a twin, given by its address or linked before,
        gets a webhook that starts them; another webhook of an earlier installation is deleted.
        Raises UnknownRepository, HostRefused.
        """
        place = self._hosted.locate(repo) or self._hosted.find_linked(repo)
        if place is None:
            return self.change(repo, "pr", enabled=True)
        about = await self._hosted.find_repository(place)
        place = HostedRepository(place.environment_id, about["full_name"])
        await self._remove_hook(place.name)
        secret = secrets.token_hex(20)
        config = {"url": f"{address}{HOOK_RECEIVER}", "content_type": "json", "secret": secret}
        hook = await self._hosted.request(
            place, "POST", "/hooks", {"name": "web", "config": config, "events": EVENTS, "active": True}
        )
        installation_id = None
        with suppress(HostRefused):
            installation_id = (await self._hosted.request(place, "GET", "/installation"))["id"]
        link = {"environment_id": place.environment_id, "hook_id": hook["id"], "hook_secret": secret}
        link |= {"installation_id": installation_id, "default_branch": about["default_branch"]}
        for trigger_mode in ("branch", "pr"):
            if trigger_mode == "pr" or self.find(place.name, trigger_mode):
                self.change(place.name, trigger_mode, **link)
        return self.change(place.name, "pr", enabled=True)

    async def _remove_hook(self, name: str) -> None:
        """Delete the webhook of an earlier installation, if its environment is still there."""
        link = self.link_of(name)
        if link.get("hook_id"):
            with suppress(ApiError):
                place = HostedRepository(link["environment_id"], name)
                await self._hosted.request(place, "DELETE", f"/hooks/{link['hook_id']}")

    def enabled_settings(self) -> list[dict[str, Any]]:
        """The settings of all enabled checks."""
        enabled = self._whole_catalog.records(CheckSettingRecord, CheckSettingRecord.enabled)
        return [_render_setting(each) for each in sorted(enabled, key=lambda each: (each.repo, each.trigger_mode))]

    def find(self, repo: str, trigger_mode: str) -> CheckSettingRecord | None:
        """Find the stored settings of a repository."""
        mine = (CheckSettingRecord.repo == repo, CheckSettingRecord.trigger_mode == trigger_mode)
        records = self._catalog.rows(CheckSettingRecord, *mine, limit=1)
        return records[0] if records else None

    def link_of(self, repo: str) -> dict[str, Any]:
        """The columns that link a repository to a twin; empty if none does."""
        columns = ("environment_id", "hook_id", "hook_secret", "installation_id", "default_branch")
        for record in self._catalog.rows(CheckSettingRecord, CheckSettingRecord.repo == repo):
            if record.environment_id:
                return {name: getattr(record, name) for name in columns}
        return {}


def _render_setting(record: CheckSettingRecord) -> dict[str, Any]:
    return {
        "repo": record.repo,
        "trigger_mode": record.trigger_mode,
        "branch": record.branch,
        "default_branch": record.default_branch or "main",
        "enabled": record.enabled,
        "installed": record.hook_id is not None,
        "installation_id": record.installation_id,
        "webhook_id": record.hook_id,
        "comment_on_pr": record.comment_on_pr,
        "environment_id": record.environment_id,
        "message": None if record.environment_id else NOT_HOSTED,
    }
