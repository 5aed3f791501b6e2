"""Positions of environments, and the images in their history, as stored in the data file."""

from __future__ import annotations

from twindiff.storage import EnvironmentOrigin

from .files import Reading, ReplayPlan
from .live_environments import Imaged, JournalPosition, position_after, position_at_birth, position_of_fork


def last_seq(reading: Reading, env: str) -> int:
    """Return the seq of the last record of an environment; 0 if it has none."""
    last = reading.last_record(env)
    born = None if last else reading.born(env)
    return last.seq if last else born.at if born else 0


def position_at(reading: Reading, env: str, origin: EnvironmentOrigin, seq: int, since: int) -> JournalPosition:
    """Return the position of an environment at the point `seq`, `since` operations after an image."""
    records = reading.records(env, seq - 1, seq) if seq else []
    position = position_after(records[0], since) if records else position_at_birth(origin)
    born = reading.born(env)
    return position_of_fork(position, origin, born.made) if born and born.at == seq else position


def images_of(reading: Reading, way: ReplayPlan) -> list[Imaged]:
    """Return the images that a rebuild starts from: the base first, then the provisional one, if it is such."""
    if not way.images:
        return []
    seq, since = way.images[0].seq, way.images[0].since
    ids = {stored.twin: stored.id for stored in way.images}
    if not since:
        return [Imaged(seq, ids, {}, 0)]
    bases = {stored.twin: stored.base for stored in way.images if stored.base is not None}
    base = [Imaged(seq - since, bases, {}, 0)] if bases else []
    return [*base, Imaged(seq, ids, {stored.twin: reading.images.numbers(stored.id) for stored in way.images}, since)]
