"""Garbage collection and thread switching of a server's process, so that its event loop never pauses for long."""

from __future__ import annotations

import gc
import sys

SWITCH_SECONDS = 0.00005
"""A request waits so long at most until a thread at work beside it lets it go on; five milliseconds are usual."""
THRESHOLDS = (2000, 10, 1000)
"""The garbage of requests is collected young; all that lives, at 0.1 µs for each object, hardly ever."""


def tune_process() -> None:
    """Set up this process; what has been loaded so far is never looked through again."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
