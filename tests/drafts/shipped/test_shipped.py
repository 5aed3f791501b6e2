"""Which drafts come with Twindiff, and how they are named and loaded."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from twindiff.cli import app
from twindiff.drafts.shipped import NAMES
from twindiff.environments.registry import Registry


def test_the_list_of_drafts_says_how_many_operations_handlers_serve():
    listed = json.loads(CliRunner().invoke(app, ["drafts", "ls", "--json"]).stdout)
    assert {each["name"] for each in listed} == {*NAMES}
    assert next(each["operations"] for each in listed if each["name"] == "jira") > 100


def test_a_draft_is_reported_operation_by_operation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TWINDIFF_DRAFTS", "")
    report = CliRunner().invoke(app, ["twins", "jira", "--draft", "jira", "--json"])
    lines = json.loads(report.stdout)["operations"]
    assert {each["confidence"] for each in lines} == {"written"}
    assert not [each["operation"] for each in lines if "/rest/api/2/" in each["operation"]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("jirra", "There is no shipped draft 'jirra'. Did you mean 'jira'?"),
        ("asana", "Asana is served from its description, which is not shipped. Download it from"),
        ("jira=nowhere.json", "nowhere.json: It cannot be read: No such file"),
    ],
)
def test_a_draft_that_cannot_be_used_is_a_problem_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str, message: str
):
    monkeypatch.setenv("TWINDIFF_DRAFTS", given.replace("=", f"={tmp_path}/"))
    problem = Registry.load_installed().problems[given.partition("=")[0]]
    assert message in str(problem)
