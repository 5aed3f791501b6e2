"""The official MCP client of TypeScript, installed from npm once."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.harness import GENERAL, Platform

VERSION = "1.32.2"
FOLDER = Path(__file__).parents[3] / ".tools" / f"mcp-typescript-{VERSION}"
SCRIPT = Path(__file__).with_name("client.mjs")
INSTALL = ("npm", "install", "--no-audit", "--no-fund", "--silent", f"@modelcontextprotocol/sdk@{VERSION}")
CALLS = [
    ("slack_post_message", {"channel_id": GENERAL, "text": "Hi"}),
    ("slack_post_message", {"channel_id": "C0", "text": "Hi"}),
    ("slack_post_mesage", {}),
]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script, beside the packages that it imports."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("Node and npm are not installed")
    if not (FOLDER / "node_modules" / "@modelcontextprotocol").is_dir():
        partial = FOLDER.with_name(f"{FOLDER.name}.{tmp_path_factory.getbasetemp().parent.name}")
        partial.mkdir(parents=True, exist_ok=True)
        installed = subprocess.run(INSTALL, cwd=partial, capture_output=True, text=True, timeout=120, check=False)
        if installed.returncode:
            pytest.skip(f"npm could not install the MCP client: {installed.stderr[-200:]}")
        if not FOLDER.exists():
            partial.replace(FOLDER)
    return Path(shutil.copy(SCRIPT, FOLDER / SCRIPT.name))


def test_the_client_of_typescript_lists_and_calls_tools(platform: Platform, script: Path):
    environment = platform.environment()
    arguments = ["node", str(script), f"{environment.url}/mcp", environment.token, json.dumps(CALLS)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    said: dict[str, Any] = json.loads(done.stdout)
    posted, refused, unknown = said["results"]
    assert "slack_send_message" in said["tools"]
    assert (posted["isError"], '"ok":true' in posted["content"][0]["text"]) == (False, True)
    assert (refused["isError"], refused["content"][0]["text"]) == (True, '{"ok":false,"error":"channel_not_found"}')
    assert "Did you mean 'slack_post_message'?" in unknown["refused"]
