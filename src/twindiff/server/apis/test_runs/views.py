"""Renders runs for all families of routes, from their records and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from twindiff.catalog import SavedTestRecord, TestRunEventRecord, TestRunRecord
from twindiff.server.apis.test_runs.ledger import ENDED, Ledger
from twindiff.server.apis.test_runs.twins import SCENARIO_FIELDS

if TYPE_CHECKING:
    from twindiff.server.apis.test_runs.runs import TestRunService


def brief(ledger: Ledger, run: TestRunRecord, address: str) -> dict[str, Any]:
    """Render a run without its events and results, and without its secrets."""
    mask = ledger.mask(run)
    asked, outcome = run.asked, run.outcome
    failure = outcome.get("failure_detail")
    return {
        "id": run.run_id,
        "run_id": run.run_id,
        "status": run.status,
        "kind": run.kind,
        "mode": mode_of(run),
        "run_type": asked.get("run_type") or ("url_run" if run.kind == "url" else run.kind),
        "start_url": run.start_url and mask.text(run.start_url),
        "prompt": run.prompt and mask.text(run.prompt),
        "source_run_id": run.source_run_id,
        "test_id": run.test_id,
        "name": mask.value(asked.get("name")),
        "sandbox_id": run.sandbox_id,
        "session_id": run.session_id,
        "repo": run.repo,
        "branch": asked.get("branch"),
        "pr_url": asked.get("pr_url"),
        "passed": outcome.get("passed"),
        "failed": outcome.get("failed"),
        "total": outcome.get("total"),
        "summary": outcome.get("summary"),
        "error_message": failure if run.status != "completed" else None,
        "failure_category": outcome.get("failure_category"),
        "failure_detail": failure,
        "twins": asked.get("twins", []),
        "twin_run_id": run.twin_run_id,
        "not_understood": mask.value(asked.get("not_understood") or _unclear_on_page(outcome)),
        **mask.value(scenario_of(run)),
        "page_url": page_url(run, address),
        "created_at": f"{run.created_at}Z",
        "updated_at": f"{run.updated_at}Z",
        "finished_at": run.finished_at and f"{run.finished_at}Z",
    }


def _unclear_on_page(outcome: Mapping[str, Any]) -> list[str]:
    """Return what no step of a model accounts for, or the step whose words meant no single thing on the page."""
    if outcome.get("not_understood"):
        return outcome["not_understood"]
    return [outcome["failure_detail"]] if outcome.get("failure_category") == "not_understood" else []


def page_url(run: TestRunRecord, address: str) -> str:
    """The URL of a run's page, with the token that opens it."""
    return f"{address}/test-runs/{run.run_id}/page?token={run.view_token}"


def scenario_of(run: TestRunRecord) -> dict[str, Any]:
    """How far the twins of a run reflect its scenario_prompt; same keys as `RunTwins.scenario`."""
    return {f"scenario_{name}": run.asked.get(f"scenario_{name}", []) for name in SCENARIO_FIELDS}


def mode_of(run: TestRunRecord) -> str:
    """The origin of a run's steps: `prompt`, `test_config`, `saved_test`, or the runner mode of a URL run."""
    if run.kind == "url":
        return str(run.asked.get("runner_mode") or "visual")
    if run.test_id:
        return "saved_test"
    return "prompt" if run.prompt and run.asked.get("planned") else "test_config"


def render_run(runs: TestRunService, run: TestRunRecord, address: str) -> dict[str, Any]:
    """Render a run with its events, step results, artifacts and the changes in its twins."""
    events = runs.ledger.events(run.run_id)
    results = results_of(events, run.outcome)
    twin_run = runs.twins.find(run.twin_run_id)
    test_config = runs.ledger.mask(run).value(run.test_config)
    shown = brief(runs.ledger, run, address)
    return {
        **shown,
        "test_config_json": test_config,
        "test_config": test_config,
        "events_json": [
            {"timestamp": f"{event.at}Z", "type": event.type, "message": event.message} for event in events
        ],
        "results_json": results,
        "step_summaries": [_summary(result) for result in results],
        "event_log_json": [log_entry(event) for event in events],
        "environment_url": shown["start_url"],
        "surface_urls": [shown["start_url"]] if run.start_url else [],
        "story_json": None,
        "attack_plan_json": None,
        "redteam_report_json": None,
        "environment_id": twin_run and twin_run.environment_id,
        "commit_sha": run.asked.get("commit_sha"),
        "base": run.asked.get("base"),
        "changed_files": run.asked.get("changed_files", []),
        "chosen_tests": run.asked.get("chosen_tests", []),
        "diff": run.outcome.get("diff"),
        "checks": run.outcome.get("checks"),
        "artifacts": runs.artifacts.names(run.run_id) if run.status in ENDED else [],
    }


def results_of(events: list[TestRunEventRecord], outcome: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the steps, then of the checks; opening the start URL is included only if it failed."""
    steps = [event.data for event in events if event.type == "step"]
    results = [
        {"name": step["title"], "passed": step["status"] != "failed", **step}
        for step in steps
        if step["id"] != "start" or step["status"] == "failed"
    ]
    checks = outcome.get("checks")
    if checks:
        is_fine = bool(checks["passed"])
        said = {"detail": "; ".join(said_by_checks(checks))} if checks["failures"] else {}
        status = "passed" if is_fine else "failed"
        step = max([each["step"] for each in results], default=0) + 1
        results.append(
            {
                "name": "what the twins changed",
                "passed": is_fine,
                "id": "checks",
                "step": step,
                "status": status,
                **said,
            }
        )
    return results


def said_by_checks(checks: Mapping[str, Any], sentences: Mapping[str, str] | None = None) -> list[str]:
    """The texts of failed checks: explanations, which name the nearest row and its differences, or else failures.
    `sentences` are the prompt's sentences that assertions were made from, by name (`assertion#1`, …).
    """
    named = [(f"assertion#{each['assertion']}", str(each["text"])) for each in checks.get("explanations") or ()]
    named = [each for each in named if each[1]] or [(each.partition(" ")[0], each) for each in checks["failures"]]
    return [f"{text} ({sentence})" if (sentence := (sentences or {}).get(name)) else text for name, text in named]


def _summary(result: dict[str, Any]) -> dict[str, Any]:
    detail = {"detail": result["detail"]} if "detail" in result else {}
    return {"step": result["step"], "name": result["name"], "status": result["status"], **detail}


def log_entry(event: TestRunEventRecord) -> dict[str, Any]:
    """Render an event for the log; steps omit their console and network output, which `results_json` has."""
    return {
        "id": event.number,
        "event_type": event.type,
        "target_id": event.data.get("id"),
        "timestamp": f"{event.at}Z",
        "message": event.message,
        **({"status": event.data["status"]} if "status" in event.data else {}),
    }


def shown_test(record: SavedTestRecord) -> dict[str, Any]:
    """Render a saved test."""
    return {
        "id": record.test_id,
        "name": record.name,
        "description": record.description,
        "prompt": record.prompt,
        "start_url": record.start_url,
        "repo_full_name": record.repo_full_name,
        "ci_enabled": record.ci_enabled,
        "tags": record.tags,
        "paths": record.paths,
        "twins": record.twins,
        "checks": record.checks,
        "test_config": record.test_config,
        "test_config_json": record.test_config,
        "run_id": record.run_id,
        "created_at": f"{record.created_at}Z",
        "updated_at": f"{record.updated_at}Z",
    }
