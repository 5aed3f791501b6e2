"""The example runs as it stands, against a server that is told by the environment."""

import os
import subprocess
import sys
from pathlib import Path

from tests.harness import LiveServer
from twindiff.server import Settings

AGENT = Path(__file__).parents[1] / "slack_agent.py"


def test_the_agent_answers_in_a_thread_and_passes() -> None:
    server = LiveServer(Settings())
    environment = {**os.environ, "AGENT_DIFF_BASE_URL": server.url, "NO_PROXY": "127.0.0.1"}
    done = subprocess.run([sys.executable, AGENT], env=environment, capture_output=True, text=True, check=False)
    server.close()
    assert done.returncode == 0, done.stderr
    assert '"message_text": "I am, until midnight."' in done.stdout
    assert done.stdout.rstrip().endswith("passed: 1 of 1")
