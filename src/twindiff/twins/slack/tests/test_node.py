"""The round of node_round.js: npm's @slack/web-api, as it comes, against a server on a loopback port.

It is looked for in the checkout's node_modules, or where TWINDIFF_SLACK_WEB_API says. Nothing is fetched.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.harness import GENERAL, JOHN

CHECKOUT = Path(__file__).parents[5]
PACKAGE = Path(os.environ.get("TWINDIFF_SLACK_WEB_API", CHECKOUT / "node_modules" / "@slack" / "web-api"))
ROUND = Path(__file__).with_name("node_round.js")


def test_the_vendor_s_client_for_node_makes_its_round(slack):
    node = shutil.which("node")
    if node is None or not (PACKAGE / "package.json").exists() or not PACKAGE.parent.with_name("p-queue").exists():
        pytest.skip(f"there is no Node, or no @slack/web-api at {PACKAGE}: `npm install --no-save @slack/web-api`")
    command = [node, str(ROUND), str(PACKAGE), slack.url, slack.token, GENERAL, JOHN, "1699564800.000123"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 31
