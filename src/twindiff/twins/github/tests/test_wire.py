"""The wire: errors, pages, entity tags, aliases, media types."""

from __future__ import annotations

import pytest

from .conftest import Hub


@pytest.mark.parametrize(
    ("verb", "path", "body", "expected"),
    [
        ("GET", "/repos/octocat/nope", None, (404, "Not Found")),
        ("GET", "/repos/octocat/demo/issues/99", None, (404, "Not Found")),
        ("POST", "/repos/octocat/demo/issues", {}, (422, 'Invalid request.\n\n"title" wasn\'t supplied.')),
        ("POST", "/repos/octocat/demo/issues", {"title": " "}, (422, "Validation Failed")),
        ("POST", "/repos/octocat/demo/labels", {"name": "x", "color": "red"}, (422, "Validation Failed")),
        ("POST", "/user/repos", {"name": "demo"}, (422, "Repository creation failed.")),
        (
            "PUT",
            "/repos/octocat/demo/contents/x",
            {"message": "m"},
            (422, 'Invalid request.\n\n"content" wasn\'t supplied.'),
        ),
        ("GET", "/search/issues", None, (422, "Validation Failed")),
    ],
)
def test_errors_have_github_s_form(hub: Hub, verb: str, path: str, body: object, expected: tuple[int, str]):
    hub.repo()
    assert hub.refused(verb, path, body) == expected


def test_a_validation_error_names_resource_field_and_code(hub: Hub):
    repo = hub.repo()
    hub("POST", f"{repo}/labels", {"name": "mine"})
    answer = hub.http("POST", f"{repo}/labels", json={"name": "MINE"}).json()
    assert answer["errors"] == [{"resource": "Label", "code": "already_exists", "field": "name"}]


def test_a_body_that_is_no_json_is_refused(hub: Hub):
    assert hub.refused("POST", "/user/repos", content=b"{", headers={"Content-Type": "application/json"}) == (
        400,
        "Problems parsing JSON",
    )


def test_pages_have_links_to_the_others(hub: Hub):
    repo = hub.repo()
    for number in range(5):
        hub("POST", f"{repo}/issues", {"title": f"Issue {number}"})
    answer = hub.http("GET", f"{repo}/issues", params={"per_page": 2, "page": 2})
    assert [issue["number"] for issue in answer.json()] == [3, 2]
    pages = {name: link["url"].rpartition("page=")[2] for name, link in answer.links.items()}
    assert pages == {"prev": "1", "next": "3", "last": "3", "first": "1"}
    assert hub.environment.platform.client.get(answer.links["next"]["url"]).json()[0]["number"] == 1


def test_what_has_not_changed_is_not_sent_again(hub: Hub):
    repo = hub.repo()
    seen = {"If-None-Match": hub.http("GET", repo).headers["ETag"]}
    assert hub.http("GET", repo, headers=seen).status_code == 304
    hub("PATCH", repo, {"description": "new"})
    assert hub.http("GET", repo, headers=seen).status_code == 200


def test_every_answer_has_the_vendor_s_headers(hub: Hub):
    headers = hub.http("GET", "/user").headers
    assert headers["X-GitHub-Media-Type"] == "github.v3; format=json"
    assert (headers["X-RateLimit-Limit"], headers["X-RateLimit-Resource"]) == ("5000", "core")


def test_objects_are_found_under_their_aliases(hub: Hub):
    repo = hub("GET", hub.repo())
    for path in (f"/api/v3/repos/{repo['full_name']}", f"/repositories/{repo['id']}", "/repos/OCTOCAT/Demo"):
        assert hub("GET", path)["id"] == repo["id"], path


def test_a_renamed_repository_redirects(hub: Hub):
    repo = hub.repo()
    number = hub("PATCH", repo, {"name": "other"})["id"]
    answer = hub.http("GET", f"{repo}/issues", follow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (301, f"{hub.url}/repositories/{number}/issues")


def test_media_types_give_texts(hub: Hub):
    repo = hub.repo()
    pull = hub.pull(repo, text="one\n")
    diff = hub.http("GET", f"{repo}/pulls/{pull['number']}", headers={"Accept": "application/vnd.github.diff"}).text
    assert diff.startswith("diff --git a/a.txt b/a.txt\nnew file mode 100644\n")
    assert diff.endswith("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n")
    raw = {"Accept": "application/vnd.github.raw+json"}
    assert hub.http("GET", f"{repo}/contents/a.txt?ref=feature", headers=raw).text == "one\n"
    html = {"Accept": "application/vnd.github.html+json"}
    hub("POST", f"{repo}/issues", {"title": "t", "body": "**b**"})
    assert hub("GET", f"{repo}/issues/2", headers=html)["body_html"] == "<p><strong>b</strong></p>"


def test_an_empty_segment_of_a_path_is_all_or_nothing(hub: Hub):
    repo = hub.repo()
    names = [each["ref"] for each in hub("GET", f"{repo}/git/matching-refs/heads")]
    for path in ("git/matching-refs", "git/matching-refs/", "git/refs/"):
        assert [each["ref"] for each in hub("GET", f"{repo}/{path}")] == names, path
    assert hub("GET", f"{repo}/contents/") == hub("GET", f"{repo}/contents")
    for path in (
        "git/ref/",
        "git/trees/",
        "compare/",
        "releases/tags/",
        "git/trees//main",
        "issues//comments",
        "issues/x",
    ):
        assert hub.refused("GET", f"{repo}/{path}") == (404, "Not Found"), path
    assert hub.refused("GET", "/orgs//repos") == (404, "Not Found")
    assert hub.http("GET", f"{repo}/tarball/").status_code == 302


def test_what_the_vendor_lacks_is_not_implemented(hub: Hub):
    assert hub.refused("GET", "/nonsense")[0] == 501
