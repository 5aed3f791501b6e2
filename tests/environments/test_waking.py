"""Environments that sleep are rebuilt when somebody calls, while others go on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.harness import Environment, Platform, texts


@pytest.fixture
def asleep(make_server, tmp_path):
    """Twenty environments with ten messages each, on a server that was just started again."""
    first = make_server(data_dir=str(tmp_path))
    platform = Platform(first.client)
    environments = [platform.environment() for _ in range(20)]
    runs = [platform.start(environment) for environment in environments]
    for environment in environments:
        for number in range(10):
            environment.post(str(number))
    first.close()
    again = Platform(make_server(data_dir=str(tmp_path)).client)
    return again, [Environment(again, each.made) for each in environments], runs


def test_many_wake_at_once_and_none_is_refused(asleep):
    platform, environments, runs = asleep
    with ThreadPoolExecutor(16) as pool:
        for _ in range(3):
            list(pool.map(lambda environment: environment.post("awake"), environments * 3))
    assert {tuple(texts(platform.diff(run))) for run in runs} == {(*map(str, range(10)), *["awake"] * 9)}


def test_some_wake_while_others_are_made_judged_and_deleted(asleep):
    platform, environments, runs = asleep

    def work(number):
        environment = environments[number % 20]
        if number % 5 == 0:
            return platform.delete(f"env/{platform.environment().id}")
        if number % 5 == 1:
            return platform.diff(runs[number % 20])
        return environment.post("awake")

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(200)))


def test_an_environment_deleted_while_it_sleeps_stays_deleted(asleep):
    platform, environments, _ = asleep
    with ThreadPoolExecutor(8) as pool:
        posts = [pool.submit(environments[0].ask, "auth.test") for _ in range(8)]
        platform.delete(f"env/{environments[0].id}")
        assert {post.result().status_code for post in posts} <= {200, 410}
    assert environments[0].ask("auth.test").status_code == 410
