"""The verdict of a pull request run as other programs read it: JUnit XML, and a check run as GitHub knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

NAME = "Arga Validation"


class TestResult(NamedTuple):
    """What a test of the run came to."""

    __test__ = False

    name: str
    run_id: str
    passed: bool
    detail: str
    seconds: float


def junit(results: Sequence[TestResult]) -> bytes:
    """The results as JUnit XML."""
    failures = sum(not each.passed for each in results)
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0"}
    seconds = f"{sum(each.seconds for each in results):.3f}"
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": NAME, **counts, "time": seconds})
    for each in results:
        about = {"classname": NAME, "name": _printable(each.name), "time": f"{each.seconds:.3f}"}
        case = ET.SubElement(suite, "testcase", about)
        if not each.passed:
            failure = ET.SubElement(case, "failure", {"message": _printable(each.detail)})
            failure.text = _printable(f"run {each.run_id}: {each.detail}")
    return ET.tostring(suites, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """A text without what XML cannot carry."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def check_run(head_sha: str, results: Sequence[TestResult], summary: str, details_url: str) -> dict[str, Any]:
    """The verdict as the body of a check run. https://docs.github.com/en/rest/checks/runs"""
    lines = [f"- {'passed' if each.passed else 'failed'}: {each.name}. {each.detail}".rstrip() for each in results]
    conclusion = "neutral" if not results else "success" if all(each.passed for each in results) else "failure"
    return {
        "name": NAME,
        "head_sha": head_sha,
        "status": "completed",
        "conclusion": conclusion,
        "details_url": details_url,
        "output": {"title": summary, "summary": summary, "text": "\n".join(lines)},
    }
