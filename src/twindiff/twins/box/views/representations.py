"""Representations: the text or a picture that Box derives from a file, and the URL at which it can be downloaded.

https://developer.box.com/guides/representations
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from twindiff.kit import Call, Operations, Response
from twindiff.kit.images import UnreadableImage, resize_to_fit

from ..core.access import find_file
from ..core.contents import bytes_of, current_version
from ..core.errors import NotFound, PreviewCannotBeGenerated
from ..core.row_stamps import extension_of
from ..core.text_extraction import has_text, whole_text_of
from ..tables.item_tables import File, FileVersion

api = Operations(prefix="/2.0")
Shown = dict[str, Any]
IMAGES = frozenset(("png", "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff"))
"""The extensions of files that have pictures."""
_THUMBS = (32, 94, 160, 320)
_LARGE = (1024, 2048)
_SET = re.compile(r"\[([^\[\]]*)\]")


class Representation(NamedTuple):
    """A derived form of a file: a picture that fits into a square of `side` pixels, or the text if `side` is 0."""

    kind: str
    side: int = 0

    @property
    def is_thumb(self) -> bool:
        """Whether it is a thumbnail."""
        return self.side in _THUMBS

    @property
    def name(self) -> str:
        """Its name in URLs: jpg_thumb_320x320, png_1024x1024 or extracted_text."""
        thumb = "thumb_" if self.is_thumb else ""
        return f"{self.kind}_{thumb}{self.side}x{self.side}" if self.side else self.kind

    @property
    def properties(self) -> dict[str, str]:
        """The properties that distinguish it from others of its kind."""
        if not self.side:
            return {}
        return {"dimensions": f"{self.side}x{self.side}", "paged": "false", "thumb": str(self.is_thumb).lower()}

    def fits(self, hint: str) -> bool:
        """Return whether it matches a hint such as `png` or `jpg?dimensions=320x320&thumb=true`."""
        kind, _, query = hint.strip().partition("?")
        wanted = dict(parse_qsl(query))
        return kind == self.kind and wanted.items() <= self.properties.items()


_PICTURES = (
    *(Representation("jpg", side) for side in (*_THUMBS, *_LARGE)),
    *(Representation("png", s) for s in _LARGE),
)


def _all_of(name: str) -> tuple[Representation, ...]:
    kind = extension_of(name).lower()
    text = (Representation("extracted_text"),) if has_text(name) else ()
    return (*(_PICTURES if kind in IMAGES else ()), *text)


def representations(call: Call, file: File) -> Shown:
    """Render the first match of each set in the header X-Rep-Hints; without the header, all in short form."""
    known = _all_of(file.name or "")
    hints: str = call.memo.get("rep_hints", "")
    version = file.file_version_id or (current_version(call, file).id if known else "")
    at = f"{call.base_url}/2.0/internal_files/{file.id}/versions/{version}/representations"
    if not hints:
        return {"entries": [_short(each, at) for each in known]}
    chosen = [
        next((each for hint in hinted.split(",") for each in known if each.fits(hint)), None)
        for hinted in _SET.findall(hints)
    ]
    return {"entries": [_full(each, at) for each in dict.fromkeys(chosen) if each]}


def _short(each: Representation, at: str) -> Shown:
    return {"representation": each.kind, "properties": each.properties, "info": {"url": f"{at}/{each.name}"}}


def _full(each: Representation, at: str) -> Shown:
    content = {"url_template": f"{at}/{each.name}/content/{{+asset_path}}"}
    return {**_short(each, at), "content": content, "status": {"state": "success"}}


def _find(call: Call, file_id: str, version_id: str, name: str) -> tuple[File, FileVersion, Representation]:
    file = find_file(call, file_id, "preview")
    version = call.db.find(FileVersion, FileVersion.id == version_id, FileVersion.file_id == file.id)
    known = next((each for each in _all_of(file.name or "") if each.name == name), None)
    if version is None or known is None:
        raise NotFound.of("representation", name)
    return file, version, known


@api.get("/internal_files/{file_id}/versions/{version_id}/representations/{name}")
def get_representation(call: Call, file_id: str, version_id: str, name: str) -> Shown:
    """Get a representation. It is available as soon as its file is.

    https://developer.box.com/guides/representations/request-a-representation
    """
    _, _, known = _find(call, file_id, version_id, name)
    return _full(known, f"{call.base_url}/2.0/internal_files/{file_id}/versions/{version_id}/representations")


@api.get("/internal_files/{file_id}/versions/{version_id}/representations/{name}/content", in_thread=True)
def download_representation(call: Call, file_id: str, version_id: str, name: str) -> Response:
    """Download the content of a representation.

    https://developer.box.com/guides/representations/download-a-representation
    """
    file, version, known = _find(call, file_id, version_id, name)
    data = bytes_of(call, version)
    if not known.side:
        return Response(whole_text_of(data, file.name or "").encode(), content_type="text/plain; charset=utf-8")
    kind = "JPEG" if known.kind == "jpg" else "PNG"
    try:
        return Response(resize_to_fit(data, (known.side, known.side), kind), content_type=f"image/{kind.lower()}")
    except UnreadableImage:
        raise PreviewCannotBeGenerated from None
