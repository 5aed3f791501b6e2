"""A fresh workspace for every test, over HTTP."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
JOHN = "2dcc8dc2-ca19-475d-9882-3ba5e911e7ec"
SARAH = "03b0809e-713e-44ee-95de-b7a198b135ac"
ENG = "ad608998-915c-4bad-bcd9-85ebfccccee8"
PROD = "58c03c85-7b0c-466d-9a4c-120209fccb56"
BACKLOG = "8708b274-82d1-4769-bb1a-c4937db76d0f"
UNSTARTED = "741f29ae-cfb3-4b8a-a1f8-c5161c842366"
IN_PROGRESS = "6963a682-5967-477a-9afc-0b8a5b70b070"
DONE = "4334c4ee-405c-4d2c-bf25-4dcb7a8c0512"
URGENT = "6c2b0d3c-3d6d-4d91-9a77-b93b59b8d5a0"
UX = "f9c5b7c8-3909-4f8b-bc25-73e1b56a9c0c"
RL = "8f01ce9d-1433-4c4c-969d-21ca3bf2718f"
KEYS = {f"lin_api_{user}": user for user in (AGENT, JOHN, SARAH)}
CHECKOUT = Path(__file__).parents[5]
SHARED = Path(os.environ.get("TWINDIFF_SHARED", CHECKOUT.parent / "shared"))
SEED = Path(__file__).parents[1] / "seeds" / "linear_default.json"

Rows = dict[str, list[dict[str, Any]]]


class Linear:
    """One user of one workspace: `linear("{ viewer { id } }")` gives the data of an answer without errors."""

    def __init__(self, environment: Environment, user: str = AGENT) -> None:
        self.environment = environment
        self.key = f"lin_api_{user}"

    @property
    def url(self) -> str:
        """The address for an SDK."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrl"])) + "/graphql"

    def http(self, verb: str = "POST", path: str = "graphql", **options: Any) -> httpx.Response:
        """The raw answer; `options` are httpx's."""
        headers = {"Authorization": self.key} | options.pop("headers", {})
        return self.environment.ask(path, verb=verb, twin="linear", token="", headers=headers, **options)

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """The whole answer, errors included."""
        return self.http(json={"query": query, "variables": variables}).json()

    def __call__(self, query: str, **variables: Any) -> dict[str, Any]:
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def error(self, query: str, **variables: Any) -> dict[str, Any]:
        """The only error of an answer that has one."""
        (error,) = self.ask(query, **variables)["errors"]
        return error

    def refusal(self, query: str, **variables: Any) -> str:
        """What the only error of an answer says to people."""
        return self.error(query, **variables)["extensions"]["userPresentableMessage"]

    def create(self, entity: str, fields: str = "id", **values: Any) -> Any:
        """`create("issue", teamId=…, title=…)` by the entity's create mutation."""
        kind = entity[:1].upper() + entity[1:]
        query = (
            f"mutation($input: {kind}CreateInput!) {{ {entity}Create(input: $input) {{ {entity} {{ {fields} }} }} }}"
        )
        return self(query, input=values)[f"{entity}Create"][entity]

    def update(self, entity: str, key: str, fields: str = "id", **values: Any) -> Any:
        kind = entity[:1].upper() + entity[1:]
        query = (
            f"mutation($id: String!, $input: {kind}UpdateInput!) "
            f"{{ {entity}Update(id: $id, input: $input) {{ {entity} {{ {fields} }} }} }}"
        )
        return self(query, id=key, input=values)[f"{entity}Update"][entity]

    def issue(self, fields: str = "id", **values: Any) -> Any:
        return self.create("issue", fields, **{"teamId": ENG, "title": "Oil the left gripper", **values})

    def as_user(self, user: str) -> Linear:
        """The same workspace for another user."""
        return Linear(self.environment, user)

    def diff(self, include: str = "plain") -> dict[str, list[dict[str, Any]]]:
        """What has changed since the environment was made."""
        return self.environment.platform.diff(self.environment.made["runId"], include=include)

    def changed(self, include: str = "plain") -> list[tuple[str, list[str]]]:
        """Tables and columns of the updates in the diff, without the time of the change."""
        updates = self.diff(include)["updates"]
        return [(each["__table__"], [name for name in each["changed"] if name != "updatedAt"]) for each in updates]

    def added(self) -> list[str]:
        """Tables of the rows that the diff adds."""
        return [row["__table__"] for row in self.diff()["inserts"]]


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process; SDKs reach it by its address, all else without a socket."""
    server = LiveServer(Settings())
    yield Platform(server.in_process)
    server.close()


@pytest.fixture
def workspace(platform: Platform) -> Callable[..., Linear]:
    """Make a workspace of a template: `workspace("linear_default", clock={"mode": "steps"})`."""

    def make(template: str = "linear_default", user: str = AGENT, **options: Any) -> Linear:
        environment = platform.environment(f"linear:{template}", user, **{"tokens": KEYS, **options})
        environment.made["runId"] = platform.start(environment)
        return Linear(environment, user)

    return make


@pytest.fixture
def workspace_with(platform: Platform, workspace: Callable[..., Linear]) -> Callable[..., Linear]:
    """Make a workspace of linear_default with rows added or, by id, changed: `workspace_with(teams=[{…}])`."""

    def make(**rows: list[dict[str, Any]]) -> Linear:
        seed: Rows = json.loads(SEED.read_text())
        name = f"linear_{uuid4().hex}"
        for table, more in rows.items():
            known = {row.get("id", str(n)): row for n, row in enumerate(seed.get(table, []))}
            for n, row in enumerate(more):
                key = row.get("id", f"new {n}")
                known[key] = {**known.get(key, {}), **row}
            seed[table] = [*known.values()]
        platform.post("import", {"files": {f"{name}.json": seed}})
        return workspace(name)

    return make


@pytest.fixture
def linear(workspace: Callable[..., Linear]) -> Linear:
    """The agent in a fresh workspace of linear_default."""
    return workspace()


@pytest.fixture(scope="session")
def outcome_of() -> Iterator[Callable[..., Any]]:
    """Queries about the enriched rows, answered in process: `outcome_of(query, **variables)`."""
    from .enriched import outcomes

    yield from outcomes()
