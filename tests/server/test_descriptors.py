"""A server that has as many files open as it may says so, and goes on."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.harness import GENERAL, LiveServer, Platform
from tests.server_mode import embedded_only
from twindiff.server import Settings


@contextmanager
def no_descriptors() -> Iterator[None]:
    """This process can open no more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir()) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
    try:
        while True:
            try:
                taken.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                break
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in taken:
            os.close(each)


@embedded_only("connections to a database are open already")
def test_without_descriptors_what_needs_one_is_503_and_all_else_is_answered(tmp_path):
    server = LiveServer(Settings(data_dir=str(tmp_path)))
    try:
        platform = Platform(server.in_process)
        environment, other = platform.environment(), platform.environment()
        environment.post("kept")
        server.on_loop(lambda: server.service.engine.evict(environment.id))
        body = {"channel": GENERAL, "text": "again"}
        with no_descriptors():
            refused = environment.ask("chat.postMessage", json=body)
            upload = other.ask("chat.postMessage", content=b"x" * 2_000_000, headers={"Transfer-Encoding": "chunked"})
            assert other.ask("chat.postMessage", json=body).status_code == 200
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1"), refused.text
        assert upload.status_code < 500 or upload.status_code == 503, upload.text
        assert environment.ask("chat.postMessage", json=body).status_code == 200
    finally:
        server.close()
