"""Pictures to upload."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image


def picture(width: int = 1134, height: int = 362, kind: str = "PNG", **options: Any) -> bytes:
    """A red picture; `options` are Pillow's."""
    written = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 30)).save(written, kind, **options)
    return written.getvalue()


def moving(width: int = 526, height: int = 366) -> bytes:
    """An animation of three frames."""
    frames = [Image.new("RGB", (width, height), (shade, 0, 0)) for shade in (0, 120, 240)]
    written = io.BytesIO()
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:], duration=50)
    return written.getvalue()
