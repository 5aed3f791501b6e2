"""What a look at an address tells: whether an application answers there, and which twins it would need."""

import pytest

from tests.harness import LiveServer, succeeded
from tests.test_runs.site import Site

PAGE = """<!doctype html><title>Shop &amp; more</title><script src="/shop.js"></script>
<script src="https://cdn.example.com/slack.js"></script><a href="https://hooks.slack.com/services/T1">Tell us</a>
<p>Check the box, it is linear.</p>"""
SCRIPT = "fetch('https://js.stripe.com/v3'); fetch('https://www.googleapis.com/calendar/v3/calendars')"


def test_the_twins_of_an_application_are_those_whose_vendors_it_names(live: LiveServer, site: Site):
    site.pages |= {"/probed": PAGE, "/shop.js": SCRIPT}
    answer = succeeded(live.client.post("/validate/url/probe", json={"url": f"{site.url}/probed"}))
    assert (answer["reachable"], answer["status"], answer["title"]) == (True, 200, "Shop & more")
    assert answer["evidence"] == {
        "calendar": "www.googleapis.com/calendar",
        "slack": "hooks.slack.com/services",
        "stripe": "js.stripe.com/v3",
    }
    assert answer["twins"] == ["calendar", "slack", "stripe"]


def test_an_address_where_nothing_answers_is_said_to_be_that(live: LiveServer):
    answer = succeeded(live.client.post("/validate/url/probe", json={"url": "http://127.0.0.1:9/"}))
    assert (answer["reachable"], answer["twins"], "nothing answers there" in answer["message"]) == (False, [], True)


@pytest.mark.parametrize("url", ["/cart", "ftp://a/b", "http://[x", "http://192.0.2.1/", "http://169.254.169.254/"])
def test_what_may_not_be_looked_at_is_refused_by_name(live: LiveServer, url: str):
    answer = live.client.post("/validate/url/probe", json={"url": url})
    assert (answer.status_code, answer.json()["detail"].startswith("url: ")) == (422, True)
