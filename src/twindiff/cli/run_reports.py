"""What a command leaves of a run for a continuous integration: JUnit XML, verdicts, screenshots, logs, an exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.client import Client

FAILED = 1
"""The exit code where a run has failed."""
COULD_NOT_RUN = 2
"""The exit code where nothing could be tested: no server, a refusal, no browser, a cancelled run."""
NO_PARTS: Mapping[str, str] = {}
COPIED = ("junit.xml", "check_run.json", "worker.log")
"""Artifacts that are written besides the screenshots."""

Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="DIR",
        help="Write junit.xml, check_run.json, verdict.json, log.txt, screenshots and a page into a folder.",
    ),
]


class RunReports(NamedTuple):
    """Where the reports of a run are wanted."""

    junit: Path | None = None
    folder: Path | None = None

    def write(self, client: Client, run: dict[str, Any]) -> None:
        """Write the reports of a run that has ended; a Problem where a file cannot be written."""
        with _explain_write_errors():
            if self.junit:
                _write(self.junit, _junit_of(client, run))
            if self.folder:
                parts = [each for each in run["results_json"] if each.get("run_id", "") not in ("", run["sandbox_id"])]
                folders = {each["run_id"]: _folder_name(each) for each in parts}
                _write_run(client, run, self.folder, folders)
                for run_id, name in folders.items():
                    _write_run(client, client.runs.get(run_id), self.folder / name)

    def write_problem(self, name: str, said: str) -> None:
        """Write that nothing could be run, and why."""
        from twindiff.server.apis.test_runs.reports import CHECK_RUN, JUNIT, TestResult, check_run, junit

        results = [TestResult(name, "", "error", said)]
        with _explain_write_errors():
            for path in filter(None, (self.junit, self.folder and self.folder / JUNIT)):
                _write(path, junit(results))
            if self.folder:
                _write(self.folder / CHECK_RUN, json.dumps(check_run(None, results, said, ""), indent=2).encode())

    @contextmanager
    def problems_of(self, name: str) -> Generator[None]:
        """Report a Problem of the block too, and end with the exit code that says so."""
        try:
            yield
        except CommandError as problem:
            self.write_problem(name, str(problem))
            raise CommandError(str(problem), exit_code=COULD_NOT_RUN) from None


def end_as(run: dict[str, Any]) -> None:
    """End the command with the exit code of a run that has ended."""
    from twindiff.server.apis.test_runs.reports import NOTHING_TESTED

    if run["status"] == "completed":
        return
    nothing = run["status"] == "cancelled" or run.get("failure_category") in NOTHING_TESTED
    raise typer.Exit(COULD_NOT_RUN if nothing else FAILED)


@contextmanager
def _explain_write_errors() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be written: {error.strerror}.", exit_code=COULD_NOT_RUN) from None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _junit_of(client: Client, run: dict[str, Any]) -> bytes:
    """The JUnit XML of a run; of one that ended before it wrote any, that it did."""
    from twindiff.server.apis.test_runs.reports import JUNIT, TestResult, junit

    if JUNIT in run["artifacts"]:
        return client.test_runs.artifact(run["id"], JUNIT)
    said = run.get("failure_detail") or run["status"]
    return junit([TestResult(run.get("name") or run["kind"], run["id"], "error", said)])


def _write_run(client: Client, run: dict[str, Any], folder: Path, parts: Mapping[str, str] = NO_PARTS) -> None:
    """Write what a run has left into a folder, and its page with links to the folders of its parts."""
    _write(folder / "index.html", _page_of(client, run, parts))
    _write(folder / "verdict.json", json.dumps(run, indent=2).encode())
    _write(folder / "log.txt", _log_of(client, run).encode())
    _write(folder / "junit.xml", _junit_of(client, run))
    for name in run["artifacts"]:
        if _is_copied(name):
            _write(folder / name, client.test_runs.artifact(run["id"], name))


def _is_copied(name: str) -> bool:
    return name in COPIED or name.endswith(".png")


def _page_of(client: Client, run: dict[str, Any], parts: Mapping[str, str]) -> bytes:
    """The page of a run, which needs no server: its links are those of the folder."""
    from twindiff.client.testing_specs import run_page

    text = client.send(run_page(run["page_url"])).decode()
    text = re.sub(rf"/test-runs/{run['id']}/page/([\w.-]+)\?token=[\w-]+", r"\1", text)
    for name in (each for each in run["artifacts"] if not _is_copied(each)):
        text = re.sub(rf'(?: · )?<a href="{re.escape(name)}">[^<]*</a>', "", text)
    for run_id, name in parts.items():
        text = re.sub(rf"/test-runs/{run_id}/page/([\w.-]+)\?token=[\w-]+", rf"{name}/\1", text)
        text = re.sub(rf"/test-runs/{run_id}/page\?token=[\w-]+", f"{name}/index.html", text)
    return re.sub(r"<form method=.post.*?</form>", "", text).encode()


def _log_of(client: Client, run: dict[str, Any]) -> str:
    """What happened in a run, and what its application printed."""
    from twindiff.client.testing_specs import run_logs

    lines = [f"{each['timestamp']} {each['type']}: {each['message']}" for each in run["events_json"]]
    for log in client.send(run_logs(run["id"])).worker_logs:
        if log["target_role"] == "application":
            lines += ["", "The application printed:", log["content"]]
    return "\n".join([*lines, ""])


def _folder_name(result: dict[str, Any]) -> str:
    return f"{result['step']:02d}-{re.sub(r'[^a-z0-9]+', '-', str(result['name']).lower()).strip('-')[:60]}"
