"""Many episodes at once: forks by the thousand, vectors, equal worlds by seed, suites of one's own, and leases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tests.frameworks.scripts import LOOK, MISTAKE, RENAME, SOLUTION
from tests.harness import Platform
from twindiff.frameworks.episodes import LEASE_SECONDS, Episode, chosen_tests, platform_at
from twindiff.frameworks.gymnasium import SuiteEnv, SuiteVectorEnv

FINISH = '{"finish": true}'
POST = json.dumps({"api": "slack", "path": "chat.postMessage", "body": {"channel": "C02EFGH5678", "text": "hello"}})


@pytest.fixture
def env() -> Iterator[SuiteEnv]:
    env = SuiteEnv(tests=RENAME)
    yield env
    env.close()


@pytest.mark.parametrize("count", [300, pytest.param(4096, marks=pytest.mark.soak)])
def test_forks_by_the_thousand_live_in_one_process(env: SuiteEnv, count: int) -> None:
    env.reset(seed=1)
    env.step(json.dumps(LOOK))
    forks = env.forks(count)
    assert {int(fork.step(json.dumps(SOLUTION))[0]["status"]) for fork in forks[:: count // 20 or 1]} == {200}
    assert forks[0].step(FINISH)[1] == 1.0
    assert env.step(FINISH)[1] == 0.0
    for fork in forks:
        fork.close()


def test_a_fork_has_a_random_generator_of_its_own() -> None:
    env, other = SuiteEnv(), SuiteEnv()
    for each in (env, other):
        each.reset(seed=7)
    fork = env.fork()
    assert (
        [fork.reset()[1] for _ in range(5)]
        == [env.reset()[1] for _ in range(5)]
        == [other.reset()[1] for _ in range(5)]
    )
    for each in (env, other, fork):
        each.close()


def test_a_seed_gives_the_same_world_again(env: SuiteEnv) -> None:
    seen: list[str] = []
    for _ in range(2):
        env.reset(seed=3)
        seen.append(env.step(POST)[0]["answer"])
    assert seen[0] == seen[1]
    assert '"ts"' in seen[0]


def test_256_environments_step_at_once() -> None:
    envs = gymnasium.make_vec("twindiff/Suite-v0", 256, vectorization_mode="vector_entry_point", tests=RENAME)
    envs.reset(seed=1)
    envs.step([json.dumps(SOLUTION if at % 2 else MISTAKE) for at in range(256)])
    _, rewards, terminations, _, infos = envs.step([FINISH] * 256)
    assert (rewards.sum(), terminations.all(), infos["passed"].sum()) == (128.0, True, 128)
    envs.close()


@pytest.fixture
def vector(server: str) -> Iterator[SuiteVectorEnv]:
    envs = SuiteVectorEnv(4, tests=RENAME, base_url=server)
    yield envs
    envs.close()


def test_steps_on_a_server_are_started_and_awaited(vector: SuiteVectorEnv) -> None:
    vector.reset(seed=1)
    vector.step_async([json.dumps(SOLUTION)] * 4)
    with pytest.raises(gymnasium.error.AlreadyPendingCallError):
        vector.step_async([FINISH] * 4)
    vector.step_wait()
    with pytest.raises(gymnasium.error.NoAsyncCallError):
        vector.step_wait()
    assert vector.step([FINISH] * 4)[1].tolist() == [1.0] * 4


def test_an_episode_that_is_over_is_reset_by_the_next_step(vector: SuiteVectorEnv) -> None:
    vector.reset(seed=1)
    vector.step([FINISH, *[json.dumps(LOOK)] * 3])
    seen, rewards, terminations, *_ = vector.step([json.dumps(LOOK)] * 4)
    assert (list(seen["status"]), terminations.tolist(), rewards.sum()) == ([0, 200, 200, 200], [False] * 4, 0.0)


def test_all_of_a_vector_go_on_from_one_of_them(vector: SuiteVectorEnv) -> None:
    vector.reset(seed=1)
    vector.step([json.dumps(SOLUTION), *[json.dumps(MISTAKE)] * 3])
    vector.fork(0)
    assert vector.step([FINISH] * 4)[1].tolist() == [1.0] * 4


def test_a_suite_of_ones_own_needs_no_server(tmp_path: Path) -> None:
    checks = [{"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}]
    test = {"id": "t", "name": "Greet", "prompt": "Say hello.", "type": "actionEval", "seed_template": "slack_default"}
    suite = {
        "name": "Mine",
        "service": "slack",
        "tests": [{**test, "impersonate_user_id": "U01AGENBOT9", "assertions": checks}],
    }
    (tmp_path / "mine.json").write_text(json.dumps(suite))
    env = SuiteEnv(suite="Mine", files=str(tmp_path))
    assert env.reset()[0]["prompt"] == '"Say hello."'
    env.step(POST)
    assert env.step(FINISH)[1] == 1.0
    env.close()


def test_environments_of_a_trainer_that_crashed_end_by_themselves(server: str, platform: Platform) -> None:
    client = platform_at(server)
    episode = Episode.begin(client, chosen_tests(client, tests=RENAME)[0], lease_seconds=LEASE_SECONDS)
    ends = datetime.fromisoformat(platform.get(f"env/{episode.environment.id}")["expiresAt"]).replace(tzinfo=UTC)
    assert ends <= datetime.now(UTC) + timedelta(seconds=LEASE_SECONDS)
    assert datetime.fromisoformat(episode.environment.extend(2 * LEASE_SECONDS)).replace(tzinfo=UTC) > ends
    assert platform.refusal("POST", f"env/{episode.environment.id}/extend", {"ttlSeconds": 0})[0] == 400
    episode.close()


STRIPE: list[tuple[dict[str, Any], int]] = [
    ({"path": "v1/customers", "body": {"name": "Acme", "metadata": {"plan": "pro"}, "preferred_locales": ["de"]}}, 200),
    ({"path": "v1/customers", "form": {"name": "Acme"}, "headers": {"Idempotency-Key": "k1"}}, 200),
    ({"path": "v1/customers", "form": {"name": "Other"}, "headers": {"Idempotency-Key": "k1"}}, 400),
    ({"path": "v1/customers", "form": 7}, 0),
    ({"path": "v1/customers", "files": {"file": "text"}}, 0),
    (
        {
            "path": "v1/files",
            "form": {"purpose": "dispute_evidence"},
            "files": {"file": {"name": "a.png", "content": "x"}},
        },
        200,
    ),
]


def test_calls_are_forms_where_the_vendor_takes_forms(tmp_path: Path) -> None:
    test = {"id": "t", "name": "Pay", "prompt": "Go", "type": "actionEval", "seed_template": "stripe_default"}
    suite = {
        "name": "Forms",
        "service": "stripe",
        "tests": [{**test, "assertions": [{"diff_type": "added", "entity": "customers"}]}],
    }
    (tmp_path / "forms.json").write_text(json.dumps(suite))
    env = SuiteEnv(suite="Forms", files=str(tmp_path))
    env.reset()
    answers = [env.step(json.dumps({"api": "stripe", "method": "POST", **call}))[0] for call, _ in STRIPE]
    assert [int(each["status"]) for each in answers] == [status for _, status in STRIPE], answers
    assert json.loads(answers[0]["answer"])["metadata"] == {"plan": "pro"}
    env.close()
