"""`twindiff env faults`."""

import httpx
import pytest

from tests.harness import AGENT
from twindiff.client import Client


@pytest.fixture
def env(server):
    with Client(server) as client, client.create("slack:slack_default", user=AGENT) as made:
        yield made


def test_faults_are_added_listed_with_what_they_met_and_cleared(twindiff, server, env):
    first = twindiff("env", "faults", "add", env.id, "unavailable", "--operation", "chat.*", "--times", "3")
    assert first.output == "Unavailable for all twins, chat.*.\n"
    assert "2 faults in all" in twindiff("env", "faults", "add", env.id, "latency", "--seconds", "0.01").output
    headers = {"Authorization": f"Bearer {env.token}"}
    answer = httpx.post(f"{server}/api/env/{env.id}/services/slack/chat.postMessage", json={}, headers=headers)
    assert answer.status_code == 503
    lines = twindiff("env", "faults", "ls", env.id, COLUMNS="200").output.splitlines()
    assert [line.split()[0] for line in lines if "chat.*" in line or "latency" in line] == ["unavailable", "latency"]
    assert next(line for line in lines if "chat.*" in line).rstrip().endswith("1")
    assert "Nothing goes wrong any more" in twindiff("env", "faults", "clear", env.id).output
    assert "Nothing goes wrong on purpose" in twindiff("env", "faults", "ls", env.id).output


def test_a_fault_for_no_operation_is_refused_in_one_line(twindiff, env):
    refused = twindiff("env", "faults", "add", env.id, "latency", "--operation", "chat.postMesage")
    assert refused.exit_code == 1
    assert "no operation fits 'chat.postMesage'" in refused.output
