"""Names that the house does without."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "twindiff"


def names_given(path: Path) -> Iterator[tuple[str, int]]:
    """Names of parameters and variables, each with its line."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)):
                yield name, node.lineno
            case _:
                pass


def test_what_was_found_is_named_after_what_it_is():
    files = [path for path in sorted(SOURCE.rglob("*.py")) if "tests" not in path.relative_to(SOURCE).parts]
    having = [path for path in files if re.search(r"\bfound\b", path.read_text())]
    places = [
        f"{path.relative_to(ROOT)}:{line}" for path in having for name, line in names_given(path) if name == "found"
    ]
    advice = "`found` does not say what was found: name it (`file`, `members`, `matches`), or return it at once"
    assert places == [], advice
