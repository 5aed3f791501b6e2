# pyright: basic, reportMissingImports=false
# Ray is not a development dependency: `pip install "twindiff[ray]"`.
"""The ingress of a node: takes any request to the shard that it names, on whichever node that is.

A client's connection has one connection to a shard behind it, which is replaced when a request names another shard.
What the shard sends is passed on as it comes; only the length of requests is read.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import ray
from ray.exceptions import ActorUnavailableError, RayError
from ray.util.metrics import Counter

from twindiff.catalog.shard_ids import ServedShard
from twindiff.cli.cluster.shard_actor import NAMESPACE, ShardAddress, name_shard
from twindiff.kit.errors import ApiError
from twindiff.server.auth import refusal
from twindiff.server.listening_ports import ListeningPorts, SharedPorts
from twindiff.server.protocol import MAX_HEAD_BYTES
from twindiff.server.shards.placements import Kind, Placements
from twindiff.server.shards.routing import ShardRouter
from twindiff.server.shards.sharded_http import CHUNKED, LENGTH, MAX_BODY_BYTES, join_chunks

AT_ONCE_BYTES = 1 << 18
SECONDS_OF_A_RESTART = 60.0
SECONDS_BETWEEN_TRIES = 0.2
_UPGRADE = re.compile(rb"\r\nupgrade:[ \t]*websocket", re.IGNORECASE)
_UUID = re.compile(rb"[0-9a-f]{12}4[0-9a-f]{19}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
"""An id of shard 0, which names none."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class EnvironmentLost(ApiError):
    """The node that held it has ended."""

    code = "environment_lost"
    status = 410


class ShardRestarting(ApiError):
    """The shard is being started again; try again in a few seconds."""

    code = "shard_restarting"
    status = 503


class MalformedRequest(ApiError):
    """The head of the request cannot be read."""

    code = "malformed_request"
    status = 400


class ClusterShards:
    """The shards of a cluster: their addresses, and those that have ended with their node."""

    def __init__(self, all_addresses: list[ShardAddress]) -> None:
        self._all = all_addresses
        self.lost: set[int] = set()

    def __len__(self) -> int:
        return len(self._all)

    async def connect(self, shard: int) -> Stream:
        """Open a connection to a shard, once it has been started again if it is down.

        Raises EnvironmentLost if its node has ended, and ShardRestarting after `SECONDS_OF_A_RESTART`.
        """
        end = asyncio.get_running_loop().time() + SECONDS_OF_A_RESTART
        while shard not in self.lost and asyncio.get_running_loop().time() < end:
            address = self._all[shard]
            with suppress(OSError):
                return await asyncio.open_connection(address.host, address.port, limit=MAX_HEAD_BYTES)
            await self._find_again(shard)
        if shard in self.lost:
            raise self.describe_loss(shard)
        raise ShardRestarting(headers=(("Retry-After", "2"),))

    def describe_loss(self, shard: int) -> EnvironmentLost:
        """Return the error for what a shard held that has ended with its node."""
        return EnvironmentLost(
            f"It was in shard {shard} on node {self._all[shard].node}, which has ended, and an environment ends with "
            "its node. Create another one; keep what must outlive a machine in PostgreSQL (`twindiff serve --storage`)."
        )

    async def _find_again(self, shard: int) -> None:
        try:
            self._all[shard] = await ray.get_actor(name_shard(shard), NAMESPACE).address.remote()
        except ActorUnavailableError:
            pass
        except (RayError, ValueError):
            self.lost.add(shard)
            return
        await asyncio.sleep(SECONDS_BETWEEN_TRIES)


class LivingShardRouter(ShardRouter):
    """Routes around shards that have ended: what names no shard goes to the first that lives."""

    def __init__(self, shards: ClusterShards) -> None:
        super().__init__(ServedShard(0, len(shards)), Placements())
        self._shards = shards

    def find_shard(self, head: bytes, body: bytes) -> int:
        """Return the shard of a request; one that has ended only if the request names what it held."""
        shard, lost = super().find_shard(head, body), self._shards.lost
        names_it = shard or _UUID.search(head.partition(b"\r\n")[0]) or _UUID.search(body)
        return shard if shard not in lost or names_it else min(self._list_living())

    def _place(self, kind: Kind) -> int:
        return self._placements.choose(kind, self._list_living())

    def _list_living(self) -> list[int]:
        return [each for each in range(len(self._shards)) if each not in self._shards.lost] or [0]


class IngressConnection:
    """One connection of a client."""

    def __init__(self, router: LivingShardRouter, shards: ClusterShards, calls: Counter, client: Stream) -> None:
        self._router, self._shards, self._calls = router, shards, calls
        self._reader, self._writer = client
        self._shard = -1
        self._behind: asyncio.StreamWriter | None = None
        self._responses: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Pass requests on until the client leaves, or the shard closes the connection."""
        try:
            while await self._pass_request():
                continue
        except ApiError as error:
            await self._refuse(error)
        except (OSError, asyncio.IncompleteReadError):  # one of both sides has left
            return
        finally:
            self._forget_shard()
            self._writer.close()

    async def _pass_request(self) -> bool:
        """Pass one request on; False after the last one."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise MalformedRequest(f"The head of a request has at most {MAX_HEAD_BYTES:,} bytes") from None
        body = await self._read_body(head) if self._router.needs_body(head) else b""
        chunks = join_chunks(body) if CHUNKED.search(head) else body
        await self._turn_to(self._router.find_shard(head, chunks))
        assert self._behind
        self._behind.write(head + body)
        if _UPGRADE.search(head):
            await _copy(self._reader, self._behind)
            return False
        if not body:
            await self._pass_body(head, self._behind)
        await self._behind.drain()
        return True

    async def _turn_to(self, shard: int) -> None:
        self._calls.inc(tags={"shard": str(shard)})
        if shard == self._shard and self._behind and not self._behind.is_closing():
            return
        self._forget_shard()
        reader, self._behind = await self._shards.connect(shard)
        self._shard = shard
        self._responses = asyncio.create_task(self._pass_responses(reader))

    async def _pass_responses(self, reader: asyncio.StreamReader) -> None:
        """Pass on what a shard sends; the client's connection ends with that to the shard."""
        with suppress(OSError):
            await _copy(reader, self._writer)
        self._writer.close()

    def _forget_shard(self) -> None:
        if self._responses:
            self._responses.cancel()
        if self._behind:
            self._behind.close()

    async def _read_body(self, head: bytes) -> bytes:
        """Read a body in which an id is looked for; of one that is too long, the beginning is of no use either."""
        length = LENGTH.search(head)
        if length:
            size = int(length[1])
            return await self._reader.readexactly(size) if size <= MAX_BODY_BYTES else b""
        body = b""
        async for part in self._read_chunks(head):
            body += part
            if len(body) > MAX_BODY_BYTES:
                raise MalformedRequest(f"A body in chunks has at most {MAX_BODY_BYTES:,} bytes here; give its length")
        return body

    async def _pass_body(self, head: bytes, behind: asyncio.StreamWriter) -> None:
        length = LENGTH.search(head)
        left = int(length[1]) if length else 0
        while left and (part := await self._reader.read(min(left, AT_ONCE_BYTES))):
            behind.write(part)
            await behind.drain()
            left -= len(part)
        async for part in self._read_chunks(head):
            behind.write(part)
            await behind.drain()

    async def _read_chunks(self, head: bytes) -> AsyncIterator[bytes]:
        """Yield the chunks of a body as they are on the wire (RFC 9112, section 7.1), and its trailers."""
        size = 1 if CHUNKED.search(head) else 0
        while size:
            line = await self._reader.readuntil(b"\r\n")
            size = _parse_size(line)
            yield line + (await self._reader.readexactly(size + 2) if size else b"")
        while CHUNKED.search(head) and (line := await self._reader.readuntil(b"\r\n")):
            yield line
            if line == b"\r\n":
                return

    async def _refuse(self, error: ApiError) -> None:
        answer = refusal(error)
        lines = [f"HTTP/1.1 {answer.status} {type(error).__name__}", f"content-type: {answer.content_type}"]
        lines += [f"content-length: {len(answer.body)}", "connection: close", *(f"{a}: {b}" for a, b in answer.headers)]
        with suppress(OSError):
            self._writer.write("\r\n".join([*lines, "", ""]).encode() + answer.body)
            await self._writer.drain()


def _parse_size(line: bytes) -> int:
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError:
        raise MalformedRequest("The size of a chunk is no hexadecimal number") from None


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while part := await reader.read(AT_ONCE_BYTES):
        writer.write(part)
        await writer.drain()


class Ingress:
    """The actor of a node that clients connect to."""

    def __init__(self, all_addresses: list[ShardAddress], ports: SharedPorts) -> None:
        self._shards = ClusterShards(all_addresses)
        self._ports = ListeningPorts()
        self._ports.share_file(ports)
        self._router = LivingShardRouter(self._shards)
        self._calls = Counter("twindiff_requests", "Requests by shard.", tag_keys=("shard",))

    async def listen(self, host: str, port: int) -> int:
        """Listen from now on; returns the port. Raises OSError."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=MAX_HEAD_BYTES)
        taken: int = self._server.sockets[0].getsockname()[1]
        self._ports.add(taken)
        return taken

    async def _serve(self, *client: Any) -> None:
        await IngressConnection(self._router, self._shards, self._calls, client).serve()
