"""A drafted twin of an invented API, in this process."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import httpx
import pytest

from twindiff.client import Environment
from twindiff.drafts.documents import describe
from twindiff.drafts.drafting import Draft, DraftedTwin
from twindiff.drafts.overlay import Overlay
from twindiff.local import Twindiff

from .bakery import BAKERY


def make_twin(overlay: Overlay | None = None, document: dict[str, Any] = BAKERY) -> DraftedTwin:
    return Draft(describe(deepcopy(document)), "bakery", overlay).twin()


@pytest.fixture(scope="module")
def local() -> Iterator[Twindiff]:
    with Twindiff(twins=[make_twin()]) as here:
        yield here


@pytest.fixture
def environment(local: Twindiff) -> Iterator[Environment]:
    with local.create("bakery:bakery_base", clock={"mode": "steps", "start": "2026-03-02T12:00:00"}) as made:
        yield made


@pytest.fixture
def bakery(local: Twindiff, environment: Environment) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {environment.token}"}
    transport = local.transport(environment, "bakery")
    with httpx.Client(transport=transport, base_url="https://api.bakery.test/v1", headers=headers) as client:
        yield client
