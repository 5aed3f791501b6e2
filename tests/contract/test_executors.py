"""The SDK's executors: what an agent's code asks of the vendor's host reaches its environment."""

import pytest
from agent_diff import BashExecutorProxy, PythonExecutorProxy

from tests.harness import texts

SLACK = "https://slack.com/api/chat.postMessage"

REQUESTS = f"""
import requests
answer = requests.post("{SLACK}", headers={{"Authorization": "Bearer xoxb-placeholder"}},
                       json={{"channel": "C01ABCD1234", "text": "by requests"}})
print(answer.json()["ok"])
"""
SESSION = f"""
import requests
with requests.Session() as session:
    print(session.post("{SLACK}", data={{"channel": "C01ABCD1234", "text": "by a session", "token": "x"}}).json()["ok"])
"""
URLLIB = f"""
import json, urllib.request
body = json.dumps({{"channel": "C01ABCD1234", "text": "by urllib"}}).encode()
headers = {{"Content-Type": "application/json", "Authorization": "Bearer xoxb-placeholder"}}
with urllib.request.urlopen(urllib.request.Request("{SLACK}", data=body, headers=headers)) as answer:
    print(json.load(answer)["ok"])
"""
CURL_JSON = f"""
curl -s -X POST {SLACK} -H 'Authorization: Bearer xoxb-placeholder' -H 'Content-Type: application/json' \\
  -d '{{"channel": "C01ABCD1234", "text": "by curl"}}' | grep -o '"ok":true'
"""
CURL_FORM = f"curl -s {SLACK} -H 'Authorization: Bearer x' -d channel=C01ABCD1234 -d 'text=by a form' | grep -c true"


@pytest.mark.parametrize(
    ("executor", "code", "text"),
    [
        (PythonExecutorProxy, REQUESTS, "by requests"),
        (PythonExecutorProxy, SESSION, "by a session"),
        (PythonExecutorProxy, URLLIB, "by urllib"),
        (BashExecutorProxy, CURL_JSON, "by curl"),
        (BashExecutorProxy, CURL_FORM, "by a form"),
    ],
)
def test_code_that_calls_the_vendor_writes_to_the_environment(platform, sdk, env, executor, code, text):
    run = sdk.start_run(envId=env.environmentId)
    result = executor(env.environmentId, base_url=sdk.base_url).execute(code)
    assert result["status"] == "success", result
    assert texts(platform.diff(run.runId)) == [text]
