"""Linear's own SDK in Node against the twin: `test_sdk.mjs`.

The package is installed in the checkout's node_modules, unpacked where TWINDIFF_LINEAR_SDK says, or in npm's cache:
`npm install --no-save @linear/sdk`. Nothing is fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import AGENT, CHECKOUT

SCRIPT = Path(__file__).with_suffix(".mjs")

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of @linear/sdk, with what it depends on."""
    installed = Path(os.environ.get("TWINDIFF_LINEAR_SDK", CHECKOUT / "node_modules" / "@linear" / "sdk"))
    if installed.exists():
        return installed
    folder = tmp_path_factory.mktemp("npm")
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", str(folder), "@linear/sdk"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip("@linear/sdk is neither installed nor in npm's cache: `npm install --no-save @linear/sdk`")
    return folder / "node_modules" / "@linear" / "sdk"


def test_the_vendor_s_sdk_works_unmodified(workspace, package):
    linear = workspace("linear_workspace", tokens={f"lin_api_{AGENT}": AGENT})
    surroundings = {**os.environ, "LINEAR_SDK": str(package), "LINEAR_URL": linear.url, "LINEAR_KEY": linear.key}
    command = ["node", "--test", "--test-reporter=tap", str(SCRIPT)]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
