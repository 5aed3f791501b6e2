"""Which storage engine a server has."""

from __future__ import annotations

from twindiff.catalog.shard_ids import serve_shard
from twindiff.server.settings import Settings
from twindiff.server.shards.data_directory import list_folders, record_count, refuse_other_count
from twindiff.storage import StorageEngine
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.other_shards import OtherShards


def open_engine(settings: Settings, others: OtherShards | None = None) -> StorageEngine:
    """Open the storage engine that the settings name; PostgreSQL is an optional extra.

    `others` reads the other shards, by default from their folders on this machine.
    """
    if settings.storage:
        from twindiff.storage.postgres import PostgresEngine

        return PostgresEngine(settings.storage, ready=settings.ready, most_bytes=settings.most_bytes)
    serve_shard(settings.shard)
    refuse_other_count(settings.data_dir, settings.shard)
    folders = list_folders(settings.data_dir, settings.shard.total)
    own = folders.pop(settings.shard.number)
    others = others or OtherShards(folders)
    engine = SqliteEngine(own, fsync=settings.fsync, most_bytes=settings.most_bytes, others=others)
    record_count(settings.data_dir, settings.shard)
    return engine
