"""What Box's operations cost in process, over an enterprise of 100,000 files.

    python -m benchmarks.box [--files 100000] [--postgres DSN] [--json]

`--postgres` has the files in a database of their own, in the PostgreSQL of an administrator's connection string. Then
the processor's time is that of the calling process alone.

Without it, besides, how long it takes to make each of 200 environments whose template holds 60 MB of files, and by how
much the data directory grows by them.

Every figure is in milliseconds: the median of the processor's, and the least, the median and the 99th percentile of
the clock's, of single calls in process, handler and JSON; beside them what they are to stay below. `a bare answer` is a
handler that looks nothing up, GET /ai_agents.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.parts.databases import database
from twindiff.catalog import TABLES
from twindiff.environments.environments import EnvironmentRequest
from twindiff.environments.registry import Registry
from twindiff.kit.http import Request
from twindiff.kit.rows import table_of
from twindiff.server import Service, Settings
from twindiff.storage.postgres.admin import initialise
from twindiff.storage.schema import Schema

ADMIN = "22010040001"
SECONDS = 1.0
FEWEST, MOST = 5, 2000
BOUNDARY = "part"
FOLDER, SEARCH, UPLOAD, ENVIRONMENT = 2.0, 5.0, 10.0, 1.0
"""Milliseconds that the slowest of each kind is to take at most."""


class Figure(NamedTuple):
    operation: str
    processor: float
    least: float
    p50: float
    p99: float
    bar: float | None
    """What it is to stay below."""


def rows_of(files: int) -> dict[str, list[dict[str, Any]]]:
    """A hundred folders with files in them, of which each tenth shares one of a thousand texts."""
    owned = {"owned_by_id": ADMIN, "created_by_id": ADMIN, "etag": "0", "sequence_id": "0"}
    folders = [{"id": str(100 + n), "name": f"folder {n}", "parent_id": "0", **owned} for n in range(100)]
    made: list[dict[str, Any]] = []
    for n in range(files):
        digest = hashlib.sha1(str(n % 1000 if n % 10 == 0 else -n).encode()).hexdigest()
        name = f"report {n} {'harbor' if n % 997 == 0 else 'plain'}{' budget' if n % 10 == 3 else ''}.txt"
        place = {"parent_id": str(100 + n % 100), "sha_1": digest, "size": 1000 + n}
        made.append(
            {"id": str(10_000_000 + n), "name": name, "file_version_id": str(n), "extension": "txt", **place, **owned}
        )
    texts = [
        {"sha_1": hashlib.sha1(str(n).encode()).hexdigest(), "text": f"tide {n} " + "lorem ipsum " * 40 + f"buoy{n}"}
        for n in range(1000)
    ]
    users = [{"id": ADMIN, "name": "Ada Admin", "login": "ada@example.com", "role": "admin", "space_amount": -1}]
    return {"box_users": users, "box_folders": folders, "box_files": made, "box_content_texts": texts}


class Enterprise:
    """An environment spoken to without a socket."""

    def __init__(self, service: Service, template: Any) -> None:
        self.service = service
        made = service.environments.create(EnvironmentRequest([template], user_id=ADMIN))
        self.environment = service.environments.get(made.environment.environment_id)
        self.twin, self.token = service.registry.get("box"), made.agent_token

    def call(self, verb: str, path: str, body: bytes = b"", kind: str = "application/json") -> Any:
        headers = {"content-type": kind, "authorization": f"Bearer {self.token}"}
        bare, _, query = path.partition("?")
        request = Request(verb, bare, query, headers, body)
        exchange = self.twin.exchange(request, "http://box.example")
        assert exchange, path
        return self.service.calls.answer(self.environment, self.twin, exchange, trusted=True)

    def upload(self, name: str, data: bytes) -> Any:
        attributes = json.dumps({"name": name, "parent": {"id": "0"}})
        head = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="attributes"\r\n\r\n{attributes}\r\n--{BOUNDARY}\r\n'
        )
        head += f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        answer = self.call("POST", "/api/2.0/files/content", body, f"multipart/form-data; boundary={BOUNDARY}")
        assert answer.status == 201, answer.body
        return answer


class Stopwatch:
    """Milliseconds of the clock and of the processor."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.processor: list[float] = []

    def time(self, work: Callable[[int], Any]) -> Any:
        """Do something once more."""
        started, began = perf_counter(), thread_time()
        answer = work(len(self.times))
        self.times.append((perf_counter() - started) * 1000)
        self.processor.append((thread_time() - began) * 1000)
        return answer

    def figure(self, name: str, bar: float | None) -> Figure:
        cuts = quantiles(self.times, n=100)
        return Figure(name, median(self.processor), min(self.times), cuts[49], cuts[98], bar)


def measure(name: str, work: Callable[[int], Any], bar: float | None = None) -> Figure:
    """Do something over and over for a while."""
    watch = Stopwatch()
    while len(watch.times) < FEWEST or (sum(watch.times) < SECONDS * 1000 and len(watch.times) < MOST):
        answer = watch.time(work)
        assert getattr(answer, "status", 200) < 400, answer
    return watch.figure(name, bar)


GETS = {
    "a bare answer": "/2.0/ai_agents",
    "users/me": "/2.0/users/me",
    "a folder's page of 100": "/2.0/folders/150/items?limit=100",
    "a folder's page, far on": "/2.0/folders/150/items?limit=100&offset=800",
    "a file": "/2.0/files/10050000",
}
SEARCHES = {
    "no hit": "unfindable",
    "a rare word in names": "harbor&content_types=name",
    "a rare word, everywhere": "harbor",
    "a word of a hundred contents": "buoy70&content_types=file_content",
    "a word of every tenth name": "budget",
    "the same, from 5,000 on": "budget&offset=5000",
    "the same, 200 from 9,000 on": "budget&offset=9000&limit=200",
    "a word of nearly all names": "plain",
    "the same, from 5,000 on ": "plain&offset=5000",
    "a word of all texts": "lorem",
    "the same, from 5,000 on  ": "lorem&offset=5000",
    "two letters": "pl",
    "a digit": "1",
    "two frequent words, both": "budget+AND+plain",
    "the same, from 5,000 on   ": "budget+AND+plain&offset=5000",
    "a frequent word without another": "plain+NOT+budget",
    "either of two frequent words": "budget+plain",
    "two words side by side": "%22plain+budget%22",
    "a word of texts and one of names": "lorem+AND+plain",
    "the same, in no file together": "lorem+AND+budget",
    "a rare word, by time": "harbor&sort=modified_at",
    "a frequent word, by time": "budget&sort=modified_at",
    "a frequent word in a folder": "plain&ancestor_folder_ids=150",
    "a frequent word, by size": "plain&size_range=50000,50100",
}


@contextmanager
def storing(cluster: str | None) -> Generator[Settings]:
    """Where the files are: in memory, or in a database for the time being."""
    if cluster is None:
        yield Settings()
        return
    schemas, catalog = (
        Registry.load_installed().schemas.values(),
        Schema("catalog", tuple(table_of(row) for row in TABLES)),
    )
    with database(cluster) as admin:
        yield Settings(storage=initialise(admin, schemas, catalog, password="bench", role="twindiff_bench"))


def of_files(files: int, settings: Settings) -> list[Figure]:
    with closing(Service(settings)) as service:
        template = service.templates.add(service.registry.get("box"), "box_large", rows_of(files), origin="benchmark")
        box = Enterprise(service, template)
        figures = [
            measure(name, lambda _, path=path: box.call("GET", path), FOLDER if "folder" in name else None)
            for name, path in GETS.items()
        ]
        for name, query in SEARCHES.items():
            path = f"/2.0/search?query={query}"
            figures.append(measure(f"search: {name.strip()}", lambda _, path=path: box.call("GET", path), SEARCH))
        data = bytes(range(256)) * 4096
        upload = measure("an upload of 1 MB", lambda n: box.upload(f"{n}.bin", n.to_bytes(8, "big") + data[8:]), UPLOAD)
    return [*figures, upload]


def of_contents(megabytes: int = 60, environments: int = 200) -> tuple[Figure, float]:
    """Making environments of a template with large files, and megabytes on disk that they take together."""
    owned = {"owned_by_id": ADMIN, "created_by_id": ADMIN, "parent_id": "0", "size": 1_000_000}
    files: list[Any] = []
    versions: list[Any] = []
    contents: list[Any] = []
    for n in range(megabytes):
        data = n.to_bytes(4, "big") * 250_000
        named = {"name": f"{n}.bin", "sha_1": hashlib.sha1(data).hexdigest()}
        files.append({"id": str(1000 + n), "file_version_id": str(n), **named, **owned})
        versions.append({"id": str(n), "file_id": str(1000 + n), "version_number": 1, "size": len(data), **named})
        contents.append({"id": str(n), "version_id": str(n), "content": b64encode(data).decode()})
    users = [{"id": ADMIN, "name": "Ada Admin", "login": "ada@example.com", "role": "admin", "space_amount": -1}]
    rows = {"box_users": users, "box_files": files, "box_file_versions": versions, "box_file_contents": contents}
    with TemporaryDirectory() as folder:
        service = Service(Settings(folder))
        template = service.templates.add(service.registry.get("box"), "box_heavy", rows, origin="benchmark")
        Enterprise(service, template)
        before = _megabytes(folder)
        watch = Stopwatch()
        made = [watch.time(lambda _: Enterprise(service, template)) for _ in range(environments)]
        grown = _megabytes(folder) - before
        last = f"/2.0/files/{1000 + megabytes - 1}/content"
        address = dict(made[-1].call("GET", last).headers)["Location"].removeprefix("http://box.example")
        assert made[-1].call("GET", address).body == (megabytes - 1).to_bytes(4, "big") * 250_000
        service.close()
    return watch.figure(f"an environment of {megabytes} MB", ENVIRONMENT), grown


def _megabytes(folder: str) -> float:
    return sum(path.stat().st_blocks * 512 for path in Path(folder).rglob("*") if path.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--postgres", metavar="DSN")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with storing(options.postgres) as settings:
        figures = of_files(options.files, settings)
    heavy, grown = (None, None) if options.postgres else of_contents()
    figures += [heavy] if heavy else []
    if options.json:
        print(json.dumps({"figures": [figure._asdict() for figure in figures], "grown_megabytes": grown}))
        return
    table = Table(title=f"Box in process, {options.files:,} files, milliseconds")
    for title in Figure._fields:
        table.add_column(title, justify="left" if title == "operation" else "right")
    for name, *times, bar in figures:
        over = "" if bar is None else f"{'over' if times[0] > bar else 'below'} {bar:g}"
        table.add_row(name, *(f"{each:.3f}" for each in times), over)
    Console().print(table)
    if grown is not None:
        Console().print(f"200 environments of 60 MB take {grown:.1f} MB on disk beside their template.")


if __name__ == "__main__":
    main()
