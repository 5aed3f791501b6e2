"""Confinement of applications with bubblewrap (`bwrap`) and `setpriv`: separate user, processes and files.
The machine's network is shared, because an application has to reach its twins and be reached by tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs import entrance
from twindiff.server.apis.test_runs.temporary import hold_temporary_folder

SETTING = "TWINDIFF_CONFINEMENT"
REQUIRE, PREFER, OFF = "require", "prefer", "off"
MODES = (REQUIRE, PREFER, OFF)
UID = "{uid}"
"""Placeholder in a command for the id of the user that the application runs as."""
VARIABLES = "{variables}"
"""Placeholder in a command for the descriptor of the file with the application's variables."""
FIRST_UIDS = (1_900_000_000, 20_000)
"""First user ids for applications: beyond those that systems assign, else lower for containers that map few ids."""
MAX_PID = 1 << 22
MAX_PROCESSES = 1024
"""Limit for all processes of a command of the server's user."""
PROBE_SECONDS = 10
NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent")
SCRATCH = ("/tmp", "/var/tmp")  # noqa: S108 - private to each sandbox
"""Folders that are replaced by private ones for each application."""
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - likewise
FOLDERS = ("app", "home", "tmp")
"""Folders that an application may write to, below the folder of its run."""


class ConfinementMissing(ApiError):
    """Applications cannot be confined on this machine, and the settings require that they are."""

    status = 422


NEEDS_LINUX = (
    "the server runs on {}, and applications are started on Linux only, where all their processes can be found and "
    "ended; run the server in a Linux container or machine, or start the application yourself and give its address "
    "(start_url of a test run, frontend_url of a pull request run)"
)


class Confinement(NamedTuple):
    """How applications are confined; `missing` describes what is not confined, and is empty if everything is.
    With `first_uid` each application runs as a user of its own: that number plus the process id of its keeper.
    """

    bwrap: str = ""
    setpriv: str = ""
    first_uid: int | None = None
    missing: str = ""
    prlimit: str = ""
    """The program that limits the processes of a command, where the kernel counts those of its namespace alone."""

    def describe(self) -> str:
        """Describe the confinement in a sentence."""
        user = "a user of their own" if self.first_uid is not None else "the server's user"
        if not self.missing:
            return f"confined by bwrap: {user}, processes and files of their own, the machine's network"
        return f"not fully confined: {self.missing}"

    def wrap(
        self,
        command: Sequence[str],
        root: Path,
        folder: Path,
        hidden: Iterable[str],
        variables: str = VARIABLES,
    ) -> list[str]:
        """Wrap a command to run confined in a folder below `root`; the paths in `hidden` are invisible to it.

        It gets the application's variables, unless `variables` is `entrance.KEEP`.
        """
        enter = [sys.executable, "-I", "-S", entrance.__file__, variables]
        root, inner = root.resolve(), [*self._limit_processes(), *self._drop_privileges(), *enter, *command]
        if not self.bwrap:
            return inner
        return [self.bwrap, *NAMESPACES, *_mounts(root, hidden), "--chdir", str(folder), "--", *inner]

    def _limit_processes(self) -> list[str]:
        """Limit the processes of the server's user in the namespace of a command; users of their own have a limit."""
        if not (self.bwrap and self.prlimit) or self.first_uid is not None:
            return []
        return [self.prlimit, f"--nproc={MAX_PROCESSES}:{MAX_PROCESSES}", "--"]

    def _drop_privileges(self) -> list[str]:
        if not self.setpriv:
            return []
        user = ("--reuid", UID, "--regid", UID, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
        return [self.setpriv, *(user if self.first_uid is not None else ()), "--no-new-privs", "--"]


def find_confinement() -> Confinement:
    """Determine the confinement on this machine; raises ConfinementMissing if the setting requires more, or if no
    application can be started here.
    """
    if sys.platform != "linux":
        raise ConfinementMissing(NEEDS_LINUX.format("macOS" if sys.platform == "darwin" else sys.platform))
    mode = os.environ.get(SETTING) or PREFER
    if mode not in MODES:
        raise ConfinementMissing(f"{SETTING} is '{mode}'; give {', '.join(MODES[:-1])} or {OFF}")
    if mode == OFF:
        return Confinement(missing=f"{SETTING} is '{OFF}', so applications may do what the server may")
    confinement = _detect(os.environ.get("PATH", os.defpath))
    if confinement.missing and mode == REQUIRE:
        raise ConfinementMissing(f"{SETTING} is '{REQUIRE}', but applications are {confinement.describe()}")
    return confinement


@lru_cache(maxsize=8)
def _detect(path: str) -> Confinement:
    """The strongest confinement that works here: full, else separate users, else none."""
    is_root = os.geteuid() == 0
    bwrap, setpriv, prlimit = (shutil.which(name, path=path) or "" for name in ("bwrap", "setpriv", "prlimit"))
    first_uid = _find_first_uid() if is_root and setpriv else None
    full = Confinement(bwrap, setpriv, first_uid, prlimit=prlimit if _counts_by_namespace() else "")
    why = _why_not(full) if bwrap else "bwrap is not installed (package bubblewrap)"
    if is_root and first_uid is None:
        why = "this root may use no other user ids" if setpriv else "setpriv is not installed (package util-linux)"
    if not why:
        return full
    users = full._replace(bwrap="")
    if first_uid is not None and not _why_not(users):
        kept = "applications see the machine's files and processes, but run as users of their own"
        return users._replace(missing=f"{why}; {kept}")
    return Confinement(missing=f"{why}; applications may do what the server may")


def _why_not(candidate: Confinement) -> str:
    """Test a confinement; returns why it does not work, or an empty string."""
    with hold_temporary_folder("twindiff-confinement-") as root:
        for name in FOLDERS:
            (root / name).mkdir()
        uid = str((candidate.first_uid or 0) + os.getpid())
        root.chmod(0o711)
        trial = ["/bin/sh", "-c", '"$0" -I -S -c ""', sys.executable]
        wrapped = candidate.wrap(trial, root, root / "app", [tempfile.gettempdir()], entrance.KEEP)
        command = [uid if each == UID else each for each in wrapped]
        try:
            tried = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{Path(command[0]).name} does not work: {error}"
    said = " ".join(tried.stderr.decode(errors="replace").split())[:200]
    return f"{Path(command[0]).name} does not work: {said or tried.returncode}" if tried.returncode else ""


def _counts_by_namespace() -> bool:
    """Whether the kernel (Linux 5.14 or later) counts processes of a user by user namespace."""
    version = tuple(int(each) for each in re.findall(r"\d+", os.uname().release)[:2])
    return version >= (5, 14)


def _find_first_uid() -> int | None:
    """The first user id for applications; None if the system maps too few ids."""
    for first in FIRST_UIDS:
        if _is_mapped(first, MAX_PID) or (first == FIRST_UIDS[-1] and _is_mapped(first, 1 << 15)):
            return first
    return None


def _is_mapped(first: int, count: int) -> bool:
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/uid_map").read_text().splitlines():
            begin, _, length = map(int, line.split())
            if begin <= first and first + count <= begin + length:
                return True
    return False


def _mounts(root: Path, hidden: Iterable[str]) -> list[str]:
    """Arguments of bwrap: the machine's files read-only, hidden ones empty, the application's own folders writable."""
    empty = _find_hidden(hidden)
    replaced = {*empty, *map(Path, SCRATCH), Path(SHARED_MEMORY)}
    shown = {path for path in _find_programs() if any(path.is_relative_to(each) for each in replaced)}
    mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", SHARED_MEMORY]
    for place in SCRATCH:
        mounts += ["--bind", str(root / "tmp"), place]
    for path in sorted(empty | shown, key=lambda each: (len(each.parts), str(each))):
        if path in shown:
            mounts += [*_make_parents(path, replaced), "--ro-bind", str(path), str(path)]
        elif path.is_dir():
            mounts += [*_make_parents(path, replaced), "--perms", "755", "--tmpfs", str(path)]
    for name in FOLDERS[:2]:
        mounts += [*_make_parents(root / name, replaced), "--bind", str(root / name), str(root / name)]
    return mounts


def _find_hidden(hidden: Iterable[str]) -> set[Path]:
    """Folders that appear empty to an application: homes, runtime data of services, and those passed as hidden."""
    given = ("/home", "/root", "/run", str(_find_home()), *hidden)
    paths = {Path(each).resolve() for each in given if each}
    return paths - {Path(each) for each in ("/", *SCRATCH, SHARED_MEMORY)}


def _find_home() -> Path:
    """The home of the server's user; `/`, which is never hidden, if it has none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _make_parents(path: Path, replaced: set[Path]) -> Iterator[str]:
    """Arguments that create the parents of a path within a replaced folder; bwrap itself would make them owner-only."""
    for parent in reversed(path.parents):
        if any(parent != each and parent.is_relative_to(each) for each in replaced):
            yield from ("--perms", "755", "--dir", str(parent))


def _find_programs() -> set[Path]:
    """Paths below homes that programs need: the server's Python, PATH, certificates, the list of name servers."""
    home = _find_home()
    paths = {Path(sys.prefix), Path(sys.base_prefix), Path(entrance.__file__), Path("/etc/resolv.conf").resolve()}
    paths |= {Path(os.environ[each]) for each in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE") if each in os.environ}
    for place in map(Path, os.environ.get("PATH", "").split(os.pathsep)):
        is_toolchain = place.name == "bin" and place.parent.parent not in (home, home.parent)
        paths.add(place.parent if is_toolchain and home in place.parents else place)
    return {path for path in paths if path.is_absolute() and path.exists() and path not in (home, Path("/"))}
