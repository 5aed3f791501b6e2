"""Stateful twins of SaaS APIs: isolated environments, exact diffs, checks that turn a diff into a verdict.

`Twindiff` is a server in this process, and `connect` lets unchanged SDKs reach its twins. `Client` and `AsyncClient`
speak to one over HTTP. Twins are written with `twindiff.kit`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twindiff.client import AsyncClient, Client
    from twindiff.local import Twindiff, connect

__version__ = "0.2.0"
__all__ = ["AsyncClient", "Client", "Twindiff", "__version__", "connect"]
_MODULES = {
    "AsyncClient": "twindiff.client",
    "Client": "twindiff.client",
    "Twindiff": "twindiff.local",
    "connect": "twindiff.local",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that a command starts without the rest."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'twindiff' has no attribute '{name}'")
