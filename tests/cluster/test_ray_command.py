"""`twindiff ray` where there is no Ray, and options that cannot be."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from twindiff.cli import app


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
@pytest.mark.parametrize("command", ["up", "down"])
def test_without_ray_the_command_says_what_to_install(command: str) -> None:
    done = CliRunner().invoke(app, ["ray", command])
    assert (done.exit_code, "pip install 'twindiff[ray]'" in done.output) == (1, True)
