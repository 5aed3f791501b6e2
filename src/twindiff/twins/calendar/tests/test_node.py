"""npm's own googleapis package, as it comes, against a server on a loopback port: `node_round.mjs`.

It is looked for in the checkout's node_modules, or where TWINDIFF_GOOGLEAPIS says. Nothing is fetched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import CHECKOUT, Calendar

PACKAGE = Path(os.environ.get("TWINDIFF_GOOGLEAPIS", CHECKOUT / "node_modules" / "googleapis"))
SCRIPT = Path(__file__).with_name("node_round.mjs")


def test_google_s_client_for_node_makes_its_round(calendar: Calendar):
    node = shutil.which("node")
    if node is None or not (PACKAGE / "package.json").exists():
        pytest.skip(f"there is no Node, or no googleapis at {PACKAGE}: `npm install --no-save googleapis`")
    command = [node, str(SCRIPT), str(PACKAGE), f"{calendar.url}/", calendar.token]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "seen": {"summary": "Review", "start": {"dateTime": "2018-06-18T00:00:00-07:00"}},
        "days": ["2018-06-18", "2018-06-19", "2018-06-20"],
        "refused": [404, "notFound"],
        "busy": [{"start": "2018-06-18T07:00:00Z", "end": "2018-06-18T08:00:00Z"}],
        "changes": [[True, "cancelled"]],
    }
