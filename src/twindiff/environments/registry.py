"""The installed twins, found by entry point."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import entry_points

from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.storage.schema import Schema

GROUP = "twindiff.twins"


class UnknownTwin(ApiError):
    """No twin of that name is installed."""

    status = 400


class Registry:
    """Twins by name and alias."""

    def __init__(self, twins: Iterable[Twin]) -> None:
        self.twins = {twin.name: twin for twin in sorted(twins, key=lambda twin: twin.name)}
        self.by_alias = {alias: twin for twin in self.twins.values() for alias in (twin.name, *twin.aliases)}

    @classmethod
    def installed(cls) -> Registry:
        """Every twin that an installed package offers under the entry point group `twindiff.twins`."""
        return cls(point.load() for point in entry_points(group=GROUP))

    @cached_property
    def schemas(self) -> dict[str, Schema]:
        return {name: Schema(name, twin.tables) for name, twin in self.twins.items()}

    def get(self, name: str) -> Twin:
        """The twin of a name or alias; raises UnknownTwin with the nearest name."""
        twin = self.by_alias.get(name)
        if twin is None:
            raise UnknownTwin(
                f"Unknown twin '{name}'. Installed: {', '.join(self.twins)}.{did_you_mean(name, self.by_alias)}"
            )
        return twin


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` for a near miss, else nothing."""
    near = get_close_matches(given, list(known), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""
