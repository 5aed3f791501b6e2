"""Thumbnails of pictures: their sizes, names and URLs.

https://docs.slack.dev/reference/objects/file-object#thumbnails
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple
from urllib.parse import quote

from twindiff.kit import Store
from twindiff.kit.images import fit_size

from ..core.tables import File, FilePicture

PICTURES = ("gif", "jpg", "png")
"""The file types that have thumbnails."""

_SQUARES = (64, 80, 160)
_BY_SIDE = (360, 480, 720, 960, 1024)
_BY_WIDTH = 800
_UNBOUNDED = 1 << 30


class Thumbnail(NamedTuple):
    """A thumbnail: its field, the suffix of its file name, and the box that it fits into, or fills if `is_square`.

    `ending` is the file name extension: png, jpg, or gif for an animation.
    """

    field: str
    suffix: str
    ending: str
    width: int
    height: int
    is_square: bool = False


def thumbnails_of(file: File, picture: FilePicture) -> list[Thumbnail]:
    """Return the thumbnails that Slack makes of a picture."""
    width, height = picture.original_w, picture.original_h
    ending = "jpg" if file.file_type == "jpg" else "png"
    thumbnails = [Thumbnail(f"thumb_{side}", f"{side}", ending, side, side, is_square=True) for side in _SQUARES]
    thumbnails += [Thumbnail(f"thumb_{most}", f"{most}", ending, *box) for most, box in _boxes(width, height)]
    if picture.is_animated and file.file_type == "gif":
        thumbnails += [
            Thumbnail(f"thumb_{side}_gif", f"{side}", "gif", side, side)
            for side in _BY_SIDE[:2]
            if max(width, height) > side
        ]
        thumbnails.append(Thumbnail("deanimate_gif", "deanimate_gif", "png", width, height))
        thumbnails.append(Thumbnail("pjpeg", "pjpeg", "jpg", width, height))
    return thumbnails


def _boxes(width: int, height: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the boxes that thumbnails fit into: those smaller than the picture, and always the smallest."""
    for side in _BY_SIDE:
        if side == _BY_SIDE[0] or max(width, height) > side:
            yield side, (side, side)
    if width > _BY_WIDTH:
        yield _BY_WIDTH, (_BY_WIDTH, _UNBOUNDED)


def pictures_of(db: Store, files: Iterable[File]) -> dict[str, FilePicture]:
    """Map ids to the facts about those files that are pictures."""
    ids = [file.file_id for file in files if file.file_type in PICTURES]
    return {each.file_id: each for each in db.rows(FilePicture, FilePicture.file_id.in_(ids))} if ids else {}


def thumbnail_fields(base_url: str, team_id: str, file: File, picture: FilePicture) -> dict[str, Any]:
    """Return the additional fields in the file object of a picture."""
    width, height = picture.original_w, picture.original_h
    folder = f"{base_url}/files-tmb/{team_id}-{file.file_id}-{thumbnail_secret(file.file_id)}/{_stem(file)}"
    shown: dict[str, Any] = {
        "image_exif_rotation": picture.exif_rotation,
        "original_w": width,
        "original_h": height,
    }
    for each in thumbnails_of(file, picture):
        shown[each.field] = f"{folder}_{each.suffix}.{each.ending}"
        if each.suffix.isdigit() and not each.is_square and each.ending != "gif":
            shown[f"{each.field}_w"], shown[f"{each.field}_h"] = fit_size(width, height, (each.width, each.height))
    return shown


def thumbnail_secret(file_id: str) -> str:
    """Return the secret in the URLs of a file's thumbnails, which differ from those of its contents."""
    return blake2b(file_id.encode(), digest_size=5, key=b"thumbnail").hexdigest()


def _stem(file: File) -> str:
    """Return a file's name without extension, quoted for a URL, as the prefix of its thumbnails' names."""
    stem = (file.file_name or "").rpartition(".")[0].lower()
    return quote(re.sub(r"[/\\]|\s+", "_", stem).strip(".") or "image", safe="")
