"""Packs, names and requests that git would not send: nothing is stored, nothing breaks, nothing grows without bound."""

from __future__ import annotations

import subprocess
import zlib
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from twindiff.twins.github.smart_http.pack_reader import MAX_UNPACKED_BYTES

from .conftest import CAT, Hub
from .test_git import QUIET, Checkout, live  # noqa: F401 - a fixture

WHO = b"Cat <octocat@example.com> 1700000000 +0000"
NONE, ABSENT = "0" * 40, "ab" * 20
KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
BLOB = b"x" * 1_000_000


def name(kind: str, data: bytes) -> str:
    return sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()


def number(value: int, first: int = 0, bits: int = 7) -> bytes:
    """A size as packs have it; `first` is what stands before it in its first byte, which has room for `bits`."""
    out, value, mark = [first | value & (1 << bits) - 1], value >> bits, 128
    while value:
        out[-1] |= mark
        out, value = [*out, value & 127], value >> 7
    return bytes(out)


def whole(kind: str, data: bytes) -> bytes:
    return number(len(data), KINDS[kind] << 4, 4) + zlib.compress(data)


def delta(base: str, size: int, changes: bytes, old: int = len(BLOB)) -> bytes:
    data = number(old) + number(size) + changes
    return number(len(data), 7 << 4, 4) + bytes.fromhex(base) + zlib.compress(data)


def pack(*objects: bytes, count: int | None = None) -> bytes:
    body = b"PACK\0\0\0\2" + (len(objects) if count is None else count).to_bytes(4, "big") + b"".join(objects)
    return body + sha1(body).digest()


def tree(*entries: tuple[bytes, bytes, str]) -> bytes:
    return b"".join(mode + b" " + each + b"\0" + bytes.fromhex(sha) for mode, each, sha in entries)


def commit(top: bytes) -> bytes:
    return b"tree %b\nauthor %b\ncommitter %b\n\nm\n" % (name("tree", top).encode(), WHO, WHO)


def history(*entries: tuple[bytes, bytes, str]) -> list[bytes]:
    """A file in a tree with other entries, and its commit, which comes last."""
    top = tree((b"100644", b"a", name("blob", b"hi")), *entries)
    return [whole("blob", b"hi"), whole("tree", top), whole("commit", commit(top))]


def nest(depth: int) -> list[bytes]:
    """Folders within each other, and their commit."""
    top, objects = tree((b"100644", b"a", name("blob", b"hi"))), [whole("blob", b"hi")]
    for _ in range(depth):
        objects.append(whole("tree", top))
        top = tree((b"40000", b"d", name("tree", top)))
    return [*objects, whole("tree", top), whole("commit", commit(top))]


def packet(line: str) -> bytes:
    return b"%04x%b" % (len(line.encode()) + 4, line.encode())


@pytest.fixture
def repo(hub: Hub) -> str:
    return hub.repo()


def push(hub: Hub, sent: bytes, new: str = ABSENT, ref: str = "refs/heads/x") -> str:
    """Push to the demo repository and return git's report."""
    body = packet(f"{NONE} {new} {ref}\0report-status") + b"0000" + sent
    answer = hub.http("POST", f"/{CAT}/demo.git/git-receive-pack", content=body)
    assert answer.status_code == 200, answer.text
    return answer.text


HI, HI_SHA = history(), name("commit", commit(tree((b"100644", b"a", name("blob", b"hi")))))
BOMB = delta(name("blob", BLOB), len(BLOB) * 200, (b"\xb0\x40\x42\x0f"[:1] + b"\x40\x42") * 10)
MALFORMED = {
    "a delta to an object that is nowhere": pack(*HI, delta(ABSENT, 3, b"\3abc")),
    "deltas to each other": pack(*HI, number(9, 6 << 4, 4) + b"\0" + zlib.compress(b"123456789")),
    "a delta to what is before the pack": pack(*HI, number(9, 6 << 4, 4) + b"\xff\x7f" + zlib.compress(b"123456789")),
    "a delta that is cut off": pack(whole("blob", BLOB), delta(name("blob", BLOB), 9, b"\x91"), *HI),
    "a delta of nothing": pack(whole("blob", BLOB), delta(name("blob", BLOB), 9, b"\0"), *HI),
    "more objects than it says": pack(*HI, count=2),
    "fewer objects than it says": pack(*HI, count=4_000_000_000),
    "an object larger than it says": pack(number(5, 3 << 4, 4) + zlib.compress(BLOB), *HI),
    "an object smaller than it says": pack(number(50, 3 << 4, 4) + zlib.compress(b"a"), *HI),
    "an unknown type": pack(number(1, 5 << 4, 4) + zlib.compress(b"a"), *HI),
    "another sum": pack(*HI)[:-1] + b"\0",
    "a header only": b"PACK",
    "no zlib": pack(number(1, 3 << 4, 4) + b"no zlib", *HI),
    "a size without end": pack(b"\xb0" + b"\xff" * 99),
}


@pytest.mark.parametrize("sent", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_pack_is_refused_as_a_whole(hub: Hub, repo: str, sent: bytes):
    assert "unpack index-pack failed" in push(hub, sent, HI_SHA)
    assert hub.http("GET", f"{repo}/git/ref/heads/x").status_code == 404


def test_a_pack_that_becomes_too_large_is_refused_before_it_does(hub: Hub, repo: str):
    assert "Large files detected" in push(hub, pack(whole("blob", BLOB), BOMB, *HI), HI_SHA)
    assert "Large files detected" in push(hub, pack(number(10**12, 3 << 4, 4) + zlib.compress(b""), *HI), HI_SHA)
    many = [number(10**8, 3 << 4, 4) + zlib.compress(b"")] * (MAX_UNPACKED_BYTES // 10**8 + 1)
    assert "unpack" in push(hub, pack(*many), HI_SHA)


TREES = {
    "hasDotgit": [b".git", b".GIT", b"git~1", ".g\u200cit".encode(), b"..", b"a/b", b".git ", b".git::$INDEX"],
    "not implemented: names": [b"\xff\xfe"],
}


@pytest.mark.parametrize(("said", "entry"), [(said, entry) for said, all_ in TREES.items() for entry in all_])
def test_a_name_that_could_leave_a_working_tree_is_refused(hub: Hub, repo: str, said: str, entry: bytes):
    assert said in push(hub, pack(*history((b"100644", entry, name("blob", b"hi")))))
    assert said in push(hub, pack(*history((b"40000", entry, name("tree", b"")))))


def test_links_and_submodules_are_stored_as_what_they_are_and_modules_are_no_link(hub: Hub, repo: str):
    link, top = (b"120000", b"l", name("blob", b"hi")), (b"100644", b"a", name("blob", b"hi"))
    assert "ok refs/heads/x" in push(hub, pack(*history(link)), name("commit", commit(tree(top, link))))
    shown = hub("GET", f"{repo}/contents/l?ref=x")
    assert (shown["type"], shown["target"]) == ("symlink", "hi")
    assert "gitmodulesSymlink" in push(hub, pack(*history((b"120000", b".gitmodules", name("blob", b"hi")))))


def test_folders_lie_at_most_256_deep_however_they_come(hub: Hub, repo: str):
    assert "ok refs/heads/x" in push(hub, pack(*nest(200)), sha_of_nest(200))
    assert "more than 256 folders" in push(hub, pack(*nest(3000)), sha_of_nest(3000), "refs/heads/y")
    assert hub.http("GET", f"{repo}/git/trees/x?recursive=1").status_code == 200
    file = {"message": "m", "content": ""}
    assert hub.http("PUT", f"{repo}/contents/{'d/' * 2000}f", json=file).status_code == 422


def bomb(leaf: bytes, levels: int = 9) -> list[bytes]:
    """Few trees, each ten times in the next one, and their commit: a folder of a billion files or folders."""
    top, objects = leaf, [whole("blob", b"hi"), whole("tree", b""), whole("tree", leaf)]
    for _ in range(levels):
        top = tree(*((b"40000", b"%d" % number, name("tree", top)) for number in range(10)))
        objects.append(whole("tree", top))
    return [*objects, whole("commit", commit(top)), commit(top)]


LEAVES = {
    "files": tree((b"100644", b"a", name("blob", b"hi"))),
    "folders": tree(*((b"40000", each, name("tree", b"")) for each in (b"a", b"b"))),
}


@pytest.mark.parametrize("leaf", LEAVES.values(), ids=LEAVES)
def test_a_folder_that_contains_itself_billions_of_times_is_refused(hub: Hub, repo: str, leaf: bytes):
    *objects, made = bomb(leaf)
    assert "trees of more than 200000" in push(hub, pack(*objects), name("commit", made))
    assert hub.http("GET", f"{repo}/git/ref/heads/x").status_code == 404
    top = made.split()[1].decode()
    assert hub.http("GET", f"{repo}/git/trees/{top}?recursive=1").status_code in (404, 422)


def sha_of_nest(depth: int) -> str:
    top = tree((b"100644", b"a", name("blob", b"hi")))
    for _ in range(depth):
        top = tree((b"40000", b"d", name("tree", top)))
    return name("commit", commit(top))


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        (b"garbage", "malformed"),
        (b"type commit\ntag v\ntagger " + WHO, "malformed"),
        (b"object " + ABSENT.encode() + b"\ntype commit\ntag v\n\nm", "missing necessary objects"),
    ],
)
def test_a_tag_that_names_nothing_is_refused(hub: Hub, repo: str, tag: bytes, said: str):
    assert said in push(hub, pack(*HI, whole("tag", tag)), name("tag", tag), "refs/tags/v")
    assert hub("GET", f"{repo}/tags") == []


@pytest.mark.parametrize("ref", ["refs/heads/main/x", "refs/heads/x/y/z"])
def test_a_branch_cannot_be_a_folder_of_branches(hub: Hub, repo: str, ref: str):
    head = hub.head(repo)
    push(hub, b"", head, "refs/heads/x/y")
    assert f"ng {ref} failed to update ref" in push(hub, b"", head, ref)
    assert "Reference" in hub.refused("POST", f"{repo}/git/refs", {"ref": ref, "sha": head})[1]
    assert "ng refs/heads/x failed" in push(hub, b"", head, "refs/heads/x")


def test_a_name_of_a_reference_has_at_most_255_bytes(hub: Hub, repo: str):
    head, longest = hub.head(repo), "refs/heads/" + "é" * 122
    assert "ok refs" in push(hub, b"", head, longest)
    assert "funny refname" in push(hub, b"", head, longest + "a")
    assert hub.refused("POST", f"{repo}/git/refs", {"ref": longest + "a", "sha": head})[0] == 422


@pytest.mark.parametrize("depth", ["2147483647", "9" * 5000, "²", "-1"])
def test_any_depth_of_a_fetch_is_answered_at_once(hub: Hub, repo: str, depth: str):
    lines = [packet(f"want {hub.head(repo)}\n"), packet(f"deepen {depth}\n"), packet("done\n")]
    body = packet("command=fetch\n") + b"0001" + b"".join(lines) + b"0000"
    headers = {"Git-Protocol": "version=2"}
    assert b"PACK" in hub.http("POST", f"/{CAT}/demo.git/git-upload-pack", content=body, headers=headers).content


@pytest.mark.parametrize("version", ["2", "0"])
def test_a_shallow_clone_can_be_deepened_and_made_whole(live: Hub, tmp_path: Path, version: str):  # noqa: F811
    repo = live.repo()
    for each in "abcd":
        live.write(repo, each, each)
    clone = Checkout(tmp_path / "c", f"{live.url}/{CAT}/demo.git", "-c", f"protocol.version={version}")
    folder = str(tmp_path / "s")
    subprocess.run(["git", "clone", "-q", "--depth", "1", clone.url, folder], env=QUIET, check=True)
    clone.folder = Path(folder)
    for words, count in ((("--deepen", "1"), "2"), (("--depth", "4"), "4"), (("--unshallow",), "5")):
        clone.git("-c", f"protocol.version={version}", "fetch", "-q", *words)
        assert clone.git("rev-list", "--count", "HEAD") == count
    assert clone.git("fsck", "--strict") == ""


def test_texts_of_equal_lines_are_compared_in_time(hub: Hub, repo: str):
    hub.write(repo, "a", "1\n2\n" * 60_000)
    hub.write(repo, "a", "2\n2\n1\n" * 40_000)
    changed: Any = hub("GET", f"{repo}/commits/main")["files"][0]
    assert (changed["additions"], changed["deletions"]) == (120_000, 120_000)


HOSTILE = [(name, "100644") for name in ("git~1", ".g\u200cit", ".git ", ".git::$INDEX")] + [(".gitmodules", "120000")]


@pytest.mark.parametrize(("hostile", "mode"), HOSTILE)
def test_files_and_trees_by_rest_have_no_names_that_pushes_may_not(hub: Hub, repo: str, hostile: str, mode: str):
    for path in (hostile, f"a/{hostile}"):
        entry = {"path": path, "mode": mode, "content": "hi"}
        assert "malformed path" in hub.refused("POST", f"{repo}/git/trees", {"tree": [entry]})[1]
        if mode == "100644":
            body = {"message": "x", "content": "aGk="}
            assert "malformed path" in hub.refused("PUT", f"{repo}/contents/{quote(path)}", body)[1]
