"""Templates of the embedded engine: images addressed by content, loaded once and migrated to the current schema."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator, Mapping
from threading import Lock
from weakref import WeakValueDictionary

from twindiff.storage import Template, TemplatePayload
from twindiff.storage.cooperative import CooperativeStep, clear_in_chunks, run_to_end
from twindiff.storage.journal import Values
from twindiff.storage.user_cache import default_folder

from .database import Database, fits, image_of
from .files import DataFile, Reading
from .image_cache import ImageCache
from .other_shards import OtherShards
from .pages import Image, Pages
from .schema_migration import migrate
from .store import SqliteStore
from .table_sql import SqliteSchemaSql

Name = tuple[str, str]
"""A twin and the hash of a template."""

RECENT_BYTES = 64 * 1024 * 1024
"""Bytes of templates that stay in memory although no loaded environment uses them."""
OPEN = 16
"""Templates with an open connection for reading rows."""


class TemplateImages:
    """The template images of a data file; in memory are those in use and some recently used ones."""

    def __init__(self, file: DataFile, others: OtherShards) -> None:
        self._file = file
        self._others = others
        self._cache = ImageCache(default_folder())
        self._images: WeakValueDictionary[Name, Image] = WeakValueDictionary()
        self._as_written: WeakValueDictionary[Name, Image] = WeakValueDictionary()
        self._recent: OrderedDict[Name, Image] = OrderedDict()
        self._latest: WeakValueDictionary[str, Image] = WeakValueDictionary()
        self._using = Lock()
        self._open: OrderedDict[Name, Database] = OrderedDict()
        self.asked: set[Name] = set()
        """Templates that a caller is about to use; garbage collection spares them and empties the set."""

    def has(self, twin: str, hash: str) -> bool:
        """Whether a template is stored; also adds it to `asked`, since the caller is about to use it."""
        self.asked.add((twin, hash))
        return self._file.has_template(twin, hash)

    def keep(self, tables: SqliteSchemaSql, rows: Mapping[str, list[Values]], counters: dict[str, int]) -> Template:
        """Store full rows by table name as a template; the order of rows does not affect its hash."""
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
        """Store the rows of pages, which the caller does not share, as a template; yields steps for any thread."""
        made: list[tuple[Template, bytes]] = []
        yield lambda: made.append(_copy_template(tables, pages, counters))
        template, image = made[0]
        name = (tables.schema.twin, template.hash)
        if not self.has(*name):
            yield from self._file.save_template(name[0], template, image)
        return template

    def adopt(self, tables: SqliteSchemaSql, start: TemplatePayload) -> Iterator[CooperativeStep]:
        """Store a template whose hash is known, unless it exists; yields steps, one of which builds its image."""
        twin, template = tables.schema.twin, start.template
        if not self.has(twin, template.hash):
            made: list[bytes] = []
            yield lambda: made.append(self._make_image(tables, start))
            yield from self._file.save_template(twin, template, made[0])
            image = self._image(twin, made[0])
            self._images[twin, template.hash] = self._as_written[twin, template.hash] = image
            self._use((twin, template.hash), image)

    def _image(self, twin: str, data: bytes) -> Image:
        """Create an image that shares equal pages with the twin's previous one, such as those of empty tables."""
        image = self._latest[twin] = Image(data, self._latest.get(twin))
        return image

    def _make_image(self, tables: SqliteSchemaSql, start: TemplatePayload) -> bytes:
        def build() -> bytes:
            return image_of(tables, start.rows)

        return self._cache.image(tables.schema, start.template, build) if start.is_built_in else build()

    def load_stored(self, twin: str, hash: str, reading: Reading | None = None) -> tuple[Template, bytes]:
        """Return a template and its bytes as stored; raises LookupError. Other threads pass their own `reading`."""
        template = (reading or self._file).load_template(twin, hash)
        if template is None:
            raise LookupError(f"There is no {twin} template {hash}")
        return template

    def _fetch(self, twin: str, hash: str) -> tuple[Template, bytes]:
        """Return a template as stored; one of another shard is stored here first, as that shard may delete its own."""
        fetched = None if self._file.has_template(twin, hash) else self._others.load_template(twin, hash)
        if fetched:
            run_to_end(self._file.save_template(twin, *fetched))
        return self.load_stored(twin, hash)

    def image(self, tables: SqliteSchemaSql, hash: str, reading: Reading | None = None) -> Image:
        """Return the image of a template in the current schema; raises LookupError, SchemaChanged.

        Other threads pass their own `reading`.
        """
        key = (tables.schema.twin, hash)
        image = self._images.get(key)
        if image is None:
            image = self._images[key] = self._load(tables, key, reading)
        self._use(key, image)
        return image

    def _load(self, tables: SqliteSchemaSql, key: Name, reading: Reading | None) -> Image:
        template, data = self._fetch(*key) if reading is None else self.load_stored(*key, reading)
        image = self._image(key[0], data)
        if template.schema_hash != tables.schema.hash or not fits(tables, Pages(image)):
            return self._image(key[0], migrate(tables, data))
        self._as_written[key] = image
        return image

    def _use(self, key: Name, image: Image) -> None:
        """Keep the most recently used images in memory, at least one, up to RECENT_BYTES."""
        with self._using:
            self._recent[key] = image
            self._recent.move_to_end(key)
            size = sum(each.size for each in self._recent.values())
            while size > RECENT_BYTES and len(self._recent) > 1:
                _, oldest = self._recent.popitem(last=False)
                size -= oldest.size

    def as_written(self, tables: SqliteSchemaSql, hash: str) -> Image | None:
        """Return the image of a template that needs no migration, so that its bytes never change; else None."""
        image = self.image(tables, hash)
        as_written = self._as_written.get((tables.schema.twin, hash))
        return as_written if as_written is image else None

    def rows(self, tables: SqliteSchemaSql, hash: str) -> SqliteStore:
        """Return the rows of a template as a read-only store."""
        key = (tables.schema.twin, hash)
        if key not in self._open:
            self._open[key] = Database(tables, Pages(self.image(tables, hash)))
        self._open.move_to_end(key)
        if len(self._open) > OPEN:
            self._open.popitem(last=False)  # not closed: a store may still use it
        return SqliteStore(self._open[key].connection, tables, None)

    def forget(self, twin: str, hash: str) -> None:
        """Delete a template from disk and memory."""
        self._images.pop((twin, hash), None)
        self._recent.pop((twin, hash), None)
        if database := self._open.pop((twin, hash), None):
            database.close()
        self._file.forget_template(twin, hash)

    def close(self) -> None:
        for database in self._open.values():
            database.close()


def _copy_template(tables: SqliteSchemaSql, pages: Pages, counters: dict[str, int]) -> tuple[Template, bytes]:
    """Return a template of the rows of pages, and its image. Runs in any thread."""
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
