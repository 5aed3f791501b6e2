"""Machine-readable reports of a run: JUnit XML, and a GitHub check run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree as ET

import msgspec

NAME = "Arga Validation"
JUNIT = "junit.xml"
CHECK_RUN = "check_run.json"
MAX_TITLE = 255
"""Maximum characters of a check run's title."""
MAX_TEXT = 60_000
"""Maximum characters of a check run's texts; GitHub allows 65,535."""
NOTHING_TESTED = ("server", "worker", "browser", "cancelled", "not_understood")
"""Failure categories that say nothing about the application."""
_ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
_COUNTS = {"failures": "failed", "errors": "error", "skipped": "skipped"}

Status = Literal["passed", "failed", "error", "skipped"]


class TestResult(NamedTuple):
    """The result of a test: `failed` if an expectation was not met, `error` if it could not be run at all.
    The first line of `detail` is the reason; further ones are the application's output. `category` is the
    `failure_category` of a run that ends because of it, and `steps` are lines about what was done.
    """

    __test__ = False

    name: str
    run_id: str
    status: Status
    detail: str = ""
    seconds: float = 0.0
    category: str = ""
    steps: Sequence[str] = ()

    @property
    def is_bad(self) -> bool:
        """Whether this result makes a run fail."""
        return self.status in ("failed", "error")


def first_line(text: str) -> str:
    """The first line of a text."""
    return text.partition("\n")[0]


def write_reports(
    folder: Path, results: Sequence[TestResult], summary: str, details_url: str, head_sha: str | None = None
) -> None:
    """Write the results as JUnit XML and as a check run to a folder of artifacts."""
    (folder / JUNIT).write_bytes(junit(results))
    (folder / CHECK_RUN).write_bytes(msgspec.json.encode(check_run(head_sha, results, summary, details_url)))


def junit(results: Sequence[TestResult]) -> bytes:
    """Render the results as JUnit XML."""
    counts = {name: str(sum(each.status == status for each in results)) for name, status in _COUNTS.items()}
    counts = {"tests": str(len(results)), **counts}
    seconds = f"{sum(each.seconds for each in results):.3f}"
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": NAME, **counts, "time": seconds})
    for each in results:
        about = {"classname": NAME, "name": _printable(each.name), "time": f"{each.seconds:.3f}"}
        case = ET.SubElement(suite, "testcase", about)
        if each.status in _ELEMENTS:
            message = {"message": _printable(first_line(each.detail))}
            run = f"run {each.run_id}: " if each.run_id else ""
            ET.SubElement(case, _ELEMENTS[each.status], message).text = _printable(f"{run}{each.detail}")
        if each.steps:
            ET.SubElement(case, "system-out").text = _printable("\n".join(each.steps))
    return ET.tostring(suites, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """Replace characters that XML cannot represent."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)


def check_run(head_sha: str | None, results: Sequence[TestResult], summary: str, details_url: str) -> dict[str, Any]:
    """Render the results as the body of a check run. https://docs.github.com/en/rest/checks/runs"""
    text = "\n".join(map(_bullet, results))
    return {
        "name": NAME,
        **({"head_sha": head_sha} if head_sha else {}),
        "status": "completed",
        "conclusion": _conclusion(results),
        "details_url": details_url,
        "output": {
            "title": first_line(summary)[:MAX_TITLE],
            "summary": summary[:MAX_TEXT],
            "text": text[:MAX_TEXT],
        },
    }


def render_cancelled(details_url: str) -> dict[str, Any]:
    """Render the body of the check run of a run that was cancelled."""
    output = {"title": "cancelled", "summary": "The run was cancelled.", "text": ""}
    completed = {"name": NAME, "status": "completed", "conclusion": "cancelled"}
    return {**completed, "details_url": details_url, "output": output}


def _conclusion(results: Sequence[TestResult]) -> str:
    if any(each.is_bad for each in results):
        return "failure"
    return "neutral" if not results or any(each.status == "skipped" for each in results) else "success"


def _bullet(result: TestResult) -> str:
    """Render a result as an item of a Markdown list; lines after the first become a code block."""
    head, _, rest = result.detail.partition("\n")
    said = f"- {result.status}: {result.name}. {head}".rstrip()
    quoted = rest.replace("`" * 3, "'" * 3)
    return f"{said}\n\n```text\n{quoted}\n```\n" if rest else said
