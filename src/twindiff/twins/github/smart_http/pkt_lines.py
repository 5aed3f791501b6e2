"""Packet lines: four hexadecimal digits of length, then data; 0000 and 0001 separate them.

https://git-scm.com/docs/protocol-common
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

FLUSH, DELIMITER = b"0000", b"0001"
MAX_DATA_BYTES = 65515
"""Bytes of a packet on a side band."""


class MalformedPackets(ValueError):
    """The request is not made of packet lines."""


def packet(data: str | bytes) -> bytes:
    """Return data as a packet line."""
    raw = data.encode() if isinstance(data, str) else data
    return b"%04x" % (len(raw) + 4) + raw


def read_packets(data: bytes) -> Iterator[tuple[bytes | None, int]]:
    """Yield packets, None for a separator, each with the position after it; raise MalformedPackets."""
    at = 0
    while at < len(data):
        try:
            length = int(data[at : at + 4], 16)
        except ValueError:
            raise MalformedPackets from None
        if length < 4:
            at += 4
            yield None, at
            continue
        if at + length > len(data):
            raise MalformedPackets
        yield data[at + 4 : at + length], at + length
        at += length


def side_band(data: bytes, band: int = 1) -> Iterator[bytes]:
    """Yield packets that carry data on a side band."""
    for start in range(0, len(data), MAX_DATA_BYTES):
        yield packet(bytes([band]) + data[start : start + MAX_DATA_BYTES])


def join_packets(lines: Iterable[str | bytes]) -> bytes:
    """Return texts as packet lines."""
    return b"".join(packet(line) for line in lines)
