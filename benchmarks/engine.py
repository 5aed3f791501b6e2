"""What environments cost in process: made, forked, rewound, compared; and what they keep in memory.

    python benchmarks/engine.py [--million] [--json]      single calls, by size and rows of the template
    python benchmarks/engine.py --memory 10000            resident memory of so many live environments, then asleep
    python benchmarks/engine.py --loop [--seconds 10]     the longest pause of the event loop under load

Times of calls are the median and the 99th percentile, in microseconds; everything is durable, as a server has it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import uvicorn
from rich.console import Console
from rich.table import Table

from twindiff.changes import diff
from twindiff.environments.environments import EnvironmentRequest
from twindiff.environments.registry import Registry
from twindiff.kit.call import Call
from twindiff.kit.clock import ClockMode
from twindiff.kit.rows import Column, Row, column
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Operations, Twin
from twindiff.server import Gateway, Service, Settings
from twindiff.server.protocol import HttpProtocol
from twindiff.server.runtime.tuning import tune_process
from twindiff.storage import OperationContext, OperationInfo
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.sqlite import SqliteEngine

KILOBYTE = 1000
SIZES = {"0.2 MB": (200, KILOBYTE), "1 MB": (1000, KILOBYTE), "10 MB": (10_000, KILOBYTE)}
"""Rows of a template and how long their texts are."""
COUNTS = {"1k rows": (1000, 60), "10k rows": (10_000, 60), "100k rows": (100_000, 60)}
MILLION = {"1M rows": (1_000_000, 60)}
CHANGES = (1, 10, 100, 1000)
CLIENTS = 32
ENVIRONMENTS = 10_000
REBUILT = 10_000


class Message(Row, table="messages", key=("message_id",), indexes=(("channel_id", "message_id"),)):
    message_id: Column[str]
    channel_id: Column[str]
    user_id: Column[str]
    text: Column[str]
    edited: Column[int] = column(default=0)


api = Operations()


@api.post("/messages")
def post_message(call: Call, channel_id: str, text: str) -> dict[str, Any]:
    """Post a message."""
    message = Message(message_id=call.ids.new("M"), channel_id=channel_id, user_id=call.actor, text=text)
    return {"id": call.db.add(message).message_id}


twin = Twin("bench", Style(), api, tables=[Message])


def rows(count: int, letters: int) -> dict[str, list[dict[str, Any]]]:
    """The rows of a template."""
    filling = "x" * letters
    return {
        "messages": [
            {"message_id": f"M{n:09d}", "channel_id": f"C{n % 50:03d}", "user_id": f"U{n % 200:03d}", "text": filling}
            for n in range(count)
        ]
    }


class Figure(NamedTuple):
    template: str
    what: str
    p50: float
    p99: float


class Bench:
    """A service with one template."""

    def __init__(self, directory: str, name: str, count: int, letters: int) -> None:
        self.name = name
        self.count = count
        self.service = Service(Settings(directory), Registry([twin]))
        assert isinstance(self.service.engine, SqliteEngine)
        self.engine = self.service.engine
        self.service.templates.add(twin, name, rows(count, letters), origin="benchmark")
        self.wanted = EnvironmentRequest(
            [self.service.templates.find_named("bench", name)], clock=ClockMode("steps", 1)
        )
        self.origin = self.service.environments.get(self.environment()).origin
        self.bare = 0

    def environment(self) -> str:
        """An environment with its record, as a server makes it."""
        return self.service.environments.create(self.wanted).environment.environment_id

    def create(self) -> str:
        """An environment of the engine alone."""
        self.bare += 1
        self.engine.create(f"bare{self.bare}", self.origin)
        return f"bare{self.bare}"

    def fork(self, env: str) -> str:
        self.bare += 1
        self.engine.fork(env, self.engine.seq(env), f"bare{self.bare}")
        return f"bare{self.bare}"

    def write(self, env: str) -> None:
        """Insert a row and change another."""

        def work(moment: OperationContext) -> None:
            name = moment.db.next("M")
            moment.db.add(Message(message_id=f"N{name:09d}", channel_id="C001", user_id="U1", text="new"))
            old = moment.db.get(Message, f"M{name * 7919 % self.count:09d}")
            moment.db.change(old, edited=old.edited + 1)

        self.engine.write(env, OperationInfo("bench", "write", "U1"), work)

    def query(self, env: str) -> Message:
        return self.engine.read(env, "bench", lambda moment: moment.db.get(Message, "M000000001"))

    def difference(self, env: str) -> object:
        records = self.engine.difference(env, 0, self.engine.seq(env))
        return diff(records, self.service.registry.schemas, include="all")


def timed(
    work: Callable[[], object], before: Callable[[], object] = lambda: None, times: int = 300
) -> tuple[float, float]:
    """Single calls, each after what has to come before it; the first few do not count."""
    spent: list[float] = []
    for _ in range(times + 10):
        before()
        started = perf_counter()
        work()
        spent.append((perf_counter() - started) * 1e6)
    cuts = quantiles(spent[10:], n=100)
    return cuts[49], cuts[98]


def points(bench: Bench) -> Iterator[Figure]:
    """Making environments and going about in time."""

    def figure(what: str, work: Callable[[], object], before: Callable[[], object] = lambda: None) -> Figure:
        return Figure(bench.name, what, *timed(work, before))

    yield figure("create", bench.create)
    fresh: list[str] = []
    yield figure("first query", lambda: bench.query(fresh[-1]), lambda: fresh.append(bench.create()))
    env = bench.environment()
    ten = partial(repeat, partial(bench.write, env), 10)
    ten()
    yield figure("write of two rows", lambda: bench.write(env))
    yield figure("fork", lambda: bench.fork(env))
    names = iter(range(10**6))
    yield figure("checkpoint", lambda: bench.service.points.checkpoint(env, f"c{next(names)}"))
    start = bench.engine.seq(env)
    yield figure("rewind after 10 writes", lambda: bench.engine.rewind(env, start), ten)
    yield figure("reset", lambda: bench.engine.rewind(env, 0), ten)
    yield figure("reset and query", lambda: (bench.engine.rewind(env, 0), bench.query(env)), ten)
    yield figure("with its record: create", bench.environment)
    yield figure("with its record: fork", lambda: bench.service.points.fork(env, bench.engine.seq(env), 1, None))


def differences(bench: Bench) -> Iterator[Figure]:
    """Net diffs of single-row operations."""
    for count in CHANGES:
        env = bench.create()
        repeat(partial(bench.write, env), max(1, count // 2))
        name = f"diff of {max(2, count)} changes, one operation per 2"
        yield Figure(bench.name, name, *timed(lambda env=env: bench.difference(env), times=max(30, 300 // count)))


def repeat(work: Callable[[], object], times: int) -> None:
    for _ in range(times):
        work()


def figures(templates: dict[str, tuple[int, int]]) -> Iterator[Figure]:
    for name, (count, letters) in templates.items():
        with TemporaryDirectory() as directory:
            bench = Bench(directory, name, count, letters)
            yield from points(bench)
            yield from differences(bench)
            bench.service.close()


def show(measured: list[Figure]) -> None:
    """One line per call, one column per template."""
    templates = list(dict.fromkeys(each.template for each in measured))
    table = Table("p50 / p99 µs", *templates)
    for what in dict.fromkeys(each.what for each in measured):
        cells = {each.template: f"{each.p50:,.0f} / {each.p99:,.0f}" for each in measured if each.what == what}
        table.add_row(what, *(cells.get(template, "") for template in templates))
    Console(width=30 + 16 * len(templates)).print(table)


def resident() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(count: int) -> dict[str, Any]:
    """What environments keep: with ten writes each while they live, and nothing while they sleep."""
    with TemporaryDirectory() as directory:
        bench = Bench(directory, "1 MB", *SIZES["1 MB"])
        begun = resident()
        made = [bench.environment() for _ in range(count)]
        created = resident()
        for env in made:
            repeat(partial(bench.write, env), 10)
        written = resident()
        for env in made:
            bench.engine.evict(env)
        asleep = resident()
        bench.service.close()
    megabytes = {"created": created - begun, "ten writes each": written - begun, "asleep": asleep - begun}
    return {
        "environments": count,
        **{name: round(value, 1) for name, value in megabytes.items()},
        "process": round(written, 1),
    }


def loop(seconds: float) -> dict[str, Any]:
    """Serve 32 writing clients among 10,000 environments, and rebuild one of 10,000 operations meanwhile."""
    with TemporaryDirectory() as directory:
        bench = Bench(directory, "1 MB", *SIZES["1 MB"])
        made = [bench.environment() for _ in range(ENVIRONMENTS)]
        for env in made[: ENVIRONMENTS // 10]:
            bench.write(env)
        old = made[-1]
        repeat(partial(bench.write, old), REBUILT)
        bench.engine.evict(old)
        run_to_end(bench.engine.maintain())
        # Without its images the whole journal has to be replayed.
        bench.engine.file.connection.execute("DELETE FROM images WHERE env = ?", (old,))
        tune_process()
        gateway = Gateway(bench.service)
        config = uvicorn.Config(gateway, http=HttpProtocol, log_config=None, access_log=False, ws="none")
        return asyncio.Runner(loop_factory=config.get_loop_factory()).run(serve(config, bench, made, old, seconds))


async def serve(config: uvicorn.Config, bench: Bench, made: list[str], old: str, seconds: float) -> dict[str, Any]:
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0), backlog=CLIENTS)
    serving = asyncio.create_task(server.serve([listener]))
    port = listener.getsockname()[1]
    beats: list[Beat] = []
    beating = asyncio.create_task(beat(beats))
    report: dict[str, Any] = {}

    def note(name: str) -> None:
        ours = [each for each in beats if not each.robbed]
        report[f"longest gap, {name}, ms"] = round(max(each.gap for each in beats) * 1000, 1)
        report[f"longest gap, {name}, host took nothing, ms"] = round(max(each.gap for each in ours) * 1000, 1)
        report[f"beats whose host took nothing, {name}, %"] = round(len(ours) / len(beats) * 100)
        report[f"most work in a gap, {name}, CPU ms"] = round(max(each.work for each in beats) * 1000, 1)
        beats.clear()

    await asyncio.sleep(1)
    note("idle")
    chosen = random.Random(1).sample(made[:-1], CLIENTS * 4)
    command = [sys.executable, __file__, "--clients", str(port), "--seconds", str(seconds), *chosen]
    clients = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    await asyncio.sleep(seconds / 3)
    note("32 clients write")
    started = perf_counter()
    await bench.service.loader.load(bench.service.environments.get(old))
    report["rebuild of 10,000 operations, s"] = round(perf_counter() - started, 2)
    note("32 clients write and one environment is rebuilt")
    said, _ = await clients.communicate()
    note("afterwards")
    server.should_exit = True
    await serving
    beating.cancel()
    return {**report, **json.loads(said)}


class Beat(NamedTuple):
    """How long a millisecond took, how much of it this thread worked, and whether the host took the processor away."""

    gap: float
    work: float
    robbed: bool


async def beat(beats: list[Beat]) -> None:
    last, worked, taken = perf_counter(), thread_time(), stolen()
    while True:
        await asyncio.sleep(0.001)
        now, work, took = perf_counter(), thread_time(), stolen()
        beats.append(Beat(now - last, work - worked, took != taken))
        last, worked, taken = now, work, took


def stolen() -> int:
    """What the host of a virtual machine has kept from all processors so far, in ticks; 0 where it does not say so."""
    said = Path("/proc/stat")
    return int(said.read_text().partition("\n")[0].split()[8]) if said.exists() else 0


async def write_until(port: int, environments: list[str], seconds: float) -> None:
    """32 clients of another process."""
    end = perf_counter() + seconds
    counts = await asyncio.gather(*(client(port, environments[n::CLIENTS], end) for n in range(CLIENTS)))
    print(json.dumps({"writes per second": round(sum(counts) / seconds)}))


async def client(port: int, environments: list[str], end: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"channel_id": "C001", "text": "hello"}).encode()
    done = 0
    while perf_counter() < end:
        path = f"/api/env/{environments[done % len(environments)]}/services/bench/messages"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in answer.partition(b"\r\n")[0], answer
        length = next(line for line in answer.lower().splitlines() if line.startswith(b"content-length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        done += 1
    writer.close()
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--million", action="store_true", help="a template of a million rows too")
    parser.add_argument("--memory", type=int, nargs="*", metavar="N", help="memory of N live environments")
    parser.add_argument("--loop", action="store_true", help="the longest pause of the event loop")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--clients", type=int, help=argparse.SUPPRESS)
    parser.add_argument("environments", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.clients:
        asyncio.run(write_until(given.clients, given.environments, given.seconds))
    elif given.loop:
        print(json.dumps(loop(given.seconds), indent=2))
    elif given.memory is not None and len(given.memory) == 1:
        print(json.dumps(memory(given.memory[0])))
    else:
        measure(given)


def measure(given: argparse.Namespace) -> None:
    tune_process()
    measured = list(figures(SIZES | COUNTS | (MILLION if given.million else {})))
    if given.json:
        print(json.dumps([each._asdict() for each in measured]))
    else:
        show(measured)
    for count in (1, 1000, 10_000):  # each in a process of its own, so that none inherits another's memory
        subprocess.run([sys.executable, __file__, "--memory", str(count)], check=True)


if __name__ == "__main__":
    main()
