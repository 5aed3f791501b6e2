# pyright: basic, reportMissingImports=false
# Ray is not a development dependency: `pip install "twindiff[ray]"`.
"""One shard of a server on a Ray cluster, as an actor: it answers the ingresses by HTTP and other shards by Ray."""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayError

from twindiff import __version__
from twindiff.catalog.catalogs import CATALOG
from twindiff.cli.hosting import open_service, server_for
from twindiff.cli.listening import listen
from twindiff.cli.problem import CommandError
from twindiff.environments.registry import Registry
from twindiff.server import Settings
from twindiff.server.listening_ports import SharedPorts
from twindiff.server.runtime.tuning import tune_process
from twindiff.server.shards.data_directory import list_folders
from twindiff.storage.sqlite.remote_shards import RemoteShards, ShardReader, ShardUnreachable

NAMESPACE = "twindiff"
SECONDS_OF_A_READ = 30
MEMORY = "/dev/shm/twindiff-"  # noqa: S108 - a folder of our own is made there
"""The beginning of the folders of a server that keeps nothing."""
READS = "reads"
"""The concurrency group of reads, which has one thread: SQLite connections are used by the thread that opened them."""


class ShardAddress(NamedTuple):
    """Where a shard answers HTTP, the name of its node, and the id of its process."""

    host: str
    port: int
    node: str
    pid: int


def name_shard(number: int) -> str:
    """Return the name of a shard's actor."""
    return f"twindiff-shard-{number}"


class ShardActor:
    """A server in a thread of an actor. Ray starts it again on the same node, where its data file is, if it dies."""

    def __init__(self, settings: Settings, ports: SharedPorts, host: str, node: str, version: str) -> None:
        if version != __version__:
            raise CommandError(f"Node {node} has Twindiff {__version__}, not {version}. Install the same on all.")
        shard = settings.shard
        self._settings = settings
        self._ports = ports
        self._folder = list_folders(settings.data_dir, shard.total)[shard.number]
        others = [partial(ask_shard, number) for number in range(shard.total) if number != shard.number]
        registry = Registry.load_installed()
        service = open_service(settings, registry, RemoteShards(others))
        service.ports.listening.share_file(ports)
        _ = registry.twins
        self._reader = ShardReader(self._folder, CATALOG)
        listener = listen(host, 0)
        self._address = ShardAddress(host, listener.getsockname()[1], node, os.getpid())
        self._server = server_for(service, listener)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="twindiff server")
        tune_process()
        self._thread.start()

    def address(self) -> ShardAddress:
        """Return where the shard answers HTTP."""
        return self._address

    @ray.method(concurrency_group=READS)
    def read(self, method: str, *arguments: Any) -> Any:
        """Answer a read of another shard by a method of `ShardReader`."""
        return getattr(self._reader, method)(*arguments)

    def stop(self) -> None:
        """End the server once it has answered, and remove data that was not to outlive it."""
        self._server.should_exit = True
        self._thread.join()
        Path(self._ports.path).unlink(missing_ok=True)
        if self._settings.data_dir.startswith(MEMORY):
            shutil.rmtree(self._folder, ignore_errors=True)
            with suppress(OSError):  # another shard of the node still has data
                Path(self._settings.data_dir).rmdir()


@cache
def _handle(number: int) -> Any:
    return ray.get_actor(name_shard(number), NAMESPACE)


def ask_shard(number: int, method: str, *arguments: Any) -> Any:
    """Read from another shard; raises ShardUnreachable."""
    try:
        return ray.get(_handle(number).read.remote(method, *arguments), timeout=SECONDS_OF_A_READ)
    except (RayError, ValueError) as error:
        raise ShardUnreachable(str(error)) from None
