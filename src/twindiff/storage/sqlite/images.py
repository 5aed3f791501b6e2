"""Images: snapshots of an environment's pages after some operation, so that a rebuild replays few operations.

An image is incremental and compressed. It has the pages written since the previous image in the same history, its
*base*; the first has no base and is relative to the template. So all images of an environment together take little
more space than its pages. A rebuild loads compressed pages and decompresses each when it is first read.

An image written at eviction is *provisional* (`since` is not 0): the next image is relative to its base instead, and
replaces it.

Images are taken when an operation ends and written later, in parts. Losing them in a crash costs time, but no data.
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
"""Pages compressed and written in one step, a millisecond. A thread would wait for the GIL before each page."""
MAX_PENDING_BYTES = 64 * 1024 * 1024
"""Bytes of pages in the queue beyond which no image is taken."""

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
    """The metadata of one twin's image. `since` is 0, or the operations that a provisional one is ahead of its base."""

    id: int
    seq: int
    twin: str
    base: int | None
    since: int
    schema_hash: str
    page_count: int


class PendingImage(NamedTuple):
    """The image of one twin that is yet to be written; `pages` are those that differ from its base."""

    stored: Stored
    pages: dict[int, bytes]


class QueuedImage:
    """A queued image of all twins, with the ids of the provisional images that it replaces."""

    def __init__(self, env: str, parts: list[PendingImage], replaced: Iterable[int]) -> None:
        self.env = env
        self.parts = parts
        self.replaced = list(replaced)
        self.size = PAGE_SIZE * sum(len(part.pages) for part in parts)
        self.is_wanted = True

    def pack_pages(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield (image, number, page) for every page, compressed lazily."""
        for part in self.parts:
            for number, page in sorted(part.pages.items()):
                yield part.stored.id, number, pack(page)


class ImageWriter(Protocol):
    """The operations of a data file that the queue needs."""

    images: ImageFile

    def save_pages(self, pages: list[tuple[int, int, bytes]]) -> None: ...
    def save_image(self, taken: QueuedImage) -> None: ...
    def drop_images(self, ids: Iterable[int]) -> None: ...


class ImageFile:
    """The images of a data file, through one connection."""

    def __init__(self, connection: SqliteConnection) -> None:
        self._connection = connection

    def latest(self, env: str, upto: int) -> list[Stored]:
        """Return the newest image of an environment at or before the seq `upto`, one entry per twin."""
        columns = "id, seq, twin, base, since, schema_hash, count"
        newest = "SELECT max(seq) FROM images WHERE env = ? AND seq <= ?"
        rows = self._connection.execute(
            f"SELECT {columns} FROM images WHERE env = ? AND seq = ({newest})", (env, env, upto)
        )
        return [Stored(*row) for row in rows]

    def is_there(self, id: int) -> bool:
        return self._connection.execute("SELECT 1 FROM images WHERE id = ?", (id,)).fetchone() is not None

    def ids(self, env: str) -> list[int]:
        """Return the ids of all images of an environment, newest first."""
        rows = self._connection.execute("SELECT id FROM images WHERE env = ? ORDER BY id DESC", (env,))
        return [int(id) for (id,) in rows]

    def pages(self, id: int) -> dict[int, bytes]:
        """Return the pages of an image by number, including those of its bases; compressed."""
        return dict(self._connection.execute(_LATEST, (id,)).fetchall())  # pyright: ignore[reportReturnType,reportArgumentType,reportCallIssue,reportUnknownVariableType]

    def numbers(self, id: int) -> set[int]:
        """Return the numbers of the pages in which an image differs from its base."""
        return {
            int(number)
            for (number,) in self._connection.execute("SELECT number FROM image_pages WHERE image = ?", (id,))
        }

    def next_id(self) -> int:
        """Return an id greater than that of any image, including unfinished ones."""
        query = (
            "SELECT max(coalesce((SELECT max(id) FROM images), 0), coalesce((SELECT max(image) FROM image_pages), 0))"
        )
        ((last,),) = self._connection.execute(query)
        return int(last) + 1

    def add_pages(self, pages: list[tuple[int, int, bytes]]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO image_pages (image, number, page) VALUES (?, ?, ?)", pages)

    def add(self, taken: QueuedImage) -> None:
        """Register an image whose pages are written, and delete those that it replaces."""
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
    """The queue of images to be written, in parts, by the engine's only writer."""

    def __init__(self, file: ImageWriter) -> None:
        self._file = file
        self._waiting: deque[QueuedImage] = deque()
        self._next_id = file.images.next_id()
        self._is_writing = False

    @property
    def is_full(self) -> bool:
        """Whether the queue exceeds MAX_PENDING_BYTES."""
        return sum(taken.size for taken in self._waiting) > MAX_PENDING_BYTES

    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def add(self, taken: QueuedImage) -> None:
        self._waiting.append(taken)

    def forget(self, env: str) -> None:
        """Cancel the images of an environment."""
        for taken in self._waiting:
            taken.is_wanted &= taken.env != env

    def clear(self) -> None:
        self._waiting.clear()

    def write(self) -> Generator[CooperativeStep]:
        """Write all queued images; yields between parts. Does nothing if a write is in progress. Raises StorageFull."""
        if self._is_writing:
            return
        self._is_writing = True
        try:
            while self._waiting:
                yield from self._write(self._waiting[0])
                self._waiting.popleft()
        finally:
            self._is_writing = False

    def _write(self, taken: QueuedImage) -> Generator[CooperativeStep]:
        packed = taken.pack_pages()
        while taken.is_wanted and (pages := list(islice(packed, PAGES_AT_ONCE))):
            self._file.save_pages(pages)
            yield yield_control
        if taken.is_wanted:
            self._file.save_image(taken)
        else:
            self._file.drop_images([part.stored.id for part in taken.parts])
