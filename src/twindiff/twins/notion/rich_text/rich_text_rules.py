"""Rules of rich text in request bodies.

https://developers.notion.com/reference/rich-text · https://developers.notion.com/reference/request-limits
"""

from __future__ import annotations

import re
from typing import Any

from ..core.body_rules import (
    MAX_URL_LENGTH,
    Problems,
    anything,
    array,
    boolean,
    choice,
    mapping,
    nullable,
    obj,
    text,
    typed_object,
    uuid,
)

HUES = ("gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")
COLORS = ("default", *HUES, "default_background", *(f"{hue}_background" for hue in HUES))
MAX_EQUATION_LENGTH = 1000
FLAGS = ("bold", "italic", "strikethrough", "underline", "code")

color = choice(*COLORS)
url = text(MAX_URL_LENGTH)
_LINK = re.compile(r"(/|#|[A-Za-z][A-Za-z0-9+.-]*:)\S*")


def _link_url(value: Any, path: str) -> Problems:
    """A rule of what a text links to: an address, or a path or a fragment of Notion's own."""
    yield from url(value, path)
    if isinstance(value, str) and not _LINK.fullmatch(value):
        yield "Invalid URL for link."


date = obj({"start": text()}, end=nullable(text()), time_zone=nullable(text()))
id_object = obj({"id": uuid}, name=anything, url=anything, object=anything, type=anything, person=anything,
                bot=anything, avatar_url=anything)  # fmt: skip
_template_mention = typed_object(
    {
        "template_mention_date": choice("today", "now"),
        "template_mention_user": choice("me"),
    }
)
mention = typed_object(
    {
        "user": id_object,
        "date": date,
        "page": id_object,
        "database": id_object,
        "data_source": id_object,
        "template_mention": _template_mention,
        "custom_emoji": id_object,
        "link_preview": obj({"url": url}),
        "link_mention": mapping(anything),
    }
)
_annotations = obj(None, color=color, **dict.fromkeys(FLAGS, boolean))
item = typed_object(
    {
        "text": obj({"content": text()}, link=nullable(obj({"url": _link_url}, type=choice("url")))),
        "mention": mention,
        "equation": obj({"expression": text(MAX_EQUATION_LENGTH)}),
    },
    annotations=_annotations,
    plain_text=anything,
    href=anything,
)
rich_text = array(item)
