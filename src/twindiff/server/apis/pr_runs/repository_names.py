"""The names of a repository; its saved tests may be stored under any of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from twindiff.server.apis.sandbox_runs.checkouts import GitFailed, git

_OWNER_AND_NAME = re.compile(r"[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_REMOTE = re.compile(r"(?:[a-z+]+://(?!/)|[\w.-]+@[\w.-]+:)")


def list_names(given: str, path: Path, named: Mapping[str, str]) -> list[str]:
    """List all names of a repository: as given, its paths, its names in the settings, `owner/name` of its origin."""
    places = [*_places(path)]
    paths = [text for place in places for text in (str(place), place.as_uri())]
    aliases = [name for name, folder in named.items() if Path(folder).expanduser().resolve() in places]
    return list(dict.fromkeys([given, str(path), *paths, *aliases, *_names_at_origin(path)]))


def _places(path: Path) -> Iterator[Path]:
    """The folder itself, and that of the main repository if it is a worktree."""
    yield path.resolve()
    with suppress(GitFailed):
        shared = Path(git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")).resolve()
        yield shared.parent if shared.name == ".git" else shared


def _names_at_origin(path: Path) -> Iterator[str]:
    with suppress(GitFailed):
        url = git(path, "config", "--get", "remote.origin.url")
        if _REMOTE.match(url) and (match := re.search(f"{_OWNER_AND_NAME.pattern}$", url)):
            yield match[1]
