"""Archives of the files of a commit: `tarball` and `zipball` lead to codeload.github.com, which sends them.

https://docs.github.com/en/rest/repos/contents#download-a-repository-archive-tar
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

from twindiff.kit import Call, Operations, Response

from ..core.access import find_repo
from ..git.objects import LINK_MODE, SUBMODULE_MODE, store_of
from ..git.refs import find_ref, resolve_commit
from ..git.trees import walk_tree
from ..tables.repository_tables import Commit, Repository
from ..wire_style import NotVisible

api = Operations()
_KINDS = {"tarball": "legacy.tar.gz", "zipball": "legacy.zip"}
_FORMATS = ("legacy.tar.gz", "legacy.zip", "tar.gz", "zip")
EXECUTABLE_MODE = "100755"
FIRST_ZIP_YEAR = 1980


class ArchivedFile(NamedTuple):
    """A file of an archive: its path, git's mode and its bytes."""

    path: str
    mode: str
    data: bytes


def _redirect(call: Call, repo: Repository, form: str, ref: str) -> Response:
    """Lead to an archive of a branch, a tag or a commit; raise NotVisible for any other text."""
    name = ref or repo.default_branch
    if resolve_commit(call, repo, name) is None:
        raise NotVisible
    named = (f"refs/{kind}/{name}" for kind in ("heads", "tags"))
    full = next((each for each in named if find_ref(call, repo, each)), name)
    location = f"{call.base_url}/codeload/{repo.full_name}/{form}/{quote(full)}"
    return Response(b"", 302, content_type="", headers=(("Location", location),))


def _declare(kind: str) -> None:
    path = f"/repos/{{owner}}/{{repo}}/{kind}"

    def download_default_archive(call: Call, owner: str, repo: str) -> Response:
        """Lead to an archive of the default branch."""
        return _redirect(call, find_repo(call, owner, repo), _KINDS[kind], "")

    def download_archive(call: Call, owner: str, repo: str, ref: str) -> Response:
        """Lead to an archive of a branch, a tag or a commit."""
        return _redirect(call, find_repo(call, owner, repo), _KINDS[kind], ref)

    api.get(path)(download_default_archive)
    api.get(f"{path}/{{ref:path}}")(download_archive)


for _kind in _KINDS:
    _declare(_kind)


@api.get("/{owner}/{repo}/archive/{name:path}")
def download_page_archive(call: Call, owner: str, repo: str, name: str) -> Response:
    """Lead to an archive by the address that a repository's page has: `archive/refs/tags/v1.tar.gz`."""
    row = find_repo(call, owner, repo)
    form = next((each for each in ("tar.gz", "zip") if name.endswith(f".{each}")), None)
    if form is None:
        raise NotVisible
    return _redirect(call, row, form, name.removesuffix(f".{form}"))


@api.get("/codeload/{owner}/{repo}/{form}/{ref:path}")
def send_archive(call: Call, owner: str, repo: str, form: str, ref: str) -> Response:
    """Send an archive; its files are in a folder named by repository and commit."""
    row = find_repo(call, owner, repo)
    commit = resolve_commit(call, row, ref) if form in _FORMATS else None
    if commit is None:
        raise NotVisible
    short = ref.removeprefix("refs/heads/").removeprefix("refs/tags/").removeprefix("v").replace("/", "-")
    is_legacy = form.startswith("legacy.")
    folder = f"{row.owner}-{row.name}-{commit.sha[:7]}" if is_legacy else f"{row.name}-{short}"
    files = _list_files(call, row, commit, folder)
    is_zip = form.endswith("zip")
    data = _write_zip(files, commit) if is_zip else _write_tar(files, commit)
    name = f"{folder}.{'zip' if is_zip else 'tar.gz'}"
    disposition = ("Content-Disposition", f"attachment; filename={name}")
    return Response(data, 200, "application/zip" if is_zip else "application/x-gzip", headers=(disposition,))


def _list_files(call: Call, repo: Repository, commit: Commit, folder: str) -> Iterator[ArchivedFile]:
    """Yield the files of a commit in the order of their paths, without submodules."""
    store = store_of(call, repo)
    for path, entry in walk_tree(store, commit.tree_sha):
        if entry.mode != SUBMODULE_MODE:
            yield ArchivedFile(f"{folder}/{path}", entry.mode, store.read(entry.sha))


def _write_tar(files: Iterator[ArchivedFile], commit: Commit) -> bytes:
    buffer, when = io.BytesIO(), int(datetime.fromisoformat(commit.committed_at).timestamp())
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in files:
            entry = tarfile.TarInfo(file.path)
            entry.mtime, entry.mode = when, 0o775 if file.mode == EXECUTABLE_MODE else 0o664
            if file.mode == LINK_MODE:
                entry.type, entry.linkname = tarfile.SYMTYPE, file.data.decode("utf-8", "replace")
                archive.addfile(entry)
            else:
                entry.size = len(file.data)
                archive.addfile(entry, io.BytesIO(file.data))
    return gzip.compress(buffer.getvalue(), mtime=0)


def _write_zip(files: Iterator[ArchivedFile], commit: Commit) -> bytes:
    buffer, when = io.BytesIO(), datetime.fromisoformat(commit.committed_at)
    date = (max(when.year, FIRST_ZIP_YEAR), when.month, when.day, when.hour, when.minute, when.second)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.path, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            kind = 0o120777 if file.mode == LINK_MODE else 0o100755 if file.mode == EXECUTABLE_MODE else 0o100644
            entry.external_attr = kind << 16
            archive.writestr(entry, file.data)
    return buffer.getvalue()
