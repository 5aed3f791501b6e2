"""Copy-on-write databases: the storage of the pages that SQLite reads and writes.

An SQLite database is a file of numbered pages. A *template* is such a file, held once as immutable bytes (`Image`). An
environment accesses it through its own `Pages`: pages it has written are in its own map, all others come from the
template. So creating an environment is free, and it occupies only what it wrote, whatever the size of the template. A
fork is a copy of the map; pages are immutable and shared.

SQLite reads pages through a VFS, its operating-system layer; `PageFile` serves the `Pages` that are mounted. One
connection serves many environments in turn: `mount` swaps the pages under it, while its parsed schema and prepared
statements remain valid. Its page cache does not. SQLite detects writes by others when the change counter in the header
(bytes 24-27, repeated in 92-95) differs from the one it knows, and itself only ever increments it. So `PageFile`
presents its own counter, which jumps at every mount. With the counter stored in the pages, two environments could have
the same one, and SQLite would serve the second from its cache of the first.

Every write saves the page that it replaced in `undo`; rolling back restores those pages.

If performance ever requires C, this is the place: `xRead` and `xWrite` are called per page, at 0.3 to 0.7 µs each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from .row_cache import KnownRows

if TYPE_CHECKING:
    import zlib as isal_zlib  # the same interface, with type stubs
else:
    from isal import isal_zlib

PAGE_SIZE = 4096
_WINDOW_BITS = 12
"""The compression window is one page: the default of eight pages takes long to initialize."""
BLANK = bytes(PAGE_SIZE)
"""A page that was never written: SQLite extends a file in any order, and skips pages freed in the meantime."""
_JUMP = 0x10000
_NAME = "twindiff-pages"
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOMUTEX | apsw.SQLITE_OPEN_URI
"""NOMUTEX: a connection serves one operation at a time, and locks for each value would take a quarter of reads."""

CACHED_KIB = 16 * 1024
"""The page cache of a connection: enough for the full-text index of 100,000 messages."""

_STATEMENTS = 256
"""Prepared statements cached per connection; a twin with many tables needs more than apsw's default of 100."""

apsw.soft_heap_limit(256 * 1024 * 1024)
"""Beyond this total of all connections, each recycles its own cached pages before it allocates more."""

_SETTINGS = f"""
    PRAGMA journal_mode = MEMORY;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -{CACHED_KIB};
    -- Indexes are declared; one that is made for a statement is made anew for every row that asks it.
    PRAGMA automatic_index = OFF;
    -- A count reads from the end: up to the oldest of a page there is no bound that each row is compared with.
    PRAGMA reverse_unordered_selects = ON;
"""


def pack(page: bytes) -> bytes:
    """Compress a page, unless it is incompressible or already compressed.

    The format is zlib's; isal produces it three times as fast.
    """
    if len(page) != PAGE_SIZE:
        return page
    packed = isal_zlib.compress(page, 1, _WINDOW_BITS)
    return packed if len(packed) < PAGE_SIZE else page


def unpack(page: bytes) -> bytes:
    """Decompress a page, unless it is not compressed."""
    return page if len(page) == PAGE_SIZE else isal_zlib.decompress(page)


class Image:
    """A complete immutable database; pages equal to those of the image `like` are shared with it."""

    __slots__ = ("__weakref__", "count", "pages", "size")

    def __init__(self, data: bytes, like: Image | None = None) -> None:
        self.pages = [data[at : at + PAGE_SIZE] for at in range(0, len(data), PAGE_SIZE)]
        self.count = len(self.pages)
        self.size = len(data)
        """Bytes of the pages that are not shared."""
        for number, (page, other) in enumerate(zip(self.pages, like.pages if like else (), strict=False)):
            if page == other:
                self.pages[number] = other
                self.size -= PAGE_SIZE


class Undo:
    """The undo log of one transaction: previous own pages (None: the template's page), and the page count."""

    __slots__ = ("count", "pages")

    def __init__(self, count: int) -> None:
        self.pages: dict[int, bytes | None] = {}
        self.count = count

    @property
    def size(self) -> int:
        """Bytes of the saved pages, an upper bound."""
        return PAGE_SIZE * len(self.pages)


class Pages:
    """The database of one environment: its own pages over an image, some of them compressed."""

    __slots__ = ("count", "dirty", "image", "known", "mounted", "own")

    def __init__(self, image: Image, *, stands_alone: bool = False) -> None:
        self.image = image
        self.own: dict[int, bytes] = {}
        self.count = image.count
        self.dirty = set(range(image.count)) if stands_alone else set[int]()
        """The pages that may differ from the environment's last image; all of them, if no stored image has them."""
        self.mounted: Any = None
        """The `Database` that last mounted these pages."""
        self.known = KnownRows()

    def copy(self) -> Pages:
        """Return an independent copy, which shares the pages themselves."""
        twin = Pages(self.image)
        twin.own = self.own.copy()
        twin.count = self.count
        twin.dirty = self.dirty.copy()
        return twin

    def page(self, number: int) -> bytes:
        return unpack(self._stored_page(number))

    def _stored_page(self, number: int) -> bytes:
        """Return a page as stored, perhaps compressed."""
        own = self.own.get(number)
        if own is not None:
            return own
        return self.image.pages[number] if number < self.image.count else BLANK

    def dirty_pages(self) -> dict[int, bytes]:
        """Return the dirty pages by number, some of them compressed."""
        return {number: self._stored_page(number) for number in self.dirty if number < self.count}

    def take_back(self, undo: Undo) -> None:
        """Roll back one transaction."""
        self.known.clear()
        self.count = undo.count
        for number, page in undo.pages.items():
            if page is None:
                self.own.pop(number, None)
            else:
                self.own[number] = page

    def data(self) -> bytes:
        """Return the complete database as bytes."""
        return b"".join([self.page(number) for number in range(self.count)])


class PageFile:
    """The file of one connection, backed by the mounted pages; SQLite calls the `x…` methods."""

    def __init__(self, pages: Pages) -> None:
        self.pages: Pages = pages
        self.undo = Undo(pages.count)
        self._counter = 1

    def mount(self, pages: Pages) -> None:
        """Switch to other pages; no transaction may be open."""
        self.pages = pages
        self._counter = (self._counter + _JUMP) & 0xFFFFFFFF

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        pages, number = self.pages, offset // PAGE_SIZE
        if number >= pages.count:
            return b""
        page = pages.own.get(number)  # inlined `Pages.page`, since a scan calls this for every page
        if page is None:
            page = pages.image.pages[number] if number < pages.image.count else BLANK
        elif len(page) != PAGE_SIZE:
            page = pages.own[number] = isal_zlib.decompress(page)
        if number == 0:
            counter = self._counter.to_bytes(4, "big")
            page = b"".join((page[:24], counter, page[28:92], counter, page[96:]))
        start = offset % PAGE_SIZE
        return page if amount == PAGE_SIZE else page[start : start + amount]

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        number = offset // PAGE_SIZE
        pages, page = self.pages, bytes(data)
        if number == 0:
            self._counter = int.from_bytes(page[24:28], "big")
        if number not in self.undo.pages:
            self.undo.pages[number] = pages.own.get(number)
        pages.own[number] = page
        pages.dirty.add(number)
        if number >= pages.count:
            pages.count = number + 1

    def xFileSize(self) -> int:  # noqa: N802
        return self.pages.count * PAGE_SIZE

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self.pages.count = size // PAGE_SIZE

    def xSectorSize(self) -> int:  # noqa: N802
        return PAGE_SIZE

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return apsw.SQLITE_IOCAP_ATOMIC | apsw.SQLITE_IOCAP_SAFE_APPEND | apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE

    def xFileControl(self, operation: int, pointer: int) -> bool:  # noqa: N802
        return False

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Do nothing: durability is the task of the journal."""

    def xClose(self) -> None:  # noqa: N802
        """Do nothing: the pages belong to the environment."""


class PageVfs(apsw.VFS):
    """The VFS that opens the prepared `PageFile` of each new connection."""

    def __init__(self) -> None:
        super().__init__(_NAME, "")
        self._waiting: dict[str, PageFile] = {}

    def connect(self, pages: Pages) -> tuple[Any, PageFile]:
        """Open a connection over pages; return it and its file."""
        file = PageFile(pages)
        name = f"/pages-{id(file)}"
        self._waiting[name] = file
        # nolock: a file belongs to one connection, and lock calls would take a handful of callbacks per operation.
        connection: Any = apsw.Connection(f"file:{name}?nolock=1", _FLAGS, _NAME, _STATEMENTS)
        connection.execute(_SETTINGS).fetchall()  # fetchall, since SQLite pauses at a statement that returns rows
        return connection, file

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return False

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Do nothing: there are no files to delete."""

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        flags[1] = flags[0]
        return self._waiting.pop(name.filename() if isinstance(name, apsw.URIFilename) else str(name))


vfs = PageVfs()
