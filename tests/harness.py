"""A live server on a loopback port, and small clients for its planes, for tests to speak HTTP with."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, TypeVar

import httpx
import uvicorn

from tests.receiver import PATIENCE_SECONDS
from tests.server_mode import stored
from twindiff.environments.registry import Registry
from twindiff.server import Gateway, Service, Settings
from twindiff.server.protocol import MAX_FRAME_BYTES, HttpProtocol

Json = dict[str, Any]
T = TypeVar("T")

AGENT = "U01AGENBOT9"
JOHN = "U02JOHNDOE1"
ROBERT = "U03ROBERT23"
GENERAL = "C01ABCD1234"
RANDOM = "C02EFGH5678"


class LiveServer:
    """A real server in a thread of this process; its socket listens before the thread starts, so nobody waits.

    Steps of browser tests wait as long as a busy machine may need, unless they set a timeout.
    """

    def __init__(self, settings: Settings, registry: Registry | None = None) -> None:
        self._storage = ExitStack()
        patient = settings._replace(step_seconds=PATIENCE_SECONDS)
        self.service = Service(self._storage.enter_context(stored(patient, registry)), registry)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._application = InProcess(Gateway(self.service))
        self.config = uvicorn.Config(
            self._application,
            http=HttpProtocol,
            log_config=None,
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MAX_FRAME_BYTES,
            timeout_graceful_shutdown=5,
            timeout_keep_alive=75,  # clients of tests rest for seconds, and would send into a connection that is closed
        )
        self._server = uvicorn.Server(self.config)
        self._thread = threading.Thread(target=self._server.run, args=([self.listener],), name=self.url)
        self._thread.start()
        self.thread_id = self._thread.ident or 0
        self.client = httpx.Client(base_url=self.url, trust_env=False, verify=False, timeout=120)
        self.in_process = httpx.Client(base_url=self.url, transport=self._application, trust_env=False)
        """The same server without the way over the socket, for tests that are not about HTTP."""

    def on_loop(self, work: Callable[[], T]) -> T:
        """What work gives, done where the server runs: an engine is for one thread, and maintained in that."""
        return self._application.on_loop(work)

    def maintain(self) -> None:
        """Do the server's housekeeping once, where it runs."""
        self._application.complete(self.service.maintenance.run_once())

    def close(self) -> None:
        self.client.close()
        self.in_process.close()
        self._server.should_exit = True
        self._thread.join()
        self.listener.close()
        self._storage.close()


class InProcess(httpx.BaseTransport):
    """An ASGI application that is also a way to itself: requests are handed to the event loop that serves it."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._loop: Future[asyncio.AbstractEventLoop] = Future()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if not self._loop.done():
            self._loop.set_result(asyncio.get_running_loop())
        await self._application(scope, receive, send)

    def on_loop(self, work: Callable[[], T]) -> T:
        async def worked() -> T:
            return work()

        return self.complete(worked())

    def complete(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop.result(120)).result(120)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self.complete(self._answer(request, request.read()))

    async def _answer(self, request: httpx.Request, body: bytes) -> httpx.Response:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "method": request.method,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", request.url.port),
        }
        sent: list[Json] = []
        asked = False

        async def receive() -> Json:
            nonlocal asked
            if asked:
                await asyncio.Event().wait()  # the client stays for the whole of the answer
            asked = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Json) -> None:
            sent.append(message)

        await self._application(scope, receive, send)
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return httpx.Response(sent[0]["status"], headers=sent[0]["headers"], content=content)


class Platform:
    """The control plane: each method gives the parsed answer of a call that must succeed."""

    def __init__(self, client: httpx.Client, key: str | None = None) -> None:
        self.client = client
        self.headers = {"X-API-Key": key} if key else {}

    def ask(self, verb: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """The raw answer to `verb /api/platform/path`; `options` are httpx's."""
        if body is not None:
            options["json"] = body
        headers = {**self.headers, **options.pop("headers", {})}
        return self.client.request(verb, f"/api/platform/{path}", headers=headers, **options)

    def get(self, path: str, **query: Any) -> Json:
        return succeeded(self.ask("GET", path, params=query))

    def post(self, path: str, body: Any = None) -> Json:
        return succeeded(self.ask("POST", path, body))

    def delete(self, path: str) -> Json:
        return succeeded(self.ask("DELETE", path))

    def environment(
        self, template: str = "slack:slack_default", user: str | None = AGENT, **options: Any
    ) -> Environment:
        """A new environment; `options` are further fields of initEnv by their wire names."""
        made = self.post("initEnv", {"templates": [template], "impersonateUserId": user, **options})
        return Environment(self, made)

    def start(self, environment: Environment, **options: Any) -> str:
        """Begin a run and give its id."""
        return self.post("startRun", {"envId": environment.id, **options})["runId"]

    def diff(self, run_id: str, **options: Any) -> Json:
        return self.post("diffRun", {"runId": run_id, **options})["diff"]

    def evaluate(self, run_id: str, *assertions: Json, **options: Any) -> Json:
        """Judge a run by assertions, or without any by its test."""
        spec = {"expectedOutput": {"assertions": list(assertions)}} if assertions else {}
        return self.post("evaluateRun", {"runId": run_id, **spec, **options})

    def refusal(self, verb: str, path: str, body: Any = None, **options: Any) -> tuple[int, str]:
        """Status and code of a call that must be refused in the platform's form."""
        answer = self.ask(verb, path, body, **options)
        problem = answer.json()
        assert problem.keys() == {"detail", "error"}, answer.text
        return answer.status_code, problem["error"]


class Environment:
    """One environment: its ids, and its twins as callables."""

    def __init__(self, platform: Platform, made: Json) -> None:
        self.platform = platform
        self.made = made
        self.id: str = made["environmentId"]
        self.token: str = made["agentToken"]
        self.url = str(platform.client.base_url).rstrip("/") + str(made["environmentUrl"])

    def ask(self, path: str, *, verb: str = "POST", twin: str = "", token: str | None = None, **options: Any) -> Any:
        """The raw answer of a twin, as `token` or else the agent; an empty token sends none. `options` are httpx's."""
        base = self.made["environmentUrls"][twin] if twin else self.made["environmentUrl"]
        given = self.token if token is None else token
        headers = {"Authorization": f"Bearer {given}"} if given else {}
        headers |= options.pop("headers", {})
        return self.platform.client.request(verb, f"{base}/{path}", headers=headers, **options)

    def slack(self, method: str, *, token: str | None = None, **parameters: Any) -> Json:
        """A Slack method's answer, whether it went well or not."""
        named = {"Content-Type": "application/json; charset=utf-8"}
        answer = self.ask(method, twin="slack", token=token, json=parameters, headers=named)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, text: str, channel: str = GENERAL, **parameters: Any) -> str:
        """Post a message and give its ts."""
        answer = self.slack("chat.postMessage", channel=channel, text=text, **parameters)
        assert answer["ok"], answer
        return answer["ts"]


def succeeded(answer: httpx.Response) -> Json:
    """The JSON of an answer that must be a success."""
    assert answer.is_success, f"{answer.status_code} {answer.text}"
    return answer.json()


def texts(diff: Mapping[str, list[Json]], side: str = "inserts") -> list[str]:
    """What the messages on one side of a diff say, in order."""
    return [row["message_text"] for row in diff[side] if row["__table__"] == "messages"]
