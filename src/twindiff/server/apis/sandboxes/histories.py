"""What journals are made of, remembered, so that a page of diffs reads its own records and not the whole journal.

A journal only grows, so what is known of its records stays true, rewinds included.
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
"""Records that are read in one go."""
REMEMBERED = 1000
"""Journals that are remembered, at a byte or so for each of their records."""


class JournalViews(NamedTuple):
    """What is known of a journal's records: in which view each shows something, and where rewinds led to."""

    views: bytes = b""
    rewinds: Mapping[int, int] = {}

    def extend(self, records: list[JournalRecord], schemas: Mapping[str, Schema]) -> JournalViews:
        """With the records that come next."""
        views = bytes(_rank(view(record, schemas)) for record in records)
        rewinds = {record.seq: record.to for record in records if record.to is not None}
        return JournalViews(self.views + views, {**self.rewinds, **rewinds})

    def list_shown(self, include: Include) -> list[int]:
        """The operations that made the present state and show something, oldest first."""
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
    """The histories of a server's environments."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: dict[str, JournalViews] = {}

    async def of(self, environment_id: str) -> JournalViews:
        """The history up to now; it ends early when the environment is deleted meanwhile."""
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
        """Records of a journal by their seqs, which rise."""
        wanted: list[JournalRecord] = []
        while seqs:
            near = [seq for seq in seqs if seq < seqs[0] + AT_ONCE]
            records = self._service.engine.records(environment_id, near[0] - 1, near[-1])
            wanted += [record for record in records if record.seq in near]
            seqs = seqs[len(near) :]
            await self._service.runtime.yield_to_loop()
        return wanted
