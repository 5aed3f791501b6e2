"""Repositories, contents, git's data, branches and their protection."""

from __future__ import annotations

import io
import tarfile
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Callable
from itertools import permutations

import pytest

from .conftest import Hub

HELLO = "ce013625030ba8dba906f756967f9e9ca394464a"
"""What `git hash-object` says of `hello` with a line feed."""
TREE, COMMIT = "7c83f87ce814aa0706a48e41945286787e8939e1", "cca04c2b04686dd171284c7da086ea776901e5f1"
"""What `git mktree` and `git commit-tree` say of a folder with it, by one person at one time."""


def test_a_repository_begins_with_a_readme_and_labels(hub: Hub):
    repo = hub.repo(description="Shows things")
    readme = hub("GET", f"{repo}/readme")
    assert b64decode(readme["content"]) == b"# demo\nShows things\n"
    assert len(hub("GET", f"{repo}/labels")) == 9


def test_objects_have_git_s_own_names(hub: Hub):
    repo = hub.repo()
    assert hub("POST", f"{repo}/git/blobs", {"content": "hello\n"})["sha"] == HELLO
    tree = hub(
        "POST", f"{repo}/git/trees", {"tree": [{"path": "a/hello", "mode": "100644", "type": "blob", "sha": HELLO}]}
    )
    person = {"name": "A", "email": "a@b.c", "date": "2026-01-01T00:00:00Z"}
    body = {"message": "one", "tree": tree["sha"], "author": person}
    commit = hub("POST", f"{repo}/git/commits", body)
    assert (tree["sha"], commit["sha"]) == (TREE, COMMIT)


def test_a_file_is_written_changed_and_deleted(hub: Hub):
    repo = hub.repo()
    made = hub.write(repo, "a/b.txt", "hello\n")
    assert made["content"]["sha"] == HELLO
    content = b64encode(b"x").decode()
    stale = {"message": "m", "content": content, "sha": "0" * 40}
    assert hub.refused("PUT", f"{repo}/contents/a/b.txt", stale)[0] == 409
    assert hub.refused("PUT", f"{repo}/contents/a/b.txt", {"message": "m", "content": content})[0] == 422
    hub("DELETE", f"{repo}/contents/a/b.txt", params={"message": "gone", "sha": HELLO})
    assert hub.refused("GET", f"{repo}/contents/a")[0] == 404


@pytest.mark.parametrize("path", ["../x", "a/../b", ".git/config", "a//b"])
def test_paths_that_no_working_tree_may_hold_are_refused(hub: Hub, path: str):
    repo = hub.repo()
    entry = {"path": path, "mode": "100644", "type": "blob", "content": "x"}
    assert hub.refused("POST", f"{repo}/git/trees", {"tree": [entry]})[0] == 422


def test_a_tree_is_made_from_another_one(hub: Hub):
    repo = hub.repo()
    hub.write(repo, "a/b.txt", "hello\n")
    changes = [{"path": "README.md", "sha": None}, {"path": "c.txt", "mode": "100755", "content": "c"}]
    tree = hub("POST", f"{repo}/git/trees", {"base_tree": hub.head(repo), "tree": changes})
    listed = hub("GET", f"{repo}/git/trees/{tree['sha']}", params={"recursive": 1})["tree"]
    assert [(each["path"], each["mode"]) for each in listed] == [
        ("a", "040000"),
        ("a/b.txt", "100644"),
        ("c.txt", "100755"),
    ]


def test_a_branch_only_moves_forward_unless_forced(hub: Hub):
    repo = hub.repo()
    first = hub.head(repo)
    hub.write(repo, "a", "a")
    moved = {"sha": first}
    assert hub.refused("PATCH", f"{repo}/git/refs/heads/main", moved) == (422, "Update is not a fast forward")
    assert hub("PATCH", f"{repo}/git/refs/heads/main", {**moved, "force": True})["object"]["sha"] == first
    assert [file["name"] for file in hub("GET", f"{repo}/contents")] == ["README.md"]


@pytest.mark.parametrize("ref", ["main", "refs/heads/a..b", "refs/heads/a b", "refs/heads/main/x", "refs/heads/x.lock"])
def test_references_that_cannot_be_are_refused(hub: Hub, ref: str):
    repo = hub.repo()
    assert hub.refused("POST", f"{repo}/git/refs", {"ref": ref, "sha": hub.head(repo)})[0] == 422


def test_a_comparison_says_what_each_side_has(hub: Hub):
    repo = hub.repo()
    hub.branch(repo, "feature/x")
    hub.write(repo, "a", "1\n2\n", "feature/x")
    hub.write(repo, "b", "b")
    shown = hub("GET", f"{repo}/compare/main...feature/x")
    assert (shown["status"], shown["ahead_by"], shown["behind_by"]) == ("diverged", 1, 1)
    assert [(file["filename"], file["additions"], file["patch"]) for file in shown["files"]] == [
        ("a", 2, "@@ -0,0 +1,2 @@\n+1\n+2")
    ]


def test_commits_are_listed_by_path_and_author(hub: Hub):
    repo = hub.repo()
    hub.write(repo, "a", "1")
    hub.write(repo, "b", "1")
    hub.write(repo, "a", "2")
    found = hub("GET", f"{repo}/commits", params={"path": "a"})
    assert [commit["commit"]["message"] for commit in found] == ["Write a", "Write a"]
    assert len(hub("GET", f"{repo}/commits", params={"author": "octocat"})) == 4
    assert hub("GET", f"{repo}/commits", params={"author": "nobody"}) == []


def test_commits_are_compared_by_their_parents_whatever_their_dates(hub: Hub):
    repo = hub.repo()
    tree = hub("GET", f"{repo}/commits/main")["commit"]["tree"]["sha"]

    def commit(year: int, *parents: str) -> str:
        author = {"name": "n", "email": "e@example.com", "date": f"{year}-01-01T00:00:00Z"}
        body = {"message": "c", "tree": tree, "parents": parents, "author": author, "committer": author}
        return hub("POST", f"{repo}/git/commits", body)["sha"]

    for dates in [*permutations((2020, 2021, 2022, 2023)), (2020,) * 4]:
        root = commit(dates[0])
        below = commit(dates[1], root)
        tip = commit(dates[2], below)
        merge = commit(dates[3], root, tip)
        shown = hub("GET", f"{repo}/compare/{tip}...{merge}")
        assert (shown["status"], shown["ahead_by"], shown["merge_base_commit"]["sha"]) == ("ahead", 1, tip), dates
        assert hub("GET", f"{repo}/compare/{merge}...{below}")["behind_by"] == 2, dates


def test_a_rename_is_shown_as_one(hub: Hub):
    repo = hub.repo()
    hub.write(repo, "old.txt", "1\n2\n3\n")
    entry = hub("GET", f"{repo}/contents/old.txt")["sha"]
    changes = [{"path": "old.txt", "sha": None}, {"path": "new.txt", "mode": "100644", "sha": entry}]
    tree = hub("POST", f"{repo}/git/trees", {"base_tree": hub.head(repo), "tree": changes})["sha"]
    commit = hub("POST", f"{repo}/git/commits", {"message": "m", "tree": tree, "parents": [hub.head(repo)]})["sha"]
    (file,) = hub("GET", f"{repo}/commits/{commit}")["files"]
    assert (file["status"], file["previous_filename"], file["changes"]) == ("renamed", "old.txt", 0)


def test_a_protected_branch_takes_no_push_without_review(hub: Hub):
    repo = hub.repo()
    rules = {
        "required_pull_request_reviews": {},
        "enforce_admins": True,
        "required_status_checks": None,
        "restrictions": None,
    }
    hub("PUT", f"{repo}/branches/main/protection", rules)
    body = {"message": "m", "content": ""}
    assert hub.refused("PUT", f"{repo}/contents/a", body) == (
        409,
        "Could not create file: Changes must be made through a pull request.",
    )
    assert hub.refused("DELETE", f"{repo}/git/refs/heads/main") == (422, "Cannot delete the default branch")


def test_a_fork_shares_objects_and_goes_its_own_way(hub: Hub):
    repo = hub.repo()
    refusal = hub.refused("POST", f"{repo}/forks", {})
    assert refusal == (422, "Repository creation failed.")
    fork = f"/repos/{hub('POST', f'{repo}/forks', {'name': 'copy'})['full_name']}"
    assert hub("GET", fork)["parent"]["name"] == "demo"
    hub.write(fork, "a", "a")
    assert hub.http("GET", f"{repo}/contents/a").status_code == 404
    pull = hub("POST", f"{repo}/pulls", {"title": "t", "head": "main", "head_repo": "copy", "base": "main"})
    assert (pull["commits"], pull["head"]["repo"]["name"]) == (1, "copy")


def test_a_deleted_repository_takes_everything_with_it(hub: Hub):
    repo = hub.repo()
    hub("POST", f"{repo}/issues", {"title": "t"})
    hub("DELETE", repo)
    assert hub.refused("GET", repo)[0] == 404
    assert hub("GET", "/search/issues", params={"q": "t"})["total_count"] == 0


def test_a_release_makes_its_tag(hub: Hub):
    repo = hub.repo()
    pull = hub.pull(repo)
    hub("PUT", f"{repo}/pulls/1/merge", {"merge_method": "squash"})
    made = hub("POST", f"{repo}/releases", {"tag_name": "v1", "generate_release_notes": True})
    assert made["body"].startswith(f"## What's Changed\n* Add a.txt by @octocat in {pull['html_url']}\n")
    assert hub("GET", f"{repo}/git/ref/tags/v1")["object"]["sha"] == hub.head(repo)
    assert hub("GET", f"{repo}/releases/latest")["id"] == made["id"]
    upload = made["upload_url"].partition("{")[0]
    asset = hub.environment.platform.client.post(
        f"{upload}?name=a.bin", content=b"data", headers={"Content-Type": "x/y"}
    )
    assert (asset.status_code, asset.json()["size"]) == (201, 4)


def test_a_path_in_the_diff_is_a_row(hub: Hub):
    repo = hub.repo()
    run = hub.environment.platform.start(hub.environment)
    hub.write(repo, "a.txt", "hello\n")
    diff = hub.environment.platform.diff(run)
    files = [row for row in diff["inserts"] if row["__table__"] == "files"]
    assert [(row["path"], row["content"]) for row in files] == [("a.txt", "hello\n")]


def names_in(archive: bytes) -> list[str]:
    """The paths of the files of a zip file, or of a tar file."""
    body = io.BytesIO(archive)
    if archive.startswith(b"PK"):
        return zipfile.ZipFile(body).namelist()
    with tarfile.open(fileobj=body) as opened:
        return opened.getnames()


@pytest.mark.parametrize("path", ["tarball", "tarball/", "tarball/main", "zipball/refs/heads/main", "zipball/v1"])
def test_archives_of_a_commit_are_downloaded_by_a_redirect(hub: Hub, path: str):
    repo = hub.repo()
    hub.write(repo, "src/a.py", "print(1)\n")
    sha = hub.head(repo)
    hub("POST", f"{repo}/git/refs", {"ref": "refs/tags/v1", "sha": sha})
    led = hub.http("GET", f"{repo}/{path}")
    assert led.status_code == 302
    data = hub.http("GET", led.headers["Location"].removeprefix(hub.url))
    assert "attachment; filename=octocat-demo-" in data.headers["Content-Disposition"]
    assert sorted(names_in(data.content)) == [f"octocat-demo-{sha[:7]}/{name}" for name in ("README.md", "src/a.py")]
    assert hub.refused("GET", f"{repo}/{path.partition('/')[0]}/nope")[0] == 404


def test_archives_of_pages_and_of_private_repositories(github: Callable[..., Hub]):
    hub = github("github_default", user="ben", users=("cleo",))
    repo = hub.repo(private=True).removeprefix("/repos")
    led = hub.http("GET", f"{repo}/archive/refs/heads/main.tar.gz").headers["Location"].removeprefix(hub.url)
    assert led == f"/codeload{repo}/tar.gz/refs/heads/main"
    assert names_in(hub.http("GET", led).content) == ["demo-main/README.md"]
    for path in (led, f"/repos{repo}/tarball", f"{repo}/archive/main.zip"):
        assert hub.as_user("cleo").refused("GET", path)[0] == 404


def test_secrets_and_variables_of_an_environment_are_its_own(hub: Hub):
    repo = hub.repo()
    hub("PUT", f"{repo}/environments/prod", {})
    hub("POST", f"{repo}/environments/prod/variables", {"name": "PLACE", "value": "x"})
    hub("PUT", f"{repo}/environments/prod/secrets/TOKEN", {"encrypted_value": "aa", "key_id": "1"})
    assert hub("GET", f"{repo}/environments/prod/secrets/public-key")["key_id"]
    assert hub("GET", f"{repo}/environments/prod/variables/PLACE")["value"] == "x"
    assert [each["name"] for each in hub("GET", f"{repo}/environments/prod/secrets")["secrets"]] == ["TOKEN"]
    assert (
        hub("GET", f"{repo}/actions/secrets")["total_count"]
        == hub("GET", f"{repo}/actions/variables")["total_count"]
        == 0
    )
    assert hub.refused("GET", f"{repo}/environments/nope/secrets")[0] == 404


def test_autolinks_need_a_place_for_the_number(hub: Hub):
    path = f"{hub.repo()}/autolinks"
    made = hub("POST", path, {"key_prefix": "T-", "url_template": "https://x.test/<num>"})
    assert hub("GET", path) == [made]
    for body in ({"key_prefix": "U-", "url_template": "https://x.test"}, {"key_prefix": "t-", "url_template": "<num>"}):
        assert hub.refused("POST", path, body)[0] == 422
    hub("DELETE", f"{path}/{made['id']}")
    assert hub("GET", path) == []


def test_a_renamed_branch_takes_its_protection_over_a_leftover_rule(hub: Hub):
    repo, rule = (
        hub.repo(),
        dict.fromkeys(("required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions")),
    )
    for name, linear in (("old", False), ("new", True)):
        hub.branch(repo, name)
        hub(
            "PUT",
            f"{repo}/branches/{name}/protection",
            {**rule, "required_linear_history": linear, "allow_deletions": True},
        )
    hub("DELETE", f"{repo}/git/refs/heads/new")
    hub("POST", f"{repo}/branches/old/rename", {"new_name": "new"})
    assert hub("GET", f"{repo}/branches/new/protection")["required_linear_history"] == {"enabled": False}


def test_the_page_of_a_draft_does_not_tell_its_tag(hub):
    repo = hub.repo()
    draft = hub("POST", f"{repo}/releases", {"tag_name": "v7", "draft": True})
    assert draft["html_url"].rpartition("/")[2].startswith("untagged-")
    told = hub("PATCH", f"{repo}/releases/{draft['id']}", {"draft": False})
    assert told["html_url"].endswith("/releases/tag/v7")


def test_a_request_adds_at_most_fifty_annotations_to_a_check_run(hub):
    repo = hub.repo()
    place = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}

    def output(count):
        return {"output": {"title": "t", "summary": "s", "annotations": [place] * count}}

    asked = {"name": "lint", "head_sha": hub.head(repo)}
    status, message = hub.refused("POST", f"{repo}/check-runs", {**asked, **output(51)})[:2]
    assert (status, message.splitlines()[-1]) == (422, "No more than 50 items are allowed; 51 were supplied.")
    made = hub("POST", f"{repo}/check-runs", {**asked, **output(50)})
    more = hub("PATCH", f"{repo}/check-runs/{made['id']}", output(50))
    assert more["output"]["annotations_count"] == 100


def test_a_search_of_code_refuses_a_page_that_is_no_number(hub):
    for name in ("page", "per_page"):
        refused = hub.http("GET", f"search/code?q=x&{name}=abc")
        assert (refused.status_code, refused.headers["content-type"]) == (400, "text/plain; charset=utf-8")
        assert hub.http("GET", f"search/issues?q=x&{name}=abc").status_code == 200
