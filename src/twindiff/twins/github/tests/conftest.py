"""A fresh environment for every test, over HTTP, and small clients for its users."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

CAT = "octocat"


class Hub:
    """One user of one environment: `hub("GET", "/user")` gives the answer's JSON, whose status must be a success."""

    def __init__(self, environment: Environment, user: str = CAT) -> None:
        self.environment = environment
        self.user = user
        self.token = f"token-{user}"

    @property
    def url(self) -> str:
        """The address that stands for https://api.github.com."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrls"]["github"]))

    def http(self, verb: str, path: str, **options: Any) -> httpx.Response:
        """The raw answer."""
        token = options.pop("token", self.token)
        return self.environment.ask(path.lstrip("/"), verb=verb, twin="github", token=token, **options)

    def __call__(self, verb: str, path: str, json: Any = None, **options: Any) -> Any:
        answer = self.http(verb, path, **options, **({} if json is None else {"json": json}))
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def refused(self, verb: str, path: str, json: Any = None, **options: Any) -> tuple[int, str]:
        """Status and message of an answer that must be an error of GitHub's."""
        answer = self.http(verb, path, **options, **({} if json is None else {"json": json}))
        problem = answer.json()
        assert problem["documentation_url"].startswith("https://docs.github.com/"), answer.text
        assert problem["status"] == str(answer.status_code)
        return answer.status_code, problem["message"]

    def repo(self, name: str = "demo", **options: Any) -> str:
        """Make a repository with a first commit, and give its path."""
        made = self("POST", "/user/repos", {"name": name, "auto_init": True, **options})
        return f"/repos/{made['full_name']}"

    def write(self, repo: str, path: str, text: str, branch: str = "main", **options: Any) -> Any:
        """Write a file in a commit; an existing one is replaced."""
        known = self.http("GET", f"{repo}/contents/{path}", params={"ref": branch})
        body = {"message": f"Write {path}", "content": b64encode(text.encode()).decode(), "branch": branch, **options}
        if known.is_success:
            body["sha"] = known.json()["sha"]
        return self("PUT", f"{repo}/contents/{path}", body)

    def head(self, repo: str, branch: str = "main") -> str:
        """The SHA-1 of a branch."""
        return self("GET", f"{repo}/git/ref/heads/{branch}")["object"]["sha"]

    def branch(self, repo: str, name: str, start: str = "main") -> str:
        """Make a branch, and give its name."""
        self("POST", f"{repo}/git/refs", {"ref": f"refs/heads/{name}", "sha": self.head(repo, start)})
        return name

    def pull(self, repo: str, branch: str = "feature", path: str = "a.txt", text: str = "a\n", **options: Any) -> Any:
        """Make a pull request of a branch with one file."""
        self.branch(repo, branch)
        self.write(repo, path, text, branch)
        return self("POST", f"{repo}/pulls", {"title": f"Add {path}", "head": branch, "base": "main", **options})

    def as_user(self, user: str) -> Hub:
        """The same environment for another user."""
        return Hub(self.environment, user)

    def advance(self, seconds: int) -> None:
        """Let time pass, with what falls due in it."""
        self.environment.platform.post(f"env/{self.environment.id}/clock", {"advance": seconds})


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process; clients reach it by its address, all else without a socket."""
    server = LiveServer(Settings())
    client = Platform(server.in_process)
    client.server = server  # type: ignore[attr-defined]
    yield client
    server.close()


@pytest.fixture
def github(platform: Platform) -> Callable[..., Hub]:
    """Make an environment of a template: `github("github_default", user="ada")`."""

    def make(template: str = "github_base", user: str = CAT, **options: Any) -> Hub:
        others = options.pop("users", ())
        tokens = {f"token-{each}": each for each in (user, *others)}
        return Hub(platform.environment(f"github:{template}", user, tokens=tokens, **options), user)

    return make


@pytest.fixture
def hub(github: Callable[..., Hub]) -> Hub:
    """The only user of an empty environment."""
    return github()
