"""The page of a run, in a browser: it follows the run while that is done, and repeats it."""

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.harness import LiveServer, succeeded
from tests.inspector.conftest import browser
from tests.inspector.test_browser import pictures
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site

__all__ = ["browser", "pictures"]

PAY = {"action": "click", "selector": "testid=pay", "expect": {"type": "text", "contains": "Paid by"}}
STEPS = [
    {"action": "fill", "selector": "Email", "value": "ada@example.com"},
    {"action": "select", "selector": "Size", "value": "Large"},
    {"action": "ask_user_question", "value": "Shall Ada pay?"},
    PAY,
]


def test_the_page_of_a_run_follows_it_and_repeats_it(
    browser: Browser, runs: Runs, live: LiveServer, site: Site, pictures: Path
):
    twins = succeeded(live.client.post("/twin-runs", json={"twins": ["slack"]}))["run_id"]
    run_id = runs.create(start_url=site.url, test_config={"steps": STEPS}, provision_id=twins)
    run = runs.until(run_id, lambda run: any(e["type"] == "ask_user_question" for e in run["events_json"]))
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(run["page_url"])
    expect(page.locator("figure")).to_have_count(2)
    said_by_slack(live, twins)
    succeeded(live.client.post(f"/test-runs/{run_id}/messages", json={"message": "yes"}))
    expect(page.locator("h1")).to_contain_text("completed")
    expect(page.locator("figure.passed img")).to_have_count(4)
    expect(page.locator(".field", has_text="Ada has paid")).to_be_visible()
    for details in page.locator("details").all():
        details.evaluate("each => each.open = true")
    page.locator(".film").evaluate("film => Promise.all([...film.querySelectorAll('img')].map(each => each.decode()))")
    page.screenshot(path=pictures / "test-run.png", full_page=True)
    assert (pictures / "test-run.png").stat().st_size > 10_000
    page.get_by_role("button", name="Run it again").click()
    expect(page).not_to_have_url(re.compile(run_id))
    context.close()
    again = re.search(r"/test-runs/(\w+)/page", page.url)
    assert again
    assert runs.get(again[1])["source_run_id"] == run_id
    succeeded(live.client.post(f"/test-runs/{again[1]}/cancel"))


def said_by_slack(live: LiveServer, twins: str) -> None:
    """Let the application tell the others."""
    variables = succeeded(live.client.get(f"/twin-runs/{twins}"))["twins"]["slack"]["env_vars"]
    headers = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}
    message = {"channel": "general", "text": "Ada has paid"}
    answer = live.client.post(f"{variables['SLACK_API_URL']}/chat.postMessage", json=message, headers=headers)
    assert succeeded(answer)["ok"]
