"""A cache of journal summaries, so that a page of diffs reads only its own records instead of the whole journal.
Journals are append-only, rewinds included, so a summary never becomes stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from twindiff.changes import Include
from twindiff.changes.entries import VIEWS, view
from twindiff.server.service import Service
from twindiff.storage.journal import JournalRecord
from twindiff.storage.schema import Schema

AT_ONCE = 100
"""Records read in one batch."""
REMEMBERED = 1000
"""Journals in the cache, at about one byte per record."""


class JournalViews(NamedTuple):
    """The summary of a journal: the views in which each record shows changes, and the targets of rewinds by seq."""

    views: bytes = b""
    rewinds: Mapping[int, int] = {}

    def extend(self, records: list[JournalRecord], schemas: Mapping[str, Schema]) -> JournalViews:
        """Return the summary extended by the next records."""
        views = bytes(_rank(view(record, schemas)) for record in records)
        rewinds = {record.seq: record.to for record in records if record.to is not None}
        return JournalViews(self.views + views, {**self.rewinds, **rewinds})

    def list_shown(self, include: Include) -> list[int]:
        """The seqs of operations that led to the current state and show changes in the view, oldest first."""
        seqs: list[int] = []
        seq, most = len(self.views), _rank(include)
        while seq:
            if seq in self.rewinds:
                seq = self.rewinds[seq]
                continue
            if self.views[seq - 1] <= most:
                seqs.append(seq)
            seq -= 1
        return seqs[::-1]


def _rank(view: Include | None) -> int:
    return VIEWS.index(view) if view else len(VIEWS)


class Histories:
    """The journal summaries of a server's environments."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: dict[str, JournalViews] = {}

    async def of(self, environment_id: str) -> JournalViews:
        """The summary of a journal up to now; it ends early if the environment is deleted meanwhile."""
        service, history = self._service, self._known.get(environment_id, JournalViews())
        end = service.engine.seq(environment_id)
        while len(history.views) < end:
            after = len(history.views)
            records = service.engine.records(environment_id, after, min(after + AT_ONCE, end))
            if not records:
                return history
            history = history.extend(records, service.registry.schemas)
            await service.runtime.yield_to_loop()
        self._remember(environment_id, history)
        return history

    def _remember(self, environment_id: str, history: JournalViews) -> None:
        self._known.pop(environment_id, None)
        self._known[environment_id] = history
        for oldest in list(self._known)[:-REMEMBERED]:
            self._known.pop(oldest, None)

    async def records(self, environment_id: str, seqs: list[int]) -> list[JournalRecord]:
        """Read records of a journal by their seqs, which must be ascending."""
        wanted: list[JournalRecord] = []
        while seqs:
            near = [seq for seq in seqs if seq < seqs[0] + AT_ONCE]
            records = self._service.engine.records(environment_id, near[0] - 1, near[-1])
            wanted += [record for record in records if record.seq in near]
            seqs = seqs[len(near) :]
            await self._service.runtime.yield_to_loop()
        return wanted
