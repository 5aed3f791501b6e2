"""npm's own box-node-sdk package, as it comes, against a server on a loopback port: `node_round.mjs`.

It is looked for in the checkout's node_modules, or where TWINDIFF_BOX_NODE_SDK says. Nothing is fetched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import BEN, Box

CHECKOUT = Path(__file__).parents[5]
PACKAGE = Path(os.environ.get("TWINDIFF_BOX_NODE_SDK", CHECKOUT / "node_modules" / "box-node-sdk"))
SCRIPT = Path(__file__).with_name("node_round.mjs")


def test_box_s_client_for_node_makes_its_round(box: Box):
    node = shutil.which("node")
    if node is None or not (PACKAGE / "package.json").exists():
        pytest.skip(f"there is no Node, or no box-node-sdk at {PACKAGE}: `npm install --no-save box-node-sdk`")
    command = [node, str(SCRIPT), str(PACKAGE), box.url, box.token, BEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "etag": "1",
        "down": "harbour two",
        "found": ["plan.txt"],
        "isLinked": True,
        "role": "viewer",
        "parent": "outer",
        "trashed": ["outer"],
        "restored": "outer",
        "isWhole": True,
        "queried": ["bigger.txt", "big.txt"],
        "refused": 404,
    }
