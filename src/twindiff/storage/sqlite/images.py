"""Images: how an environment's pages stood after some operation, so that a rebuild replays few operations.

An image is a difference, kept packed: the pages that were written since the image before it on the way to it, its
*base*; the first has none and lies over the template. So images of an environment take together little more room than
its pages, however many there are. Its pages come to a rebuild packed and are unpacked when they are first read.

An image that is written because an environment goes to sleep is *passing*: the next one is no difference from it but
from its base, and takes its place.

Images are taken when an operation ends and written later, in parts: what a death takes of them costs time, no data.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol

from twindiff.storage.cooperative import CooperativeStep, yield_control

from .connection import SqliteConnection
from .pages import PAGE_SIZE, pack

IMAGE_TABLES = """
CREATE TABLE IF NOT EXISTS images (
    id INTEGER PRIMARY KEY, env TEXT NOT NULL, seq INTEGER NOT NULL, twin TEXT NOT NULL, base INTEGER,
    since INTEGER NOT NULL, schema_hash TEXT NOT NULL, count INTEGER NOT NULL, UNIQUE (env, seq, twin)
) STRICT;
CREATE TABLE IF NOT EXISTS image_pages (
    image INTEGER NOT NULL, number INTEGER NOT NULL, page BLOB NOT NULL, UNIQUE (image, number)
) STRICT;
"""

PAGES_AT_ONCE = 64
"""Pages that are packed and written in one go: a millisecond. A thread would wait for its turn before each page."""
MAX_PENDING_BYTES = 64 * 1024 * 1024
"""Bytes of pages that may wait to be written; while there are more, no image is taken."""

_CHAIN = """
WITH RECURSIVE chain(id, base) AS (
    SELECT id, base FROM images WHERE id = ?
    UNION ALL SELECT images.id, images.base FROM chain JOIN images ON images.id = chain.base
)
"""
_LATEST = f"""{_CHAIN}
SELECT number, page FROM image_pages WHERE rowid IN (
    SELECT latest FROM (
        SELECT number, max(image), image_pages.rowid AS latest FROM chain CROSS JOIN image_pages ON image = chain.id
        GROUP BY number
    )
)
"""


class Stored(NamedTuple):
    """An image of one twin as the data file knows it. `since` is 0, or how many operations a passing one is ahead."""

    id: int
    seq: int
    twin: str
    base: int | None
    since: int
    schema_hash: str
    page_count: int


class PendingImage(NamedTuple):
    """What is to be written of one twin."""

    stored: Stored
    pages: dict[int, bytes]


class Taken:
    """An image that waits to be written, with the passing ones that it replaces."""

    def __init__(self, env: str, parts: list[PendingImage], replaced: Iterable[int]) -> None:
        self.env = env
        self.parts = parts
        self.replaced = list(replaced)
        self.size = PAGE_SIZE * sum(len(part.pages) for part in parts)
        self.is_wanted = True

    def pack_pages(self) -> Iterator[tuple[int, int, bytes]]:
        """Every page with its image and number; packed as it is asked for."""
        for part in self.parts:
            for number, page in sorted(part.pages.items()):
                yield part.stored.id, number, pack(page)


class ImageWriter(Protocol):
    """What the queue needs of a data file."""

    images: ImageFile

    def save_pages(self, pages: list[tuple[int, int, bytes]]) -> None: ...
    def save_image(self, taken: Taken) -> None: ...
    def drop_images(self, ids: Iterable[int]) -> None: ...


class ImageFile:
    """The images of a data file, through one connection."""

    def __init__(self, connection: SqliteConnection) -> None:
        self._connection = connection

    def latest(self, env: str, upto: int) -> list[Stored]:
        """The newest image of an environment that is no later than a point, one for each twin."""
        columns = "id, seq, twin, base, since, schema_hash, count"
        newest = "SELECT max(seq) FROM images WHERE env = ? AND seq <= ?"
        rows = self._connection.execute(
            f"SELECT {columns} FROM images WHERE env = ? AND seq = ({newest})", (env, env, upto)
        )
        return [Stored(*row) for row in rows]

    def is_there(self, id: int) -> bool:
        return self._connection.execute("SELECT 1 FROM images WHERE id = ?", (id,)).fetchone() is not None

    def ids(self, env: str) -> list[int]:
        """All images of an environment, the newest first."""
        rows = self._connection.execute("SELECT id FROM images WHERE env = ? ORDER BY id DESC", (env,))
        return [int(id) for (id,) in rows]

    def pages(self, id: int) -> dict[int, bytes]:
        """All pages of an image, with those of its bases; packed."""
        return dict(self._connection.execute(_LATEST, (id,)).fetchall())  # pyright: ignore[reportReturnType,reportArgumentType,reportCallIssue,reportUnknownVariableType]

    def numbers(self, id: int) -> set[int]:
        """The pages in which an image differs from its base."""
        return {
            int(number)
            for (number,) in self._connection.execute("SELECT number FROM image_pages WHERE image = ?", (id,))
        }

    def next_id(self) -> int:
        """An id that no image has had, even if it was never finished."""
        query = (
            "SELECT max(coalesce((SELECT max(id) FROM images), 0), coalesce((SELECT max(image) FROM image_pages), 0))"
        )
        ((last,),) = self._connection.execute(query)
        return int(last) + 1

    def add_pages(self, pages: list[tuple[int, int, bytes]]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO image_pages (image, number, page) VALUES (?, ?, ?)", pages)

    def add(self, taken: Taken) -> None:
        """Make an image known whose pages are there, and forget those that it replaces."""
        for part in taken.parts:
            id, seq, *rest = part.stored
            self._connection.execute(
                "INSERT OR REPLACE INTO images (id, env, seq, twin, base, since, schema_hash, count)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (id, taken.env, seq, *rest),
            )
        self.drop(taken.replaced)

    def drop(self, ids: Iterable[int]) -> None:
        for id in ids:
            self._connection.execute("DELETE FROM images WHERE id = ?", (id,))
            self._connection.execute("DELETE FROM image_pages WHERE image = ?", (id,))


class ImageQueue:
    """Images that were taken and wait to be written, by the engine's one writer, in parts."""

    def __init__(self, file: ImageWriter) -> None:
        self._file = file
        self._waiting: deque[Taken] = deque()
        self._next_id = file.images.next_id()
        self._is_writing = False

    @property
    def is_full(self) -> bool:
        """Whether too much waits already."""
        return sum(taken.size for taken in self._waiting) > MAX_PENDING_BYTES

    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def add(self, taken: Taken) -> None:
        self._waiting.append(taken)

    def forget(self, env: str) -> None:
        """Write nothing more of an environment."""
        for taken in self._waiting:
            taken.is_wanted &= taken.env != env

    def clear(self) -> None:
        self._waiting.clear()

    def write(self) -> Generator[CooperativeStep]:
        """Write what waits; one at a time does so. Raises StorageFull."""
        if self._is_writing:
            return
        self._is_writing = True
        try:
            while self._waiting:
                yield from self._write(self._waiting[0])
                self._waiting.popleft()
        finally:
            self._is_writing = False

    def _write(self, taken: Taken) -> Generator[CooperativeStep]:
        packed = taken.pack_pages()
        while taken.is_wanted and (pages := list(islice(packed, PAGES_AT_ONCE))):
            self._file.save_pages(pages)
            yield yield_control
        if taken.is_wanted:
            self._file.save_image(taken)
        else:
            self._file.drop_images([part.stored.id for part in taken.parts])
