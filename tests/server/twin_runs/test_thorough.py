"""Worlds made by a model: a scripted endpoint stands for it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

WORLD = {
    "slack": {
        "users": [{"name": "Eva"}],
        "channels": [{"name": "launch", "messages": [{"text": "hi", "user": "Eva"}]}],
    },
    "linear": {"teams": [{"key": "ENG", "name": "Engineering"}], "users": [{"name": "Eva"}]},
}
STRANGER = {"slack": {"channels": [{"name": "launch", "messages": [{"text": "hi", "user": "Zed"}]}]}}


class Endpoint:
    """Answers each request with the next of its texts, as one vendor or the other does; remembers what was asked."""

    def __init__(self, *texts, kind="openai"):
        texts, asked = list(texts), []
        self.asked = asked

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                asked.append((self.path, dict(self.headers), json.loads(body)))
                text = texts.pop(0)
                said = {"choices": [{"message": {"role": "assistant", "content": text}}]}
                if kind == "anthropic":
                    said = {"content": [{"type": "text", "text": text}]}
                answer = json.dumps(said).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *given):
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def endpoint(monkeypatch):
    started = []
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def start(*texts, kind="openai"):
        started.append(Endpoint(*texts, kind=kind))
        base = f"{started[-1].url}/v1" if kind == "openai" else started[-1].url
        monkeypatch.setenv("TWINDIFF_MODEL", "a-model")
        monkeypatch.setenv(f"{kind.upper()}_BASE_URL", base)
        monkeypatch.setenv(f"{kind.upper()}_API_KEY", "the-key")
        return started[-1]

    yield start
    for each in started:
        each.close()


def provision(live, **asked):
    asked = {
        "twins": ["slack", "linear"],
        "scenario_prompt": "A launch",
        "scenario_generation_mode": "thorough",
    } | asked
    return live.client.post("/twin-runs", json=asked)


@pytest.mark.parametrize(
    ("kind", "path", "key"),
    [("openai", "/v1/chat/completions", "Authorization"), ("anthropic", "/v1/messages", "x-api-key")],
)
def test_a_model_makes_the_world_of_a_prompt(live, endpoint, kind, path, key):
    model = endpoint(f"Here it is:\n```json\n{json.dumps(WORLD)}\n```", kind=kind)
    made = provision(live).json()
    assert (made["generation_mode"], made["model"]) == ("thorough", "a-model")
    status = live.client.get(f"/twin-runs/{made['run_id']}").json()
    assert status["seed_results"]["slack"]["counts"] == {"users": 2, "channels": 1, "messages": 1}
    ((asked_path, headers, body),) = model.asked
    assert (asked_path, body["model"]) == (path, "a-model")
    assert "the-key" in {name.lower(): value for name, value in headers.items()}[key.lower()]


def test_a_model_is_told_what_was_wrong_and_may_correct_it(live, endpoint):
    model = endpoint("No.", json.dumps(STRANGER), json.dumps(WORLD))
    assert provision(live).json()["status"] == "ready"
    advice = [body["messages"][-1]["content"] for _, _, body in model.asked]
    assert "no JSON object" in advice[1]
    assert "'Zed' is not among the users" in advice[2]


def test_a_model_that_never_gives_a_valid_world_is_refused_and_nothing_is_made(live, endpoint):
    endpoint(*[json.dumps(STRANGER)] * 3)
    refused = provision(live)
    assert refused.status_code == 502
    assert "no valid world after 3 tries" in refused.json()["detail"]


def test_a_scenario_is_saved_as_the_model_made_it(live, endpoint):
    endpoint(json.dumps(WORLD))
    made = live.client.post(
        "/scenarios", json={"name": "l", "prompt": "A launch", "generation_mode": "thorough"}
    ).json()
    assert (made["generation_mode"], made["seed_config"]) == ("thorough", WORLD)


def test_an_endpoint_that_is_away_is_said(live, endpoint):
    endpoint().close()
    refused = provision(live)
    assert refused.status_code == 502
    assert "/v1/chat/completions" in refused.json()["detail"]


def test_without_a_model_rules_make_the_world_and_that_is_said(live, monkeypatch):
    monkeypatch.delenv("TWINDIFF_MODEL", raising=False)
    assert provision(live, scenario_prompt="three users").json()["generation_mode"] == "fast"
