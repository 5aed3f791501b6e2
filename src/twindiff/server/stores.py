"""Everything of a server that reads and writes its storage."""

from __future__ import annotations

import logging
import time

from twindiff.catalog.catalogs import open_catalogs
from twindiff.environments.calls import Calls
from twindiff.environments.environments import Environments
from twindiff.environments.points import EnvironmentPoints
from twindiff.environments.registry import Registry
from twindiff.environments.runs import RunStore
from twindiff.environments.templates import TemplateStore
from twindiff.environments.transfer import Transfer
from twindiff.server.engine_choice import open_engine
from twindiff.server.settings import Settings
from twindiff.storage import StorageBusy
from twindiff.storage.sqlite.other_shards import OtherShards
from twindiff.suites.agent_diff import Importer
from twindiff.suites.suites import Suites
from twindiff.suites.trial_sets import TrialSetStore

log = logging.getLogger("twindiff")


class Stores:
    """The storage engine, the catalog, and what is kept in them; needs no event loop."""

    def __init__(self, settings: Settings, registry: Registry | None = None, others: OtherShards | None = None) -> None:
        """Open the storage; `others` reads the other shards, by default from their folders on this machine."""
        self.settings = settings
        self.registry = registry = registry or Registry.load_installed()
        self.engine = engine = open_engine(settings, others)
        self.catalog, self.whole_catalog = catalog, whole = open_catalogs(engine)
        if engine.is_shared:
            _ = registry.twins  # raises what the database lacks for any twin before anything is served
        registry.watch(engine.schema)
        self.templates = TemplateStore(engine, catalog, whole, registry)
        self.environments = Environments(engine, catalog, whole, registry, settings.most_environments)
        self.points = EnvironmentPoints(engine, catalog, self.environments)
        self.transfer = Transfer(engine, catalog, registry, self.templates, self.environments)
        self.calls = Calls(engine, catalog, settings.transcripts, is_read_elsewhere=settings.shard.total > 1)
        self.runs = RunStore(engine, catalog, whole, self.environments, once=settings.runs_once)
        self.suites = Suites(engine, catalog, whole, self.templates, registry, self.environments.actors)
        self.trial_sets = TrialSetStore(engine, catalog)
        self.importer = Importer(engine, registry, self.templates, self.suites)
        if engine.is_shared:
            self._write_built_in()

    def _write_built_in(self) -> None:
        """Write the built-in templates. Wait for locks of other processes: they write the same, or a server was killed
        a moment ago and the database still ends what it did. Raises StorageBusy after `storage_wait` seconds.
        """
        seconds = self.settings.storage_wait
        end = time.monotonic() + seconds
        while True:
            try:
                self.templates.write_built_in()
                return
            except StorageBusy:
                left = end - time.monotonic()
                if left <= 0:
                    self.engine.close()
                    waited = f"The database is busy: others hold locks there. They were waited for {seconds:g} seconds"
                    raise StorageBusy(waited) from None
            log.warning("The database is busy: others hold locks there. It is tried again for %.0f seconds", left)
