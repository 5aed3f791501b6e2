"""What is in `layout_2.db.gz`, and the script that made it.

The release that wrote layout 2 ran it, with this tree's tests beside it:
`python -m tests.storage.data.old_directory FILE`.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.storage.conformance.worlds import NOON, SCHEMAS, Item
from twindiff.kit.clock import ClockMode
from twindiff.storage import EnvironmentOrigin, OperationInfo
from twindiff.storage.sqlite import SqliteEngine

ENV, FORK = "e" * 32, "f" * 32
WRITES = 1205
ORIGIN = (ClockMode("steps", NOON), NOON, NOON)
TEMPLATES = {
    "alpha": "8a5df0c761702a379896875f05adb35c",
    "beta": "0008dc0a2afb9bb5959b41445157a843",
}


def title(number: int) -> str:
    return f"item {number}"


def write(engine: SqliteEngine, env: str, number: int) -> None:
    item = Item(item_id=f"I{number:06}", title=title(number))
    engine.write(env, OperationInfo("beta", "items.add", "U1"), lambda moment: moment.db.add(item))


def make(directory: str) -> None:
    """An environment with an image, a rewind to near its beginning and one after it, asleep; and a fork of it."""
    engine = SqliteEngine(directory)
    for schema in SCHEMAS.values():
        engine.schema(schema)
    made = {twin: engine.add_template(twin, {}).hash for twin in ("alpha", "beta")}
    assert made == TEMPLATES, made
    engine.create(ENV, EnvironmentOrigin(TEMPLATES, *ORIGIN))
    for number in range(WRITES):
        write(engine, ENV, number)
    engine.fork(ENV, WRITES - 5, FORK)
    engine.rewind(ENV, 5)
    write(engine, ENV, 5)
    engine.evict(ENV)
    engine.close()


if __name__ == "__main__":
    with TemporaryDirectory() as directory:
        make(directory)
        Path(sys.argv[1]).write_bytes(gzip.compress((Path(directory) / "twindiff.db").read_bytes(), mtime=0))
