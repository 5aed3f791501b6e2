"""Pictures: what the head of each says of it, and small copies.

https://docs.slack.dev/reference/objects/file-object#thumbnails
"""

import io

import httpx
import pytest
from PIL import Image

from tests.harness import GENERAL, JOHN, ROBERT
from twindiff.twins.slack.tests.pictures import moving, picture


def turned(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return picture(40, 20, "JPEG", exif=exif)


def fetched(slack, url):
    return httpx.get(url, headers={"Authorization": f"Bearer {slack.token}"})


def size_of(slack, url):
    return Image.open(io.BytesIO(fetched(slack, url).content)).size


def test_a_picture_tells_its_size_and_how_it_is_turned(upload):
    file = upload(turned(6), "dog.jpg")
    assert [file[name] for name in ("original_w", "original_h", "image_exif_rotation")] == [40, 20, 6]


def test_a_picture_has_the_thumbnails_that_are_smaller_than_it(upload):
    file = upload(picture(500, 313), "computer.png")
    names = {name for name in file if name.startswith("thumb_") and name[6:].isdigit()}
    assert names == {"thumb_64", "thumb_80", "thumb_160", "thumb_360", "thumb_480"}


def test_thumbnails_tell_their_sizes(upload):
    file = upload(picture(), "file.png")
    sizes = {most: (file[f"thumb_{most}_w"], file[f"thumb_{most}_h"]) for most in (360, 480, 720, 800, 960, 1024)}
    # As those of a recorded picture of this size.
    assert sizes == {
        360: (360, 115),
        480: (480, 153),
        720: (720, 230),
        800: (800, 255),
        960: (960, 306),
        1024: (1024, 327),
    }


@pytest.mark.parametrize(
    ("width", "height", "kind", "name"),
    [(1134, 362, "PNG", "a.png"), (700, 900, "JPEG", "b.jpg"), (176, 226, "GIF", "c d.gif")],
)
def test_every_thumbnail_is_as_large_as_it_is_said_to_be(slack, upload, width, height, kind, name):
    file = upload(picture(width, height, kind), name)
    wide = [field for field in file if field.startswith("thumb_") and f"{field}_w" in file]
    told = {field: (file[f"{field}_w"], file[f"{field}_h"]) for field in wide}
    assert {field: size_of(slack, file[field]) for field in wide} == told


@pytest.mark.parametrize("side", [64, 80, 160])
def test_the_least_thumbnails_are_square_though_the_picture_is_small(slack, upload, side):
    assert size_of(slack, upload(picture(30, 10), "dot.png")[f"thumb_{side}"]) == (side, side)


def test_what_a_square_thumbnail_does_not_cover_is_clear(slack, upload):
    answer = fetched(slack, upload(picture(30, 10), "dot.png")["thumb_80"])
    assert Image.open(io.BytesIO(answer.content)).getchannel("A").getpixel((0, 0)) == 0


def test_an_animation_has_one_small_animation_and_a_still_picture(slack, upload):
    file = upload(moving(), "cat.gif")
    images = [Image.open(io.BytesIO(fetched(slack, file[name]).content)) for name in ("thumb_360_gif", "deanimate_gif")]
    assert [(image.format, image.size, getattr(image, "is_animated", False)) for image in images] == [
        ("GIF", (360, 250), True),
        ("PNG", (526, 366), False),
    ]


def test_a_small_animation_has_no_small_animation(upload):
    assert "thumb_360_gif" not in upload(moving(300, 200), "cat.gif")


def test_thumbnails_are_for_those_who_see_the_file(slack, slack_as, upload):
    url = upload(picture(), "secret.png")["thumb_64"]
    assert (fetched(slack, url).status_code, fetched(slack_as(ROBERT), url).status_code) == (200, 404)


def test_messages_show_the_thumbnails_of_their_files(slack, slack_as, upload):
    upload(picture(), "map.png", channel_id=GENERAL)
    [message, *_] = slack_as(JOHN)("conversations.history", channel=GENERAL)["messages"]
    assert message["files"][0]["thumb_64"].endswith("/map_64.png")


@pytest.mark.parametrize(
    "made",
    [
        lambda: b"no picture",
        lambda: picture()[:30],
        lambda: picture()[:-40],
        lambda: picture(6000, 6000),
        lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n",
    ],
    ids=["text", "head", "tail", "huge", "postscript"],
)
def test_a_picture_that_cannot_be_read_is_a_file_like_others(slack, upload, made):
    data = made()
    file = upload(data, "broken.png")
    wanted = file.get("thumb_64") or f"{slack.url}files-tmb/T1-{file['id']}/broken_64.png"
    assert fetched(slack, wanted).status_code == 404
    assert fetched(slack, file["url_private"]).content == data


def test_there_is_no_thumbnail_of_another_size(slack, upload):
    url = upload(picture(), "a.png")["thumb_64"]
    assert fetched(slack, url.replace("_64.png", "_65.png")).status_code == 404


def test_what_a_picture_is_like_is_not_the_agent_s_doing(slack, upload):
    upload(picture(), "a.png")
    tables = {name: {row["__table__"] for row in slack.diff(name)["inserts"]} for name in ("plain", "derived")}
    assert tables == {"plain": {"files"}, "derived": {"files", "file_pictures"}}
