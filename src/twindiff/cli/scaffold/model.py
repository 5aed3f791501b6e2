"""The parts of an API description that a new twin is generated from."""

from __future__ import annotations

from typing import NamedTuple


class OperationParameter(NamedTuple):
    """One parameter of an endpoint, as a handler declares it."""

    name: str
    """Its name on the wire."""
    place: str
    """`path`, `query`, `header`, `body` for a property of the body, or `whole` for all of it."""
    kind: str
    """Its Python type, with None if that is allowed."""
    is_required: bool
    default: str = ""
    """A Python literal."""


class Property(NamedTuple):
    """One field of an object."""

    name: str
    kind: str
    """The type of its column."""


class Resource(NamedTuple):
    """A kind of stored object that a path looks up."""

    name: str
    page: str
    key: tuple[Property, ...]
    """The columns of the key, in the order of the path."""
    properties: tuple[Property, ...]


class ApiOperation(NamedTuple):
    """One operation of an API."""

    verb: str
    path: str
    """The whole path, with parameters as `{name}`."""
    name: str
    """The name of its handler."""
    page: str
    summary: str
    status: int
    parameters: tuple[OperationParameter, ...]
    shows: str = ""
    """The resource that it looks up by its path and returns, if any."""

    @property
    def operation(self) -> str:
        """Its name in journals and coverage."""
        return f"{self.verb} {self.path}"


class Description(NamedTuple):
    """An API."""

    title: str
    prefix: str
    """The common prefix of most paths."""
    hosts: dict[str, str]
    """Hosts with operations of their own, each with the path prefix that distinguishes it."""
    endpoints: tuple[ApiOperation, ...]
    resources: tuple[Resource, ...]
    left_out: tuple[str, ...]
    """Parts that were not converted, a line each."""
