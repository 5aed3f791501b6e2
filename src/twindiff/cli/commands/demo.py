"""`twindiff demo`: runs and judges an agent's Slack session from start to end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from twindiff.cli.options import AsJson
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.console import Console

    from twindiff.checks import Verdict
    from twindiff.cli.remote import Remote

Json = dict[str, Any]

AGENT, JOHN = "U01AGENBOT9", "U02JOHNDOE1"
GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"

TASK = "Answer the last question in #general in a thread, mark it with eyes, and rename #random to #small-talk."
ANSWER = "I am. All checks are green so far."

FITTING: list[Json] = [
    {
        "description": "one answer, in a thread of #general",
        "diff_type": "added",
        "entity": "messages",
        "where": {"channel_id": GENERAL, "parent_id": {"exists": True}, "message_text": {"starts_with": "I am"}},
        "expected_count": 1,
    },
    {
        "description": "eyes on the question",
        "diff_type": "added",
        "entity": "message_reactions",
        "where": {"reaction_type": "eyes", "user_id": AGENT},
        "expected_count": 1,
    },
    {
        "description": "#random became #small-talk, and nothing else of it changed",
        "diff_type": "changed",
        "entity": "channels",
        "where": {"channel_id": RANDOM},
        "expected_changes": {"channel_name": {"from": "random", "to": "small-talk"}},
        "expected_count": 1,
    },
]
ASKING_MORE: list[Json] = [
    FITTING[0],
    {
        "description": "the answer mentions John, who is on call",
        "diff_type": "added",
        "entity": "messages",
        "where": {"channel_id": GENERAL, "message_text": {"contains": f"<@{JOHN}>"}},
        "expected_count": 1,
    },
]


class SessionFacts(NamedTuple):
    """The server's record of the session."""

    environment: str
    calls: list[Json]
    journal: list[Json]
    diff: Json
    fitting: Verdict
    asking_more: Verdict

    @property
    def as_expected(self) -> bool:
        """Whether the first spec passed and the second failed as intended."""
        return self.fitting.passed and [why.assertion for why in self.asking_more.explanations] == [2]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(demo)


def demo(as_json: AsJson = False) -> None:
    """Watch a scripted agent in a Slack twin being judged.

    It starts a server of its own, which keeps nothing, and ends it.
    """
    from twindiff.cli.render import screen

    console = screen()
    console.quiet = as_json
    with console.status("Starting a server"):
        _require_sdks()
        from twindiff.cli.hosting import running
        from twindiff.server import Settings
    # A configured proxy cannot reach this machine's loopback.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
    with running(Settings()) as url:
        seen = _session(url, console)
    if as_json:
        typer.echo(json.dumps(_as_json(seen), indent=2))
    else:
        _show(seen, console)
    if not seen.as_expected:
        raise CommandError("The verdicts are not as expected, which is a mistake of twindiff itself; please report it.")


def _require_sdks() -> None:
    for name in ("agent_diff", "slack_sdk"):
        try:
            import_module(name)
        except ImportError:
            raise CommandError(
                f"The demo speaks through two SDKs, and {name} is not installed: pip install 'twindiff[demo]'."
            ) from None


def _session(url: str, console: Console) -> SessionFacts:
    """Run one whole episode: environment, run, work, diff, two verdicts; then delete the environment."""
    from twindiff.cli.journal import calls, journal
    from twindiff.cli.remote import Remote

    client = import_module("agent_diff").AgentDiff(base_url=url)
    remote = Remote(url)
    made = client.init_env(templateService="slack", templateName="slack_default", impersonateUserId=AGENT)
    run = client.start_run(envId=made.environmentId).runId
    console.print("An agent with slack_sdk, in a workspace of its own", style="bold")
    console.print(f"  {TASK}\n", style="italic")
    for method, what in _work(_slack(url + made.environmentUrl)):
        console.print(f"  [green]✓[/] {method:<23}[dim]{what}[/]")
    seen = SessionFacts(
        environment=made.environmentId,
        calls=calls(remote, "env", made.environmentId),
        journal=journal(remote, made.environmentId),
        diff=client.diff_run(runId=run).diff,
        fitting=_verdict(client, remote, run, FITTING),
        asking_more=_verdict(client, remote, run, ASKING_MORE),
    )
    client.delete_env(envId=made.environmentId)
    return seen


def _slack(base_url: str) -> Any:
    from slack_sdk import WebClient

    client = WebClient(token="xoxb-any", base_url=f"{base_url}/")  # noqa: S106 - any token will do
    client.proxy = None  # the SDK uses the environment's proxy and ignores NO_PROXY
    return client


def _work(slack: Any) -> Iterator[tuple[str, str]]:
    """Do the agent's work; yields the method and the purpose of each call."""
    messages: list[Json] = slack.conversations_history(channel=GENERAL)["messages"]
    question = next(message for message in messages if message["text"].endswith("?"))
    yield "conversations.history", f"read {len(messages)} messages of #general"
    slack.chat_postMessage(channel=GENERAL, text=ANSWER, thread_ts=question["ts"])
    yield "chat.postMessage", "answered the question in a thread"
    slack.reactions_add(channel=GENERAL, timestamp=question["ts"], name="eyes")
    yield "reactions.add", "marked it with eyes"
    slack.conversations_rename(channel=RANDOM, name="small-talk")
    yield "conversations.rename", "renamed #random"


def _verdict(client: Any, remote: Remote, run: str, assertions: list[Json]) -> Verdict:
    """Judge by the SDK, then fetch the result with its explanations, which the SDK omits."""
    import msgspec

    from twindiff.checks import Verdict

    client.evaluate_run(runId=run, expectedOutput={"assertions": assertions})
    return msgspec.convert(remote.get("results", run), Verdict)


def _as_json(seen: SessionFacts) -> Json:
    import msgspec

    return {
        "environmentId": seen.environment,
        "calls": seen.calls,
        "journal": seen.journal,
        "diff": seen.diff,
        "verdicts": msgspec.to_builtins([seen.fitting, seen.asking_more]),
        "asExpected": seen.as_expected,
    }


def _show(seen: SessionFacts, console: Console) -> None:
    from twindiff.cli import render
    from twindiff.cli.journal import visible

    sections = [
        ("What the server saw", render.timeline(seen.calls, visible(seen.journal))),
        ("What changed", render.diff(seen.diff)),
        ("Judged by a spec of the task", render.verdict(seen.fitting, _titles(FITTING))),
        ("Judged by a spec that asks for more", render.verdict(seen.asking_more, _titles(ASKING_MORE))),
    ]
    for title, body in sections:
        console.print(f"\n[bold]{title}[/]")
        render.show(render.indent_body(body), console)
    console.print("\nThe environment is deleted and the server stopped. Start your own with [bold]twindiff serve[/].")


def _titles(assertions: list[Json]) -> list[str]:
    return [assertion["description"] for assertion in assertions]
