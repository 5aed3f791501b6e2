"""The pages that people see in a browser."""

from __future__ import annotations

from collections.abc import Callable

from tests.harness import LiveServer, Platform
from twindiff.server.openapi import describe

Make = Callable[..., LiveServer]


def front(server: LiveServer) -> str:
    return server.client.get("/").text


def test_the_front_page_names_twins_and_templates(live: LiveServer) -> None:
    page = front(live)
    assert "<b>slack</b>" in page
    assert "<code>slack:slack_default</code>" in page


def test_pages_have_an_icon(live: LiveServer) -> None:
    for address in ("/", "/api/platform/docs"):
        assert '<link rel="icon" href="/inspect/static/icon.svg"' in live.client.get(address).text
    assert live.client.get("/inspect/static/icon.svg").headers["content-type"] == "image/svg+xml"


def test_a_server_with_a_key_does_not_show_its_templates_to_everyone(make_server: Make) -> None:
    page = front(make_server(api_key="k"))
    assert "<b>slack</b>" in page
    assert "slack:slack_default</code>" not in page


def test_the_front_page_leads_to_environments_unless_there_is_a_key(make_server: Make) -> None:
    for key, is_shown in ((None, True), ("k", False)):
        server = make_server(api_key=key)
        mine = Platform(server.client, key).environment(name="<i>mine</i>")
        page = front(server)
        assert (f"/inspect/environments/{mine.id}" in page, "&lt;i&gt;mine" in page) == (is_shown, is_shown)


def test_what_others_call_their_templates_is_shown_as_it_is(make_server: Make) -> None:
    server = make_server()
    mine = Platform(server.client).environment()
    wanted = {"environmentId": mine.id, "service": "slack", "name": "<b>$1</b>", "description": "<script>"}
    Platform(server.client).post("templates/from-environment", wanted)
    page = front(server)
    assert "slack:&lt;b&gt;$1&lt;/b&gt;" in page
    assert "<td>&lt;script&gt;" in page


def test_every_operation_has_a_section_that_the_contents_lead_to(live: LiveServer) -> None:
    page = live.client.get("/api/platform/docs").text
    ids = [operation["operationId"] for verbs in describe()["paths"].values() for operation in verbs.values()]
    assert [id for id in ids if f'<section id="{id}">' not in page or f'href="#{id}"' not in page] == []


def test_names_in_descriptions_are_set_as_code(live: LiveServer) -> None:
    page = live.client.get("/api/platform/docs").text
    assert "<code>tokens</code> maps further tokens" in page
