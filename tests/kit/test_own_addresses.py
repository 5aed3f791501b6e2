"""Addresses of a twin: stored in one form, and named as the reader reaches the twin."""

import pytest

from twindiff.kit import OWN_ADDRESS, Response
from twindiff.kit.own_addresses import OwnAddresses
from twindiff.kit.vendor_hosts import read_vendor_hosts

HOSTS = read_vendor_hosts({"api.shop.com": "", "up.shop.com": "/upload", "*.shop.com": ""})
ADDRESSES = OwnAddresses(HOSTS, {"": "api.shop.com", "/upload": "up.shop.com"})
HERE = "http://127.0.0.1:8000/api/env/e/services/shop"


@pytest.mark.parametrize(
    ("stored", "base_url", "named"),
    [
        (f'{{"a":"{OWN_ADDRESS}/v1/x"}}', HERE, f'{{"a":"{HERE}/v1/x"}}'),
        (f'"{OWN_ADDRESS}"', HERE, f'"{HERE}"'),
        ("wss://twin.invalid/link?t=1", HERE, "ws://127.0.0.1:8000/api/env/e/services/shop/link?t=1"),
        ("wss://twin.invalid/link", "https://api.shop.com", "wss://api.shop.com/link"),
        (f"{OWN_ADDRESS}/upload/a", "https://api.shop.com", "https://up.shop.com/a"),
        (f"{OWN_ADDRESS}/upload/a", HERE, f"{HERE}/upload/a"),
        (f"{OWN_ADDRESS}/v1", "https://eu.shop.com", "https://api.shop.com/v1"),
        (f"{OWN_ADDRESS}/v1", "", "https://api.shop.com/v1"),
        (f"{OWN_ADDRESS}/v1", "https://shop.com.evil.com", "https://shop.com.evil.com/v1"),
        ("https://twin.invalidated.com/x", HERE, "https://twin.invalidated.com/x"),
    ],
)
def test_a_stored_address_is_named_as_its_reader_reaches_the_twin(stored: str, base_url: str, named: str):
    assert ADDRESSES.name(stored.encode(), base_url).decode() == named


def test_headers_are_named_and_the_bytes_of_pictures_are_not():
    text = f"{OWN_ADDRESS}/x".encode()
    answer = ADDRESSES.name_in_response(Response(text, headers=(("Location", f"{OWN_ADDRESS}/y"),)), HERE)
    assert (answer.body.decode(), answer.headers) == (f"{HERE}/x", (("Location", f"{HERE}/y"),))
    assert ADDRESSES.name_in_response(Response(text, content_type="image/png"), HERE).body == text


def test_an_address_at_a_host_that_is_not_declared_is_refused():
    with pytest.raises(ValueError, match=r"'cdn[.]com' has addresses but is not among"):
        OwnAddresses(HOSTS, {"/cdn": "cdn.com"})
