"""The installed twins, found by entry point and imported on first use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import NamedTuple

from twindiff.drafts.names import snake
from twindiff.kit.errors import ApiError
from twindiff.kit.suggestions import did_you_mean
from twindiff.kit.twin import Twin
from twindiff.storage.schema import Schema

GROUP = "twindiff.twins"
DRAFTS_VARIABLE = "TWINDIFF_OPENAPI"
"""The environment variable that lists descriptions of APIs, each of which is served as a drafted twin."""
SHIPPED_VARIABLE = "TWINDIFF_DRAFTS"
"""The environment variable that lists shipped drafts to serve, with the vendor's description where there is one."""
MAX_CACHED_DRAFTS = 32
"""Drafts that a process keeps: the command line loads them to check them, and the server to serve them."""
FileStates = tuple[tuple[Path, tuple[tuple[str, int, int], ...]], ...]
"""Files and folders, each with the path, time of change and size of all files in it."""


class UnknownTwin(ApiError):
    """No twin of that name is installed."""

    status = 400


class TwinNotLoaded(ApiError):
    """The twin is installed but does not load."""

    status = 503


class LoadProblem(NamedTuple):
    """Why a twin does not load, and how to fix it."""

    twin: str
    said: str
    mend: str

    def __str__(self) -> str:
        return f"The twin '{self.twin}' does not load: {self.said}. {self.mend}."


class Registry:
    """Twins by name and alias; twins of entry points are imported on first use, in any thread."""

    def __init__(self, twins: Iterable[Twin] = (), points: Iterable[EntryPoint] = ()) -> None:
        self._points = {point.name: point for point in points}
        self._lock = threading.RLock()
        self._loaded: dict[str, Twin] = {}
        self._schemas: dict[str, Schema] = {}
        self._watchers: list[Callable[[Schema], None]] = []
        self.schemas: Mapping[str, Schema] = _Schemas(self)
        self.problems: dict[str, LoadProblem] = {}
        """Why twins do not load, by name; only twins that were requested are listed."""
        for twin in twins:
            self._add(twin)
        self.names = sorted({*self._points, *self._loaded})
        """All installed twins, including those that do not load."""

    @classmethod
    def load_installed(cls) -> Registry:
        """Create a registry of the twins of installed packages and of the drafts that the environment lists.

        Packages offer twins under the entry point group `twindiff.twins`. `TWINDIFF_OPENAPI` lists descriptions of
        APIs, and `TWINDIFF_DRAFTS` shipped drafts.
        """
        points = entry_points(group=GROUP)
        drafts = [
            *(_draft(each, points.names) for each in split_drafts(os.environ.get(DRAFTS_VARIABLE, ""))),
            *(_load_shipped(*each, points.names) for each in split_shipped(os.environ.get(SHIPPED_VARIABLE, ""))),
        ]
        registry = cls((each for each in drafts if isinstance(each, Twin)), points)
        registry.problems.update({each.twin: each for each in drafts if isinstance(each, LoadProblem)})
        return registry

    def watch(self, watcher: Callable[[Schema], None]) -> None:
        """Call `watcher` with the tables of every loaded twin now, and of the others when they are loaded."""
        with self._lock:
            self._watchers.append(watcher)
            for schema in self._schemas.values():
                watcher(schema)

    def get(self, name: str) -> Twin:
        """Return the twin with a name or alias; raises UnknownTwin with the nearest name, TwinNotLoaded with why."""
        twin = self.find(name)
        if twin is None:
            near = did_you_mean(name, {*self.names, *self.by_alias})
            raise UnknownTwin(f"Unknown twin '{name}'. Installed: {', '.join(self.names)}.{near}")
        return twin

    def find(self, name: str) -> Twin | None:
        """Return the twin with a name or alias, or None; loads all twins for an unknown name. Raises TwinNotLoaded."""
        return self._loaded.get(name) or (self._load(name) if name in self._points else self.by_alias.get(name))

    @property
    def twins(self) -> dict[str, Twin]:
        """All twins that load, by name."""
        return {name: twin for name in self.names if (twin := self._load_or_none(name))}

    @property
    def by_alias(self) -> dict[str, Twin]:
        """All twins that load, by name and alias."""
        return {alias: twin for twin in self.twins.values() for alias in (twin.name, *twin.aliases)}

    def package(self, twin: Twin) -> Path | None:
        """Return the folder or file that holds all of a twin.

        None if the twin is not from an entry point, or keeps its seeds elsewhere.
        """
        module = sys.modules.get(self._points[twin.name].module) if twin.name in self._points else None
        file = getattr(module, "__file__", None)
        if not file:
            return None
        package = Path(file).parent if hasattr(module, "__path__") else Path(file)
        return package if twin.seeds is None or twin.seeds.is_relative_to(package) else None

    def has(self, names: Iterable[str]) -> bool:
        """Return whether all twins with these names are loaded, without waiting for those being loaded."""
        return all(name in self._loaded for name in names)

    def load(self, names: Iterable[str]) -> None:
        """Load the installed twins among these names; a twin that does not load raises only when it is used."""
        for name in names:
            if name in self._points:
                self._load_or_none(name)

    def _load_or_none(self, name: str) -> Twin | None:
        try:
            return self._loaded.get(name) or self._load(name)
        except TwinNotLoaded:
            return None

    def _load(self, name: str) -> Twin:
        with self._lock:
            if name in self.problems:
                raise TwinNotLoaded(str(self.problems[name]))
            if name not in self._loaded:
                twin = _import_twin(self._points[name])
                if isinstance(twin, LoadProblem):
                    self.problems[name] = twin
                    raise TwinNotLoaded(str(twin))
                self._add(twin)
            return self._loaded[name]

    def _add(self, twin: Twin) -> None:
        """Pass the schema to the watchers before the twin can be found."""
        schema = self._schemas[twin.name] = Schema(twin.name, twin.tables)
        for watcher in self._watchers:
            watcher(schema)
        self._loaded[twin.name] = twin

    def schema(self, name: str) -> Schema:
        """Return the tables of a twin by its own name; raises KeyError, TwinNotLoaded."""
        if name not in self._loaded:
            if name not in self._points:
                raise KeyError(name)
            self._load(name)
        return self._schemas[name]


def split_drafts(listed: str) -> list[tuple[str, Path]]:
    """Return the names and files of descriptions in a list such as `jira=/srv/jira.json:/srv/shop.yaml`.

    A description without a name has that of its file: `shop`.
    """
    parts = [each.rpartition("=") for each in listed.split(os.pathsep) if each]
    return [(name or snake(Path(file).name.partition(".")[0]), Path(file)) for name, _, file in parts]


def split_shipped(listed: str) -> list[tuple[str, list[Path]]]:
    """Return the names and files of shipped drafts in a list such as `hubspot:jira=/srv/jira.json`.

    A draft that is listed several times has the files of all of them.
    """
    files: dict[str, list[Path]] = {}
    for each in filter(None, listed.split(os.pathsep)):
        name, _, file = each.partition("=")
        files.setdefault(name, []).extend([Path(file)] if file else [])
    return [*files.items()]


def _load_shipped(name: str, files: list[Path], taken: Collection[str]) -> Twin | LoadProblem:
    """Return the twin of a shipped draft, or why there is none."""
    from twindiff.drafts import DescriptionError

    if name in taken:
        return LoadProblem(name, f"the draft has the name of an installed twin, '{name}'", "Leave one of them out")
    try:
        return _make_shipped(name, _stamp(files))
    except DescriptionError as error:
        return LoadProblem(name, str(error).rstrip("."), "`twindiff drafts ls` lists the shipped drafts")


def _draft(draft: tuple[str, Path], taken: Collection[str]) -> Twin | LoadProblem:
    """Return the twin of a description, or why there is none."""
    name, path = draft
    if name in taken:
        return LoadProblem(
            name, f"{path.name} has the name of an installed twin", f"Name it otherwise: acme={path.name}"
        )
    from twindiff.drafts import DescriptionError
    from twindiff.drafts.overlay import find_overlay

    try:
        return _make_draft(name, _stamp([path, find_overlay(path)]))
    except DescriptionError as error:
        return LoadProblem(name, f"{path.name}: {error}".rstrip("."), "Mend the description, or leave it out")
    except Exception as error:  # noqa: BLE001 - parts of a description may be anything, such as a list for an object
        reason = f"{path.name} is no description that can be served: {type(error).__name__}: {error}"
        return LoadProblem(name, reason, "Mend the description, or leave it out")


def _stamp(paths: Iterable[Path]) -> FileStates:
    """Return the state of each file, and of each file of a folder."""
    return tuple((path, tuple(_state_of(each) for each in (path, *sorted(path.rglob("*"))))) for path in paths)


def _state_of(path: Path) -> tuple[str, int, int]:
    try:
        state = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), state.st_mtime_ns, state.st_size


@lru_cache(maxsize=MAX_CACHED_DRAFTS)
def _make_draft(name: str, files: FileStates) -> Twin:
    """Return the twin of a description; the same for as long as its file is. Raises DescriptionError."""
    from twindiff.drafts import read_draft

    return read_draft(files[0][0], name).twin()


@lru_cache(maxsize=MAX_CACHED_DRAFTS)
def _make_shipped(name: str, files: FileStates) -> Twin:
    """Return the twin of a shipped draft; the same for as long as its files are. Raises DescriptionError."""
    from twindiff.drafts.shipped import find_shipped

    return find_shipped(name).twin([path for path, _ in files])


class _Schemas(Mapping[str, Schema]):
    """The tables of the twins that load, by name."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> Schema:
        return self._registry.schema(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry.twins)

    def __len__(self) -> int:
        return len(self._registry.twins)


def _import_twin(point: EntryPoint) -> Twin | LoadProblem:
    try:
        twin: object = point.load()
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything while it is imported
        return _problem(point, f"{type(error).__name__}: {error}")
    if not isinstance(twin, Twin):
        return _problem(point, f"{point.value} is no Twin but a {type(twin).__name__}")
    if twin.name != point.name:
        return _problem(point, f"its entry point is named '{point.name}' and the twin itself '{twin.name}'")
    return twin


def _problem(point: EntryPoint, said: str) -> LoadProblem:
    package = f"the package {point.dist.name}" if point.dist else f"the package of {point.value}"
    return LoadProblem(point.name, said, f"Mend or uninstall {package}")
