"""Sessions that were recorded against Notion in June and July 2026, replayed.

They stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

from .conftest import Notion
from .recorded_seeds import rows_before
from .recorded_sessions import Bindings, differences, read_sessions

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
FOLDER = SHARED / "recorded" / "notion"
SEEDS = SHARED / "specs" / "notion" / "replay_seeds.json"
SOURCES = {
    "notion-sdk-py.jsonl": "ramnes/notion-sdk-py",
    "ultimate-notion.jsonl.gz": "ultimate-notion/ultimate-notion",
    "notion-ruby-client.jsonl": "orbit-love/notion-ruby-client",
}
MIN_EQUAL = {"self_contained": 0.97, "seeded": 0.97}
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason=f"there are no recordings at {FOLDER}; set TWINDIFF_SHARED")
LOG = logging.getLogger(__name__)
UNKNOWN_TOKEN = 401
"""Not compared, since tokens are masked, so that an unknown one cannot be told."""


@pytest.fixture
def server() -> Iterator[LiveServer]:
    """A server for the sessions' templates."""
    made = LiveServer(Settings())
    yield made
    made.close()


def kept_objects(source: str) -> list[Any]:
    """The objects of a source that every session may need."""
    seeds = json.loads(SEEDS.read_text())
    kept = [each["object"] for each in seeds["objects"].values() if each["seen_in"].startswith(source)]
    for answer in seeds["users"].get(source, {}).values():
        kept += answer.get("results", [answer])
    return kept


def began(session: Any) -> str:
    """When a session was recorded, by the newest time in its answers."""
    times = re.findall(r'_time": "(20[0-9T:-]{14})', json.dumps(session["steps"]))
    return max(times, default="2026-07-01T00:00") + ":00"


def replay(notion: Notion, session: Any, rows: Any) -> list[tuple[Any, list[str]]]:
    """Send the steps of a session; each with its differences."""
    bindings, steps = Bindings(json.dumps(rows)), []
    for step in session["steps"]:
        body = step.get("body")
        options: dict[str, Any] = {"params": [(key, bindings.fill(value)) for key, value in step.get("query", [])]}
        if isinstance(body, dict) and "$multipart" in body:
            boundary = body["$multipart"].partition("\r\n")[0].removeprefix("--")
            options["content"] = body["$multipart"].encode()
            options["headers"] = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        elif body is not None:
            options["json"] = bindings.fill(body)
        notion.version = step["headers"].get("notion-version", notion.version)
        answer = notion.http(step["method"], bindings.fill_text(step["path"]), **options)
        got = answer.json()
        if answer.status_code != step["status"]:
            steps.append((step, [f"status {answer.status_code} for {step['status']}: {answer.text[:300]}"]))
            continue
        bindings.learn(step["response"], got)
        steps.append((step, [*differences(step["response"], got, bindings)]))
    return steps


def run_session(server: LiveServer, session: Any, kept: list[Any], template: str) -> list[tuple[Any, list[str]]]:
    """Replay a session in an environment that has what it needs."""
    rows = rows_before(session, kept)
    twin = server.service.registry.get("notion")
    server.on_loop(lambda: server.service.templates.add(twin, template, rows, origin="test"))
    users = rows.get("notion_users", [])
    actor = next((row["id"] for row in users[::-1] if row["type"] == "bot"), users[0]["id"] if users else "nobody")
    clock = {"mode": "steps", "start": began(session)}
    environment = Platform(server.in_process).environment(f"notion:{template}", actor, clock=clock)
    return replay(Notion(environment), session, rows)


def test_recorded_sessions_get_the_answers_that_notion_gave(server: LiveServer):
    equal = {"self_contained": [0, 0], "seeded": [0, 0]}
    for name, source in SOURCES.items():
        kept = kept_objects(source)
        for number, session in enumerate(read_sessions(FOLDER / name)):
            count = equal["self_contained" if session["self_contained"] else "seeded"]
            for step, different in run_session(server, session, kept, f"recorded_{number}_{source.split('/')[1]}"):
                is_equal = not different or step["status"] == UNKNOWN_TOKEN
                count[0], count[1] = count[0] + is_equal, count[1] + 1
                if not is_equal:
                    LOG.info("%s %s %s: %s", session["session"], step["method"], step["path"], different[:4])
    LOG.info(str(equal))
    assert {kind: right / all >= MIN_EQUAL[kind] for kind, (right, all) in equal.items()} == dict.fromkeys(equal, True)
