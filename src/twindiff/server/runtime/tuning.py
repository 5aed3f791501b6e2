"""Tunes garbage collection and thread switching of the server process to avoid pauses of the event loop."""

from __future__ import annotations

import gc
import sys

SWITCH_SECONDS = 0.00005
"""Longest time that a worker thread holds the interpreter lock while a request waits for it; Python's
default is 5 ms.
"""
THRESHOLDS = (2000, 10, 1000)
"""Garbage of requests is collected young; a full collection, at 0.1 µs per live object, is rare."""


def tune_process() -> None:
    """Tune this process; objects created so far are exempt from garbage collection from now on."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
