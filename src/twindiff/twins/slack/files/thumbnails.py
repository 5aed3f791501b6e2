"""Thumbnails of pictures, drawn on request.

https://docs.slack.dev/reference/objects/file-object#thumbnails
"""

from __future__ import annotations

from twindiff.kit import Call, Operations, Response
from twindiff.kit.errors import NotFound
from twindiff.kit.images import UnreadableImage, facts_of, resize_animation, resize_to_fit, resize_to_square

from ..core.errors import FileNotFound
from ..core.file_access import bytes_of, visible_file
from ..core.tables import File, FilePicture
from ..rendering.thumbnail_views import PICTURES, Thumbnail, thumbnail_secret, thumbnails_of

api = Operations()

_NO_THUMBNAIL = Response(b"There is no such thumbnail, or it is not for you", 404, "text/plain")


def look_at_picture(call: Call, file: File, digest: str | None) -> None:
    """Store the facts in a picture's header; ignore other files and unreadable pictures."""
    if file.file_type not in PICTURES or digest is None:
        return
    try:
        facts = facts_of(call.blobs.get(digest))
    except (NotFound, UnreadableImage):
        return
    width, height, orientation, moves = facts
    picture = FilePicture(
        file_id=file.file_id, original_w=width, original_h=height, exif_rotation=orientation, is_animated=moves
    )
    call.db.add(picture)


@api.get("/files-tmb/{file}/{name}", scope="files:read", in_thread=True)
def thumbnail(call: Call, file: str, name: str) -> Response:
    """Return a thumbnail of a picture that the caller may see."""
    _, _, rest = file.partition("-")
    file_id, _, secret = rest.partition("-")
    try:
        original = visible_file(call, file_id)
    except FileNotFound:
        return _NO_THUMBNAIL
    picture = call.db.find(FilePicture, FilePicture.file_id == file_id)
    if picture is None or secret != thumbnail_secret(file_id):
        return _NO_THUMBNAIL
    wanted = [each for each in thumbnails_of(original, picture) if name.endswith(f"_{each.suffix}.{each.ending}")]
    try:
        return _draw_thumbnail(bytes_of(call, original), wanted[0]) if wanted else _NO_THUMBNAIL
    except UnreadableImage:
        return _NO_THUMBNAIL


def _draw_thumbnail(data: bytes, wanted: Thumbnail) -> Response:
    if wanted.ending == "gif":
        return Response(resize_animation(data, (wanted.width, wanted.height)), content_type="image/gif")
    kind = "JPEG" if wanted.ending == "jpg" else "PNG"
    drawn = (
        resize_to_square(data, wanted.width, kind)
        if wanted.is_square
        else resize_to_fit(data, (wanted.width, wanted.height), kind)
    )
    return Response(drawn, content_type=f"image/{kind.lower()}")
