"""Memory that is free goes back to the operating system, where the C library can be told so."""

from __future__ import annotations

import ctypes

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def give_back() -> None:
    """Return free memory; nothing happens without glibc. It takes milliseconds, in any thread."""
    if _trim is not None:
        _trim(0)
