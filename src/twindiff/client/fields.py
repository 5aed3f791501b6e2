"""JSON objects whose fields are attributes too, for answers that other programs read as they like."""

from __future__ import annotations

from typing import Any, cast


class Fields(dict[str, Any]):
    """A JSON object: `run["status"]` and `run.status` are the same, at any depth.

    A field that is called as a method of dictionaries is, such as `items`, is read by its key.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__((name, _readable(value)) for name, value in given.items())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"The answer has no field '{name}'; it has {', '.join(self)}.") from None


class ListField(list[Fields]):
    """The one list that an answer holds under a name."""

    def __init__(self, given: dict[str, Any]) -> None:
        lists = [cast("list[dict[str, Any]]", value) for value in given.values() if isinstance(value, list)]
        super().__init__(map(Fields, lists[0]))


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(cast("dict[str, Any]", value))
    return [_readable(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def convert(type: Any, value: Any) -> Any:
    """What msgspec asks for a type that it does not know, which is that of these objects."""
    return type(value)
