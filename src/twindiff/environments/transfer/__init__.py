"""Environments as files: exported, read, validated, imported."""

from .transfer import Transfer

__all__ = ["Transfer"]
