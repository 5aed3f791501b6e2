"""Finds templates that nothing refers to any more: they have no name, and no remaining environment began with them.

Templates made of a sandbox's own rows end up like this.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from typing import Any, cast

from twindiff.catalog import EnvironmentRecord, TemplateRecord
from twindiff.kit.errors import NotServed
from twindiff.kit.store import Store
from twindiff.storage.sqlite import SqliteEngine

from .environments import Environments

log = logging.getLogger("twindiff")

AT_ONCE = 100
"""Environments read by one query."""

MAX_TRIES = 3
"""Sweeps that try to remove a template; it is set aside when the last one fails too."""

Names = set[tuple[str, str]]
"""Templates by twin and hash."""


class UnusedTemplateSweeper:
    """Removes a template after two sweeps have found it unused, so that a request about to use it has time to do so."""

    def __init__(self, engine: SqliteEngine, catalog: Store, environments: Environments) -> None:
        self._engine = engine
        self._catalog = catalog
        self._environments = environments
        self._found: Names = set()
        self._failures: dict[tuple[str, str], int] = {}
        """How often the removal of a template has failed."""

    def sweep(self) -> Iterator[None]:
        """Check all templates, and remove those that were unused in the last sweep too; in parts."""
        named = self._catalog.rows(TemplateRecord, columns=(TemplateRecord.service, TemplateRecord.hash))
        used = yield from self._find_used()
        unused = self._engine.stored_templates() - {*cast(Any, named)} - used
        for twin, hash in sorted(unused & self._found):
            if (twin, hash) not in self._engine.asked:  # a request may ask for it during the sweep
                self._remove(twin, hash)
                yield
        self._found = unused
        self._engine.asked.clear()

    def _remove(self, twin: str, hash: str) -> None:
        """Remove a template; one that cannot be removed is set aside, so that it holds up no other."""
        failures = self._failures.get((twin, hash), 0)
        if failures == MAX_TRIES:
            return
        try:
            self._engine.forget_template(twin, hash)
            self._environments.actors.forget(twin, hash)
        except NotServed:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the other templates are removed
            self._failures[twin, hash] = failures + 1
            if failures + 1 == MAX_TRIES:
                reason = f"{type(error).__name__}: {error}"
                log.warning("Unused template %s of %s set aside after %d tries: %s", hash, twin, MAX_TRIES, reason)

    def _find_used(self) -> Generator[None, None, Names]:
        """Return the templates of all environments that are ready or can still be inspected."""
        names: Names = set()
        rows = self._after("")
        while rows:
            for _, origin in rows:
                names.update(origin["templates"].items())
            yield
            rows = self._after(rows[-1][0])
        return names

    def _after(self, last: str) -> list[tuple[str, Any]]:
        """Return the next environments in the order of their ids: each id with its origin."""
        id, origin = EnvironmentRecord.environment_id, EnvironmentRecord.origin
        there = EnvironmentRecord.status.in_(("ready", "expired")), id > last
        return cast(Any, self._catalog.rows(EnvironmentRecord, *there, order=id, limit=AT_ONCE, columns=(id, origin)))
