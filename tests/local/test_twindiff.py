"""Everything in one process."""

import threading

import httpx
import pytest
from slack_sdk import WebClient

from twindiff.client import Client, RequestRefused
from twindiff.local import Twindiff, in_process

GENERAL = "C01ABCD1234"


@pytest.fixture
def env(td):
    with td.create("slack:slack_default") as env:
        yield env


def post(td, env, text):
    with httpx.Client(transport=td.transport(env), headers={"Authorization": f"Bearer {env.token}"}) as client:
        answer = client.post("https://slack.com/api/chat.postMessage", json={"channel": GENERAL, "text": text}).json()
    assert answer["ok"], answer
    return answer["ts"]


def said(diff, side="inserts"):
    return [row["message_text"] for row in diff[side] if row["__table__"] == "messages"]


def test_an_environment_acts_as_its_templates_first_user(td, env):
    client = WebClient(token=env.token, base_url=env.url())
    assert client.auth_test()["user_id"] == "U01AGENBOT9"


def test_a_twin_without_users_has_someone_too(td):
    with td.create("shop:shop_default") as env:
        headers = {"Authorization": "Bearer x"}
        assert httpx.get(f"{env.url()}/2.0/users/me", headers=headers, trust_env=False).json()["id"] == "agent"


def test_a_diff_shows_what_a_client_wrote(td, env):
    post(td, env, "hello")
    assert said(env.diff()) == ["hello"]


def test_forks_go_on_by_themselves(td, env):
    post(td, env, "one")
    env.checkpoint("begun")
    one, other = env.forks(2)
    post(td, one, "two")
    assert (said(one.diff()), said(other.diff()), one.parent, one.at) == (["one", "two"], ["one"], env.id, 1)


def test_a_rewind_returns_to_a_name(td, env):
    env.checkpoint("empty")
    post(td, env, "one")
    env.rewind("empty")
    assert said(env.diff()) == []


def test_a_run_is_judged_by_a_list_of_checks(td, env):
    run = env.run()
    post(td, env, "one")
    assert run.evaluate([{"diff_type": "added", "entity": "messages", "expected_count": 1}]).passed
    assert not run.evaluate({"assertions": [{"diff_type": "removed", "entity": "messages"}]}).passed
    assert run.result().status == "failed"


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("slak:slack_default", "Did you mean 'slack'?"),
        ("slack:slack_defalt", "It has: slack_base"),
        ("slack", "service:name"),
    ],
)
def test_a_slip_is_answered_by_name(td, template, hint):
    with pytest.raises(RequestRefused, match=hint.replace("?", "[?]")):
        td.create(template)


def test_a_deleted_environment_hangs_up_its_port(td):
    env = td.create("slack:slack_default")
    url = env.url()
    env.delete()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


def test_a_port_is_the_same_when_asked_again(td, env):
    assert env.url("slack") == env.port() == td.url(env)


def test_the_http_client_works_inside_too(td):
    with Client("http://localhost", transport=td.transport()) as client:
        made = client.create("slack:slack_default", user="U01AGENBOT9")
        assert made.url() == f"http://localhost/api/env/{made.id}/services/slack"
        assert [each.environment_id for each in client.environments("ready")] == [made.id]


def test_threads_take_turns(td, env):
    """Eight threads write over ports and inside at once; every write is a point of its own."""
    url = env.url()

    def work(number):
        if number % 2:
            client = WebClient(token=env.token, base_url=url)
            for step in range(20):
                client.chat_postMessage(channel=GENERAL, text=f"{number} {step}")
        else:
            for step in range(20):
                post(td, env, f"{number} {step}")
                env.diff()

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said(env.diff())) == sorted(f"{number} {step}" for number in range(8) for step in range(20))
    assert [record.seq for record in env.journal()] == list(range(1, 161))


def test_a_long_diff_and_a_long_rebuild_wait_for_nobody(td, env):
    for number in range(300):
        post(td, env, str(number))
    assert len(said(env.diff(include="all"))) == 300
    assert len(said(env.fork(at=7).diff())) == 7


def test_what_has_a_place_is_there_the_next_time(tmp_path):
    with Twindiff(str(tmp_path)) as td:
        env = td.create("slack:slack_default")
        post(td, env, "kept")
    with Twindiff(str(tmp_path)) as td:
        assert said(td.environment(env.id).diff()) == ["kept"]


def test_results_of_the_newest_deleted_environments_are_kept_and_no_journal_of_any(td, monkeypatch):
    monkeypatch.setattr(in_process, "LOGGED", 4)
    monkeypatch.setattr(in_process, "MAX_KEPT_RESULTS", 3)
    runs = []
    for order in range(8):
        with td.create("slack:slack_default", ttl_seconds=3600 - order) as env:
            runs.append(env.run(from_start=True))
            for number in range(4):
                post(td, env, str(number))
            runs[-1].diff()
    assert td.result(runs[-1].id).run_id == runs[-1].id
    with pytest.raises(RequestRefused, match="run_not_found"):
        td.result(runs[0].id)
    journal = td._service.engine.embedded.file.connection.execute("SELECT DISTINCT env FROM journal").fetchall()
    assert len(journal) <= 2
