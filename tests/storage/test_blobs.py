"""Bytes by their digest."""

from hashlib import sha256

import pytest

from twindiff.kit.blobs import NoBlobs
from twindiff.kit.errors import NotFound
from twindiff.storage.blobs import blobs_of


@pytest.fixture(params=["memory", "files"])
def blobs(request, tmp_path):
    return blobs_of(":memory:" if request.param == "memory" else str(tmp_path))


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 5000])
def test_what_is_put_comes_back_by_its_sha256(blobs, data):
    digest = blobs.put(data)
    assert digest == sha256(data).hexdigest()
    assert blobs.get(digest) == data


def test_what_is_put_twice_is_kept_once(tmp_path):
    blobs = blobs_of(str(tmp_path))
    assert blobs.put(b"x") == blobs.put(b"x")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_bytes_outlive_the_process_in_a_data_directory(tmp_path):
    digest = blobs_of(str(tmp_path)).put(b"x")
    assert blobs_of(str(tmp_path)).get(digest) == b"x"


def test_what_was_never_put_is_not_found(blobs):
    with pytest.raises(NotFound):
        blobs.get("0" * 64)


def test_a_call_without_a_place_for_bytes_says_so():
    with pytest.raises(NotFound):
        NoBlobs().put(b"x")
