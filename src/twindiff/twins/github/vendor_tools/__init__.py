"""The tools of GitHub's own MCP server, by its toolsets."""

from . import account_tools as account_tools
from . import planning_tools as planning_tools
from . import repository_tools as repository_tools
from . import run_tools as run_tools
from .tool_registry import tools as tools
