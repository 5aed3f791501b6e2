"""Scheduling: how requests share one event loop and a few threads."""

from .runtime import Runtime

__all__ = ["Runtime"]
