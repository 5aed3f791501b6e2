"""Users: profiles, followers, blocks, emails and keys.

https://docs.github.com/en/rest/users
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType, revise
from twindiff.kit.rows import exists

from ..core.access import acting_user, find_user
from ..core.listing import paginate, slice_page
from ..core.stamps import new_id, show_instant
from ..core.text_lengths import check_lengths
from ..tables.user_tables import Block, Following, Membership, User, UserEmail, UserKey
from ..views.user_views import show_full_org, show_full_user, show_org, show_user
from ..wire_style import NotVisible, Unprocessable, invalid

api = Operations()


@api.get("/user")
def get_own_user(call: Call) -> Any:
    """Get the caller with private details."""
    return show_full_user(call, acting_user(call), private=True)


@api.patch("/user")
def update_own_user(
    call: Call,
    name: str | UnsetType | None = UNSET,
    email: str | UnsetType = UNSET,
    blog: str | UnsetType | None = UNSET,
    twitter_username: str | UnsetType | None = UNSET,
    company: str | UnsetType | None = UNSET,
    location: str | UnsetType | None = UNSET,
    hireable: bool | UnsetType | None = UNSET,
    bio: str | UnsetType | None = UNSET,
) -> Any:
    """Change the caller's profile."""
    check_lengths("User", name=name, company=company, location=location, bio=bio)
    given: dict[str, Any] = {"name": name, "email": email, "blog": blog, "twitter_username": twitter_username}
    more: dict[str, Any] = {"company": company, "location": location, "hireable": hireable, "bio": bio}
    row = revise(call.db, acting_user(call), stamp={"updated_at": call.clock.iso()}, **given, **more)
    return show_full_user(call, row, private=True)


@api.get("/users/{username}")
def get_user(call: Call, username: str) -> Any:
    """Get a user or an organization."""
    user = find_user(call, username)
    shown = show_full_user(call, user)
    if user.type != "Organization":
        return shown
    org = show_full_org(call, user)
    return shown | {name: org[name] for name in ("description",) if name in org}


@api.get("/user/{account_id}")
def get_user_by_id(call: Call, account_id: int) -> Any:
    """Get a user by id."""
    user = call.db.find(User, User.id == account_id)
    if user is None:
        raise NotVisible
    return show_full_user(call, user)


@api.get("/users")
def list_users(call: Call, since: int = 0, per_page: int = 30) -> Any:
    """List all users in the order in which they joined."""
    rows = call.db.rows(User, User.id > since, order=User.id, limit=min(max(per_page, 1), 100))
    return [show_user(call, row) for row in rows]


@api.get("/users/{username}/hovercard")
def get_hovercard(call: Call, username: str) -> Any:
    """Get what is shown when one points at a user: the organizations."""
    user = find_user(call, username)
    orgs = [each.org for each in call.db.rows(Membership, Membership.user == user.login)]
    contexts = [{"message": f"Member of {', '.join(orgs)}", "octicon": "organization"}] if orgs else []
    return {"contexts": contexts}


def _list_follows(call: Call, login: str, *, followers: bool) -> Any:
    mine, other = (Following.target, Following.user) if followers else (Following.user, Following.target)
    where = exists(Following, other == User.login, mine == login)
    return paginate(call, User, where, by=User.id, show=lambda user: show_user(call, user))


@api.get("/users/{username}/followers")
def list_followers(call: Call, username: str) -> Any:
    """List those who follow a user."""
    return _list_follows(call, find_user(call, username).login, followers=True)


@api.get("/users/{username}/following")
def list_following(call: Call, username: str) -> Any:
    """List those whom a user follows."""
    return _list_follows(call, find_user(call, username).login, followers=False)


@api.get("/user/followers")
def list_own_followers(call: Call) -> Any:
    """List those who follow the caller."""
    return _list_follows(call, call.actor, followers=True)


@api.get("/user/following")
def list_own_following(call: Call) -> Any:
    """List those whom the caller follows."""
    return _list_follows(call, call.actor, followers=False)


def _check_follows(call: Call, login: str, target: str) -> None:
    user = find_user(call, target)
    if call.db.find(Following, Following.user == login, Following.target == user.login) is None:
        raise NotVisible


@api.get("/user/following/{username}", status=204)
def check_own_following(call: Call, username: str) -> None:
    """Answer 204 if the caller follows a user, else 404."""
    _check_follows(call, call.actor, username)


@api.get("/users/{username}/following/{target_user}", status=204)
def check_following(call: Call, username: str, target_user: str) -> None:
    """Answer 204 if one user follows another, else 404."""
    _check_follows(call, find_user(call, username).login, target_user)


@api.put("/user/following/{username}", status=204)
def follow(call: Call, username: str) -> None:
    """Follow a user."""
    target = find_user(call, username).login
    if target == call.actor:
        raise Unprocessable("You cannot follow yourself.")
    if call.db.find(Following, Following.user == call.actor, Following.target == target) is None:
        call.db.add(Following(user=call.actor, target=target))


@api.delete("/user/following/{username}", status=204)
def unfollow(call: Call, username: str) -> None:
    """Follow a user no more."""
    target = find_user(call, username).login
    known = call.db.find(Following, Following.user == call.actor, Following.target == target)
    if known:
        call.db.remove(known)


@api.get("/user/blocks")
def list_blocks(call: Call) -> Any:
    """List the users whom the caller blocks."""
    where = exists(Block, Block.user == User.login, Block.owner == call.actor)
    return paginate(call, User, where, by=User.login, show=lambda user: show_user(call, user))


def find_block(call: Call, owner: str, username: str) -> Block | None:
    """Return the row by which an account blocks a user, or None."""
    return call.db.find(Block, Block.owner == owner, Block.user == find_user(call, username).login)


def block(call: Call, owner: str, username: str) -> None:
    """Let an account block a user; raise GitHub's 422 if it does so already."""
    if find_block(call, owner, username):
        raise Unprocessable("Validation Failed", errors=["Blocked user has already been blocked"])
    call.db.add(Block(owner=owner, user=find_user(call, username).login))


def unblock(call: Call, owner: str, username: str) -> None:
    """Let an account block a user no more."""
    known = find_block(call, owner, username)
    if known:
        call.db.remove(known)


@api.get("/user/blocks/{username}", status=204)
def check_blocked(call: Call, username: str) -> None:
    """Answer 204 if the caller blocks a user, else 404."""
    if find_block(call, call.actor, username) is None:
        raise NotVisible("Not Found")


@api.put("/user/blocks/{username}", status=204)
def block_user(call: Call, username: str) -> None:
    """Block a user."""
    block(call, call.actor, username)


@api.delete("/user/blocks/{username}", status=204)
def unblock_user(call: Call, username: str) -> None:
    """Unblock a user."""
    unblock(call, call.actor, username)


def _show_email(email: UserEmail) -> dict[str, Any]:
    flags = {"primary": email.primary, "verified": email.verified}
    return {"email": email.email, **flags, "visibility": email.visibility}


@api.get("/user/emails")
def list_emails(call: Call) -> Any:
    """List the caller's addresses, the primary one first."""
    me = acting_user(call)
    rows = call.db.rows(UserEmail, UserEmail.user == me.login)
    shown = [_show_email(row) for row in rows]
    if me.email and me.email not in [row.email for row in rows]:
        shown.insert(0, {"email": me.email, "primary": True, "verified": True, "visibility": "public"})
    return slice_page(call, shown)


@api.get("/user/public_emails")
def list_public_emails(call: Call) -> Any:
    """List the caller's public addresses."""
    me = acting_user(call)
    return [{"email": me.email, "primary": True, "verified": True, "visibility": "public"}] if me.email else []


def _emails_in(body: Any) -> list[str]:
    given: Any = cast(dict[str, Any], body).get("emails", []) if isinstance(body, dict) else body
    return [str(each) for each in (cast(list[Any], given) if isinstance(given, list) else [given])]


@api.post("/user/emails", status=201)
def add_emails(call: Call, body: Annotated[Any, Body]) -> Any:
    """Add addresses of the caller; each waits to be verified."""
    added: list[UserEmail] = []
    for email in _emails_in(body):
        if call.db.find(UserEmail, UserEmail.email == email) or "@" not in email:
            raise invalid("UserEmail", "email", "already_exists" if "@" in email else "invalid")
        added.append(call.db.add(UserEmail(user=call.actor, email=email, verified=False)))
    return list_emails(call).value if added else []


@api.delete("/user/emails", status=204)
def delete_emails(call: Call, body: Annotated[Any, Body]) -> None:
    """Delete addresses of the caller."""
    for email in _emails_in(body):
        known = call.db.find(UserEmail, UserEmail.user == call.actor, UserEmail.email == email)
        if known is None:
            raise NotVisible
        call.db.remove(known)


def show_key(call: Call, key: UserKey) -> dict[str, Any]:
    """Render a key of a user."""
    created = show_instant(key.created_at)
    if key.kind == "gpg":
        return _show_gpg_key(key, created)
    kind = "ssh_signing_keys" if key.kind == "signing" else "keys"
    shown = {"id": key.id, "key": key.key, "title": key.title or "", "created_at": created}
    if kind == "keys":
        shown |= {"url": f"{call.base_url}/user/keys/{key.id}", "verified": True, "read_only": False, "last_used": None}
    return shown


def _show_gpg_key(key: UserKey, created: str | None) -> dict[str, Any]:
    flags = {"can_sign": True, "can_encrypt_comms": False, "can_encrypt_storage": False, "can_certify": True}
    named = {"id": key.id, "name": key.title, "primary_key_id": None, "key_id": f"{key.id:016X}"}
    lists: dict[str, Any] = {"public_key": key.key, "emails": [], "subkeys": []}
    return {**named, **lists, **flags, "created_at": created, "expires_at": None, "revoked": False, "raw_key": key.key}


KEY_KINDS = {"keys": ("ssh", "key"), "gpg_keys": ("gpg", "armored_public_key"), "ssh_signing_keys": ("signing", "key")}
"""Kinds of keys by the part of the path, each with the field that holds the key."""


def _kind_of(call: Call) -> tuple[str, str]:
    """Return the kind of keys that a request is about, and the field of its body."""
    parts = str(call.memo["path"]).strip("/").split("/")
    return next(KEY_KINDS[part] for part in parts if part in KEY_KINDS)


def list_keys(call: Call) -> Any:
    """List the caller's keys."""
    where = (UserKey.user == call.actor, UserKey.kind == _kind_of(call)[0])
    return paginate(call, UserKey, *where, by=UserKey.id, show=lambda key: show_key(call, key))


def list_user_keys(call: Call, username: str) -> Any:
    """List the keys of a user."""
    where = (UserKey.user == find_user(call, username).login, UserKey.kind == _kind_of(call)[0])
    return paginate(call, UserKey, *where, by=UserKey.id, show=lambda key: show_key(call, key))


def _find_key(call: Call, key_id: int) -> UserKey:
    kind, _ = _kind_of(call)
    key = call.db.find(UserKey, UserKey.id == key_id, UserKey.user == call.actor, UserKey.kind == kind)
    if key is None:
        raise NotVisible
    return key


def get_key(call: Call, key_id: int) -> Any:
    """Get one of the caller's keys."""
    return show_key(call, _find_key(call, key_id))


def add_key(call: Call, body: Annotated[dict[str, Any], Body]) -> Any:
    """Add a key of the caller."""
    kind, text_field = _kind_of(call)
    text = str(body.get(text_field) or "")
    if not text.strip():
        raise invalid("PublicKey", "key", "missing_field")
    if call.db.find(UserKey, UserKey.key == text):
        raise invalid("PublicKey", "key", "custom", "key is already in use")
    title = str(body.get("title") or body.get("name") or "") or None
    fields: dict[str, Any] = {"user": call.actor, "kind": kind, "title": title, "created_at": call.clock.iso()}
    return show_key(call, call.db.add(UserKey(id=new_id(call), key=text, **fields)))


def delete_key(call: Call, key_id: int) -> None:
    """Delete one of the caller's keys."""
    call.db.remove(_find_key(call, key_id))


def _declare_keys(path: str) -> None:
    """Declare the operations on one kind of keys."""
    api.get(f"/user/{path}")(list_keys)
    api.get(f"/users/{{username}}/{path}")(list_user_keys)
    api.get(f"/user/{path}/{{key_id}}")(get_key)
    api.post(f"/user/{path}", status=201)(add_key)
    api.delete(f"/user/{path}/{{key_id}}", status=204)(delete_key)


for _path in KEY_KINDS:
    _declare_keys(_path)


@api.get("/users/{username}/orgs")
def list_user_orgs(call: Call, username: str) -> Any:
    """List the organizations of a user: the caller's own, else those whose membership is public."""
    user = find_user(call, username)
    where: list[Any] = [Membership.org == User.login, Membership.user == user.login, Membership.state == "active"]
    if user.login != call.actor:
        where.append(Membership.is_public.is_true)
    return paginate(call, User, exists(Membership, *where), by=User.id, show=lambda org: show_org(call, org))


@api.get("/user/orgs")
def list_own_orgs(call: Call) -> Any:
    """List the caller's organizations."""
    where = exists(
        Membership, Membership.org == User.login, Membership.user == call.actor, Membership.state == "active"
    )
    return paginate(call, User, where, by=User.id, show=lambda org: show_org(call, org))


@api.get("/organizations")
def list_organizations(call: Call, since: int = 0) -> Any:
    """List all organizations in the order in which they were made."""
    rows = call.db.rows(User, User.type == "Organization", User.id > since, order=User.id, limit=100)
    return [show_org(call, row) for row in rows]
