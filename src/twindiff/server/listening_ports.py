"""The ports that the processes of one server listen on, in memory that all of them share.

Nothing that the server sends for somebody else may reach it by one of its own ports, whichever process listens there.
"""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

PORTS = 1 << 16
_TWIN, _CONTROL = 1, 2


@contextmanager
def hold_shared_file(processes: int) -> Generator[int]:
    """Create a file without a name for the ports of several processes, which inherit its descriptor."""
    with tempfile.TemporaryFile() as file:
        file.truncate(processes * PORTS)
        yield file.fileno()


class SharedPorts(NamedTuple):
    """The file of processes that do not inherit it, how many they are, and the number of one of them."""

    path: str
    processes: int
    number: int


class ListeningPorts:
    """A byte for each port in a part of the memory that only this process writes, so that there is no lock."""

    def __init__(self) -> None:
        self._bytes = mmap.mmap(-1, PORTS)
        self._first = 0
        self.own: set[int] = set()
        """Ports of this process."""

    def share(self, descriptor: int, number: int) -> None:
        """Share the ports of this process, which has a number among all, and learn those of the others.

        Ports of an earlier process of that number are forgotten. The descriptor may be closed afterwards.
        """
        shared = mmap.mmap(descriptor, 0)
        first = number * PORTS
        shared[first : first + PORTS] = self._bytes[self._first : self._first + PORTS]
        self._bytes, self._first = shared, first

    def share_file(self, shared: SharedPorts) -> None:
        """Share the ports of this process in a file, which the first of its processes creates."""
        descriptor = os.open(shared.path, os.O_RDWR | os.O_CREAT, 0o600)
        os.truncate(descriptor, shared.processes * PORTS)
        self.share(descriptor, shared.number)
        os.close(descriptor)

    def add(self, port: int, *, has_control_plane: bool = True) -> None:
        """Add a port of this process, which leads to the control plane or only to twins."""
        self.own.add(port)
        self._bytes[self._first + port] = _CONTROL if has_control_plane else _TWIN

    def discard(self, port: int) -> None:
        """Remove a port that this process does not listen on any more."""
        self.own.discard(port)
        self._bytes[self._first + port] = 0

    def __contains__(self, port: object) -> bool:
        """Return whether a process of this server listens on a port."""
        if not isinstance(port, int) or not 0 <= port < PORTS:
            return False
        return any(self._bytes[first + port] for first in range(0, len(self._bytes), PORTS))

    def find_process_of_twin(self, port: int) -> int | None:
        """Return the number of the process that listens on a port for a twin, None if none does."""
        processes = range(len(self._bytes) // PORTS)
        return next((each for each in processes if self._bytes[each * PORTS + port] == _TWIN), None)

    def list_control_ports(self) -> list[int]:
        """Return the ports by which the control plane is reached, in order."""
        marks = re.finditer(bytes([_CONTROL]), self._bytes[:])
        return sorted({each.start() % PORTS for each in marks})
