"""What one agent can do to sixteen others: requests that ask for far too much, sent to a server that others use.

Run it with `python benchmarks/hostile.py [seconds of each window]`. A server in a process of its own on a loopback
port; sixteen clients in another process each post a message, read, search and delete it, in environments of their own,
as fast as they are answered.
They do so alone, and then while one more client sends one of the requests over and over with an agent's token.

For each: what came of the request, how long it took, the p99 and the longest wait of the others in milliseconds, alone
and beside it, measured in turns, and the p99 as a multiple of what it is alone.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import httpx
import msgspec
import uvicorn

from twindiff.server import Gateway, Service, Settings
from twindiff.server.protocol import HttpProtocol
from twindiff.server.runtime.tuning import tune_process

AGENT, GENERAL = "U01AGENBOT9", "C01ABCD1234"
LINEAR_AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
CLIENTS = 16
WINDOWS = 5
"""How often they are measured alone and beside a request."""
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


class Hostile(NamedTuple):
    """A request to a twin; `team` is put into its body for the id of a team."""

    twin: str
    path: str
    body: bytes
    kind: str = JSON


def graphql(query: str, **variables: Any) -> Hostile:
    return Hostile("linear", "graphql", msgspec.json.encode({"query": query, "variables": variables}))


def slack(method: str, **parameters: Any) -> Hostile:
    return Hostile("slack", method, msgspec.json.encode(parameters))


def conditions(count: int) -> dict[str, Any]:
    return {"or": [{"title": {"containsIgnoreCase": f"word {number}"}} for number in range(count)]}


def nested(levels: int) -> dict[str, Any]:
    condition: dict[str, Any] = {"title": {"eq": "none"}}
    for _ in range(levels):
        condition = {"assignee": {"assignedIssues": {"some": condition}}}
    return condition


def aliased(count: int, field: str, kind: str = "") -> Hostile:
    """One document that asks for the same many times."""
    return graphql(f"{kind} {{ {' '.join(f'a{number}: {field}' for number in range(count))} }}")


FILTER = "query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }"
BATCH = "mutation($i: IssueBatchCreateInput!) { issueBatchCreate(input: $i) { success } }"
CREATE = 'issueCreate(input: {teamId: "team", title: "x"}) { success }'
POST = "chat.postMessage"
FIELDS = b"&".join(b"a%d=b" % number for number in range(50_000))
ESCAPES = b"text=" + b"%41" * 300_000
PART = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'
CALL = b"--b\r\nContent-Type: application/http\r\n\r\nGET /calendar/v3/colors\r\n\r\n"
OBJECTS = b'{"channel": "C01ABCD1234", "text": "x", "attachments": [%s]}' % b",".join([b"{}"] * 300_000)
DIGITS = b'{"channel": "C01ABCD1234", "attachments": [' + b"9" * 400 + b"]}"
REQUESTS: dict[str, Hostile] = {
    "introspection, 190 aliases": aliased(190, "__schema { types { name fields { name } } }"),
    "introspection, nested, 60 aliases": aliased(60, "__schema { types { fields { type { fields { name } } } } }"),
    "a new document of 14 KB": aliased(220, "issues(first: 1) { nodes { id title state { name } } }"),
    "a filter of 20,000 conditions": graphql(FILTER, f=conditions(20_000)),
    "a filter of 3,000 conditions": graphql(FILTER, f=conditions(3_000)),
    "a filter of 500 conditions": graphql(FILTER, f=conditions(500)),
    "issues.some nested twice": graphql(FILTER, f=nested(2)),
    "issues.some nested four times": graphql(FILTER, f=nested(4)),
    "180 mutations in one document": aliased(180, CREATE, "mutation"),
    "a batch of 50 issues": graphql(BATCH, i={"issues": [{"teamId": "team", "title": "x"} for _ in range(50)]}),
    "a search of 100 words": slack("search.messages", query=" OR ".join(f"word{n}" for n in range(100))),
    "a search of 17,000 words": slack("search.messages", query=" ".join(f"word{n}" for n in range(17_000))),
    "a search of 200,000 words": slack("search.messages", query=" ".join("ab" for _ in range(200_000))),
    "a number of 400 digits": Hostile("slack", POST, DIGITS),
    "a form of 50,000 fields": Hostile("slack", POST, FIELDS, FORM),
    "a form of 300,000 escapes": Hostile("slack", POST, ESCAPES, FORM),
    "a form of 7,000 parts": Hostile("slack", POST, PART * 7_000 + b"--b--\r\n", "multipart/form-data; boundary=b"),
    "a JSON list of 300,000 objects": Hostile("slack", POST, OBJECTS),
    "a text of 900,000 letters": slack(POST, channel=GENERAL, text="ab " * 300_000),
    "a batch of 900 calls": Hostile(
        "calendar", "batch/calendar/v3", CALL * 900 + b"--b--\r\n", "multipart/mixed; boundary=b"
    ),
    "a batch of 7,000 calls": Hostile(
        "calendar", "batch/calendar/v3", CALL * 7_000 + b"--b--\r\n", "multipart/mixed; boundary=b"
    ),
}


# The server


def serve(ready: Connection) -> None:
    tune_process()
    config = uvicorn.Config(
        Gateway(Service(Settings())),
        port=0,
        http=HttpProtocol,
        log_level="error",
        access_log=False,
        ws="none",
        timeout_keep_alive=600,  # on a busy machine the others wait for more than the usual 5 s between two windows
    )
    server = uvicorn.Server(config)

    async def run() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn has nothing to wait for
            await asyncio.sleep(0.01)
        ready.send(server.servers[0].sockets[0].getsockname()[1])
        await serving

    asyncio.run(run())


@contextmanager
def process(work: Callable[..., None], *given: Any) -> Generator[Connection]:
    """Another process, and a line to it."""
    here, there = multiprocessing.Pipe()
    running = multiprocessing.get_context("spawn").Process(target=work, args=(there, *given), daemon=True)
    running.start()
    try:
        yield here
    finally:
        running.terminate()
        running.join()


# The others


def others(line: Connection, base: str) -> None:
    """Sixteen clients, for as many seconds as come down the line; what goes back are the waits, in order."""
    asyncio.run(_others(line, base))


async def _others(line: Connection, base: str) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=60) as client:
        homes = [await environment(client, "slack", "slack_default", AGENT) for _ in range(CLIENTS)]
    port = int(base.rpartition(":")[2])
    desks = [Desk(*await asyncio.open_connection("127.0.0.1", port), home) for home in homes]
    await asyncio.gather(*(_work(desk, 0.5) for desk in desks))
    line.send([])
    while True:
        seconds: float = await asyncio.to_thread(line.recv)
        by_desk = await asyncio.gather(*(_work(desk, seconds) for desk in desks))
        line.send(sorted(wait for waits in by_desk for wait in waits))


class Desk:
    """One client on one connection, which costs as little as can be: what is measured is the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, home: str) -> None:
        self.reader = reader
        self.writer = writer
        self.home = home
        self.waits: list[float] = []

    async def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        body = msgspec.json.encode(parameters)
        head = (
            f"POST {self.home}/{method} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        started = time.perf_counter()
        self.writer.write(head.encode() + body)
        header = await self.reader.readuntil(b"\r\n\r\n")
        length = int(header.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        answer = await self.reader.readexactly(length)
        self.waits.append((time.perf_counter() - started) * 1000)
        told = msgspec.json.decode(answer)
        assert told["ok"], told
        return told


async def _work(desk: Desk, seconds: float) -> list[float]:
    """Post, read and take back, so that no environment grows."""
    desk.waits = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        ts = (await desk.ask("chat.postMessage", {"channel": GENERAL, "text": "All quiet"}))["ts"]
        await desk.ask("conversations.history", {"channel": GENERAL, "limit": 10})
        await desk.ask("search.messages", {"query": "quiet", "count": 5})
        await desk.ask("chat.delete", {"channel": GENERAL, "ts": ts})
    return desk.waits


async def environment(client: httpx.AsyncClient, twin: str, template: str, user: str) -> str:
    made = await client.post(
        "/api/platform/initEnv", json={"templates": [f"{twin}:{template}"], "impersonateUserId": user}
    )
    return made.json()["environmentUrl"]


# The measurement


class Told(NamedTuple):
    """What came of a request that was sent over and over."""

    status: int
    text: str
    seconds: list[float]


async def send(client: httpx.AsyncClient, url: str, hostile: Hostile, until: Callable[[], bool]) -> Told:
    status, text, seconds = 0, "", list[float]()
    while not until():
        started = time.perf_counter()
        answer = await client.post(
            url, content=hostile.body, headers={"Content-Type": hostile.kind, "Authorization": "Bearer x"}
        )
        seconds.append(time.perf_counter() - started)
        status, text = answer.status_code, " ".join(answer.text[:90].split())
    return Told(status, text, seconds)


async def measure(line: Connection, base: str, seconds: float) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=120) as client:
        homes = {
            "slack": await environment(client, "slack", "slack_default", AGENT),
            "linear": await environment(client, "linear", "linear_workspace", LINEAR_AGENT),
            "calendar": await environment(client, "calendar", "calendar_base", "user_agent"),
        }
        team = await team_of(client, homes["linear"])
        waits = f"{'p99 alone':>9} {'beside':>7} {'times':>5} {'longest alone':>13} {'beside':>7}"
        print(f"{'':34} {waits} {'asked':>6} {'took s':>7}  answer")
        for name, hostile in REQUESTS.items():
            body = hostile.body.replace(b'"team"', b'"%s"' % team).replace(b'\\"team\\"', b'\\"%s\\"' % team)
            url = f"{homes[hostile.twin]}/{hostile.path}"
            alone, during, told = list[float](), list[float](), list[Told]()
            for _ in range(WINDOWS):  # in turns, since machines are not equally quick all the time
                alone += await waits_of(line, seconds)
                waiting = asyncio.create_task(waits_of(line, seconds))
                told.append(await send(client, url, hostile._replace(body=body), waiting.done))
                during += await waiting
            report(name, sorted(alone), sorted(during), told)


async def waits_of(line: Connection, seconds: float) -> list[float]:
    line.send(seconds)
    return await asyncio.to_thread(line.recv)


async def team_of(client: httpx.AsyncClient, home: str) -> bytes:
    asked = {"query": "{ teams(first: 1) { nodes { id } } }"}
    answer = await client.post(f"{home}/graphql", json=asked, headers={"Authorization": "x"})
    return answer.json()["data"]["teams"]["nodes"][0]["id"].encode()


def report(name: str, alone: list[float], waits: list[float], windows: list[Told]) -> None:
    before, after = (percentile(each, 0.99) for each in (alone, waits))
    told = Told(windows[-1].status, windows[-1].text, [each for window in windows for each in window.seconds])
    took = statistics.median(told.seconds)
    print(
        f"{name:34} {before:9.1f} {after:7.1f} {after / before:5.1f} {alone[-1]:13.1f} {waits[-1]:7.1f}"
        f" {len(told.seconds):6} {took:7.2f}  {told.status} {told.text}",
        flush=True,
    )


def percentile(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def main(seconds: float) -> None:
    with process(serve) as server:
        base = f"http://127.0.0.1:{server.recv()}"
        with process(others, base) as line:
            line.recv()
            asyncio.run(measure(line, base, seconds))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1)
