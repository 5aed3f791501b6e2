"""JSON objects whose fields are also attributes, for responses without a struct of their own."""

from __future__ import annotations

from typing import Any, cast


class Fields(dict[str, Any]):
    """A JSON object: `run["status"]` and `run.status` are the same, at any depth.

    A field with the name of a dict method, such as `items`, can only be read by its key. An unknown field raises
    AttributeError.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__((name, _readable(value)) for name, value in given.items())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"The answer has no field '{name}'; it has {', '.join(self)}.") from None


class ListField(list[Fields]):
    """The list in a response that is an object with one list, such as `{"runs": […]}`."""

    def __init__(self, given: dict[str, Any]) -> None:
        lists = [cast("list[dict[str, Any]]", value) for value in given.values() if isinstance(value, list)]
        super().__init__(map(Fields, lists[0]))


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(cast("dict[str, Any]", value))
    return [_readable(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def convert(type: Any, value: Any) -> Any:
    """A `dec_hook` of msgspec: makes a Fields or ListField from a decoded value."""
    return type(value)
