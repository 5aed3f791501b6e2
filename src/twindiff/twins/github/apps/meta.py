"""What the API says of itself: its root, limits, emojis, Markdown.

https://docs.github.com/en/rest/meta
"""

from __future__ import annotations

from typing import Any, Literal

from markdown_it import MarkdownIt

from twindiff.kit import Call, Operations, Response

from .request_guard import HOUR_SECONDS, LIMIT, SEARCH_LIMIT

api = Operations()
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough")
_ROOT = {
    "current_user_url": "user",
    "current_user_authorizations_html_url": "settings/connections/applications{/client_id}",
    "authorizations_url": "authorizations",
    "code_search_url": "search/code?q={query}{&page,per_page,sort,order}",
    "commit_search_url": "search/commits?q={query}{&page,per_page,sort,order}",
    "emails_url": "user/emails",
    "emojis_url": "emojis",
    "events_url": "events",
    "feeds_url": "feeds",
    "followers_url": "user/followers",
    "following_url": "user/following{/target}",
    "gists_url": "gists{/gist_id}",
    "hub_url": "hub",
    "issue_search_url": "search/issues?q={query}{&page,per_page,sort,order}",
    "issues_url": "issues",
    "keys_url": "user/keys",
    "label_search_url": "search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
    "notifications_url": "notifications",
    "organization_url": "orgs/{org}",
    "organization_repositories_url": "orgs/{org}/repos{?type,page,per_page,sort}",
    "organization_teams_url": "orgs/{org}/teams",
    "public_gists_url": "gists/public",
    "rate_limit_url": "rate_limit",
    "repository_url": "repos/{owner}/{repo}",
    "repository_search_url": "search/repositories?q={query}{&page,per_page,sort,order}",
    "current_user_repositories_url": "user/repos{?type,page,per_page,sort}",
    "starred_url": "user/starred{/owner}{/repo}",
    "starred_gists_url": "gists/starred",
    "topic_search_url": "search/topics?q={query}{&page,per_page}",
    "user_url": "users/{user}",
    "user_organizations_url": "user/orgs",
    "user_repositories_url": "users/{user}/repos{?type,page,per_page,sort}",
    "user_search_url": "search/users?q={query}{&page,per_page,sort,order}",
}
EMOJIS = {
    "+1": "1f44d",
    "-1": "1f44e",
    "heart": "2764",
    "tada": "1f389",
    "rocket": "1f680",
    "eyes": "1f440",
    "bug": "1f41b",
}
OCTOCAT = (
    "\n               MMM.           .MMM\n               MMMMMMMMMMMMMMMMMMM\n               MMMMMMMMMMMMMMMMMMM\n"
)


@api.get("/")
def get_root(call: Call) -> Any:
    """List the addresses that the API begins with."""
    return {name: f"{call.base_url}/{path}" for name, path in _ROOT.items()}


@api.get("/rate_limit")
def get_rate_limit(call: Call) -> Any:
    """Get the limits; the twin counts no requests."""
    reset = call.clock.unix() + HOUR_SECONDS

    def limit(most: int) -> dict[str, int]:
        return {"limit": most, "used": 0, "remaining": most, "reset": reset}

    others = ("graphql", "integration_manifest", "dependency_snapshots")
    resources = {
        "core": limit(LIMIT),
        "search": limit(SEARCH_LIMIT),
        "code_search": limit(10),
        "source_import": limit(100),
    }
    resources |= {name: limit(LIMIT) for name in others}
    resources |= {
        "actions_runner_registration": limit(10000),
        "scim": limit(15000),
        "code_scanning_upload": limit(1000),
    }
    return {"resources": resources, "rate": limit(LIMIT)}


@api.get("/meta")
def get_meta(call: Call) -> Any:
    """Get the addresses of the service."""
    lists = ("hooks", "web", "api", "git", "packages", "pages", "importer", "actions", "dependabot", "ssh_keys")
    fingerprints = {"SHA256_RSA": "uNiVztksCsDhcc0u9e8BrjuRpf8q2Ug5f6jmbTqsRfs"}
    return {
        "verifiable_password_authentication": False,
        "ssh_key_fingerprints": fingerprints,
        **{name: list[str]() for name in lists},
    }


@api.get("/versions")
def list_versions(call: Call) -> list[str]:
    """List the versions of the API."""
    return ["2022-11-28"]


@api.get("/emojis")
def list_emojis(call: Call) -> Any:
    """List emojis with the addresses of their pictures."""
    base = "https://github.githubassets.com/images/icons/emoji/unicode"
    return {name: f"{base}/{code}.png?v8" for name, code in EMOJIS.items()}


@api.get("/zen")
def get_zen(call: Call) -> Response:
    """Say a sentence about design."""
    sentences = (
        "Design for failure.",
        "Keep it logically awesome.",
        "Practicality beats purity.",
        "Speak like a human.",
    )
    return Response(sentences[call.clock.unix() % len(sentences)].encode(), 200, "text/plain; charset=utf-8")


@api.get("/octocat")
def get_octocat(call: Call, s: str = "Keep it logically awesome.") -> Response:
    """Draw the octocat saying something."""
    return Response(f"{OCTOCAT}\n   {s[:200]}\n".encode(), 200, "application/octocat-stream")


@api.get("/feeds")
def list_feeds(call: Call) -> Any:
    """List the addresses of Atom feeds."""
    url, kind = f"{call.base_url}/timeline", "application/atom+xml"
    user = f"{call.base_url}/{{user}}"
    links = {"timeline": {"href": url, "type": kind}, "user": {"href": user, "type": kind}}
    return {"timeline_url": url, "user_url": user, "_links": links}


@api.post("/markdown", reads=True)
def render_markdown(call: Call, text: str, mode: Literal["markdown", "gfm"] = "markdown") -> Response:
    """Render Markdown as HTML."""
    return Response(_MARKDOWN.render(text).encode(), 200, "text/html; charset=utf-8")


@api.get("/codes_of_conduct")
def list_codes_of_conduct(call: Call) -> Any:
    """List codes of conduct."""
    url = f"{call.base_url}/codes_of_conduct/contributor_covenant"
    return [{"key": "contributor_covenant", "name": "Contributor Covenant", "url": url, "html_url": None}]
