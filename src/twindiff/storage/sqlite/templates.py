"""Templates of the embedded engine: images named by their content, loaded once and carried over to today's schema."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator, Mapping
from threading import Lock
from weakref import WeakValueDictionary

from twindiff.storage import Template, TemplatePayload
from twindiff.storage.cooperative import CooperativeStep, clear_in_chunks
from twindiff.storage.journal import Values
from twindiff.storage.user_cache import default_folder

from .database import Database, fits, image_of
from .files import DataFile, Reading
from .image_cache import ImageCache
from .pages import Image, Pages
from .schema_migration import migrate
from .store import SqliteStore
from .table_sql import SqliteSchemaSql

Name = tuple[str, str]
"""A twin and the hash of a template."""

RECENT_BYTES = 64 * 1024 * 1024
"""Bytes of templates that stay in memory though no environment that is awake began with them."""
OPEN = 16
"""Templates that are kept open for who looks at their rows."""


class TemplateImages:
    """The images of a data file; those stay in memory that an environment uses, and some that were used of late."""

    def __init__(self, file: DataFile) -> None:
        self._file = file
        self._cache = ImageCache(default_folder())
        self._images: WeakValueDictionary[Name, Image] = WeakValueDictionary()
        self._as_written: WeakValueDictionary[Name, Image] = WeakValueDictionary()
        self._recent: OrderedDict[Name, Image] = OrderedDict()
        self._latest: WeakValueDictionary[str, Image] = WeakValueDictionary()
        self._using = Lock()
        self._open: OrderedDict[Name, Database] = OrderedDict()
        self.asked: set[Name] = set()
        """Templates that somebody is about to use, since this was last emptied."""

    def has(self, twin: str, hash: str) -> bool:
        """Whether a template is stored; who asks is about to use it."""
        self.asked.add((twin, hash))
        return self._file.has_template(twin, hash)

    def keep(self, tables: SqliteSchemaSql, rows: Mapping[str, list[Values]], counters: dict[str, int]) -> Template:
        """Store full rows by table; the same rows in any order have the same hash."""
        schema = tables.schema
        digest = schema.content_hash(rows, counters)
        template = Template(digest, schema.hash, counters)
        if not self.has(schema.twin, digest):
            for _ in self._file.save_template(schema.twin, template, image_of(tables, rows)):
                pass
        return template

    def copy(
        self, tables: SqliteSchemaSql, pages: Pages, counters: dict[str, int]
    ) -> Generator[CooperativeStep, None, Template]:
        """Store what pages hold, which are nobody else's."""
        made: list[tuple[Template, bytes]] = []
        yield lambda: made.append(_copy_template(tables, pages, counters))
        template, image = made[0]
        name = (tables.schema.twin, template.hash)
        if not self.has(*name):
            yield from self._file.save_template(name[0], template, image)
        return template

    def adopt(self, tables: SqliteSchemaSql, start: TemplatePayload) -> Iterator[CooperativeStep]:
        """Store a template whose hash is known, unless it is there; gives the making of its image as work."""
        twin, template = tables.schema.twin, start.template
        if not self.has(twin, template.hash):
            made: list[bytes] = []
            yield lambda: made.append(self._make_image(tables, start))
            yield from self._file.save_template(twin, template, made[0])
            image = self._image(twin, made[0])
            self._images[twin, template.hash] = self._as_written[twin, template.hash] = image
            self._use((twin, template.hash), image)

    def _image(self, twin: str, data: bytes) -> Image:
        """An image that shares pages with the last one of its twin: those of empty tables, and all of equal rows."""
        image = self._latest[twin] = Image(data, self._latest.get(twin))
        return image

    def _make_image(self, tables: SqliteSchemaSql, start: TemplatePayload) -> bytes:
        def build() -> bytes:
            return image_of(tables, start.rows)

        return self._cache.image(tables.schema, start.template, build) if start.is_built_in else build()

    def load_stored(self, twin: str, hash: str, reading: Reading | None = None) -> tuple[Template, bytes]:
        """A template as it was written; raises LookupError. Another thread gives a connection of its own."""
        template = (reading or self._file).load_template(twin, hash)
        if template is None:
            raise LookupError(f"There is no {twin} template {hash}")
        return template

    def image(self, tables: SqliteSchemaSql, hash: str, reading: Reading | None = None) -> Image:
        """A template in today's schema; raises LookupError, SchemaChanged. Another thread gives its connection."""
        key = (tables.schema.twin, hash)
        image = self._images.get(key)
        if image is None:
            image = self._images[key] = self._load(tables, key, reading)
        self._use(key, image)
        return image

    def _load(self, tables: SqliteSchemaSql, key: Name, reading: Reading | None) -> Image:
        template, data = self.load_stored(*key, reading)
        image = self._image(key[0], data)
        if template.schema_hash != tables.schema.hash or not fits(tables, Pages(image)):
            return self._image(key[0], migrate(tables, data))
        self._as_written[key] = image
        return image

    def _use(self, key: Name, image: Image) -> None:
        """Keep what was used last in memory, and as much of what was used before as there is room for."""
        with self._using:
            self._recent[key] = image
            self._recent.move_to_end(key)
            size = sum(each.size for each in self._recent.values())
            while size > RECENT_BYTES and len(self._recent) > 1:
                _, oldest = self._recent.popitem(last=False)
                size -= oldest.size

    def as_written(self, tables: SqliteSchemaSql, hash: str) -> Image | None:
        """The image of a template that needs no carrying over; the same bytes for ever."""
        image = self.image(tables, hash)
        as_written = self._as_written.get((tables.schema.twin, hash))
        return as_written if as_written is image else None

    def rows(self, tables: SqliteSchemaSql, hash: str) -> SqliteStore:
        """The rows of a template, read-only."""
        key = (tables.schema.twin, hash)
        if key not in self._open:
            self._open[key] = Database(tables, Pages(self.image(tables, hash)))
        self._open.move_to_end(key)
        if len(self._open) > OPEN:
            self._open.popitem(last=False)  # whoever looks at it still has it
        return SqliteStore(self._open[key].connection, tables, None)

    def forget(self, twin: str, hash: str) -> None:
        """Leave nothing of a template, on disk or in memory."""
        self._images.pop((twin, hash), None)
        self._recent.pop((twin, hash), None)
        if database := self._open.pop((twin, hash), None):
            database.close()
        self._file.forget_template(twin, hash)

    def close(self) -> None:
        for database in self._open.values():
            database.close()


def _copy_template(tables: SqliteSchemaSql, pages: Pages, counters: dict[str, int]) -> tuple[Template, bytes]:
    """A template of what pages hold, and its image; in any thread."""
    database = Database(tables, pages)
    try:
        rows = database.content()
    finally:
        database.close()
    try:
        template = Template(tables.schema.content_hash(rows, counters), tables.schema.hash, counters)
        return template, image_of(tables, rows)
    finally:
        for each in rows.values():
            clear_in_chunks(each)
