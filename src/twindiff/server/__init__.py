"""The HTTP server: a gateway that splits the data plane from the control planes. It is loaded when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from twindiff.server.settings import Settings as Settings

if TYPE_CHECKING:
    from twindiff.server.gateway import Gateway as Gateway
    from twindiff.server.service import Service as Service
else:

    def __getattr__(name: str) -> Any:
        """A process that only starts others, or drains, is told the settings and needs no server."""
        module = {"Gateway": "gateway", "Service": "service"}.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{module}"), name)
