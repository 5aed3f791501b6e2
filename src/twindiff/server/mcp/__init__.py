"""MCP servers: of the twins of an environment, of runs of all kinds, and of environments for those who operate them."""

from .twin_door import TwinDoor as TwinDoor
