"""Repositories that the GitHub twin of an environment hosts: found by address or link, and fetched with git."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import msgspec

from twindiff.catalog import CheckSettingRecord
from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request
from twindiff.kit.links import split_url
from twindiff.kit.rows import not_
from twindiff.server.apis.sandbox_runs.checkouts import GitFailed, UnknownBranch, UnknownRepository, git
from twindiff.server.bodies import give_body
from twindiff.server.targets import PREFIX, RequestTarget, target_of
from twindiff.server.use_cases.ports import open_port

if TYPE_CHECKING:
    from twindiff.server.data_plane import DataPlane
    from twindiff.server.service import Service

HOST = "github"
"""The name of the twin that hosts repositories and pull requests."""
TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
_PATH = re.compile(
    r"/+(?:api/v3/)?(?:repos/)?(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?(?:/(?:pull|pulls)/(?P<number>[0-9]{1,9}))?(?:/.*)?"
)
_REFS = tuple(f"+refs/{kind}/*:refs/{kind}/*" for kind in ("heads", "tags", "pull"))


class HostRefused(ApiError):
    """The GitHub twin refused a request of a pull request run."""

    status = 409


class HostedRepository(NamedTuple):
    """A repository (`owner/name`) of an environment's GitHub twin, and the pull request that its address names."""

    environment_id: str
    name: str
    number: int | None = None


class HostedRepositories:
    """The repositories of all GitHub twins of a server."""

    def __init__(self, service: Service, data_plane: DataPlane) -> None:
        self._service = service
        self._data_plane = data_plane

    def locate(self, address: str) -> HostedRepository | None:
        """Parse an address of a twin's repository or pull request; None for any other text.

        Raises what `Environments.get` raises, and TwinNotFound if the environment has no GitHub twin.
        """
        url = split_url(address)
        if url.scheme not in ("http", "https"):
            return None
        target = target_of(url.scheme, url.path, url.netloc.lower()) or self._target_of_port(url.netloc, url.path)
        match = _PATH.fullmatch(target.path) if target else None
        if target is None or match is None:
            return None
        environment = self._environment(target.environment)
        if self._service.twin_of(environment, target.twin).name != HOST:
            return None
        return HostedRepository(environment.id, match["name"], int(match["number"]) if match["number"] else None)

    def find_linked(self, name: str) -> HostedRepository | None:
        """Find a repository by the `owner/name` under which its checks were installed; None for unknown ones."""
        where = (CheckSettingRecord.repo == name, not_(CheckSettingRecord.environment_id.is_null()))
        known = self._service.catalog.rows(CheckSettingRecord, *where, limit=1)
        return HostedRepository(str(known[0].environment_id), name) if known else None

    def _target_of_port(self, netloc: str, path: str) -> RequestTarget | None:
        prefix = self._service.ports.prefix_of(f"http://{netloc.replace('localhost', '127.0.0.1')}")
        return target_of("http", prefix + path, netloc) if prefix else None

    def _environment(self, environment_id: str) -> LoadedEnvironment:
        return self._service.environments.get(environment_id)

    async def request(
        self,
        place: HostedRepository,
        verb: str,
        path: str,
        body: Any = None,
        *,
        token: str = "",
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """Send a request below `/repos/{owner}/{name}`, or below the twin's root if `path` begins with `//`; returns
        the JSON of the response. By default it acts as the environment's user. Raises HostRefused for an error.
        """
        environment = self._environment(place.environment_id)
        data = b"" if body is None else msgspec.json.encode(body)
        headers = {
            "authorization": f"Bearer {token or _token_of(self._service, environment)}",
            "content-type": "application/json",
            "content-length": str(len(data)),
        }
        whole = path[1:] if path.startswith("//") else f"/repos/{place.name}{path}"
        base_url = f"http://localhost{PREFIX}{environment.id}/services/{HOST}"
        target = RequestTarget(environment.id, HOST, whole, base_url, is_vouched=True)
        asked = Request(verb, whole, urlencode(query or {}), headers, data)
        answer = await self._data_plane.answer(asked, target, give_body(data, _never))
        if not 200 <= answer.status < 300:
            said = answer.body[:500].decode("utf-8", "replace")
            raise HostRefused(f"the GitHub twin answered {answer.status} to {verb} {whole}: {said}")
        return msgspec.json.decode(answer.body) if answer.body else None

    async def fetch(self, place: HostedRepository, folder: Path, default_branch: str) -> None:
        """Fetch all branches, tags and pull requests into a new bare repository, with git over HTTP."""
        service = self._service
        environment = self._environment(place.environment_id)
        address = await open_port(service, environment.id, HOST)
        headers = [f"Authorization: Bearer {_token_of(service, environment)}"]
        if environment.gate:
            headers.append(f"X-Proxy-Token: {environment.gate.proxy_token}")
        variables = _git_variables(headers)

        def fetch() -> None:
            git(folder, "init", "--quiet", "--bare", "--template=", configured=False)
            url = f"{address}/{place.name}.git"
            git(folder, "fetch", "--quiet", "--no-tags", "--", url, *_REFS, configured=False, variables=variables)
            git(folder, "symbolic-ref", "HEAD", f"refs/heads/{default_branch}", configured=False)

        try:
            await service.runtime.run_in_thread(fetch)
        except GitFailed as error:
            raise UnknownRepository(f"repo '{place.name}' of environment {environment.id}: {error}") from None

    async def find_pull(self, place: HostedRepository) -> dict[str, Any]:
        """Return the pull request that an address names; raises UnknownBranch."""
        try:
            return await self.request(place, "GET", f"/pulls/{place.number}")
        except HostRefused:
            raise UnknownBranch(
                f"pull request {place.number} is not in {place.name} of environment {place.environment_id}"
            ) from None

    async def find_repository(self, place: HostedRepository) -> dict[str, Any]:
        """Return a repository as the twin shows it; raises UnknownRepository."""
        try:
            return await self.request(place, "GET", "")
        except HostRefused:
            raise UnknownRepository(
                f"repo '{place.name}': the GitHub twin of environment {place.environment_id} has none that its user "
                "may see"
            ) from None


def _token_of(service: Service, environment: LoadedEnvironment) -> str:
    """The token with which programs of an environment act as its user."""
    twin = service.twin_of(environment, HOST)
    return twin.variables.without_urls(environment.door_secret)[TOKEN]


def _git_variables(headers: list[str]) -> dict[str, str]:
    """Settings that let git fetch over HTTP with these headers, which no list of processes shows."""
    settings = [("protocol.http.allow", "always"), ("http.followRedirects", "false")]
    settings += [("http.extraHeader", header) for header in headers]
    variables = {"GIT_CONFIG_COUNT": str(len(settings)), "no_proxy": "*"}
    for number, (name, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


async def _never() -> Any:
    raise AssertionError("a request with its whole body has nothing more to receive")
