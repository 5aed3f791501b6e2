"""A file is answered whole or in parts."""

import pytest

from twindiff.kit import file_answer
from twindiff.kit.downloads import RangeNotSatisfiable


@pytest.mark.parametrize(
    ("header", "part", "content_range"),
    [
        ("bytes=0-3", b"0123", "bytes 0-3/10"),
        ("bytes=4-", b"456789", "bytes 4-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=-30", b"0123456789", "bytes 0-9/10"),
        ("bytes=8-99", b"89", "bytes 8-9/10"),
        ("bytes=9-9", b"9", "bytes 9-9/10"),
    ],
)
def test_a_range_is_a_part(header: str, part: bytes, content_range: str):
    answer = file_answer(b"0123456789", "text/plain", range=header)
    assert (answer.status, answer.body, dict(answer.headers)["Content-Range"]) == (206, part, content_range)


@pytest.mark.parametrize(
    "header", ["", "bytes=", "bytes=-", "bytes=5-2", "lines=0-1", "bytes=0-1,4-5", f"bytes={'9' * 5000}-"]
)
def test_what_is_no_range_gives_the_whole_file(header: str):
    answer = file_answer(b"0123456789", range=header)
    assert (answer.status, answer.body) == (200, b"0123456789")


@pytest.mark.parametrize(
    ("header", "size"), [("bytes=10-", 10), ("bytes=10-12", 10), ("bytes=-0", 10), ("bytes=0-", 0)]
)
def test_a_range_behind_the_end_is_refused_with_the_size(header: str, size: int):
    with pytest.raises(RangeNotSatisfiable) as refused:
        file_answer(b"x" * size, range=header)
    assert (refused.value.status, refused.value.details["headers"]) == (416, (("Content-Range", f"bytes */{size}"),))


def test_a_file_has_a_name_of_any_letters():
    headers = dict(file_answer(b"", filename='größe "1".txt').headers)
    assert headers["Content-Disposition"] == "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.txt"
