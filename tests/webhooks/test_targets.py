"""Targets that hang, refuse, redirect, lie elsewhere or never end: a clear record, and nobody else waits."""

import socket
import threading

import pytest

from tests.harness import Environment, LiveServer, Platform
from tests.receiver import Received, Receiver, Said, prove
from tests.webhooks.conftest import SLACKS_OWN, Webhooks
from twindiff.server import Settings
from twindiff.twins import slack


def bad(webhooks: Webhooks, receiver: Receiver, said: Said) -> dict:
    """The first attempt to tell a program that answers like this."""

    def answer(request: Received) -> Said | None:
        return prove(request) or said

    receiver.answers = answer
    webhooks.add(receiver.url)
    webhooks.env.post("hi")
    return webhooks.tried()["attempts"][0]


def test_a_redirect_is_not_followed(webhooks, receiver):
    attempt = bad(webhooks, receiver, Said(302, headers={"Location": "http://169.254.169.254/"}))
    assert (attempt["status"], attempt["failure"]) == (302, "redirect")
    assert attempt["message"] == "it redirects to http://169.254.169.254/, which is not followed"


def test_a_program_that_is_gone_is_recorded(webhooks, receiver):
    webhooks.add(receiver.url)
    receiver.close()
    webhooks.env.post("hi")
    attempt = webhooks.tried()["attempts"][0]
    assert (attempt["status"], attempt["failure"]) == (None, "refused")


def test_an_answer_of_a_gigabyte_is_read_to_its_first_64_kilobytes(webhooks, receiver):
    said = Said(500, b"x" * 65536, times=16384)
    attempt = bad(webhooks, receiver, said)
    assert (attempt["status"], attempt["message"]) == (500, "x" * 200)


def test_a_program_that_hangs_holds_up_nobody_else(platform, webhooks, receiver):
    over = threading.Event()
    slow = Receiver(lambda request: prove(request) or (over.wait(60) and None) or None)
    other = Webhooks(platform.environment())
    other.add(receiver.url)
    webhooks.add(slow.url)
    webhooks.env.post("hangs")
    other.env.post("goes on")
    assert [each["status"] for each in other.settled()] == ["delivered"]
    assert webhooks.deliveries()[0]["attempts"] == []
    over.set()
    webhooks.tried()
    slow.close()


def test_a_program_that_hangs_is_given_up(webhooks, monkeypatch):
    monkeypatch.setattr(slack.twin, "webhooks", SLACKS_OWN)
    over = threading.Event()
    slow = Receiver(lambda request: prove(request) or (over.wait(60) and None) or None)
    webhooks.add(slow.url)
    webhooks.env.post("hangs")
    attempt = webhooks.tried()["attempts"][0]
    over.set()
    slow.close()
    assert (attempt["failure"], attempt["message"]) == ("timeout", "no whole answer within 3 seconds")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://10.0.0.1/hook", "start the server with --allow-webhooks-to 10.0.0.1"),
        ("http://[::ffff:10.0.0.1]/hook", "is 10.0.0.1, which is not this machine"),
        ("http://169.254.169.254/latest", "which no webhook may reach"),
        ("http://0.0.0.0/", "which no webhook may reach"),
        ("http://nowhere.invalid/", "the host of 'http://nowhere.invalid/' is not known"),
        ("ftp://127.0.0.1/", "a webhook needs an http or https URL"),
        ("http://user:word@127.0.0.1/", "without a user"),
        ("http://", "a webhook needs an http or https URL"),
        ("http://127.0.0.1:99999999/", "99999999 is no port"),
        ("http://[::1/", "is no URL"),
        (f"http://{'a' * 64}.example/", "is not known"),
        ("http://a..example/", "is not known"),
        ("http://127.0.0.1/" + "x" * 2000, "at most 2000 letters"),
    ],
)
def test_an_address_that_may_not_be_reached_is_refused_when_it_is_given(webhooks, url, words):
    answer = webhooks.platform.ask("POST", f"env/{webhooks.env.id}/webhooks", {"twin": "slack", "url": url})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_webhook")
    assert words in answer.json()["detail"]


def test_a_program_that_does_not_answer_the_challenge_is_refused(webhooks, receiver):
    receiver.answers = lambda request: Said(body=b"hello")
    answer = webhooks.platform.ask("POST", f"env/{webhooks.env.id}/webhooks", {"twin": "slack", "url": receiver.url})
    assert (answer.status_code, answer.json()["error"]) == (400, "webhook_unproven")
    assert webhooks.platform.get(f"env/{webhooks.env.id}/webhooks") == {"webhooks": []}


def test_an_event_that_does_not_exist_is_refused_with_the_nearest_name(webhooks, receiver):
    body = {"twin": "slack", "url": receiver.url, "events": ["message.chanels"]}
    answer = webhooks.platform.ask("POST", f"env/{webhooks.env.id}/webhooks", body)
    assert answer.json()["detail"] == "slack has no event 'message.chanels'. Did you mean 'message.channels'?"


def test_a_host_that_was_named_may_be_reached(receiver):
    name = socket.gethostname()
    server = LiveServer(Settings(webhook_hosts=(name.upper(),)))
    try:
        env: Environment = Platform(server.client).environment()
        answer = env.platform.ask("POST", f"env/{env.id}/webhooks", {"twin": "slack", "url": f"http://{name}:1/"})
        assert "--allow-webhooks-to" not in answer.text
    finally:
        server.close()
