"""Markdown to blocks: that of Notion, and what other tools write (tables with pipes, fences, lists by spaces)."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from ..blocks.code_languages import LANGUAGES
from ..rich_text.rich_text_rules import COLORS
from .inline_markdown import read_attributes, read_inline

Block = dict[str, Any]
MAX_DEPTH = 20
_NOTE = re.compile(r'\s*\{((?:\s*(?:color|toggle)="[^"]*")+)\s*\}\s*$')
_ITEM = re.compile(r"(?:[-*+] \[([ xX])\] |([-*+]) |(\d+)[.)] )(.*)", re.DOTALL)
_HEADING = re.compile(r"(#{1,6}) (.*)")
_IMAGE = re.compile(r"!\[((?:[^\]\\]|\\.)*)\]\((\S+?)\)\s*$")
_MEDIA = re.compile(r'<(video|audio|pdf|file)\s+(?:src|url)="([^"]*)"[^>]*>(.*?)</\1>')
_OPENING = re.compile(r"<(details|callout|columns|column|synced_block|table)\b([^>]*)>\s*(.*)")
_SHORT = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "sh": "shell",
    "yml": "yaml",
    "": "plain text",
    "text": "plain text",
}
_SIGNS = {
    **dict.fromkeys(("---", "***", "___"), "divider"),
    "<empty-block/>": "paragraph",
    "<table_of_contents/>": "table_of_contents",
}
_KEPT = re.compile(r"<(page|database|unknown)\b[^>]*?(?:/>|>.*?</\1>)")


def read_markdown(text: str) -> list[Block]:
    """Return the blocks of a Markdown text, as a request has them."""
    return _Reader(text.replace("\r\n", "\n").split("\n")).read_blocks(0)


def _indent_of(line: str) -> int:
    """Return how deep a line is: tabs, or groups of spaces."""
    width = len(line) - len(line.lstrip(" \t"))
    lead = line[:width].replace("    ", "\t").replace("  ", "\t")
    return lead.count("\t")


def _text_block(kind: str, text: str, **content: Any) -> Block:
    note = _NOTE.search(text)
    if note:
        given = read_attributes(note[1])
        color = given.get("color", "").replace("_bg", "_background")
        content |= {"color": color} if color in COLORS else {}
        content |= {"is_toggleable": True} if given.get("toggle") == "true" and kind.startswith("heading") else {}
        text = text[: note.start()]
    return {"type": kind, kind: {"rich_text": read_inline(text), **content}}


class _Reader:
    """Reads lines from the first to the last."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def read_blocks(self, depth: int, closing: str = "") -> list[Block]:
        """Read the blocks at a depth, up to a line that is less deep or closes what they are in."""
        blocks: list[Block] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            text = line.strip()
            if closing and text == closing:
                break
            if text and _indent_of(line) < depth and not closing:
                break
            self._at += 1
            if not text:
                continue
            block = self._read_block(text, max(depth, _indent_of(line)))
            if block:
                blocks.append(block)
        return blocks

    def _read_block(self, text: str, depth: int) -> Block | None:
        if text in _SIGNS:
            kind = _SIGNS[text]
            return {"type": kind, kind: {"rich_text": []} if kind == "paragraph" else {}}
        if text.startswith("```"):
            return self._read_code(text[3:].strip())
        if text == "$$":
            return {"type": "equation", "equation": {"expression": "\n".join(self._read_until("$$"))}}
        if _KEPT.fullmatch(text):
            return None
        if match := _OPENING.match(text):
            return self._read_container(match[1], match[2], match[3])
        if match := _IMAGE.match(text):
            return _file("image", match[2], match[1])
        if match := _MEDIA.match(text):
            return _file(match[1], unescape(match[2]), match[3])
        if (
            text.startswith("|")
            and self._at < len(self._lines)
            and re.match(r"\s*\|?[\s:|-]*-[\s:|-]*$", self._lines[self._at])
        ):
            return self._read_pipes(text)
        return self._nest(self._read_text(text), depth)

    def _read_text(self, text: str) -> Block:
        if match := _HEADING.match(text):
            return _text_block(f"heading_{min(len(match[1]), 4)}", match[2])
        if match := _ITEM.match(text):
            if match[1]:
                return _text_block("to_do", match[4], checked=match[1] != " ")
            return _text_block("bulleted_list_item" if match[2] else "numbered_list_item", match[4])
        if text.startswith(">"):
            return _text_block("quote", text[1:].strip())
        return _text_block("paragraph", text)

    def _nest(self, block: Block, depth: int) -> Block:
        if depth < MAX_DEPTH:
            at = self._at
            children = self.read_blocks(depth + 1)
            if children:
                kind = block["type"]
                block[kind]["children"] = children
                if kind.startswith("heading"):
                    block[kind]["is_toggleable"] = True
            else:
                self._at = at
        return block

    def _read_until(self, closing: str) -> list[str]:
        lines: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip() == closing:
                break
            lines.append(line)
        indent = min((len(line) - len(line.lstrip("\t")) for line in lines if line.strip()), default=0)
        return [line[indent:] for line in lines]

    def _read_code(self, language: str) -> Block:
        code = "\n".join(self._read_until("```"))
        name = _SHORT.get(language.lower(), language.lower())
        pieces = [{"text": {"content": code[at : at + 2000]}} for at in range(0, len(code), 2000)]
        return {"type": "code", "code": {"rich_text": pieces, "language": name if name in LANGUAGES else "plain text"}}

    def _read_container(self, tag: str, attributes: str, rest: str) -> Block:
        given = read_attributes(attributes)
        if tag == "table":
            return self._read_table(given, rest)
        if rest.endswith(f"</{tag}>"):  # all of it on one line
            self._lines[self._at : self._at] = [*rest.removesuffix(f"</{tag}>").split("\n"), f"</{tag}>"]
        elif rest:
            self._lines.insert(self._at, rest)
        summary: list[Any] = []
        if tag == "details" and self._at < len(self._lines):
            match = re.match(r"\s*<summary>(.*?)</summary>\s*(.*)", self._lines[self._at])
            if match:
                self._at += 1
                summary = read_inline(match[1])
        children = self.read_blocks(0, f"</{tag}>")
        self._at += 1
        below: Block = {"children": children} if children else {}
        if tag == "details":
            return {"type": "toggle", "toggle": {"rich_text": summary, **below}}
        if tag == "callout":
            return _callout(given, children)
        if tag == "columns":
            return {
                "type": "column_list",
                "column_list": {"children": [each for each in children if each["type"] == "column"]},
            }
        return {"type": "column", "column": {"children": children}} if tag == "column" else {
            "type": "synced_block", "synced_block": {"synced_from": None, **below}}  # fmt: skip

    def _read_table(self, given: dict[str, str], rest: str) -> Block:
        text = rest
        while "</table>" not in text and self._at < len(self._lines):
            text += "\n" + self._lines[self._at]
            self._at += 1
        rows = [
            re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, re.DOTALL)
            for row in re.findall(r"<tr\b[^>]*>(.*?)</tr>", text, re.DOTALL)
        ]
        return _table(rows, header=given.get("header-row") == "true", first=given.get("header-column") == "true")

    def _read_pipes(self, text: str) -> Block:
        rows = [text]
        self._at += 1
        while self._at < len(self._lines) and self._lines[self._at].strip().startswith("|"):
            rows.append(self._lines[self._at].strip())
            self._at += 1
        return _table([re.split(r"(?<!\\)\|", row.strip().strip("|")) for row in rows], header=True, first=False)


def _table(rows: list[list[str]], *, header: bool, first: bool) -> Block:
    width = max((len(row) for row in rows), default=1) or 1
    cells = [[read_inline(cell.strip()) for cell in row] + [[]] * (width - len(row)) for row in rows or [[""]]]
    children = [{"type": "table_row", "table_row": {"cells": row}} for row in cells]
    about = {"table_width": width, "has_column_header": header, "has_row_header": first}
    return {"type": "table", "table": {**about, "children": children}}


def _callout(given: dict[str, str], children: list[Block]) -> Block:
    content: Block = {"rich_text": []}
    if children and children[0]["type"] == "paragraph":
        first = children[0]["paragraph"]
        content["rich_text"] = first["rich_text"]
        children = [*first.get("children", []), *children[1:]]
    color = given.get("color", "").replace("_bg", "_background")
    content |= {"color": color} if color in COLORS else {}
    content |= {"icon": {"type": "emoji", "emoji": given["icon"]}} if given.get("icon") else {}
    return {"type": "callout", "callout": {**content, **({"children": children} if children else {})}}


def _file(kind: str, url: str, caption: str) -> Block:
    return {"type": kind, kind: {"external": {"url": url}, "caption": read_inline(caption)}}
