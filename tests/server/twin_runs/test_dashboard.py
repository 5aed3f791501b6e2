"""The page of a run."""

import httpx

from tests.server.twin_runs.conftest import web


def provisioned(client, **headers):
    run = client.post("/twin-runs", json={"twins": ["slack"]}, headers=headers).json()
    return client.get(f"/twin-runs/{run['run_id']}", headers=headers).json()


def test_the_page_has_the_variables_and_what_happened(live):
    run = provisioned(live.client)
    url = run["twins"]["slack"]["base_url"]
    web.post(f"{url}/api/conversations.create", json={"name": "new-room"})
    page = web.get(run["dashboard_url"])
    assert page.headers["content-type"].startswith("text/html")
    assert run["twins"]["slack"]["env_vars"]["SLACK_BOT_TOKEN"] in page.text
    assert "conversations.create" in page.text
    assert "+ channels 1" in page.text
    assert "channel_name: new-room" in page.text
    assert f"/inspect/environments/{run['environment_id']}/difference" in page.text


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
    assert web.get(run["dashboard_url"].partition("?")[0] + "/news").status_code == 401


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
    assert "channel_name: it-stays" in page
    assert "torn_down" in page
