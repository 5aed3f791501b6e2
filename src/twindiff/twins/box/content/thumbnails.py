"""Thumbnails of images.

https://developer.box.com/guides/representations/thumbnail-representation
"""

from __future__ import annotations

from base64 import b64decode
from typing import Annotated, Literal

from twindiff.kit import Call, Meta, Operations, Response
from twindiff.kit.images import UnreadableImage, filling

from ..core.access import find_file
from ..core.contents import bytes_of, current_version
from ..core.errors import PreviewCannotBeGenerated, RequestedPreviewUnavailable
from ..core.row_stamps import extension_of
from ..views.representations import IMAGES

api = Operations(prefix="/2.0")
browser = Operations()
"""What is not below the API's own path."""

SIZES = {"png": (32, 64, 128, 256), "jpg": (32, 94, 160, 320)}
_GREY_PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mM4AQAAygDJNEIn8wAAAABJRU5ErkJggg==")
Side = Annotated[int, Meta(ge=32, le=320)] | None


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

    For other types of files, the response redirects to a placeholder, as Box's does.

    https://developer.box.com/reference/get-files-id-thumbnail-id
    """
    file = find_file(call, file_id, "preview")
    low, high = max(min_height or 0, min_width or 0), min(max_height or 9999, max_width or 9999)
    size = next((each for each in SIZES[extension] if low <= each <= high), None)
    if size is None:
        raise RequestedPreviewUnavailable
    if extension_of(file.name or "").lower() not in IMAGES:
        return Response(b"", 302, headers=(("Location", f"{call.base_url}/placeholders/{size}/thumbnail.{extension}"),))
    data = bytes_of(call, current_version(call, file))
    kind = "JPEG" if extension == "jpg" else "PNG"
    try:
        return Response(filling(data, size, kind), content_type=f"image/{kind.lower()}")
    except UnreadableImage:
        raise PreviewCannotBeGenerated from None


@browser.get("/placeholders/{side}/thumbnail.{extension}", open=True, in_thread=True)
def placeholder(call: Call, side: Annotated[int, Meta(ge=1, le=320)], extension: Literal["png", "jpg"]) -> Response:
    """Return the picture that stands for a file whose type has no thumbnails."""
    kind = "JPEG" if extension == "jpg" else "PNG"
    return Response(filling(_GREY_PIXEL, side, kind), content_type=f"image/{kind.lower()}")
