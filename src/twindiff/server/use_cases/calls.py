"""Calls that reached the twins of an environment, and their transcripts (request and response)."""

from __future__ import annotations

from twindiff.catalog import CallRecord
from twindiff.environments.environments import EnvironmentDeleted
from twindiff.environments.transcripts import Transcript, unpack
from twindiff.kit.errors import ApiError
from twindiff.server.service import Service


class CallNotFound(ApiError):
    """The environment has no such call."""

    status = 404


async def calls_of_environment(service: Service, env_id: str, after: int, limit: int) -> list[CallRecord]:
    """List calls in order, reads and refused ones included; raises EnvironmentDeleted if they were deleted with it."""
    environment_id = service.environments.record(env_id).environment_id
    await service.call_log.write()
    calls = await service.runtime.collect(service.calls.log.parts(environment_id, after=after, limit=limit))
    if _is_without_calls(service, environment_id) or (not calls and not after and _is_deleted(service, environment_id)):
        raise EnvironmentDeleted(f"environment '{environment_id}' has been deleted, and no calls of it are kept")
    return calls


def _is_deleted(service: Service, environment_id: str) -> bool:
    return service.environments.record(environment_id).status == "deleted"


def _is_without_calls(service: Service, environment_id: str) -> bool:
    """Whether an environment went with its calls, even if their deletion has failed and is still to be retried."""
    return _is_deleted(service, environment_id) and not service.calls.log.outlives(environment_id)


async def call_of_environment(service: Service, env_id: str, number: int) -> tuple[CallRecord, Transcript | None]:
    """One call, with its transcript if there is one; raises CallNotFound."""
    record = service.environments.record(env_id)
    environment_id = record.environment_id
    await service.call_log.write()
    log = service.calls.log
    calls = log.list(environment_id, after=number - 1, limit=1)
    if not calls or calls[0].number != number or _is_without_calls(service, environment_id):
        was = "has been deleted and keeps" if record.status == "deleted" else "has"
        raise CallNotFound(f"environment '{environment_id}' {was} no call {number}")
    return calls[0], unpack(log.transcripts(calls)).get(number)


async def calls_of_run(service: Service, run_id: str, after: int, limit: int) -> list[CallRecord]:
    """List the calls of a run up to its latest result, or up to now; they remain after its environment is deleted."""
    run = service.runs.get(run_id)
    await service.call_log.write()
    return await service.runtime.collect(service.calls.log.kept_of_run(run, limit, after))
