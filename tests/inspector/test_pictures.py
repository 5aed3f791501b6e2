"""The pictures of the documentation, made anew with TWINDIFF_PICTURES=docs/images and this test."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Browser

from tests.harness import GENERAL, LiveServer, Platform
from twindiff.server import Settings

FOLDER = "TWINDIFF_PICTURES"


def test_pictures_of_the_documentation_can_be_taken(browser: Browser, tmp_path: Path) -> None:
    folder = Path(os.environ.get(FOLDER) or tmp_path)
    server = LiveServer(Settings())
    try:
        platform = Platform(server.client)
        clock = {"mode": "steps", "start": "2026-03-02T09:00:00"}
        mine = platform.environment(name="Release day", clock=clock)
        thread = mine.post("Shall we ship?")
        mine.post("Yes: all checks are green.", thread_ts=thread)
        mine.slack("reactions.add", channel=GENERAL, name="rocket", timestamp=thread)
        mine.slack("conversations.setTopic", channel=GENERAL, topic="Shipping today")
        mine.slack("chat.postMessage", channel="C404", text="Done")
        platform.post(f"env/{mine.id}/checkpoints", {"name": "shipped"})
        mine.post("It is out.")
        context = browser.new_context(base_url=server.url, viewport={"width": 1000, "height": 560})
        page = context.new_page()
        for name, path in (("timeline", ""), ("slack", f"/screens/slack/channels/{GENERAL}")):
            page.goto(f"/inspect/environments/{mine.id}{path}")
            page.screenshot(path=folder / f"{name}.png")
            assert (folder / f"{name}.png").stat().st_size > 10_000
        context.close()
    finally:
        server.close()
