"""The inspector in Chromium: what scripts do, what they must not do, and whether everyone can use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.harness import GENERAL, LiveServer, Platform
from tests.inspector.conftest import World
from twindiff.server import Settings

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
SERIOUS = """async () => (await axe.run()).violations
    .filter(each => ["serious", "critical"].includes(each.impact))
    .map(each => each.id + ": " + each.nodes.map(node => node.target).join(" "))"""


@pytest.fixture
def page(browser: Browser, world: World) -> Iterator[Page]:
    context = browser.new_context(base_url=world.server.url, viewport={"width": 1200, "height": 800})
    context.set_default_timeout(10_000)
    yield context.new_page()
    context.close()


def addresses(world: World) -> list[str]:
    id = next(each["id"] for each in world.platform.get("templates")["templates"] if each["name"] == "slack_default")
    inside = ["", "/calls/2", "/difference", "/tables", "/tables/slack/messages", "/screens/slack", "/screens/linear"]
    inside += [f"/screens/linear/issues/{world.issue}", f'/tables/slack/messages/row?key=["{world.thread}"]']
    rest = [
        "environments",
        "runs",
        f"runs/{world.run}",
        "suites",
        "templates",
        f"templates/{id}",
        "twins",
        "twins/slack",
    ]
    return [*(f"{world.path}{each}" for each in inside), *(f"/inspect/{each}" for each in rest), "/inspect/twins/slack"]


def test_axe_finds_nothing_serious_on_any_page(browser: Browser, world: World) -> None:
    context = browser.new_context(base_url=world.server.url, bypass_csp=True)
    page = context.new_page()
    found: dict[str, list[str]] = {}
    for address in addresses(world):
        page.goto(address)
        page.evaluate(AXE)
        if violations := page.evaluate(SERIOUS):
            found[address] = violations
    context.close()
    assert found == {}


def test_colours_are_legible_in_the_dark_too(browser: Browser, world: World) -> None:
    context = browser.new_context(base_url=world.server.url, bypass_csp=True, color_scheme="dark")
    page = context.new_page()
    for path in ("", "/difference", "/screens/linear"):
        page.goto(f"{world.path}{path}")
        page.evaluate(AXE)
        assert page.evaluate(SERIOUS) == []
    context.close()


def test_no_page_is_wider_than_a_phone(browser: Browser, world: World) -> None:
    context = browser.new_context(base_url=world.server.url, viewport={"width": 360, "height": 740})
    page = context.new_page()
    wide: list[str] = []
    for address in addresses(world):
        page.goto(address)
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            wide.append(address)
    context.close()
    assert wide == []


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


def test_signing_in_leads_to_the_page_that_was_asked_for(browser: Browser) -> None:
    server = LiveServer(Settings(api_key="k"))
    try:
        mine = Platform(server.client, "k").environment(name="Behind a key")
        context = browser.new_context(base_url=server.url)
        page = context.new_page()
        page.goto(f"/inspect/environments/{mine.id}")
        page.get_by_label("The server's key").fill("k")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Behind a key")
        context.close()
    finally:
        server.close()


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
