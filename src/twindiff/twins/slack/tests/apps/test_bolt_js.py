"""Bolt for JavaScript, unmodified, hears of messages and answers them, and does not answer itself.

It is looked for in the checkout's node_modules, or where TWINDIFF_SLACK_BOLT says. Nothing is fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.harness import AGENT, GENERAL, JOHN
from twindiff.twins.slack.tests.apps.test_bolt import SECRET, platform, replies, subscribe
from twindiff.twins.slack.tests.conftest import Slack

__all__ = ["platform"]  # a server that listens

CHECKOUT = Path(__file__).parents[6]
BOLT = Path(os.environ.get("TWINDIFF_SLACK_BOLT", CHECKOUT / "node_modules" / "@slack" / "bolt"))
NODE = shutil.which("node")
TOKEN = "xoxb-1-2-lunch"

pytestmark = pytest.mark.skipif(
    NODE is None or not (BOLT / "package.json").exists(),
    reason=f"there is no Node, or no @slack/bolt at {BOLT}: `npm install --no-save @slack/bolt`",
)


@pytest.fixture
def listen() -> Iterator[Callable[[Slack], str]]:
    """Start the app against a workspace, and give the address at which it hears of events."""
    started: list[subprocess.Popen[str]] = []

    def start(slack: Slack) -> str:
        command = [NODE or "", str(Path(__file__).with_name("bolt_app.js")), str(BOLT), slack.url, TOKEN, SECRET]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout
        return f"http://127.0.0.1:{started[-1].stdout.readline().strip()}/slack/events"

    yield start
    for process in started:
        process.communicate()
        assert process.returncode == 0


def test_it_answers_a_mention_and_a_message_and_not_itself(workspace, listen):
    john = workspace().as_user(JOHN)
    subscribe(john, listen(john), "app_mention", "message.channels")
    john("chat.postMessage", channel=GENERAL, text=f"<@{AGENT}> are you there?")
    assert replies(john, 1) == [f"Hello <@{JOHN}>!"]
    john("chat.postMessage", channel=GENERAL, text="Please order lunch")
    john("chat.postMessage", channel=GENERAL, text="and another lunch")
    orders = [f"One lunch for <@{JOHN}>, says B{AGENT[1:]}"] * 2
    assert replies(john, 3)[1:] == orders
    shown = john("conversations.history", channel=GENERAL)["messages"]
    assert [each["bot_id"] for each in shown[:2]] == [f"B{AGENT[1:]}"] * 2
