"""A fresh enterprise for every test, over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings
from twindiff.twins.box.wire_style import JSON_PATCH

PATCHED = re.compile(r"(?:files|folders)/[^/]+/metadata/|^metadata_templates/")
"""Paths at which `PUT` takes a JSON Patch."""
ADA, BEN, CLEO = "22010040001", "22010040002", "22010040003"


class Box:
    """One user of one enterprise: `box("GET", "folders/0")` gives the answer's JSON, whose status must be a success."""

    def __init__(self, environment: Environment, user: str = ADA) -> None:
        self.environment = environment
        self.token = f"token-{user}"

    @property
    def url(self) -> str:
        """The address that stands for https://api.box.com."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrls"]["box"]))

    def http(self, verb: str, path: str, **options: Any) -> httpx.Response:
        """The raw answer; paths that begin with a slash begin at the host, others at /2.0."""
        full = path[1:] if path.startswith("/") else f"2.0/{path}"
        if verb == "PUT" and PATCHED.search(path):
            options["headers"] = {"content-type": JSON_PATCH, **options.get("headers", {})}
        return self.environment.ask(full, verb=verb, twin="box", token=options.pop("token", self.token), **options)

    def __call__(self, verb: str, path: str, json: Any = None, **options: Any) -> Any:
        answer = self.http(verb, path, **options, **({} if json is None else {"json": json}))
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def refused(self, verb: str, path: str, json: Any = None, **options: Any) -> tuple[int, str]:
        """Status and code of an answer that must be an error of Box's."""
        answer = self.http(verb, path, **options, **({} if json is None else {"json": json}))
        problem = answer.json()
        assert "request_id" in problem, answer.text
        return answer.status_code, problem["code"]

    def upload(self, name: str = "a.txt", data: bytes = b"Hello", parent: str = "0", **options: Any) -> Any:
        """Upload a file and give it."""
        answer = self.sent(name, data, parent, **options)
        assert answer.status_code == 201, answer.text
        return answer.json()["entries"][0]

    def sent(self, name: str, data: bytes, parent: str = "0", path: str = "/api/2.0/files/content", **options: Any):
        attributes = {"name": name, "parent": {"id": parent}, **options.pop("attributes", {})}
        form = {"attributes": json.dumps(attributes)}
        return self.http("POST", path, data=form, files={"file": (name, data)}, **options)

    def new_version(self, file_id: str, data: bytes, attributes: Any = None, **options: Any) -> httpx.Response:
        """Upload a new version of a file."""
        form = {"attributes": json.dumps(attributes or {})}
        path = f"/api/2.0/files/{file_id}/content"
        return self.http("POST", path, data=form, files={"file": ("x", data)}, **options)

    def folder(self, name: str, parent: str = "0") -> str:
        """Make a folder and give its id."""
        return self("POST", "folders", {"name": name, "parent": {"id": parent}})["id"]

    def bytes_of(self, file_id: str, **options: Any) -> bytes:
        """What a file holds, by way of the address that its content is at."""
        asked = self.http("GET", f"files/{file_id}/content", **options)
        assert asked.status_code == 302, asked.text
        return self.environment.platform.client.get(asked.headers["Location"]).content

    def names(self, folder: str = "0", **query: Any) -> list[str]:
        """The names of a folder's items in order."""
        return [entry["name"] for entry in self("GET", f"folders/{folder}/items", params=query)["entries"]]

    def as_user(self, user: str) -> Box:
        """The same enterprise for another user."""
        return Box(self.environment, user)

    def diff(self, include: str = "plain") -> dict[str, list[dict[str, Any]]]:
        """What has changed since the environment was made."""
        return self.environment.platform.diff(self.environment.made["runId"], include=include)


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process; SDKs reach it by its address, all else without a socket."""
    server = LiveServer(Settings())
    yield Platform(server.in_process)
    server.close()


@pytest.fixture
def enterprise(platform: Platform) -> Callable[..., Box]:
    """Make an enterprise of a template: `enterprise("box_default", clock={"mode": "steps"})`."""

    def make(template: str = "box_base", user: str = ADA, **options: Any) -> Box:
        tokens = {f"token-{each}": each for each in (ADA, BEN, CLEO, user)}
        environment = platform.environment(f"box:{template}", user, tokens=tokens, **options)
        environment.made["runId"] = platform.start(environment)
        return Box(environment, user)

    return make


@pytest.fixture
def box(enterprise: Callable[..., Box]) -> Box:
    """The administrator in a fresh enterprise with three users and no files."""
    return enterprise()


@pytest.fixture
def ben(box: Box) -> Box:
    """Another user of the same enterprise."""
    return box.as_user(BEN)


@pytest.fixture
def cleo(box: Box) -> Box:
    """A third user of the same enterprise."""
    return box.as_user(CLEO)
