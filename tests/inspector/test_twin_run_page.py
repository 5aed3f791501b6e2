"""The page of a twin run in a browser: it shows what happens while it happens."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
from playwright.sync_api import Browser, expect

from tests.harness import LiveServer

FOLDER = "TWINDIFF_PICTURES"


def test_the_page_of_a_twin_run_is_kept_up_to_date(browser: Browser, live: LiveServer, tmp_path: Path) -> None:
    made = live.client.post("/twin-runs", json={"twins": ["slack", "linear"]}).json()
    run = live.client.get(f"/twin-runs/{made['run_id']}").json()
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    page.goto(run["dashboard_url"])
    expect(page.get_by_text("Nothing has changed yet.")).to_be_visible()
    url = run["twins"]["slack"]["env_vars"]["SLACK_API_URL"]
    assert httpx.post(f"{url}/conversations.create", json={"name": "live"}).json()["ok"]
    expect(page.get_by_text("+ channels 1", exact=False)).to_be_visible()
    picture = Path(os.environ.get(FOLDER) or tmp_path) / "twin-run.png"
    page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 10_000
    context.close()
