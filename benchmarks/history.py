"""What one long history costs in the embedded engine: room on disk, images, diffs, and the way back to any point.

    python benchmarks/history.py [--operations 1000000] [--edits] [--json]

Operations add rows, or edit those of a template with `--edits`. The data directory is on disk; times are
the processor's. What the event loop of a server would wait for, the operations and its parts of the maintenance, is
measured by the processor time of their thread, which other work of the machine does not add to.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import Any

from twindiff.environments import interval_reading
from twindiff.kit.clock import ClockMode
from twindiff.kit.rows import Column, Row, column, table_of
from twindiff.server.runtime.tuning import tune_process
from twindiff.storage import EnvironmentOrigin, OperationContext, OperationInfo
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.journal import net
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine

MAINTAIN_EVERY = 500
ROWS = 10_000
REWINDS = 20
"""Points anywhere in the history that it is brought back to, one after the other."""
ENV = "e" * 32


class Message(Row, table="messages", key=("message_id",), indexes=(("channel_id", "message_id"), ("number",))):
    message_id: Column[str]
    channel_id: Column[str]
    text: Column[str]
    number: Column[int | None] = column(default=None)


def message(number: int, prefix: str = "M") -> Message:
    """A message of some 150 bytes."""
    return Message(
        message_id=f"{prefix}{number:08}", channel_id=f"C{number % 50}", text=f"message {number} " * 8, number=number
    )


def adding(number: int) -> Callable[[OperationContext], object]:
    return lambda moment: moment.db.add(message(number))


def editing(number: int) -> Callable[[OperationContext], object]:
    key = f"T{random.Random(number).randrange(ROWS):08}"
    return lambda moment: moment.db.change(moment.db.get(Message, key), text=f"edit {number} " * 12, number=number)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--edits", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tune_process()
    with TemporaryDirectory() as directory:
        figures = measure(Path(directory), options.operations, editing if options.edits else adding)
    print(json.dumps(figures) if options.json else "\n".join(f"{name:32}{value:12}" for name, value in figures.items()))


def measure(
    directory: Path, operations: int, work: Callable[[int], Callable[[OperationContext], object]]
) -> dict[str, Any]:
    """Write a history, go back in it, and open it again."""
    engine, origin = opened(directory)
    engine.create(ENV, origin)
    figures = written(engine, operations, work)
    engine.file.log.shorten()
    figures |= sizes(engine, directory)
    figures |= diffs(engine, origin, operations)
    chosen = random.Random(7).sample(range(operations), REWINDS)
    rewinds = sorted(milliseconds(lambda at=at: go_back(engine, origin, at)) for at in chosen)
    figures[f"median of {REWINDS} rewinds, ms"] = rewinds[REWINDS // 2]
    figures["longest of them, ms"] = rewinds[-1]
    engine.close()
    engine, _ = opened(directory)
    figures["first wake after a restart, ms"] = milliseconds(lambda: engine.load(ENV, origin))
    engine.close()
    return figures


def opened(directory: Path) -> tuple[SqliteEngine, EnvironmentOrigin]:
    engine = SqliteEngine(str(directory))
    engine.schema(Schema("bench", (table_of(Message),)))
    rows = [{name: getattr(row, name) for name in row.__struct_fields__} for row in map(template_row, range(ROWS))]
    hash = engine.add_template("bench", {"messages": rows}).hash
    return engine, EnvironmentOrigin({"bench": hash}, ClockMode("steps", 0), 0, 0)


def template_row(number: int) -> Message:
    return message(number, "T")


def written(
    engine: SqliteEngine, operations: int, work: Callable[[int], Callable[[OperationContext], object]]
) -> dict[str, Any]:
    """Write, with what a server does twice a second in between; single parts of that are what the loop waits for."""
    began, longest, longest_operation = process_time(), 0.0, 0.0
    for number in range(operations):
        started = thread_time()
        engine.write(ENV, OperationInfo("bench", "write", "U1"), work(number))
        longest_operation = max(longest_operation, thread_time() - started)
        if number % MAINTAIN_EVERY == 0:
            longest = max(longest, maintained(engine))
    maintained(engine)
    spent = process_time() - began
    return {
        "operations": operations,
        "µs per operation": round(spent / operations * 1e6),
        "longest operation, ms": round(longest_operation * 1000, 1),
        "longest part, ms": round(longest, 1),
    }


def maintained(engine: SqliteEngine) -> float:
    """Do all maintenance; gives the milliseconds of the longest part that an event loop would do itself."""
    steps, longest = engine.maintain(), 0.0
    while True:
        began = thread_time()
        part = next(steps, None)
        longest = max(longest, thread_time() - began)
        if part is None:
            return longest * 1000
        part()


def sizes(engine: SqliteEngine, directory: Path) -> dict[str, Any]:
    execute = engine.file.connection.execute
    ((journal,),) = execute("SELECT sum(length(record)) FROM journal")
    ((images,),) = execute("SELECT sum(length(page)) FROM image_pages")
    file = (directory / "twindiff.db").stat().st_size
    return {
        "journal, MB": round(journal / 1e6, 1),
        "images, MB": round((images or 0) / 1e6, 1),
        "file, MB": round(file / 1e6, 1),
        "file over journal": round(file / journal, 2),
    }


def diffs(engine: SqliteEngine, origin: EnvironmentOrigin, operations: int) -> dict[str, Any]:
    """The net diff of all operations, in processor time: by the rows at both ends, and by folding every record."""
    began = process_time()
    compared = engine.compare(ENV, origin, 0, operations)
    by_rows = process_time() - began
    began = process_time()
    folded = net(run_to_end(interval_reading.interval(engine, ENV, 0)))
    by_records = process_time() - began
    assert compared is None or net(compared.records) == folded, "both must tell the same"
    return {
        "rows that differ": len(folded),
        "diff by rows, ms": round(by_rows * 1000, 1) if compared else "not chosen",
        "diff by records, ms": round(by_records * 1000, 1),
    }


def go_back(engine: SqliteEngine, origin: EnvironmentOrigin, at: int) -> None:
    engine.materialize(ENV, origin, at)
    engine.rewind(ENV, at)


def milliseconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return round((process_time() - began) * 1000, 1)


if __name__ == "__main__":
    main()
