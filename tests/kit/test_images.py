"""Pictures: what is known of them without decoding, and copies; whatever is sent, nothing else is raised."""

import contextlib
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from twindiff.kit.images import (
    MAX_PIXELS,
    ImageFacts,
    UnreadableImage,
    facts_of,
    filling,
    resize_animation,
    resize_to_fit,
    resize_to_square,
)


def picture(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    written = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert(mode).save(written, kind)
    return written.getvalue()


def size_of(data: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(data)).size


KINDS = ["BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_of_a_picture_tells_its_size(kind: str):
    assert facts_of(picture(kind)) == ImageFacts(60, 40, 1, False)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_pictures_of_every_mode_are_copied(mode: str):
    data = picture("PNG", mode=mode)
    assert [size_of(resize_to_fit(data, (30, 30), kind)) for kind in ("PNG", "JPEG")] == [(30, 20), (30, 20)]


def test_a_copy_is_no_larger_than_the_picture_unless_it_is_to_fill_the_square():
    data = picture("PNG")
    copies = resize_to_fit(data, (99, 99), "PNG"), filling(data, 120, "PNG"), resize_to_square(data, 99, "PNG")
    assert [size_of(copy) for copy in copies] == [(60, 40), (120, 80), (99, 99)]


def test_a_picture_of_too_many_pixels_is_not_decoded():
    with pytest.raises(UnreadableImage, match="25,000,000 pixels"):
        resize_to_fit(picture("PNG", (MAX_PIXELS // 1000, 1001), "L"), (9, 9), "PNG")


def test_a_format_that_starts_other_programs_is_not_read():
    with pytest.raises(UnreadableImage):
        facts_of(picture("EPS"))


COPIES: list[Callable[[bytes], object]] = [
    facts_of,
    lambda data: resize_to_fit(data, (30, 30), "PNG"),
    lambda data: resize_to_square(data, 80, "JPEG"),
    lambda data: resize_animation(data, (30, 30)),
]


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow says what is wrong with a TIFF
@pytest.mark.parametrize("copy", COPIES)
@given(
    st.sampled_from([picture(kind) for kind in KINDS] + [b""]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8),
    st.integers(0, 10_000),
)
def test_of_a_broken_picture_nothing_is_raised_but_that_it_cannot_be_read(
    copy: Callable[[bytes], object], data: bytes, changes: list[tuple[int, int]], kept: int
):
    broken = bytearray(data)
    for place, value in changes:
        if place < len(broken):
            broken[place] = value
    with contextlib.suppress(UnreadableImage):
        copy(bytes(broken[: kept or None]))
