"""The page of a run."""

import re
import subprocess

import httpx

from tests.server.twin_runs.conftest import web


def provisioned(client, **headers):
    run = client.post("/twin-runs", json={"twins": ["slack"]}, headers=headers).json()
    return client.get(f"/twin-runs/{run['run_id']}", headers=headers).json()


def test_the_page_has_the_calls_with_their_rows_and_what_differs(live):
    run = provisioned(live.client)
    url = run["twins"]["slack"]["base_url"]
    web.post(f"{url}/api/conversations.create", json={"name": "new-room"})
    page = web.get(run["dashboard_url"])
    assert page.headers["content-type"].startswith("text/html")
    assert "conversations.create" in page.text
    assert "+ channels 1" in page.text
    assert "channel_name <b>new-room</b>" in page.text
    assert f"/inspect/environments/{run['environment_id']}/difference" in page.text
    assert "/inspect/application-runs" in page.text
    assert re.search(r"<dt>Ends<dd>in \d+ min, at ", page.text)


def test_the_page_masks_the_variables_and_its_file_of_them_can_be_sourced_by_a_shell(live):
    run = provisioned(live.client)
    variables = run["twins"]["slack"]["env_vars"]
    page = web.get(run["dashboard_url"]).text
    assert "SLACK_BOT_TOKEN=•••" in page
    assert variables["SLACK_BOT_TOKEN"] not in page
    text = web.get(run["dashboard_url"].replace("/dashboard?", "/dashboard/variables.env?")).text
    sourced = subprocess.run(
        ["env", "-i", "sh", "-ac", f"{text}env"], capture_output=True, text=True, check=True
    ).stdout
    assert variables.items() <= dict(line.split("=", 1) for line in sourced.splitlines()).items()


def test_the_calls_on_the_page_can_be_filtered(live):
    run = provisioned(live.client)
    url = run["twins"]["slack"]["base_url"]
    web.post(f"{url}/api/conversations.create", json={"name": "filtered"})
    web.post(f"{url}/api/chat.delete", json={"channel": "C0", "ts": "1.1"})
    for query, shown, hidden in (
        ("calls=writes", ("conversations.create",), ("chat.delete",)),
        ("calls=refused", ("chat.delete",), ("conversations.create",)),
        ("q=DELETE", ("chat.delete",), ("conversations.create",)),
        ("twin=linear", ("No call is like that.",), ("chat.delete",)),
    ):
        page = web.get(f"{run['dashboard_url']}&{query}").text
        assert all(f"<td>{each}" in page or each == "No call is like that." in page for each in shown), query
        assert not any(f"<td>{each}" in page for each in hidden), query


def test_the_page_extends_resets_and_ends_its_run(live):
    run = provisioned(live.client)
    web.post(f"{run['twins']['slack']['base_url']}/api/conversations.create", json={"name": "soon-gone"})
    ends = live.client.get(f"/twin-runs/{run['run_id']}").json()["expires_at"]
    for action in ("extend", "reset"):
        answer = web.post(run["dashboard_url"].replace("/dashboard?", f"/dashboard/{action}?"), follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (
            303,
            run["dashboard_url"].partition(str(live.url))[2],
        )
    assert live.client.get(f"/twin-runs/{run['run_id']}").json()["expires_at"] > ends
    assert "soon-gone" not in web.get(run["dashboard_url"]).text
    web.post(run["dashboard_url"].replace("/dashboard?", "/dashboard/teardown?"))
    assert live.client.get(f"/twin-runs/{run['run_id']}").json()["status"] == "torn_down"


def test_what_was_asked_is_text_on_the_page(live):
    run = provisioned(live.client)
    web.post(f"{run['twins']['slack']['base_url']}/api/<script>alert(1)<%2Fscript>")
    page = web.get(run["dashboard_url"])
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_the_page_of_a_run_that_has_ended_says_so(live):
    run = provisioned(live.client)
    live.client.post(f"/twin-runs/{run['run_id']}/teardown")
    assert "has ended" in web.get(run["dashboard_url"]).text


def test_the_page_is_told_of_each_operation_while_it_happens(live):
    run = provisioned(live.client)
    news = run["dashboard_url"].replace("/dashboard", "/dashboard/news")
    with httpx.stream("GET", news, timeout=30) as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": still here"
        web.post(f"{run['twins']['slack']['base_url']}/api/conversations.create", json={"name": "told"})
        assert next(line for line in lines if line.startswith("data:")) == "data: 1"


def test_with_a_key_the_page_asks_for_the_proxy_token(make_server):
    server = make_server(api_key="the-key")
    run = provisioned(server.client, **{"X-API-Key": "the-key"})
    assert web.get(run["dashboard_url"]).status_code == 200
    assert web.get(run["dashboard_url"].partition("?")[0]).status_code == 401
    for rest in ("/news", "/variables.env"):
        assert web.get(run["dashboard_url"].partition("?")[0] + rest).status_code == 401
    assert web.post(run["dashboard_url"].partition("?")[0] + "/teardown").status_code == 401


def test_the_diff_the_log_and_the_page_of_a_run_outlive_its_teardown(live):
    run = provisioned(live.client)
    url = run["twins"]["slack"]["base_url"]
    web.post(f"{url}/api/conversations.create", json={"name": "it-stays"})
    live.client.post(f"/twin-runs/{run['run_id']}/teardown")
    assert web.post(f"{url}/api/auth.test").status_code == 410
    environment = f"/api/platform/env/{run['environment_id']}"
    diff = live.client.get(f"{environment}/diff").json()["diff"]
    assert "it-stays" in [row.get("channel_name") for row in diff["inserts"]]
    assert live.client.get(f"{environment}/calls").json()["calls"]
    page = web.get(run["dashboard_url"]).text
    assert "channel_name <b>it-stays</b>" in page
    assert "torn_down" in page
