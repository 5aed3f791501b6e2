"""Sessions of the real API that public clients recorded get the same answers from the twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings
from twindiff.twins.github import twin

from .conftest import Hub
from .recorded import (
    FOLDER,
    SPEC,
    RecordedSession,
    explain,
    is_equal,
    load_replay,
    masks_of,
    read_sessions,
    template_rows,
)

MIN_EQUAL_STEPS = 0.95
"""The part of the steps that can be equal which must be."""
MAX_EXPLAINED_STEPS = 0.15
has_recordings = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"there are no recordings at {FOLDER}; set TWINDIFF_SHARED"
)


@pytest.fixture(scope="module")
def replayed() -> Iterator[tuple[Any, list[RecordedSession], Platform]]:
    """The program, the sessions, and a server with a template that has their accounts."""
    replay = load_replay()
    sessions = list(read_sessions(replay))
    names = [f"github_recorded_{number}" for number in range(len(sessions))]
    twin.templates.update({name: partial(template_rows, [each]) for name, each in zip(names, sessions, strict=True)})
    server = LiveServer(Settings())
    yield replay, sessions, Platform(server.client)
    server.close()
    for name in names:
        del twin.templates[name]


@has_recordings
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_recorded_steps_get_the_same_answers(replayed: tuple[Any, list[RecordedSession], Platform]):
    replay, sessions, platform = replayed
    known, totals, failures = replay.spec_keys(str(SPEC)), Counter[str](), Counter[str]()
    for number, session in enumerate(sessions):
        hub = Hub(platform.environment(f"github:github_recorded_{number}", session.caller), session.caller)
        base, token = hub.url.rstrip("/"), f"Bearer {hub.environment.token}"
        _, _, fails = replay.replay(session.raw, base, {}, masks_of(session).items(), known, token)
        fails = [fail for fail in fails if not is_equal(fail)]
        reasons = [explain(session.raw, fail) for fail in fails]
        unexplained = [fail for fail, reason in zip(fails, reasons, strict=True) if not reason]
        totals.update(
            steps=len(session.raw["steps"]), unequal=len(unexplained), explained=len(fails) - len(unexplained)
        )
        failures.update(f"{session.name} {fail}" for fail in unexplained)
    comparable = totals["steps"] - totals["explained"]
    assert totals["unequal"] <= (1 - MIN_EQUAL_STEPS) * comparable, (totals, list(failures))
    assert totals["explained"] <= MAX_EXPLAINED_STEPS * totals["steps"], totals
