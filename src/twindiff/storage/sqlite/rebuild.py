"""Rebuilding of an environment's pages and position at a point, from templates, images and the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twindiff.storage import EnvironmentOrigin
from twindiff.storage.journal import JournalRecord, RowChange, net

from .database import Database, fits
from .files import Reading, ReplayPlan
from .images import Stored
from .live_environments import Point, SqlitePool
from .pages import Image, Pages
from .positions import images_of, position_at
from .schema_migration import migrate
from .table_sql import SqliteSchemaSql
from .templates import TemplateImages


class Rebuilding:
    """Rebuilds points of environments, in any thread that passes its own `Reading`."""

    def __init__(self, pools: Mapping[str, SqlitePool], templates: TemplateImages) -> None:
        self._pools = pools
        self._templates = templates

    def pages_at_birth(self, origin: EnvironmentOrigin, reading: Reading | None = None) -> dict[str, Pages]:
        """Return the initial pages of an environment by twin."""
        pages: dict[str, Pages] = {}
        for twin, hash in origin.templates.items():
            tables = self._pools[twin].tables
            image = self._templates.image(tables, hash, reading)
            pages[twin] = Pages(image, stands_alone=self._templates.as_written(tables, hash) is None)
        return pages

    def point(self, reading: Reading, env: str, origin: EnvironmentOrigin, seq: int) -> Point:
        """Rebuild a point from the last image in its history and the journal."""
        way = reading.way_to(env, seq)
        pages = self.pages_at_birth(origin, reading)
        for stored in way.images:
            pages[stored.twin] = self._load_pages(reading, origin.templates[stored.twin], stored)
        if not all(reading.images.is_there(stored.id) for stored in way.images):  # replaced by another meanwhile
            return self.point(reading, env, origin, seq)
        is_carried = any(pages[stored.twin].dirty for stored in way.images)
        replayed = self._replay(reading, way, pages)
        since = replayed + (way.images[0].since if way.images else 0)
        images = [] if is_carried else images_of(reading, way)
        return Point(pages, position_at(reading, env, origin, seq, since), images)

    def tables(self, twin: str) -> SqliteSchemaSql:
        """Return the tables of a twin."""
        return self._pools[twin].tables

    def is_of_today(self, reading: Reading, env: str, origin: EnvironmentOrigin, seq: int) -> bool:
        """Whether the replay plan of a point starts from rows of the current schemas, so that none is migrated."""
        tables = {twin: self.tables(twin) for twin in origin.templates}
        images = {stored.twin: stored.schema_hash for stored in reading.way_to(env, seq).images}
        return all(
            self._templates.as_written(tables[twin], hash) is not None
            and images.get(twin, tables[twin].schema.hash) == tables[twin].schema.hash
            for twin, hash in origin.templates.items()
        )

    def _replay(self, reading: Reading, way: ReplayPlan, pages: dict[str, Pages]) -> int:
        """Apply the segments of a replay plan to pages; return the number of operations."""
        replayed = 0

        def records() -> Iterator[JournalRecord]:
            nonlocal replayed
            for stretch in way.stretches:
                for record in reading.stretch(stretch):
                    replayed += 1
                    yield record

        changes: dict[str, list[RowChange]] = {twin: [] for twin in pages}
        for place, (before, after) in net(records()).items():
            changes[place.twin].append(RowChange(place.table, place.key, before, after))
        for twin, mine in changes.items():
            if mine:
                database = Database(self._pools[twin].tables, pages[twin])
                database.apply(mine)
                database.close()
        return replayed

    def _load_pages(self, reading: Reading, hash: str, stored: Stored) -> Pages:
        """Load stored pages over their template; migrate the whole database if its schema is older."""
        tables = self._pools[stored.twin].tables
        image = self._templates.as_written(tables, hash)
        if image is None:
            _, data = reading.load_template(stored.twin, hash) or (None, b"")
            image = Image(data)
        pages = Pages(image)
        pages.own, pages.count = reading.images.pages(stored.id), stored.page_count
        if stored.schema_hash == tables.schema.hash and fits(tables, pages):
            return pages
        return Pages(Image(migrate(tables, pages.data())), stands_alone=True)
