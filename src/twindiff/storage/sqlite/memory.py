"""Return of free memory to the operating system."""

from __future__ import annotations

import ctypes

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def give_back() -> None:
    """Return free heap memory, with glibc only. Takes milliseconds; safe in any thread."""
    if _trim is not None:
        _trim(0)
