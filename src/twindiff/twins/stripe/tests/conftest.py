"""An empty shop for every test, over HTTP; every answer is checked against the specification where that is present."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from tests.receiver import Receiver
from twindiff.server import Settings
from twindiff.twins.stripe.account.accounts import OWN
from twindiff.twins.stripe.tests.shapes import Shapes

Json = dict[str, Any]


class Stripe:
    """A shop: `stripe.post("customers", email="a@b.c")` gives the answer; parameters are nested as in the SDK."""

    def __init__(self, environment: Environment, shapes: Shapes | None, token: str = "sk_test_shop") -> None:
        self.environment = environment
        self.token = token
        self.shapes = shapes

    @property
    def url(self) -> str:
        """The base address for an SDK."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrl"]))

    def http(self, verb: str, path: str, headers: Json | None = None, **parameters: Any) -> httpx.Response:
        """The raw answer."""
        pairs = encoded(parameters)
        sent: Json = {"params": pairs} if verb != "POST" else {"data": _multi(pairs)}
        answer = self.environment.ask(
            f"v1/{path}", verb=verb, twin="stripe", token=self.token, headers=headers or {}, **sent
        )
        assert answer.status_code < 500, answer.text
        if self.shapes:
            self.shapes.check(verb, f"/v1/{path}", answer.status_code, answer.json())
        return answer

    def get(self, path: str, **parameters: Any) -> Json:
        """The answer to a GET that goes well."""
        return self._well(self.http("GET", path, **parameters))

    def post(self, path: str, **parameters: Any) -> Json:
        """The answer to a POST that goes well."""
        return self._well(self.http("POST", path, **parameters))

    def delete(self, path: str, **parameters: Any) -> Json:
        """The answer to a DELETE that goes well."""
        return self._well(self.http("DELETE", path, **parameters))

    def advance(self, *, days: float = 0, seconds: float = 0) -> list[str]:
        """Let time pass, and give the names of the work that was done."""
        asked = {"advance": days * 86_400 + seconds}
        ran = self.environment.platform.post(f"env/{self.environment.id}/clock", asked)["ran"]
        return [each["operation"] for each in ran]

    def error(self, verb: str, path: str, status: int = 400, **parameters: Any) -> Json:
        """The error of a request that is refused."""
        answer = self.http(verb, path, **parameters)
        assert answer.status_code == status, answer.text
        return answer.json()["error"]

    def _well(self, answer: httpx.Response) -> Json:
        assert answer.status_code == 200, answer.text
        return answer.json()


def encoded(value: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Parameters with brackets."""
    if isinstance(value, dict):
        return [pair for name, each in value.items() for pair in encoded(each, f"{prefix}[{name}]" if prefix else name)]
    if isinstance(value, list):
        return [pair for at, each in enumerate(value) for pair in encoded(each, f"{prefix}[{at}]")]
    return [(prefix, str(value).lower() if isinstance(value, bool) else str(value))]


def _multi(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))


@cache
def _shapes() -> Shapes | None:
    specification = SHARED / "specs" / "stripe" / "spec3_current.derived.json"
    return Shapes(json.loads(specification.read_text())) if specification.exists() else None


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process."""
    server = LiveServer(Settings())
    yield Platform(server.in_process)
    server.close()


@pytest.fixture(scope="session")
def shop(platform: Platform) -> Callable[..., Stripe]:
    """Make a shop of a template: `shop("stripe_empty", clock={"mode": "steps"})`."""

    def make(template: str = "stripe_empty", **options: Any) -> Stripe:
        return Stripe(platform.environment(f"stripe:{template}", user=OWN, **options), _shapes())

    return make


@pytest.fixture
def stripe(shop: Callable[..., Stripe]) -> Stripe:
    """An empty shop."""
    return shop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A program that is told of events."""
    made = Receiver()
    yield made
    made.close()
