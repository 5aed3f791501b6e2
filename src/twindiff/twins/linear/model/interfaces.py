"""Interfaces that several types implement."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Value


class Node(Value, interface=True):
    id: ID


class Entity(Value, interface=True, implements="Node"):
    archivedAt: datetime | None
    createdAt: datetime
    id: ID
    updatedAt: datetime
