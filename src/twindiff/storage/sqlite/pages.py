"""Copy-on-write databases: SQLite reads and writes pages, and here the pages live.

A SQLite database is a file of numbered pages. A *template* is such a file, kept once as immutable bytes (`Image`). An
environment sees it through its own `Pages`: a page it has written is in its own map, every other falls through to the
template. So an environment costs nothing to make and only what it wrote to keep, whatever the template's size; a fork
is a copy of the map, whose pages are immutable and shared.

SQLite asks for pages through a VFS, its operating-system layer; `PageFile` answers from whatever `Pages` are mounted.
One connection serves many environments in turn: `mount` swaps the pages under it, and the schema it has parsed and the
statements it has prepared stay good. Its cache of pages does not. SQLite sees that a file was written by others when
the change counter in the header (bytes 24-27, and 92-95 beside the size) differs from the one it knows, and it only
ever adds one itself. So the file shows a counter of its own, which jumps at every swap: were the pages' own counter
shown, two environments could have the same one, and the second would be answered from the cache of the first.

Every write is remembered as `undo`: the page that it replaced. Going back some operations puts those pages back.

This is where C would go if a figure asked for it: `xRead` and `xWrite` are called per page, at 0.3 to 0.7 µs each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from .row_cache import KnownRows

if TYPE_CHECKING:
    import zlib as isal_zlib  # it has the same interface, and types
else:
    from isal import isal_zlib

PAGE_SIZE = 4096
_WINDOW_BITS = 12
"""A page is its own window: the usual one of eight pages takes long to be made ready."""
BLANK = bytes(PAGE_SIZE)
"""A page that was never written: SQLite grows a file in any order, and leaves out pages that it has freed again."""
_JUMP = 0x10000
_NAME = "twindiff-pages"
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOMUTEX | apsw.SQLITE_OPEN_URI
"""One operation at a time has a connection, and a lock for every value that it reads costs a quarter of reading."""

CACHED_KIB = 16 * 1024
"""What a connection may keep of the pages it has read: the index that a search reads through, of 100,000 messages."""

_STATEMENTS = 256
"""Statements that a connection keeps prepared; a twin of many tables has more than apsw's usual hundred."""

apsw.soft_heap_limit(256 * 1024 * 1024)
"""Beyond so much memory of all connections together each uses its own pages' room again, before it takes more."""

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
    """A page in fewer bytes, unless it is as good as noise; one that is packed already stays as it is.

    The stream is zlib's, which takes three times as long to make it.
    """
    if len(page) != PAGE_SIZE:
        return page
    packed = isal_zlib.compress(page, 1, _WINDOW_BITS)
    return packed if len(packed) < PAGE_SIZE else page


def unpack(page: bytes) -> bytes:
    """A page as SQLite wrote it."""
    return page if len(page) == PAGE_SIZE else isal_zlib.decompress(page)


class Image:
    """A whole database, immutable; the pages that are those of another one are kept once."""

    __slots__ = ("__weakref__", "count", "pages", "size")

    def __init__(self, data: bytes, like: Image | None = None) -> None:
        self.pages = [data[at : at + PAGE_SIZE] for at in range(0, len(data), PAGE_SIZE)]
        self.count = len(self.pages)
        self.size = len(data)
        """Bytes of the pages that are its own."""
        for number, (page, other) in enumerate(zip(self.pages, like.pages if like else (), strict=False)):
            if page == other:
                self.pages[number] = other
                self.size -= PAGE_SIZE


class Undo:
    """What leads back over one operation: pages as they were (None: the template's), and how many there were."""

    __slots__ = ("count", "pages")

    def __init__(self, count: int) -> None:
        self.pages: dict[int, bytes | None] = {}
        self.count = count

    @property
    def size(self) -> int:
        """Bytes that are kept for it."""
        return PAGE_SIZE * len(self.pages)


class Pages:
    """What one environment sees of a database: its own pages over an image, some of them packed."""

    __slots__ = ("count", "dirty", "image", "known", "mounted", "own")

    def __init__(self, image: Image, *, stands_alone: bool = False) -> None:
        self.image = image
        self.own: dict[int, bytes] = {}
        self.count = image.count
        self.dirty = set(range(image.count)) if stands_alone else set[int]()
        """The pages that may differ from those of the environment's last image; all, when nothing stored has them."""
        self.mounted: Any = None
        """The database that showed these pages last."""
        self.known = KnownRows()

    def copy(self) -> Pages:
        """The same pages, to be written apart from now on."""
        twin = Pages(self.image)
        twin.own = self.own.copy()
        twin.count = self.count
        twin.dirty = self.dirty.copy()
        return twin

    def page(self, number: int) -> bytes:
        return unpack(self._stored_page(number))

    def _stored_page(self, number: int) -> bytes:
        """A page, packed if it is kept so."""
        own = self.own.get(number)
        if own is not None:
            return own
        return self.image.pages[number] if number < self.image.count else BLANK

    def dirty_pages(self) -> dict[int, bytes]:
        """The pages that are dirty, some of them packed."""
        return {number: self._stored_page(number) for number in self.dirty if number < self.count}

    def take_back(self, undo: Undo) -> None:
        """Go back over one operation."""
        self.known.clear()
        self.count = undo.count
        for number, page in undo.pages.items():
            if page is None:
                self.own.pop(number, None)
            else:
                self.own[number] = page

    def data(self) -> bytes:
        """The whole database as bytes."""
        return b"".join([self.page(number) for number in range(self.count)])


class PageFile:
    """The file of one connection; SQLite calls the `x…` methods."""

    def __init__(self, pages: Pages) -> None:
        self.pages: Pages = pages
        self.undo = Undo(pages.count)
        self._counter = 1

    def mount(self, pages: Pages) -> None:
        """Show other pages from the next transaction on; there must be none open."""
        self.pages = pages
        self._counter = (self._counter + _JUMP) & 0xFFFFFFFF

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        pages, number = self.pages, offset // PAGE_SIZE
        if number >= pages.count:
            return b""
        page = pages.own.get(number)  # as `Pages.page`, which a scan would call for every page
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
        """Nothing to do: the journal is what survives."""

    def xClose(self) -> None:  # noqa: N802
        """Nothing to do: the pages belong to the environment."""


class PageVfs(apsw.VFS):
    """Hands each new connection the file that was made for it."""

    def __init__(self) -> None:
        super().__init__(_NAME, "")
        self._waiting: dict[str, PageFile] = {}

    def connect(self, pages: Pages) -> tuple[Any, PageFile]:
        """A connection over pages, and its file."""
        file = PageFile(pages)
        name = f"/pages-{id(file)}"
        self._waiting[name] = file
        # A file belongs to one connection; to be asked for its locks would take a handful of calls for each operation.
        connection: Any = apsw.Connection(f"file:{name}?nolock=1", _FLAGS, _NAME, _STATEMENTS)
        connection.execute(_SETTINGS).fetchall()  # for a statement that answers is where SQLite waits
        return connection, file

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return False

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """There are no files to delete."""

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        flags[1] = flags[0]
        return self._waiting.pop(name.filename() if isinstance(name, apsw.URIFilename) else str(name))


vfs = PageVfs()
