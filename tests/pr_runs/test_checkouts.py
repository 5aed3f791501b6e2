"""What a pull request run makes of checkouts: names, detached and shallow ones, and tests that lie in them."""

import json
import subprocess

import pytest

from tests.cli.conftest import twindiff
from tests.harness import LiveServer, succeeded
from tests.sandbox_runs.conftest import SERVES, Repository, repository
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client, RequestRefused
from twindiff.server import Settings

__all__ = ["repository", "twindiff"]

OPENS = {"steps": [{"action": "expect", "expect": {"type": "text", "contains": "cwd"}}]}
FILE = "paths: [app.py]\nsteps:\n- {action: expect, expect: {type: text, contains: cwd}}\n"
URL = "https://127.0.0.1:1/acme/desk.git"


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    made = Repository(tmp_path_factory.mktemp("origin") / "desk", app_DOT_py=SERVES)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Tidy", app_DOT_py=SERVES + "# tidied\n")
    made.git("checkout", "--quiet", "main")
    made.commit("Go on", docs_DOT_md="More.")
    return made


@pytest.fixture
def checkout(origin, tmp_path):
    """A clone as actions/checkout makes it: one remote, and HEAD at a commit of its own."""

    def make(*options):
        place = tmp_path / "checkout"
        origin.git("clone", "--quiet", *options, origin.path.as_uri(), str(place))
        return place

    return make


@pytest.fixture(scope="module")
def client(live):
    with Client(live.url) as client:
        yield client


def run_of(client, repo, **asked):
    """How a run that is cancelled at once began."""
    run = client.runs.create_pr_run(repo=str(repo), **asked)
    client.runs.cancel(run.run_id)
    return client.runs.get(run.run_id)


def git(place, *arguments):
    return subprocess.run(
        ["git", "-C", str(place), *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_saved_tests_of_the_origins_name_are_chosen_for_a_path(client, checkout):
    place = checkout("--branch", "feature")
    git(place, "remote", "set-url", "origin", URL)
    kept = client.tests.create("named", repo_full_name="acme/desk", ci_enabled=True, test_config=OPENS)
    assert [each.name for each in run_of(client, place, branch="feature", base="origin/main").chosen_tests] == ["named"]
    client.tests.delete(kept.id)


def test_saved_tests_of_a_path_are_chosen_for_a_name_of_the_settings(checkout):
    place = checkout("--branch", "feature")
    server = LiveServer(Settings(repositories=(("acme/desk", str(place)),)))
    try:
        with Client(server.url) as client:
            client.tests.create("by path", repo_full_name=str(place), ci_enabled=True, test_config=OPENS)
            run = run_of(client, "acme/desk", branch="feature", base="origin/main")
            assert [each.name for each in run.chosen_tests] == ["by path"]
    finally:
        server.close()


def test_a_run_for_which_no_test_is_chosen_fails_and_says_what_to_do(client, live, origin):
    made = client.runs.create_pr_run(repo=str(origin.path), branch="feature")
    run = client.runs.wait(made.run_id, timeout=120, poll_interval=0.1)
    assert (run.status, run.failure_category, run.total) == ("failed", "no_tests", 2)
    said = "no test was chosen: no test is kept of"
    assert said in run.failure_detail
    for place in (
        run.page_url,
        *(f"/validate/{run.run_id}/artifacts/{name}" for name in ("junit.xml", "check_run.json")),
    ):
        assert said in live.client.get(place).text, place


def test_a_run_for_which_no_test_is_chosen_passes_where_that_is_allowed(client, live, origin):
    made = client.runs.create_pr_run(repo=str(origin.path), branch="feature", allow_no_tests=True)
    run = client.runs.wait(made.run_id, timeout=120, poll_interval=0.1)
    assert (run.status, "no test was chosen" in run.summary) == ("completed", True)
    assert '<skipped message="no test was chosen' in live.client.get(f"/validate/{run.run_id}/artifacts/junit.xml").text
    verdict = succeeded(live.client.get(f"/validate/{run.run_id}/artifacts/check_run.json"))
    assert (verdict["conclusion"], verdict["details_url"]) == ("neutral", run.page_url)


def test_a_detached_checkout_is_tested_at_its_commit_under_the_name_that_github_gives(client, twindiff, checkout):
    place = checkout()
    git(place, "checkout", "--quiet", "--detach", "origin/feature")
    git(place, "branch", "--delete", "--force", "main")
    given = {"GITHUB_HEAD_REF": "feature", "GITHUB_REF_NAME": "7/merge", "GITHUB_BASE_REF": "main"}
    run = json.loads(twindiff("pr-run", str(place), "--allow-no-tests", "--json", **given).output)
    assert (run["branch"], run["base"]) == ("feature", "main")
    assert (run["commit_sha"], run["changed_files"]) == (git(place, "rev-parse", "origin/feature"), ["app.py"])
    assert run["status"] == "completed"


def test_what_is_checked_out_is_tested_where_no_branch_is_named(client, checkout):
    place = checkout("--branch", "feature")
    run = run_of(client, place)
    assert (run.branch, run.base, run.changed_files) == ("feature", "origin/main", ["app.py"])


def test_a_shallow_checkout_without_its_base_says_what_to_add(client, checkout):
    place = checkout("--depth", "1", "--branch", "feature")
    with pytest.raises(RequestRefused, match=r"is shallow and lacks .*fetch-depth: 0"):
        client.runs.create_pr_run(repo=str(place), base="main")


def test_a_shallow_checkout_without_the_commit_where_the_branch_left_says_what_to_add(client, checkout):
    place = checkout("--depth", "1", "--branch", "feature", "--no-single-branch")
    with pytest.raises(RequestRefused, match="lacks where 'feature' left 'origin/main': add `fetch-depth: 0`"):
        client.runs.create_pr_run(repo=str(place))


def test_a_shallow_checkout_that_has_the_commit_where_the_branch_left_is_compared(client, checkout):
    place = checkout("--depth", "2", "--branch", "feature", "--no-single-branch")
    assert run_of(client, place).changed_files == ["app.py"]


def test_tests_that_lie_in_the_repository_are_chosen_beside_the_saved_ones(client, repository):
    made = repository(app_DOT_py=SERVES, _DOT_arga__tests__opens_DOT_yml=FILE)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Tidy", app_DOT_py=SERVES + "# tidied\n")
    client.tests.create("saved", repo_full_name=str(made.path), ci_enabled=True, test_config=OPENS)
    run = client.runs.wait(client.runs.create_pr_run(repo=str(made.path)).run_id, timeout=120, poll_interval=0.1)
    assert [(each.name, each.passed) for each in run.results_json] == [("saved", True), ("opens", True)]


HOSTILE = {
    "huge number": ("tags: [%s]\nsteps: []\n" % ("9" * 5000), "it is no YAML"),
    "no day": ("description: 2026-99-99\nsteps: []\n", "it is no YAML"),
    "contains itself": ("steps: []\nchecks: &a {a: *a}\n", "an alias that contains itself: *a"),
    "laughs": (
        "checks:\n  x0: &x0 [l]\n" + "".join(f"  x{n}: &x{n} [{f'*x{n - 1}, ' * 10}]\n" for n in range(1, 9)),
        "more than 20 aliases",
    ),
    "deep": ("steps: " + "[" * 5000 + "]" * 5000, "nested deeper than 20 levels"),
    "large": ("#" * 1_000_001, "more than 1,000,000 bytes"),
    "twice": ("steps: [{action: expect}]\nname: a\nsteps: []\n", "it has the key 'steps' twice, again in line 3"),
    "pointer": ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "a pointer of Git LFS"),
}
NO_FILE = "commit files in its place"


def test_hostile_files_and_links_of_a_repository_are_invalid_tests(client, repository):
    files = {f"_DOT_arga__tests__{name}_DOT_yml": text for name, (text, _) in HOSTILE.items()}
    made = repository(app_DOT_py=SERVES, **files, **{"_DOT_arga__tests__new\nline_DOT_yml": FILE})
    made.git("checkout", "--quiet", "-b", "feature")
    (made.path / ".arga/tests/link.yml").symlink_to("/etc/passwd")
    (made.path / ".arga/tests/linked").symlink_to("..")
    (made.path / ".arga/tests/module").mkdir()
    made.git("update-index", "--add", "--cacheinfo", f"160000,{made.git('rev-parse', 'HEAD')},.arga/tests/module")
    made.commit("Tidy", app_DOT_py=SERVES + "# tidied\n")
    run = client.runs.wait(client.runs.create_pr_run(repo=str(made.path)).run_id, timeout=120, poll_interval=0.1)
    said = {each.name.removeprefix(".arga/tests/"): getattr(each, "detail", "") for each in run.results_json}
    assert [name for name, (_, expected) in HOSTILE.items() if expected not in said[f"{name}.yml"]] == []
    assert {name: NO_FILE in said[name] for name in said.keys() - {f"{name}.yml" for name in HOSTILE}} == {
        "new\nline": False, "link.yml": True, "linked": True, "module": True,
    }  # fmt: skip


def test_tests_in_folders_and_for_any_folders_are_chosen(client, repository):
    chosen = ("src/**/*.js", "./src/", "/src/a.js", "**/a.js", ".")
    texts = {number: FILE.replace("app.py", f"'{path}'") for number, path in enumerate((*chosen, "lib/**"))}
    files = {f"_DOT_arga__tests__deep__{number}_DOT_YML": text for number, text in texts.items()}
    made = repository(app_DOT_py=SERVES, **files)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Add", src__a_DOT_js="1")
    run = run_of(client, made.path)
    assert [each.id.removeprefix(".arga/tests/deep/") for each in run.chosen_tests] == [f"{n}.YML" for n in range(5)]


def test_an_exported_test_is_read_from_the_repository_as_it_is(client, repository):
    kept = client.tests.create("whole", repo_full_name="acme/else", ci_enabled=True, test_config=OPENS, tags=["app"])
    made = repository(app_DOT_py=SERVES, _DOT_arga__tests__whole_DOT_json=json.dumps(kept))
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Tidy", app_DOT_py=SERVES + "# tidied\n")
    assert [each.name for each in run_of(client, made.path).chosen_tests] == ["whole"]
    client.tests.delete(kept.id)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stepps: []\n", "stepps: there is no such key. Did you mean 'steps'?"),
        ("steps:\n- {action: click, selectr: a}\n", "steps[0].selectr: there is no such key. Did you mean 'selector'?"),
        ("steps:\n- {action: expect, expect: {type: text, contain: a}}\n", "steps[0].expect.contain: there is"),
        ("test_config:\n  steps:\n  - {action: dance}\n", "test_config.steps[0].action"),
        ("name: [a]\nsteps: []\n", "name: Expected `str`"),
        ("steps: [\n", "it is no YAML"),
        ("prompt: click 'A'\nchecks: {assertions: [{diff_typ: added}]}\n", "checks"),
        ("name: nothing\n", "give the steps of the test"),
        ("steps: []\n", "it would pass whatever the application does"),
        ("test_config: {steps: []}\n", "it would pass whatever the application does"),
        ("prompt: click 'A'\nsteps: []\ntest_config: {steps: [{action: back}]}\n", "give the actions in one of them"),
    ],
)
def test_a_test_file_that_cannot_be_read_is_an_error_that_names_file_and_key(client, repository, text, said):
    made = repository(app_DOT_py="raise SystemExit(1)", _DOT_arga__tests__bad_DOT_yml=text)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Tidy", docs_DOT_md=".")
    run = client.runs.wait(client.runs.create_pr_run(repo=str(made.path)).run_id, timeout=60, poll_interval=0.1)
    assert run.results_json[0].name == ".arga/tests/bad.yml"
    assert run.results_json[0].detail.startswith(".arga/tests/bad.yml: ")
    assert said in run.results_json[0].detail
