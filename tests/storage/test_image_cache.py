"""Images of built-in templates that are kept for the user's next process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from twindiff.environments.registry import Registry
from twindiff.local import Twindiff
from twindiff.storage import Template
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import image_cache
from twindiff.storage.sqlite.image_cache import ImageCache

SCHEMA = Schema("slack", Registry.load_installed().get("slack").tables)
TEMPLATE = Template("c0ffee", SCHEMA.hash, {})


class Builder:
    """Builds an image, and counts how often."""

    def __init__(self, image: bytes = b"an image") -> None:
        self.image = image
        self.built = 0

    def __call__(self) -> bytes:
        self.built += 1
        return self.image


def image(folder: Path | None, build: Builder, template: Template = TEMPLATE) -> bytes:
    """The image as a process of its own would get it."""
    return ImageCache(folder).image(SCHEMA, template, build)


def test_an_image_is_built_once(tmp_path: Path) -> None:
    build = Builder()
    assert [image(tmp_path, build), image(tmp_path, build)] == [build.image] * 2
    assert build.built == 1


def test_other_rows_are_another_image(tmp_path: Path) -> None:
    image(tmp_path, Builder(b"one"))
    assert image(tmp_path, Builder(b"other"), TEMPLATE._replace(hash="decaf")) == b"other"


@pytest.mark.parametrize("part", ["__version__", "PAGE_SIZE"])
def test_what_another_release_kept_is_not_used(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image(tmp_path, Builder(b"old"))
    monkeypatch.setattr(image_cache, part, "another")
    assert image(tmp_path, Builder(b"new")) == b"new"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flipped(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def opened_to_all(path: Path) -> None:
    path.chmod(0o666)


def linked(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


@pytest.mark.parametrize("spoil", [cut, flipped, emptied, opened_to_all, linked])
def test_a_file_that_cannot_be_trusted_is_built_again(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    image(tmp_path, Builder())
    spoil(next(tmp_path.glob("*.image")))
    again = Builder()
    assert (image(tmp_path, again), again.built) == (b"an image", 1)


def test_nothing_is_kept_where_others_may_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert image(tmp_path, Builder()) == b"an image"
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_is_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "here"
    image(folder, Builder())
    modes = [folder.stat().st_mode & 0o777, next(folder.iterdir()).stat().st_mode & 0o777]
    assert [oct(mode) for mode in modes] == ["0o700", "0o600"]


def test_a_folder_that_cannot_be_made_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert image(tmp_path / "file" / "below", Builder()) == b"an image"


def test_the_image_used_longest_ago_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_cache, "MAX_CACHE_BYTES", 100)
    image(tmp_path, Builder())
    os.utime(next(tmp_path.glob("*.image")), (1, 1))
    image(tmp_path, Builder(b"x" * 60), TEMPLATE._replace(hash="decaf"))
    assert [path.stat().st_size for path in tmp_path.glob("*.image")] == [92]


def test_without_a_folder_nothing_is_kept() -> None:
    build = Builder()
    assert [image(None, build), image(None, build)] == [build.image] * 2
    assert build.built == 2


def channels() -> list[str]:
    """The names of the channels in a new process's environment."""
    with Twindiff() as here:
        env = here.create("slack:slack_default")
        with httpx.Client(transport=here.transport(env), headers={"Authorization": f"Bearer {env.token}"}) as client:
            answer = client.get("https://slack.com/api/conversations.list").json()
    return [channel["name"] for channel in answer["channels"]]


def test_an_environment_of_a_kept_image_is_like_one_of_a_built_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWINDIFF_CACHE_DIR", str(tmp_path))
    built, kept = channels(), channels()
    assert len(list(tmp_path.glob("slack-*.image"))) == 1
    assert built == kept
    assert "general" in built


def test_imported_rows_are_not_kept_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWINDIFF_CACHE_DIR", str(tmp_path))
    with Twindiff() as here:
        here.import_files({"slack_mine.json": {"users": []}})
        here.create("slack:slack_mine", user="U1")
    assert list(tmp_path.glob("*.image")) == []
