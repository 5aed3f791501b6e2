"""Pictures that callers have sent: what they are like, and smaller copies, at a bounded cost of time and memory."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, NamedTuple

from PIL import Image

MAX_PIXELS = 25_000_000
"""A picture of more is not decoded, nor so much of an animation; a JPEG, decoded in part, may have thrice as many."""

_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
"""Those that Pillow reads by itself: others, as PostScript, start programs."""

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
"""What Pillow raises for broken pictures."""

_MAX_FRAMES = 100
_ORIENTATION = 0x0112

Kind = Literal["PNG", "JPEG"]


class UnreadableImage(ValueError):
    """Bytes that are no picture of a known format, a broken one, or one with more pixels than MOST_PIXELS."""


class ImageFacts(NamedTuple):
    """Width and height in pixels, EXIF's orientation (1 to 8; 1 where there is none), and whether it moves."""

    width: int
    height: int
    orientation: int
    is_animated: bool


def facts_of(data: bytes) -> ImageFacts:
    """What the head of a picture says of it, without decoding it; raises UnreadableImage."""
    with _open_image(data) as image:
        exif = Image.Exif()
        exif.load(image.info.get("exif", b""))  # not getexif(), which decodes a PNG to look behind it
        orientation = exif.get(_ORIENTATION, 1)
        known = isinstance(orientation, int) and 1 <= orientation <= 8
        return ImageFacts(*image.size, orientation if known else 1, bool(getattr(image, "is_animated", False)))


def fit_size(width: int, height: int, most: tuple[int, int]) -> tuple[int, int]:
    """The size in pixels of a picture that is made to fit into a box; one that fits is not made larger."""
    share = min(1.0, most[0] / width, most[1] / height)
    return max(1, round(width * share)), max(1, round(height * share))


def resize_to_fit(data: bytes, most: tuple[int, int], kind: Kind) -> bytes:
    """A copy that fits into a box, no larger than the picture; of an animation the first frame."""
    with _open_image(data) as image:
        size = fit_size(*image.size, most)
        return _encode(_resize(image, size, kind), kind)


def filling(data: bytes, side: int, kind: Kind) -> bytes:
    """A copy that fits into a square and touches its edges, however small the picture is; it need not be square."""
    with _open_image(data) as image:
        share = side / max(image.size)
        size = max(1, round(image.width * share)), max(1, round(image.height * share))
        return _encode(_resize(image, size, kind), kind)


def resize_to_square(data: bytes, side: int, kind: Kind) -> bytes:
    """A square copy: what the picture does not cover is clear, in a JPEG white."""
    with _open_image(data) as image:
        small = _resize(image, fit_size(*image.size, (side, side)), kind)
        square = Image.new(small.mode, (side, side), (255, 255, 255) if kind == "JPEG" else (0, 0, 0, 0))
        square.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
        return _encode(square, kind)


def resize_animation(data: bytes, most: tuple[int, int]) -> bytes:
    """A GIF that fits into a box and moves as the picture does, for its first 100 frames or MOST_PIXELS at most."""
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
    """A picture whose head is sound; what Pillow finds wrong in it, now or later, is UnreadableImage."""
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            most = MAX_PIXELS * (3 if image.format == "JPEG" else 1)
            if image.width * image.height > most:
                raise UnreadableImage(f"a picture of more than {most:,} pixels")
            yield image
    except _WRONG as error:
        raise UnreadableImage(str(error)) from None


def _resize(image: Image.Image, size: tuple[int, int], kind: Kind) -> Image.Image:
    """The picture in another size, with the colors that files of this kind can have.

    A JPEG is decoded no larger than it must be; others are made smaller before they are given more bytes a pixel.
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
