"""The books of a flower shop, in this process; the fixture `twindiff_environment` is Twindiff's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from ledger_twin import twin

from twindiff.client import Environment
from twindiff.local import Twindiff

NOON = "2026-03-02T12:00:00"
SALE = {"from_account": "sales", "to_account": "cash", "amount": 2500, "memo": "Tulips"}


@pytest.fixture(scope="session")
def twindiff() -> Iterator[Twindiff]:
    """The twin of this package, whether or not it is installed."""
    with Twindiff(twins=[twin]) as here:
        yield here


@pytest.fixture
def shop(twindiff_environment: Callable[..., Environment]) -> Environment:
    """An environment with the books, at noon; each writing operation takes a second."""
    return twindiff_environment("ledger:flower_shop", clock={"mode": "steps", "start": NOON})


@pytest.fixture
def client(twindiff: Twindiff, shop: Environment) -> Iterator[httpx.Client]:
    """A client of the twin, as an SDK of the vendor would be one."""
    transport, headers = twindiff.transport(shop, "ledger"), {"Authorization": f"Bearer {shop.token}"}
    with httpx.Client(transport=transport, base_url="https://ledger.test", headers=headers) as client:
        yield client


@pytest.fixture
def sale() -> dict[str, Any]:
    """The entry of a sale as it is posted."""
    return {**SALE}


@pytest.fixture
def post_sale(client: httpx.Client) -> Callable[[], dict[str, Any]]:
    """Post the entry of a sale."""

    def post() -> dict[str, Any]:
        answer = client.post("/entries", json=SALE)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return post
