"""A server that finds the Ledger twin as it finds every other: by an installed package's entry point."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

PACKAGE = Path(__file__).parents[2] / "examples" / "ledger-twin"


def install(folder: Path) -> None:
    """Write what pip would write beside an installed package."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    points = [
        line
        for group, names in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in names.items()))
    ]
    info = folder / f"ledger_twin-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text("\n".join(points))


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """The control plane of a server beside which the package is installed."""
    site = tmp_path_factory.mktemp("site")
    install(site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.syspath_prepend(PACKAGE / "src")
        server = LiveServer(Settings())
        yield Platform(server.client)
        server.close()
        for name in [name for name in sys.modules if name.partition(".")[0] == "ledger_twin"]:
            del sys.modules[name]


@pytest.fixture
def shop(platform: Platform) -> Environment:
    """An environment with a Slack workspace and the books of a flower shop."""
    return platform.environment(templates=["slack:slack_default", "ledger:flower_shop"])
