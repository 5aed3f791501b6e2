"""The inspector in Chromium: what scripts do, what they must not do, and whether everyone can use it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.harness import GENERAL, Environment, LiveServer, Platform
from tests.inspector.conftest import AGENDA, KEY, Trials, World
from tests.receiver import PATIENCE_SECONDS

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
SERIOUS = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
    .filter(each => ["serious", "critical"].includes(each.impact))
    .map(each => each.id + ": " + each.nodes.map(node => node.target).join(" "))"""


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures go: into the documentation, to make them anew, with TWINDIFF_PICTURES=docs/images."""
    return Path(os.environ.get("TWINDIFF_PICTURES") or tmp_path)


@pytest.fixture
def page(browser: Browser, world: World) -> Iterator[Page]:
    context = browser.new_context(base_url=world.server.url, viewport={"width": 1200, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_SECONDS)
    yield context.new_page()
    context.close()


@pytest.fixture
def of_an_environment(world: World) -> list[str]:
    paths = ["", "/calls/2", "/difference", "/tables", "/tables/slack/messages", "/screens/slack", "/screens/linear"]
    paths += [f"/screens/linear/issues/{world.issue}", f'/tables/slack/messages/row?key=["{world.thread}"]']
    return [f"{world.path}{each}" for each in paths]


@pytest.fixture
def of_runs(world: World, trials: Trials) -> list[str]:
    made = world.server.client.post("/twin-runs", json={"twins": ["slack"]}).json()
    dashboard = world.server.client.get(f"/twin-runs/{made['run_id']}").json()["dashboard_url"]
    sets = ["", f"/{trials.before}", f"/{trials.before}/trials", f"/{trials.before}/compare/{trials.after}"]
    paths = ["environments", "application-runs", "runs", f"runs/{world.run}", *(f"trial-sets{each}" for each in sets)]
    return [dashboard, *(f"/inspect/{each}" for each in paths)]


@pytest.fixture
def of_the_library(world: World, trials: Trials) -> list[str]:
    id = next(each["id"] for each in world.platform.get("templates")["templates"] if each["name"] == "slack_default")
    paths = ["suites", f"suites/{trials.suite}", "templates", f"templates/{id}", "twins", "twins/slack"]
    return [f"/inspect/{each}" for each in paths]


@pytest.fixture
def of_other_screens(shop: Environment, bikes: Environment, company: Environment) -> list[str]:
    customers = shop.ask("v1/customers?limit=1", verb="GET", twin="stripe", token="sk_test_shop").json()["data"]
    items = bikes.ask("2.0/folders/0/items", verb="GET", twin="box", token="any").json()["entries"]
    folder = next(each["id"] for each in items if each["type"] == "folder")
    about = {"summary": "Review", "start": {"date": "2018-08-20"}, "end": {"date": "2018-08-22"}}
    event = company.ask("calendars/primary/events", twin="calendar", token="any", json=about).json()["id"]
    paths = [
        (shop, "stripe"),
        (shop, f"stripe/customers/{customers[0]['id']}"),
        (shop, "stripe/invoices"),
        (bikes, "box"),
        (bikes, f"box/folders/{folder}"),
        (company, "calendar"),
        (company, f"calendar/{AGENDA}/months/2018-08-01"),
        (company, f"calendar/{AGENDA}/events/{event}"),
    ]
    return [f"/inspect/environments/{environment.id}/screens/{path}" for environment, path in paths]


DARK = ("/calls/2", "/difference", "/screens/linear", "/compare/", "/dashboard", "/screens/calendar")
"""Parts of the addresses of pages that are looked at in the dark too, besides the timeline: one of each kind."""


@pytest.mark.parametrize("pages", ["of_an_environment", "of_runs", "of_the_library", "of_other_screens"])
def test_axe_finds_nothing_serious_by_light_or_in_the_dark_and_no_page_is_wider_than_a_phone(
    browser: Browser, world: World, pages: str, request: pytest.FixtureRequest
) -> None:
    context = browser.new_context(base_url=world.server.url, bypass_csp=True)
    page = context.new_page()
    addresses: list[str] = request.getfixturevalue(pages)
    dark = {each for each in addresses if each == world.path or any(part in each for part in DARK)}
    by_address = {each: problems(page, each, in_the_dark=each in dark) for each in addresses}
    context.close()
    assert {address: wrong for address, wrong in by_address.items() if wrong} == {}


def problems(page: Page, address: str, *, in_the_dark: bool) -> list[str]:
    """What is wrong with a page for some who look at it."""
    page.set_viewport_size({"width": 1200, "height": 800})
    answer = page.goto(address)
    assert answer
    assert answer.ok, address
    page.evaluate(AXE)
    wrong: list[str] = page.evaluate(SERIOUS)
    if in_the_dark:
        page.emulate_media(color_scheme="dark")
        wrong += [f"in the dark: {each}" for each in page.evaluate(SERIOUS)]
        page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 360, "height": 740})
    is_wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    return [*wrong, "wider than a phone"] if is_wide else wrong


def test_a_script_in_a_message_does_nothing(page: Page, world: World) -> None:
    for path in (f"/screens/slack/channels/{GENERAL}", "/tables/slack/messages", "/calls/1", "/difference"):
        page.goto(f"{world.path}{path}")
        assert "onerror" in page.locator("main").inner_text()
        assert page.title() != "owned"


@pytest.mark.parametrize(("name", "is_saved"), [("owned.svg", True), ("owned.html", False)])
def test_a_file_of_a_vendor_cannot_run_as_ours(page: Page, world: World, name: str, is_saved: bool) -> None:
    script = b"<svg xmlns='http://www.w3.org/2000/svg'><script>parent.document.title='owned'</script></svg>"
    mine = world.platform.environment()
    ticket = mine.slack("files.getUploadURLExternal", filename=name, length=len(script))
    world.server.client.post(ticket["upload_url"], content=script)
    (file,) = mine.slack("files.completeUploadExternal", files=[{"id": ticket["file_id"]}])["files"]
    page.goto(world.path)
    with page.expect_response("**/files-pri/**") as came:
        page.evaluate("src => document.body.append(Object.assign(new Image(), {src}))", file["url_private"])
    headers = came.value.headers
    assert ("content-disposition" in headers) == is_saved
    assert (headers["x-content-type-options"], "sandbox" in headers["content-security-policy"]) == ("nosniff", True)
    assert page.title() != "owned"


def test_a_timeline_goes_on_while_an_agent_works_and_misses_nothing_when_its_stream_is_lost(
    page: Page, world: World
) -> None:
    mine = world.platform.environment()
    page.goto(f"/inspect/environments/{mine.id}")
    expect(page.locator("[data-status]")).to_have_text("Live")
    mine.post("<b>one</b>")
    expect(page.locator("#c1")).to_contain_text("chat.postMessage")
    page.context.set_offline(True)
    mine.post("two")
    page.context.set_offline(False)
    mine.post("three")
    expect(page.locator("#c3")).to_be_visible()
    assert page.locator("tbody tr").count() == 3


SHIFTED = """() => new Promise(resolve => new PerformanceObserver(
    entries => resolve(entries.getEntries().reduce((sum, each) => sum + each.value, 0))
).observe({type: "layout-shift", buffered: true}) || setTimeout(() => resolve(0), 100))"""


def test_a_long_timeline_is_whole_and_does_not_move_under_its_reader(page: Page, world: World) -> None:
    mine = world.platform.environment()
    for n in range(60):
        mine.post(f"message {n}") if n % 2 else mine.slack("auth.test")
    page.goto(f"/inspect/environments/{mine.id}#c30")
    assert page.locator("tbody tr").count() == 60
    expect(page.locator("#c30")).to_be_in_viewport()
    page.keyboard.press("End")
    expect(page.locator("#c60")).to_be_in_viewport()
    assert page.evaluate(SHIFTED) == 0


@pytest.mark.parametrize("address", ["/", "/inspect/environments", "/inspect/runs"])
def test_lists_go_on_while_agents_work(page: Page, world: World, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twindiff.server.apis.inspector.live.SECONDS_BETWEEN_LISTS", 0.05)
    page.goto(address)
    mine = world.platform.environment(name="Made meanwhile")
    run = world.platform.start(mine)
    expect(page.get_by_text(run[:8] if address.endswith("runs") else "Made meanwhile").first).to_be_visible()
    world.platform.delete(f"env/{mine.id}")


def test_a_link_leads_from_localhost_to_its_number(page: Page, world: World) -> None:
    page.goto(f"http://localhost:{world.server.port}/inspect/environments")
    page.evaluate("to => { location.href = to }", f"http://127.0.0.1:{world.server.port}{world.path}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Both twins")


def test_a_slider_leads_to_the_table_as_it_was(page: Page, world: World) -> None:
    page.goto(f"{world.path}/tables/slack/messages")
    expect(page.get_by_role("cell", name="Shall we ship?")).to_be_visible()
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("cell", name="Shall we ship?")).to_have_count(0)
    assert "at=0" in page.url


def test_an_environment_is_forked_from_its_page_with_the_keyboard_alone(page: Page, world: World) -> None:
    page.goto(world.path)
    page.get_by_text("Checkpoint, fork, rewind, advance").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the name of a checkpoint
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # the point of a fork
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("at point 1")


def test_signing_in_leads_to_the_page_that_was_asked_for(browser: Browser, locked: LiveServer) -> None:
    mine = Platform(locked.client, KEY).environment(name="Behind a key")
    context = browser.new_context(base_url=locked.url)
    page = context.new_page()
    page.goto(f"/inspect/environments/{mine.id}")
    page.get_by_label("The server's key").fill(KEY)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Behind a key")
    context.close()


def test_pages_work_without_scripts(browser: Browser, world: World) -> None:
    context = browser.new_context(base_url=world.server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{world.path}/tables/slack/messages")
    page.get_by_label("Column").select_option("message_text")
    page.get_by_label("Comparison").select_option("contains")
    page.get_by_label("Value").fill("Friday")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("cell", name="Yes, on Friday")).to_be_visible()
    expect(page.get_by_role("cell", name="Shall we ship?")).to_have_count(0)
    context.close()


def test_pictures_of_the_documentation_can_be_taken(browser: Browser, world: World, pictures: Path) -> None:
    clock = {"mode": "steps", "start": "2026-03-02T09:00:00"}
    mine = world.platform.environment(name="Release day", clock=clock)
    thread = mine.post("Shall we ship?")
    mine.post("Yes: all checks are green.", thread_ts=thread)
    mine.slack("reactions.add", channel=GENERAL, name="rocket", timestamp=thread)
    mine.slack("conversations.setTopic", channel=GENERAL, topic="Shipping today")
    mine.slack("chat.postMessage", channel="C404", text="Done")
    world.platform.post(f"env/{mine.id}/checkpoints", {"name": "shipped"})
    mine.post("It is out.")
    company = world.platform.environment("calendar:calendar_default", user="user_agent", name="Tideline")
    context = browser.new_context(base_url=world.server.url, viewport={"width": 1000, "height": 560})
    page = context.new_page()
    shown = {
        "timeline": mine.id,
        "slack": f"{mine.id}/screens/slack/channels/{GENERAL}",
        "calendar": f"{company.id}/screens/calendar/calendars/robin.vale@tideline.example/months/2018-06-17",
    }
    for name, path in shown.items():
        page.set_viewport_size({"width": 1000, "height": 860 if name == "calendar" else 560})
        page.goto(f"/inspect/environments/{path}")
        page.screenshot(path=pictures / f"{name}.png")
        assert (pictures / f"{name}.png").stat().st_size > 10_000
    context.close()


def test_the_page_of_a_twin_run_is_kept_up_to_date(browser: Browser, world: World, pictures: Path) -> None:
    client = world.server.client
    made = client.post("/twin-runs", json={"twins": ["slack", "linear"]}).json()
    run = client.get(f"/twin-runs/{made['run_id']}").json()
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    page.goto(run["dashboard_url"])
    expect(page.get_by_text("Nothing was asked yet.")).to_be_visible()
    url = run["twins"]["slack"]["env_vars"]["SLACK_API_URL"]
    assert client.post(f"{url}/conversations.create", json={"name": "live"}).json()["ok"]
    expect(page.get_by_text("+ channels 1", exact=False)).to_be_visible()
    page.screenshot(path=pictures / "twin-run.png", full_page=True)
    assert (pictures / "twin-run.png").stat().st_size > 10_000
    context.close()
