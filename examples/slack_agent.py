"""An agent's Slack session, seen and judged. Start `twindiff serve` first; AGENT_DIFF_BASE_URL says where it is."""

import json
import os

from agent_diff import AgentDiff
from slack_sdk import WebClient

server = os.environ.get("AGENT_DIFF_BASE_URL", "http://127.0.0.1:8000")
client = AgentDiff(base_url=server)

environment = client.init_env(templateService="slack", templateName="slack_default", impersonateUserId="U01AGENBOT9")
run = client.start_run(envId=environment.environmentId)

# This is where your agent works; the SDK speaks to the twin as it would to Slack.
slack = WebClient(token="xoxb-any", base_url=f"{server}{environment.environmentUrl}/")
question, *_ = slack.conversations_history(channel="C01ABCD1234").get("messages", [])
slack.chat_postMessage(channel="C01ABCD1234", text="I am, until midnight.", thread_ts=question["ts"])

answered = {
    "diff_type": "added",
    "entity": "messages",
    "where": {"parent_id": question["ts"], "message_text": {"i_contains": "i am"}},
    "expected_count": 1,
}
verdict = client.evaluate_run(runId=run.runId, expectedOutput={"assertions": [answered]})
result = client.get_results_for_run(run.runId)
print(json.dumps(result.diff, indent=2))
print(f"{verdict.status}: {verdict.score['passed']} of {verdict.score['total']}", *result.failures, sep="\n")
client.delete_env(environment.environmentId)
