"""Scripted agents for two tests of the starter suite."""

from typing import Any

Json = dict[str, Any]

RENAME = "Slack: rename a channel"
TOPIC = "Slack: set a topic"
RANDOM = "C02EFGH5678"


def slack(method: str, **body: Any) -> Json:
    """What the agent asks of Slack."""
    return {"api": "slack", "method": "POST", "path": method, "body": body}


LOOK = slack("conversations.list")
SOLUTION = slack("conversations.rename", channel=RANDOM, name="small-talk")
MISTAKE = slack("conversations.rename", channel=RANDOM, name="chit-chat")
