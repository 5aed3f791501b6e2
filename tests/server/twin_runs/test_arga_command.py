"""The unmodified command line of Arga: every command for twin runs and scenarios."""

import json
import re

import httpx
import pytest

from tests.arga_command import Arga, NotInstalled


@pytest.fixture(scope="module")
def arga(server, tmp_path_factory):
    try:
        command = Arga(tmp_path_factory.mktemp("home"), server)
    except NotInstalled as error:
        pytest.skip(str(error))
    command("login")
    yield command
    command.close()


@pytest.fixture
def run_id(arga):
    return json.loads(arga("twin-runs", "create", "--twins", "slack,linear", "--wait", "--json"))["run_id"]


def test_a_login_is_approved_on_this_machine_by_itself(arga):
    assert "local" in arga("whoami")
    assert json.loads((arga.home / ".config/arga/config.json").read_text())["api_key"] == "arga_sk_local"


@pytest.mark.parametrize("command", [("twin-runs", "catalog"), ("previews", "twins", "list")])
def test_twins_are_listed(arga, command):
    assert "slack" in arga(*command)


def test_a_run_lives_from_its_creation_to_its_teardown(arga, run_id):
    status = json.loads(arga("twin-runs", "status", run_id, "--json"))
    url = status["twins"]["slack"]["env_vars"]["SLACK_API_URL"]
    assert httpx.post(f"{url}/auth.test").json()["ok"]
    arga("twin-runs", "extend", run_id, "--ttl", "30")
    assert "reset" in arga("twin-runs", "reset", run_id)
    assert "lock" in arga("twin-runs", "lock", run_id)
    assert httpx.post(f"{url}/auth.test").status_code == 401
    arga("twin-runs", "teardown", run_id)
    assert httpx.post(f"{url}/auth.test").status_code == 410


def test_a_run_is_private_and_keeps_the_admin_plane_to_itself_if_asked_to(arga):
    wanted = ("--twins", "slack", "--private", "--candidate-safe", "--ttl", "20", "--wait", "--json")
    run = json.loads(arga("twin-runs", "create", *wanted))
    assert json.loads(arga("previews", "twins", "status", run["run_id"], "--json"))["is_public"] is False


def test_an_unknown_twin_is_refused_with_the_nearest_name(arga):
    refused = arga.run("twin-runs", "create", "--twins", "slak")
    assert refused.returncode == 1
    assert "Did you mean 'slack'" in refused.stdout + refused.stderr


def test_the_mcp_server_of_a_twin_is_configured(arga, run_id):
    said = arga("twin-runs", "mcp-config", run_id, "--twin", "slack", "--token", "xoxb-1")
    told = json.loads(said[said.index("{") : said.rindex("}") + 1])["mcpServers"]["arga-twin-slack"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert "slack_post_message" in httpx.post(told["url"], headers=told["headers"], json=message).text


@pytest.mark.parametrize("family", [("scenarios",), ("test-runner", "scenarios")])
def test_a_scenario_from_its_creation_to_its_deletion(arga, family):
    def scenarios(*arguments):
        return arga(*family, *arguments)

    prompt = "two users and #launch with 3 messages"
    wanted = ("--name", "launch", "--prompt", prompt, "--twin", "slack", "--tag", "cli", "--json")
    made = json.loads(scenarios("create", *wanted))
    assert made["id"] in scenarios("list", "--twin", "slack", "--tag", "cli")
    assert json.loads(scenarios("get", made["id"]))["prompt"] == prompt
    scenarios("export", made["id"], "--output", "launch.json")
    copied = json.loads(scenarios("import", "--file", "launch.json", "--json"))
    assert copied["seed_config"] == made["seed_config"]
    (arga.home / "renamed.json").write_text(json.dumps({"name": "landing"}))
    assert json.loads(scenarios("update", made["id"], "--file", "renamed.json", "--json"))["name"] == "landing"
    for each in (made, copied):
        scenarios("delete", each["id"])
    assert arga.run(*family, "get", made["id"]).returncode == 1


def test_presets_are_listed_and_fill_a_run(arga):
    assert "e-commerce-checkout" in arga("scenarios", "presets", "--json")
    wanted = ("--twins", "slack", "--scenario-id", "e-commerce-checkout", "--wait", "--json")
    assert json.loads(arga("twin-runs", "create", *wanted))["status"] == "ready"


def test_a_legacy_cancel_ends_a_twin_run(arga, run_id):
    arga("runs", "cancel", run_id)
    assert json.loads(arga("twin-runs", "status", run_id, "--json"))["status"] == "cancelled"


def test_a_session_of_the_wizard_lives_in_its_file(server, arga, run_id):
    status = httpx.get(f"{server}/twin-runs/{run_id}").json()
    twins = {name: {key: twin[key] for key in ("base_url", "admin_url")} for name, twin in status["twins"].items()}
    session = {key: status[key] for key in ("run_id", "created_at", "expires_at", "proxy_token")}
    session |= {"api_url": server, "api_key": "arga_sk_local", "twins": twins}
    (arga.home / ".arga-session.json").write_text(json.dumps(session))
    assert "slack" in arga("wizard", "status").lower()
    arga("wizard", "reset")
    arga("wizard", "extend")
    arga("wizard", "teardown", given="y\n")
    assert httpx.get(f"{server}/twin-runs/{run_id}").json()["status"] in ("cancelled", "torn_down")


def test_the_wizard_makes_a_run_of_what_is_chosen_and_puts_its_token_into_a_file(server, arga):
    (arga.home / ".env").write_text("SLACK_BOT_TOKEN=xoxb-1-real\nOTHER=1\n")
    answers = [("Which API twins", "a\r"), ("state description", "\r"), ("Which file", "\r"), ("Apply these", "\r")]
    assert re.search(r"\[(\d+)/\1\] Stripe twin", arga.typed("wizard", "init", answers=answers))
    session = json.loads((arga.home / ".arga-session.json").read_text())
    name, token = (arga.home / ".env").read_text().split()[0].split("=")
    assert (name, token != "xoxb-1-real") == ("SLACK_BOT_TOKEN", True)
    url = httpx.get(f"{server}/twin-runs/{session['run_id']}").json()["twins"]["slack"]["env_vars"]["SLACK_API_URL"]
    assert httpx.post(f"{url}/auth.test", headers={"Authorization": f"Bearer {token}"}).json()["ok"]
    arga("wizard", "teardown", given="y\n")


def test_the_wizard_rewrites_a_file_by_itself(arga):
    (arga.home / ".env").write_text("SLACK_BOT_TOKEN=xoxb-1-real\n")
    answers = [("Which API twins", "a\r"), ("Which file", "\r"), ("Apply these", "\r")]
    arga.typed("wizard", "env", answers=answers)
    assert "real" not in (arga.home / ".env").read_text()
    assert (arga.home / ".env.arga-backup").exists()


def test_an_assistant_is_told_of_the_server_for_its_context(server, arga):
    (arga.home / ".claude").mkdir()
    assert "Claude Code configured" in arga("mcp", "install")
    told = json.loads((arga.home / ".claude" / "mcp.json").read_text())["mcpServers"]["arga-context"]
    answer = httpx.post(told["url"], headers=told["headers"], json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert "create_twin_run" in {each["name"] for each in answer.json()["result"]["tools"]}


def test_a_logout_forgets_the_key(arga):
    arga("logout")
    assert not (arga.home / ".config/arga/config.json").exists()
