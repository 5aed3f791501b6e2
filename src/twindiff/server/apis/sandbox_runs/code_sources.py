"""The code that a run is about: a local repository, or one of a GitHub twin that is fetched for the run."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from twindiff.server.apis.sandbox_runs.checkouts import Repositories, Revision, commit_of, pull_request, repository_of
from twindiff.server.apis.sandbox_runs.hosted_repositories import HostedRepositories, HostedRepository
from twindiff.server.apis.test_runs.temporary import TemporaryFolder
from twindiff.server.runtime import Runtime


class HostedChange(NamedTuple):
    """A revision of a GitHub twin's repository: its commit, and the pull request and base branch, if there are any."""

    repository: HostedRepository
    commit: str
    branch: str
    base: str | None = None

    @property
    def number(self) -> int | None:
        """The number of the pull request."""
        return self.repository.number


class CodeSource(NamedTuple):
    """A resolved revision under the name of its repository; `change` and `folder` only for one of a twin."""

    repo: str
    revision: Revision
    change: HostedChange | None = None
    folder: TemporaryFolder | None = None

    @property
    def place(self) -> str:
        """Where the repository is, for logs."""
        if self.change is None:
            return str(self.revision.repository)
        return f"{self.repo} of environment {self.change.repository.environment_id}"

    def remove(self) -> None:
        """Remove what was fetched."""
        if self.folder:
            self.folder.remove()


class CodeSources:
    """Resolves what requests name by `repo`, `branch`, `pr_url` and `commit`."""

    def __init__(self, local: Repositories, hosted: HostedRepositories, runtime: Runtime) -> None:
        self.local = local
        self.hosted = hosted
        self._runtime = runtime

    async def open(
        self, repo: str | None, branch: str | None = None, pr_url: str | None = None, commit: str | None = None
    ) -> CodeSource:
        """Resolve a revision; the caller removes the source. Raises UnknownRepository, UnknownBranch, GitFailed."""
        place = self._locate(repo, pr_url)
        if place:
            return await self._fetch(place, branch, commit)
        name = repo or repository_of(pr_url)
        revision = await self._runtime.run_in_thread(partial(self.local.revision, name, branch, pr_url, commit))
        return CodeSource(name, revision)

    def _locate(self, repo: str | None, pr_url: str | None) -> HostedRepository | None:
        """Find the twin's repository by either address, else by the name of a linked one that is not local."""
        places = [place for each in (pr_url, repo) if each and (place := self.hosted.locate(each))]
        if places:
            return places[0]
        name = repo or repository_of(pr_url)
        linked = None if self.local.has(name) else self.hosted.find_linked(name)
        return linked._replace(number=pull_request(pr_url).number) if linked and pr_url else linked

    async def _fetch(self, place: HostedRepository, branch: str | None, commit: str | None) -> CodeSource:
        about = await self.hosted.find_repository(place)
        place = place._replace(name=about["full_name"])
        pull = await self.hosted.find_pull(place) if place.number and not branch else None
        folder = TemporaryFolder()
        try:
            await self.hosted.fetch(place, folder.path, about["default_branch"])
            wanted = commit or (f"refs/pull/{place.number}/head" if pull else branch or about["default_branch"])
            sha = await self._runtime.run_in_thread(partial(commit_of, folder.path, wanted))
        except BaseException:
            folder.remove()
            raise
        label = f"pull/{place.number}" if pull else branch or about["default_branch"]
        head, base = (pull["head"]["ref"], pull["base"]["ref"]) if pull else (label, about["default_branch"])
        change = HostedChange(place if pull else place._replace(number=None), sha, head, base)
        return CodeSource(place.name, Revision(folder.path, sha, label), change, folder)
