"""Fractional indexes: texts between any two of which there is another, so that moving a row changes no other row.

An index is an integer and a fraction. The integer's first letter tells its width, so that integers sort as texts:
`Zz`, `a0`, `a1`, …, `az`, `b00`. https://observablehq.com/@dgreensp/implementing-fractional-indexing
"""

from __future__ import annotations

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
FIRST = "a0"


def index_between(before: str | None, after: str | None) -> str:
    """Return an index after `before` and before `after`; None is the end of the list on that side."""
    if before is None and after is None:
        return FIRST
    if before is None:
        integer = _integer(after or FIRST)
        return integer if integer < (after or "") else _step(integer, -1)
    integer = _integer(before)
    following = _step(integer, 1)
    if after is None or following < after:
        return following
    is_same = _integer(after) == integer
    return integer + _middle(before[len(integer) :], after[len(integer) :] if is_same else "")


def indexes_after(before: str | None, after: str | None, count: int) -> list[str]:
    """Return as many ascending indexes between two as are asked for."""
    indexes: list[str] = []
    for _ in range(count):
        before = index_between(before, after)
        indexes.append(before)
    return indexes


def _width(head: str) -> int:
    return ord(head) - ord("a") + 1 if head >= "a" else ord("Z") - ord(head) + 1


def _integer(index: str) -> str:
    return index[: 1 + _width(index[0])]


def _step(integer: str, by: int) -> str:
    """Return the next or the previous integer."""
    head, digits = integer[0], [DIGITS.index(each) for each in integer[1:]]
    for at in range(len(digits) - 1, -1, -1):
        digits[at] = (digits[at] + by) % len(DIGITS)
        if digits[at] != (0 if by > 0 else len(DIGITS) - 1):
            return head + "".join(DIGITS[each] for each in digits)
    head = {("Z", 1): "a", ("a", -1): "Z"}.get((head, by)) or chr(ord(head) + by)
    return head + (DIGITS[0] if by > 0 else DIGITS[-1]) * _width(head)


def _middle(before: str, after: str) -> str:
    """Return a fraction between two; an empty `after` is one. None ends in zero."""
    at = 0
    while after and at < len(after) and (before[at : at + 1] or DIGITS[0]) == after[at]:
        at += 1
    if at:
        return after[:at] + _middle(before[at:], after[at:])
    low = DIGITS.index(before[0]) if before else 0
    high = DIGITS.index(after[0]) if after else len(DIGITS)
    if high - low > 1:
        return DIGITS[(low + high) // 2]
    return after[0] if len(after) > 1 else DIGITS[low] + _middle(before[1:], "")
