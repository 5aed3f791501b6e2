"""Thumbnails of images.

https://developer.box.com/guides/representations/thumbnail-representation
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import Call, Meta, Operations, Response
from twindiff.kit.images import UnreadableImage, filling

from ..core.access import find_file
from ..core.contents import bytes_of, current_version
from ..core.errors import PreviewCannotBeGenerated, RequestedPreviewUnavailable
from ..core.row_stamps import extension_of
from ..views.representations import IMAGES

api = Operations(prefix="/2.0")
SIZES = {"png": (32, 64, 128, 256), "jpg": (32, 94, 160, 320)}
Side = Annotated[int, Meta(ge=1, le=4096)] | None


@api.get("/files/{file_id}/thumbnail.{extension}", in_thread=True)
def thumbnail(
    call: Call,
    file_id: str,
    extension: Literal["png", "jpg"],
    min_height: Side = None,
    min_width: Side = None,
    max_height: Side = None,
    max_width: Side = None,
) -> Response:
    """Return a thumbnail of an image, in the first size that lies within the bounds in pixels.

    https://developer.box.com/reference/get-files-id-thumbnail-id
    """
    file = find_file(call, file_id, "preview")
    low, high = max(min_height or 0, min_width or 0), min(max_height or 9999, max_width or 9999)
    size = next((each for each in SIZES[extension] if low <= each <= high), None)
    if size is None:
        raise RequestedPreviewUnavailable
    if extension_of(file.name or "").lower() not in IMAGES:
        raise PreviewCannotBeGenerated
    data = bytes_of(call, current_version(call, file))
    kind = "JPEG" if extension == "jpg" else "PNG"
    try:
        return Response(filling(data, size, kind), content_type=f"image/{kind.lower()}")
    except UnreadableImage:
        raise PreviewCannotBeGenerated from None
