# pyright: reportMissingImports=false
"""The starter suite for verifiers, which finds a taskset by the name of its module."""

from twindiff.frameworks.verifiers import SuiteTaskset

__all__ = ["SuiteTaskset"]
