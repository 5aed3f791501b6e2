"""A wrapper of the OCI runtime for Podman's builds that refuses build steps which mount files of the machine.
Podman before 5.4 follows links in the sources of `RUN --mount`, also those in stages, in ONBUILD of base images and in
caches, so a step could read and write the machine's files as root. The guard checks the resulting mounts instead,
whatever syntax requested them. It is called as `build_guard.py MODE CONTEXT STORAGE RUNTIME …`, with the rest passed to
the runtime. With the mode `ro`, no step writes to the context: Podman keeps what is written there, and another service
whose files a step has replaced by a link to the machine's would be made of those. It is a standalone program that
imports nothing of Twindiff.
"""

from __future__ import annotations

import json
import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

CACHES = re.compile(r"/buildah-cache(-\d+)?(/|$)")
"""Below TMPDIR: where caches of steps are stored by name."""
CONTAINERS = re.compile(r"/[a-z0-9]+-containers/[0-9a-f]{64}/")
"""Below the storage: volumes of an image; their ids cannot be guessed."""


class Mount(NamedTuple):
    """A mount of this process at `point`: the folder `root` of the file system on `device`."""

    device: str
    root: str
    point: str


def main() -> None:
    """Execute the runtime, unless it is to create a container that mounts the machine's files."""
    mode, context, storage, runtime, *given = sys.argv[1:]
    if "create" in given or "run" in given:
        bundle = Path(next(after for each, after in pairwise(given) if each in ("--bundle", "-b")))
        wanted = json.loads((bundle / "config.json").read_text())
        mounts = _read_mounts()
        for mount in filter(_is_bind, wanted.get("mounts", ())):
            where = mount["destination"]
            if mode == "ro" and _is_writable(mount) and _is_in_context(mount["source"], context, mounts):
                sys.exit(f"{where}: this mount would change files of other services, and is refused; leave out rw")
            if not _is_allowed(mount["source"], str(bundle), context, storage, mounts):
                sys.exit(f"{where}: this mount would reach files of the machine, and is refused")
    os.execv(runtime, [runtime, *given])  # noqa: S606 - no shell is wanted


def _is_bind(mount: dict[str, Any]) -> bool:
    return mount.get("type") == "bind" or bool({"bind", "rbind"} & set(mount.get("options") or ()))


def _is_writable(mount: dict[str, Any]) -> bool:
    """Whether a mount can be written to; of contrary options, the last one counts."""
    modes = [each for each in mount.get("options") or () if each in ("ro", "rw")]
    return modes[-1:] != ["ro"]


def _is_in_context(source: str, context: str, mounts: list[Mount]) -> bool:
    place = _locate(os.path.realpath(source), mounts)
    return _is_within(place, _locate(os.path.realpath(context), mounts))


def _is_allowed(source: str, bundle: str, context: str, storage: str, mounts: list[Mount]) -> bool:
    """Whether a source is the context, a stage, a volume or a cache of the build, or a file created by the engine."""
    path = os.path.realpath(source)
    inside = path.removeprefix(os.path.realpath(bundle))
    if inside != path and not inside.startswith("/mnt/") and Path(path).is_file():
        return True
    if _is_in_context(path, context, mounts):
        return True
    place = _locate(path, mounts)
    if any(_is_within(place, (each.device, each.root)) for each in mounts if _is_stage(each, storage)):
        return True
    kept = _locate(os.path.realpath(storage), mounts)
    temporary = _locate(os.path.realpath(os.environ.get("TMPDIR") or "/var/tmp"), mounts)  # noqa: S108 - where podman keeps it
    return any(
        _is_within(place, folder) and pattern.match(_rest(place[1], folder[1]))
        for folder, pattern in ((kept, CONTAINERS), (temporary, CACHES))
    )


def _is_stage(mount: Mount, storage: str) -> bool:
    """Whether a mount is the whole file system of a stage or an image."""
    return mount.root == "/" and mount.point.endswith("/merged") and _is_below(mount.point, os.path.realpath(storage))


def _locate(path: str, mounts: list[Mount]) -> tuple[str, str]:
    """The device that a path is on, and its path on that device."""
    mount = max((each for each in mounts if _is_below(path, each.point)), key=lambda each: len(each.point))
    return mount.device, os.path.normpath(f"{mount.root}/{_rest(path, mount.point)}")


def _is_within(place: tuple[str, str], folder: tuple[str, str]) -> bool:
    return place[0] == folder[0] and _is_below(place[1], folder[1])


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _rest(path: str, folder: str) -> str:
    return path[len(folder.rstrip("/")) :]


def _read_mounts() -> list[Mount]:
    """The mounts of this process, latest first, so that `max` prefers a mount over one it covers at the same point."""
    mounts: list[Mount] = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        _, _, device, root, point, *_ = line.split()
        mounts.insert(0, Mount(device, _unescape(root), _unescape(point)))
    return mounts


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


if __name__ == "__main__":
    main()
