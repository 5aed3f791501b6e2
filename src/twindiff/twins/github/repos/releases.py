"""Releases and their assets.

https://docs.github.com/en/rest/releases
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Header, Operations, Response, Struct, UnsetType

from ..core.access import find_repo, issue_of, may
from ..core.listing import paginate
from ..core.node_ids import node_id
from ..core.stamps import new_id, show_instant, times_of
from ..core.text_lengths import check_lengths
from ..event_delivery.announcements import announce
from ..git.histories import walk_history
from ..git.refs import TAGS, find_ref, is_valid_ref, resolve_commit
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import Release, ReleaseAsset, Repository
from ..views.reaction_views import show_reactions
from ..views.repository_views import html_url, release_url, repo_url
from ..views.user_views import user_of
from ..wire_style import NotVisible, Unprocessable, invalid

api = Operations()
uploads = Operations(prefix="/api/uploads")
MAX_ASSET_BYTES = 100_000_000
MAX_NOTED_COMMITS = 50


class ReleaseBody(Struct):
    """A release to make or to change."""

    tag_name: str | UnsetType = UNSET
    target_commitish: str | UnsetType = UNSET
    name: str | UnsetType | None = UNSET
    body: str | UnsetType | None = UNSET
    draft: bool | UnsetType = UNSET
    prerelease: bool | UnsetType = UNSET
    make_latest: Literal["true", "false", "legacy"] | bool | UnsetType = UNSET
    generate_release_notes: bool = False


def show_asset(call: Call, repo: Repository, asset: ReleaseAsset, tag: str) -> dict[str, Any]:
    """Render a release's file."""
    return {
        "url": f"{repo_url(call, repo)}/releases/assets/{asset.id}",
        "browser_download_url": f"{html_url(call, repo)}/releases/download/{tag}/{asset.name}",
        "id": asset.id,
        "node_id": node_id("RA", repo.id, asset.id),
        "name": asset.name,
        "label": asset.label,
        "state": "uploaded",
        "content_type": asset.content_type,
        "size": asset.size,
        "digest": f"sha256:{asset.digest}",
        "download_count": 0,
        **times_of(asset),
        "uploader": user_of(call, asset.uploader),
    }


def show_release(call: Call, repo: Repository, release: Release) -> dict[str, Any]:
    """Render a release with its files."""
    url = f"{repo_url(call, repo)}/releases/{release.id}"
    assets = call.db.rows(ReleaseAsset, ReleaseAsset.release_id == release.id, order=ReleaseAsset.id)
    host = f"{call.base_url}/api/uploads/repos/{repo.full_name}/releases/{release.id}/assets"
    archives = {
        f"{kind}_url": None if release.draft else f"{repo_url(call, repo)}/{kind}/{release.tag_name}"
        for kind in ("tarball", "zipball")
    }
    shown: dict[str, Any] = {
        "url": url,
        "assets_url": f"{url}/assets",
        "upload_url": f"{host}{{?name,label}}",
        "html_url": release_url(call, repo, release),
        "id": release.id,
        "author": user_of(call, release.author),
        "node_id": node_id("RE", repo.id, release.id),
        "tag_name": release.tag_name,
        "target_commitish": release.target_commitish,
        "name": release.name,
        "draft": release.draft,
        "immutable": False,
        "prerelease": release.prerelease,
        "created_at": show_instant(release.created_at),
        "updated_at": show_instant(release.published_at or release.created_at),
        "published_at": show_instant(release.published_at),
        "assets": [show_asset(call, repo, asset, release.tag_name) for asset in assets],
        **archives,
        "body": release.body,
    }
    reactions = show_reactions(call, "releases", release.id, url)
    return shown | {"reactions": reactions} if reactions["total_count"] else shown


def _visible(call: Call, repo: Repository) -> list[Any]:
    """Return the conditions of the releases that the caller sees: drafts are for those who push."""
    where: list[Any] = [Release.repository_id == repo.id]
    return where if may(call, repo, "push") else [*where, ~Release.draft]


@api.get("/repos/{owner}/{repo}/releases")
def list_releases(call: Call, owner: str, repo: str) -> Any:
    """List the releases, newest first."""
    row = find_repo(call, owner, repo)
    by = (-Release.created_at, -Release.id)
    return paginate(call, Release, *_visible(call, row), by=by, show=lambda each: show_release(call, row, each))


def find_release(call: Call, repo: Repository, release_id: int) -> Release:
    """Return a release that the caller may see; raise NotVisible."""
    release = call.db.find(Release, Release.id == release_id, *_visible(call, repo))
    if release is None:
        raise NotVisible
    return release


@api.get("/repos/{owner}/{repo}/releases/latest")
def get_latest_release(call: Call, owner: str, repo: str) -> Any:
    """Get the newest release that is neither a draft nor a prerelease, or the one chosen as the latest."""
    row = find_repo(call, owner, repo)
    where = (Release.repository_id == row.id, ~Release.draft, ~Release.prerelease)
    rows = call.db.rows(Release, *where, order=(-Release.created_at, -Release.id))
    chosen = next((each for each in rows if each.is_latest), None)
    rest = [each for each in rows if each.is_latest is not False]
    if chosen is None and not rest:
        raise NotVisible
    return show_release(call, row, chosen or rest[0])


@api.get("/repos/{owner}/{repo}/releases/tags/{tag:path}")
def get_release_by_tag(call: Call, owner: str, repo: str, tag: str) -> Any:
    """Get the published release of a tag."""
    row = find_repo(call, owner, repo)
    release = call.db.find(Release, Release.repository_id == row.id, Release.tag_name == tag, ~Release.draft)
    if release is None:
        raise NotVisible
    return show_release(call, row, release)


@api.get("/repos/{owner}/{repo}/releases/{release_id}")
def get_release(call: Call, owner: str, repo: str, release_id: int) -> Any:
    """Get a release."""
    row = find_repo(call, owner, repo)
    return show_release(call, row, find_release(call, row, release_id))


def _columns_of(body: ReleaseBody) -> dict[str, Any]:
    names = ("tag_name", "target_commitish", "name", "body", "draft", "prerelease")
    columns: dict[str, Any] = {name: value for name in names if (value := getattr(body, name)) is not UNSET}
    if body.make_latest is not UNSET and body.make_latest != "legacy":
        columns["is_latest"] = body.make_latest in ("true", True)
    return columns


def _publish_tag(call: Call, repo: Repository, release: Release) -> None:
    """Make the tag of a published release unless it is there; raise 422 for an unknown target."""
    if release.draft or find_ref(call, repo, TAGS + release.tag_name):
        return
    commit = resolve_commit(call, repo, release.target_commitish)
    if commit is None:
        raise invalid("Release", "target_commitish")
    move_ref(call, repo, TAGS + release.tag_name, commit.sha)


def _check_lengths(columns: dict[str, Any]) -> None:
    check_lengths("Release", **{name: columns.get(name) for name in ("tag_name", "name", "body")})


@api.post("/repos/{owner}/{repo}/releases", status=201)
def create_release(call: Call, owner: str, repo: str, body: Annotated[ReleaseBody, Body]) -> Any:
    """Make a release, and its tag if there is none."""
    row = find_repo(call, owner, repo)
    columns: dict[str, Any] = {
        "target_commitish": row.default_branch,
        "draft": False,
        "prerelease": False,
        **_columns_of(body),
    }
    _check_lengths(columns)
    tag = columns.get("tag_name")
    if not tag:
        raise invalid("Release", "tag_name", "missing_field")
    if not is_valid_ref(TAGS + tag):
        raise invalid("Release", "tag_name", "custom", "tag_name is not a valid tag")
    if call.db.find(Release, Release.repository_id == row.id, Release.tag_name == tag, ~Release.draft):
        raise invalid("Release", "tag_name", "already_exists")
    if resolve_commit(call, row, "HEAD") is None:
        raise Unprocessable("Validation Failed", errors=["Repository is empty."])
    if body.generate_release_notes:
        notes = write_notes(call, row, tag, columns["target_commitish"])
        columns |= {
            "name": columns.get("name") or notes["name"],
            "body": "\n\n".join(filter(None, [columns.get("body"), notes["body"]])),
        }
    now = call.clock.iso()
    identity: dict[str, Any] = {"id": new_id(call), "repository_id": row.id, "author": call.actor, "created_at": now}
    release = call.db.add(Release(**identity, published_at=None if columns["draft"] else now, **columns))
    _publish_tag(call, row, release)
    shown = show_release(call, row, release)
    if not release.draft:
        announce(call, row, "release", {"action": "published", "release": shown})
    return shown


@api.patch("/repos/{owner}/{repo}/releases/{release_id}")
def update_release(call: Call, owner: str, repo: str, release_id: int, body: Annotated[ReleaseBody, Body]) -> Any:
    """Change a release; one that is no draft any more is published."""
    row = find_repo(call, owner, repo)
    release, columns = find_release(call, row, release_id), _columns_of(body)
    _check_lengths(columns)
    other = Release.tag_name == columns.get("tag_name", "")
    if call.db.find(Release, Release.repository_id == row.id, other, Release.id != release.id, ~Release.draft):
        raise invalid("Release", "tag_name", "already_exists")
    if release.draft and columns.get("draft") is False:
        columns["published_at"] = call.clock.iso()
    release = call.db.change(release, **columns)
    _publish_tag(call, row, release)
    shown = show_release(call, row, release)
    announce(call, row, "release", {"action": "edited", "release": shown})
    return shown


@api.delete("/repos/{owner}/{repo}/releases/{release_id}", status=204)
def delete_release(call: Call, owner: str, repo: str, release_id: int) -> None:
    """Delete a release; its tag stays."""
    row = find_repo(call, owner, repo)
    call.db.remove(find_release(call, row, release_id))


def write_notes(call: Call, repo: Repository, tag: str, target: str) -> dict[str, str]:
    """Return the name and the body of generated notes: the pull requests merged since the previous release."""
    previous = call.db.rows(
        Release, Release.repository_id == repo.id, ~Release.draft, order=(-Release.created_at, -Release.id), limit=1
    )
    since = resolve_commit(call, repo, previous[0].tag_name) if previous else None
    head = resolve_commit(call, repo, tag) or resolve_commit(call, repo, target)
    page, shas = html_url(call, repo), set[str]()
    for commit in walk_history(call, repo.network_id, [head.sha] if head else []):
        if (since and commit.sha == since.sha) or len(shas) >= MAX_NOTED_COMMITS:
            break
        shas.add(commit.sha)
    where = (PullRequest.repository_id == repo.id, PullRequest.merged.is_true)
    pulls = call.db.rows(PullRequest, *where, order=(PullRequest.merged_at, PullRequest.id))
    issues = [(issue_of(call, pull), pull) for pull in pulls if pull.merge_commit_sha in shas]
    lines = [f"* {issue.title} by @{issue.user} in {page}/pull/{pull.number}" for issue, pull in issues]
    link = f"{page}/compare/{previous[0].tag_name}...{tag}" if previous else f"{page}/commits/{tag}"
    changed = "## What's Changed\n" + "\n".join(lines) + "\n\n\n" if lines else ""
    return {"name": tag, "body": f"{changed}**Full Changelog**: {link}"}


@api.post("/repos/{owner}/{repo}/releases/generate-notes")
def generate_notes(call: Call, owner: str, repo: str, tag_name: str, target_commitish: str = "HEAD") -> Any:
    """Write notes for a release without making it."""
    return write_notes(call, find_repo(call, owner, repo), tag_name, target_commitish)


@api.get("/repos/{owner}/{repo}/releases/{release_id}/assets")
def list_assets(call: Call, owner: str, repo: str, release_id: int) -> Any:
    """List the files of a release."""
    row = find_repo(call, owner, repo)
    release = find_release(call, row, release_id)
    where, by = ReleaseAsset.release_id == release.id, ReleaseAsset.id
    return paginate(call, ReleaseAsset, where, by=by, show=lambda each: show_asset(call, row, each, release.tag_name))


@uploads.post("/repos/{owner}/{repo}/releases/{release_id}/assets", status=201, body_limit=MAX_ASSET_BYTES)
def upload_asset(
    call: Call,
    owner: str,
    repo: str,
    release_id: int,
    name: str,
    content: Annotated[bytes, Body],
    label: str | None = None,
    content_type: Annotated[str, Header("Content-Type")] = "application/octet-stream",
) -> Any:
    """Upload a file of a release."""
    row = find_repo(call, owner, repo)
    release, now = find_release(call, row, release_id), call.clock.iso()
    if not content:
        raise BadSize
    if call.db.find(ReleaseAsset, ReleaseAsset.release_id == release.id, ReleaseAsset.name == name):
        raise invalid("ReleaseAsset", "name", "already_exists")
    described: dict[str, Any] = {"name": name, "label": label, "content_type": content_type, "size": len(content)}
    times: dict[str, Any] = {"created_at": now, "updated_at": now, "uploader": call.actor}
    identity: dict[str, Any] = {"id": new_id(call), "release_id": release.id, "repository_id": row.id}
    asset = call.db.add(ReleaseAsset(**identity, **described, digest=call.blobs.put(content), **times))
    return show_asset(call, row, asset, release.tag_name)


class BadSize(Unprocessable):
    """Bad Size"""


def find_asset(call: Call, repo: Repository, asset_id: int) -> ReleaseAsset:
    """Return a release's file; raise NotVisible."""
    asset = call.db.find(ReleaseAsset, ReleaseAsset.id == asset_id, ReleaseAsset.repository_id == repo.id)
    if asset is None:
        raise NotVisible
    return asset


@api.get("/repos/{owner}/{repo}/releases/assets/{asset_id}")
def get_asset(call: Call, owner: str, repo: str, asset_id: int) -> Any:
    """Get a release's file: its description, or its bytes if the client accepts `application/octet-stream`."""
    row = find_repo(call, owner, repo)
    asset = find_asset(call, row, asset_id)
    if "octet-stream" in str(call.memo.get("accept")):
        return Response(call.blobs.get(asset.digest), 200, asset.content_type)
    return show_asset(call, row, asset, call.db.get(Release, asset.release_id).tag_name)


@api.patch("/repos/{owner}/{repo}/releases/assets/{asset_id}")
def update_asset(
    call: Call,
    owner: str,
    repo: str,
    asset_id: int,
    name: str | UnsetType = UNSET,
    label: str | UnsetType | None = UNSET,
) -> Any:
    """Rename a release's file."""
    row = find_repo(call, owner, repo)
    given: dict[str, Any] = {"name": name, "label": label}
    columns = {field: value for field, value in given.items() if value is not UNSET}
    asset = call.db.change(find_asset(call, row, asset_id), updated_at=call.clock.iso(), **columns)
    return show_asset(call, row, asset, call.db.get(Release, asset.release_id).tag_name)


@api.delete("/repos/{owner}/{repo}/releases/assets/{asset_id}", status=204)
def delete_asset(call: Call, owner: str, repo: str, asset_id: int) -> None:
    """Delete a release's file."""
    row = find_repo(call, owner, repo)
    call.db.remove(find_asset(call, row, asset_id))
