"""The example runs as it stands, and finds the way."""

import subprocess
import sys
from pathlib import Path

SEARCH = Path(__file__).parents[1] / "tree_search.py"


def test_the_search_reaches_its_goal() -> None:
    done = subprocess.run([sys.executable, SEARCH], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "step 1: chat.postMessage scores 50",
        "step 2: conversations.setTopic scores 100",
    ]


def test_the_search_is_short() -> None:
    assert len([line for line in SEARCH.read_text().splitlines() if line.strip()]) <= 30
