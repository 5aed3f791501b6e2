"""Tools with which models call a twin: one for each operation, and those of the vendor's own MCP server."""

from .operation_tools import list_operation_tools as list_operation_tools
from .tools import AgentTool as AgentTool
from .tools import Send as Send
from .tools import first_sentence as first_sentence
from .vendor_tools import Caller as Caller
from .vendor_tools import ToolRefused as ToolRefused
from .vendor_tools import VendorTools as VendorTools
