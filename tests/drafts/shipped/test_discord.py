"""Discord's gateway, frame by frame, and what clients of it call. https://docs.discord.com/developers/events/gateway"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.harness import LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings

DESCRIPTION = Path(__file__).parents[4] / "shared" / "specs" / "discord" / "openapi.json"
BOT, ADA = "1100000000000000001", "1100000000000000010"
GUILD, GENERAL = "1100000000000000100", "1100000000000000200"
APPLICATION, AGENTS = "1100000000000000002", "1100000000000000101"
MESSAGES, COMMANDS = f"/channels/{GENERAL}/messages", f"/applications/{APPLICATION}/commands"
REQUIRED = {"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}
ALL = (1 << 17) - 1
pytestmark = pytest.mark.skipif(not DESCRIPTION.exists(), reason=f"Discord's description is absent: {DESCRIPTION}")


class Guild(NamedTuple):
    """An environment: clients of the bot and of Ada, and new connections to the gateway."""

    bot: httpx.Client
    ada: httpx.Client
    connect: Callable[..., ClientConnection]
    token: str

    def open(self, intents: int = ALL, **more: Any) -> ClientConnection:
        """Return a connection that has identified itself."""
        return self._begin(2, {"intents": intents, "properties": {}, **more})

    def resume(self, session: str, seq: int) -> ClientConnection:
        """Return a connection that resumes a session."""
        return self._begin(6, {"session_id": session, "seq": seq})

    def _begin(self, code: int, data: dict[str, Any]) -> ClientConnection:
        socket = self.connect()
        assert heard(socket)["d"] == {"heartbeat_interval": 41_250}
        say(socket, code, {"token": self.token, **data})
        return socket

    def post(self, who: str, text: str) -> dict[str, Any]:
        return getattr(self, who).post(f"/channels/{GENERAL}/messages", json={"content": text}).json()


@pytest.fixture(scope="module")
def live() -> Iterator[LiveServer]:
    live = LiveServer(Settings(), Registry([find_shipped("discord").twin([DESCRIPTION])]))
    yield live
    live.close()


@pytest.fixture
def guild(live: LiveServer) -> Iterator[Guild]:
    options = {"templates": ["discord:discord_base"], "impersonateUserId": BOT, "tokens": {"ada": ADA}}
    made = Platform(live.client).post("initEnv", {**options, "auth": "strict"})
    url = f"{live.url}/api/env/{made['environmentId']}/services/discord"
    with ExitStack() as stack:
        bot, ada = (
            stack.enter_context(httpx.Client(base_url=f"{url}/api/v10", headers={"Authorization": f"Bot {token}"}))
            for token in (made["agentToken"], "ada")
        )

        def begin(query: str = "") -> ClientConnection:
            return stack.enter_context(
                connect(f"{url.replace('http', 'ws', 1)}/gateway{query}", proxy=None, open_timeout=PATIENCE_SECONDS)
            )

        yield Guild(bot, ada, begin, made["agentToken"])


def heard(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(timeout=PATIENCE_SECONDS))


def say(socket: ClientConnection, code: int, data: Any) -> None:
    socket.send(json.dumps({"op": code, "d": data}))


def told(socket: ClientConnection, count: int) -> list[tuple[str, int]]:
    return [(each["t"], each["s"]) for each in (heard(socket) for _ in range(count))]


def test_who_identifies_is_told_of_the_user_and_the_guilds(guild: Guild):
    socket = guild.open()
    ready, created = heard(socket), heard(socket)
    assert (ready["t"], ready["s"], ready["d"]["user"]["id"]) == ("READY", 1, BOT)
    assert ready["d"]["guilds"] == [{"id": GUILD, "unavailable": True}]
    assert (created["t"], [each["name"] for each in created["d"]["channels"]]) == (
        "GUILD_CREATE",
        ["general", "random"],
    )
    assert [each["user"]["id"] for each in created["d"]["members"]] == [BOT, ADA]


def test_a_message_is_told_with_its_author_guild_and_member(guild: Guild):
    socket = guild.open()
    told(socket, 2)
    made = guild.post("ada", "hi")
    message = heard(socket)["d"]
    assert (message["id"], message["content"], message["guild_id"]) == (made["id"], "hi", GUILD)
    assert (message["author"]["username"], message["member"]["roles"]) == ("ada", [])


def test_changes_reactions_roles_channels_and_deletions_are_told_in_order(guild: Guild):
    socket = guild.open()
    told(socket, 2)
    at = f"/channels/{GENERAL}/messages/{guild.post('bot', 'a')['id']}"
    guild.bot.patch(at, json={"content": "b"})
    guild.bot.put(f"{at}/reactions/👍/@me")
    guild.bot.delete(at)
    role = guild.bot.post(f"/guilds/{GUILD}/roles", json={"name": "bakers"}).json()["id"]
    guild.bot.put(f"/guilds/{GUILD}/members/{ADA}/roles/{role}")
    guild.bot.post(f"/guilds/{GUILD}/channels", json={"name": "oven"})
    events = ["MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_REACTION_ADD", "MESSAGE_DELETE", "GUILD_ROLE_CREATE"]
    events += ["GUILD_MEMBER_UPDATE", "CHANNEL_CREATE"]
    assert told(socket, 7) == [(name, number) for number, name in enumerate(events, 3)]


def test_a_reaction_is_counted_for_each_user_and_shown_as_the_viewers_own(guild: Guild):
    socket = guild.open()
    told(socket, 2)
    at = f"{MESSAGES}/{guild.post('bot', 'a')['id']}"
    emoji = f"{at}/reactions/👍"
    for who in (guild.bot, guild.ada, guild.ada):
        assert who.put(f"{emoji}/@me").status_code == 204

    def view(who: httpx.Client) -> list[tuple[int, bool]]:
        return [(each["count"], each["me"]) for each in who.get(at).json().get("reactions", [])]

    assert (view(guild.bot), view(guild.ada)) == ([(2, True)], [(2, True)])
    guild.ada.put(f"{at}/reactions/flour:1100000000000000300/@me")
    assert view(guild.bot) == [(2, True), (1, False)]
    assert [each["id"] for each in guild.ada.get(emoji).json()] == [BOT, ADA]
    assert [each["id"] for each in guild.ada.get(emoji, params={"after": BOT}).json()] == [ADA]
    assert guild.ada.get(emoji, params={"limit": 101}).status_code == 400
    guild.ada.delete(f"{emoji}/@me")
    assert (view(guild.bot)[0], view(guild.ada)[0]) == ((1, True), (1, False))
    assert guild.bot.delete(f"{emoji}/{BOT}").status_code == 204
    assert view(guild.ada) == [(1, True)]
    guild.bot.put(f"{emoji}/@me")
    assert guild.bot.delete(emoji).status_code == 204
    assert view(guild.ada) == [(1, True)]
    assert guild.bot.delete(f"{at}/reactions").status_code == 204
    assert view(guild.ada) == []
    removed = [f"MESSAGE_REACTION_{each}" for each in ("REMOVE", "REMOVE", "ADD", "REMOVE_EMOJI", "REMOVE_ALL")]
    assert [each for each, _ in told(socket, 9)] == ["MESSAGE_CREATE", *3 * ["MESSAGE_REACTION_ADD"], *removed]


def test_a_session_is_resumed_after_what_the_client_has_heard(guild: Guild):
    socket = guild.open()
    session = heard(socket)["d"]["session_id"]
    heard(socket)
    guild.post("ada", "one")
    assert heard(socket)["s"] == 3
    socket.close()
    guild.post("ada", "two")
    resumed = guild.resume(session, 3)
    missed, done = heard(resumed), heard(resumed)
    assert (missed["t"], missed["s"], missed["d"]["content"]) == ("MESSAGE_CREATE", 4, "two")
    assert (done["t"], done["s"]) == ("RESUMED", 4)
    guild.post("ada", "three")
    assert told(resumed, 1) == [("MESSAGE_CREATE", 5)]


def test_a_session_that_was_not_given_is_invalid(guild: Guild):
    assert heard(guild.resume("0" * 40, 3)) == {"op": 9, "d": False, "s": None, "t": None}


def test_heartbeats_are_acknowledged_and_members_listed(guild: Guild):
    socket = guild.open()
    told(socket, 2)
    say(socket, 1, 2)
    assert heard(socket)["op"] == 11
    say(socket, 8, {"guild_id": GUILD, "query": "ad", "limit": 5, "nonce": "n"})
    chunk = heard(socket)["d"]
    assert ([each["user"]["id"] for each in chunk["members"]], chunk["nonce"]) == ([ADA], "n")


@pytest.mark.parametrize(("intents", "content"), [(1 << 9, ""), (1 << 9 | 1 << 15, "hi"), (1, None)])
def test_intents_say_which_events_and_which_content_are_told(guild: Guild, intents: int, content: str | None):
    socket = guild.open(intents | 1)
    told(socket, 2)
    guild.post("ada", "hi")
    guild.bot.patch(f"/channels/{GENERAL}", json={"topic": "Bread"})
    assert heard(socket)["d"].get("content") == content


def test_frames_come_in_a_zlib_stream_if_the_client_asks_for_it(guild: Guild):
    socket = guild.connect("?v=10&encoding=json&compress=zlib-stream")
    packed = socket.recv(timeout=PATIENCE_SECONDS)
    assert isinstance(packed, bytes)
    assert packed.endswith(b"\0\0\xff\xff")
    assert json.loads(zlib.decompressobj().decompress(packed))["op"] == 10


@pytest.mark.parametrize(
    ("query", "frame", "code"),
    [
        ("?v=3", None, 4012),
        ("?encoding=etf", None, 4002),
        ("", "{", 4002),
        ("", "[]", 4002),
        ("", '{"op": 77}', 4001),
        ("", '{"op": 8, "d": {}}', 4003),
        ("", '{"op": 2, "d": {"token": "no"}}', 4004),
        ("", '{"op": 2, "d": {"token": "ada"}}', 4013),
        ("", '{"op": 2, "d": {"token": "ada", "intents": 1, "shard": [2, 1]}}', 4010),
    ],
)
def test_what_the_gateway_does_not_take_ends_the_connection_with_a_code(
    guild: Guild, query: str, frame: str | None, code: int
):
    socket = guild.connect(query)
    if frame is not None:
        heard(socket)
        socket.send(frame)
    with pytest.raises(ConnectionClosed) as closed:
        heard(socket)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == code


def test_an_environment_that_is_deleted_ends_the_connection(guild: Guild, live: LiveServer):
    socket = guild.open()
    told(socket, 2)
    Platform(live.client).delete(f"env/{str(guild.bot.base_url).split('/')[5]}")
    say(socket, 1, 2)
    with pytest.raises(ConnectionClosed):
        heard(socket)


def test_messages_are_deleted_in_bulk(guild: Guild):
    ids = [guild.post("ada", str(number))["id"] for number in range(3)]
    assert guild.bot.post(f"/channels/{GENERAL}/typing").status_code == 204
    assert guild.bot.post(f"{MESSAGES}/bulk-delete", json={"messages": ids[:1]}).status_code == 400
    assert guild.bot.post(f"{MESSAGES}/bulk-delete", json={"messages": ids[:2]}).status_code == 204
    assert [each["id"] for each in guild.bot.get(MESSAGES).json()] == ids[2:]


@pytest.mark.parametrize("path", [COMMANDS, f"/applications/{APPLICATION}/guilds/{GUILD}/commands"])
def test_commands_are_created_changed_overwritten_and_deleted(guild: Guild, path: str):
    bake = {"name": "bake", "description": "Bake", "version": "7", "options": []}
    first = guild.bot.post(path, json=bake)
    assert (first.status_code, first.json()["version"], guild.bot.post(path, json=bake).status_code) == (201, "1", 200)
    at = f"{path}/{first.json()['id']}"
    assert guild.bot.patch(at, json={"description": "Bake it"}).json()["description"] == "Bake it"
    eat = {"name": "eat", "description": "Eat", "contexts": None}
    both = guild.bot.put(path, json=[{**bake, "description": "Knead"}, eat]).json()
    assert [(each["name"], each["id"] == first.json()["id"]) for each in both] == [("bake", True), ("eat", False)]
    others = [each for each in (COMMANDS, f"/applications/{APPLICATION}/guilds/{GUILD}/commands") if each != path]
    assert [len(guild.bot.get(each).json()) for each in (path, *others)] == [2, 0]
    assert (guild.bot.delete(at).status_code, guild.bot.get(at).json()["code"]) == (204, 10063)
    assert guild.bot.put(path, json=[{}]).json()["errors"] == {"description": {"_errors": [REQUIRED]}}


def test_the_application_of_the_caller_is_the_seeded_one(guild: Guild):
    for path in ("/oauth2/applications/@me", "/applications/@me"):
        shown = guild.bot.get(path).json()
        assert (shown["id"], shown["name"], shown["bot"]["username"]) == (APPLICATION, "Agent", "agent")


def test_a_message_is_its_senders_whatever_its_body_says(guild: Guild):
    forged = {"content": "hi", "author": {"id": BOT}, "timestamp": "1999-01-01T00:00:00Z", "webhook_id": "1"}
    made = guild.ada.post(MESSAGES, json=forged)
    assert (made.json()["author"]["username"], made.json()["timestamp"] > "2000") == ("ada", True)
    assert "ignored=author,timestamp,webhook_id" in made.headers["X-Twindiff-Drafted"]


def test_a_reply_shows_what_it_answers_as_it_is_now_and_mentions_its_author(guild: Guild):
    asked = guild.post("ada", "bake?")
    reply = {"content": "yes", "message_reference": {"message_id": asked["id"]}}
    made = guild.bot.post(MESSAGES, json=reply).json()
    assert (made["type"], made["message_reference"]["channel_id"]) == (19, GENERAL)
    assert (made["referenced_message"]["content"], [each["id"] for each in made["mentions"]]) == ("bake?", [ADA])
    guild.ada.patch(f"{MESSAGES}/{asked['id']}", json={"content": "bake!"})
    assert guild.bot.get(f"{MESSAGES}/{made['id']}").json()["referenced_message"]["content"] == "bake!"
    guild.ada.delete(f"{MESSAGES}/{asked['id']}")
    assert guild.bot.get(f"{MESSAGES}/{made['id']}").json()["referenced_message"] is None


def test_a_reply_to_a_message_that_is_not_there_is_refused_unless_the_client_says_otherwise(guild: Guild):
    reply = {"content": "yes", "message_reference": {"message_id": "5"}}
    refused = guild.bot.post(MESSAGES, json=reply).json()
    unknown = {"code": "REPLIES_UNKNOWN_MESSAGE", "message": "Unknown message"}
    assert (refused["code"], refused["errors"]) == (50035, {"message_reference": {"_errors": [unknown]}})
    reply["message_reference"] = {"message_id": "5", "fail_if_not_exists": False}
    made = guild.bot.post(MESSAGES, json=reply).json()
    assert (made["type"], made.get("message_reference")) == (0, None)


def test_mentions_are_read_from_the_content_as_far_as_they_are_allowed(guild: Guild):
    text = f"<@{ADA}> <@&{AGENTS}> @everyone"
    for allowed, found in ((None, ([ADA], [AGENTS], True)), ({"parse": []}, ([], [], False))):
        made = guild.bot.post(MESSAGES, json={"content": text, "allowed_mentions": allowed}).json()
        assert ([each["id"] for each in made["mentions"]], made["mention_roles"], made["mention_everyone"]) == found


@pytest.mark.parametrize(
    ("who", "verb", "path", "body", "status", "code"),
    [
        ("bot", "POST", MESSAGES, {}, 400, 50006),
        ("bot", "POST", MESSAGES, {"content": " ", "embeds": []}, 400, 50006),
        ("bot", "POST", MESSAGES, {"content": "x" * 2001}, 400, 50035),
        ("bot", "POST", MESSAGES, {"content": 5.5}, 400, 50035),
        ("bot", "POST", "/channels/5/messages", {"content": "x"}, 404, 10003),
        ("bot", "PATCH", "{ada}", {"content": "x"}, 403, 50005),
        ("ada", "PATCH", "{ada}", {"content": ""}, 400, 50006),
        ("ada", "PATCH", "{ada}", {"content": "x" * 2001}, 400, 50035),
        ("bot", "PATCH", f"{MESSAGES}/5", {"content": "x"}, 404, 10008),
        ("bot", "POST", "/webhooks/5/token", {"content": "x"}, 404, 10015),
        ("plain", "DELETE", "{ada}", None, 403, 50013),
        ("plain", "PUT", f"/channels/{GENERAL}/pins/5", None, 403, 50013),
        ("plain", "PATCH", f"/channels/{GENERAL}", {"name": "x"}, 403, 50013),
        ("plain", "POST", f"/guilds/{GUILD}/roles", {"name": "x"}, 403, 50013),
        ("plain", "DELETE", f"/guilds/{GUILD}/members/{ADA}", None, 403, 50013),
        ("muted", "POST", MESSAGES, {"content": "x"}, 403, 50013),
    ],
)
def test_what_a_caller_may_not_do_is_refused_with_discords_number(
    guild: Guild, who: str, verb: str, path: str, body: Any, status: int, code: int
):
    path = path.replace("{ada}", f"{MESSAGES}/{guild.post('ada', 'hi')['id']}")
    if who in ("plain", "muted"):
        guild.ada.patch(f"/guilds/{GUILD}/roles/{AGENTS}", json={"permissions": "0"}).raise_for_status()
    if who == "muted":
        overwrite = {"id": GUILD, "type": 0, "deny": "2048", "allow": "0"}
        guild.ada.patch(f"/channels/{GENERAL}", json={"permission_overwrites": [overwrite]}).raise_for_status()
    refused = (guild.ada if who == "ada" else guild.bot).request(verb, path, json=body)
    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text


def test_what_a_put_of_onboarding_or_of_a_member_lacks_stays(guild: Guild):
    onboarding = f"/guilds/{GUILD}/onboarding"
    guild.bot.put(
        onboarding, json={"enabled": True, "default_channel_ids": [GENERAL], "prompts": []}
    ).raise_for_status()
    changed = guild.bot.put(onboarding, json={"enabled": False}).json()
    assert (changed["enabled"], changed["default_channel_ids"]) == (False, [GENERAL])
    member = f"/guilds/{GUILD}/members/{ADA}"
    guild.bot.patch(member, json={"nick": "Countess"}).raise_for_status()
    guild.bot.put(member, json={"access_token": "t"}).raise_for_status()
    assert guild.bot.get(member).json()["nick"] == "Countess"


def test_a_guild_that_is_seeded_without_members_or_roles_is_open_to_its_caller(live: LiveServer):
    guilds = [{"id": "7", "name": "Seeded", "owner_id": ADA}, {"id": "9", "name": "Other", "owner_id": ADA}]
    channels = [
        {"id": "70", "guild_id": "7", "name": "a", "type": 0},
        {"id": "90", "guild_id": "9", "name": "b", "type": 0},
    ]
    members = [{"id": "1", "guild_id": "9", "user": {"id": BOT}, "roles": []}]
    config = {"discord": {"guilds": guilds, "channels": channels, "guild_members": members}}
    made = live.client.post("/twin-runs", json={"twins": ["discord"], "seed_config": config}).json()
    given = live.client.get(f"/twin-runs/{made['run_id']}").json()["twins"]["discord"]["env_vars"]
    with httpx.Client(
        base_url=given["DISCORD_API_URL"], headers={"Authorization": f"Bot {given['DISCORD_TOKEN']}"}
    ) as bot:
        sent = [bot.post(f"/channels/{id}/messages", json={"content": "x"}).status_code for id in ("70", "90")]
        assert (sent, bot.post("/guilds/9/roles", json={"name": "x"}).status_code) == ([200, 200], 403)


def test_a_form_brings_files_and_a_webhook_its_own_name(guild: Guild):
    form = {"payload_json": json.dumps({"attachments": [{"id": 0, "filename": "a.txt", "description": "A"}]})}
    made = guild.bot.post(MESSAGES, data=form, files={"files[0]": ("a.txt", b"hello", "text/plain")}).json()
    assert [(each["filename"], each["size"], each["description"]) for each in made["attachments"]] == [
        ("a.txt", 5, "A")
    ]
    hook = guild.bot.post(f"/channels/{GENERAL}/webhooks", json={"name": "oven"}).json()
    assert guild.bot.post(f"/webhooks/{hook['id']}/wrong", json={"content": "x"}).json()["code"] == 50027
    at = f"/webhooks/{hook['id']}/{hook['token']}"
    assert guild.bot.post(at, json={"content": "x"}).status_code == 204
    assert (
        guild.bot.post(f"{at}?wait=true", json={"content": "x", "username": "Loaf"}).json()["author"]["username"]
        == "Loaf"
    )


def test_a_client_that_asks_for_zstd_is_told_in_text(guild: Guild):
    assert heard(guild.connect("?v=10&encoding=json&compress=zstd-stream"))["op"] == 10


def test_ids_may_be_numbers_in_a_body(guild: Guild):
    first = guild.post("ada", "hi")
    reference = {"message_id": int(first["id"]), "channel_id": int(GENERAL), "guild_id": int(GUILD)}
    answer = guild.bot.post(f"/channels/{GENERAL}/messages", json={"content": "yes", "message_reference": reference})
    assert answer.status_code == 200, answer.text
    assert answer.json()["message_reference"]["message_id"] == first["id"]
