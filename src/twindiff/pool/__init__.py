"""Pools of processes for training: each holds a Twindiff of its own, so that episodes use every processor.

    from twindiff.pool import LocalPool

    with LocalPool(4) as pool, pool.episode("Rename a channel") as episode:
        episode.call({"api": "slack", "path": "conversations.list"})
        print(episode.verdict().passed)

`LocalPool` starts processes on this machine, `RayPool` (`pip install 'twindiff[ray]'`) actors on a Ray cluster.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .episode_pool import EpisodeLost as EpisodeLost
    from .episode_pool import EpisodePool as EpisodePool
    from .episode_pool import PoolClosed as PoolClosed
    from .episode_pool import PooledEpisode as PooledEpisode
    from .episode_pool import PoolExhausted as PoolExhausted
    from .episode_pool import PoolStats as PoolStats
    from .episode_pool import WorkerFailed as WorkerFailed
    from .local_pool import LocalPool as LocalPool
    from .ray_pool import RayPool as RayPool

_MODULES = {
    **dict.fromkeys(("EpisodeLost", "EpisodePool", "PooledEpisode", "PoolStats", "WorkerFailed"), "episode_pool"),
    **dict.fromkeys(("PoolClosed", "PoolExhausted"), "episode_pool"),
    "LocalPool": "local_pool",
    "RayPool": "ray_pool",
}


def __getattr__(name: str) -> Any:
    """Import an export on first use; Ray is needed for `RayPool` only."""
    if name == "RayPool" and find_spec("ray") is None:
        raise ImportError("RayPool needs Ray: pip install 'twindiff[ray]'. LocalPool works without.")
    if name in _MODULES:
        return getattr(import_module(f".{_MODULES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
