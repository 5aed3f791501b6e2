"""Artifacts of runs: a folder of files per run; only the newest folders are kept."""

from __future__ import annotations

import shutil
from mimetypes import guess_type
from pathlib import Path

from twindiff.kit.errors import ApiError
from twindiff.kit.header_values import disposition_value
from twindiff.kit.http import Response
from twindiff.server.apis.test_runs.temporary import TemporaryFolder

MAX_RUN_FOLDERS = 300
"""Number of runs whose files are kept."""
LOG = "worker.log"
DOWNLOAD = "download-"
"""How names of files that a page offered begin."""
MAX_LOG_BYTES = 20_000
HEADERS = (
    ("Content-Security-Policy", "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
)
SHOWN = ("image/png", "application/json", "text/plain")
"""Types that a browser may display; others are sent as attachments, so no file from a tested page runs in
our origin.
"""


class ArtifactNotFound(ApiError):
    """The run has no such artifact."""

    status = 404


class Artifacts:
    """The folders of runs, below the data directory.
    Without one they are temporary, and removed when this server ends or the next one starts.
    """

    def __init__(self, data_dir: str) -> None:
        self._data_dir = data_dir
        self._temporary: TemporaryFolder | None = None

    @property
    def root(self) -> Path:
        """The folder of all runs."""
        if self._data_dir not in (":memory:", ""):
            return Path(self._data_dir) / "test-runs"
        if self._temporary is None:
            self._temporary = TemporaryFolder()
        return self._temporary.path

    def open(self, run_id: str) -> Path:
        """Create the folder of a run; deletes the oldest folders beyond `MAX_RUN_FOLDERS`."""
        self._make_room()
        folder = self.root / run_id
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _make_room(self) -> None:
        if not self.root.exists():
            return
        folders = sorted(self.root.iterdir(), key=lambda each: each.stat().st_mtime)
        for old in folders[: max(0, len(folders) - MAX_RUN_FOLDERS)]:
            shutil.rmtree(old, ignore_errors=True)

    def names(self, run_id: str) -> list[str]:
        """The names of a run's artifacts, sorted."""
        folder = self.root / run_id
        return sorted(each.name for each in folder.iterdir() if each.is_file()) if folder.is_dir() else []

    def read(self, run_id: str, name: str) -> Response:
        """Respond with an artifact; raises ArtifactNotFound, which lists the names."""
        names = self.names(run_id)
        if name not in names:
            raise ArtifactNotFound(f"The run has no artifact '{name[:100]}'; it has {', '.join(names) or 'none'}")
        kind = "application/json" if name.endswith(".har") else guess_type(name)[0] or "application/octet-stream"
        how = "inline" if kind in SHOWN else "attachment"
        headers = (*HEADERS, ("Content-Disposition", disposition_value(how, name)))
        return Response((self.root / run_id / name).read_bytes(), content_type=kind, headers=headers)

    def texts(self, run_id: str) -> list[Path]:
        """The files of a run that a worker has written as they came: its log, and downloads."""
        folder = self.root / run_id
        return [folder / name for name in self.names(run_id) if name == LOG or name.startswith(DOWNLOAD)]

    def log(self, run_id: str) -> str:
        """The end of the log that the worker of a run has written besides its events."""
        file = self.root / run_id / LOG
        return file.read_text(errors="replace")[-MAX_LOG_BYTES:] if file.is_file() else ""

    def forget(self) -> None:
        """Remove the folder if it is temporary."""
        if self._temporary:
            self._temporary.remove()
            self._temporary = None
