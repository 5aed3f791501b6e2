"""Discord's gateway: sign-in, heartbeats, events of changes, and sessions that are resumed.

https://docs.discord.com/developers/events/gateway, /gateway-events, /topics/opcodes-and-status-codes
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from twindiff.kit.auth import is_same_secret
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.events import Emitted
from twindiff.kit.gateways import EventGateway, Frame, GatewayClosed, GatewayMoment

from .guild_views import GuildViews

PATH = "/gateway"
COMPRESSIONS = frozenset(["zlib-stream", "zstd-stream"])
"""What clients may ask for; the twin does not compress for `zstd-stream`: clients read frames of text as they are."""
HEARTBEAT_MILLISECONDS = 41_250
VERSIONS = frozenset(["6", "7", "8", "9", "10"])
DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME = 0, 1, 2, 3, 4, 6
MEMBERS, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 8, 9, 10, 11
IGNORED = frozenset([PRESENCE, VOICE])
"""What a client says of itself and nobody else here sees."""
MAX_INTENTS = 1 << 26
MAX_SHARDS = 1 << 14
MESSAGE_CONTENT = 1 << 15
_INTENTS = {
    "GUILD_": 1 << 0,
    "CHANNEL_": 1 << 0,
    "GUILD_MEMBER_": 1 << 1,
    "GUILD_BAN_": 1 << 2,
    "GUILD_EMOJIS_": 1 << 3,
    "WEBHOOKS_": 1 << 5,
    "MESSAGE_": 1 << 9,
    "MESSAGE_REACTION_": 1 << 10,
    "GUILD_SCHEDULED_EVENT_": 1 << 16,
}
"""The intent that each event needs, by the beginning of its name; the longest that fits counts."""
_DIRECT = {"MESSAGE_": 1 << 12, "MESSAGE_REACTION_": 1 << 13, "CHANNEL_": 1 << 12}
"""The same for what happens in a direct message."""
_HIDDEN: dict[str, Any] = {"content": "", "embeds": [], "attachments": [], "components": []}
"""The fields of others' messages without the intent MESSAGE_CONTENT."""
MAX_MEMBERS_AT_ONCE = 100


class DiscordSession:
    """One connection. Its id says where the session began, so it can be resumed after any interruption."""

    def __init__(self, views: GuildViews, query: Mapping[str, str]) -> None:
        if query.get("v", "10") not in VERSIONS:
            raise GatewayClosed(4012, "Invalid API version.")
        if query.get("encoding", "json") != "json" or query.get("compress", "zlib-stream") not in COMPRESSIONS:
            raise GatewayClosed(4002, "Only encoding=json and compress=zlib-stream are served by this twin.")
        self.position: int | None = None
        self._views = views
        self._packer = zlib.compressobj() if query.get("compress") == "zlib-stream" else None
        self._intents = self._told = 0
        self._shard = (0, 1)
        self._me = ""

    def pack(self, text: bytes) -> str | bytes:
        """Return a frame as text, or as the next bytes of the connection's zlib stream."""
        if self._packer is None:
            return text.decode()
        return self._packer.compress(text) + self._packer.flush(zlib.Z_SYNC_FLUSH)

    def greet(self) -> Iterable[Frame]:
        """Return the hello."""
        return [_frame(HELLO, {"heartbeat_interval": HEARTBEAT_MILLISECONDS})]

    def hear(self, frame: Frame, moment: GatewayMoment) -> Iterable[Frame]:
        """Answer a frame; raises GatewayClosed with Discord's codes."""
        code, given = frame.get("op"), frame.get("d")
        if code == HEARTBEAT:
            return [_frame(HEARTBEAT_ACK, None)]
        data: Mapping[str, Any] = cast(Mapping[str, Any], given) if isinstance(given, Mapping) else {}
        if code in (IDENTIFY, RESUME):
            if self.position is not None:
                raise GatewayClosed(4005, "Already authenticated.")
            self._sign_in(data, moment)
            return self._identify(data, moment) if code == IDENTIFY else self._resume(data, moment)
        if code not in (MEMBERS, *IGNORED):
            raise GatewayClosed(4001, "Unknown opcode.")
        if self.position is None:
            raise GatewayClosed(4003, "Not authenticated.")
        return [self._list_members(data, moment)] if code == MEMBERS else []

    def _sign_in(self, data: Mapping[str, Any], moment: GatewayMoment) -> None:
        try:
            moment.call.actor = moment.sign_in(str(data.get("token") or "").removeprefix("Bot ").strip())
        except ApiError:
            raise GatewayClosed(4004, "Authentication failed.") from None
        self._me = self._views.find_user_id(moment.call)

    def _identify(self, data: Mapping[str, Any], moment: GatewayMoment) -> Iterator[Frame]:
        intents, shard = data.get("intents"), data.get("shard", [0, 1])
        if not isinstance(intents, int) or not 0 <= intents < MAX_INTENTS:
            raise GatewayClosed(4013, "Invalid intent(s).")
        if not _is_shard(shard):
            raise GatewayClosed(4010, "Invalid shard.")
        self._intents, self._shard, self.position = intents, (shard[0], shard[1]), moment.seq
        guilds = [each for each in self._views.list_guilds(moment.call) if self._is_mine(each)]
        session = _encode_session(moment.call.secret, _Begun(moment.seq, intents, len(guilds) + 1, self._shard))
        yield self._dispatch("READY", self._views.render_ready(moment.call, session, guilds, shard))
        for guild in guilds:
            yield self._dispatch("GUILD_CREATE", self._views.render_guild(moment.call, guild))

    def _is_mine(self, guild_id: str) -> bool:
        number, count = self._shard
        return not guild_id.isdecimal() or (int(guild_id) >> 22) % count == number

    def _resume(self, data: Mapping[str, Any], moment: GatewayMoment) -> Iterator[Frame]:
        begun = _decode_session(moment.call.secret, str(data.get("session_id") or ""))
        known = data.get("seq")
        if begun is None or not isinstance(known, int) or begun.seq > moment.seq:
            yield _frame(INVALID_SESSION, False)
            return
        self._intents, self._told, self._shard = begun.intents, begun.told, begun.shard
        for event in moment.events(begun.seq):
            yield from (frame for frame in self.tell(event, moment.call) if frame["s"] > known)
        self.position = moment.seq
        yield {"op": DISPATCH, "d": {"_trace": ["twindiff"]}, "s": self._told, "t": "RESUMED"}

    def _dispatch(self, name: str, data: Any) -> Frame:
        self._told += 1
        return {"op": DISPATCH, "d": data, "s": self._told, "t": name}

    def tell(self, event: Emitted, call: Call) -> Iterator[Frame]:
        """Tell of a change, if the client's intents ask for such events and its shard has the guild."""
        for name, data in self._views.render_event(event, call):
            is_direct = "guild_id" not in data and name.startswith(("MESSAGE_", "CHANNEL_"))
            if not self._intents & _intent_of(name, _DIRECT if is_direct else _INTENTS):
                continue
            if self._is_mine(str(data.get("guild_id", ""))):
                yield self._dispatch(name, self._hide(data, is_direct=is_direct) if "content" in data else data)

    def _hide(self, data: dict[str, Any], *, is_direct: bool) -> dict[str, Any]:
        """Return a message without the content that the client may not read."""
        mentioned = [each.get("id") for each in data.get("mentions", ())]
        is_own = data.get("author", {}).get("id") == self._me
        if self._intents & MESSAGE_CONTENT or is_direct or is_own or self._me in mentioned:
            return data
        return {**data, **_HIDDEN}

    def _list_members(self, data: Mapping[str, Any], moment: GatewayMoment) -> Frame:
        """Return the members of a guild that a client asks for, by ids or by the beginning of a name."""
        wanted = data.get("user_ids")
        ids = [str(each) for each in (cast(list[Any], wanted) if isinstance(wanted, list) else [wanted]) if each]
        limit = data.get("limit") if isinstance(data.get("limit"), int) else 0
        guild = str(data.get("guild_id") or "")
        members = self._views.list_members(moment.call, guild, str(data.get("query") or ""), ids)
        listed = members if _wants_all(data) else members[: min(cast(int, limit) or len(ids), MAX_MEMBERS_AT_ONCE)]
        known = {each["user"]["id"] for each in listed}
        chunk = {
            "guild_id": guild,
            "members": listed,
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [each for each in ids if each not in known],
            **({"nonce": data["nonce"]} if "nonce" in data else {}),
        }
        return {"op": DISPATCH, "d": chunk, "s": self._told, "t": "GUILD_MEMBERS_CHUNK"}


def make_gateway(views: GuildViews) -> EventGateway:
    """Return Discord's gateway over the rows of a draft."""
    return EventGateway(
        PATH,
        partial(DiscordSession, views),
        silence_seconds=HEARTBEAT_MILLISECONDS / 1000 * 1.5,
        silent=GatewayClosed(4009, "Session timed out."),
        undecodable=GatewayClosed(4002, "Error while decoding payload."),
    )


def _frame(code: int, data: Any) -> Frame:
    return {"op": code, "d": data, "s": None, "t": None}


def _wants_all(data: Mapping[str, Any]) -> bool:
    return not data.get("query") and not data.get("user_ids") and not data.get("limit")


def _is_shard(given: Any) -> bool:
    numbers = cast(list[Any], given) if isinstance(given, list) else []
    is_pair = len(numbers) == 2 and all(isinstance(each, int) for each in numbers)
    return is_pair and 0 <= numbers[0] < numbers[1] <= MAX_SHARDS


def _intent_of(event: str, intents: Mapping[str, int]) -> int:
    fitting = [begins for begins in intents if event.startswith(begins)]
    return intents[max(fitting, key=len)] if fitting else 0


class _Begun(NamedTuple):
    """Where a session began: after which record, with which intents, shard, and number of first frames."""

    seq: int
    intents: int
    told: int
    shard: tuple[int, int]


_PARTS = ((0, 10), (10, 18), (18, 22), (22, 26), (26, 30))
"""The places of the record, the intents, the number of first frames and the shard in a session's id."""


def _encode_session(secret: str, begun: _Begun) -> str:
    plain = f"{begun.seq:010x}{begun.intents:08x}{min(begun.told, 0xFFFF):04x}{begun.shard[0]:04x}{begun.shard[1]:04x}"
    return plain + blake2b(plain.encode(), key=secret.encode()[:64], digest_size=5).hexdigest()


def _decode_session(secret: str, given: str) -> _Begun | None:
    """Return where a session began; None for an id that the gateway did not give."""
    try:
        seq, intents, told, number, count = (int(given[start:end], 16) for start, end in _PARTS)
    except ValueError:
        return None
    begun = _Begun(seq, intents, told, (number, count))
    return begun if is_same_secret(given, _encode_session(secret, begun)) else None
