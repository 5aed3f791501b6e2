"""The installed twins one by one, so that a broken one can be named."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from twindiff.cli.problem import Problem
from twindiff.environments.registry import GROUP, Registry
from twindiff.kit.twin import Twin


class Plugin(NamedTuple):
    """An entry point with the twin it gives, or what is wrong with it."""

    name: str
    package: str
    twin: Twin | None
    problem: str = ""

    @property
    def mend(self) -> str:
        """What to do about a broken one."""
        return f"Mend or uninstall {self.package}"


def plugins() -> list[Plugin]:
    """Every entry point of the group, loaded."""
    return [_load(point) for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)]


def _load(point: EntryPoint) -> Plugin:
    package = f"the package {point.dist.name}" if point.dist else f"the package of {point.value}"
    try:
        twin: object = point.load()
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything while it is imported
        return Plugin(point.name, package, None, f"{type(error).__name__}: {error}")
    if not isinstance(twin, Twin):
        return Plugin(point.name, package, None, f"{point.value} is no Twin but a {type(twin).__name__}")
    return Plugin(point.name, package, twin)


def installed() -> Registry:
    """The registry of all installed twins; a Problem names the first that does not load."""
    twins: list[Twin] = []
    for plugin in plugins():
        if plugin.twin is None:
            raise Problem(f"The twin '{plugin.name}' does not load: {plugin.problem}. {plugin.mend}, then try again.")
        twins.append(plugin.twin)
    return Registry(twins)
