"""Pull request runs of repositories that a GitHub twin hosts, from the webhook to the comment on the pull request."""

import json
import time
from base64 import b64encode
from typing import Any

import pytest
from arga_sdk import Arga

from tests.harness import succeeded
from tests.sandbox_runs.conftest import SERVES
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client, RequestRefused

OPENS = json.dumps({"name": "opens", "steps": [{"action": "expect", "expect": {"type": "text", "contains": "cwd"}}]})
FILES = {
    "shop/app.py": SERVES,
    ".arga/sandbox.yml": "app: {app_command: python shop/app.py}\n",
    ".arga/tests/opens.yml": OPENS,
}


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


class Shop:
    """A repository of a GitHub twin with an application in it, and a client of its pull requests."""

    def __init__(self, live, base_url, name="shop", **headers):
        self.base_url, self.name, self.client = base_url, name, live.client
        self.headers = headers
        login = self("GET", "//user")["login"]
        self("POST", "//user/repos", {"name": name, "auto_init": True})
        self.name = f"{login}/{name}"
        self.url = f"{base_url}/{self.name}"
        for path, text in FILES.items():
            self.write(path, text)

    def ask(self, verb, path, body=None):
        path = path[1:] if path.startswith("//") else f"/repos/{self.name}{path}"
        given = {} if body is None else {"json": body}
        return self.client.request(verb, f"{self.base_url}{path}", headers=self.headers, **given)

    def __call__(self, verb, path, body=None) -> Any:
        return succeeded(self.ask(verb, path, body))

    def write(self, path, text, branch="main", message=""):
        known = self.ask("GET", f"/contents/{path}?ref={branch}")
        body = {"message": message or f"Write {path}", "content": b64encode(text.encode()).decode(), "branch": branch}
        sha = {"sha": known.json()["sha"]} if known.is_success else {}
        return self("PUT", f"/contents/{path}", {**body, **sha})["commit"]["sha"]

    def pull(self, branch, path="notes.txt", text="Buy milk."):
        head = self("GET", "/git/ref/heads/main")["object"]["sha"]
        self("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": head})
        self.write(path, text, branch)
        return self("POST", "/pulls", {"title": branch, "head": branch, "base": "main"})

    def checks(self, ref):
        return self("GET", f"/commits/{ref}/check-runs?filter=all")["check_runs"]

    def comments(self, pull):
        return [each["body"] for each in self("GET", f"/issues/{pull['number']}/comments")]


@pytest.fixture(scope="module")
def base_url(live, platform):
    """The address of a GitHub twin."""
    return f"{live.url}{platform.environment('github:github_base', 'octocat').made['environmentUrl']}"


@pytest.fixture(scope="module")
def shop(live, base_url):
    return Shop(live, base_url)


def until(find):
    """What `find` gives as soon as it gives something."""
    end = time.monotonic() + 60
    while not (found := find()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def concluded(shop, ref):
    """The conclusion of the check run of a commit, once it has one."""
    return until(lambda: next((each["conclusion"] for each in shop.checks(ref)), None))


def test_the_verdict_over_a_pull_request_of_the_twin_is_a_check_run_and_a_comment_there(shop, live):
    pull = shop.pull("fine", "shop/app.py", SERVES + "# tidied\n")
    with Arga(api_key="arga_sk_any", base_url=live.url) as arga:
        run = arga.runs.create_pr_run("octocat/shop", pr_url=f"{shop.url}/pull/{pull['number']}")
        assert arga.runs.wait(run.run_id, poll_interval=0.1, timeout=120).status == "completed"
    (check,) = shop.checks(pull["head"]["sha"])
    assert (check["name"], check["conclusion"], check["external_id"]) == ("Arga Validation", "success", run.run_id)
    (comment,) = shop.comments(pull)
    assert "1 of 1 tests passed" in comment
    assert "passed: opens" in comment


def test_a_failed_run_says_so_there_without_secrets_and_the_next_one_rewrites_its_comment(shop, live):
    pull = shop.pull("dead", "shop/app.py", "raise SystemExit('no: PASSWORD=hunter2-Zz 4000056655665556')\n")
    with Client(live.url) as client:
        for place in (pull["url"], f"{shop.url}/pull/{pull['number']}"):
            run = client.runs.create_pr_run(pr_url=place)
            assert client.runs.wait(run.run_id, poll_interval=0.1, timeout=120).status == "failed"
    assert [each["conclusion"] for each in shop.checks("dead")] == ["failure", "failure"]
    (comment,) = shop.comments(pull)
    assert "ended with exit code 1" in comment
    assert not [each for each in ("hunter2-Zz", "4000056655665556") if each in f"{comment} {shop.checks('dead')}"]


def test_webhooks_of_an_installed_repository_start_runs(live, base_url):
    shop = Shop(live, base_url, "installed")
    installed = succeeded(live.client.post("/validation/github/install", json={"repo": shop.url}))
    assert (installed["repo"], installed["installed"], installed["enabled"]) == (shop.name, True, True)
    assert installed["webhook_id"] in [each["id"] for each in shop("GET", "/hooks")]
    pull = shop.pull("feature")
    assert concluded(shop, pull["head"]["sha"]) == "success"
    sha = shop.write("notes.txt", "Buy bread.", "feature")
    assert concluded(shop, sha) == "success"
    config = {"repo": shop.name, "trigger_mode": "branch", "branch": "main"}
    live.client.post("/validation/github/config", json=config)
    live.client.patch("/validation/github/config", json={"repo": shop.name, "trigger_mode": "branch"})
    skipped = shop.write("notes.txt", "Nothing.", message="Note\n\n[skip arga]")
    sha = shop.write("notes.txt", "Something.")
    assert concluded(shop, sha) == "success"
    assert shop.checks(skipped) == []


def test_an_installed_repository_is_known_by_its_name_and_its_addresses_at_github(live, base_url):
    shop = Shop(live, base_url, "named")
    live.client.post("/validation/github/install", json={"repo": shop.url})
    off = {"repo": shop.name, "comment_on_pr": False}
    assert live.client.post("/validation/github/config", json=off).json()["comment_on_pr"] is False
    live.client.patch("/validation/github/config", json={"repo": shop.name, "enabled": False})
    pull = shop.pull("feature")
    with Client(live.url) as client:
        run = client.runs.create_pr_run(repo=shop.name, pr_url=pull["html_url"])
        assert client.runs.wait(run.run_id, poll_interval=0.1, timeout=120).status == "completed"
    assert concluded(shop, "feature") == "success"
    assert shop.comments(pull) == []


def test_a_private_run_of_a_server_with_a_key_closes_the_loop_too(make_server):
    server = make_server(api_key="k")
    with Client(server.url, api_key="k") as client:
        run = client.twin_runs.get(client.twin_runs.create(["github"], public=False)["run_id"])
        headers = {"Authorization": f"Bearer {run['twins']['github']['env_vars']['GITHUB_TOKEN']}"}
        headers["X-Proxy-Token"] = run["proxy_token"]
        shop = Shop(server, run["twins"]["github"]["base_url"], "private", **headers)
        client.runs.create_pr_run(pr_url=shop.pull("feature")["url"])
    install = {"json": {"repo": shop.url}, "headers": {"X-API-Key": "k"}}
    succeeded(server.client.post("/validation/github/install", **install))
    assert concluded(shop, shop.write("notes.txt", "Buy bread.", "feature")) == "success"


def test_a_sandbox_run_starts_the_application_of_a_branch_of_the_twin(shop, live):
    with Client(live.url) as client:
        made = client.sandbox_runs.create(repo=f"{shop.url}.git", branch="main")
        ready = client.sandbox_runs.wait(made.sandbox_id)
        assert (ready.status, ready.repo, ready.branch) == ("ready", "octocat/shop", "main")
        client.sandbox_runs.delete(made.sandbox_id)


def test_a_cancelled_run_ends_its_check_run(shop, live):
    pull = shop.pull("slow", "shop/app.py", "import time; time.sleep(600)\n")
    with Client(live.url) as client:
        run = client.runs.create_pr_run(pr_url=pull["url"])
        until(lambda: shop.checks("slow"))
        client.runs.cancel(run.run_id)
    assert concluded(shop, "slow") == "cancelled"


@pytest.mark.parametrize(
    ("signature", "body", "status"),
    [
        ("", b"{}", 401),
        ("sha256=00", b'{"repository": {"full_name": "octocat/shop"}}', 401),
        ("sha256=00", b"\xff", 401),
        ("sha256=\xe9", b'{"repository": 1}', 401),
    ],
)
def test_an_unsigned_webhook_starts_nothing(live, signature, body, status):
    headers = {"X-GitHub-Event": "push", "X-Hub-Signature-256": signature.encode("latin-1")}
    answer = live.client.post("/validation/github/webhook", content=body, headers=headers)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"pr_url": "{url}/pull/999"}, "pull request 999 is not in octocat/shop"),
        ({"repo": "{base_url}/octocat/none"}, "'octocat/none': the GitHub twin of environment"),
        ({"repo": "{url}", "branch": "fien"}, "branch 'fien' is not in"),
        ({"repo": "{url}"}, "has no difference from 'main'"),
        ({"repo": "{server}/api/env/00000000000000000000000000000000/services/github/a/b"}, "not found"),
    ],
)
def test_what_the_twin_does_not_have_is_refused_in_one_sentence(shop, live, asked, said):
    asked = {name: text.format(url=shop.url, base_url=shop.base_url, server=live.url) for name, text in asked.items()}
    with Client(live.url) as client, pytest.raises(RequestRefused, match=said):
        client.runs.create_pr_run(**asked)
