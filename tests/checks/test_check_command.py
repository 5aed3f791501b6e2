"""`twindiff check` in a terminal, in a pipe and with files that are no good."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from twindiff.cli.commands.check import register

SPEC = {"assertions": [{"diff_type": "added", "entity": "notes", "where": {"text": "hi"}}]}
HIT: dict[str, Any] = {"inserts": [{"__table__": "notes", "text": "hi"}], "updates": [], "deletes": []}
MISS: dict[str, Any] = {"inserts": [{"__table__": "notes", "text": "ho"}], "updates": [], "deletes": []}


def files(folder: Path, spec: object, diff: object) -> list[str]:
    written: list[str] = []
    for name, content in (("spec.json", spec), ("diff.json", diff)):
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        written.append(str(path))
    return written


def run(*arguments: str) -> Result:
    app = typer.Typer()
    register(app)
    return CliRunner().invoke(app, arguments)


def test_a_diff_that_passes_ends_with_0(tmp_path: Path) -> None:
    result = run(*files(tmp_path, SPEC, HIT))
    assert (result.exit_code, json.loads(result.stdout)["passed"]) == (0, True)


def test_a_diff_that_fails_ends_with_1_and_says_why(tmp_path: Path) -> None:
    result = run(*files(tmp_path, SPEC, MISS))
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["failures"]) == (1, ["assertion#1 notes expected at least 1 match but got 0"])
    assert answer["explanations"][0]["nearest"][0]["differs"] == [
        {"path": "text", "expected": {"eq": "hi"}, "actual": "ho"}
    ]


@pytest.mark.parametrize("answer", [{"diff": HIT}, {"runId": "r", "status": "passed", "diff": HIT}])
def test_the_diff_is_taken_out_of_a_whole_answer(answer: object, tmp_path: Path) -> None:
    assert run(*files(tmp_path, SPEC, answer)).exit_code == 0


@pytest.mark.parametrize(
    ("spec", "diff", "words"),
    [
        (b"{", HIT, "spec.json: not JSON"),
        (b"\xff", HIT, "spec.json: not UTF-8 at byte 0"),
        (b'{"assertions": [], "assertions": []}', HIT, 'key "assertions" appears twice'),
        (b'{"assertions": NaN}', HIT, "NaN is not a JSON number"),
        (b'{"assertions": 1e999}', HIT, "1e999 is too large"),
        (b"[" * 100_000, HIT, "spec.json: nested too deeply"),
        (b"1" * 5000, HIT, "spec.json: not JSON"),
        ({"assertions": []}, HIT, "spec.json: assertions: is empty"),
        (SPEC, [], "diff.json: The diff is a list"),
        (SPEC, {"diff": None}, "the answer's diff is null"),
        (SPEC, {"diff": {"inserts": [5]}}, "inserts[0] is a number"),
        ({"assertions": [{"\ud800": 1}]}, HIT, "unknown key '\\ud800'"),
    ],
)
def test_a_file_that_is_no_good_ends_with_2_and_one_line(
    spec: object, diff: object, words: str, tmp_path: Path
) -> None:
    result = run(*files(tmp_path, spec, diff))
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


NEVER = {"version": "1", "assertions": [{"response": {"operation": "notes.delete"}, "expected_count": 0}]}


def test_a_history_is_judged_too(tmp_path: Path) -> None:
    call = {"number": 1, "twin": "box", "operation": "notes.delete", "actor": "U1", "status": 200}
    path = tmp_path / "history.json"
    path.write_text(json.dumps({"records": [], "calls": [call]}))
    result = run(*files(tmp_path, NEVER, HIT), "--history", str(path))
    assert (result.exit_code, json.loads(result.stdout)["failures"]) == (
        1,
        ["assertion#1 calls expected count 0 but got 1"],
    )


def test_a_history_that_is_missing_is_asked_for(tmp_path: Path) -> None:
    result = run(*files(tmp_path, NEVER, HIT))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert (
        "response, which needs the history of the run; the diff alone is given. Give it with --history."
        in result.stderr
    )


def test_a_history_of_another_shape_is_named(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    path.write_text("[]")
    result = run(*files(tmp_path, SPEC, HIT), "--history", str(path))
    assert (result.exit_code, "history.json: The history has not its shape" in result.stderr) == (2, True)


def test_a_missing_file_ends_with_2_and_one_line(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.json"), str(tmp_path / "none.json"))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "No such file" in result.stderr


def in_terminal(arguments: list[str], **environment: str) -> str:
    """Run the command with a terminal for its output and give what the terminal got."""
    code = "import typer; from twindiff.cli.commands.check import register; app = typer.Typer(); register(app); app()"
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    env = {**kept, "TERM": "xterm-256color", "COLUMNS": "100", **environment}
    subprocess.run([sys.executable, "-c", code, *arguments], stdout=theirs, stderr=theirs, env=env, check=False)
    try:
        return os.read(ours, 65536).decode()
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a terminal gets of a diff that fails."""
    diff = {"inserts": [{"__table__": "notes", "text": "[red]ho[/red]\ud800"}]}
    return in_terminal(files(tmp_path_factory.mktemp("shown"), SPEC, diff))


def test_a_terminal_gets_a_table(shown: str) -> None:
    assert "0 of 1 assertions hold" in shown
    assert "added notes" in shown


def test_a_terminal_gets_colours_unless_it_asks_for_none(shown: str, tmp_path: Path) -> None:
    assert "\x1b[1;31m" in shown
    assert "\x1b[1;31m" not in in_terminal(files(tmp_path, SPEC, MISS), NO_COLOR="1")


def test_a_terminal_gets_json_on_request(tmp_path: Path) -> None:
    assert json.loads(in_terminal([*files(tmp_path, SPEC, HIT), "--json"]))["passed"] is True


def test_markup_in_a_diff_is_shown_as_it_is(shown: str) -> None:
    assert "[red]ho[/red]" in shown
