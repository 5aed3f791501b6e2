"""Git over HTTP: `git clone`, `fetch` and `push` at `{address}/{owner}/{repo}.git`.

A push is one operation: its objects, its references and all that follows are in one record of the journal.
https://git-scm.com/docs/gitprotocol-http
https://git-scm.com/docs/gitprotocol-v2
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from twindiff.kit import Body, Call, Header, Operations, Response
from twindiff.kit.errors import ApiError, TooSlow

from ..core.access import find_repo, may
from ..core.permissions import Requirement
from ..core.token_grants import check_token
from ..git.histories import is_ancestor
from ..git.objects import ObjectStore, store_of
from ..git.refs import HEADS, find_conflict, find_ref, is_valid_ref, list_refs, peel
from ..pushes.ref_updates import ZERO, move_ref
from ..tables.repository_tables import Repository
from ..wire_style import BadRequest, Forbidden, NotVisible
from .packs import FetchPlan, FetchRequest, build_pack, plan_fetch, read_pack, store_objects
from .pkt_lines import DELIMITER, FLUSH, MalformedPackets, join_packets, packet, read_packets, side_band

api = Operations()
MAX_PUSH_BYTES, MAX_REQUEST_BYTES = 200_000_000, 20_000_000
MAX_DEPTH_DIGITS = 10
AGENT = "agent=twindiff"
_FETCH = f"side-band-64k ofs-delta shallow deepen-relative no-progress include-tag {AGENT}"
_RECEIVE = f"report-status delete-refs side-band-64k quiet atomic ofs-delta no-thin {AGENT}"
FETCH = Requirement("contents", "read", "pull", "", ("repo",))
PUSH = FETCH._replace(access="write")
_NO_CACHE = (("Cache-Control", "no-cache"),)


def find_git_repo(call: Call, owner: str, repo: str, *, writes: bool = False) -> Repository:
    """Return the repository of an address with or without `.git`; raise NotVisible or Forbidden."""
    row = find_repo(call, owner, repo.removesuffix(".git"))
    check_token(call, PUSH if writes else FETCH, row)
    if writes and not may(call, row, "push"):
        raise Forbidden(f"Permission to {row.full_name}.git denied to {call.actor}.")
    if writes and row.archived:
        raise Forbidden("This repository was archived so it is read-only.")
    return row


@api.get("/{owner}/{repo}/info/refs")
def advertise_refs(
    call: Call, owner: str, repo: str, service: str = "", git_protocol: Annotated[str, Header("Git-Protocol")] = ""
) -> Response:
    """List the references to a client that fetches or pushes, or with version 2 the capabilities."""
    if service not in ("git-upload-pack", "git-receive-pack"):
        raise BadRequest("Please upgrade your git client.")
    row = find_git_repo(call, owner, repo, writes=service == "git-receive-pack")
    body = packet(f"# service={service}\n") + FLUSH
    if service == "git-upload-pack" and "version=2" in git_protocol:
        capabilities = ["version 2", AGENT, "ls-refs=unborn", "fetch=shallow", "object-format=sha1"]
        body += join_packets(f"{each}\n" for each in capabilities) + FLUSH
    else:
        body += _list_for_old(call, row, _FETCH if service == "git-upload-pack" else _RECEIVE)
    return Response(body, 200, f"application/x-{service}-advertisement", _NO_CACHE)


def _list_for_old(call: Call, repo: Repository, capabilities: str) -> bytes:
    """Return the references as versions 0 and 1 list them, HEAD first."""
    refs = [(ref.ref, ref.sha) for ref in list_refs(call, repo)]
    head = find_ref(call, repo, HEADS + repo.default_branch)
    if head:
        refs.insert(0, ("HEAD", head.sha))
        capabilities += f" symref=HEAD:{head.ref}"
    capabilities += " object-format=sha1"
    if not refs:
        return packet(f"{ZERO} capabilities^{{}}\0{capabilities}\n") + FLUSH
    lines = [f"{sha} {name}" for name, sha in refs]
    lines[0] += f"\0{capabilities}"
    return join_packets(f"{line}\n" for line in lines) + FLUSH


def inflate(body: bytes, encoding: str) -> bytes:
    """Return a body that git has compressed; raise BadRequest for a malformed or a huge one."""
    if encoding.strip().lower() not in ("gzip", "x-gzip"):
        return body
    try:
        inflater = zlib.decompressobj(wbits=31)
        data = inflater.decompress(body, MAX_REQUEST_BYTES)
    except zlib.error:
        raise BadRequest("The body is not valid gzip") from None
    if inflater.unconsumed_tail:
        raise BadRequest("The body is too large")
    return data


def read_fetch(lines: list[str]) -> FetchRequest:
    """Read the lines of a fetch of any version."""
    wants: list[str] = []
    haves: list[str] = []
    shallow: set[str] = set()
    depth, options = 0, set[str]()
    for line in lines:
        name, _, value = line.partition(" ")
        if name == "want":
            sha, _, more = value.partition(" ")
            wants.append(sha)
            options.update(more.split())
        elif name == "have":
            haves.append(value)
        elif name == "shallow":
            shallow.add(value)
        elif name == "deepen" and value.isdecimal():
            depth = min(int(value[:MAX_DEPTH_DIGITS]), 2**31)
        else:
            options.add(name)
    return FetchRequest(wants, haves, frozenset(shallow), depth, "done" in options, frozenset(options))


@api.post("/{owner}/{repo}/git-upload-pack", reads=True, body_limit=MAX_REQUEST_BYTES, in_thread=True)
def upload_pack(
    call: Call,
    owner: str,
    repo: str,
    body: Annotated[bytes, Body],
    git_protocol: Annotated[str, Header("Git-Protocol")] = "",
    content_encoding: Annotated[str, Header("Content-Encoding")] = "",
) -> Response:
    """Answer a fetch: list references, agree on what is common, and send a pack."""
    row = find_git_repo(call, owner, repo)
    try:
        packets = [each for each, _ in read_packets(inflate(body, content_encoding))]
    except MalformedPackets:
        raise BadRequest("The body is not made of packet lines") from None
    lines = [each.decode("utf-8", "replace").rstrip("\n") for each in packets if each is not None]
    if "version=2" not in git_protocol:
        answer = _fetch_old(call, row, read_fetch(lines))
    elif lines[:1] == ["command=ls-refs"]:
        answer = _list_refs(call, row, lines)
    elif lines[:1] == ["command=fetch"]:
        answer = _fetch(call, row, read_fetch(lines))
    else:
        raise BadRequest("The command is not known")
    return Response(answer, 200, "application/x-git-upload-pack-result", _NO_CACHE)


def _list_refs(call: Call, repo: Repository, lines: list[str]) -> bytes:
    """Return the references that begin as the client asks, with what tags name and where HEAD points."""
    prefixes = tuple(line.removeprefix("ref-prefix ") for line in lines if line.startswith("ref-prefix "))
    store, head = store_of(call, repo), find_ref(call, repo, HEADS + repo.default_branch)
    listed: list[str] = []
    if not prefixes or "HEAD".startswith(prefixes):
        symref = f"symref-target:{HEADS}{repo.default_branch}" if "symrefs" in lines else ""
        if head or "unborn" in lines:
            listed.append(f"{head.sha if head else 'unborn'} HEAD {symref}".rstrip())
    for ref in list_refs(call, repo):
        if prefixes and not ref.ref.startswith(prefixes):
            continue
        peeled = peel(store, ref.sha) if "peel" in lines else ref.sha
        listed.append(f"{ref.sha} {ref.ref}" + (f" peeled:{peeled}" if peeled != ref.sha else ""))
    return join_packets(f"{line}\n" for line in listed) + FLUSH


def _check_wants(call: Call, repo: Repository, wants: list[str]) -> None:
    store = store_of(call, repo)
    for want in wants:
        if not store.has(want):
            raise NotVisible(f"upload-pack: not our ref {want}")


def _common(store: ObjectStore, haves: list[str]) -> list[str]:
    return [sha for sha in haves if store.type_of(sha) == "commit"]


def _fetch(call: Call, repo: Repository, request: FetchRequest) -> bytes:
    """Return the sections of version 2: acknowledgments until the client is done, then shallow ends and the pack."""
    _check_wants(call, repo, request.wants)
    store = store_of(call, repo)
    common, out = _common(store, request.haves), b""
    if not request.done:
        lines = ["acknowledgments", *(f"ACK {sha}" for sha in common), *(["ready"] if common else ["NAK"])]
        out = join_packets(f"{line}\n" for line in lines)
        if not common:
            return out + FLUSH
        out += DELIMITER
    plan = plan_fetch(call, repo, request, common)
    if request.depth:
        out += packet("shallow-info\n") + _show_ends(plan) + DELIMITER
    pack = build_pack(store, plan.shas)
    return out + packet("packfile\n") + b"".join(side_band(pack)) + FLUSH


def _show_ends(plan: FetchPlan) -> bytes:
    """Return the lines that say where the client's history ends now, and where it no longer does."""
    lines = [*(f"shallow {sha}\n" for sha in plan.shallow), *(f"unshallow {sha}\n" for sha in plan.unshallow)]
    return join_packets(lines)


def _fetch_old(call: Call, repo: Repository, request: FetchRequest) -> bytes:
    """Return the answer of versions 0 and 1."""
    if not request.wants:
        return b""
    _check_wants(call, repo, request.wants)
    store = store_of(call, repo)
    common = _common(store, request.haves)
    plan = plan_fetch(call, repo, request, common)
    out = _show_ends(plan) + FLUSH if request.depth else b""
    if request.depth and not request.haves and not request.done:
        return out  # the client says in another request what it has
    out += packet(f"ACK {common[0]}\n" if common else "NAK\n")
    if not request.done:
        return out
    pack = build_pack(store, plan.shas)
    return out + (b"".join(side_band(pack)) + FLUSH if "side-band-64k" in request.options else pack)


class RefCommand(NamedTuple):
    """A reference that a push makes, moves or deletes."""

    old: str
    new: str
    ref: str


@api.post("/{owner}/{repo}/git-receive-pack", body_limit=MAX_PUSH_BYTES, in_thread=True)
def receive_pack(
    call: Call,
    owner: str,
    repo: str,
    body: Annotated[bytes, Body],
    content_encoding: Annotated[str, Header("Content-Encoding")] = "",
) -> Response:
    """Take a push: store its objects, then move each reference that may move, and report on each."""
    row = find_git_repo(call, owner, repo, writes=True)
    try:
        commands, options, start = read_commands(inflate(body, content_encoding))
    except (MalformedPackets, ValueError):
        raise BadRequest("The body is not made of packet lines") from None
    report = b""
    if commands:
        lines = _take(call, row, commands, inflate(body, content_encoding)[start:])
        report = join_packets(f"{line}\n" for line in lines) + FLUSH
        if "side-band-64k" in options:
            report = b"".join(side_band(report)) + FLUSH
    return Response(report, 200, "application/x-git-receive-pack-result", _NO_CACHE)


def read_commands(body: bytes) -> tuple[list[RefCommand], frozenset[str], int]:
    """Return the commands of a push, its capabilities, and where its pack begins; raise ValueError."""
    commands: list[RefCommand] = []
    options: frozenset[str] = frozenset()
    for line, at in read_packets(body):
        if line is None:
            return commands, options, at
        text, _, capabilities = line.decode().rstrip("\n").partition("\0")
        options |= frozenset(capabilities.split())
        if text.startswith("shallow "):
            continue
        old, new, ref = text.split(" ", 2)
        commands.append(RefCommand(old, new, ref))
    return commands, options, len(body)


def _take(call: Call, repo: Repository, commands: list[RefCommand], pack: bytes) -> Iterator[str]:
    """Yield the lines of the report: whether the pack was read, and what became of each reference."""
    try:
        if pack:
            with call.db.savepoint():
                store_objects(call, repo, read_pack(store_of(call, repo), pack))
    except TooSlow:
        raise
    except ApiError as error:
        yield f"unpack {error}"
        yield from (f"ng {command.ref} unpacker error" for command in commands)
        return
    yield "unpack ok"
    for command in commands:
        try:
            with call.db.savepoint():
                repo = _move(call, repo, command)
            yield f"ok {command.ref}"
        except TooSlow:
            raise
        except ApiError as error:
            yield f"ng {command.ref} {error}"


def _move(call: Call, repo: Repository, command: RefCommand) -> Repository:
    """Move a reference as a push says; raise an error whose message git shows."""
    known, store = find_ref(call, repo, command.ref), store_of(call, repo)
    is_deleted = command.new == ZERO
    if not is_valid_ref(command.ref):
        raise BadRequest("funny refname")
    if command.ref.startswith("refs/pull/"):
        raise BadRequest("deny updating a hidden ref")
    if (known.sha if known else ZERO) != command.old:
        raise BadRequest("fetch first")
    if is_deleted and command.ref == HEADS + repo.default_branch:
        raise BadRequest("refusing to delete the current branch: " + command.ref)
    kind = None if is_deleted else store.type_of(command.new)
    if not is_deleted and (kind is None or (command.ref.startswith(HEADS) and kind != "commit")):
        raise BadRequest("missing necessary objects")
    is_forced = bool(known) and kind == "commit" and not is_ancestor(call, repo.network_id, command.old, command.new)
    if known is None and not is_deleted and find_conflict(call, repo, command.ref):
        raise BadRequest("failed to update ref")
    try:
        return move_ref(call, repo, command.ref, None if is_deleted else command.new, forced=is_forced)
    except TooSlow:
        raise
    except ApiError as error:
        raise BadRequest(f"protected branch hook declined: {error}") from None
