"""`.arga/sandbox.yml` and the files that a guess looks into, from whoever writes to a repository."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes
from twindiff.server.apis.sandbox_runs import containers

Make = Callable[..., Repository]
SECRET = "nobody is to be shown this"


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(containers.SETTING, containers.NONE)


@pytest.fixture
def linked(repository: Make, tmp_path: Path) -> Callable[[str, str], Repository]:
    """A repository in which a name is a link to somewhere else."""

    def make(name: str, target: str) -> Repository:
        made = repository(README="x")
        (made.path / name).parent.mkdir(exist_ok=True)
        (made.path / name).symlink_to(target)
        made.commit("Link")
        return made

    return make


def test_a_config_that_is_a_link_is_refused_and_not_read(
    sandboxes: Sandboxes, linked: Callable[[str, str], Repository], tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}: [\n")
    status, detail = sandboxes.refused(repo=str(linked(".arga/sandbox.yml", str(tmp_path / "secret")).path))
    assert (status, ".arga/sandbox.yml is a link" in detail, SECRET in detail) == (422, True, False)


def test_a_folder_of_the_config_that_is_a_link_is_refused(
    sandboxes: Sandboxes, linked: Callable[[str, str], Repository], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "sandbox.yml").write_text("app: {app_command: ls}\n")
    status, detail = sandboxes.refused(repo=str(linked(".arga", str(tmp_path / "elsewhere")).path))
    assert (status, ".arga is a link" in detail) == (422, True)


def test_a_link_to_a_large_file_takes_no_memory(
    sandboxes: Sandboxes, linked: Callable[[str, str], Repository], tmp_path: Path
) -> None:
    with (tmp_path / "large").open("wb") as large:
        large.truncate(400 << 20)
    made = linked(".arga/sandbox.yml", str(tmp_path / "large"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sandboxes.refused(repo=str(made.path))[0] == 422
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # in KB


@pytest.mark.parametrize("name", ["Procfile", "package.json", "app.py", "manage.py", "index.html"])
def test_nothing_is_guessed_from_a_link(
    sandboxes: Sandboxes, linked: Callable[[str, str], Repository], tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret").write_text(f"web: {SECRET}\n")
    status, detail = sandboxes.refused(repo=str(linked(name, str(tmp_path / "secret")).path))
    assert (status, f"{name} is a link" in detail, SECRET in detail) == (422, True, False)


BASES = "".join(f"b{n}: &b{n} {{<<: [{', '.join([f'*b{n - 1}'] * 9)}]}}\n" for n in range(1, 9))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("x" * 65_537, "is larger than 65536 bytes"),
        ("app: " + "[" * 1000 + "]" * 1000, "deeper than 20"),
        ("app: " + "{a: " * 5000 + "1" + "}" * 5000, "deeper than 20"),
        ("[" * 30_000, "deeper than 20"),
        ("- " * 20_000, "deeper than 20"),
        ("b0: &b0 {a: 1}\n" + BASES, "more than 20 aliases"),
        ("app: {app_port: 99999}", "app_port"),
        ("app: {app_port: 0}", "app_port"),
        ("app: {app_port: -5}", "app_port"),
        ("app: {app_port: 1" + "0" * 21 + "}", "app_port"),
        ("app: {app_port: 1" + "0" * 6000 + "}", "no YAML"),
        ("app: {env: {A: 1" + "0" * 6000 + "}}", "no YAML"),
        ("version: 2024-13-45", "no YAML"),
        ("app: {app_port: 0x" + "f" * 5000 + "}", "app_port"),
        ('app: {app_command: "a\\0b"}', "app_command"),
        ('app: {app_command: "\\ud800"}', "no YAML"),
        ('app: {context_dir: "a\\0b"}', "context_dir"),
        ("app: {context_dir: " + "a" * 5000 + "}", "context_dir"),
        ('app: {context_dir: "~nobody/x"}', "context_dir"),
        ("app: {context_dir: /etc}", "context_dir"),
        ("app: {apps_port: 1}", "`apps_port`"),
        ("app: {env: {A: .nan}, app_comand: x}", "app_comand"),
        ("? [a, b]\n: c", "no YAML"),
        ("? {a: b}\n: c", "no YAML"),
        ("app: !!python/object/apply:os.system ['true']", "no YAML"),
        ("app: *nothing", "no YAML"),
        ("a: &a [*a]", "contains itself"),
        ("app: &a {targets: *a}", "contains itself"),
        ("\x01", "no YAML"),
    ],
)
def test_a_file_that_goes_too_far_is_refused_by_what_is_wrong(
    sandboxes: Sandboxes, repository: Make, config: str, said: str
) -> None:
    status, detail = sandboxes.refused(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config).path))
    assert (status, said in detail) == (422, True), detail
    assert len(detail) < 1000


def test_a_context_dir_that_is_a_link_within_the_repository_is_followed(sandboxes: Sandboxes, repository: Make) -> None:
    made = repository(web__app_DOT_py=SERVES, _DOT_arga__sandbox_DOT_yml="app: {context_dir: link}")
    (made.path / "link").symlink_to("web")
    made.commit("Link")
    assert sandboxes.create(repo=str(made.path))["status"] == "ready"


def test_a_start_command_may_be_as_long_as_its_file(sandboxes: Sandboxes, repository: Make) -> None:
    config = f"app:\n  app_command: 'python app.py # {'x' * 60_000}'\n"
    made = repository(app_DOT_py=SERVES, _DOT_arga__sandbox_DOT_yml=config)
    assert sandboxes.create(repo=str(made.path))["status"] == "ready"


def test_a_long_program_is_guessed_from_its_beginning(sandboxes: Sandboxes, repository: Make) -> None:
    run = sandboxes.create(repo=str(repository(app_DOT_py=f"{SERVES}# {'é' * 100_000}\n").path))
    assert (run["status"], run["app_command_guessed_from"]) == ("ready", "app.py")


@pytest.mark.parametrize("package", ['{"a": ' + "[" * 30_000, '{"scripts": "start"}', '{"scripts": {"start": 1}}', "["])
def test_nothing_is_guessed_from_a_package_without_scripts(
    sandboxes: Sandboxes, repository: Make, package: str
) -> None:
    status, detail = sandboxes.refused(repo=str(repository(package_DOT_json=package).path))
    assert (status, "Nothing says how the application is started" in detail) == (422, True)
