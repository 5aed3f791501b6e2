"""What is held to strict types."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_whole_source_is_strict_and_no_test():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pyright"]["strict"]
    named = {path for rule in rules for path in ROOT.glob(rule)}
    strict = {file for path in named for file in ([path] if path.is_file() else path.rglob("*.py"))}
    source = {file for file in (ROOT / "src").rglob("*.py") if "tests" not in file.parts}
    assert strict == {*source, ROOT / "bootstrap.py"}
