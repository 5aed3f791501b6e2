"""Generates the files of a new twin's package, by path."""

from __future__ import annotations

from pathlib import Path
from string import Template

from twindiff.drafts.names import split_words

Files = dict[str, str]

_TEXTS = Path(__file__).with_name("texts")
_COMMON = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "tests/conftest.py": "conftest.py",
    "src/{name}_twin/py.typed": "py.typed",
}


def empty_package(name: str) -> Files:
    """Return the files of a twin that stores items, as a starting point."""
    inside = f"src/{name}_twin"
    parts = {f"{inside}/{part}.py": f"{part}.py" for part in ("__init__", "tables", "errors", "items")}
    parts |= {f"{inside}/seeds/{name}_default.json": "seed.json", "tests/test_items.py": "test_items.py"}
    return _fill({**_COMMON, **parts}, name, f"{name}_default")


def drafted_package(name: str, description: Path) -> Files:
    """Return the files of a twin that is drafted from a description, with a module for handlers of its own."""
    inside = f"src/{name}_twin"
    file = f"{name}{description.suffix}"
    parts = {
        f"{inside}/__init__.py": "drafted_init.py",
        f"{inside}/draft.py": "draft.py",
        f"{inside}/operations.py": "operations.py",
        "tests/test_drafted_operations.py": "test_drafted_operations.py",
    }
    files = _fill({**_COMMON, **parts}, name, f"{name}_base", file)
    overlay = description.with_name(description.name.partition(".")[0] + ".twin.yaml")
    text = overlay.read_text(encoding="utf-8") if overlay.exists() else _text("overlay.yaml", name, "", file)
    return files | {
        f"{inside}/{name}.twin.yaml": text,
        f"{inside}/{file}": description.read_text(encoding="utf-8"),
    }


def _fill(sources: dict[str, str], name: str, template: str, file: str = "") -> Files:
    return {path.format(name=name): _text(source, name, template, file) for path, source in sources.items()}


def _text(source: str, name: str, template: str, file: str) -> str:
    text = (_TEXTS / f"{source}.txt").read_text()
    class_name = "".join(word.capitalize() for word in split_words(name))
    title = name.replace("_", " ").title()
    return Template(text).substitute(name=name, Name=class_name, title=title, template=template, file=file)
