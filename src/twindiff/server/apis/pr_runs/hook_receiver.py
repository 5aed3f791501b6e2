"""Starts pull request runs for the webhooks of installed repositories."""

from __future__ import annotations

from typing import Any

from twindiff.catalog import CheckSettingRecord
from twindiff.server.apis.pr_runs.comparison import NothingChanged
from twindiff.server.apis.pr_runs.hook_events import (
    SKIP,
    Hook,
    HookRequest,
    check_signature,
    is_skipped,
    read_hook,
    read_request,
)
from twindiff.server.apis.pr_runs.runs import PrRunRequest, PrRuns
from twindiff.server.apis.pr_runs.settings import CheckSettings
from twindiff.server.apis.sandbox_runs.hosted_repositories import HOST
from twindiff.server.service import Service
from twindiff.server.targets import PREFIX


class HookReceiver:
    """Receives webhooks."""

    def __init__(self, service: Service, runs: PrRuns, settings: CheckSettings) -> None:
        self._service = service
        self._runs = runs
        self._settings = settings

    async def receive(self, event: str, body: bytes, signature: str, delivery: str, address: str) -> dict[str, Any]:
        """Start the run that a webhook asks for; raises InvalidSignature, and what creating a run raises.
        Keys of the response: `status`, and `run_id` or `reason`.
        """
        hook = read_hook(event, body)
        link = self._settings.link_of(hook.repo)
        check_signature(link.get("hook_secret"), body, signature)
        asked = read_request(hook)
        if asked is None:
            return _ignore(f"{event or 'this event'} changes nothing to test")
        setting = self._settings.find(hook.repo, asked.trigger_mode)
        if reason := _find_reason_to_ignore(hook, asked, setting):
            return _ignore(reason)
        if known := self._runs.find_started(hook.repo, delivery):
            return {"status": "queued", "run_id": known.run_id}
        root = f"{address}{PREFIX}{link['environment_id']}/services/{HOST}/{hook.repo}"
        wanted = PrRunRequest(
            repo=root,
            branch=None if asked.number else asked.branch,
            pr_url=f"{root}/pull/{asked.number}" if asked.number else None,
            base=asked.base,
            commit=asked.commit,
            about={"run_type": "pr_run", "trigger_source": f"github_{event}", "delivery": delivery},
        )
        try:
            run = await self._runs.create(wanted, address)
        except NothingChanged as error:
            return _ignore(str(error))
        return {"status": "queued", "run_id": run.run_id}


def _ignore(reason: str) -> dict[str, Any]:
    return {"status": "ignored", "reason": reason}


def _find_reason_to_ignore(hook: Hook, asked: HookRequest, setting: CheckSettingRecord | None) -> str | None:
    """Why the settings, or the commit itself, want no run; None if they want one."""
    if setting is None or not setting.enabled:
        return f"checks of {hook.repo} by {asked.trigger_mode} are not enabled"
    wanted = setting.branch or setting.default_branch
    if asked.trigger_mode == "branch" and asked.branch != wanted:
        return f"pushes to {wanted} are tested, and this is one to {asked.branch}"
    head: Any = hook.payload.get("head_commit")
    return f"the commit says {SKIP}" if head and is_skipped(head["message"]) else None
