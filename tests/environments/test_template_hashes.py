"""What is known of built-in templates before their rows are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from twindiff.environments import template_hashes
from twindiff.environments.registry import GROUP, Registry
from twindiff.environments.template_hashes import TemplateHashes
from twindiff.server import Service, Settings

SCHEMA = Registry.load_installed().schemas["slack"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own for what is kept."""
    monkeypatch.setenv("TWINDIFF_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package of a twin, with a file of its own, a template and a test."""
    folder = tmp_path / "package"
    for name in ("twin.py", "seeds/base.json", "tests/test_twin.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, name)
    return folder


def write(path: Path, text: str, *, lately: bool = False) -> None:
    """Write a file as it was before this process began, or `lately`."""
    path.write_text(text)
    if not lately:
        os.utime(path, (1, 1))


def known(cache: Path, package: Path | None, name: str = "base") -> str | None:
    """What another process would find."""
    template_hashes._content.cache_clear()  # pyright: ignore[reportPrivateUsage] - a process reads files once
    return TemplateHashes(cache).find(SCHEMA, package, name)


def test_a_hash_is_known_to_the_next_process(cache: Path, package: Path) -> None:
    TemplateHashes(cache).keep(SCHEMA, package, "base", "c0ffee")
    assert [known(cache, package), known(cache, package, "default"), known(cache, None)] == ["c0ffee", None, None]


@pytest.mark.parametrize(("changed", "expected"), [("twin.py", None), ("seeds/base.json", None), ("tests/x", "c0ffee")])
def test_a_hash_is_that_of_the_files_it_was_made_of(
    changed: str, expected: str | None, cache: Path, package: Path
) -> None:
    TemplateHashes(cache).keep(SCHEMA, package, "base", "c0ffee")
    write(package / changed, "changed")
    assert known(cache, package) == expected


def test_what_was_imported_of_files_that_have_changed_since_is_not_kept(cache: Path, package: Path) -> None:
    write(package / "twin.py", "changed", lately=True)
    TemplateHashes(cache).keep(SCHEMA, package, "base", "c0ffee")
    write(package / "twin.py", "changed")
    assert known(cache, package) is None


def test_the_hash_asked_for_longest_ago_makes_room(cache: Path, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_hashes, "MAX_HASHES", 1)
    TemplateHashes(cache).keep(SCHEMA, package, "base", "c0ffee")
    os.utime(next(cache.glob("*.hash")), (1, 1))
    TemplateHashes(cache).keep(SCHEMA, package, "default", "decaf")
    assert (known(cache, package), known(cache, package, "default")) == (None, "decaf")


VASES = """
from pathlib import Path
from twindiff.kit import Column, Operations, Row, Twin
from twindiff.kit.styles.base import Style

class Vase(Row, table="vases", key=("vase_id",)):
    vase_id: Column[str]

def written():
    with Path(__file__).with_suffix(".read").open("a") as told:
        told.write("read ")
    return {"vases": [{"vase_id": "V1"}]}

twin = Twin("vases", Style(), Operations(), tables=(Vase,), templates={"vases_default": written})
"""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where an installed twin notes that its template's rows were read."""
    write(tmp_path / "vases_twin.py", VASES)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "vases_twin.read"
    del sys.modules["vases_twin"]


def vase() -> str:
    """The only vase of the twin's template, in a process of its own."""
    service = Service(Settings(), Registry(points=[EntryPoint("vases", "vases_twin:twin", GROUP)]))
    template = service.templates.find_named("vases", "vases_default")
    (row,) = service.engine.template("vases", template.hash).rows(sys.modules["vases_twin"].Vase)
    service.close()
    return f"{row.vase_id} {template.hash}"


def test_rows_are_read_once_for_all_processes(cache: Path, told: Path) -> None:
    assert vase() == vase()
    assert told.read_text() == "read "


def test_rows_are_read_again_where_only_their_hash_was_kept(cache: Path, told: Path) -> None:
    first = vase()
    for image in cache.glob("*.image"):
        image.unlink()
    assert vase() == first
    assert told.read_text() == "read read "
