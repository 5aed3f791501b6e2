"""Where environments stand, and the images on the way there, by what the data file holds of them."""

from __future__ import annotations

from twindiff.storage import Origin

from .files import Reading, Way
from .live_environments import Imaged, JournalPosition, position_after, position_at_birth, position_of_fork


def last_seq(reading: Reading, env: str) -> int:
    """The number of the last record of an environment."""
    last = reading.last_record(env)
    born = None if last else reading.born(env)
    return last.seq if last else born.at if born else 0


def position_at(reading: Reading, env: str, origin: Origin, seq: int, since: int) -> JournalPosition:
    """Where an environment stood at a point."""
    records = reading.records(env, seq - 1, seq) if seq else []
    position = position_after(records[0], since) if records else position_at_birth(origin)
    born = reading.born(env)
    return position_of_fork(position, origin, born.made) if born and born.at == seq else position


def images_of(reading: Reading, way: Way) -> list[Imaged]:
    """The images that a rebuild began with: a passing one stands before its base."""
    if not way.images:
        return []
    seq, since = way.images[0].seq, way.images[0].since
    ids = {stored.twin: stored.id for stored in way.images}
    if not since:
        return [Imaged(seq, ids, {}, 0)]
    bases = {stored.twin: stored.base for stored in way.images if stored.base is not None}
    base = [Imaged(seq - since, bases, {}, 0)] if bases else []
    return [*base, Imaged(seq, ids, {stored.twin: reading.images.numbers(stored.id) for stored in way.images}, since)]
