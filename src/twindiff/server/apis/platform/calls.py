"""Operations for calls: the requests that reached the twins of an environment, and their transcripts."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from twindiff.catalog import CallRecord
from twindiff.environments.transcripts import Transcript, unpack
from twindiff.kit.http import Response, json_answer
from twindiff.kit.twin import Operations
from twindiff.server.parameters import After, Limit
from twindiff.server.service import Service
from twindiff.server.use_cases import calls as use_cases

api = Operations()

WITH_TRANSCRIPTS = 100
"""Maximum number of calls in a response with transcripts."""


class CallShown(msgspec.Struct, omit_defaults=True):
    """A call to a twin; `at` is wall-clock time, `seq` the journal record of a call that wrote.
    `host` is the vendor's host that a program addressed through the TLS door. Hosts that the door refused have no twin.
    A `transcript` has its request and response: text bodies up to 60,000 bytes together, others by size and digest.
    Secrets in headers and the token of the request are left out.
    """

    number: int
    at: str
    twin: str
    operation: str
    actor: str
    status: int
    milliseconds: float
    error: str | None
    seq: int | None
    host: str | None = None
    transcript: Transcript | None = None


class CallList(msgspec.Struct):
    calls: list[CallShown]


@api.get("/env/{envId}/calls")
async def calls(
    service: Service, env_id: str, after: After = 0, limit: Limit = 100, transcripts: bool = False
) -> CallList | Response:
    """Every call that reached a twin, reads and refusals included; with `transcripts` at most 100 at a time.
    The calls of a deleted environment are kept if it had runs.
    """
    limit = min(limit, WITH_TRANSCRIPTS) if transcripts else limit
    records = await use_cases.calls_of_environment(service, env_id, after, limit)
    return await render_calls(service, records) if transcripts else CallList([render_call(each) for each in records])


@api.get("/env/{envId}/calls/{number}")
async def call(service: Service, env_id: str, number: After) -> CallShown:
    """One call, with its transcript if there is one."""
    return render_call(*await use_cases.call_of_environment(service, env_id, number))


@api.get("/runs/{runId}/calls")
async def run_calls(
    service: Service, run_id: str, after: After = 0, limit: Limit = 100, transcripts: bool = False
) -> CallList | Response:
    """The calls of a run up to its latest result, or up to now; they remain after its environment is deleted."""
    limit = min(limit, WITH_TRANSCRIPTS) if transcripts else limit
    records = await use_cases.calls_of_run(service, run_id, after, limit)
    return await render_calls(service, records) if transcripts else CallList([render_call(each) for each in records])


async def render_calls(service: Service, records: list[CallRecord]) -> Response:
    """Render calls of one environment with their transcripts, which are unpacked off the event loop."""
    packed = service.calls.log.transcripts(records)
    return await service.runtime.run_in_thread(lambda: json_answer(CallList(with_transcripts(records, packed))))


def with_transcripts(records: Iterable[CallRecord], packed: dict[int, str]) -> list[CallShown]:
    """Render calls with their transcripts; `packed` has these by call number."""
    known = unpack(packed)
    return [render_call(each, known.get(each.number)) for each in records]


def render_call(record: CallRecord, transcript: Transcript | None = None) -> CallShown:
    """Render a call."""
    _, *values = msgspec.structs.astuple(record)
    return CallShown(*values, transcript=transcript)
