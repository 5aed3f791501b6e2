"""Runs one server in this process: its storage and its HTTP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

import apsw
import uvicorn

from twindiff.cli.listening import listen, url_of
from twindiff.cli.problem import CommandError
from twindiff.environments.registry import Registry
from twindiff.server import Gateway, Service, Settings
from twindiff.server.protocol import MAX_FRAME_BYTES, HttpProtocol
from twindiff.server.shards.shard_server import Shard
from twindiff.storage import DataDirectoryInUse, NotServed, WrongStorage
from twindiff.storage.sqlite.other_shards import OtherShards


def open_service(settings: Settings, registry: Registry | None = None, others: OtherShards | None = None) -> Service:
    """Open the service behind the HTTP server; raises CommandError with the reason if it cannot be opened."""
    try:
        return Service(settings, registry, others)
    except WrongStorage as wrong:
        raise CommandError(str(wrong)) from None
    except NotServed as error:
        raise CommandError(f"{error}.") from None
    except DataDirectoryInUse as taken:
        raise CommandError(f"{taken}. Stop that one, or choose another folder with --data-dir.") from None
    except (OSError, apsw.Error) as error:
        raise CommandError(
            f"The data directory {settings.data_dir} cannot be used: {error}. Choose another with --data-dir."
        ) from None


def server_for(service: Service, listener: socket.socket, shard: Shard | None = None) -> uvicorn.Server:
    """Create the HTTP server of a socket: one process, one event loop; with `shard`, one of several."""
    service.ports.listening.add(listener.getsockname()[1])
    server = uvicorn.Server(
        uvicorn.Config(
            Gateway(service),
            http=cast(type[HttpProtocol], shard.http) if shard else HttpProtocol,
            access_log=False,
            date_header=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=5,
            ws="websockets-sansio",
            ws_max_size=MAX_FRAME_BYTES,
        )
    )
    if shard:
        shard.join(server)
    return server


@contextmanager
def running(settings: Settings) -> Generator[str]:
    """Run a server in a thread of this process for the duration of the block; yields its address."""
    service = open_service(settings)
    with listen("127.0.0.1", 0) as listener:
        server = server_for(service, listener)
        thread = threading.Thread(target=server.run, args=([listener],), name="twindiff server")
        thread.start()
        try:
            yield url_of(listener)
        finally:
            server.should_exit = True
            thread.join()
