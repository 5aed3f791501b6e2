"""npm's @better-auth/stripe, as it comes, against a server on a loopback port: `better_auth.mjs`.

It is looked for in the checkout's node_modules, or where TWINDIFF_BETTER_AUTH says. Nothing is fetched.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[6]
PACKAGES = Path(os.environ.get("TWINDIFF_BETTER_AUTH", CHECKOUT / "node_modules"))
SCRIPT = Path(__file__).with_name("better_auth.mjs")
INSTALL = "npm install --no-save --legacy-peer-deps better-auth @better-auth/stripe stripe@23"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here"),
    pytest.mark.skipif(not (PACKAGES / "@better-auth" / "stripe").exists(), reason=f"{PACKAGES} lacks it: `{INSTALL}`"),
]


def test_a_user_subscribes_changes_the_plan_and_cancels(stripe):
    port = str(stripe.environment.platform.client.base_url.port)
    host = f"stripe--{stripe.environment.id}.localhost"
    command = ["node", str(SCRIPT), str(PACKAGES), host, port, stripe.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "steps": [[["basic", "active", False]], [["pro", "active", False]], [["pro", "active", True]]],
        "refused": [],
        "again": "The subscription is already set to be canceled at period end.",
    }
