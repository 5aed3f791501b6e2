"""Scheduling: how requests share one event loop and a few threads."""

from .runtime import Runtime, run_waiting

__all__ = ["Runtime", "run_waiting"]
