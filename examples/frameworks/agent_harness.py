# pyright: reportMissingImports=false
"""An agent of Twindiff for verifiers, which finds a harness by the name of its module."""

from twindiff.frameworks.verifiers import AgentHarness

__all__ = ["AgentHarness"]
