"""Searches with untrusted patterns: exactly as the `re` module does, but no pattern can block the process.

Patterns with a provably low cost are searched in place. All others run in a separate process that the operating system
ends when its CPU time is used up; Python's matcher cannot otherwise be stopped without changing its semantics.
"""

import atexit
import json
import os
import re
import select
import subprocess
import sys
import threading
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

from twindiff.checks.judging_time import look_at_row

MAX_CPU_SECONDS = 1.0
"""CPU seconds that all searches of one evaluation may take together."""

PATIENCE_SECONDS = 15.0
"""Seconds of real time after which a search is given up even if a busy machine gave it no CPU time."""

MIN_SECONDS = 0.001  # a timer set to 0 never fires

CHEAP_STEPS = 200_000
CHEAP_LENGTH = 256
CHEAP_CLASSES = 8

# The cost of a repeated group, a back reference, free spacing or character classes under (?i) is not bounded here.
_UNCLEAR = re.compile(r"\)[*+?{]|\\[1-9]|\(\?P=|\(\?[a-zA-Z]*x|\(\?[a-zA-Z-]*i.*\[", re.DOTALL)

_seconds_left: ContextVar[float | None] = ContextVar("regex seconds left", default=None)


class UndecidedError(Exception):
    """A predicate could be found neither true nor false."""


@contextmanager
def time_limit(seconds: float | None = None) -> Generator[None]:
    """Give all searches in the block one budget of CPU `seconds`; elsewhere each search has `MAX_CPU_SECONDS`."""
    token = _seconds_left.set(MAX_CPU_SECONDS if seconds is None else seconds)
    try:
        yield
    finally:
        _seconds_left.reset(token)


def search(pattern: str, text: str) -> bool:
    """Return whether the pattern matches; an invalid one never does.

    Raises `UndecidedError` when the time is used up.
    """
    look_at_row()
    if is_cheap(pattern, len(text)):
        expression = compile_cached(pattern)
        return expression is not None and expression.search(text) is not None
    return _search_apart(pattern, text)


def is_pattern(pattern: str) -> bool:
    """Return whether Python accepts the pattern; also true where finding out could take long."""
    return not is_cheap(pattern, 0) or compile_cached(pattern) is not None


def is_cheap(pattern: str, text_length: int) -> bool:
    """Bound the steps of a search by counting what can repeat or branch; unclear patterns are not cheap."""
    if len(pattern) > CHEAP_LENGTH or pattern.count("[") > CHEAP_CLASSES or _UNCLEAR.search(pattern):
        return False
    repeats = sum(pattern.count(mark) for mark in "*+{")
    branches = sum(pattern.count(mark) for mark in "?|")
    return len(pattern) * 2**branches * (text_length + 1) ** (repeats + 1) <= CHEAP_STEPS


@lru_cache(maxsize=1024)
def compile_cached(pattern: str) -> re.Pattern[str] | None:
    """Compile the pattern once; None if Python rejects it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError):
        return None


def _search_apart(pattern: str, text: str) -> bool:
    shared = _seconds_left.get()
    left = MAX_CPU_SECONDS if shared is None else shared
    is_found, used = _searcher.ask(pattern, text, left) if left >= MIN_SECONDS else (None, 0.0)
    if shared is not None:
        _seconds_left.set(0.0 if is_found is None else left - used)
    if is_found is None:
        raise UndecidedError(f"regex {pattern[:80]!r} takes too long")
    return is_found


class _Searcher:
    """The other process, started on first use and again after it was ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, pattern: str, text: str, seconds: float) -> tuple[bool | None, float]:
        """Return whether the pattern was found and the seconds used; None if the search was ended."""
        question = json.dumps([pattern, text, seconds]).encode() + b"\n"
        with self._lock:
            answer = b""
            try:
                answer = self._exchange(self._running(), question)
            finally:
                if not answer:  # a process left in mid-search would answer the next request with this result
                    self.stop()
        is_found, used = json.loads(answer or b"[null, 0]")
        return is_found, used

    def _running(self) -> "subprocess.Popen[bytes]":
        process = self._process
        if process is None or self._owner != os.getpid() or process.poll() is not None:
            self.stop()
            self._process, self._owner = process, _ = _start(), os.getpid()
        return process

    def _exchange(self, process: "subprocess.Popen[bytes]", question: bytes) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(question)
            process.stdin.flush()
        except BrokenPipeError:
            return b""
        answers = select.poll()  # unlike select.select, it takes the descriptors of a busy server
        answers.register(process.stdout, select.POLLIN | select.POLLHUP)
        return os.read(process.stdout.fileno(), 4096) if answers.poll(PATIENCE_SECONDS * 1000) else b""

    def stop(self) -> None:
        """End the other process."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        try:
            assert process.stdin is not None
            process.stdin.close()
        except BrokenPipeError:
            pass


def _start() -> "subprocess.Popen[bytes]":
    worker = Path(__file__).with_name("regex_worker.py")
    try:
        return subprocess.Popen([sys.executable, "-I", "-S", worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise UndecidedError(f"the process that searches regexes cannot start: {error}") from error


_searcher = _Searcher()
atexit.register(_searcher.stop)
