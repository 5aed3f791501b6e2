"""The released SDK against test runs, sync and async, and the streams."""

import asyncio
import json

import httpx
import pytest
import websockets
from arga_sdk import Arga, ArgaAPIError, AsyncArga

PROMPT = 'Fill Email with ada@example.com, click "Pay now" and expect "Paid by ada@example.com"'


@pytest.fixture
def arga(live):
    with Arga(api_key="arga_sk_any", base_url=live.url) as client:
        yield client


@pytest.fixture(scope="session")
def done(live, site):
    """A url run of the SDK that has ended."""
    with Arga(api_key="arga_sk_any", base_url=live.url) as client:
        run = client.runs.create_url_run(site.url, prompt=PROMPT, session_id="abc-123", runner_mode="visual")
        assert (run.status, run.session_id) == ("queued", "abc-123")
        return client.runs.wait(run.run_id, poll_interval=0.1, timeout=60)


def test_a_url_run_is_waited_for_and_says_what_its_steps_came_to(done):
    assert (done.status, done.run_type, done.mode) == ("completed", "url_run", "visual"), done.failure_detail
    assert [each["passed"] for each in done.results_json] == [True] * 3
    assert [each["status"] for each in done.step_summaries] == ["passed"] * 3
    assert done.event_log_json[-1]["status"] == "completed"


def test_the_three_accounts_of_a_run_agree(done):
    told = [each["target_id"] for each in done.event_log_json if each["event_type"] == "step"]
    assert told == ["start", *(each["id"] for each in done.results_json)]
    assert [each["step"] for each in done.step_summaries] == [each["step"] for each in done.results_json]


def test_the_same_run_is_read_by_every_family(live, done):
    for path in ("/test-runs", "/runner/runs", "/demo-runner/runs", "/runs"):
        assert live.client.get(f"{path}/{done.run_id}").json()["status"] == "completed"
    assert done.run_id in [each["run_id"] for each in live.client.get("/validation/runs").json()["items"]]
    assert live.client.get(f"/runs/{done.run_id}/logs").json()["worker_logs"][0]["status"] == "completed"


def test_results_are_streamed_and_resumed(live, arga, done):
    events = [*arga.runs.stream_results(done.run_id)]
    assert (events[-1]["event"], events[-1]["data"]["status"]) == ("done", "completed")
    assert "step" in [event["event"] for event in events]
    path, last = f"/validate/{done.run_id}/results", events[-3]["id"]
    resumed = live.client.get(path, headers={"Last-Event-ID": last}).text
    assert [line for line in resumed.split("\n") if line.startswith("event:")] == ["event: status", "event: done"]
    assert "\r" not in resumed
    assert live.client.get(path, headers={"Last-Event-ID": "x"}).status_code == 422


def test_the_async_sdk_and_a_socket_tell_of_a_run_while_it_is_done(live, site):
    async def told(run_id):
        async with websockets.connect(f"ws{live.url[4:]}/test-runs/{run_id}/stream", open_timeout=60) as socket:
            return [json.loads(frame) async for frame in socket], socket.close_code

    async def watch():
        async with AsyncArga(api_key="arga_sk_any", base_url=live.url) as client:
            run = await client.runs.create_url_run(site.url, prompt=PROMPT)
            telling = asyncio.create_task(told(run.run_id))
            events = [event async for event in client.runs.stream_results(run.run_id)]
            return events, await client.runs.wait(run.run_id, poll_interval=0.1), await telling

    events, detail, (frames, code) = asyncio.run(watch())
    assert (frames[0]["type"], frames[-1]["message"], code) == ("snapshot", "completed", 1000)
    statuses = [event["data"]["status"] for event in events if event["event"] == "status"]
    assert statuses == ["queued", "running", "completed"]
    assert detail.status == "completed"


def test_a_run_is_cancelled_at_once_and_stays_so(arga, runs, site):
    run = arga.runs.create_url_run(f"{site.url}/", prompt="Wait 30 seconds. Expect Paid")
    assert arga.runs.cancel(run.run_id)["status"] == "cancelled"
    assert arga.runs.wait(run.run_id, poll_interval=0.1).status == "cancelled"
    assert arga.runs.cancel(run.run_id)["status"] == "cancelled"


def test_a_run_whose_page_cannot_be_opened_fails_and_is_not_waited_for_any_more(arga):
    run = arga.runs.create_url_run("http://127.0.0.1:9/", prompt='click "Pay now"')
    failed = arga.runs.wait(run.run_id, poll_interval=0.1, timeout=60)
    assert (failed.status, "127.0.0.1:9" in failed.failure_detail) == ("failed", True)


def test_a_run_that_there_is_not(arga):
    with pytest.raises(ArgaAPIError) as refused:
        arga.runs.get("nope")
    assert refused.value.status_code == 404


def test_a_saved_test_is_made_of_a_run_changed_run_and_deleted(live, runs, done):
    post, test = live.client.post, {"name": "pay", "run_id": done.run_id, "repo_full_name": "my/shop", "tags": ["pay"]}
    saved = post("/tests", json=test).json()
    assert len(saved["test_config"]["steps"]) == 3
    place = f"/tests/{saved['id']}"
    assert live.client.patch(place, json={"ci_enabled": True}).json()["ci_enabled"]
    assert [each["id"] for each in live.client.get("/tests?repo_full_name=my/shop").json()["tests"]] == [saved["id"]]
    run = runs.wait(post(f"{place}/run", json={}).json()["id"])
    assert (run["status"], run["mode"], run["repo"]) == ("completed", "saved_test", "my/shop"), run["failure_detail"]
    assert live.client.delete(place).json() == {"id": saved["id"], "status": "deleted"}
    assert live.client.get(place).status_code == 404


def test_a_bare_config_is_a_test_and_nothing_is_none(live):
    bare = {"steps": [{"action": "click", "selector": "Pay"}]}
    assert live.client.post("/tests", json=bare).json()["test_config"]["steps"][0]["id"] == "step_1"
    assert live.client.post("/tests", json={"name": "empty"}).status_code == 422


def test_checks_of_a_saved_test_that_name_no_table_of_its_twins_are_refused(live):
    gone = {"diff_type": "added", "entity": "mesages", "expected_count": 0}
    test = {"name": "pay", "prompt": "Click Pay.", "twins": ["slack"], "checks": {"version": "1", "assertions": [gone]}}
    refused = live.client.post("/tests", json=test)
    assert (refused.status_code, "Did you mean 'messages'?" in refused.json()["detail"]) == (422, True)
    right = {"version": "1", "assertions": [{**gone, "entity": "messages"}]}
    saved = live.client.post("/tests", json={**test, "checks": right}).json()
    changed = live.client.patch(f"/tests/{saved['id']}", json={"checks": test["checks"]})
    assert (changed.status_code, "Did you mean 'messages'?" in changed.json()["detail"]) == (422, True)


def test_a_test_expects_of_the_page_and_of_what_its_twins_changed(live, runs, site):
    checks = {"assertions": [{"diff_type": "added", "entity": "messages", "expected_count": 1}]}
    twin_run = live.client.post("/twin-runs", json={"twins": ["slack"]}).json()["run_id"]
    twin = live.client.get(f"/twin-runs/{twin_run}").json()["twins"]["slack"]
    send = (
        f"fetch('{twin['base_url']}/api/chat.postMessage', {{method: 'POST', body: new URLSearchParams("
        f"{{token: '{twin['env_vars']['SLACK_BOT_TOKEN']}', channel: 'general', text: 'Paid'}})}})"
        ".then(answer => answer.json()).then(said => out.innerText = said.ok ? 'Sent' : said.error)"
    )
    site.add_page("/send", f'<!doctype html><button onclick="{send}">Send</button><p id=out></p>')
    prompt = "Click Send. Expect Sent."
    asked = {"start_url": f"{site.url}/send", "provision_id": twin_run, "checks": checks}
    run = runs.run(prompt=prompt, **asked)
    assert run["status"] == "completed", run["failure_detail"]
    assert [row["message_text"] for row in run["diff"]["inserts"] if row["__table__"] == "messages"] == ["Paid"]
    silent = runs.run(prompt="Expect Send", **asked)
    assert (silent["status"], silent["failure_category"]) == ("failed", "checks")
    assert "messages" in silent["failure_detail"]
    assert silent["results_json"][-1]["id"] == "checks"


def test_with_a_key_nothing_of_a_run_is_shown_without_it(make_server, site):
    server = make_server(api_key="the-key")
    key = {"X-API-Key": "the-key"}
    run = server.client.post("/test-runs", json={"start_url": site.url}, headers=key).json()
    for path in (f"/test-runs/{run['id']}", f"/validate/{run['id']}/artifacts", f"/validate/{run['id']}/results"):
        assert server.client.get(path).status_code == 401
    assert httpx.get(run["page_url"].partition("?")[0]).status_code == 401
    assert httpx.get(run["page_url"]).status_code == 200
