"""A disk and pages that fail when a test says so: at the n-th call that SQLite makes of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from twindiff.storage.sqlite.pages import PageFile


class Fault:
    """Lets calls pass until the n-th, and makes that fail, or that and all that follow."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error
        self.left = -1
        self.stays = False
        self.unconfirmed = False
        self.happened = False
        self._counts = False

    def arm(self, n: int, *, stays: bool = False, unconfirmed: bool = False) -> None:
        """`stays`: all that follow fail too. `unconfirmed`: a write is done, and yet fails."""
        self.left, self.stays, self.unconfirmed, self.happened = n, stays, unconfirmed, False

    def disarm(self) -> None:
        self.left = -1

    @property
    def goes_on(self) -> bool:
        """Whether the next call fails as those before it did."""
        return self.stays and self.happened and self.left == 0

    @contextmanager
    def counting(self) -> Generator[None]:
        """Only the calls within count, and fail."""
        self._counts = True
        try:
            yield
        finally:
            self._counts = False

    def pass_or_fail(self) -> None:
        if self.left < 0 or not self._counts:
            return
        if self.left == 0:
            self.happened = True
            self.left = 0 if self.stays else -1
            raise self.error("a fault that a test asked for")
        self.left -= 1


class FaultyFile(apsw.VFSFile):
    """A file whose writes, syncs and truncations may fail."""

    def __init__(self, fault: Fault, name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._fault = fault

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._fault.unconfirmed:
            super().xWrite(data, offset)
        self._fault.pass_or_fail()
        if not self._fault.unconfirmed:
            super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._fault.pass_or_fail()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._fault.pass_or_fail()
        super().xTruncate(newsize)


class FaultyDisk(apsw.VFS):
    """What SQLite takes for the file system while it is the default."""

    def __init__(self, error: type[BaseException]) -> None:
        self.fault = Fault(error)
        super().__init__("faulty", "unix", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> FaultyFile:  # noqa: N802
        return FaultyFile(self.fault, name, flags)


@contextmanager
def faulty_disk(error: type[BaseException]) -> Generator[Fault]:
    """Files that are opened within can be made to fail."""
    disk = FaultyDisk(error)
    try:
        yield disk.fault
    finally:
        disk.unregister()


@contextmanager
def faulty_pages() -> Iterator[Fault]:
    """Pages of environments can be made to fail, as they do without memory."""
    fault = Fault(MemoryError)

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            fault.pass_or_fail()
            return real(*arguments)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("xRead", "xWrite", "xFileSize", "xTruncate"):
            patch.setattr(PageFile, name, failing(getattr(PageFile, name)))
        yield fault
