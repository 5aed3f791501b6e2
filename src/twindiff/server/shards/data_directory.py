"""The data directory of a server with several shards: which number of shards it was made with, and where each is."""

from __future__ import annotations

from pathlib import Path

import msgspec

from twindiff.catalog.shard_ids import ServedShard
from twindiff.storage import WrongStorage
from twindiff.storage.sqlite.files import IN_MEMORY

FILE = "shards.json"


class ShardCount(msgspec.Struct):
    """The contents of the file; a directory without one has a single shard."""

    shards: int = 1


def count_shards(directory: str) -> int:
    """Return the number of shards of a data directory, 1 for one that does not exist; raises WrongStorage."""
    file = Path(directory) / FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=ShardCount).shards if file.is_file() else 1
    except msgspec.MsgspecError as error:
        raise WrongStorage(f"{file} does not say how many shards there are: {error}") from None


def refuse_other_count(directory: str, served: ServedShard) -> None:
    """Refuse a data directory that has another number of shards above one; raises WrongStorage.

    A directory of one shard becomes shard 0 of several: its ids name no shard, hence shard 0.
    """
    has = 1 if directory == IN_MEMORY else count_shards(directory)
    if has not in (1, served.total):
        raise WrongStorage(
            f"The data directory {directory} was made with --workers {has}, not {served.total}, and ids name their "
            f"worker. Serve it with --workers {has}, or choose another with --data-dir."
        )


def record_count(directory: str, served: ServedShard) -> None:
    """Record the number of shards in a data directory that this process owns."""
    if served.total == 1 or count_shards(directory) == served.total:
        return
    draft = Path(directory) / f"{FILE}.{served.number}"
    draft.write_bytes(msgspec.json.encode(ShardCount(served.total)))
    draft.replace(Path(directory) / FILE)


def list_folders(directory: str, count: int) -> list[str]:
    """Return the folder of each shard: shard 0 has the data directory itself."""
    return [directory, *(str(Path(directory) / "shards" / str(number)) for number in range(1, count))]
