"""npm's own stripe package, as it comes, against a server on a loopback port: `node_round.mjs`.

It is looked for in the checkout's node_modules, or where TWINDIFF_STRIPE_NODE says; else in npm's cache. Nothing is
fetched.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[5]
SCRIPT = Path(__file__).with_name("node_round.mjs")

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")


@pytest.fixture
def package(tmp_path):
    """The folder of the package."""
    installed = Path(os.environ.get("TWINDIFF_STRIPE_NODE", CHECKOUT / "node_modules" / "stripe"))
    if installed.exists():
        return installed
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", str(tmp_path), "stripe"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip("stripe is neither installed nor in npm's cache: `npm install --no-save stripe`")
    return tmp_path / "node_modules" / "stripe"


def test_the_vendor_s_client_for_node_makes_its_round(stripe, package):
    port = str(stripe.environment.platform.client.base_url.port)
    host = f"stripe--{stripe.environment.id}.localhost"
    command = ["node", str(SCRIPT), str(package), host, port, stripe.token]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "paid": "succeeded",
        "declined": "generic_decline",
        "refunded": 500,
        "names": ["Bea", "Ada"],
        "found": 1,
        "products": [
            "succeeded",
            True,
            "canceled",
            "financial_connections.session",
            "pending",
            "climate.order",
        ],
        "event": "payment_intent.succeeded",
    }
