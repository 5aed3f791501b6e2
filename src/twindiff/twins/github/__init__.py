"""The GitHub twin: repositories with git's own objects, issues, pull requests, Actions, search."""

from __future__ import annotations

import re
from pathlib import Path

from twindiff.kit import Request, RequestContext, Twin, Users
from twindiff.kit.oauth import OAUTH_SECRETS, OauthToken
from twindiff.kit.seeding import Variables

from .actions import run_progress, runs
from .activity import notifications, starring
from .apps import apps, meta, oauth
from .apps.request_guard import actor_of, guard
from .core.access import BY_ID
from .gists import gists
from .graphql import endpoint
from .issues import comments, issues, labels, sub_issues
from .orgs import organizations, teams
from .projects import projects
from .pulls import merging, pulls, reviews
from .repos import (
    archives,
    autolinks,
    branches,
    checks,
    collaborators,
    commits,
    contents,
    git_data,
    hooks,
    licenses,
    releases,
    repositories,
    secrets,
)
from .screens import screen
from .search import searches
from .security import alerts
from .seeding import seeding
from .smart_http import services
from .tables.discussion_tables import TABLES as DISCUSSIONS
from .tables.issue_tables import TABLES as ISSUES
from .tables.project_tables import TABLES as PROJECTS
from .tables.repository_tables import TABLES as REPOSITORIES
from .tables.repository_tables import Hook, Secret
from .tables.user_tables import TABLES as USERS
from .tables.user_tables import AccessToken, User
from .tables.work_tables import TABLES as WORK
from .users import users
from .vendor_tools import tools as vendor_tools
from .wire_style import GitHubStyle

_HERE = Path(__file__).parent
_PAGES = (
    alerts,
    apps,
    archives,
    autolinks,
    branches,
    checks,
    collaborators,
    comments,
    commits,
    contents,
    endpoint,
    gists,
    git_data,
    hooks,
    issues,
    labels,
    licenses,
    merging,
    meta,
    notifications,
    oauth,
    organizations,
    projects,
    pulls,
    releases,
    repositories,
    reviews,
    run_progress,
    runs,
    searches,
    secrets,
    services,
    starring,
    sub_issues,
    teams,
    users,
)
_BY_ID = (
    (re.compile(r"/repositories/(\d+)(?=/|$)"), rf"/repos/{BY_ID}/\1"),
    (re.compile(r"/organizations/\d+/team/(\d+)(?=/|$)"), r"/teams/\1"),
    (re.compile(r"/organizations/(\d+)(?=/|$)"), rf"/orgs/{BY_ID}\1"),
    (re.compile(r"(/repos/[^/]+/[^/]+/(?:tar|zip)ball)/$"), r"\1"),
)
_API = re.compile(r"/api(?:/v3(?=/|$)|(?=/graphql$))")


class GitHubTwin(Twin):
    """A twin whose paths have aliases: `/api/v3/…` of GitHub Enterprise, objects by their ids, `tarball/`."""

    def exchange(self, request: Request, base_url: str) -> RequestContext | None:
        path = request.path
        if match := _API.match(path):
            path = path[match.end() :] or "/"
        for pattern, target in _BY_ID:
            path = pattern.sub(target, path, count=1) if pattern.match(path) else path
        return super().exchange(request._replace(path=path) if path != request.path else request, base_url)


twin = GitHubTwin(
    "github",
    GitHubStyle(),
    *(page.api for page in _PAGES),
    releases.uploads,
    tables=(*USERS, *REPOSITORIES, *ISSUES, *PROJECTS, *DISCUSSIONS, *WORK, OauthToken),
    users=Users(User, User.login, User.email),
    seeds=_HERE / "seeds",
    seeding=seeding,
    screen=screen,
    descriptions={
        "github_base": "One user, nothing else",
        "github_default": "Seven people's organization: 8 repositories, 150 issues, 60 pull requests, workflow runs",
    },
    missing=(_HERE / "missing_operations.txt").read_text().splitlines(),
    layers=(guard,),
    actor_of=actor_of,
    hosts={
        "api.github.com": "",
        "github.com": "",
        "uploads.github.com": "/api/uploads",
        "raw.githubusercontent.com": "/raw",
        "codeload.github.com": "/codeload",
    },
    addresses={
        "": "api.github.com",
        "/api/uploads": "uploads.github.com",
        "/raw": "raw.githubusercontent.com",
        "/codeload": "codeload.github.com",
    },
    webhooks=hooks.webhooks,
    vendor_tools=vendor_tools,
    secret_columns=(*OAUTH_SECRETS, AccessToken.token, Hook.secret, Secret.value),
    variables=Variables(
        tokens={
            "GITHUB_TOKEN": "ghp_{secret}",
            "GITHUB_ACCESS_TOKEN": "ghp_{secret}",
            "GH_TOKEN": "ghp_{secret}",
        },
        urls={"GITHUB_API_URL": "", "GITHUB_BASE_URL": ""},
    ),
)
