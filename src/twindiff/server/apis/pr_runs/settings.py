"""Settings of pull request checks by repository; they are stored, but nothing is posted to GitHub."""

from __future__ import annotations

from typing import Any

from twindiff.catalog import CheckSettingRecord
from twindiff.server.service import Service

NOTE = "Checks run when they are asked for; posting their results to GitHub waits for a GitHub twin."


class CheckSettings:
    """The settings of all repositories of a server."""

    def __init__(self, service: Service) -> None:
        self._catalog = service.catalog

    def get(self, repo: str, trigger_mode: str) -> dict[str, Any]:
        """The settings of a repository's checks, or the defaults if none are stored."""
        return _render_setting(
            self._find(repo, trigger_mode) or CheckSettingRecord(repo=repo, trigger_mode=trigger_mode)
        )

    def change(self, repo: str, trigger_mode: str, **fields: Any) -> dict[str, Any]:
        """Change the settings whose value is not None."""
        given = {name: value for name, value in fields.items() if value is not None}
        record = self._find(repo, trigger_mode)
        if record is None:
            record = self._catalog.add(CheckSettingRecord(repo=repo, trigger_mode=trigger_mode))
        return _render_setting(self._catalog.change(record, **given) if given else record)

    def enabled_settings(self) -> list[dict[str, Any]]:
        """The settings of all enabled checks."""
        return [_render_setting(each) for each in self._catalog.rows(CheckSettingRecord, CheckSettingRecord.enabled)]

    def _find(self, repo: str, trigger_mode: str) -> CheckSettingRecord | None:
        mine = (CheckSettingRecord.repo == repo, CheckSettingRecord.trigger_mode == trigger_mode)
        records = self._catalog.rows(CheckSettingRecord, *mine, limit=1)
        return records[0] if records else None


def _render_setting(record: CheckSettingRecord) -> dict[str, Any]:
    return {
        "repo": record.repo,
        "trigger_mode": record.trigger_mode,
        "branch": record.branch,
        "default_branch": "main",
        "enabled": record.enabled,
        "installed": False,
        "installation_id": None,
        "webhook_id": None,
        "comment_on_pr": record.comment_on_pr,
        "message": NOTE,
    }
