"""How much memory and disk environments take, awake and asleep, and how soon a server with all of them is back.

    python benchmarks/sizing.py [--environments 10000] [--posts 10] [--asleep] [--json]

Each environment is one of Slack's default workspace with so many messages posted. With --asleep each goes to sleep
before the next is made, so that their number is bounded by the disk alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from durable import Server  # pyright: ignore[reportMissingImports] - Python looks in the folder of a script

from twindiff.server import Settings
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.memory import give_back

Figures = dict[str, float]
MAINTAIN_EVERY = 1000


def resident() -> int:
    """Megabytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 1_000_000


def opened(directory: str) -> tuple[Server, SqliteEngine]:
    server = Server(Settings(data_dir=directory, idle_seconds=1e9, most_environments=10**9))
    assert isinstance(server.service.engine, SqliteEngine)
    return server, server.service.engine


async def filled(directory: str, count: int, posts: int, *, asleep: bool) -> Figures:
    """Make environments and write to them; what they take."""
    server, engine = opened(directory)
    first = await server.create()
    before, began = resident(), perf_counter()
    made: list[str] = []
    for number in range(count):
        environment = await server.create()
        for _ in range(posts):
            await server.post(environment)
        made.append(environment["environmentId"])
        if asleep:
            engine.evict(made[-1])
        if number % MAINTAIN_EVERY == 0:
            run_to_end(engine.maintain())
    taken: Figures = {"seconds to make": round(perf_counter() - began, 1)}
    if not asleep:
        taken["awake, MB"] = resident() - before
        for each in made:
            engine.evict(each)
    run_to_end(engine.maintain())
    give_back()
    taken["asleep, MB"] = resident() - before
    engine.file.log.shorten()
    taken["file, MB"] = (Path(directory) / "twindiff.db").stat().st_size // 1_000_000
    await server.post(first)
    server.service.close()
    (Path(directory) / "made.json").write_text(json.dumps(made))
    return taken


async def restarted(directory: str) -> Figures:
    """What it takes a new process to answer again, and to wake environments."""
    made = json.loads((Path(directory) / "made.json").read_text())
    before, began = resident(), perf_counter()
    server, _ = opened(directory)
    times: list[float] = []
    for id in made[:: max(1, len(made) // 50)]:
        await server.post({"environmentUrl": f"/api/env/{id}/services/slack"})
        times.append(perf_counter() - began)
        began = perf_counter()
    taken = {
        "restart to first answer, s": round(times[0], 2),
        "an answer that wakes, ms": round(sorted(times[1:])[len(times) // 2] * 1000, 1) if times[1:] else 0,
        "after the restart, MB": resident() - before,
    }
    server.service.close()
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=int, default=10_000)
    parser.add_argument("--posts", type=int, default=10)
    parser.add_argument("--asleep", action="store_true")
    parser.add_argument("--restart", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.restart:
        print(json.dumps(asyncio.run(restarted(options.restart))))
        return
    with TemporaryDirectory() as directory:
        taken: dict[str, Any] = {"environments": options.environments, "posts in each": options.posts}
        taken |= asyncio.run(filled(directory, options.environments, options.posts, asleep=options.asleep))
        again = [sys.executable, __file__, "--restart", directory]
        taken |= json.loads(subprocess.run(again, check=True, capture_output=True, text=True).stdout)
    print(json.dumps(taken) if options.json else "\n".join(f"{name:32}{value:>12}" for name, value in taken.items()))


if __name__ == "__main__":
    main()
