"""Decides which objects a new twin stores: those that can be looked up by their path."""

from __future__ import annotations

import re

from .model import ApiOperation, Property, Resource
from .naming import class_name, snake


def resource_of(endpoint: ApiOperation, named: str, columns: tuple[Property, ...]) -> Resource | None:
    """Return the resource that an endpoint looks up, or None.

    Its path must end in a key that the returned object has as a field or as its `id`.
    """
    in_path = re.findall(r"\{(\w+)\}", endpoint.path)
    if not (columns and endpoint.path.endswith("}") and endpoint.path.rpartition("/")[2].startswith("{")):
        return None
    fields = {snake(each.name): each for each in columns}
    last = fields.get(snake(in_path[-1])) or fields.get("id")
    if last is None or last.kind not in ("str", "int"):
        return None
    types = {each.name: each.kind for each in endpoint.parameters if each.place == "path"}
    before = [Property(name, types.get(name, "str")) for name in in_path[:-1]]
    taken = {snake(each.name) for each in before}
    rest = tuple(each for name, each in fields.items() if each is not last and name not in taken)
    if snake(last.name) in taken:
        return None
    name = named or class_name(endpoint.page.removesuffix("s"))
    return Resource(name, endpoint.page, (*before, last._replace(kind=types.get(in_path[-1], last.kind))), rest)
