"""Tree search: fork at every step, try several actions, go on from the best state by checks. It needs no server."""

from slack_sdk import WebClient

from twindiff.checks import evaluate
from twindiff.client import Environment
from twindiff.local import Twindiff

ROOM = "C01ABCD1234"
ACTIONS = [
    lambda slack: slack.chat_postMessage(channel=ROOM, text="We ship on Friday."),
    lambda slack: slack.conversations_setTopic(channel=ROOM, topic="Ship on Friday"),
    lambda slack: slack.conversations_setPurpose(channel=ROOM, purpose="Shipping"),
]
said = {"diff_type": "added", "entity": "messages", "where": {"message_text": {"contains": "Friday"}}}
noted = {"diff_type": "changed", "entity": "channels", "expected_changes": {"topic_text": {"to": "Ship on Friday"}}}


def score(state: Environment) -> float:
    """How much of the goal a state fulfils."""
    return evaluate({"assertions": [said, noted]}, state.diff()).score.percent


with Twindiff() as td:
    best = td.create("slack:slack_default")
    while score(best) < 100:
        branches = best.forks(len(ACTIONS))
        for act, branch in zip(ACTIONS, branches, strict=True):
            act(WebClient(token=branch.token, base_url=branch.url()))
        best = max(branches, key=score)
        print(f"step {best.seq()}: {best.journal()[-1].operation} scores {score(best):.0f}")
