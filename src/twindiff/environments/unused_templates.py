"""Templates that nothing can lead to any more: they have no name, and no environment that is left began with them.

So are those of sandboxes that were made with rows of their own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, cast

from twindiff.catalog import EnvironmentRecord, TemplateRecord
from twindiff.kit.store import Store
from twindiff.storage.sqlite import SqliteEngine

from .environments import Environments

AT_ONCE = 100
"""Environments that are looked at in one go."""

Names = set[tuple[str, str]]
"""Templates by twin and hash."""


class Unused:
    """Forgets them, each when it was found unused twice; whoever is about to use one has the time between for it."""

    def __init__(self, engine: SqliteEngine, catalog: Store, environments: Environments) -> None:
        self._engine = engine
        self._catalog = catalog
        self._environments = environments
        self._found: Names = set()

    def sweep(self) -> Iterator[None]:
        """Look at all templates, and forget what was unused the last time too; in parts."""
        named = self._catalog.rows(TemplateRecord, columns=(TemplateRecord.service, TemplateRecord.hash))
        used = yield from self._find_used()
        unused = self._engine.stored_templates() - {*cast(Any, named)} - used
        for twin, hash in unused & self._found:
            if (twin, hash) not in self._engine.asked:  # who asks may do so in the midst of this
                self._engine.forget_template(twin, hash)
                self._environments.actors.forget(twin, hash)
                yield
        self._found = unused
        self._engine.asked.clear()

    def _find_used(self) -> Generator[None, None, Names]:
        """What the environments began with that are ready, or can still be looked at."""
        names: Names = set()
        rows = self._after("")
        while rows:
            for _, origin in rows:
                names.update(origin["templates"].items())
            yield
            rows = self._after(rows[-1][0])
        return names

    def _after(self, last: str) -> list[tuple[str, Any]]:
        """Some environments that are there, in the order of their ids: each with what it is made of."""
        id, origin = EnvironmentRecord.environment_id, EnvironmentRecord.origin
        there = EnvironmentRecord.status.in_(("ready", "expired")), id > last
        return cast(Any, self._catalog.rows(EnvironmentRecord, *there, order=id, limit=AT_ONCE, columns=(id, origin)))
