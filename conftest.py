"""What all tests of the checkout share: how hypothesis looks for counterexamples, signals, places for files."""

import gc
import os
import signal
import ssl
import sys
import tempfile
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, settings

from scripts.postgres import MEMORY, has_room

ROOT = Path(__file__).parent
LONG_FOLDERS = (
    "tests/test_runs", "tests/sandbox_runs", "tests/pr_runs", "tests/inspector", "tests/client", "tests/cli",
    "tests/webhooks", "tests/soak", "tests/environments", "tests/contract", "tests/server", "tests/pool",
    "tests/storage", "tests/house",
)  # fmt: skip
"""Folders whose tests take longest: of browsers, containers, programs and servers. Those that wait most come first."""

# Assertions of the suite for all storage engines explain themselves as those of any test do.
pytest.register_assert_rewrite("tests.storage.conformance")

# Whole collections of garbage took a twelfth of the processor's time: after `gc.freeze` each new quarter asks for one.
gc.set_threshold(5_000, 20, 100)

# A busy machine is no counterexample. A test that suppresses more names this check as well.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# `make mutants` runs the tests thousands of times.
settings.register_profile("mutants", parent=settings.get_profile("patient"), max_examples=15)
settings.load_profile("patient")

# A shell that runs the tests in the background has SIGINT ignored, and so would every program that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
# What tests build once is kept with the checkout, not with the user.
os.environ.setdefault("TWINDIFF_CACHE_DIR", str(ROOT / ".tools" / "cache"))

# HTTPX's clients wait for five seconds unless they are told otherwise, which is not enough on a busy machine.
for phase in ("connect", "read", "write", "pool"):
    setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, phase, 60.0)

# Nothing is asked beyond the loopback. A folder of authorities is looked into when a certificate is met; a file of them
# would be read for every client that a test makes, which takes 20 ms.
os.environ.pop("SSL_CERT_FILE", None)
os.environ.setdefault("SSL_CERT_DIR", ssl.get_default_verify_paths().openssl_capath)

# Tests sync files by the ten thousand, and each time a disk is waited for.
if "TMPDIR" not in os.environ and has_room(MEMORY):
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # else who has asked for it before is told of the disk


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """For `auto` one worker more than processors, as many tests wait for a browser or a server.

    For `logical` as many as processors; `$PYTEST_XDIST_AUTO_NUM_WORKERS` goes first.
    """
    is_told = "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ or config.getoption("numprocesses") == "logical"
    return None if is_told else (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage: of a million objects that are made then nearly all stay, and for good."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)  # when those that are not asked for have gone
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the tests of a file one after another in whatever order they were asked for: what they share is made once.

    Long runs are not ended by the time that `timeout` in pyproject.toml gives to other tests.
    """
    items[:] = deal(items, getattr(config, "workerinput", {}).get("workercount", 1))
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.timeout(0))


def deal(items: list[pytest.Item], workers: int) -> Iterator[pytest.Item]:
    """Order tests so that each worker begins with files of `LONG_FOLDERS` and ends with short tests.

    Every other worker begins with the long ones that wait least, so that some compute while others wait.
    `worksteal` gives the workers one part of the list each, all of the same length. Were long tests at the end of one,
    the others would have nothing to take over but what is already begun.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    ranks = {path: _rank(path) for path in files}
    long = sorted((path for path, rank in ranks.items() if rank < len(LONG_FOLDERS)), key=ranks.__getitem__)
    short = (item for path, each in files.items() if ranks[path] == len(LONG_FOLDERS) for item in each)
    left = len(items)
    for worker in range(workers):
        mine = [item for path in long[worker::workers][:: -1 if worker % 2 else 1] for item in files[path]]
        mine += islice(short, max(0, left // (workers - worker) - len(mine)))
        left -= len(mine)
        yield from mine
    yield from short


def _rank(path: Path) -> int:
    long = (rank for rank, folder in enumerate(LONG_FOLDERS) if ROOT / folder in path.parents)
    return next(long, len(LONG_FOLDERS))


def pytest_sessionfinish() -> None:
    """Leave no database behind, whichever tests have used one."""
    server_mode = sys.modules.get("tests.server_mode")
    if server_mode:
        server_mode.drop_models()


collect_ignore = ["src/twindiff/twins/stripe/core/test_clocks.py"]
"""A page of Stripe's reference, which holds no tests."""
