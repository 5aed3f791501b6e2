"""The house style that no linter knows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "twindiff"
FILES = sorted(SOURCE.rglob("*.py"))
VAGUE = {"utils", "helpers", "common", "core", "manager", "base"}


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_a_file_is_short_and_so_are_its_functions():
    assert [path for path in FILES if len(path.read_text().splitlines()) >= 500] == []
    assert [(path, name, lines) for path in FILES for name, lines in functions(path) if lines > 40] == []


def test_a_module_is_named_after_what_is_in_it():
    vague = [path for path in FILES if path.stem in VAGUE and "styles" not in path.parts]
    assert vague == []


def test_a_todo_names_its_issue():
    todo = re.compile(r"\bTODO\b(?! \(#\d+\))")
    assert [path for path in FILES if todo.search(path.read_text())] == []
