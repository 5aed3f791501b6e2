"""Local repositories, and checkouts of their branches and pull requests."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from twindiff.environments.registry import did_you_mean
from twindiff.kit.errors import ApiError, InvalidParameter

GIT_SECONDS = 120
"""Timeout of one git command in seconds."""
_PULL_REQUEST = re.compile(r"(?:^|/)([\w.-]+/[\w.-]+)/pull/([0-9]{1,9})(?:[/?#].*)?$")
_FILE_URL = re.compile(r"file:(?://(?:localhost)?)?(/[^?#]*)")


class UnknownRepository(ApiError):
    """There is no such repository on this machine."""

    status = 422


class UnknownBranch(ApiError):
    """The repository has no such branch."""

    status = 422


class GitFailed(ApiError):
    """git cannot do it."""

    status = 409


class Revision(NamedTuple):
    """A commit of a repository, and the name of its branch or pull request."""

    repository: Path
    commit: str
    name: str


class PullRequest(NamedTuple):
    """The repository (`owner/name`) and number of a pull request."""

    repository: str
    number: int


def pull_request(url: str) -> PullRequest:
    """Parse the URL of a pull request; raises UnknownBranch for any other URL."""
    match = _PULL_REQUEST.search(url)
    if match is None:
        raise UnknownBranch(f"pr_url '{url[:200]}' is no address of a pull request, such as …/owner/name/pull/42")
    return PullRequest(match[1], int(match[2]))


def repository_of(pr_url: str | None) -> str:
    """The repository of a pull request; raises InvalidParameter without a URL."""
    if pr_url is None:
        raise InvalidParameter("repo", "give a repository, or the pr_url of a pull request")
    return pull_request(pr_url).repository


class Repositories:
    """The repositories that runs may use: those named in the settings and, unless `closed`, any by its path."""

    def __init__(self, named: Mapping[str, str], *, closed: bool) -> None:
        self._named = dict(named)
        self._closed = closed

    def find(self, repo: str) -> Path:
        """Find the folder of a repository by its name, path or file: URL; raises UnknownRepository."""
        place = self._named.get(repo) or self._place(repo)
        path = _folder(place)
        if path is None:
            raise UnknownRepository(f"repo '{repo[:200]}': there is no folder {place[:200]}")
        if not (path / ".git").exists() and not (path / "HEAD").is_file():
            raise UnknownRepository(f"repo '{repo[:200]}': {path} is no git repository")
        return path

    def has(self, repo: str) -> bool:
        """Whether a repository is named in the settings, or given by its path."""
        return repo in self._named or repo.startswith(("/", "~", "file:"))

    def _place(self, repo: str) -> str:
        file = _FILE_URL.fullmatch(repo)
        place = unquote(file[1]) if file else repo
        is_path = place.startswith(("/", "~"))
        if is_path and not self._closed:
            return place
        known = ", ".join(self._named) or "none"
        why = "is open to named repositories only" if is_path else "knows it by no name"
        raise UnknownRepository(
            f"repo '{repo[:200]}': this server {why} (there are: {known}).{did_you_mean(repo, self._named)} "
            "Give names with `twindiff serve --repo owner/name=/path`"
            f"{'.' if self._closed else ', or the absolute path of a local repository.'}"
        )

    def revision(self, repo: str, branch: str | None, pr_url: str | None, commit: str | None = None) -> Revision:
        """Resolve the revision to run; by default what the repository has checked out.
        With a `commit`, `branch` is only a label.
        """
        path = self.find(repo)
        if commit:
            return Revision(path, commit_of(path, commit), branch or current_branch(path))
        if branch:
            return Revision(path, commit_of(path, branch), branch)
        if pr_url:
            number = pull_request(pr_url).number
            return Revision(path, commit_of(path, f"refs/pull/{number}/head"), f"pull/{number}")
        return Revision(path, commit_of(path, "HEAD"), current_branch(path))


def _folder(place: str) -> Path | None:
    """The folder at an absolute path; None if there is none."""
    try:
        path = Path(place).expanduser()
        return path if path.is_absolute() and path.is_dir() else None
    except (OSError, RuntimeError):  # an invalid file name, or the home of an unknown user
        return None


HARMLESS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.sshCommand": "false",
    "core.pager": "cat",
    "diff.external": "",
    "gpg.program": "false",
    "protocol.allow": "never",
    "protocol.file.allow": "always",
    "protocol.version": "2",
    "uploadpack.packObjectsHook": "",
}
"""Settings that override the configuration of a repository, which could make git run programs."""


def git(repository: Path, *arguments: str, configured: bool = True, variables: Mapping[str, str] | None = None) -> str:
    """Run git and return its output; raises GitFailed with git's message. Runs no program a repository configures.
    Without `configured`, the configurations of the user and the system are ignored. `variables` are environment
    variables of git.
    """
    settings = [word for name, value in HARMLESS.items() for word in ("-c", f"{name}={value}")]
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *settings, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=GIT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**_environment(configured=configured), **(variables or {})},
        )
    except FileNotFoundError:
        raise GitFailed("git is not installed on the server's machine") from None
    except (OSError, ValueError) as error:  # arguments that are too long, or contain NUL
        raise GitFailed(f"git {arguments[0]} cannot be asked: {error}") from None
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git {arguments[0]} was not done after {GIT_SECONDS} s") from None
    if done.returncode:
        raise GitFailed(f"git {arguments[0]}: {done.stderr.strip()[-500:]}")
    return done.stdout.strip()


def _environment(*, configured: bool) -> dict[str, str]:
    """The environment variables of git: no inherited GIT_*, no prompts, no lazy fetches."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    unconfigured = {} if configured else {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return {**kept, **quiet, **unconfigured}


def commit_of(repository: Path, name: str) -> str:
    """Resolve a branch, tag or id to a commit; raises UnknownBranch, which suggests the nearest branch."""
    for candidate in (name, f"origin/{name}"):
        with suppress(GitFailed):
            return git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{candidate}^{{commit}}")
    if name.startswith("refs/pull/"):
        number = name.split("/")[2]
        raise UnknownBranch(
            f"pull request {number} is not fetched in {repository}; "
            f"`git fetch origin pull/{number}/head:refs/pull/{number}/head` does that, or give its branch"
        )
    known = branches(repository)
    raise UnknownBranch(f"branch '{name[:200]}' is not in {repository}.{did_you_mean(name, known)}")


def branches(repository: Path) -> list[str]:
    """The names of a repository's branches."""
    return git(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()


def current_branch(repository: Path) -> str:
    """The branch that is checked out, or `HEAD` if detached."""
    return git(repository, "rev-parse", "--abbrev-ref", "HEAD")


def check_out(revision: Revision, folder: Path) -> None:
    """Create a new repository with a single commit in a new folder; the original's configuration does not apply there.
    Filters that a repository defines, and programs that it names, are thus never run. Git LFS files remain pointers.
    """
    source, commit = str(revision.repository), revision.commit
    form = git(revision.repository, "rev-parse", "--show-object-format")
    folder.mkdir()
    git(folder, "init", "--quiet", "--template=", f"--object-format={form}", configured=False)
    git(folder, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--", source, commit)
    git(folder, "checkout", "--quiet", "--detach", commit, configured=False)
