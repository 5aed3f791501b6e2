"""Commits and tags: git's objects and the rows that queries read."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dulwich.errors import ObjectFormatException
from dulwich.objects import Commit as GitCommit
from msgspec.structs import replace

from twindiff.kit import Call, Struct

from ..core.stamps import read_instant, stamp_of, unix_of
from ..tables.repository_tables import Commit, Repository
from ..tables.user_tables import User, UserEmail
from ..wire_style import Unprocessable
from .diffs import FileChange, compare_trees
from .histories import get_commit
from .objects import EMPTY_TREE, ObjectStore, store_of

MAX_PATCH_LETTERS = 4000
MAX_LISTED_CHANGES = 100
NOREPLY = "users.noreply.github.com"
_NOREPLY_LOGIN = re.compile(rf"(?:\d+\+)?([\w.-]+)@{re.escape(NOREPLY)}", re.IGNORECASE)


class SignatureBody(Struct):
    """An author, committer or tagger of a request."""

    name: str
    email: str
    date: str | None = None


class Signature(NamedTuple):
    """A person and a time in a commit or a tag: `stamp` is an instant as rows hold it."""

    name: str
    email: str
    stamp: str

    def encode(self) -> str:
        """Return the person as git writes it."""
        clean = [re.sub(r"[<>\n\0]", "", text).strip() for text in (self.name, self.email)]
        return f"{clean[0]} <{clean[1]}> {unix_of(self.stamp)} +0000"


def email_of(user: User) -> str:
    """Return the address that the user's commits have."""
    return user.email or f"{user.id}+{user.login}@{NOREPLY}"


def signature_of(call: Call, given: SignatureBody | None, default: Signature | None = None) -> Signature:
    """Return the person of a request; by default the caller, now."""
    now = call.clock.iso()[:19]
    if given is None:
        if default:
            return default
        user = call.db.find(User, User.login == call.actor)
        return Signature(user.name or user.login, email_of(user), now) if user else Signature("GitHub", NOREPLY, now)
    stamp = read_instant(given.date, "Commit", "date")[:19] if given.date else now
    return Signature(given.name, given.email, stamp)


def login_of_email(call: Call, email: str) -> str | None:
    """Return the login of the user with an address, or None."""
    known: dict[str, str | None] = call.memo.setdefault("logins_by_email", {})
    if email not in known:
        known[email] = _find_login(call, email)
    return known[email]


def _find_login(call: Call, email: str) -> str | None:
    noreply = _NOREPLY_LOGIN.fullmatch(email)
    user = call.db.find(User, User.login == noreply[1]) if noreply else call.db.find(User, User.email == email)
    if user or noreply or not email:
        return user.login if user else None
    other = call.db.find(UserEmail, UserEmail.email == email)
    return other.user if other else None


def write_commit(
    call: Call,
    repo: Repository,
    tree: str,
    parents: list[str],
    message: str,
    author: Signature,
    committer: Signature | None = None,
) -> Commit:
    """Store a commit and return its row."""
    lines = [f"tree {tree}", *(f"parent {sha}" for sha in parents)]
    lines += [f"author {author.encode()}", f"committer {(committer or author).encode()}"]
    data = ("\n".join(lines) + "\n\n" + message).encode("utf-8", "replace")
    sha = store_of(call, repo).add("commit", data)
    return record_commit(call, repo, sha, data)


def record_commit(call: Call, repo: Repository, sha: str, data: bytes, *, with_changes: bool = True) -> Commit:
    """Add the row of a stored commit object unless it is there; raise Unprocessable for a malformed object."""
    known = get_commit(call, repo.network_id, sha)
    if known:
        return known
    row = parse_commit(call, repo, sha, data)
    store = store_of(call, repo)
    if with_changes and not call.memo.get("skip_changes"):
        parent = get_commit(call, repo.network_id, row.parents[0]) if row.parents else None
        changes = compare_trees(store, parent.tree_sha if parent else EMPTY_TREE, row.tree_sha)
        row = replace(row, changes=[summarize_change(each) for each in changes[:MAX_LISTED_CHANGES]])
    return call.db.add(row)


def summarize_change(change: FileChange) -> dict[str, Any]:
    """Return what a commit's row says of one file."""
    shown: dict[str, Any] = {
        "filename": change.path,
        "status": change.status,
        "additions": change.patch.additions,
        "deletions": change.patch.deletions,
        "patch": (change.patch.text or "")[:MAX_PATCH_LETTERS],
    }
    return {**shown, "previous_filename": change.previous} if change.previous else shown


def parse_commit(call: Call, repo: Repository, sha: str, data: bytes) -> Commit:
    """Return the row of a commit object; raise Unprocessable for a malformed one."""
    try:
        parsed = GitCommit.from_string(data)
        parsed.check()
        author, author_email = _split_person(parsed.author)
        committer, committer_email = _split_person(parsed.committer)
        return Commit(
            network_id=repo.network_id,
            sha=sha,
            repository_id=repo.id,
            tree_sha=parsed.tree.decode(),
            parents=[parent.decode() for parent in parsed.parents],
            message=parsed.message.decode("utf-8", "replace"),
            author_name=author,
            author_email=author_email,
            author_date=stamp_of(int(parsed.author_time)),
            committer_name=committer,
            committer_email=committer_email,
            committed_at=stamp_of(int(parsed.commit_time)),
            author=login_of_email(call, author_email),
            committer=login_of_email(call, committer_email) or ("web-flow" if committer == "GitHub" else None),
        )
    except (ObjectFormatException, ValueError, AttributeError, TypeError):
        raise Unprocessable("The commit object is malformed") from None


def _split_person(person: bytes) -> tuple[str, str]:
    name, _, rest = person.decode("utf-8", "replace").partition("<")
    return name.strip(), rest.partition(">")[0].strip()


def write_tag(store: ObjectStore, name: str, message: str, target: str, kind: str, tagger: Signature) -> str:
    """Store an annotated tag and return its SHA-1."""
    head = f"object {target}\ntype {kind}\ntag {name}\ntagger {tagger.encode()}\n\n"
    return store.add("tag", (head + message).encode("utf-8", "replace"))


class TagObject(NamedTuple):
    """An annotated tag."""

    name: str
    message: str
    target: str
    type: str
    tagger: Signature


def read_tag(store: ObjectStore, sha: str) -> TagObject:
    """Return an annotated tag; raise NotVisible if there is none."""
    head, _, message = store.read(sha, "tag").decode("utf-8", "replace").partition("\n\n")
    lines = [line.partition(" ") for line in head.splitlines()]
    fields: dict[str, str] = {name: value for name, _, value in lines}
    person, _, when = fields.get("tagger", "").partition("> ")
    name, _, email = person.partition(" <")
    seconds = when.partition(" ")[0]
    stamp = stamp_of(int(seconds) if seconds.lstrip("-").isdecimal() else 0)
    return TagObject(fields.get("tag", ""), message, fields["object"], fields["type"], Signature(name, email, stamp))
