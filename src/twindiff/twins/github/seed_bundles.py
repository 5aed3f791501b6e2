"""Fills a repository from a git bundle: branches, tags and commits keep their SHA-1s.

`git bundle create - --branches --tags HEAD` writes one. https://git-scm.com/docs/gitformat-bundle
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode

from twindiff.kit import Call

from .git.file_projection import project_files
from .git.objects import store_of
from .git.refs import HEADS, TAGS, peel
from .smart_http.packs import read_pack, store_objects
from .tables.repository_tables import Ref, Repository
from .wire_style import Unprocessable

_HEADER = re.compile(rb"# v2 git bundle\n(?P<refs>(?:[0-9a-f]{40} [^\n]+\n)+)\n")


def read_bundle(text: str) -> tuple[dict[str, str], bytes]:
    """Return the SHA-1s of a bundle's references by name, and its pack; raise Unprocessable for anything else."""
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unprocessable("bundle: it is not base64") from None
    header = _HEADER.match(data)
    if header is None:
        raise Unprocessable("bundle: it is no whole bundle of version 2, as `git bundle create - --all` writes one")
    lines = header["refs"].decode("utf-8", "replace").splitlines()
    return {line[41:]: line[:40] for line in lines}, data[header.end() :]


def fill_from_bundle(call: Call, repo: Repository, text: str, default_branch: str | None) -> Repository:
    """Store the objects and references of a bundle; no workflow runs, and no webhook is sent.

    Raises Unprocessable for a malformed bundle, or one that lacks the default branch.
    """
    refs, pack = read_bundle(text)
    store = store_of(call, repo)
    store_objects(call, repo, read_pack(store, pack))
    branches = {name.removeprefix(HEADS): sha for name, sha in refs.items() if name.startswith(HEADS)}
    main = default_branch or next((name for name, sha in branches.items() if sha == refs.get("HEAD")), None)
    if main is None or main not in branches:
        raise Unprocessable(f"bundle: there is no branch '{main or 'main'}'; there are {', '.join(branches) or 'none'}")
    kept = {name: sha for name, sha in refs.items() if name.startswith((HEADS, TAGS))}
    for name, sha in kept.items():
        if store.type_of(peel(store, sha)) != "commit":
            raise Unprocessable(f"bundle: {name} names no commit of the bundle")
        call.db.add(Ref(repository_id=repo.id, ref=name, sha=sha))
    repo = call.db.change(repo, default_branch=main, pushed_at=call.clock.iso())
    return project_files(call, repo, None, branches[main])
