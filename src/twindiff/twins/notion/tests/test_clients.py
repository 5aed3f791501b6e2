"""Clients as they come: notion-client and ultimate-notion (PyPI), @notionhq/client and the official MCP server (npm).

The npm packages are looked for in the checkout's node_modules, or where TWINDIFF_NOTION_NODE says. Nothing is fetched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

from .conftest import BOT, HOME, LATEST, Notion

CHECKOUT = Path(__file__).parents[5]
NODE_MODULES = Path(os.environ.get("TWINDIFF_NOTION_NODE", CHECKOUT / "node_modules"))
CLIENT, MCP = (NODE_MODULES / "@notionhq" / name for name in ("client", "notion-mcp-server"))
SCRIPT = Path(__file__).with_name("node_round.mjs")


@pytest.fixture(scope="module")
def live() -> Iterator[Notion]:
    """A workspace that clients reach over a socket."""
    server = LiveServer(Settings())
    environment = Platform(server.client).environment("notion:notion_base", BOT, tokens={f"token-{BOT}": BOT})
    yield Notion(environment)
    server.close()


@pytest.fixture
def client(live: Notion) -> Iterator[Any]:
    """Notion's client for Python; its connections are closed at the end."""
    notion_client = pytest.importorskip("notion_client")
    with notion_client.Client(auth=f"token-{BOT}", base_url=live.url, notion_version=LATEST) as client:
        yield client


def text(content: str) -> list[dict[str, Any]]:
    return [{"text": {"content": content}}]


def test_notion_client_makes_its_round(client: Any):
    errors = pytest.importorskip("notion_client.errors")
    page = client.pages.create(parent={"page_id": HOME}, properties={"title": text("From Python")})
    client.blocks.children.append(page["id"], children=[{"paragraph": {"rich_text": text("one")}}])
    [block] = client.blocks.children.list(page["id"])["results"]
    client.blocks.update(block["id"], paragraph={"rich_text": text("two")})
    schema = {"properties": {"Name": {"title": {}}, "Size": {"number": {}}}}
    parent = {"type": "page_id", "page_id": page["id"]}
    source = client.databases.create(parent=parent, title=text("Rows"), initial_data_source=schema)["data_sources"][0][
        "id"
    ]
    client.pages.create(
        parent={"data_source_id": source}, properties={"Name": {"title": text("a")}, "Size": {"number": 2}}
    )
    large = client.data_sources.query(source, filter={"property": "Size", "number": {"greater_than": 1}})["results"]
    assert [row["properties"]["Size"]["number"] for row in large] == [2]
    with pytest.raises(errors.APIResponseError) as refused:
        client.blocks.children.append(page["id"], children=[{"paragraph": {"rich_text": "one"}}])
    assert (refused.value.code, "body.children[0].paragraph.rich_text should be an array" in str(refused.value)) == (
        "validation_error",
        True,
    )


def test_ultimate_notion_reads_and_writes_pages(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ULTIMATE_NOTION_CONFIG", str(tmp_path / "config.toml"))
    ultimate = pytest.importorskip("ultimate_notion")
    with ultimate.Session(client=client) as session:
        page = session.create_page(parent=session.get_page(HOME), title="From Ultimate Notion")
        page.append([ultimate.Heading1("Plan"), ultimate.Paragraph("one"), ultimate.ToDoItem("two")])
        page.reload()
        assert [type(block).__name__ for block in page.children] == ["Heading1", "Paragraph", "ToDoItem"]
        assert session.whoami().is_bot


def node() -> str:
    found_node = shutil.which("node")
    if found_node is None or not (CLIENT / "package.json").exists():
        pytest.skip(
            f"there is no Node, or no @notionhq/client in {NODE_MODULES}: `npm install --no-save @notionhq/client`"
        )
    return found_node


def test_notion_s_client_for_node_makes_its_round(live: Notion):
    command = [node(), str(SCRIPT), str(CLIENT), live.url, f"token-{BOT}", HOME]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "isFull": True,
        "blocks": ["paragraph", "to_do"],
        "rows": [3, 2],
        "comment": "hi",
        "upload": "uploaded",
        "me": "bot",
        "streamed": ["session.snapshot", *["event.committed"] * 3, "stream.end"],
        "agents": ["Notion Agent"],
        "refused": "object_not_found",
    }


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("API-post-search", {"query": "Tests"}),
    ("API-post-page", {"parent": {"page_id": HOME}, "properties": {"title": text("From MCP")}}),
    ("API-get-block-children", {"block_id": HOME}),
    ("API-get-self", {}),
]


def test_the_official_mcp_server_works_against_the_twin(live: Notion):
    command = shutil.which("node")
    if command is None or not (MCP / "package.json").exists():
        pytest.skip(f"there is no Node, or no @notionhq/notion-mcp-server in {NODE_MODULES}")
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *(
            {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(CALLS, 1)
        ),
    ]
    environment = {**os.environ, "BASE_URL": live.url, "NOTION_TOKEN": f"token-{BOT}"}
    with subprocess.Popen(
        [command, str(MCP / "bin" / "cli.mjs")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as server:
        assert server.stdin
        assert server.stdout
        answers: dict[int, Any] = {}
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            if "id" in message:
                answer = json.loads(server.stdout.readline())
                answers[answer["id"]] = answer["result"]
        server.terminate()
    results = [json.loads(answers[number]["content"][0]["text"]) for number in range(1, len(CALLS) + 1)]
    assert results[0]["results"][0]["id"] == HOME
    assert (results[1]["object"], results[3]["type"]) == ("page", "bot")
    assert "From MCP" in [each.get("child_page", {}).get("title") for each in results[2]["results"]]
