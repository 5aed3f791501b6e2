"""Pools that bridges name as `module:name`."""

from functools import cache

from twindiff.pool import LocalPool


@cache
def local_pool() -> LocalPool:
    """A pool of two processes, which end with this one."""
    return LocalPool(2)
