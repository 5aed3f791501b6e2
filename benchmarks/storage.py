"""What the embedded engine costs in process: environments, reads, writes, diffs, by the size of the template.

    python benchmarks/storage.py [--rows 1000 --rows 100000] [--million] [--durable] [--json]

Every figure is in microseconds: the median and the 99th percentile of single calls.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from twindiff.changes import diff
from twindiff.kit.clock import ClockMode
from twindiff.kit.rows import Column, Json, Row, Timestamp, column, table_of
from twindiff.kit.store import Store
from twindiff.storage import EnvironmentOrigin, OperationInfo
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine


class Message(Row, table="messages", key=("message_id",), indexes=(("channel_id", "message_id"),)):
    message_id: Column[str]
    channel_id: Column[str]
    user_id: Column[str]
    parent_id: Column[str | None] = column(default=None)
    text: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    edited_at: Column[Timestamp | None] = column(default=None, derived=True)
    is_pinned: Column[bool] = column(default=False)
    blocks: Column[Json | None] = column(default=None)
    count: Column[int] = column(default=0)


SCHEMA = Schema("bench", (table_of(Message),))
CHANGES = (1, 10, 100, 1000)


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    rows: int
    p50: float
    p99: float


class Bench:
    """An engine with one template."""

    def __init__(self, directory: str, rows: int) -> None:
        self.rows = rows
        self.engine = SqliteEngine(directory)
        self.engine.schema(SCHEMA)
        template = self.engine.add_template("bench", {"messages": [message(number) for number in range(rows)]})
        self.origin = EnvironmentOrigin({"bench": template.hash}, ClockMode("steps", 1), 1, 1)
        self.made = 0
        self.environment()

    def environment(self) -> str:
        self.made += 1
        self.engine.create(f"e{self.made}", self.origin)
        return f"e{self.made}"

    def write(self, env: str, work: Callable[[Store], object]) -> None:
        self.engine.write(env, OperationInfo("bench", "do", "U1"), lambda moment: work(moment.db))

    def read(self, env: str, work: Callable[[Store], Any]) -> Any:
        return self.engine.read(env, "bench", lambda moment: work(moment.db))

    def post(self, env: str, number: int) -> None:
        self.write(env, lambda db: db.add(Message(**message(self.rows + number))))

    def edit(self, env: str, number: int) -> None:
        name = f"M{number % self.rows:09d}"
        self.write(env, lambda db: db.change(db.get(Message, name), text=f"edit {number}"))

    def page(self, env: str) -> Any:
        where = Message.channel_id == "C007"
        return self.read(env, lambda db: db.rows(Message, where, order=-Message.message_id, limit=20))

    def difference(self, env: str) -> Any:
        records = self.engine.difference(env, 0, self.engine.seq(env))
        return diff(records, {"bench": SCHEMA}, include="all")


def message(number: int) -> dict[str, Any]:
    values = Message(
        message_id=f"M{number:09d}",
        channel_id=f"C{number % 50:03d}",
        user_id=f"U{number % 200:03d}",
        text=f"message {number} says a thing or two that is not too long",
        created_at="2026-01-31T09:30:00",
    )
    return msgspec.structs.asdict(values)


def timed(what: str, bench: Bench, work: Callable[[int], object], times: int) -> Figure:
    """Run single calls after a few that do not count."""
    spent: list[float] = []
    for number in range(times + 5):
        started = perf_counter()
        work(number)
        spent.append((perf_counter() - started) * 1e6)
    cuts = quantiles(spent[5:], n=100)
    return Figure(what, bench.rows, cuts[49], cuts[98])


def figures(bench: Bench) -> Iterator[Figure]:
    """All figures of one size of template."""
    waiting = [bench.environment() for _ in range(305)]
    yield timed("create", bench, lambda _: bench.environment(), 300)
    yield timed("first query", bench, lambda n: bench.read(waiting[n], lambda db: db.get(Message, "M000000001")), 300)
    one = bench.environment()
    yield timed("get", bench, lambda n: bench.read(one, lambda db: db.get(Message, f"M{n % bench.rows:09d}")), 1000)
    yield timed("page of 20", bench, lambda _: bench.page(one), 500)
    yield timed("count a channel", bench, lambda _: bench.read(one, in_channel), 200)
    yield timed("write one row", bench, lambda n: bench.post(one, n), 900)
    yield timed("change one row", bench, lambda n: bench.edit(one, n), 900)
    many = [bench.environment() for _ in range(100)]
    yield timed("write in one of 100", bench, lambda n: bench.post(many[n % 100], n), 900)
    written = [written_to(bench, 10) for _ in range(105)]
    yield timed("fork", bench, lambda n: bench.engine.fork(written[0], 5, f"f{n}"), 100)
    yield timed("rewind 10 writes", bench, lambda n: bench.engine.rewind(written[n], 0), 100)
    for changes in CHANGES:
        env = written_to(bench, changes)
        yield timed(f"diff of {changes}", bench, lambda _, env=env: bench.difference(env), 200 if changes < 100 else 30)


def in_channel(db: Store) -> int:
    return db.count(Message, Message.channel_id == "C007")


def written_to(bench: Bench, changes: int) -> str:
    """An environment after some writes."""
    env = bench.environment()
    for number in range(changes):
        bench.post(env, number)
    return env


@contextmanager
def directory(*, durable: bool) -> Iterator[str]:
    if not durable:
        yield ":memory:"
        return
    with TemporaryDirectory() as name:
        yield name


def measured(sizes: list[int], *, durable: bool) -> list[Figure]:
    measurements: list[Figure] = []
    for rows in sizes:
        with directory(durable=durable) as place:
            bench = Bench(place, rows)
            measurements += figures(bench)
            bench.engine.close()
    return measurements


def shown(measurements: list[Figure], sizes: list[int]) -> Table:
    table = Table(title="p50 / p99 in µs")
    table.add_column("")
    for rows in sizes:
        table.add_column(f"{rows:,} rows", justify="right")
    for what in dict.fromkeys(figure.what for figure in measurements):
        mine = {figure.rows: figure for figure in measurements if figure.what == what}
        table.add_row(what, *(f"{mine[rows].p50:,.1f} / {mine[rows].p99:,.1f}" for rows in sizes))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, action="append", help="rows of the template; may be given several times")
    parser.add_argument("--million", action="store_true", help="measure a template of a million rows too")
    parser.add_argument("--durable", action="store_true", help="keep the journal in a file, as a server does")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args()
    sizes = [*(asked.rows or [1_000, 10_000, 100_000]), *([1_000_000] if asked.million else [])]
    measurements = measured(sizes, durable=asked.durable)
    if asked.json:
        print(json.dumps([figure._asdict() for figure in measurements], indent=2))
    else:
        Console().print(shown(measurements, sizes))


if __name__ == "__main__":
    main()
