"""The house style that no linter knows."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import SOURCE, declarations_of

FILES = sorted(SOURCE.rglob("*.py"))
VAGUE = {"utils", "helpers", "common", "core", "manager", "base"}
MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 40
LONG_FUNCTIONS = {
    "cli/commands/serve.py serve": "one option a line",
    "cli/commands/suite_runs.py run": "one option a line",
    "server/apis/test_runs/routes.py create_test_run": "one parameter of the wire a line",
}
"""Functions that are clearer in one piece, each with the reason."""


def long_functions(path: Path) -> Iterator[str]:
    for function in declarations_of(path).functions:
        if function.lines > MAX_FUNCTION_LINES:
            yield f"{path.relative_to(SOURCE)} {function.name}"


def test_a_file_holds_one_concept_in_at_most_800_lines():
    assert [path for path in FILES if len(path.read_text().splitlines()) > MAX_FILE_LINES] == []


def test_a_function_fits_on_a_screen_or_says_why_not():
    assert {name for path in FILES for name in long_functions(path)} == LONG_FUNCTIONS.keys()


def test_a_module_is_named_after_what_is_in_it():
    vague = [path for path in FILES if path.stem in VAGUE and "styles" not in path.parts]
    assert vague == []


def test_a_todo_names_its_issue():
    todo = re.compile(r"\bTODO\b(?! \(#\d+\))")
    assert [path for path in FILES if todo.search(path.read_text())] == []
