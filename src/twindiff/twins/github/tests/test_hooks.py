"""Webhooks: what is delivered, signed as GitHub signs it."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from .conftest import Hub
from .test_graphql import mutate

SECRET = "It's a Secret to Everybody"
Delivery = tuple[dict[str, str], bytes]


@pytest.fixture
def receiver() -> Iterator[tuple[str, Queue[Delivery]]]:
    """The address of a program that takes webhooks, and what it has got."""
    got: Queue[Delivery] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.put((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_push_is_delivered_with_a_signature(hub: Hub, receiver: tuple[str, Queue[Delivery]]):
    repo, (url, got) = hub.repo(), receiver
    config = {"url": url, "content_type": "json", "secret": SECRET}
    hub("POST", f"{repo}/hooks", {"config": config, "events": ["push"]})
    assert got.get(timeout=60)[0]["X-GitHub-Event"] == "ping"
    hub.write(repo, "a.txt", "a")
    headers, body = got.get(timeout=60)
    assert headers["X-Hub-Signature-256"] == f"sha256={hmac.new(SECRET.encode(), body, sha256).hexdigest()}"
    pushed = json.loads(body)
    assert (headers["X-GitHub-Event"], pushed["ref"], pushed["commits"][0]["added"]) == (
        "push",
        "refs/heads/main",
        ["a.txt"],
    )


def test_a_draft_that_reverts_is_announced_as_a_draft(hub: Hub, receiver: tuple[str, Queue[Delivery]]):
    repo, (url, got) = hub.repo(), receiver
    pull = hub.pull(repo)
    hub("PUT", f"{repo}/pulls/1/merge", {})
    config = {"url": url, "content_type": "json"}
    hub("POST", f"{repo}/hooks", {"config": config, "events": ["pull_request"]})
    assert got.get(timeout=60)[0]["X-GitHub-Event"] == "ping"
    mutate(hub, "revertPullRequest", "clientMutationId", pullRequestId=pull["node_id"], draft=True)
    opened = json.loads(got.get(timeout=60)[1])
    assert (opened["action"], opened["pull_request"]["draft"]) == ("opened", True)


def work_a_day(hub: Hub, repo: str) -> None:
    """Do what most people do in a repository."""
    hub("POST", f"{repo}/labels", {"name": "blue", "color": "0000ff"})
    hub("POST", f"{repo}/milestones", {"title": "1.0"})
    hub("POST", f"{repo}/issues", {"title": "Broken", "labels": ["blue"]})
    hub("POST", f"{repo}/issues/1/comments", {"body": "Indeed"})
    hub("PATCH", f"{repo}/issues/1", {"state": "closed"})
    pull = hub.pull(repo)
    hub("POST", f"{repo}/pulls/2/reviews", {"event": "COMMENT", "body": "Hm"})
    hub(
        "POST",
        f"{repo}/pulls/2/comments",
        {"body": "Why?", "commit_id": pull["head"]["sha"], "path": "a.txt", "line": 1},
    )
    hub("POST", f"{repo}/statuses/{pull['head']['sha']}", {"state": "success"})
    hub("PUT", f"{repo}/pulls/2/merge", {})
    check = hub("POST", f"{repo}/check-runs", {"name": "lint", "head_sha": hub.head(repo)})
    hub("PATCH", f"{repo}/check-runs/{check['id']}", {"conclusion": "success"})
    hub("POST", f"{repo}/releases", {"tag_name": "v1"})
    hub("DELETE", f"{repo}/git/refs/heads/feature")
    hub("PUT", f"/user/starred{repo.removeprefix('/repos')}")


HAPPENED = {
    *(
        "label.created",
        "milestone.created",
        "issues.opened",
        "issue_comment.created",
        "issues.closed",
        "create",
        "push",
    ),
    *("pull_request.opened", "pull_request_review.submitted", "pull_request_review_comment.created", "status"),
    *("pull_request.closed", "check_run.completed", "release.published", "delete", "star.created"),
}


def test_what_happens_in_a_repository_is_delivered_signed(hub: Hub, receiver: tuple[str, Queue[Delivery]]):
    repo, (url, got) = hub.repo(), receiver
    hub("POST", f"{repo}/hooks", {"config": {"url": url, "content_type": "json", "secret": SECRET}, "events": ["*"]})
    work_a_day(hub, repo)
    told: set[str] = set()
    while not told >= HAPPENED:
        headers, body = got.get(timeout=60)
        payload = json.loads(body)
        assert headers["X-Hub-Signature-256"] == f"sha256={hmac.new(SECRET.encode(), body, sha256).hexdigest()}"
        assert headers["X-GitHub-Event"] == "ping" or payload["repository"]["full_name"] == "octocat/demo"
        told.add(".".join(filter(None, (headers["X-GitHub-Event"], payload.get("action")))))


@pytest.mark.parametrize(
    "body", [{"config": {"url": "nonsense"}}, {"config": {"url": "http://x.y"}, "events": ["nope"]}, {}]
)
def test_hooks_that_cannot_be_are_refused(hub: Hub, body: dict[str, Any]):
    repo = hub.repo()
    assert hub.refused("POST", f"{repo}/hooks", body)[0] == 422
    assert hub("GET", f"{repo}/hooks") == []
