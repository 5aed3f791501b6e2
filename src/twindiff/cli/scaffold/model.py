"""What a description of an API says, as far as a new twin is written from it."""

from __future__ import annotations

from typing import NamedTuple


class OperationParameter(NamedTuple):
    """One parameter of an endpoint, as a handler takes it."""

    name: str
    """On the wire."""
    place: str
    """`path`, `query`, `header`, `body` for a property of the body, or `whole` for all of it."""
    kind: str
    """Its type as Python has it, with None where that may be given."""
    is_required: bool
    default: str = ""
    """As Python writes it."""


class Property(NamedTuple):
    """One field of an object."""

    name: str
    kind: str
    """The type of its column."""


class Resource(NamedTuple):
    """A kind of objects that are kept, and looked up by the path that leads to one."""

    name: str
    page: str
    key: tuple[Property, ...]
    """The columns of the key, in the order of the path."""
    properties: tuple[Property, ...]


class ApiOperation(NamedTuple):
    """One operation of an API."""

    verb: str
    path: str
    """All of it, with what varies as `{name}`."""
    name: str
    """Of its handler."""
    page: str
    summary: str
    status: int
    parameters: tuple[OperationParameter, ...]
    shows: str = ""
    """The resource that it looks up by its path and gives, where it does that."""

    @property
    def operation(self) -> str:
        """Its name in journals and coverage."""
        return f"{self.verb} {self.path}"


class Description(NamedTuple):
    """An API."""

    title: str
    prefix: str
    """What most paths begin with."""
    hosts: dict[str, str]
    """Hosts with operations of their own, with the prefix that tells them apart."""
    endpoints: tuple[ApiOperation, ...]
    resources: tuple[Resource, ...]
    left_out: tuple[str, ...]
    """What was not taken over, a line each."""
