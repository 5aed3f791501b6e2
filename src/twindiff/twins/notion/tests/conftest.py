"""A fresh workspace for every test, over HTTP."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

ADA = "00000000-0000-4000-8000-0000000000a1"
BOT = "00000000-0000-4000-8000-0000000000b1"
HOME = "00000000-0000-4000-8000-000000000001"
LATEST = "2026-03-11"


class Notion:
    """An integration: `notion("GET", "pages/…")` gives the answer's JSON, whose status must be a success."""

    def __init__(self, environment: Environment, version: str = LATEST) -> None:
        self.environment = environment
        self.version = version

    @property
    def url(self) -> str:
        """The address that stands for https://api.notion.com."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrls"]["notion"]))

    def http(self, verb: str, path: str, **options: Any) -> httpx.Response:
        """The raw answer; paths that begin with a slash begin at the host, others at /v1."""
        full = path[1:] if path.startswith("/") else f"v1/{path}"
        headers = {"Notion-Version": self.version, **options.pop("headers", {})}
        token = options.pop("token", f"token-{BOT}")
        return self.environment.ask(full, verb=verb, twin="notion", token=token, headers=headers, **options)

    def __call__(self, verb: str, path: str, json: Any = None, **options: Any) -> Any:
        answer = self.http(verb, path, **options, **({} if json is None else {"json": json}))
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer.json()

    def refused(self, verb: str, path: str, json: Any = None, **options: Any) -> tuple[int, str, str]:
        """Status, code and message of an answer that must be an error of Notion's."""
        answer = self.http(verb, path, **options, **({} if json is None else {"json": json}))
        problem = answer.json()
        assert (problem["object"], problem["status"]) == ("error", answer.status_code), answer.text
        return answer.status_code, problem["code"], problem["message"]

    def at(self, version: str) -> Notion:
        """The same workspace by another version of the API."""
        return Notion(self.environment, version)

    def page(self, title: str = "Page", parent: Any = None, **body: Any) -> Any:
        """Make a page in the home page, or elsewhere."""
        properties = {"title": [{"text": {"content": title}}], **body.pop("properties", {})}
        return self("POST", "pages", {"parent": parent or {"page_id": HOME}, "properties": properties, **body})

    def source(self, properties: Any = None, title: str = "Tasks", **body: Any) -> str:
        """Make a database and give the id of its data source."""
        initial = {"properties": {"Name": {"title": {}}, **(properties or {})}}
        asked = {"parent": {"type": "page_id", "page_id": HOME}, "initial_data_source": initial, **body}
        made = self("POST", "databases", {**asked, "title": [{"text": {"content": title}}]})
        return made["data_sources"][0]["id"]

    def row(self, source: str, name: str, **values: Any) -> Any:
        """Make a page in a data source."""
        properties = {"Name": {"title": [{"text": {"content": name}}]}, **values}
        return self("POST", "pages", {"parent": {"data_source_id": source}, "properties": properties})

    def names(self, source: str, **query: Any) -> list[str]:
        """The titles that a query gives, in order."""
        results = self("POST", f"data_sources/{source}/query", query)["results"]
        return ["".join(text["plain_text"] for text in each["properties"]["Name"]["title"]) for each in results]

    def append(self, parent: str, *children: Any, **body: Any) -> Any:
        """Append blocks and give the results."""
        return self("PATCH", f"blocks/{parent}/children", {"children": [*children], **body})["results"]

    def diff(self, include: str = "plain") -> dict[str, list[dict[str, Any]]]:
        """What has changed since the environment was made."""
        return self.environment.platform.diff(self.environment.made["runId"], include=include)


def text_of(block: Any) -> str:
    """The plain text of a block."""
    return "".join(each["plain_text"] for each in block[block["type"]].get("rich_text", []))


def paragraph(text: str, *children: Any, kind: str = "paragraph", **content: Any) -> Any:
    """A block with a text, as a request has it."""
    below = {"children": [*children]} if children else {}
    return {kind: {"rich_text": [{"text": {"content": text}}], **below, **content}}


def rewrite_rows(notion: Notion, table: str, **columns: Any) -> Notion:
    """A copy of the workspace in which all rows of a table have other values."""
    platform = notion.environment.platform
    exported = gzip.decompress(platform.ask("GET", f"env/{notion.environment.id}/export").content)
    lines = [json.loads(line) for line in exported.splitlines()]
    for line in lines:
        if line.get("table") == table:
            line["values"] |= columns
    body = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    made = platform.ask("POST", "env/import", content=body, headers={"Content-Type": "application/gzip"})
    return Notion(Environment(platform, made.json()))


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process; SDKs reach it by its address, all else without a socket."""
    server = LiveServer(Settings())
    yield Platform(server.in_process)
    server.close()


@pytest.fixture(scope="session")
def server_url(platform: Platform) -> str:
    """The address of the server."""
    return str(platform.client.base_url)


@pytest.fixture(scope="session")
def workspace(platform: Platform) -> Callable[..., Notion]:
    """Make a workspace of a template: `workspace("notion_default", clock={"mode": "steps"})`."""

    def make(template: str = "notion_base", version: str = LATEST, **options: Any) -> Notion:
        environment = platform.environment(f"notion:{template}", BOT, tokens={f"token-{BOT}": BOT}, **options)
        environment.made["runId"] = platform.start(environment)
        return Notion(environment, version)

    return make


@pytest.fixture
def notion(workspace: Callable[..., Notion]) -> Notion:
    """An integration in a fresh workspace with one page."""
    return workspace()
