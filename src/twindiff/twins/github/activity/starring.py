"""Stars, watched repositories, and the feeds of events.

https://docs.github.com/en/rest/activity
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations
from twindiff.kit.rows import Expression, exists

from ..core.access import find_org, find_repo, find_user
from ..core.listing import paginate
from ..core.stamps import show_instant
from ..core.visibility import visible_to_caller
from ..event_delivery.announcements import announce
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..tables.work_tables import ActivityEvent, Star, Subscription
from ..views.repository_views import repo_url, show_repo
from ..views.user_views import user_of
from ..wire_style import NotVisible

api = Operations()


def _list_starred(call: Call, login: str) -> Any:
    query: dict[str, str] = call.memo["query"]
    by = Star.starred_at if query.get("direction") == "asc" else -Star.starred_at
    visible = exists(Repository, Repository.id == Star.repository_id, visible_to_caller(call))
    with_time = "star" in str(call.memo.get("accept"))

    def show(star: Star) -> dict[str, Any]:
        shown = show_repo(call, call.db.get(Repository, star.repository_id))
        return {"starred_at": show_instant(star.starred_at), "repo": shown} if with_time else shown

    return paginate(call, Star, Star.user == login, visible, by=by, show=show)


@api.get("/user/starred")
def list_own_starred(call: Call) -> Any:
    """List the repositories that the caller starred, the newest star first."""
    return _list_starred(call, call.actor)


@api.get("/users/{username}/starred")
def list_starred(call: Call, username: str) -> Any:
    """List the repositories that a user starred."""
    return _list_starred(call, find_user(call, username).login)


@api.get("/user/starred/{owner}/{repo}", status=204)
def check_starred(call: Call, owner: str, repo: str) -> None:
    """Answer 204 if the caller starred a repository, else 404."""
    row = find_repo(call, owner, repo)
    if call.db.find(Star, Star.user == call.actor, Star.repository_id == row.id) is None:
        raise NotVisible


@api.put("/user/starred/{owner}/{repo}", status=204)
def star(call: Call, owner: str, repo: str) -> None:
    """Star a repository."""
    row = find_repo(call, owner, repo)
    if call.db.find(Star, Star.user == call.actor, Star.repository_id == row.id) is None:
        call.db.add(Star(user=call.actor, repository_id=row.id, starred_at=call.clock.iso()))
        announce(call, row, "star", {"action": "created", "starred_at": show_instant(call.clock.iso())})


@api.delete("/user/starred/{owner}/{repo}", status=204)
def unstar(call: Call, owner: str, repo: str) -> None:
    """Remove the caller's star."""
    row = find_repo(call, owner, repo)
    known = call.db.find(Star, Star.user == call.actor, Star.repository_id == row.id)
    if known:
        call.db.remove(known)


@api.get("/repos/{owner}/{repo}/stargazers")
def list_stargazers(call: Call, owner: str, repo: str) -> Any:
    """List the users who starred a repository."""
    row = find_repo(call, owner, repo)
    with_time = "star" in str(call.memo.get("accept"))

    def show(each: Star) -> Any:
        user = user_of(call, each.user)
        return {"starred_at": show_instant(each.starred_at), "user": user} if with_time else user

    return paginate(call, Star, Star.repository_id == row.id, by=Star.starred_at, show=show)


def _list_watched(call: Call, login: str) -> Any:
    where = exists(Subscription, Subscription.repository_id == Repository.id, Subscription.user == login)
    return paginate(
        call, Repository, where, visible_to_caller(call), by=Repository.id, show=lambda repo: show_repo(call, repo)
    )


@api.get("/user/subscriptions")
def list_own_subscriptions(call: Call) -> Any:
    """List the repositories that the caller watches."""
    return _list_watched(call, call.actor)


@api.get("/users/{username}/subscriptions")
def list_subscriptions(call: Call, username: str) -> Any:
    """List the repositories that a user watches."""
    return _list_watched(call, find_user(call, username).login)


def _find_subscription(call: Call, repo: Repository) -> Subscription | None:
    return call.db.find(Subscription, Subscription.user == call.actor, Subscription.repository_id == repo.id)


def _show_subscription(call: Call, repo: Repository, row: Subscription) -> dict[str, Any]:
    url = repo_url(call, repo)
    flags = {"subscribed": row.subscribed, "ignored": row.ignored, "reason": None}
    return {**flags, "created_at": show_instant(row.created_at), "url": f"{url}/subscription", "repository_url": url}


@api.get("/repos/{owner}/{repo}/subscription")
def get_subscription(call: Call, owner: str, repo: str) -> Any:
    """Get whether the caller watches a repository."""
    row = find_repo(call, owner, repo)
    known = _find_subscription(call, row)
    if known is None:
        raise NotVisible
    return _show_subscription(call, row, known)


@api.put("/repos/{owner}/{repo}/subscription")
def set_subscription(call: Call, owner: str, repo: str, subscribed: bool = False, ignored: bool = False) -> Any:
    """Watch or ignore a repository."""
    row = find_repo(call, owner, repo)
    known = _find_subscription(call, row)
    flags = {"subscribed": subscribed and not ignored, "ignored": ignored}
    if known:
        known = call.db.change(known, **flags)
    else:
        created = call.clock.iso()
        known = call.db.add(Subscription(user=call.actor, repository_id=row.id, created_at=created, **flags))
    return _show_subscription(call, row, known)


@api.delete("/repos/{owner}/{repo}/subscription", status=204)
def delete_subscription(call: Call, owner: str, repo: str) -> None:
    """Watch a repository no more."""
    known = _find_subscription(call, find_repo(call, owner, repo))
    if known:
        call.db.remove(known)


def show_event(call: Call, event: ActivityEvent) -> dict[str, Any]:
    """Render an entry of a feed."""
    repo = call.db.get(Repository, event.repository_id)
    actor = call.db.find(User, User.login == event.actor)
    shown: dict[str, Any] = {
        "id": str(event.id),
        "type": event.type,
        "actor": {
            "id": actor.id if actor else 0,
            "login": event.actor,
            "display_login": event.actor,
            "gravatar_id": "",
            "url": f"{call.base_url}/users/{event.actor}",
            "avatar_url": f"https://avatars.githubusercontent.com/u/{actor.id if actor else 0}?",
        },
        "repo": {"id": repo.id, "name": repo.full_name, "url": repo_url(call, repo)},
        "payload": event.payload,
        "public": not repo.private,
        "created_at": show_instant(event.created_at),
    }
    org = call.db.find(User, User.login == event.org) if event.org else None
    if org:
        about = {"id": org.id, "login": org.login, "gravatar_id": "", "url": f"{call.base_url}/orgs/{org.login}"}
        shown["org"] = {**about, "avatar_url": f"https://avatars.githubusercontent.com/u/{org.id}?"}
    return shown


def _list_events(call: Call, *where: Expression, only_public: bool = False) -> Any:
    kinds: list[Expression] = [~Repository.private] if only_public else [visible_to_caller(call)]
    visible = exists(Repository, Repository.id == ActivityEvent.repository_id, *kinds)
    return paginate(
        call, ActivityEvent, *where, visible, by=-ActivityEvent.id, show=lambda each: show_event(call, each)
    )


@api.get("/events")
def list_public_events(call: Call) -> Any:
    """List public events, newest first."""
    return _list_events(call, only_public=True)


@api.get("/repos/{owner}/{repo}/events")
def list_repository_events(call: Call, owner: str, repo: str) -> Any:
    """List the events of a repository."""
    return _list_events(call, ActivityEvent.repository_id == find_repo(call, owner, repo).id)


@api.get("/networks/{owner}/{repo}/events")
def list_network_events(call: Call, owner: str, repo: str) -> Any:
    """List the public events of a repository and its forks."""
    network = find_repo(call, owner, repo).network_id
    same = exists(Repository, Repository.id == ActivityEvent.repository_id, Repository.network_id == network)
    return _list_events(call, same, only_public=True)


@api.get("/orgs/{org}/events")
def list_org_events(call: Call, org: str) -> Any:
    """List the public events of an organization."""
    return _list_events(call, ActivityEvent.org == find_org(call, org).login, only_public=True)


def _declare_feeds() -> None:
    """Declare the feeds of a user, which differ in who acts and in what is public."""

    def list_user_events(call: Call, username: str) -> Any:
        """List the events of a user."""
        return _list_events(call, ActivityEvent.actor == find_user(call, username).login)

    def list_user_public_events(call: Call, username: str) -> Any:
        """List the public events of a user."""
        return _list_events(call, ActivityEvent.actor == find_user(call, username).login, only_public=True)

    def list_received_events(call: Call, username: str) -> Any:
        """List the events of the repositories that a user watches."""
        login = find_user(call, username).login
        watched = (Subscription.repository_id == ActivityEvent.repository_id, Subscription.user == login)
        return _list_events(call, exists(Subscription, *watched), ActivityEvent.actor != login)

    api.get("/users/{username}/events")(list_user_events)
    api.get("/users/{username}/events/public")(list_user_public_events)
    api.get("/users/{username}/received_events")(list_received_events)
    api.get("/users/{username}/received_events/public")(list_received_events)


_declare_feeds()


@api.get("/users/{username}/events/orgs/{org}")
def list_org_events_of_user(call: Call, username: str, org: str) -> Any:
    """List the events of an organization as a member sees them."""
    find_user(call, username)
    return _list_events(call, ActivityEvent.org == find_org(call, org).login)
