"""What a page has scheduled, as it is asked before an absence is believed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.browser.page_timers import OVERDUE_SECONDS, PENDING_SECONDS, RECORD_TIMERS


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    try:
        path = chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.add_init_script(RECORD_TIMERS)
        page.goto("data:text/html,<p>Timers")
        yield page
        browser.close()


def ask(page: Page, script: str) -> float:
    """The seconds that a page is to be waited for, in the moment when a script has run, before any timer runs."""
    return page.evaluate(f"() => {{ {script}; return ({PENDING_SECONDS})(5)[0] }}")


def test_a_timer_that_is_due_but_has_not_run_is_waited_for(page: Page) -> None:
    late = "const id = setTimeout(() => {}), end = performance.now() + 2; while (performance.now() < end);"
    assert ask(page, late) == OVERDUE_SECONDS


@pytest.mark.parametrize("set", ["setTimeout(() => {}, 60)", "setInterval(() => {}, 60)"])
@pytest.mark.parametrize("clear", ["clearTimeout(id)", "clearInterval(id)", "clearTimeout(String(id))"])
def test_a_timer_that_was_cleared_is_not_waited_for(page: Page, set: str, clear: str) -> None:
    page.reload()
    assert ask(page, f"const id = {set}") > 0
    page.reload()
    assert ask(page, f"const id = {set}; {clear}") == 0
