"""The HTTP server: a gateway in front of the data plane and our own APIs. Its classes are imported on first access."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from twindiff.server.settings import Settings as Settings

if TYPE_CHECKING:
    from twindiff.server.gateway import Gateway as Gateway
    from twindiff.server.service import Service as Service
else:

    def __getattr__(name: str) -> Any:
        """Import the server on first access; a process that only launches others needs no more than the settings."""
        module = {"Gateway": "gateway", "Service": "service"}.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{module}"), name)
