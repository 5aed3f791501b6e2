"""The Box twin: an enterprise as Box's content API shows it."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin, Users
from twindiff.kit.styles.box import BoxStyle

from . import (
    downloads,
    favorites,
    file_versions,
    files,
    folder_locks,
    folders,
    shared_links,
    trash,
    uploads,
    users,
    web_links,
)
from .completing import completed
from .further_tables import TABLES
from .guard import actor_of, guard
from .tables import User

_HERE = Path(__file__).parent
_PAGES = (
    downloads,
    favorites,
    file_versions,
    files,
    folder_locks,
    folders,
    shared_links,
    trash,
    uploads,
    users,
    web_links,
)

twin = Twin(
    "box",
    BoxStyle(),
    *(page.api for page in _PAGES),
    tables=TABLES,
    users=Users(User, User.id, User.login),
    seeds=_HERE / "seeds",
    layers=(guard,),
    actor_of=actor_of,
    completes=completed,
    hosts={"upload.box.com": "", "dl.boxcloud.com": "", "app.box.com": ""},
)
