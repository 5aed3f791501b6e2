"""Which hosts and paths belong to a twin."""

import pytest

from twindiff.kit.vendor_hosts import find_vendor_host, read_vendor_hosts

HOSTS = read_vendor_hosts(
    {
        "slack.com": "/web",
        "*.slack.com": "",
        "www.shared.com/calendar/v3": "",
        "www.shared.com": "/rest",
        "a.b.com": "/x",
    }
)


@pytest.mark.parametrize(
    ("host", "path", "prefix"),
    [
        ("slack.com", "/api/auth.test", "/web"),
        ("files.slack.com", "/f", ""),
        ("a.b.slack.com", "/", ""),
        ("notslack.com", "/", None),
        ("slack.com.evil.com", "/", None),
        ("www.shared.com", "/calendar/v3/colors", ""),
        ("www.shared.com", "/calendar/v3", ""),
        ("www.shared.com", "/calendar/v33", "/rest"),
        ("www.shared.com", "/drive", "/rest"),
        ("", "/", None),
    ],
)
def test_the_most_precise_host_of_a_request_decides(host, path, prefix):
    found = find_vendor_host(HOSTS, host, path)
    assert (found.prefix if found else None) == prefix


@pytest.mark.parametrize("written", ["", "/path", "*.", "Slack.com", "a.*.com", "a.com:443"])
def test_a_host_that_no_url_names_is_refused(written):
    with pytest.raises(ValueError, match="names no host"):
        read_vendor_hosts({written: ""})
