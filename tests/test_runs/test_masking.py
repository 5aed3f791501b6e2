"""No artifact of a test run shows its credentials, though its page's token opens them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site
from twindiff.browser.artifact_masking import CannotMask, copy_masked, find_secrets
from twindiff.browser.masking import TextMask
from twindiff.server.apis.test_runs.run_secrets import mask_variables

PASSWORD = 'pä"ss & wörd/\\1'
TOKEN = "tok_5f2e9c17"
CARD = "4242424242424242"
SENDS = """<!doctype html><title>Sends</title><form onsubmit="return false">
<label>Password <input id=password name=password></label><label>Card <input id=card></label>
<button onclick="send()">Send</button></form><p id=out></p><script>
async function send() {
  const body = {password: password.value, card: card.value.replace(/(.{4})(?=.)/g, '$1 ')};
  await fetch('/about?p=' + encodeURIComponent(password.value), {headers: {'X-Given': btoa(card.value)}});
  await fetch('/about', {method: 'POST', body: JSON.stringify(body)});
  await fetch('/about', {method: 'POST', body: new URLSearchParams(body)});
  document.cookie = 'card=' + body.card;
  console.log(body.card, JSON.stringify(JSON.stringify(body)));
  out.innerText = 'Sent ' + body.card + ' ' + body.password;
}
</script>"""
STEPS = [
    {"action": "fill", "selector": "Password", "value": "{{password}}"},
    {"action": "fill", "selector": "Card", "value": "{{card}}"},
    {"action": "click", "selector": "Send"},
    {"action": "expect", "expect": {"type": "text", "contains": "Sent"}},
]


def unpack(run: dict[str, Any], folder: Path) -> dict[str, bytes]:
    """The content of trace and HAR of a run, by name."""
    with zipfile.ZipFile(folder / "trace.zip") as trace:
        assert trace.testzip() is None
        return {name: trace.read(name) for name in trace.namelist()} | {
            "network.har": (folder / "network.har").read_bytes()
        }


@pytest.fixture(scope="module")
def recorded(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a run with credentials has recorded."""
    from tests.harness import LiveServer
    from twindiff.server import Settings

    site.add_page("/sends", SENDS)
    data = tmp_path_factory.mktemp("masked")
    server = LiveServer(Settings(data_dir=str(data)))
    try:
        given = {"credentials": {"password": PASSWORD}, "parameters": {"card": CARD}}
        run = Runs(server).steps(f"{site.url}/sends?token={TOKEN}", *STEPS, **given)
        assert run["status"] == "completed", run
        return unpack(run, data / "test-runs" / run["id"].replace("-", ""))
    finally:
        server.close()


@pytest.mark.parametrize(
    "form",
    [
        PASSWORD,
        json.dumps(PASSWORD)[1:-1],
        json.dumps(PASSWORD, ensure_ascii=False)[1:-1],
        "p%C3%A4%22ss%20%26%20w%C3%B6rd%2F%5C1",
        "p%C3%A4%22ss+%26+w%C3%B6rd%2F%5C1",
        "ss &amp; w",
        "w\\u00f6rd",
        CARD,
        "4242 4242 4242 4242",
        "4242+4242+4242+4242",
        "NDI0MjQyNDI0MjQyNDI0Mg",
    ],
)
def test_no_form_of_a_credential_stands_in_the_trace_or_the_har(recorded: dict[str, bytes], form: str) -> None:
    assert [name for name, content in recorded.items() if form.encode() in content] == []


def test_trace_and_har_still_say_what_was_done(recorded: dict[str, bytes]) -> None:
    har = json.loads(recorded["network.har"])
    asked = [entry["request"]["url"].rpartition("/")[2] for entry in har["log"]["entries"]]
    assert "about?p=***" in asked
    lines = [json.loads(line) for line in recorded["trace.trace"].splitlines()]
    assert any(line["type"] == "before" and line["params"].get("value") == "***" for line in lines)


def write_archive(path: Path, **entries: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def test_a_secret_that_is_a_word_of_the_format_leaves_a_trace_that_can_be_read(tmp_path: Path) -> None:
    source = write_archive(tmp_path / "given.zip", trace='{"n": true, "value": "true"}\n')
    copy_masked(source, tmp_path / "kept.zip", ["true"])
    with zipfile.ZipFile(io.BytesIO((tmp_path / "kept.zip").read_bytes())) as kept:
        assert json.loads(kept.read("trace")) == {"n": True, "value": "***"}


@pytest.mark.parametrize(
    ("content", "secrets", "said"),
    [(b"{}", ["123"], "3 letters"), (b'{"cut', ["secret"], "not complete"), (b"", ["secret"], "not complete")],
)
def test_what_cannot_be_masked_is_left_out_with_the_reason(
    tmp_path: Path, content: bytes, secrets: list[str], said: str
) -> None:
    for name in ("given.har", "given.zip"):
        (tmp_path / name).write_bytes(content)
        if content or name == "given.zip":
            with pytest.raises(CannotMask, match=said):
                copy_masked(tmp_path / name, tmp_path / f"kept-{name}", secrets)
        assert not (tmp_path / f"kept-{name}").exists()


def test_a_run_whose_credential_is_too_short_to_mask_leaves_its_recordings_out(runs: Runs, site: Site) -> None:
    step = {"action": "fill", "selector": "Email", "value": "{{pin}}"}
    run = runs.steps(site.url, step, credentials={"pin": "123"})
    assert run["status"] == "completed"
    assert not {"trace.zip", "network.har"} & set(run["artifacts"])
    assert any("network.har is left out: a credential of 3 letters" in each["message"] for each in run["events_json"])


def test_credentials_and_parameters_with_the_names_or_forms_of_secrets_are_secrets() -> None:
    values = {
        "email": "ada@example.com",
        "api_key": "k-1234",
        "number": "4242 4242 4242 4242",
        "order": "1234567890123",
    }
    assert find_secrets(values, ["email"]) == ["4242 4242 4242 4242", "ada@example.com", "k-1234"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('{\\"password\\": \\"a b\\", \\"n\\": 1}', '{\\"password\\": \\"•••\\", \\"n\\": 1}'),
        ("GET /x?api_key=k9&a=1", "GET /x?api_key=•••&a=1"),
        ("postgres://app:s3cret@db/app", "postgres://app:•••@db/app"),
        ("Authorization: Bearer abc.def", "Authorization: •••"),
        ("used sk_live_4242abcd today", "used ••• today"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nnext", "•••\nnext"),
        ("log in with password hunter2!", "log in with password '•••'"),
        ('Type "x y" as the password', 'Type "•••" as the password'),
        ("password=$ecret1!", "password=•••"),
        ('{"password": "<hunter2"}', '{"password": "•••"}'),
        ('{"password": "***hunter2"}', '{"password": "•••"}'),
        ("5555-5555-5555-4444", "•••4444"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, masked: str) -> None:
    assert TextMask(()).text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Wrong email or password. Try again",
        "password is required",
        "The field 'Password' is empty",
        "the token expired 3 minutes ago",
        'FATAL: password authentication failed for user "app"',
        "order 1767603600000000 of box 158492301823",
        "max_tokens: 2000, next_page_token=null",
        "PWD=/srv/app",
        "fill Password <password>: {{token}}",
        "password=$DB_PASSWORD token=${TOKEN} secret=$(cat s)",
        '{"password": "<your password>", "token": "***4242"}',
        "http://127.0.0.1:8000/a@b:c",
    ],
)
def test_what_only_speaks_of_secrets_stays_readable(text: str) -> None:
    assert TextMask(()).text(text) == text


def test_a_recording_keeps_no_secret_of_a_query_or_a_form(tmp_path: Path) -> None:
    query = [{"name": "password", "value": "hunter2hunter2"}, {"name": "page", "value": "2"}]
    source, kept = tmp_path / "all.har", tmp_path / "kept.har"
    source.write_text(json.dumps({"queryString": query}))
    copy_masked(source, kept, [])
    assert json.loads(kept.read_text())["queryString"] == [{"name": "password", "value": "***"}, query[1]]


def test_a_variable_of_an_application_is_masked_for_a_vendors_token_under_any_name() -> None:
    given = {"STRIPE_LIVE": "sk_live_abcdefgh12345678", "MODE": "live"}
    assert mask_variables(given, [*given]) == {"STRIPE_LIVE": "•••", "MODE": "live"}


def test_values_of_keys_that_name_credentials_are_masked_in_objects_of_a_trace(tmp_path: Path) -> None:
    plain = {"state": "paid", "token": "", "password_changed": True, "password_set": "true", "token_count": 1200}
    plain |= {"max_tokens": "512", "author": "Ada", "passwords": {"a": 1}}
    secret = {"password": "plainwords", "accessToken": "abc", "Authorization": "Basic YTpi", "cookie": "id=7"}
    several = {"tokens": ["abc", ["def"], {"n": "def"}], "authorization": ["Basic YTpi"]}
    (tmp_path / "network.har").write_text(json.dumps([plain | secret | several]))
    copy_masked(tmp_path / "network.har", tmp_path / "kept.har", [])
    [kept] = json.loads((tmp_path / "kept.har").read_text())
    assert {name: kept[name] for name in plain} == plain
    assert {name: kept[name] for name in secret} == dict.fromkeys(secret, "***")
    assert {name: kept[name] for name in several} == {
        "tokens": ["***", ["***"], {"n": "def"}],
        "authorization": ["***"],
    }
