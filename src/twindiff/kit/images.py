"""Reads and resizes images that clients upload, at a bounded cost of time and memory."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, NamedTuple

from PIL import Image

MAX_PIXELS = 25_000_000
"""The largest image to decode, and the most pixels of all frames of an animation; a JPEG may have three times as many,
since it is decoded at a reduced size."""

_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
"""Formats that Pillow decodes in process; for others, such as PostScript, it starts programs."""

_WRONG = (
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
    EOFError,
    IndexError,
    KeyError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""Exceptions that Pillow raises for broken images."""

_MAX_FRAMES = 100
_ORIENTATION = 0x0112

Kind = Literal["PNG", "JPEG"]


class UnreadableImage(ValueError):
    """Bytes that are no picture of a known format, a broken one, or one with more pixels than MOST_PIXELS."""


class ImageFacts(NamedTuple):
    """Width and height in pixels, the EXIF orientation (1 to 8; 1 if there is none), and whether it is animated."""

    width: int
    height: int
    orientation: int
    is_animated: bool


def facts_of(data: bytes) -> ImageFacts:
    """Read the facts in an image's header without decoding the pixels; raises UnreadableImage."""
    with _open_image(data) as image:
        exif = Image.Exif()
        exif.load(image.info.get("exif", b""))  # getexif() would decode a whole PNG to find EXIF data after the pixels
        orientation = exif.get(_ORIENTATION, 1)
        known = isinstance(orientation, int) and 1 <= orientation <= 8
        return ImageFacts(*image.size, orientation if known else 1, bool(getattr(image, "is_animated", False)))


def fit_size(width: int, height: int, most: tuple[int, int]) -> tuple[int, int]:
    """The width and height in pixels of an image scaled down to fit into the box `most`; it is never enlarged."""
    share = min(1.0, most[0] / width, most[1] / height)
    return max(1, round(width * share)), max(1, round(height * share))


def resize_to_fit(data: bytes, most: tuple[int, int], kind: Kind) -> bytes:
    """Encode a copy that fits into the box `most`, never enlarged; of an animation, the first frame."""
    with _open_image(data) as image:
        size = fit_size(*image.size, most)
        return _encode(_resize(image, size, kind), kind)


def filling(data: bytes, side: int, kind: Kind) -> bytes:
    """Encode a copy whose longer side has `side` pixels, enlarged if need be; the aspect ratio stays."""
    with _open_image(data) as image:
        share = side / max(image.size)
        size = max(1, round(image.width * share)), max(1, round(image.height * share))
        return _encode(_resize(image, size, kind), kind)


def resize_to_square(data: bytes, side: int, kind: Kind) -> bytes:
    """Encode a square copy; the area outside the image is transparent, in a JPEG white."""
    with _open_image(data) as image:
        small = _resize(image, fit_size(*image.size, (side, side)), kind)
        square = Image.new(small.mode, (side, side), (255, 255, 255) if kind == "JPEG" else (0, 0, 0, 0))
        square.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
        return _encode(square, kind)


def resize_animation(data: bytes, most: tuple[int, int]) -> bytes:
    """Encode an animated GIF that fits into the box `most`, of the first 100 frames or `MAX_PIXELS` at most."""
    with _open_image(data) as image:
        size, durations, frames = fit_size(*image.size, most), list[int](), list[Image.Image]()
        for number in range(min(_MAX_FRAMES, MAX_PIXELS // (image.width * image.height))):
            try:
                image.seek(number)
            except EOFError:
                break
            frames.append(image.convert("RGBA").resize(size))
            durations.append(image.info.get("duration", 0))
        drawn = io.BytesIO()
        frames[0].save(drawn, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, disposal=2)
        return drawn.getvalue()


@contextmanager
def _open_image(data: bytes) -> Generator[Image.Image]:
    """Open an image; an error of Pillow, here or in the block, is raised as UnreadableImage."""
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            most = MAX_PIXELS * (3 if image.format == "JPEG" else 1)
            if image.width * image.height > most:
                raise UnreadableImage(f"a picture of more than {most:,} pixels")
            yield image
    except _WRONG as error:
        raise UnreadableImage(str(error)) from None


def _resize(image: Image.Image, size: tuple[int, int], kind: Kind) -> Image.Image:
    """The image in another size, in a color mode that files of this kind support.

    `draft` decodes a JPEG at a reduced size. Other images are resized before the conversion, which may need more bytes
    per pixel.
    """
    image.draft("RGB", size)
    mode = "RGB" if kind == "JPEG" else "RGBA"
    if image.mode in ("RGB", "RGBA", "L"):
        return image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0).convert(mode)
    return image.convert(mode).resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def _encode(image: Image.Image, kind: Kind) -> bytes:
    drawn = io.BytesIO()
    image.save(drawn, kind)
    return drawn.getvalue()
