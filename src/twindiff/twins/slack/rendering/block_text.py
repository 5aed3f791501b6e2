"""The plain text of blocks, which notifications show and search finds when a message has no text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

Block = dict[str, Any]


def text_of_blocks(blocks: Iterable[Block]) -> str:
    """Return the texts of the blocks, one per line; empty if they have none."""
    lines = [line for block in blocks for line in _lines(block)]
    return "\n".join(line for line in lines if line)


def _lines(block: Block) -> Iterator[str]:
    lines = _BY_TYPE.get(block["type"])
    if lines:
        yield from lines(block)


def _text(value: Any) -> str:
    """Return the text of a text object, a rich text block or a plain string; empty for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    block = cast(Block, value)
    if block.get("type") == "rich_text":
        return "\n".join(_rich_text(block))
    return str(block.get("text") or "")


def _texts(*names: str) -> Callable[[Block], Iterator[str]]:
    """Return a function that yields the texts in these properties of a block, in this order."""

    def lines(block: Block) -> Iterator[str]:
        for name in names:
            yield _text(block.get(name))

    return lines


def _section(block: Block) -> Iterator[str]:
    yield _text(block.get("text"))
    for field in block.get("fields") or ():
        yield _text(field)


def _context(block: Block) -> Iterator[str]:
    yield " ".join(filter(None, (_text(element) for element in block["elements"])))


def _table(block: Block) -> Iterator[str]:
    for row in block["rows"]:
        yield " | ".join(_cell(cell) for cell in row)


def _cell(cell: Block) -> str:
    return str(cell["value"]) if "value" in cell else _text(cell)


def _carousel(block: Block) -> Iterator[str]:
    for card in block["elements"]:
        yield from _card(card)


def _plan(block: Block) -> Iterator[str]:
    yield _text(block.get("title"))
    for task in block.get("tasks") or ():
        yield _text(task.get("title"))


def _container(block: Block) -> Iterator[str]:
    yield _text(block.get("title"))
    yield text_of_blocks(block["child_blocks"])


def _rich_text(block: Block) -> Iterator[str]:
    for part in block["elements"]:
        yield from _rich_part(part)


def _rich_part(part: Block) -> Iterator[str]:
    elements: Sequence[Block] = part["elements"]
    if part["type"] == "rich_text_list":
        yield from _list(part, elements)
    elif part["type"] == "rich_text_preformatted":
        yield f"```{_run(elements)}```"
    elif part["type"] == "rich_text_quote":
        yield "\n".join(f"> {line}" for line in _run(elements).splitlines())
    else:
        yield _run(elements).rstrip("\n")


def _list(part: Block, entries: Sequence[Block]) -> Iterator[str]:
    indent = "    " * (part.get("indent") or 0)
    first = 1 + (part.get("offset") or 0)
    for number, entry in enumerate(entries, first):
        mark = f"{number}." if part["style"] == "ordered" else "•"
        yield f"{indent}{mark} {_run(entry['elements'])}"


def _run(elements: Sequence[Block]) -> str:
    return "".join(_inline(element) for element in elements)


def _inline(element: Block) -> str:
    form = _INLINE.get(element["type"])
    return form(element) if form else _text(element.get("text"))


def _render_styled_text(element: Block) -> str:
    """Render a styled text in mrkdwn, which requires the marks inside of surrounding spaces."""
    said: str = element["text"]
    core = said.strip()
    if not core:
        return said
    before, after = said[: said.index(core)], said[said.index(core) + len(core) :]
    style = element.get("style")
    for name, mark in _MARKS.items():
        if isinstance(style, dict) and cast(Block, style).get(name):
            core = f"{mark}{core}{mark}"
    return before + core + after


def _link(element: Block) -> str:
    return f"<{element['url']}|{element['text']}>" if element.get("text") else f"<{element['url']}>"


_MARKS = {"code": "`", "strike": "~", "italic": "_", "bold": "*"}

_INLINE: dict[str, Callable[[Block], str]] = {
    "text": _render_styled_text,
    "link": _link,
    "emoji": lambda element: f":{element['name']}:",
    "user": lambda element: f"<@{element['user_id']}>",
    "channel": lambda element: f"<#{element['channel_id']}>",
    "usergroup": lambda element: f"<!subteam^{element['usergroup_id']}>",
    "broadcast": lambda element: f"<!{element['range']}>",
    "date": lambda element: str(element.get("fallback") or element["timestamp"]),
    "color": lambda element: element["value"],
}

_card = _texts("title", "subtitle", "body")

_BY_TYPE: dict[str, Callable[[Block], Iterator[str]]] = {
    "section": _section,
    "header": _texts("text"),
    "context": _context,
    "rich_text": _rich_text,
    "markdown": _texts("text"),
    "image": _texts("title", "alt_text"),
    "video": _texts("title"),
    "input": _texts("label"),
    "table": _table,
    "data_table": _table,
    "alert": _texts("text"),
    "card": _card,
    "carousel": _carousel,
    "task_card": _texts("title"),
    "plan": _plan,
    "container": _container,
}
