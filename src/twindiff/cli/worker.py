"""One process of a multi-process server: `python -m twindiff.cli.worker` reads its Orders from standard input."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

import msgspec

from twindiff import __version__
from twindiff.cli.problem import CommandError
from twindiff.cli.process_secrets import hide_secrets
from twindiff.cli.worker_supervision import Orders

if TYPE_CHECKING:
    from twindiff.environments.registry import Registry
    from twindiff.server.service import Service
    from twindiff.server.shards.shard_server import Shard


def main() -> int:
    """Execute the orders until a signal or the end of standard input."""
    line = _first_line()
    if not line:
        return 0
    orders = msgspec.json.decode(line, type=Orders)
    hide_secrets(orders.settings.api_key, orders.settings.storage)
    for each in orders.descriptors:  # else programs that it starts would hold the port, and outlive it for a while
        os.set_inheritable(each, False)
    try:
        _refuse_other_version(orders)
        _drain(orders) if orders.kind == "drainer" else _answer(orders)
    except CommandError as problem:
        sys.stderr.write(f"{problem}\n")
        return problem.exit_code
    return 0


def _refuse_other_version(orders: Orders) -> None:
    """Refuse to serve beside processes of another release; raises CommandError."""
    if orders.version != __version__:
        raise CommandError(
            f"Twindiff {__version__} was installed while a server of {orders.version} runs. Start the server again."
        )


def _first_line() -> bytes:
    """Read only the first line, byte by byte: the rest is for the thread that waits for the end of input."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            return b""
        line += byte
    return line


def _end_with_parent() -> None:
    """Exit when the pipe closes, which happens however the parent ends."""
    while os.read(sys.stdin.fileno(), 1):
        continue
    os.kill(os.getpid(), signal.SIGTERM)


def _say_ready() -> None:
    """Report to the parent, wait until all other processes are ready, and end with the parent from now on."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if not _first_line():
        raise SystemExit(0)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _answer(orders: Orders) -> None:
    from twindiff.cli.hosting import open_service, server_for
    from twindiff.environments.registry import Registry
    from twindiff.server.runtime.tuning import tune_process

    registry = Registry.load_installed()
    if orders.shard is None:
        _load_twins(orders, registry)
    service = open_service(orders.settings, registry)
    assert orders.listener is not None
    if orders.ports is not None:
        service.ports.listening.share(orders.ports, orders.number)
    if orders.door is not None:
        service.door.adopt(socket.socket(fileno=orders.door))
    with socket.socket(fileno=orders.listener) as listener:
        _say_ready()
        if orders.shard:
            tune_process()
            service.twin_loader.start(partial(_load_twins, orders, registry))
        server_for(service, listener, _make_shard(orders, service)).run([listener])
    gc.freeze()  # otherwise Python's final garbage collection scans all loaded objects


def _load_twins(orders: Orders, registry: Registry) -> None:
    """Load all twins; one process reports those that do not load."""
    from twindiff.cli.commands.twins import say_problems

    if orders.says_problems:
        say_problems(registry)
    else:
        _ = registry.twins
    if orders.shard:
        gc.freeze()


def _make_shard(orders: Orders, service: Service) -> Shard | None:
    """The connection to the other shards; None where processes share a database."""
    from twindiff.server.shards.handover import Handover
    from twindiff.server.shards.placements import Placements
    from twindiff.server.shards.shard_server import Shard

    if orders.shard is None:
        return None
    inbox, *outboxes = (socket.socket(fileno=each) for each in (orders.shard.inbox, *orders.shard.outboxes))
    return Shard(service, Handover(inbox, outboxes), Placements(orders.shard.placements))


def _drain(orders: Orders) -> None:
    from twindiff.storage.postgres.wal_consumer import Drainer

    drainer = Drainer(orders.settings.storage)

    def stop(signum: int, frame: FrameType | None) -> None:
        drainer.stop()

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    _say_ready()
    drainer.run()


if __name__ == "__main__":
    sys.exit(main())
