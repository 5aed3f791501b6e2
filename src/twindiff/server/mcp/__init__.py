"""MCP servers: of the twins of an environment, of runs of all kinds, and of environments for those who operate them."""

from .control_door import DOORS as DOORS
from .control_door import RUNS_PATH as RUNS_PATH
from .control_door import OpenedControl as OpenedControl
from .twin_door import TwinDoor as TwinDoor
