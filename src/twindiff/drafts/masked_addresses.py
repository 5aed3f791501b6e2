"""Joins the e-mail addresses of recordings that mask them in bodies and not in URLs.

A recording that was made public often has `user1@example.com` in its bodies for what its queries still call
`ada@corp.com`. Left so, a search by address could find nothing. One address has one mask throughout a recording.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from .documents import Schema

if TYPE_CHECKING:
    from .recordings import RecordedCall

_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")


def join_addresses(calls: Sequence[RecordedCall]) -> list[RecordedCall]:
    """Return calls in whose URLs each address that no body has is that which the answers to it show in common."""
    masks = _find_masks(calls)
    joined = [_replace(call, masks) for call in calls] if masks else [*calls]
    return [call._replace(answer=_name_domain(call.answer)) for call in joined]


def _name_domain(value: Any) -> Any:
    """Return an answer whose fields for the domain of an address say that of the masked address beside them."""
    if isinstance(value, list):
        return [_name_domain(each) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    fields = dict(cast(Schema, value))
    address = str(_plain(fields.get("email")))
    domain = address.rpartition("@")[2]
    is_masked = bool(_ADDRESS.fullmatch(address)) and domain.startswith("example.")
    for name in [each for each in fields if is_masked and each.endswith("email_domain")]:
        if _plain(fields[name]):
            held: Any = fields[name]
            fields[name] = {**cast(Schema, held), "value": domain} if isinstance(held, dict) else domain
    return {name: _name_domain(each) for name, each in fields.items()}


def _plain(value: Any) -> Any:
    return cast(Schema, value).get("value") if isinstance(value, dict) else value


def _find_masks(calls: Sequence[RecordedCall]) -> dict[str, str]:
    """Return the mask of each address of URLs. The best attested come first, and no two addresses have one mask."""
    shown: list[set[str]] = [{*_addresses_in([call.body, call.answer])} for call in calls]
    known = {each for masks in shown for each in masks}
    seen: Counter[tuple[str, str]] = Counter()
    for call, masks in zip(calls, shown, strict=True):
        named = {*_addresses_of_url(call)} - known
        if len(named) == 1 and call.status < 300:
            seen.update((next(iter(named)), mask) for mask in masks)
    masks_by_address: dict[str, str] = {}
    for (address, mask), _ in seen.most_common():
        if address not in masks_by_address and mask not in masks_by_address.values():
            masks_by_address[address] = mask
    return masks_by_address


def _addresses_of_url(call: RecordedCall) -> Iterator[str]:
    for text in (unquote(call.path), *(value for _, value in call.query)):
        yield from (each.lower() for each in _ADDRESS.findall(text))


def _addresses_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in cast(Schema, value).values():
            yield from _addresses_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _addresses_in(each)
    elif isinstance(value, str) and "@" in value:
        yield from (each.lower() for each in _ADDRESS.findall(value))


def _replace(call: RecordedCall, masks: dict[str, str]) -> RecordedCall:
    def fill(text: str) -> str:
        return _ADDRESS.sub(lambda match: masks.get(match[0].lower(), match[0]), text)

    path = "/".join(
        quote(filled, safe="@:!$&'()*+,;=~") if (filled := fill(unquote(each))) != unquote(each) else each
        for each in call.path.split("/")
    )
    return call._replace(path=path, query=tuple((name, fill(value)) for name, value in call.query))
