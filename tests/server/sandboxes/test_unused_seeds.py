"""Rows that sandboxes started with, when no sandbox has them any more."""

import pytest

from tests.harness import LiveServer, Platform
from tests.server.sandboxes.asking import Sandboxes
from tests.server.sandboxes.test_seed_data import WORLD
from twindiff.storage.sqlite import SqliteEngine


class Home:
    """A server, and the template of a sandbox that was made with rows of its own."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.sandboxes = Sandboxes(server.client)
        self.made = self.sandboxes.create(seed_data=WORLD)
        made = server.on_loop(lambda: server.service.environments.get(self.made["id"]))
        (self.template,) = made.origin.templates.items()

    def delete(self) -> None:
        assert self.sandboxes.ask("DELETE", f"sandboxes/{self.made['id']}").status_code == 204

    def sweep(self, times: int = 3) -> bool:
        """Look for unused templates so often; whether the sandbox's is still there."""
        return self.server.on_loop(lambda: self._sweep(times))

    def _sweep(self, times: int) -> bool:
        service = self.server.service
        assert service.upkeep.unused
        assert isinstance(service.engine, SqliteEngine)
        for _ in range(times):
            list(service.upkeep.unused.sweep())
        return self.template in service.engine.stored_templates()

    def templates(self) -> int:
        return self.server.on_loop(lambda: len(self.server.service.templates.list()))

    def channels(self, sandbox: dict[str, str]) -> list[str]:
        return [each["name"] for each in self.sandboxes.call(sandbox, "/conversations.list")["channels"]]


@pytest.fixture
def home(make_server) -> Home:
    server = make_server()
    if server.service.upkeep.unused is None:
        pytest.skip("PostgreSQL keeps the rows of every sandbox")
    return Home(server)


def test_they_stay_as_long_as_the_sandbox(home):
    assert home.sweep()
    assert home.channels(home.made) == ["notes"]


def test_they_go_some_time_after_it(home):
    home.delete()
    assert [home.sweep(1), home.sweep(1)] == [True, False]


def test_they_stay_as_long_as_a_fork(home):
    (fork,) = Platform(home.server.client).post(f"env/{home.made['id']}/fork")["environments"]
    home.delete()
    assert home.sweep()
    assert home.channels(home.sandboxes.get(f"/{fork['environmentId']}")) == ["notes"]


def test_they_stay_for_a_sandbox_that_wants_them_in_time(home):
    home.delete()
    home.sweep(1)
    again = home.sandboxes.create(seed_data=WORLD)
    assert home.sweep()
    assert home.channels(again) == ["notes"]


def test_they_can_be_given_again_when_they_are_gone(home):
    home.delete()
    home.sweep()
    assert home.channels(home.sandboxes.create(seed_data=WORLD)) == ["notes"]


def test_templates_with_a_name_stay(home):
    home.delete()
    before = home.templates()
    home.sweep()
    assert home.templates() == before
    assert home.channels(home.sandboxes.create(scenario="slack_default")) == ["general", "random"]


def test_one_that_cannot_be_removed_is_set_aside_and_holds_up_no_other(home, monkeypatch, caplog):
    other = home.sandboxes.create(seed_data={**WORLD, "channels": []})
    home.delete()
    assert home.sandboxes.ask("DELETE", f"sandboxes/{other['id']}").status_code == 204
    engine, tries = home.server.service.engine, []
    broken, removes = home.template, engine.forget_template

    def remove(*template):
        tries.append(template)
        if template == broken:
            raise LookupError("broken")
        removes(*template)

    monkeypatch.setattr(engine, "forget_template", remove)
    assert home.sweep(7)
    assert (tries.count(broken), len({*tries} - {broken}), len(tries)) == (3, 1, 4)
    said = [line for line in caplog.messages if "set aside" in line]
    assert said == [f"Unused template {broken[1]} of slack set aside after 3 tries: LookupError: broken"]
