"""Migration of data files from earlier layouts to the current one."""

from __future__ import annotations

import msgspec

from twindiff.storage.journal import decode

from .connection import SqliteConnection
from .images import ImageFile, PendingImage, QueuedImage, Stored

_REWIND = "instr(substr(record, 1, 64), x'a0a6726577696e64')"
"""Whether a packed record has no twin and the operation `rewind`, tested on its first 64 bytes."""


class Saved(msgspec.Struct, frozen=True, array_like=True):
    """The pages that an environment's twin had changed by `seq`, as layout 2 stored them."""

    seq: int
    schema_hash: str
    count: int
    own: dict[int, bytes]


_decode_saved = msgspec.msgpack.Decoder(Saved).decode


def carry_over(connection: SqliteConnection) -> None:
    """Migrate a data file of layout 2; does nothing to a current or new one."""
    exists = "SELECT 1 FROM sqlite_schema WHERE name = 'environment_images'"
    if not connection.execute(exists).fetchone():
        return
    with connection:
        _list_rewinds(connection)
        _divide_images(connection)
        connection.execute("DROP TABLE environment_images")


def _list_rewinds(connection: SqliteConnection) -> None:
    for (packed,) in connection.execute(f"SELECT record FROM journal WHERE {_REWIND}").fetchall():
        record = decode(packed)
        if record.to is not None:
            values = (record.env, record.seq, record.to)
            connection.execute("INSERT OR IGNORE INTO rewinds (env, seq, target) VALUES (?, ?, ?)", values)


def _divide_images(connection: SqliteConnection) -> None:
    images = ImageFile(connection)
    listed = connection.execute("SELECT rowid, env, twin FROM environment_images ORDER BY env, seq").fetchall()
    for id, (row, env, twin) in enumerate(listed, images.next_id()):
        ((packed,),) = connection.execute("SELECT pages FROM environment_images WHERE rowid = ?", (row,))
        saved = _decode_saved(packed)
        stored = Stored(id, saved.seq, str(twin), None, 0, saved.schema_hash, saved.count)
        taken = QueuedImage(str(env), [PendingImage(stored, saved.own)], ())
        images.add_pages(list(taken.pack_pages()))
        images.add(taken)
