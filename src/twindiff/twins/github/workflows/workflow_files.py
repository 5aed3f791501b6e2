"""Workflow files: their events, jobs and steps, and how their steps would end.

Nothing is run. A step fails if its script has the command `exit` with a number other than 0, or `false`; `sleep` takes
time; `echo` writes to the log. https://docs.github.com/en/actions/reference/workflow-syntax-for-github-actions
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple, cast

import yaml

MAX_FILE_BYTES, MAX_JOBS, MAX_STEPS, MAX_MATRIX = 500_000, 256, 200, 256
STEP_SECONDS, MAX_STEP_SECONDS = 2, 3600
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_SLEEP = re.compile(r"\bsleep\s+(\d{1,6})")
_EXIT = re.compile(r"(?:^|[;&|]\s*|\s)exit\s+(\d+)")


class StepPlan(NamedTuple):
    """A step with its outcome, its seconds and its lines of log."""

    name: str
    conclusion: str
    seconds: int
    log: list[str]


class JobPlan(NamedTuple):
    """A job with its steps; `needs` are the ids of the jobs before it."""

    key: str
    name: str
    needs: list[str]
    labels: list[str]
    steps: list[StepPlan]
    artifacts: list[str]
    condition: str


class WorkflowFile(NamedTuple):
    """A parsed workflow; `events` are its triggers with their filters."""

    name: str
    events: dict[str, dict[str, Any]]
    jobs: dict[str, dict[str, Any]]


def as_dict(value: Any) -> dict[str, Any]:
    """Return a mapping with texts as keys; empty for anything else."""
    return {str(name): each for name, each in cast(dict[Any, Any], value).items()} if isinstance(value, dict) else {}


def as_list(value: Any) -> list[str]:
    """Return a list of texts of a text or a list."""
    if value is None:
        return []
    return [str(each) for each in cast(list[Any], value)] if isinstance(value, list) else [str(value)]


@lru_cache(maxsize=512)
def parse_workflow(text: str, path: str) -> WorkflowFile | None:
    """Parse a workflow file; None for one that is invalid."""
    if len(text) > MAX_FILE_BYTES:
        return None
    try:
        # YAML 1.1 reads the key `on` as true; the base loader keeps texts.
        document = as_dict(yaml.load(text, Loader=yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError):
        return None
    triggers: Any = document.get("on")
    events: dict[str, dict[str, Any]]
    if isinstance(triggers, dict):
        events = {name: as_dict(filters) for name, filters in as_dict(triggers).items()}
    else:
        events = {name: {} for name in as_list(triggers)}
    jobs = {name: as_dict(job) for name, job in as_dict(document.get("jobs")).items()}
    if "jobs" not in document or not events:
        return None
    name = document.get("name")
    return WorkflowFile(str(name) if name else path, events, dict(list(jobs.items())[:MAX_JOBS]))


def is_triggered(
    workflow: WorkflowFile,
    event: str,
    *,
    branch: str = "",
    tag: str = "",
    action: str = "",
    paths: list[str] | None = None,
) -> bool:
    """Return whether an event starts a workflow: by its filters of branches, tags, types and paths."""
    if event not in workflow.events:
        return False
    filters = workflow.events[event]
    types = as_list(filters.get("types"))
    if event == "pull_request" and action not in (types or ["opened", "synchronize", "reopened"]):
        return False
    if event != "pull_request" and types and action and action not in types:
        return False
    names = as_list(filters.get("branches"))
    if tag:
        wanted = as_list(filters.get("tags"))
        return matches_any(tag, wanted) if wanted else not names
    if filters.get("tags") and not names:
        return False
    if names and not matches_any(branch, names):
        return False
    if matches_any(branch, as_list(filters.get("branches-ignore"))):
        return False
    wanted_paths, ignored = as_list(filters.get("paths")), as_list(filters.get("paths-ignore"))
    if paths is not None and wanted_paths and not any(matches_any(path, wanted_paths) for path in paths):
        return False
    return not (paths and ignored and all(matches_any(path, ignored) for path in paths))


def matches_any(text: str, patterns: list[str]) -> bool:
    """Return whether the last pattern that matches a text is no exclusion (`!…`)."""
    result = False
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        if fnmatchcase(text, bare) or fnmatchcase(text, bare.replace("**/", "")):
            result = not pattern.startswith("!")
    return result


def plan_jobs(workflow: WorkflowFile, inputs: dict[str, Any], secrets: dict[str, str]) -> list[JobPlan]:
    """Return the jobs of a workflow, one for each combination of its matrix."""
    plans: list[JobPlan] = []
    for key, job in workflow.jobs.items():
        for values in expand_matrix(as_dict(as_dict(job.get("strategy")).get("matrix"))):
            context = {**{f"inputs.{name}": str(value) for name, value in inputs.items()}, **values}
            context |= {f"github.event.inputs.{name}": str(value) for name, value in inputs.items()}
            context |= {f"secrets.{name}": value for name, value in secrets.items()}
            plans.append(_plan_job(key, job, values, context, secrets))
    return plans[:MAX_JOBS]


def expand_matrix(matrix: dict[str, Any]) -> list[dict[str, str]]:
    """Return the combinations of a matrix by `matrix.name`; one empty combination without a matrix."""
    combinations: list[dict[str, str]] = [{}]
    for name, values in matrix.items():
        if name in ("include", "exclude") or not isinstance(values, list):
            continue
        combinations = [{**each, f"matrix.{name}": value} for each in combinations for value in as_list(values)]
        combinations = combinations[:MAX_MATRIX]
    return combinations


def _plan_job(
    key: str, job: dict[str, Any], values: dict[str, str], context: dict[str, str], secrets: dict[str, str]
) -> JobPlan:
    name = fill_in(str(job.get("name") or key), context)
    if values and not job.get("name"):
        name = f"{key} ({', '.join(values.values())})"
    given = job.get("steps")
    steps = [as_dict(step) for step in cast(list[Any], given)] if isinstance(given, list) else []
    planned, artifacts = list[StepPlan](), list[str]()
    has_failed = False
    for step in steps[:MAX_STEPS]:
        plan = _plan_step(step, context, secrets, has_failed=has_failed)
        planned.append(plan)
        has_failed = has_failed or (plan.conclusion == "failure" and str(step.get("continue-on-error")) != "true")
        if "upload-artifact" in str(step.get("uses")) and plan.conclusion == "success":
            artifacts.append(fill_in(str(as_dict(step.get("with")).get("name") or "artifact"), context))
    labels = [fill_in(label, context) for label in as_list(job.get("runs-on"))] or ["ubuntu-latest"]
    return JobPlan(key, name, as_list(job.get("needs")), labels, planned, artifacts, str(job.get("if") or ""))


def _plan_step(step: dict[str, Any], context: dict[str, str], secrets: dict[str, str], *, has_failed: bool) -> StepPlan:
    script, uses = str(step.get("run") or ""), str(step.get("uses") or "")
    first = script.strip().partition("\n")[0]
    name = fill_in(str(step.get("name") or (f"Run {uses or first}")), context)
    condition = str(step.get("if") or "")
    if has_failed and not re.search(r"always\(\)|failure\(\)", condition):
        return StepPlan(name, "skipped", 0, [])
    if (not has_failed and "failure()" in condition) or condition.strip(" ${}") == "false":
        return StepPlan(name, "skipped", 0, [])
    script = fill_in(script, context)
    is_failing = any(int(code) for code in _EXIT.findall(script)) or "false" in script.split()
    pause = sum(int(seconds) for seconds in _SLEEP.findall(script))
    env = {name: fill_in(str(value), context) for name, value in as_dict(step.get("env")).items()}
    log = [f"##[group]Run {uses or first}", "##[endgroup]", *_echoes(script, env)]
    if is_failing:
        log.append("##[error]Process completed with exit code 1.")
    seconds = min(STEP_SECONDS + pause, MAX_STEP_SECONDS)
    return StepPlan(
        mask(name, secrets), "failure" if is_failing else "success", seconds, [mask(line, secrets) for line in log]
    )


def _echoes(script: str, env: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for line in script.splitlines():
        command, _, rest = line.strip().partition(" ")
        if command != "echo":
            continue
        text = rest.partition(" >")[0].strip().strip("\"'")
        for name, value in env.items():
            text = text.replace(f"${{{name}}}", value).replace(f"${name}", value)
        lines.append(text)
    return lines


def mask(text: str, secrets: dict[str, str]) -> str:
    """Return a text without the values of secrets."""
    for value in secrets.values():
        text = text.replace(value, "***") if value else text
    return text


def fill_in(text: str, context: dict[str, str]) -> str:
    """Replace `${{ name }}` by values; unknown names become empty."""
    return _EXPRESSION.sub(lambda match: context.get(match[1], ""), text)
