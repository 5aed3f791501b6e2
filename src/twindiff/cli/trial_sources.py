"""Resolves trial sets given to commands: a file that `suites run --save` wrote, or a set of the server by id."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from twindiff.cli.naming import one_of
from twindiff.cli.problem import CommandError
from twindiff.cli.remote import client_of, explain_failures
from twindiff.cli.trial_sets import StoredTrial, Story, kept_by_server, read, story_of
from twindiff.client import Client
from twindiff.client.sync_client import Platform

MAX_LISTED = 1000


class Server(NamedTuple):
    """The address of a server and its key."""

    url: str
    key: str


class TrialSource(NamedTuple):
    """The trials of a set, and the name it was given by."""

    name: str
    kept: list[StoredTrial]


def source_of(given: str, server: Server) -> TrialSource:
    """Return the trials of a file or of a server's set; raises CommandError if there are none."""
    if _is_file(given):
        kept, name = read(Path(given)), given
    else:
        with explain_failures(server.url), client_of(server.url, server.key) as client:
            name = full_id(client, given)
            kept = kept_by_server(client, name)
    if not kept:
        raise CommandError(f"{given} has no trials yet.", exit_code=2)
    return TrialSource(name, kept)


def _is_file(given: str) -> bool:
    return Path(given).exists() or given.endswith(".jsonl") or "/" in given or "\\" in given


def full_id(platform: Platform, given: str) -> str:
    """Complete the id prefix of a server's trial set."""
    if not isinstance(platform, Client):
        raise CommandError("Trial sets are kept by a server, and there is none.", exit_code=2)
    known = [each.trial_set_id for each in platform.trial_sets.find(limit=MAX_LISTED).trial_sets]
    return one_of(given, known, "trial set", "twindiff trials ls")


def with_stories(kept: Sequence[StoredTrial], server: Server, most: int) -> list[StoredTrial]:
    """Return trials with the stories of the first `most` that failed or are kept, fetched if necessary."""
    asked = [each for each in kept if not each.passed or each.is_kept][:most]
    missing = [each for each in asked if each.story is None and each.run_id and each.trial_set]
    if not missing:
        return [*kept]
    with explain_failures(server.url), client_of(server.url, server.key) as client:
        stories: dict[int, Story | None] = {id(each): story_of(client, each.run_id) for each in missing}
    for each in missing:
        each.story = stories[id(each)]
    return [*kept]
